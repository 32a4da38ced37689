//! The files of a CLIENT's TLS settings, read within a bound.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, Error, RootCertStore};
use tokio::io::AsyncReadExt;

use super::fault::TlsFault;

/// The most bytes that a file of certificates or a key may have.
pub const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The settings `tls_ca_file`, `tls_cert_file` and `tls_key_file` (rulings section 8).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TlsFiles {
    /// Certificates of those who are trusted, in PEM form; without it the system's roots are.
    pub ca: Option<PathBuf>,
    /// Who this client is, if it says so.
    pub identity: Option<Identity>,
}

/// A certificate and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The certificate and those between it and a root, in PEM form.
    pub certificate: PathBuf,
    /// Its private key, in PEM form.
    pub key: PathBuf,
}

/// The bytes of the files.
#[derive(PartialEq, Eq)]
pub(super) struct Contents {
    ca: Option<Vec<u8>>,
    identity: Option<(Vec<u8>, Vec<u8>)>,
}

impl TlsFiles {
    /// The files that the settings of a client name; `setting` gives the text of one.
    pub fn named<'a>(setting: impl Fn(&str) -> Option<&'a str>) -> Self {
        let path = |key| setting(key).map(PathBuf::from);
        let identity = path("tls_cert_file").zip(path("tls_key_file"));
        Self {
            ca: path("tls_ca_file"),
            identity: identity.map(|(certificate, key)| Identity { certificate, key }),
        }
    }

    pub(super) async fn read(&self) -> Result<Contents, TlsFault> {
        let ca = match &self.ca {
            Some(path) => Some(read("tls_ca_file", path).await?),
            None => None,
        };
        let identity = match &self.identity {
            Some(identity) => Some((
                read("tls_cert_file", &identity.certificate).await?,
                read("tls_key_file", &identity.key).await?,
            )),
            None => None,
        };
        Ok(Contents { ca, identity })
    }
}

impl Contents {
    pub(super) fn has_ca(&self) -> bool {
        self.ca.is_some()
    }

    /// Whom `tls_ca_file` trusts.
    pub(super) fn roots(&self, files: &TlsFiles) -> Result<RootCertStore, TlsFault> {
        let path = files.ca.as_deref().unwrap_or(Path::new(""));
        let certificates = certificates("tls_ca_file", path, self.ca.as_deref().unwrap_or_default())?;
        let mut roots = RootCertStore::empty();
        for certificate in certificates {
            roots.add(certificate).map_err(|_| {
                let path = path.display();
                TlsFault::file(format!(
                    "tls_ca_file '{path}' holds a certificate that cannot be a trust root; it needs those of certificate authorities"
                ))
            })?;
        }
        Ok(roots)
    }

    /// A client that trusts `roots`.
    pub(super) fn config(
        &self,
        files: &TlsFiles,
        roots: Arc<RootCertStore>,
    ) -> Result<ClientConfig, TlsFault> {
        let unusable = |error: Error| TlsFault::file(format!("TLS cannot be set up: {error}"));
        let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_root_certificates(roots);
        let (Some((certificate, key)), Some(paths)) = (&self.identity, &files.identity) else {
            return Ok(builder.with_no_client_auth());
        };
        let chain = certificates("tls_cert_file", &paths.certificate, certificate)?;
        let shown = paths.key.display();
        // The reader's own words may quote the file.
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| {
            TlsFault::file(format!(
                "tls_key_file '{shown}' holds no private key in PEM form; a key that needs a password has to be decrypted first"
            ))
        })?;
        builder.with_client_auth_cert(chain, key).map_err(|error| {
            let cause = match error {
                Error::InconsistentKeys(_) => "is not the key of the certificate in tls_cert_file",
                _ => "holds a key of a kind that TLS does not use; RSA, ECDSA and Ed25519 keys are",
            };
            TlsFault::file(format!("tls_key_file '{shown}' {cause}"))
        })
    }
}

/// The system's trusted roots. They are read on a thread for blocking work: there are many files.
pub(super) async fn system_roots() -> Result<RootCertStore, TlsFault> {
    const NONE: &str =
        "this machine has no trusted root certificates; install them, or name a file with tls_ca_file";
    let found = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs).await;
    let found = found.map_err(|_| TlsFault::file(NONE.to_owned()))?;
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        return Err(TlsFault::file(NONE.to_owned()));
    }
    Ok(roots)
}

fn certificates(key: &str, path: &Path, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsFault> {
    let path = path.display();
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match read {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        Ok(_) => Err(TlsFault::file(format!(
            "{key} '{path}' holds no certificate; it needs one in PEM form"
        ))),
        Err(_) => Err(TlsFault::file(format!(
            "{key} '{path}' is broken PEM; it needs whole blocks from BEGIN CERTIFICATE to END CERTIFICATE"
        ))),
    }
}

async fn read(key: &str, path: &Path) -> Result<Vec<u8>, TlsFault> {
    let unreadable = |error: io::Error| {
        let (path, kind) = (path.display(), error.kind());
        TlsFault::file(format!(
            "{key} '{path}' cannot be read: {kind}; name a file of the mounted resource that this worker may read"
        ))
    };
    let file = tokio::fs::File::open(path).await.map_err(unreadable)?;
    let mut bytes = Vec::new();
    let mut bounded = file.take(FILE_BYTES_MAX + 1);
    bounded.read_to_end(&mut bytes).await.map_err(unreadable)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        let path = path.display();
        return Err(TlsFault::file(format!(
            "{key} '{path}' has more than {FILE_BYTES_MAX} bytes; it needs certificates or a key alone"
        )));
    }
    Ok(bytes)
}
