//! Opening the sink of one emitter: files of its resources, its codec, its CLIENT, then the sink itself.
//!
//! Invariant: what was had is kept over failed attempts of the same run, so that only what is missing is tried again.

use std::{path::Path, sync::Arc};

use futures::{FutureExt, future::BoxFuture};
use nervix_codec::PayloadEncoder;
use nervix_emitter::{Opened, Opener};
use nervix_sink::{Failure, FailureKind, Labels, OpenError, SinkClient, SinkContext};
use nspl_model::{ClientDef, CodecDef, CodecForm, Content, EmitterDef};
use parking_lot::Mutex;

use super::{Destination, Destinations};
use crate::resources::{Folder, ResourceError, VersionId};

/// Opens the sink of one run.
pub(super) struct DestinationOpener {
    run: Arc<Run>,
}

struct Run {
    node: Destinations,
    destination: &'static Destination,
    def: Arc<EmitterDef>,
    domain: Arc<str>,
    kept: Mutex<Kept>,
}

/// What was had.
#[derive(Default)]
struct Kept {
    encoder: Option<Arc<dyn PayloadEncoder>>,
    client: Option<Arc<dyn SinkClient>>,
    /// The files of its MOUNT, which its CLIENT may read again at any time.
    mount: Option<Arc<Folder>>,
}

impl DestinationOpener {
    /// # Errors
    /// When the codec can never be compiled here.
    pub(super) fn new(
        node: Destinations,
        destination: &'static Destination,
        def: Arc<EmitterDef>,
    ) -> Result<Self, String> {
        let encoder = match &def.content {
            Content::Encoded(codec) if files_of(codec, &def.domain).is_none() => {
                Some(compile(&node, codec, &def, None)?)
            }
            _ => None,
        };
        let kept = Mutex::new(Kept {
            encoder,
            ..Kept::default()
        });
        let domain = def.domain.as_str().into();
        let run = Run {
            node,
            destination,
            def,
            domain,
            kept,
        };
        Ok(Self { run: Arc::new(run) })
    }
}

impl Opener for DestinationOpener {
    fn open(&self) -> BoxFuture<'static, Result<Opened, OpenError>> {
        let run = Arc::clone(&self.run);
        async move {
            let encoder = run.encoder().await?;
            let client = run.client().await?;
            let context = SinkContext {
                labels: Labels {
                    domain: Arc::clone(&run.domain),
                    emitter: run.def.name.as_str().into(),
                    node: Arc::clone(&run.node.world.node),
                },
                world: run.node.world.clone(),
            };
            let sink = client.open(Arc::clone(&run.def), context).await?;
            Ok(Opened { sink, encoder })
        }
        .boxed()
    }
}

impl Run {
    async fn encoder(&self) -> Result<Option<Arc<dyn PayloadEncoder>>, OpenError> {
        let Content::Encoded(codec) = &self.def.content else {
            return Ok(None);
        };
        if let Some(encoder) = &self.kept.lock().encoder {
            return Ok(Some(Arc::clone(encoder)));
        }
        let files = match files_of(codec, &self.def.domain) {
            None => None,
            Some(version) => {
                let folder = self.node.resources.folder(&version.map_err(missing)?).await;
                let files = folder.map_err(missing)?.read().await;
                Some(files.map_err(missing)?)
            }
        };
        let encoder = compile(&self.node, codec, &self.def, files.as_ref());
        let encoder =
            encoder.map_err(|fault| OpenError::Unavailable(Failure::new(FailureKind::Missing, fault)))?;
        self.kept.lock().encoder = Some(Arc::clone(&encoder));
        Ok(Some(encoder))
    }

    async fn client(&self) -> Result<Arc<dyn SinkClient>, OpenError> {
        if let Some(client) = &self.kept.lock().client {
            return Ok(Arc::clone(client));
        }
        let def = self.def.sink.client().cloned();
        let def = def.ok_or_else(|| {
            OpenError::Unavailable(Failure::new(FailureKind::Missing, "the sink has no CLIENT"))
        })?;
        let (def, mount) = match &def.mount {
            None => (def, None),
            Some(mount) => {
                let version = pinned(&self.domain, &mount.resource, mount.version).map_err(missing)?;
                let folder = self.node.resources.folder(&version).await.map_err(missing)?;
                (mounted(&def, folder.path()), Some(folder))
            }
        };
        let world = self.node.world.clone();
        let client = self
            .node
            .clients
            .connect(&self.domain, def, (self.destination, world))?;
        let mut kept = self.kept.lock();
        kept.client = Some(Arc::clone(&client));
        kept.mount = mount;
        Ok(client)
    }
}

fn mounted(def: &ClientDef, folder: &Path) -> Arc<ClientDef> {
    Arc::new(def.mounted(&folder.to_string_lossy()))
}

/// The version whose files a codec is compiled from; none where its form has none.
fn files_of(codec: &CodecDef, domain: &str) -> Option<Result<VersionId, ResourceError>> {
    match &codec.form {
        CodecForm::Protobuf(protobuf) => Some(pinned(&domain.into(), &protobuf.resource, protobuf.version)),
        CodecForm::Schemaful { .. } | CodecForm::Jaq { .. } | CodecForm::Syslog => None,
    }
}

fn pinned(domain: &Arc<str>, resource: &str, version: Option<u64>) -> Result<VersionId, ResourceError> {
    let version = version.ok_or_else(|| ResourceError::Unpinned(format!("RESOURCE {resource}")))?;
    Ok(VersionId {
        domain: Arc::clone(domain),
        resource: resource.to_owned(),
        version,
    })
}

fn compile(
    node: &Destinations,
    codec: &CodecDef,
    def: &EmitterDef,
    files: Option<&nspl_protobuf::FileMap>,
) -> Result<Arc<dyn PayloadEncoder>, String> {
    nervix_codec::encoder(codec, files, def.batch, &node.jobs).map_err(|fault| fault.to_string())
}

fn missing(error: ResourceError) -> OpenError {
    OpenError::Unavailable(Failure::new(FailureKind::Missing, error.to_string()))
}
