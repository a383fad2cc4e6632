//! Reads from all connections without rings (readiness multiplexing by `epoll(7)`): in a thread of its own,
//! which sleeps until something comes, or by a worker that waits for an answer, which keeps that thread
//! asleep meanwhile: waking one more thread takes as long as half a round trip on a fast network. That worker
//! sleeps as well: if it tried again and again, it would take the CPU from what brings the answer.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::event::{Timespec, epoll};

use crate::heap;
use crate::heap::page_watch;
use crate::net::endpoint::Receiver;
use crate::net::frame::assembly::{Assembly, Delivery};
use crate::net::mesh::peer::{Peer, run_handler};
use crate::net::mesh::tls::Tls;
use crate::net::poll::{receive_available, wait_readable};

/// Bytes of one read.
const READ_BUFFER_SIZE: usize = 64 << 10;
/// Maximum number of reads from one connection before the others are read.
const MAX_READS_PER_ROUND: usize = 16;
/// Maximum wait of the thread; each round also shows that it does not hang.
const MAX_WAIT: Duration = Duration::from_millis(300);
/// Connections whose readiness is requested at once.
const MAX_EVENTS: usize = 64;

/// The connections that are read.
pub(super) struct StreamReader {
    connections: Vec<Mutex<Connection>>,
    /// Those that have not ended.
    open: AtomicUsize,
    /// Which connections are ready; the data of an event is the connection's index.
    ready: OwnedFd,
    /// What the thread waits for: that `ready` has something. Not while a worker does so.
    gate: OwnedFd,
    /// A worker waits in place of the thread. One does at a time: it has the right to poll.
    is_taken_over: AtomicBool,
    /// Bytes that this worker has read.
    taken_over: Mutex<Vec<u8>>,
}

struct Connection {
    peer: Arc<Peer>,
    assembly: Assembly,
    has_ended: bool,
}

impl StreamReader {
    /// For the connections of these peers.
    ///
    /// # Errors
    /// The system has no descriptors left.
    pub(super) fn new(peers: Vec<Arc<Peer>>) -> io::Result<StreamReader> {
        let ready = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        for (index, peer) in (0..).zip(&peers) {
            epoll::add(&ready, &peer.stream, epoll::EventData::new_u64(index), epoll::EventFlags::IN)?;
        }
        let gate = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&gate, &ready, epoll::EventData::new_u64(0), epoll::EventFlags::IN)?;
        let connection = |peer| Connection { peer, assembly: Assembly::default(), has_ended: false };
        let connections: Vec<_> = peers.into_iter().map(|peer| Mutex::new(connection(peer))).collect();
        let open = AtomicUsize::new(connections.len());
        let taken_over = Mutex::new(vec![0; READ_BUFFER_SIZE]);
        Ok(StreamReader { connections, open, ready, gate, is_taken_over: AtomicBool::new(false), taken_over })
    }

    /// The thread: reads until all connections have ended. Counts the rounds.
    pub(super) fn run(&self, rounds: &AtomicU64, receiver: &dyn Receiver) {
        let limit = Timespec { tv_sec: 0, tv_nsec: MAX_WAIT.subsec_nanos().into() };
        let mut buffer = vec![0; READ_BUFFER_SIZE];
        while self.open.load(Ordering::Acquire) > 0 {
            rounds.fetch_add(1, Ordering::Relaxed);
            let mut event = [const { MaybeUninit::uninit() }; 1];
            let ready = heap::while_parked(|| match epoll::wait(&self.gate, &mut event, Some(&limit)) {
                Ok((events, _)) => Ok(!events.is_empty()),
                Err(rustix::io::Errno::INTR) => Ok(false),
                Err(error) => Err(error),
            });
            match ready {
                Ok(true) => _ = self.read_ready(&mut buffer, receiver, |connection| Some(connection.lock())),
                Ok(false) => {}
                // Out of kernel memory: the next round may have some.
                Err(_) => std::thread::sleep(MAX_WAIT),
            }
        }
    }

    /// From now on the caller waits for what comes ([`StreamReader::wait_and_read`]), and the thread sleeps.
    pub(super) fn take_over(&self) {
        self.is_taken_over.store(true, Ordering::Relaxed);
        self.set_gate(epoll::EventFlags::empty());
    }

    /// From now on the thread waits for what comes.
    pub(super) fn give_back(&self) {
        if self.is_taken_over.swap(false, Ordering::Relaxed) {
            self.set_gate(epoll::EventFlags::IN);
        }
    }

    fn set_gate(&self, flags: epoll::EventFlags) {
        // It cannot fail: both are open as long as this value, and one watches the other.
        let _ = epoll::modify(&self.gate, &self.ready, epoll::EventData::new_u64(0), flags);
    }

    /// After [`StreamReader::take_over`]: waits shortly for something to come and reads it, but for what the
    /// thread reads already. Whether anything has come.
    pub(super) fn wait_and_read(&self, receiver: &dyn Receiver) -> bool {
        /// Other work of this worker waits as long, a few times over.
        const WAIT: Duration = Duration::from_micros(50);
        if !self.is_taken_over.load(Ordering::Relaxed) {
            return false;
        }
        let Some(mut buffer) = self.taken_over.try_lock() else { return false };
        let has_come = heap::while_parked(|| wait_readable(&[self.ready.as_fd()], WAIT));
        has_come.is_ok_and(|ready| ready == [true]) && self.read_ready(&mut buffer, receiver, Mutex::try_lock)
    }

    /// Reads from all connections that are ready and that `lock` gives. Whether there were any.
    fn read_ready<'a>(
        &'a self,
        buffer: &mut [u8],
        receiver: &dyn Receiver,
        lock: impl Fn(&'a Mutex<Connection>) -> Option<parking_lot::MutexGuard<'a, Connection>>,
    ) -> bool {
        let mut events = [const { MaybeUninit::uninit() }; MAX_EVENTS];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let Ok((events, _)) = epoll::wait(&self.ready, &mut events, Some(&at_once)) else { return false };
        let mut was_read = false;
        for event in events {
            let connection = self.connections.get(event.data.u64() as usize);
            let Some(mut connection) = connection.and_then(&lock).filter(|it| !it.has_ended) else {
                continue;
            };
            was_read = true;
            let result = run_handler(|| connection.read(buffer, receiver));
            if !matches!(result, Ok(true)) {
                self.end(&mut connection, result.map(|_| ()), receiver);
            }
        }
        was_read
    }

    fn end(&self, connection: &mut Connection, result: io::Result<()>, receiver: &dyn Receiver) {
        connection.has_ended = true;
        // It was added, and is open as long as its peer.
        let _ = epoll::delete(&self.ready, &connection.peer.stream);
        self.open.fetch_sub(1, Ordering::AcqRel);
        connection.peer.end(result, receiver);
    }
}

impl Connection {
    /// Reads what has come, or much of it; false at the end.
    fn read(&mut self, buffer: &mut [u8], receiver: &dyn Receiver) -> io::Result<bool> {
        let Connection { peer, assembly, .. } = self;
        if let Some(tls) = peer.tls.clone() {
            return self.read_encrypted(&tls, buffer, receiver);
        }
        let delivery = Delivery { from: peer.identity.place, receiver, left: &peer.has_shut_down };
        for _ in 0..MAX_READS_PER_ROUND {
            let direct = assembly.direct();
            let is_direct = direct.is_some();
            let target = direct.unwrap_or(&mut *buffer);
            let (start, room) = (target.as_ptr() as usize, target.len());
            let read = match is_direct {
                true => page_watch::written_by_system(start, room, || {
                    receive_available(&peer.stream, &mut *target)
                })?,
                false => receive_available(&peer.stream, target)?,
            };
            let count = match read {
                None => return Ok(true),
                Some(0) if assembly.is_between_frames() => return Ok(false),
                Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(count) => count,
            };
            peer.signs.fetch_add(1, Ordering::Relaxed);
            match is_direct {
                true => assembly.filled(count, delivery)?,
                false => assembly.feed(&buffer[..count], delivery)?,
            }
            if count < room {
                return Ok(true);
            }
        }
        Ok(true)
    }

    /// The same for a connection whose bytes have to be decrypted first.
    fn read_encrypted(&mut self, tls: &Tls, buffer: &mut [u8], receiver: &dyn Receiver) -> io::Result<bool> {
        let Connection { peer, assembly, .. } = self;
        let delivery = Delivery { from: peer.identity.place, receiver, left: &peer.has_shut_down };
        for _ in 0..MAX_READS_PER_ROUND {
            let count = match receive_available(&peer.stream, buffer)? {
                None => return Ok(true),
                Some(0) if assembly.is_between_frames() => return Ok(false),
                Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(count) => count,
            };
            peer.signs.fetch_add(1, Ordering::Relaxed);
            tls.decrypt(&buffer[..count], |plain| assembly.feed(plain, delivery))?;
            if count < buffer.len() {
                return Ok(true);
            }
        }
        Ok(true)
    }
}
