//! How the processes of a program find each other: place 0 listens on the loopback interface, the others are
//! told its port and a random token, and every connection begins with the token
//! ([`crate::net::bootstrap::handshake`]), so that no other process of the machine gets in.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use crate::net::bootstrap::handshake::{Caller, Greeting, Meeting, WELCOME};
use crate::net::mesh::endpoint::{Link, Tcp};

pub use crate::net::bootstrap::handshake::Token;

/// How often a place that waits for others looks whether the start has failed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Before a place connects again.
const RETRY_PAUSE: Duration = Duration::from_millis(20);
/// What place 0 tells of each place: its port and process.
const ADDRESS_BYTES: usize = 6;

/// What place 0 tells the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
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

impl Invitation {
    /// As text, for an environment variable.
    pub fn encode(&self) -> String {
        let token: String = self.token.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}/{}/{}/{}/{token}", self.place, self.hosts, self.port, self.output_lock)
    }

    /// From text; `None` if it is not what [`Invitation::encode`] makes.
    pub fn decode(text: &str) -> Option<Invitation> {
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
        Some(Invitation { place, hosts, port, output_lock, token })
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
    meeting: &Meeting<'_>,
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
                meeting.check(|| format!("place {place} has connected, but does not go on"))?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Place 0: waits for all others and tells each where the rest are.
pub fn host(listener: TcpListener, meeting: &Meeting<'_>, hosts: u32) -> io::Result<Tcp> {
    let callers = meeting.accept(&listener, 1..hosts)?;
    drop(listener);
    let own = Greeting { place: 0, port: 0, process: std::process::id(), identity: meeting.identity };
    let mut addresses = Vec::with_capacity(hosts as usize * ADDRESS_BYTES);
    for greeting in std::iter::once(&own).chain(callers.iter().map(|caller| &caller.greeting)) {
        addresses.extend_from_slice(&greeting.port.to_le_bytes());
        addresses.extend_from_slice(&greeting.process.to_le_bytes());
    }
    let mut links = vec![None];
    for Caller { greeting, mut stream } in callers {
        stream.write_all(&addresses)?;
        links.push(Some(Link { stream, process: greeting.process }));
    }
    for (place, link) in links.iter_mut().enumerate() {
        let Some(link) = link else { continue };
        // The end of a process is known to who started it, better than what came of it here.
        read_from(meeting, &mut link.stream, place as u32, &mut [0]).map_err(|error| {
            let text =
                (meeting.failed)().unwrap_or_else(|| format!("place {place} did not come up: {error}"));
            io::Error::other(text)
        })?;
    }
    Tcp::new(0, links, meeting.deadline)
}

/// Connects with a place and greets. A place with too many connections closes some before it knows whose they
/// are: then again.
fn call(meeting: &Meeting<'_>, place: u32, port: u16, greeting: &Greeting) -> io::Result<TcpStream> {
    loop {
        let connection = connect(meeting, place, port, greeting);
        let Err(error) = connection else { return connection };
        meeting.check(|| format!("cannot connect with place {place}: {error}"))?;
        std::thread::sleep(RETRY_PAUSE);
    }
}

fn connect(meeting: &Meeting<'_>, place: u32, port: u16, greeting: &Greeting) -> io::Result<TcpStream> {
    let left = meeting.deadline.saturating_duration_since(Instant::now()).max(POLL_INTERVAL);
    let mut stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), left)?;
    stream.write_all(&greeting.encode(&meeting.token))?;
    let mut answer = [0];
    read_from(meeting, &mut stream, place, &mut answer)?;
    if answer == [WELCOME] { Ok(stream) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// Any other place: calls place 0, then connects with the rest.
pub fn join(invitation: &Invitation, identity: u64, deadline: Instant) -> io::Result<Tcp> {
    let Invitation { place, hosts, port, token, .. } = *invitation;
    let meeting = Meeting { token, identity, deadline, failed: &|| None };
    let listener = listen()?;
    let own_port = listener.local_addr()?.port();
    let greeting = Greeting { place, port: own_port, process: std::process::id(), identity };
    let mut zero = call(&meeting, 0, port, &greeting)?;
    let mut addresses = vec![0; ADDRESS_BYTES * hosts as usize];
    read_from(&meeting, &mut zero, 0, &mut addresses)?;
    let addresses: Vec<(u16, u32)> = addresses
        .chunks_exact(ADDRESS_BYTES)
        .map(|it| (u16::from_le_bytes([it[0], it[1]]), u32::from_le_bytes([it[2], it[3], it[4], it[5]])))
        .collect();
    let mut links: Vec<Option<Link>> = Vec::new();
    for (other, (port, process)) in (0..).zip(&addresses).take(place as usize).skip(1) {
        let stream = call(&meeting, other, *port, &greeting)?;
        links.push(Some(Link { stream, process: *process }));
    }
    for Caller { greeting, stream } in meeting.accept(&listener, place + 1..hosts)? {
        links.push(Some(Link { stream, process: greeting.process }));
    }
    zero.write_all(&[1])?;
    links.insert(0, Some(Link { stream: zero, process: addresses[0].1 }));
    links.insert(place as usize, None);
    Tcp::new(place, links, deadline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_comes_back_as_it_went() {
        let invitation = Invitation { place: 2, hosts: 4, port: 12345, output_lock: 5, token: [0xa5; 32] };
        assert_eq!(Invitation::decode(&invitation.encode()), Some(invitation));
    }

    #[test]
    fn other_text_is_no_invitation() {
        let token = "00".repeat(32);
        for text in
            ["", "1", "1/2/3/4", "1/2/3/4/zz", &format!("4/4/3/5/{token}"), &format!("1/2/3/5/{token}/5")]
        {
            assert_eq!(Invitation::decode(text), None, "{text}");
        }
    }
}
