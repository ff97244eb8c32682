//! TLS of a group: the trusted authorities, the group's own certificate, and the name that servers
//! prove.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;
use std::sync::Arc;

use percent::bare_host;
use remote::trust::{ClientIdentity, client_config};
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// TLS of a group. Two are equal if the bytes of their files are equal.
#[derive(Clone, Debug)]
pub struct Tls {
    config: Arc<ClientConfig>,
    /// The name that all servers prove; none if each proves the host of its destination.
    server_name: Option<ServerName<'static>>,
    /// Digest of the files' bytes.
    digest: u64,
}

impl PartialEq for Tls {
    fn eq(&self, other: &Self) -> bool {
        (self.digest, &self.server_name) == (other.digest, &other.server_name)
    }
}

impl Tls {
    /// Reads the trusted certificates (none for the system's) and the group's own identity.
    ///
    /// # Errors
    /// A file cannot be read, a key does not fit its certificate, or the name is not valid.
    pub fn new(
        ca: Option<&Path>,
        identity: Option<&ClientIdentity>,
        server_name: Option<&str>,
    ) -> Result<Self, String> {
        let config = Arc::new(client_config(ca, identity)?);
        let server_name = server_name.map(named).transpose()?;
        let mut digest = DefaultHasher::new();
        let own = identity.map(|identity| [identity.certificate.as_path(), identity.private_key.as_path()]);
        for path in ca.into_iter().chain(own.into_iter().flatten()) {
            fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?.hash(&mut digest);
        }
        Ok(Self { config, server_name, digest: digest.finish() })
    }

    /// Does the TLS handshake on a connection to a destination.
    ///
    /// # Errors
    /// The server proves another name, or its certificate is not trusted, or it refuses the group's
    /// certificate.
    pub(crate) async fn begin(
        &self,
        destination: &str,
        stream: TcpStream,
    ) -> io::Result<TlsStream<TcpStream>> {
        let name = match &self.server_name {
            Some(name) => name.clone(),
            None => named(host(destination)).map_err(io::Error::other)?,
        };
        TlsConnector::from(Arc::clone(&self.config)).connect(name, stream).await
    }
}

fn named(text: &str) -> Result<ServerName<'static>, String> {
    ServerName::try_from(text.to_owned()).map_err(|_| format!("'{text}' is not the name of a server"))
}

/// The host of `HOST:PORT`; an IPv6 address without its brackets.
fn host(destination: &str) -> &str {
    let host = destination.rsplit_once(':').map_or(destination, |(host, _)| host);
    bare_host(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_destinations_are_names_or_addresses() {
        for (destination, expected) in
            [("a.example:15000", "a.example"), ("10.0.0.1:1", "10.0.0.1"), ("[::1]:15000", "::1")]
        {
            assert_eq!(host(destination), expected);
            assert!(named(host(destination)).is_ok());
        }
        assert!(named("no name").is_err());
    }
}
