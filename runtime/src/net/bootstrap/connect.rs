//! Connecting the processes of a program: place 0 listens on the loopback interface, the others get its port
//! and a random token in their environment, and every connection begins with a handshake
//! ([`crate::net::bootstrap::handshake`]), so that no other process of the machine is accepted.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use crate::net::bootstrap::handshake::{Hello, Member, StartContext, WELCOME};
use crate::net::mesh::endpoint::Mesh;
use crate::net::mesh::link::Link;

pub use crate::net::bootstrap::handshake::Token;

/// Interval at which a waiting place checks whether the start has failed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Pause before a place connects again.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);
/// Bytes by which place 0 describes a place: port and process.
const ADDRESS_BYTES: usize = 6;

/// What a place needs to connect with place 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootstrapInfo {
    /// The number of the place.
    pub place: u32,
    /// How many host places there are.
    pub hosts: u32,
    /// Port of place 0.
    pub port: u16,
    /// An open file that all places inherit, see [`crate::base::output_lock`].
    pub output_lock: i32,
    /// Proof of belonging.
    pub token: Token,
}

impl BootstrapInfo {
    /// As a string, for an environment variable.
    pub fn encode(&self) -> String {
        let token: String = self.token.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}/{}/{}/{}/{token}", self.place, self.hosts, self.port, self.output_lock)
    }

    /// From a string; `None` if it is not what [`BootstrapInfo::encode`] makes.
    pub fn decode(text: &str) -> Option<BootstrapInfo> {
        let mut parts = text.split('/');
        let (place, hosts, port) =
            (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let output_lock = parts.next()?.parse().ok()?;
        let digits = parts.next()?;
        if parts.next().is_some() || digits.len() != 64 || !digits.is_ascii() || place >= hosts {
            return None;
        }
        let mut token = [0; 32];
        for (index, byte) in token.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).ok()?;
        }
        Some(BootstrapInfo { place, hosts, port, output_lock, token })
    }
}

/// A token from the system's random source.
pub fn random_token() -> io::Result<Token> {
    let mut token = [0; 32];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut token)?;
    Ok(token)
}

/// Listens on a free port of the loopback interface.
pub fn listen() -> io::Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Reads from a place that may still be starting.
fn read_from(
    start: &StartContext<'_>,
    stream: &mut TcpStream,
    place: u32,
    mut bytes: &mut [u8],
) -> io::Result<()> {
    stream.set_read_timeout(Some(POLL_INTERVAL))?;
    while !bytes.is_empty() {
        match stream.read(bytes) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => bytes = &mut bytes[count..],
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                start.check(|| format!("place {place} has connected, but does not continue"))?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Place 0: accepts all others and sends each the addresses of the rest.
pub fn host(listener: TcpListener, start: &StartContext<'_>, hosts: u32) -> io::Result<Mesh> {
    let members = start.accept(&listener, 1..hosts)?;
    drop(listener);
    let own = Hello { place: 0, port: 0, process: std::process::id(), identity: start.identity };
    let mut addresses = Vec::with_capacity(hosts as usize * ADDRESS_BYTES);
    for hello in std::iter::once(&own).chain(members.iter().map(|caller| &caller.hello)) {
        addresses.extend_from_slice(&hello.port.to_le_bytes());
        addresses.extend_from_slice(&hello.process.to_le_bytes());
    }
    let mut links = vec![None];
    for Member { hello, mut stream } in members {
        stream.write_all(&addresses)?;
        links.push(Some(Link { stream, process: hello.process }));
    }
    for (place, link) in links.iter_mut().enumerate() {
        let Some(link) = link else { continue };
        // The launcher knows better than this connection how a process has ended.
        read_from(start, &mut link.stream, place as u32, &mut [0]).map_err(|error| {
            let text = (start.failed)().unwrap_or_else(|| format!("place {place} did not come up: {error}"));
            io::Error::other(text)
        })?;
    }
    Mesh::new(0, links, start.deadline)
}

/// Connects with a place and completes the handshake. A place with too many pending connections closes some
/// before the handshake: then again.
fn call(start: &StartContext<'_>, place: u32, port: u16, hello: &Hello) -> io::Result<TcpStream> {
    loop {
        let connection = connect(start, place, port, hello);
        let Err(error) = connection else { return connection };
        start.check(|| format!("cannot connect with place {place}: {error}"))?;
        std::thread::sleep(RETRY_INTERVAL);
    }
}

fn connect(start: &StartContext<'_>, place: u32, port: u16, hello: &Hello) -> io::Result<TcpStream> {
    let left = start.deadline.saturating_duration_since(Instant::now()).max(POLL_INTERVAL);
    let mut stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), left)?;
    stream.write_all(&hello.encode(&start.token))?;
    let mut answer = [0];
    read_from(start, &mut stream, place, &mut answer)?;
    if answer == [WELCOME] { Ok(stream) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// Any other place: connects with place 0, then with the rest.
pub fn join(info: &BootstrapInfo, identity: u64, deadline: Instant) -> io::Result<Mesh> {
    let BootstrapInfo { place, hosts, port, token, .. } = *info;
    let start = StartContext { token, identity, deadline, failed: &|| None };
    let listener = listen()?;
    let own_port = listener.local_addr()?.port();
    let hello = Hello { place, port: own_port, process: std::process::id(), identity };
    let mut zero = call(&start, 0, port, &hello)?;
    let mut addresses = vec![0; ADDRESS_BYTES * hosts as usize];
    read_from(&start, &mut zero, 0, &mut addresses)?;
    let addresses: Vec<(u16, u32)> = addresses
        .chunks_exact(ADDRESS_BYTES)
        .map(|it| (u16::from_le_bytes([it[0], it[1]]), u32::from_le_bytes([it[2], it[3], it[4], it[5]])))
        .collect();
    let mut links: Vec<Option<Link>> = Vec::new();
    for (other, (port, process)) in (0..).zip(&addresses).take(place as usize).skip(1) {
        let stream = call(&start, other, *port, &hello)?;
        links.push(Some(Link { stream, process: *process }));
    }
    for Member { hello, stream } in start.accept(&listener, place + 1..hosts)? {
        links.push(Some(Link { stream, process: hello.process }));
    }
    zero.write_all(&[1])?;
    links.insert(0, Some(Link { stream: zero, process: addresses[0].1 }));
    links.insert(place as usize, None);
    Mesh::new(place, links, deadline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bootstrap_info_round_trips() {
        let info = BootstrapInfo { place: 2, hosts: 4, port: 12345, output_lock: 5, token: [0xa5; 32] };
        assert_eq!(BootstrapInfo::decode(&info.encode()), Some(info));
    }

    #[test]
    fn malformed_bootstrap_info_is_rejected() {
        let token = "00".repeat(32);
        for text in
            ["", "1", "1/2/3/4", "1/2/3/4/zz", &format!("4/4/3/5/{token}"), &format!("1/2/3/5/{token}/5")]
        {
            assert_eq!(BootstrapInfo::decode(text), None, "{text}");
        }
    }
}
