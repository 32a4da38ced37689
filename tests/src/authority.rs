//! A certificate authority of the tests, and servers' sides of TLS with what it issued.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

use crate::wait::must;

/// Issues certificates that only those trust who are given [`Authority::pem`].
#[derive(Debug)]
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate with its key, both in PEM form.
#[derive(Debug, Clone)]
pub struct Issued {
    /// The certificate.
    pub certificate: String,
    /// Its private key.
    pub key: String,
}

impl Authority {
    /// A new authority with a name and a key of its own.
    pub fn new() -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let nth = MADE.fetch_add(1, Ordering::Relaxed);
        let mut params = must("describe an authority", CertificateParams::new(Vec::new()));
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
            .distinguished_name
            .push(DnType::CommonName, format!("test authority {nth}"));
        let key = must("make a key", KeyPair::generate());
        Self {
            issuer: must("sign an authority", CertifiedIssuer::self_signed(params, key)),
        }
    }

    /// Its own certificate in PEM form.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// A certificate that is valid now, for these names and addresses.
    pub fn issue(&self, names: &[&str]) -> Issued {
        self.sign(&params(names))
    }

    /// A certificate whose time is over.
    pub fn issue_expired(&self, names: &[&str]) -> Issued {
        let mut params = params(names);
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
        self.sign(&params)
    }

    fn sign(&self, params: &CertificateParams) -> Issued {
        let key = must("make a key", KeyPair::generate());
        let certificate = must("sign a certificate", params.signed_by(&key, &self.issuer));
        Issued {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        }
    }

    /// A server that shows `issued`, and asks for a certificate of `clients` if it is given.
    pub fn server(issued: &Issued, clients: Option<&Self>) -> Arc<ServerConfig> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
        let builder = must("choose versions", builder.with_safe_default_protocol_versions());
        let builder = match clients {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                must("trust an authority", roots.add(authority.issuer.der().clone()));
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(must("verify clients", verifier.build()))
            }
        };
        let certificate = must(
            "read a certificate",
            CertificateDer::from_pem_slice(issued.certificate.as_bytes()),
        );
        let key = must("read a key", PrivateKeyDer::from_pem_slice(issued.key.as_bytes()));
        Arc::new(must(
            "set a server up",
            builder.with_single_cert(vec![certificate], key),
        ))
    }
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}

impl Issued {
    /// Writes `NAME.pem` and `NAME.key` into `folder`; gives both paths.
    pub fn write(&self, folder: &Path, name: &str) -> (PathBuf, PathBuf) {
        let (certificate, key) = (
            folder.join(format!("{name}.pem")),
            folder.join(format!("{name}.key")),
        );
        must(
            "write a certificate",
            std::fs::write(&certificate, &self.certificate),
        );
        must("write a key", std::fs::write(&key, &self.key));
        (certificate, key)
    }
}

fn params(names: &[&str]) -> CertificateParams {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    must("describe a certificate", CertificateParams::new(names))
}
