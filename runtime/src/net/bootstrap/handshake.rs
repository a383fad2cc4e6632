//! Handshake: authentication of connections while a program's places start. Every connection begins with a
//! hello that holds the program's token. Connections of other processes (silent, slow, or sending anything
//! else) cost one descriptor each until they are rejected, and never delay those of places.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use crate::net::poll::{receive_available, wait_readable};

/// Random bytes that only the program's own processes know.
pub type Token = [u8; 32];

/// Answer to an accepted place.
pub(super) const WELCOME: u8 = 1;

/// Maximum number of pending connections: beyond it the oldest one is closed, and a place whose connection
/// was closed connects again.
const MAX_PENDING_CONNECTIONS: usize = 128;
/// Connections accepted before pending ones are polled again.
const ACCEPT_BATCH: usize = 32;
/// Interval of checks whether the start has failed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// First message of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Its number.
    pub place: u32,
    /// The port on which it listens.
    pub port: u16,
    /// Its process.
    pub process: u32,
    /// The program that it runs.
    pub identity: u64,
}

const HELLO_SIZE: usize = 50;

impl Hello {
    /// As bytes, behind the token.
    pub fn encode(&self, token: &Token) -> [u8; HELLO_SIZE] {
        let mut bytes = [0; HELLO_SIZE];
        bytes[..32].copy_from_slice(token);
        bytes[32..36].copy_from_slice(&self.place.to_le_bytes());
        bytes[36..38].copy_from_slice(&self.port.to_le_bytes());
        bytes[38..42].copy_from_slice(&self.process.to_le_bytes());
        bytes[42..].copy_from_slice(&self.identity.to_le_bytes());
        bytes
    }

    /// `None` without the token. The time that the comparison takes does not depend on the bytes.
    fn decode(bytes: &[u8; HELLO_SIZE], token: &Token) -> Option<Hello> {
        let difference = bytes[..32].iter().zip(token).fold(0, |difference, (a, b)| difference | (a ^ b));
        let hello = Hello {
            place: u32::from_le_bytes(bytes[32..36].try_into().ok()?),
            port: u16::from_le_bytes(bytes[36..38].try_into().ok()?),
            process: u32::from_le_bytes(bytes[38..42].try_into().ok()?),
            identity: u64::from_le_bytes(bytes[42..].try_into().ok()?),
        };
        (difference == 0).then_some(hello)
    }
}

/// A connection whose hello has not arrived yet.
struct PendingConnection {
    stream: TcpStream,
    bytes: [u8; HELLO_SIZE],
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
    fn read(&mut self, token: &Token) -> Progress {
        match receive_available(&self.stream, &mut self.bytes[self.filled..]) {
            Ok(None) => return Progress::Incomplete,
            Ok(Some(0)) | Err(_) => return Progress::Rejected,
            Ok(Some(count)) => self.filled += count,
        }
        if self.filled < HELLO_SIZE {
            return Progress::Incomplete;
        }
        Hello::decode(&self.bytes, token).map_or(Progress::Rejected, Progress::Complete)
    }
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
    /// Proof of belonging.
    pub token: Token,
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
            self.check(|| describe_missing(&members, &expected))?;
            let streams = pending.iter().map(|it| it.stream.as_fd());
            let descriptors: Vec<_> = std::iter::once(listener.as_fd()).chain(streams).collect();
            let ready = wait_readable(&descriptors, POLL_INTERVAL)?;
            // Pending hellos first, which makes room.
            for (mut connection, ready) in std::mem::take(&mut pending).into_iter().zip(&ready[1..]) {
                match if *ready { connection.read(&self.token) } else { Progress::Incomplete } {
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
        mut stream: TcpStream,
        expected: &Range<u32>,
        members: &mut [Option<Member>],
    ) -> io::Result<()> {
        let place = hello.place;
        if hello.identity != self.identity {
            let text = format!("place {place} runs another program, or another version of it");
            return Err(io::Error::other(text));
        }
        let slot = expected.contains(&place).then(|| &mut members[(place - expected.start) as usize]);
        let Some(slot) = slot.filter(|slot| slot.is_none()) else {
            return Err(io::Error::other(format!("place {place} connected twice, or was not expected")));
        };
        // A place that has ended by now fails the start elsewhere; the socket of a new connection has room
        // for a byte.
        let _ = stream.write_all(&[WELCOME]);
        *slot = Some(Member { hello, stream });
        Ok(())
    }
}

fn accept_batch(listener: &TcpListener, pending: &mut VecDeque<PendingConnection>) -> io::Result<()> {
    for _ in 0..ACCEPT_BATCH {
        match listener.accept() {
            Ok((stream, _)) => {
                pending.push_back(PendingConnection { stream, bytes: [0; HELLO_SIZE], filled: 0 })
            }
            Err(error) => match error.raw_os_error() {
                Some(libc::EAGAIN) => break,
                // Frees a descriptor of a pending connection.
                Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM) if !pending.is_empty() => {
                    pending.pop_front();
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
            pending.pop_front();
        }
    }
    Ok(())
}

/// "place 2 has not connected; APG_START_TIMEOUT=120 waits longer".
fn describe_missing(members: &[Option<Member>], expected: &Range<u32>) -> String {
    const MAX_NAMED: usize = 10;
    let missing: Vec<u32> = expected
        .clone()
        .zip(members)
        .filter(|(_, caller)| caller.is_none())
        .map(|(place, _)| place)
        .collect();
    let named: Vec<String> = missing.iter().take(MAX_NAMED).map(u32::to_string).collect();
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
