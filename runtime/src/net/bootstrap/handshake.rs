//! Handshake: mutual authentication of connections while a program's places start, by challenge and
//! response with a shared secret (Bellare and Rogaway, "Entity Authentication and Key Distribution", CRYPTO
//! 1993, protocol MAP1), keyed by HMAC-SHA256 (RFC 2104).
//!
//! The acceptor of a connection sends a random challenge. The caller answers with its hello, a challenge of
//! its own, and a code that only holders of the secret can compute from these; the acceptor answers with
//! another one. The secret itself is never sent, and a recorded handshake is of no use for another
//! connection. Connections of other processes (silent, slow, or sending anything else) cost one descriptor
//! each until they are rejected, and never delay those of places.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::base::place::PlaceId;
use crate::net::placement::Placement;
use crate::net::poll::{receive_available, send_available, wait_readable};

/// Random bytes that only the program's own processes know.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret(pub [u8; 32]);

impl Secret {
    /// From the system's random source.
    ///
    /// # Errors
    /// The system has none.
    pub fn random() -> io::Result<Secret> {
        random_bytes().map(Secret)
    }
}

/// A secret is not printed.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Bytes from the system's random source.
///
/// # Errors
/// The system has none.
pub fn random_bytes() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    let mut filled = 0;
    while filled < bytes.len() {
        filled += rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(bytes)
}

/// Random bytes of one end of a connection, to which the other end's code refers.
type Challenge = [u8; 32];
/// A message authentication code.
type Code = [u8; 32];

const CHALLENGE_SIZE: usize = 32;
const CODE_SIZE: usize = 32;

/// Maximum number of pending connections: beyond it one is closed ([`connection_to_close`]), and a place
/// whose connection was closed connects again.
const MAX_PENDING_CONNECTIONS: usize = 128;
/// Connections accepted before pending ones are polled again.
const ACCEPT_BATCH: usize = 32;
/// Interval of checks whether the start has failed.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// First message of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Its number.
    pub place: PlaceId,
    /// The address on which it listens.
    pub address: SocketAddr,
    /// Its process.
    pub process: u32,
    /// The program that it runs.
    pub identity: u64,
}

/// Bytes of an encoded address.
pub(super) const ADDRESS_SIZE: usize = 18;
const HELLO_SIZE: usize = 4 + ADDRESS_SIZE + 4 + 8;
/// Bytes of a caller's answer to a challenge.
const ANSWER_SIZE: usize = HELLO_SIZE + CHALLENGE_SIZE + CODE_SIZE;

/// An address as bytes: IPv6 (RFC 4291; an IPv4 address is mapped), port in little endian.
pub(super) fn encode_address(address: SocketAddr) -> [u8; ADDRESS_SIZE] {
    let ip = match address.ip() {
        IpAddr::V4(ip) => ip.to_ipv6_mapped(),
        IpAddr::V6(ip) => ip,
    };
    let mut bytes = [0; ADDRESS_SIZE];
    bytes[..16].copy_from_slice(&ip.octets());
    bytes[16..].copy_from_slice(&address.port().to_le_bytes());
    bytes
}

/// The address that [`encode_address`] has written.
pub(super) fn decode_address(bytes: &[u8; ADDRESS_SIZE]) -> SocketAddr {
    let [ip @ .., low, high] = *bytes;
    SocketAddr::new(Ipv6Addr::from(ip).to_canonical(), u16::from_le_bytes([low, high]))
}

impl Hello {
    fn encode(&self) -> [u8; HELLO_SIZE] {
        let mut bytes = [0; HELLO_SIZE];
        bytes[..4].copy_from_slice(&self.place.0.to_le_bytes());
        bytes[4..22].copy_from_slice(&encode_address(self.address));
        bytes[22..26].copy_from_slice(&self.process.to_le_bytes());
        bytes[26..].copy_from_slice(&self.identity.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8; HELLO_SIZE]) -> Hello {
        let (place, rest) = bytes.split_first_chunk().expect("the size says so");
        let (address, rest) = rest.split_first_chunk().expect("the size says so");
        let (process, rest) = rest.split_first_chunk().expect("the size says so");
        let (identity, _) = rest.split_first_chunk().expect("the size says so");
        Hello {
            place: PlaceId(u32::from_le_bytes(*place)),
            address: decode_address(address),
            process: u32::from_le_bytes(*process),
            identity: u64::from_le_bytes(*identity),
        }
    }

    /// The answer to the challenge of place `acceptor`.
    fn answer(
        &self,
        secret: &Secret,
        acceptor: PlaceId,
        challenge: &Challenge,
        own: &Challenge,
    ) -> [u8; ANSWER_SIZE] {
        let hello = self.encode();
        let code = authenticate(secret, Role::Caller, acceptor, challenge, own, &hello).finalize();
        let mut bytes = [0; ANSWER_SIZE];
        bytes[..HELLO_SIZE].copy_from_slice(&hello);
        bytes[HELLO_SIZE..HELLO_SIZE + CHALLENGE_SIZE].copy_from_slice(own);
        bytes[HELLO_SIZE + CHALLENGE_SIZE..].copy_from_slice(&code.into_bytes());
        bytes
    }
}

/// Whose code it is: neither end can be made to compute the other one's.
#[derive(Clone, Copy)]
enum Role {
    Caller,
    Acceptor,
}

/// The code of one end of a connection with place `acceptor`, before it is finalized or compared.
fn authenticate(
    secret: &Secret,
    role: Role,
    acceptor: PlaceId,
    challenge: &Challenge,
    callers_challenge: &Challenge,
    hello: &[u8; HELLO_SIZE],
) -> Hmac<Sha256> {
    let mut code = Hmac::<Sha256>::new_from_slice(&secret.0).expect("a key may have any length");
    code.update(match role {
        Role::Caller => b"apg place handshake 1: caller  ",
        Role::Acceptor => b"apg place handshake 1: acceptor",
    });
    code.update(&acceptor.0.to_le_bytes());
    code.update(challenge);
    code.update(callers_challenge);
    code.update(hello);
    code
}

/// Calls place `acceptor` over a new connection: answers its challenge and checks its code.
///
/// `read` fills its buffer from the connection.
pub(crate) fn call(
    stream: &mut TcpStream,
    secret: &Secret,
    acceptor: PlaceId,
    hello: &Hello,
    read: impl Fn(&mut TcpStream, &mut [u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut challenge: Challenge = [0; CHALLENGE_SIZE];
    read(stream, &mut challenge)?;
    let own = random_bytes()?;
    stream.write_all(&hello.answer(secret, acceptor, &challenge, &own))?;
    let mut code: Code = [0; CODE_SIZE];
    read(stream, &mut code)?;
    authenticate(secret, Role::Acceptor, acceptor, &challenge, &own, &hello.encode())
        .verify(&code.into())
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it does not know the program's secret"))
}

/// A connection whose caller has not answered yet.
struct PendingConnection {
    stream: TcpStream,
    address: IpAddr,
    challenge: Challenge,
    answer: [u8; ANSWER_SIZE],
    filled: usize,
}

/// State of a pending connection.
enum Progress {
    Incomplete,
    /// Closed, or no place of this program.
    Rejected,
    Complete(Hello),
}

impl PendingConnection {
    /// Sends the challenge; `None` if the connection has failed already.
    fn challenge(stream: TcpStream, address: IpAddr) -> io::Result<Option<PendingConnection>> {
        let challenge = random_bytes()?;
        // The socket of a new connection has room.
        let sent = send_available(&stream, &challenge) == CHALLENGE_SIZE;
        let answer = [0; ANSWER_SIZE];
        Ok(sent.then_some(PendingConnection { stream, address, challenge, answer, filled: 0 }))
    }

    fn read(&mut self, start: &StartContext<'_>) -> Progress {
        match receive_available(&self.stream, &mut self.answer[self.filled..]) {
            Ok(None) => return Progress::Incomplete,
            Ok(Some(0)) | Err(_) => return Progress::Rejected,
            Ok(Some(count)) => self.filled += count,
        }
        if self.filled < ANSWER_SIZE {
            return Progress::Incomplete;
        }
        self.verify(start).map_or(Progress::Rejected, Progress::Complete)
    }

    /// Checks the caller's code, and sends this end's.
    fn verify(&self, start: &StartContext<'_>) -> Option<Hello> {
        let (hello, code) = check_answer(&start.secret, start.here, &self.challenge, &self.answer)?;
        // A place that has ended by now fails the start elsewhere.
        send_available(&self.stream, &code);
        Some(hello)
    }
}

/// Checks a caller's code, in a time that does not depend on the bytes; its hello, and the code of place
/// `acceptor`.
fn check_answer(
    secret: &Secret,
    acceptor: PlaceId,
    challenge: &Challenge,
    answer: &[u8; ANSWER_SIZE],
) -> Option<(Hello, Code)> {
    let (hello, rest) = answer.split_first_chunk::<HELLO_SIZE>()?;
    let (callers_challenge, code) = rest.split_first_chunk::<CHALLENGE_SIZE>()?;
    let authenticate = |role| authenticate(secret, role, acceptor, challenge, callers_challenge, hello);
    authenticate(Role::Caller).verify_slice(code).ok()?;
    Some((Hello::decode(hello), authenticate(Role::Acceptor).finalize().into_bytes().into()))
}

/// Answers a challenge with these bytes, as a process that does not know the secret; and reads them as a
/// hello.
///
/// # Panics
/// The answer is accepted, or the hello says something else after its encoding.
pub(crate) fn answer_challenge_with(bytes: &[u8]) {
    let mut answer = [0; ANSWER_SIZE];
    let length = bytes.len().min(ANSWER_SIZE);
    answer[..length].copy_from_slice(&bytes[..length]);
    let (secret, challenge) = (Secret([0xa5; 32]), [0x5a; CHALLENGE_SIZE]);
    assert_eq!(check_answer(&secret, PlaceId(0), &challenge, &answer), None);
    let hello = Hello::decode(answer.first_chunk().expect("an answer begins with a hello"));
    assert_eq!(Hello::decode(&hello.encode()), hello);
    // With the secret it is accepted for this challenge and this place alone.
    let own = hello.answer(&secret, PlaceId(0), &challenge, &[1; CHALLENGE_SIZE]);
    assert_eq!(check_answer(&secret, PlaceId(0), &challenge, &own).map(|(it, _)| it), Some(hello));
    assert_eq!(check_answer(&secret, PlaceId(1), &challenge, &own), None);
    assert_eq!(check_answer(&secret, PlaceId(0), &[0; CHALLENGE_SIZE], &own), None);
}

/// A place after its handshake.
pub struct Member {
    /// Its hello.
    pub hello: Hello,
    /// Its connection.
    pub stream: TcpStream,
}

/// What the handshakes of one program share.
pub struct StartContext<'a> {
    /// The place that starts.
    pub here: PlaceId,
    /// Where the places are.
    pub placement: &'a Placement,
    /// Proof of belonging.
    pub secret: Secret,
    /// Whether connections between hosts are encrypted.
    pub encrypts: bool,
    /// The program.
    pub identity: u64,
    /// All must be connected by then.
    pub deadline: Instant,
    /// Why the start cannot succeed, once that is known.
    pub failed: &'a dyn Fn() -> Option<String>,
}

impl StartContext<'_> {
    /// An error if the start has failed, or the deadline has passed, with the message of `missing`.
    pub fn check(&self, missing: impl FnOnce() -> String) -> io::Result<()> {
        match (self.failed)() {
            Some(text) => Err(io::Error::other(text)),
            None if Instant::now() >= self.deadline => Err(io::Error::other(missing())),
            None => Ok(()),
        }
    }

    /// Accepts connections until every place in `expected` has completed its handshake; these, in order.
    pub fn accept(&self, listener: &TcpListener, expected: Range<u32>) -> io::Result<Vec<Member>> {
        let mut members: Vec<Option<Member>> = expected.clone().map(|_| None).collect();
        let mut pending: VecDeque<PendingConnection> = VecDeque::new();
        while members.iter().any(Option::is_none) {
            self.check(|| describe_missing(&members, &expected, self.placement))?;
            let streams = pending.iter().map(|it| it.stream.as_fd());
            let descriptors: Vec<_> = std::iter::once(listener.as_fd()).chain(streams).collect();
            let ready = wait_readable(&descriptors, POLL_INTERVAL)?;
            // Pending hellos first, which makes room.
            for (mut connection, ready) in std::mem::take(&mut pending).into_iter().zip(&ready[1..]) {
                match if *ready { connection.read(self) } else { Progress::Incomplete } {
                    Progress::Incomplete => pending.push_back(connection),
                    Progress::Rejected => {}
                    Progress::Complete(hello) => {
                        self.admit(hello, connection.stream, &expected, &mut members)?;
                    }
                }
            }
            if ready[0] {
                accept_batch(listener, &mut pending)?;
            }
        }
        Ok(members.into_iter().flatten().collect())
    }

    fn admit(
        &self,
        hello: Hello,
        stream: TcpStream,
        expected: &Range<u32>,
        members: &mut [Option<Member>],
    ) -> io::Result<()> {
        let place = hello.place;
        if hello.identity != self.identity {
            let name = self.placement.describe(place);
            return Err(io::Error::other(format!("{name} runs another program, or another version of it")));
        }
        let slot = expected.contains(&place.0).then(|| &mut members[(place.0 - expected.start) as usize]);
        let Some(slot) = slot.filter(|slot| slot.is_none()) else {
            let name = self.placement.describe(place);
            return Err(io::Error::other(format!("{name} connected twice, or was not expected")));
        };
        *slot = Some(Member { hello, stream });
        Ok(())
    }
}

fn accept_batch(listener: &TcpListener, pending: &mut VecDeque<PendingConnection>) -> io::Result<()> {
    for _ in 0..ACCEPT_BATCH {
        match listener.accept() {
            Ok((stream, caller)) => {
                pending.extend(PendingConnection::challenge(stream, caller.ip())?);
            }
            Err(error) => match error.raw_os_error() {
                Some(libc::EAGAIN) => break,
                // Frees a descriptor of a pending connection.
                Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM) if !pending.is_empty() => {
                    close_one(pending);
                }
                // Of this connection, not of the listener: accept(2) says which.
                Some(
                    libc::EINTR
                    | libc::ECONNABORTED
                    | libc::EPROTO
                    | libc::EPERM
                    | libc::ENETDOWN
                    | libc::ENOPROTOOPT
                    | libc::EHOSTDOWN
                    | libc::ENONET
                    | libc::EHOSTUNREACH
                    | libc::EOPNOTSUPP
                    | libc::ENETUNREACH,
                ) => {}
                _ => return Err(error),
            },
        }
        if pending.len() > MAX_PENDING_CONNECTIONS {
            close_one(pending);
        }
    }
    Ok(())
}

fn close_one(pending: &mut VecDeque<PendingConnection>) {
    let addresses: Vec<IpAddr> = pending.iter().map(|connection| connection.address).collect();
    connection_to_close(&addresses).and_then(|index| pending.remove(index));
}

/// Which of the pending connections from these addresses, oldest first, is closed to make room: the oldest of
/// the machine that has most (longest queue drop). However many connections a machine opens, it delays no
/// other.
fn connection_to_close(addresses: &[IpAddr]) -> Option<usize> {
    let mut counts = HashMap::new();
    for address in addresses {
        *counts.entry(network_of(*address)).or_insert(0_usize) += 1;
    }
    let most = counts.values().copied().max()?;
    addresses.iter().position(|address| counts[&network_of(*address)] == most)
}

/// What all addresses of one machine have in common: of IPv6 the network's 64 bits (RFC 4291, section 2.5.4).
fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

/// "place 2 on node7 has not connected in time; a longer APG_START_TIMEOUT waits longer".
fn describe_missing(members: &[Option<Member>], expected: &Range<u32>, placement: &Placement) -> String {
    const MAX_NAMED: usize = 10;
    let missing: Vec<u32> = expected
        .clone()
        .zip(members)
        .filter(|(_, member)| member.is_none())
        .map(|(place, _)| place)
        .collect();
    let name = |place: &u32| match placement.names().is_empty() {
        true => place.to_string(),
        false => placement.describe(PlaceId(*place)).trim_start_matches("place ").to_owned(),
    };
    let named: Vec<String> = missing.iter().take(MAX_NAMED).map(name).collect();
    let more = if missing.len() > MAX_NAMED {
        format!(" and {} more", missing.len() - MAX_NAMED)
    } else {
        String::new()
    };
    let (places, have) = if missing.len() == 1 { ("place", "has") } else { ("places", "have") };
    format!(
        "{places} {}{more} {have} not connected in time; a longer {} waits longer",
        named.join(", "),
        crate::net::timeouts::START_VARIABLE
    )
}

#[cfg(test)]
mod tests;
