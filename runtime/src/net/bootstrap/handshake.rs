//! Authentication of connections while a program's places start: every connection begins with a greeting that
//! holds the program's token. Connections of other processes (silent, slow, or with anything else to say)
//! cost one descriptor each until they are told apart, and never delay those of places.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use crate::net::poll::{receive_available, wait_readable};

/// Random bytes that only the program's own processes know.
pub type Token = [u8; 32];

/// What an accepted place is sent.
pub const WELCOME: u8 = 1;

/// Most connections that have not greeted yet: beyond, the oldest one is closed, and if it was a place's,
/// that place connects again.
const MAX_UNKNOWN: usize = 128;
/// Connections accepted before those that wait are looked at again.
const ACCEPT_BATCH: usize = 32;
/// How often the caller is asked whether to give up.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// What a place says first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// Its number.
    pub place: u32,
    /// Where it listens itself.
    pub port: u16,
    /// Its process.
    pub process: u32,
    /// The program that it runs.
    pub identity: u64,
}

const LENGTH: usize = 50;

impl Greeting {
    /// As bytes, behind the token.
    pub fn encode(&self, token: &Token) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..32].copy_from_slice(token);
        bytes[32..36].copy_from_slice(&self.place.to_le_bytes());
        bytes[36..38].copy_from_slice(&self.port.to_le_bytes());
        bytes[38..42].copy_from_slice(&self.process.to_le_bytes());
        bytes[42..].copy_from_slice(&self.identity.to_le_bytes());
        bytes
    }

    /// `None` without the token. The time that the comparison takes does not depend on the bytes.
    fn decode(bytes: &[u8; LENGTH], token: &Token) -> Option<Greeting> {
        let difference = bytes[..32].iter().zip(token).fold(0, |difference, (a, b)| difference | (a ^ b));
        let greeting = Greeting {
            place: u32::from_le_bytes(bytes[32..36].try_into().ok()?),
            port: u16::from_le_bytes(bytes[36..38].try_into().ok()?),
            process: u32::from_le_bytes(bytes[38..42].try_into().ok()?),
            identity: u64::from_le_bytes(bytes[42..].try_into().ok()?),
        };
        (difference == 0).then_some(greeting)
    }
}

/// A connection that has not said yet whose it is.
struct Unknown {
    stream: TcpStream,
    bytes: [u8; LENGTH],
    filled: usize,
}

/// What has become of one.
enum Progress {
    Waits,
    /// Closed, or no place of this program.
    Stranger,
    Greeted(Greeting),
}

impl Unknown {
    fn read(&mut self, token: &Token) -> Progress {
        match receive_available(&self.stream, &mut self.bytes[self.filled..]) {
            Ok(None) => return Progress::Waits,
            Ok(Some(0)) | Err(_) => return Progress::Stranger,
            Ok(Some(count)) => self.filled += count,
        }
        if self.filled < LENGTH {
            return Progress::Waits;
        }
        Greeting::decode(&self.bytes, token).map_or(Progress::Stranger, Progress::Greeted)
    }
}

/// A place that has connected.
pub struct Caller {
    /// What it said.
    pub greeting: Greeting,
    /// Its connection.
    pub stream: TcpStream,
}

/// What the places of one program share while they start.
pub struct Meeting<'a> {
    /// Proof of belonging.
    pub token: Token,
    /// The program.
    pub identity: u64,
    /// By then all must have come.
    pub deadline: Instant,
    /// Why it cannot succeed any more, if that is known.
    pub failed: &'a dyn Fn() -> Option<String>,
}

impl Meeting<'_> {
    /// An error if the start has failed, or the deadline has passed, for want of what `missing` describes.
    pub fn check(&self, missing: impl FnOnce() -> String) -> io::Result<()> {
        match (self.failed)() {
            Some(text) => Err(io::Error::other(text)),
            None if Instant::now() >= self.deadline => Err(io::Error::other(missing())),
            None => Ok(()),
        }
    }

    /// Accepts connections until every place in `expected` has greeted: these, in order.
    pub fn accept(&self, listener: &TcpListener, expected: Range<u32>) -> io::Result<Vec<Caller>> {
        let mut callers: Vec<Option<Caller>> = expected.clone().map(|_| None).collect();
        let mut unknown: VecDeque<Unknown> = VecDeque::new();
        while callers.iter().any(Option::is_none) {
            self.check(|| describe_missing(&callers, &expected))?;
            let streams = unknown.iter().map(|it| it.stream.as_fd());
            let descriptors: Vec<_> = std::iter::once(listener.as_fd()).chain(streams).collect();
            let ready = wait_readable(&descriptors, POLL_INTERVAL)?;
            // Greetings first, which makes room.
            for (mut connection, ready) in std::mem::take(&mut unknown).into_iter().zip(&ready[1..]) {
                match if *ready { connection.read(&self.token) } else { Progress::Waits } {
                    Progress::Waits => unknown.push_back(connection),
                    Progress::Stranger => {}
                    Progress::Greeted(greeting) => {
                        self.admit(greeting, connection.stream, &expected, &mut callers)?;
                    }
                }
            }
            if ready[0] {
                accept_batch(listener, &mut unknown)?;
            }
        }
        Ok(callers.into_iter().flatten().collect())
    }

    fn admit(
        &self,
        greeting: Greeting,
        mut stream: TcpStream,
        expected: &Range<u32>,
        callers: &mut [Option<Caller>],
    ) -> io::Result<()> {
        let place = greeting.place;
        if greeting.identity != self.identity {
            let text = format!("place {place} runs another program, or another version of it");
            return Err(io::Error::other(text));
        }
        let slot = expected.contains(&place).then(|| &mut callers[(place - expected.start) as usize]);
        let Some(slot) = slot.filter(|slot| slot.is_none()) else {
            return Err(io::Error::other(format!("place {place} called twice, or was not called for")));
        };
        // A place that is gone by now ends the start elsewhere; the socket of a new connection has room for a
        // byte.
        let _ = stream.write_all(&[WELCOME]);
        *slot = Some(Caller { greeting, stream });
        Ok(())
    }
}

fn accept_batch(listener: &TcpListener, unknown: &mut VecDeque<Unknown>) -> io::Result<()> {
    for _ in 0..ACCEPT_BATCH {
        match listener.accept() {
            Ok((stream, _)) => unknown.push_back(Unknown { stream, bytes: [0; LENGTH], filled: 0 }),
            Err(error) => match error.raw_os_error() {
                Some(libc::EAGAIN) => break,
                // Descriptors that strangers hold can be taken back.
                Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM) if !unknown.is_empty() => {
                    unknown.pop_front();
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
        if unknown.len() > MAX_UNKNOWN {
            unknown.pop_front();
        }
    }
    Ok(())
}

/// "place 2 has not connected; APG_START_TIMEOUT=120 waits longer".
fn describe_missing(callers: &[Option<Caller>], expected: &Range<u32>) -> String {
    const MAX_NAMED: usize = 10;
    let missing: Vec<u32> = expected
        .clone()
        .zip(callers)
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
