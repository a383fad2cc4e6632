//! A peer: the connection with another place, its backlog, and its end.
//!
//! A writer holds the connection's lock. Message handlers never wait, neither for other messages nor for room
//! to answer, so that every connection is always drained and a blocked write ends: frames that a handler
//! cannot write at once enter the backlog, which is written before frames of others.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Condvar, Mutex};

use crate::base::place::PlaceId;
use crate::heap;
use crate::net::endpoint::Receiver;
use crate::net::frame::encoding::{Frame, HEARTBEAT_FRAME};
use crate::net::liveness::detector::Signs;
use crate::net::mesh::out_stream::OutStream;
use crate::net::mesh::tls::Tls;
use crate::net::shm::ring::Ring;

thread_local! {
    /// This thread runs a message handler, and must not wait.
    static IN_HANDLER: Cell<bool> = const { Cell::new(false) };
}

/// Whether the caller runs a message handler.
#[inline]
pub(crate) fn in_handler() -> bool {
    IN_HANDLER.get()
}

/// Runs a message handler: what it sends must not wait.
#[inline]
pub(crate) fn run_handler<R>(work: impl FnOnce() -> R) -> R {
    // Not a guard: a panic on such a thread ends the process.
    let outer = IN_HANDLER.replace(true);
    let result = work();
    IN_HANDLER.set(outer);
    result
}

/// Which place a peer is.
#[derive(Debug)]
pub(crate) struct PeerIdentity {
    /// Its number.
    pub place: PlaceId,
    /// Its process on its host.
    pub process: u32,
    /// Its name in messages.
    pub name: String,
    /// Whether it is on another host.
    pub is_remote: bool,
}

/// Another place.
pub(crate) struct Peer {
    /// Which one.
    pub identity: PeerIdentity,
    /// The connection.
    pub stream: TcpStream,
    /// Its encryption, if it leads to another host over a network that is not private.
    pub tls: Option<Arc<Tls>>,
    /// For writing.
    pub out: Mutex<Out>,
    /// Frames that handlers have sent and could not write, oldest first; taken only by the holder of `out`.
    backlog: Mutex<VecDeque<Vec<u8>>>,
    /// Whether `backlog` has frames.
    pub has_backlog: AtomicBool,
    /// If both ends are on one machine.
    pub rings: Option<Rings>,
    /// Nothing more can be sent.
    pub closed: AtomicBool,
    /// It has shut down.
    pub has_shut_down: AtomicBool,
    /// Nothing more comes, and the receiver has been notified if needed.
    pub ended: AtomicBool,
    /// Counts what has come.
    pub signs: AtomicU64,
}

/// The rings of a connection.
pub(crate) struct Rings {
    /// Held while whole frames are read.
    pub reading: Mutex<()>,
    /// What the other place writes.
    pub input: Ring,
    /// What this one writes.
    pub out: Ring,
}

/// Where frames are written.
pub(crate) enum Out {
    /// The connection itself.
    Stream(OutStream),
    /// Shared memory.
    Ring(Ring),
}

/// Whether a peer has a backlog, and the condition that wakes its writer.
pub(crate) type Backlog = (Mutex<bool>, Condvar);

impl Out {
    /// Writes a frame.
    pub(crate) fn write(&mut self, frame: Frame<'_>) -> io::Result<()> {
        match self {
            Out::Stream(stream) => frame.write(stream),
            Out::Ring(ring) => frame.write_zero_copy(ring),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Out::Stream(stream) => stream,
            Out::Ring(ring) => ring,
        }
    }
}

impl Peer {
    /// A place that is connected, by rings if there are some.
    pub(crate) fn new(
        identity: PeerIdentity,
        stream: TcpStream,
        rings: Option<(Ring, Ring)>,
        tls: Option<Arc<Tls>>,
    ) -> io::Result<Peer> {
        let out = match &rings {
            Some((_, out)) => Out::Ring(*out),
            None => Out::Stream(OutStream::new(stream.try_clone()?, tls.clone())),
        };
        Ok(Peer {
            identity,
            stream,
            tls,
            out: Mutex::new(out),
            backlog: Mutex::default(),
            has_backlog: AtomicBool::new(false),
            rings: rings.map(|(input, out)| Rings { reading: Mutex::new(()), input, out }),
            closed: AtomicBool::new(false),
            has_shut_down: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            signs: AtomicU64::new(0),
        })
    }

    /// Sends a frame; waits for room unless the caller is a message handler.
    #[inline]
    pub(crate) fn transmit(&self, frame: Frame<'_>, backlog: &Backlog) -> io::Result<()> {
        if in_handler() {
            return self.transmit_without_waiting(frame, backlog);
        }
        let mut out = self.out.lock();
        self.write_backlog(&mut out)?;
        out.write(frame)
    }

    /// For message handlers: if both places waited for room, neither would make any.
    fn transmit_without_waiting(&self, frame: Frame<'_>, others: &Backlog) -> io::Result<()> {
        if let Some(mut out) = self.out.try_lock()
            && !self.has_backlog.load(Ordering::Acquire)
        {
            match &mut *out {
                Out::Ring(ring) if frame.write_at_once(ring) => return Ok(()),
                Out::Ring(ring) if ring.room(frame.max_length()) >= frame.max_length() => {
                    return frame.write(out.writer());
                }
                Out::Ring(_) => {}
                Out::Stream(stream) => {
                    if !stream.send_now(&encode(frame)?)? {
                        self.has_backlog.store(true, Ordering::Release);
                        wake_backlog_writer(others);
                    }
                    return Ok(());
                }
            }
        }
        self.push_backlog(encode(frame)?);
        wake_backlog_writer(others);
        Ok(())
    }

    fn push_backlog(&self, bytes: Vec<u8>) {
        let mut backlog = self.backlog.lock();
        backlog.push_back(bytes);
        self.has_backlog.store(true, Ordering::Release);
    }

    /// Writes the backlog.
    #[inline]
    fn write_backlog(&self, out: &mut Out) -> io::Result<()> {
        while self.has_backlog.load(Ordering::Acquire) {
            // Not held while it is written: a handler may add to it.
            let mut backlog = self.backlog.lock();
            let Some(bytes) = backlog.pop_front() else {
                self.has_backlog.store(false, Ordering::Release);
                drop(backlog);
                return out.writer().flush();
            };
            drop(backlog);
            // Behind what a connection has kept.
            out.writer().write_all(&bytes)?;
        }
        Ok(())
    }

    /// Sends a heartbeat over a connection without rings, unless something else is being sent, which is as
    /// good a sign.
    pub(crate) fn beat(&self) {
        let Some(mut out) = self.out.try_lock() else { return };
        if self.closed.load(Ordering::Acquire) || self.has_backlog.load(Ordering::Acquire) {
            return;
        }
        // The reader notices the end of the connection; the next writer sends the rest.
        if let Out::Stream(stream) = &mut *out
            && !stream.send_now(&HEARTBEAT_FRAME).unwrap_or(true)
        {
            self.has_backlog.store(true, Ordering::Release);
        }
    }

    /// Signs of life so far.
    pub(crate) fn signs(&self) -> Signs {
        if self.has_shut_down.load(Ordering::Acquire) || self.ended.load(Ordering::Acquire) {
            return Signs::Gone;
        }
        Signs::Heard(self.signs.load(Ordering::Relaxed))
    }

    /// The connection has ended: nothing goes through the rings any more but what is in them.
    pub(crate) fn close_rings(&self) {
        if let Some(rings) = &self.rings {
            rings.out.abandon();
            rings.input.end();
        }
    }

    /// Nothing more comes, because of an error if there is one.
    pub(crate) fn end(&self, result: io::Result<()>, receiver: &dyn Receiver) {
        self.closed.store(true, Ordering::Release);
        if !self.ended.swap(true, Ordering::AcqRel)
            && (result.is_err() || !self.has_shut_down.load(Ordering::Acquire))
        {
            receiver.peer_down(self.identity.place, result.err());
        }
    }
}

/// A frame as bytes.
fn encode(frame: Frame<'_>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(frame.max_length());
    frame.write(&mut bytes)?;
    Ok(bytes)
}

fn wake_backlog_writer((wanted, changed): &Backlog) {
    *wanted.lock() = true;
    changed.notify_one();
}

/// Writes backlogs that no other writer has written, as long as the process lives.
pub(crate) fn write_all_backlogs(peers: &[Arc<Peer>], (wanted, changed): &Backlog) {
    loop {
        let mut wanted = wanted.lock();
        while !std::mem::take(&mut *wanted) {
            heap::while_parked(|| changed.wait(&mut wanted));
        }
        drop(wanted);
        for peer in peers {
            if peer.has_backlog.load(Ordering::Acquire) && peer.write_backlog(&mut peer.out.lock()).is_err() {
                peer.closed.store(true, Ordering::Release);
            }
        }
    }
}
