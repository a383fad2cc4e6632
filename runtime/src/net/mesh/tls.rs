//! Encryption of connections between hosts by TLS 1.3 (RFC 8446) with raw public keys (RFC 7250).
//!
//! All places of a run have the same Ed25519 key, which is derived from the run's secret; each end of a
//! connection proves that it has it, and accepts no other.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{AlwaysResolvesClientRawPublicKeys, Resumption};
use rustls::crypto::{CryptoProvider, ring, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{
    CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime,
};
use rustls::server::AlwaysResolvesServerRawPublicKeys;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::sign::CertifiedKey;
use rustls::version::TLS13;
use rustls::{
    ClientConfig, ClientConnection, Connection, DigitallySignedStruct, DistinguishedName, ServerConfig,
    ServerConnection, SignatureScheme,
};
use sha2::Sha256;

use crate::net::bootstrap::handshake::Secret;

/// An Ed25519 private key of PKCS #8 (RFC 8410), without the seed of 32 bytes at its end.
const PRIVATE_KEY_PREFIX: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// The two ends of a connection in TLS's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The place that has called.
    Client,
    /// The place that was called.
    Server,
}

/// What all encrypted connections of a place share.
pub(crate) struct Encryption {
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
}

fn failed(error: rustls::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("encryption: {error}"))
}

impl Encryption {
    /// With the key of a run.
    pub(crate) fn new(secret: &Secret) -> io::Result<Encryption> {
        let mut seed = Hmac::<Sha256>::new_from_slice(&secret.0).expect("a key may have any length");
        seed.update(b"apg place connections 1: Ed25519");
        let private = [&PRIVATE_KEY_PREFIX[..], &seed.finalize().into_bytes()].concat();
        let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(private));
        let provider = Arc::new(ring::default_provider());
        let key = provider.key_provider.load_private_key(private).map_err(failed)?;
        let public =
            key.public_key().ok_or_else(|| io::Error::other("encryption: a key without a public part"))?;
        let public = public.into_owned();
        let certified =
            Arc::new(CertifiedKey::new(vec![CertificateDer::from(public.as_ref().to_vec())], key));
        let peers = Arc::new(SameKey { public, provider: Arc::clone(&provider) });
        let mut client = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&TLS13])
            .map_err(failed)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::clone(&peers) as Arc<dyn ServerCertVerifier>)
            .with_client_cert_resolver(Arc::new(AlwaysResolvesClientRawPublicKeys::new(Arc::clone(
                &certified,
            ))));
        client.resumption = Resumption::disabled();
        client.enable_sni = false;
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .map_err(failed)?
            .with_client_cert_verifier(peers)
            .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(certified)));
        server.send_tls13_tickets = 0;
        Ok(Encryption { client: Arc::new(client), server: Arc::new(server) })
    }

    /// Encrypts a connection, whose other end does the same; waits as long as its read timeout says.
    pub(crate) fn handshake(&self, stream: &mut TcpStream, end: End) -> io::Result<Tls> {
        let mut connection: Connection = match end {
            End::Client => {
                let name = ServerName::try_from("apg").expect("a name");
                ClientConnection::new(Arc::clone(&self.client), name).map_err(failed)?.into()
            }
            End::Server => ServerConnection::new(Arc::clone(&self.server)).map_err(failed)?.into(),
        };
        // What is written is sent at once: the buffer never holds more than a frame.
        connection.set_buffer_limit(None);
        while connection.is_handshaking() {
            connection.complete_io(stream)?;
        }
        while connection.wants_write() {
            connection.write_tls(stream)?;
        }
        Ok(Tls(Mutex::new(connection)))
    }
}

/// The state of an encrypted connection. It is held while bytes are encrypted or decrypted, and never while a
/// socket is waited for.
pub(crate) struct Tls(Mutex<Connection>);

impl Tls {
    /// Encrypts: the bytes to be sent, behind those of earlier calls.
    pub(crate) fn encrypt(&self, parts: &[&[u8]]) -> io::Result<Vec<u8>> {
        let mut connection = self.0.lock();
        let mut out = Vec::with_capacity(parts.iter().map(|part| part.len()).sum::<usize>() + 64);
        for part in parts {
            connection.writer().write_all(part)?;
        }
        while connection.wants_write() {
            connection.write_tls(&mut out)?;
        }
        Ok(out)
    }

    /// What came in the same read as the last message of the handshake.
    ///
    /// # Errors
    /// It was not sent by the other end.
    pub(crate) fn take_early(&self) -> io::Result<Vec<u8>> {
        let mut connection = self.0.lock();
        let state = connection.process_new_packets().map_err(failed)?;
        let mut plain = vec![0; state.plaintext_bytes_to_read()];
        connection.reader().read_exact(&mut plain)?;
        Ok(plain)
    }

    /// Decrypts what has come, and hands it on.
    ///
    /// # Errors
    /// It was not sent by the other end, or that of `deliver`.
    pub(crate) fn decrypt(
        &self,
        mut received: &[u8],
        mut deliver: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut plain = Vec::new();
        while !received.is_empty() {
            let mut connection = self.0.lock();
            connection.read_tls(&mut received)?;
            let state = connection.process_new_packets().map_err(failed)?;
            plain.resize(state.plaintext_bytes_to_read(), 0);
            connection.reader().read_exact(&mut plain)?;
            drop(connection);
            // Handlers of messages send others.
            deliver(&plain)?;
        }
        Ok(())
    }
}

/// Accepts the run's own key alone.
#[derive(Debug)]
struct SameKey {
    public: SubjectPublicKeyInfoDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl SameKey {
    fn compare(&self, key: &CertificateDer<'_>) -> Result<(), rustls::Error> {
        if key.as_ref() == self.public.as_ref() {
            return Ok(());
        }
        Err(rustls::Error::InvalidCertificate(rustls::CertificateError::ApplicationVerificationFailure))
    }

    fn verify(
        &self,
        message: &[u8],
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature_with_raw_key(message, &self.public, signature, algorithms)
    }
}

/// Nothing is negotiated but TLS 1.3.
fn refuse_tls12() -> Result<HandshakeSignatureValid, rustls::Error> {
    Err(rustls::Error::General("TLS 1.2 is not spoken".to_owned()))
}

impl ServerCertVerifier for SameKey {
    fn verify_server_cert(
        &self,
        key: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        self.compare(key).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        refuse_tls12()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        _key: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verify(message, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

impl ClientCertVerifier for SameKey {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        key: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        self.compare(key).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        refuse_tls12()
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        _key: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.verify(message, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    /// Two ends of a connection, encrypted with these secrets.
    fn connect(secrets: [Secret; 2]) -> [io::Result<Tls>; 2] {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("its address");
        let [one, other] = secrets;
        std::thread::scope(|scope| {
            let client = scope.spawn(move || {
                let mut stream = TcpStream::connect(address).expect("connection");
                Encryption::new(&one)?.handshake(&mut stream, End::Client)
            });
            let (mut stream, _) = listener.accept().expect("a caller");
            let server = Encryption::new(&other).expect("a key").handshake(&mut stream, End::Server);
            drop(stream);
            [client.join().expect("no panic"), server]
        })
    }

    #[test]
    fn bytes_arrive_in_order_and_are_not_readable_on_the_way() {
        let [client, server] = connect([Secret([7; 32]); 2]).map(|end| end.expect("an encrypted connection"));
        let long: Vec<u8> = (0..200_000_u32).map(|it| it as u8).collect();
        for (from, to) in [(&client, &server), (&server, &client)] {
            let sent =
                [from.encrypt(&[b"hello ", b"world"]), from.encrypt(&[&long])].map(|it| it.expect("bytes"));
            assert!(!sent[0].windows(5).any(|it| it == b"hello"));
            let sent = sent.concat();
            let mut read = Vec::new();
            for piece in sent.chunks(1000) {
                to.decrypt(piece, |plain| {
                    read.extend_from_slice(plain);
                    Ok(())
                })
                .expect("the other end's");
            }
            assert!(read == [&b"hello world"[..], &long].concat());
        }
    }

    #[test]
    fn bytes_behind_the_handshake_are_kept() {
        let secret = Secret([7; 32]);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let mut stream = TcpStream::connect(listener.local_addr().expect("a port")).expect("connection");
        let (mut other, _) = listener.accept().expect("a caller");
        let name = ServerName::try_from("apg").expect("a name");
        let config = Encryption::new(&secret).expect("a key").client;
        let mut client = ClientConnection::new(config, name).expect("a client");
        let server = std::thread::spawn(move || {
            Encryption::new(&secret)?.handshake(&mut other, End::Server)?.take_early()
        });
        client.writer().write_all(b"early").expect("it is kept until the end of the handshake");
        // The end of the handshake and the bytes are sent as one.
        while client.is_handshaking() {
            if client.wants_read() && !client.wants_write() {
                client.read_tls(&mut stream).expect("the server's");
                client.process_new_packets().expect("the server's");
            } else {
                client.write_tls(&mut stream).expect("written");
            }
        }
        let mut last = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut last).expect("memory");
        }
        stream.write_all(&last).expect("written");
        assert_eq!(server.join().expect("no panic").expect("the client's"), b"early");
    }

    #[test]
    fn changed_bytes_are_refused() {
        let [client, server] = connect([Secret([7; 32]); 2]).map(|end| end.expect("an encrypted connection"));
        let mut sent = client.encrypt(&[b"pay 1"]).expect("bytes");
        let last = sent.len() - 1;
        sent[last] ^= 1;
        let error = server.decrypt(&sent, |_| Ok(())).expect_err("changed");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn strangers_are_refused() {
        let [_, server] = connect([Secret([1; 32]), Secret([2; 32])]);
        assert!(server.is_err());
    }
}
