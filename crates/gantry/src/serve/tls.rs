//! TLS by rustls: versions 1.2 and 1.3, HTTP/2 and HTTP/1.1 by ALPN.

use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

use crate::config::TlsFiles;

/// Reads certificate and key and makes a server's configuration of them.
///
/// # Errors
/// A file cannot be read, holds something else, or the key is not the certificate's.
pub(crate) fn server_config(files: &TlsFiles) -> Result<Arc<ServerConfig>, String> {
    let certificates = certificates(&files.certificate)?;
    let key = PrivateKeyDer::from_pem_file(&files.private_key)
        .map_err(|error| format!("{}: {error}", files.private_key.display()))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
        .map_err(|error| error.to_string())?
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|error| format!("{}: {error}", files.certificate.display()))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let describe = |error: rustls_pki_types::pem::Error| format!("{}: {error}", path.display());
    let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(path).map_err(describe)?.collect();
    match found.map_err(describe)? {
        found if found.is_empty() => Err(format!("{}: no certificate in it", path.display())),
        found => Ok(found),
    }
}
