//! Another place as this one sees it: the connection, what is written to it, and its end.
//!
//! Who writes holds the connection's lock. Readers never wait, neither for other messages nor for room to
//! answer, so that every connection is always drained and a blocked write ends: what a reader sends and
//! cannot write at once is kept, and goes before what others send.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Condvar, Mutex};

use crate::heap;
use crate::net::endpoint::Receiver;
use crate::net::frame::encoding::{BEAT, Frame};
use crate::net::liveness::detector::Signs;
use crate::net::liveness::heartbeat::send_available;
use crate::net::shm::ring::Pipe;

thread_local! {
    /// This thread deals with what has come, and must not wait.
    static READS: Cell<bool> = const { Cell::new(false) };
}

/// Whether the caller deals with what has come.
#[inline]
pub fn reads() -> bool {
    READS.get()
}

/// Deals with something that has come: what is sent meanwhile must not wait.
#[inline]
pub fn reading<R>(work: impl FnOnce() -> R) -> R {
    // Not a guard: a panic on such a thread ends the process.
    let outer = READS.replace(true);
    let result = work();
    READS.set(outer);
    result
}

/// Another place.
pub struct Peer {
    /// Its number.
    pub place: u32,
    /// Its process.
    pub process: u32,
    /// The connection.
    pub stream: TcpStream,
    /// For writing.
    pub out: Mutex<Out>,
    /// Frames that readers have sent, oldest first; taken only by who holds `out`.
    kept: Mutex<VecDeque<Vec<u8>>>,
    /// There are some.
    pub keeps: AtomicBool,
    /// If both ends are on one machine.
    pub pipes: Option<Pipes>,
    /// Nothing more can be sent.
    pub closed: AtomicBool,
    /// It said farewell.
    pub left: AtomicBool,
    /// Nothing more comes, and the receiver has been told if it has to know.
    pub ended: AtomicBool,
    /// Counts what has come.
    pub signs: AtomicU64,
}

/// The pipes of a connection.
pub struct Pipes {
    /// Held while whole frames are read.
    pub reading: Mutex<()>,
    /// What the other place writes.
    pub input: Pipe,
    /// What this one writes.
    pub out: Pipe,
}

/// Where frames are written.
pub enum Out {
    /// The connection itself.
    Stream(TcpStream),
    /// Shared memory.
    Pipe(Pipe),
}

/// Somebody keeps something that readers have sent.
pub type Kept = (Mutex<bool>, Condvar);

impl Out {
    /// Writes a frame.
    pub fn write(&mut self, frame: Frame<'_>) -> io::Result<()> {
        match self {
            Out::Stream(stream) => frame.write(stream),
            Out::Pipe(pipe) => frame.write_or_lend(pipe),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Out::Stream(stream) => stream,
            Out::Pipe(pipe) => pipe,
        }
    }

    /// A frame of so many bytes can be written without waiting; of a stream nobody knows.
    fn has_room(&self, bytes: usize) -> bool {
        match self {
            Out::Stream(_) => false,
            Out::Pipe(pipe) => pipe.room(bytes) >= bytes,
        }
    }
}

impl Peer {
    /// A place that is connected, by pipes if there are some.
    pub fn new(place: u32, process: u32, stream: TcpStream, pipes: Option<(Pipe, Pipe)>) -> io::Result<Peer> {
        let out = match &pipes {
            Some((_, out)) => Out::Pipe(*out),
            None => Out::Stream(stream.try_clone()?),
        };
        Ok(Peer {
            place,
            process,
            stream,
            out: Mutex::new(out),
            kept: Mutex::default(),
            keeps: AtomicBool::new(false),
            pipes: pipes.map(|(input, out)| Pipes { reading: Mutex::new(()), input, out }),
            closed: AtomicBool::new(false),
            left: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            signs: AtomicU64::new(0),
        })
    }

    /// Sends a frame; waits for room unless the caller is a reader.
    #[inline]
    pub fn transmit(&self, frame: Frame<'_>, kept: &Kept) -> io::Result<()> {
        if reads() {
            return self.transmit_without_waiting(frame, kept);
        }
        let mut out = self.out.lock();
        self.write_kept(&mut out)?;
        out.write(frame)
    }

    /// For readers: if both places waited for room, none of them would make any.
    fn transmit_without_waiting(&self, frame: Frame<'_>, others: &Kept) -> io::Result<()> {
        if let Some(mut out) = self.out.try_lock()
            && !self.keeps.load(Ordering::Acquire)
        {
            if let Out::Pipe(pipe) = &*out
                && frame.write_at_once(pipe)
            {
                return Ok(());
            }
            if out.has_room(frame.most()) {
                return frame.write(out.writer());
            }
        }
        let mut bytes = Vec::with_capacity(frame.most());
        frame.write(&mut bytes)?;
        self.keep(bytes);
        *others.0.lock() = true;
        others.1.notify_one();
        Ok(())
    }

    fn keep(&self, bytes: Vec<u8>) {
        let mut kept = self.kept.lock();
        kept.push_back(bytes);
        self.keeps.store(true, Ordering::Release);
    }

    /// Writes what readers have sent.
    #[inline]
    fn write_kept(&self, out: &mut Out) -> io::Result<()> {
        while self.keeps.load(Ordering::Acquire) {
            // Not held while it is written: a reader may add to it.
            let mut kept = self.kept.lock();
            let Some(bytes) = kept.pop_front() else {
                self.keeps.store(false, Ordering::Release);
                return Ok(());
            };
            drop(kept);
            out.writer().write_all(&bytes)?;
        }
        Ok(())
    }

    /// Sends a heartbeat over a connection without pipes, unless something else is being sent, which is as
    /// good a sign.
    pub fn beat(&self) {
        let Some(_out) = self.out.try_lock() else { return };
        if self.closed.load(Ordering::Acquire) || self.keeps.load(Ordering::Acquire) {
            return;
        }
        let written = send_available(self, &BEAT);
        if (1..BEAT.len()).contains(&written) {
            // Whoever writes next writes the rest first.
            self.keep(BEAT[written..].to_vec());
        }
    }

    /// What has been heard of it.
    pub fn signs(&self) -> Signs {
        if self.left.load(Ordering::Acquire) || self.ended.load(Ordering::Acquire) {
            return Signs::Gone;
        }
        Signs::Heard(self.signs.load(Ordering::Relaxed))
    }

    /// The connection has ended: nothing goes through the pipes any more but what is in them.
    pub fn close_pipes(&self) {
        if let Some(pipes) = &self.pipes {
            pipes.out.abandon();
            pipes.input.end();
        }
    }

    /// Nothing more comes, because of an error if there is one.
    pub fn end(&self, result: io::Result<()>, receiver: &dyn Receiver) {
        self.closed.store(true, Ordering::Release);
        if !self.ended.swap(true, Ordering::AcqRel) && (result.is_err() || !self.left.load(Ordering::Acquire))
        {
            receiver.ended(self.place, result.err());
        }
    }
}

/// Writes what readers have sent and nobody else has written yet, as long as the process lives.
pub fn write_all_kept(peers: &[Arc<Peer>], (wanted, changed): &Kept) {
    loop {
        let mut wanted = wanted.lock();
        while !std::mem::take(&mut *wanted) {
            heap::while_parked(|| changed.wait(&mut wanted));
        }
        drop(wanted);
        for peer in peers {
            if peer.keeps.load(Ordering::Acquire) && peer.write_kept(&mut peer.out.lock()).is_err() {
                peer.closed.store(true, Ordering::Release);
            }
        }
    }
}
