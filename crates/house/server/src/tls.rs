//! TLS by rustls: versions 1.2 and 1.3, HTTP/2 and HTTP/1.1 by ALPN, certificates by the client's
//! server name, and client certificates. All files are read again when they change.

use std::path::Path;
use std::sync::{Arc, RwLock};

use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::server::{ClientHello, ResolvesServerCert, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use security::CertificateNames;
use tokio_rustls::TlsAcceptor;

use admission::config::TlsFiles;
use admission::{Unread, Watched};
use remote::trust::roots;

/// TLS of one listener.
#[derive(Debug)]
pub(crate) struct Tls {
    files: TlsFiles,
    /// The files before they were read.
    unread: Unread,
    config: RwLock<Arc<ServerConfig>>,
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// As [`server_config`].
    pub(crate) fn new(files: &TlsFiles) -> Result<Arc<Self>, String> {
        let certificates = files.certificates.iter().flat_map(|(chain, key)| [chain, key]);
        let clients = files.clients.iter().map(|clients| &clients.file);
        let unread = Unread::note(certificates.chain(clients).cloned().collect());
        let config = RwLock::new(server_config(files)?);
        Ok(Arc::new(Self { files: files.clone(), unread, config }))
    }

    /// The acceptor for the next connection.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        Arc::clone(&self.config.read().expect("no holder panics")).into()
    }

    /// All its files. Sessions from before a change are not resumed, so that a removed authority
    /// loses its trust at once.
    pub(crate) fn watched(self: &Arc<Self>) -> Watched {
        let this = Arc::clone(self);
        self.unread.clone().watched(move || {
            let config = server_config(&this.files)?;
            *this.config.write().expect("no holder panics") = config;
            Ok(())
        })
    }
}

/// Reads certificates and keys, and makes a server's configuration from them.
///
/// # Errors
/// A file cannot be read, has the wrong content, or a key does not fit its certificate.
pub fn server_config(files: &TlsFiles) -> Result<Arc<ServerConfig>, String> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let by_name = ByName::read(files, &provider)?;
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
        .map_err(|error| error.to_string())?;
    let builder = match &files.clients {
        None => builder.with_no_client_auth(),
        Some(clients) => {
            let roots = Arc::new(roots(&clients.file)?);
            let mut verifier = WebPkiClientVerifier::builder_with_provider(roots, provider);
            if !clients.required {
                verifier = verifier.allow_unauthenticated();
            }
            let verifier =
                verifier.build().map_err(|error| format!("{}: {error}", clients.file.display()))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let mut config = builder.with_cert_resolver(Arc::new(by_name));
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// Certificates, each with its names.
#[derive(Debug)]
struct ByName(Vec<(Vec<String>, Arc<CertifiedKey>)>);

impl ByName {
    fn read(files: &TlsFiles, provider: &CryptoProvider) -> Result<Self, String> {
        let mut found = Vec::new();
        for (chain, key) in &files.certificates {
            let certificates = certificates(chain)?;
            let names = CertificateNames::parse(&certificates[0]).unwrap_or_default().dns;
            let names = names.into_iter().map(|name| name.to_ascii_lowercase()).collect();
            let private = PrivateKeyDer::from_pem_file(key).map_err(|error| no_key(key, &error))?;
            let certified =
                CertifiedKey::from_der(certificates, private, provider).map_err(|error| match error {
                    rustls::Error::InconsistentKeys(_) => {
                        format!(
                            "{}: the key in {} belongs to another certificate",
                            chain.display(),
                            key.display()
                        )
                    }
                    error => format!("{}: {error}", chain.display()),
                })?;
            found.push((names, Arc::new(certified)));
        }
        Ok(Self(found))
    }

    /// The certificate for a name in lower case; else the first.
    fn find(&self, name: Option<&str>) -> Option<&Arc<CertifiedKey>> {
        let of_name = name.and_then(|name| {
            let fits =
                |wanted: &str| self.0.iter().find(|(names, _)| names.iter().any(|known| known == wanted));
            // A star matches one label (RFC 6125, 6.4.3). Exact names come first.
            fits(name).or_else(|| fits(&format!("*.{}", name.split_once('.')?.1)))
        });
        of_name.or(self.0.first()).map(|(_, certified)| certified)
    }
}

impl ResolvesServerCert for ByName {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.find(hello.server_name().map(str::to_ascii_lowercase).as_deref()).cloned()
    }
}

/// Why a file gives no private key.
fn no_key(path: &Path, error: &rustls_pki_types::pem::Error) -> String {
    let is_encrypted =
        std::fs::read(path).is_ok_and(|text| text.windows(ENCRYPTED.len()).any(|found| found == ENCRYPTED));
    match error {
        rustls_pki_types::pem::Error::NoItemsFound if is_encrypted => {
            format!("{}: the key is encrypted; expected one without a password", path.display())
        }
        rustls_pki_types::pem::Error::NoItemsFound => format!("{}: no private key in it", path.display()),
        error => format!("{}: {error}", path.display()),
    }
}

/// A word of PEM files whose key is encrypted.
const ENCRYPTED: &[u8] = b"ENCRYPTED";

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let describe = |error: rustls_pki_types::pem::Error| format!("{}: {error}", path.display());
    let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(path).map_err(describe)?.collect();
    match found.map_err(describe)? {
        found if found.is_empty() => Err(format!("{}: no certificate in it", path.display())),
        found => Ok(found),
    }
}
