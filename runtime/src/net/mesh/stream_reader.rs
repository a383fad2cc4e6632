//! Reads from all connections without rings (readiness multiplexing by `epoll(7)`): in a thread of its own,
//! which sleeps until something comes; by a worker that polls, since it waits for an answer or for work; or
//! by an idle worker that sleeps on the connections ([`Waiter`]). Only one of them is woken by what comes:
//! waking one more thread takes as long as half a round trip on a fast network, and delays those that run.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use rustix::event::{EventfdFlags, Timespec, epoll, eventfd};

use crate::heap;
use crate::heap::page_watch;
use crate::net::endpoint::{Receiver, Waiter};
use crate::net::frame::assembly::{Assembly, Delivery};
use crate::net::mesh::peer::{Peer, run_handler};
use crate::net::mesh::tls::Tls;
use crate::net::poll::receive_available;

/// Bytes of one read.
const READ_BUFFER_SIZE: usize = 64 << 10;
/// Maximum number of reads from one connection before the others are read.
const MAX_READS_PER_ROUND: usize = 16;
/// Maximum wait of the thread; each round also shows that it does not hang.
const MAX_WAIT: Duration = Duration::from_millis(300);
/// Connections whose readiness is requested at once.
const MAX_EVENTS: usize = 64;
/// As many connections are read without asking first which are ready.
const MAX_UNASKED_CONNECTIONS: usize = 2;

/// The connections that are read.
pub(super) struct StreamReader {
    connections: Vec<Mutex<Connection>>,
    /// Those that have not ended.
    open: AtomicUsize,
    /// Which connections are ready; the data of an event is the connection's index.
    ready: OwnedFd,
    /// What the thread waits for: that `ready` has something. Not while a worker reads.
    thread_gate: OwnedFd,
    /// What a worker sleeps on: `wake`, and that `ready` has something. The latter not while another worker
    /// polls. A worker sleeps on it only while it reads.
    worker_gate: OwnedFd,
    /// Which workers read in place of the thread.
    workers: Mutex<ReadingWorkers>,
    /// Some do.
    has_workers: AtomicBool,
    /// Bytes that a worker has read.
    polled: Mutex<Vec<u8>>,
    /// Ends a worker's sleep.
    wake: OwnedFd,
    /// `wake` has something to read.
    is_woken: AtomicBool,
}

/// The workers that read in place of the thread.
#[derive(Clone, Copy, Default)]
struct ReadingWorkers {
    /// One has the right to poll, and does so.
    polls: bool,
    /// One reads what comes when that wakes it.
    sleeps: bool,
}

impl ReadingWorkers {
    /// Whether what comes wakes the thread.
    fn wake_thread(self) -> bool {
        !self.polls && !self.sleeps
    }

    /// Whether what comes wakes the worker that sleeps, if one does.
    fn wake_sleeper(self) -> bool {
        !self.polls
    }
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
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let thread_gate = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&thread_gate, &ready, epoll::EventData::new_u64(0), epoll::EventFlags::IN)?;
        let worker_gate = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&worker_gate, &ready, epoll::EventData::new_u64(0), epoll::EventFlags::IN)?;
        epoll::add(&worker_gate, &wake, epoll::EventData::new_u64(0), epoll::EventFlags::IN)?;
        let connection = |peer| Connection { peer, assembly: Assembly::default(), has_ended: false };
        let connections: Vec<_> = peers.into_iter().map(|peer| Mutex::new(connection(peer))).collect();
        let open = AtomicUsize::new(connections.len());
        Ok(StreamReader {
            connections,
            open,
            ready,
            thread_gate,
            worker_gate,
            workers: Mutex::default(),
            has_workers: AtomicBool::new(false),
            polled: Mutex::new(vec![0; READ_BUFFER_SIZE]),
            wake,
            is_woken: AtomicBool::new(false),
        })
    }

    /// The thread: reads until all connections have ended. Counts the rounds.
    pub(super) fn run(&self, rounds: &AtomicU64, receiver: &dyn Receiver) {
        let limit = Timespec { tv_sec: 0, tv_nsec: MAX_WAIT.subsec_nanos().into() };
        let mut buffer = vec![0; READ_BUFFER_SIZE];
        for connection in &self.connections {
            let mut connection = connection.lock();
            if let Err(error) = run_handler(|| connection.read_early(receiver)) {
                self.end(&mut connection, Err(error), receiver);
            }
        }
        while self.open.load(Ordering::Acquire) > 0 {
            rounds.fetch_add(1, Ordering::Relaxed);
            let mut event = [const { MaybeUninit::uninit() }; 1];
            let ready =
                heap::while_parked(|| match epoll::wait(&self.thread_gate, &mut event, Some(&limit)) {
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

    /// A worker reads what comes from now on ([`StreamReader::poll`]), or no longer.
    pub(super) fn set_polled(&self, begins: bool) {
        self.set_workers(|workers| workers.polls = begins);
    }

    /// What comes wakes at most one of those that read.
    fn set_workers(&self, change: impl FnOnce(&mut ReadingWorkers)) {
        let mut workers = self.workers.lock();
        let before = *workers;
        change(&mut workers);
        self.has_workers.store(!workers.wake_thread(), Ordering::Relaxed);
        let gates = [
            (&self.thread_gate, before.wake_thread(), workers.wake_thread()),
            (&self.worker_gate, before.wake_sleeper(), workers.wake_sleeper()),
        ];
        for (gate, _, opens) in gates.into_iter().filter(|(_, was_open, opens)| was_open != opens) {
            let flags = if opens { epoll::EventFlags::IN } else { epoll::EventFlags::empty() };
            // It cannot fail: both are open as long as this value, and one watches the other.
            let _ = epoll::modify(gate, &self.ready, epoll::EventData::new_u64(0), flags);
        }
    }

    /// Of a worker that polls, or that what has come has woken: reads it. Whether anything has come.
    pub(super) fn poll(&self, receiver: &dyn Receiver) -> bool {
        if !self.has_workers.load(Ordering::Relaxed) {
            return false;
        }
        let Some(mut buffer) = self.polled.try_lock() else { return false };
        if self.connections.len() > MAX_UNASKED_CONNECTIONS {
            return self.read_ready(&mut buffer, receiver, Mutex::try_lock);
        }
        self.read_all(self.connections.iter().filter_map(Mutex::try_lock), &mut buffer, receiver)
    }

    /// Reads from all connections that are ready and that `lock` gives. Whether anything has come.
    fn read_ready<'a>(
        &'a self,
        buffer: &mut [u8],
        receiver: &dyn Receiver,
        lock: impl Fn(&'a Mutex<Connection>) -> Option<MutexGuard<'a, Connection>>,
    ) -> bool {
        let mut events = [const { MaybeUninit::uninit() }; MAX_EVENTS];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let Ok((events, _)) = epoll::wait(&self.ready, &mut events, Some(&at_once)) else { return false };
        let index = |event: &mut epoll::Event| usize::try_from(event.data.u64()).ok();
        let ready = events.iter_mut().filter_map(index).filter_map(|index| self.connections.get(index));
        self.read_all(ready.filter_map(lock), buffer, receiver)
    }

    /// Reads from these connections. Whether anything has come.
    fn read_all<'a>(
        &'a self,
        connections: impl Iterator<Item = MutexGuard<'a, Connection>>,
        buffer: &mut [u8],
        receiver: &dyn Receiver,
    ) -> bool {
        let mut has_come = false;
        for connection in connections {
            has_come |= self.read(connection, buffer, receiver);
        }
        has_come
    }

    /// Reads from a connection. Whether anything has come, or its end.
    fn read(
        &self,
        mut connection: MutexGuard<'_, Connection>,
        buffer: &mut [u8],
        receiver: &dyn Receiver,
    ) -> bool {
        if connection.has_ended {
            return false;
        }
        match run_handler(|| connection.read(buffer, receiver)) {
            Ok(Progress::Nothing) => false,
            Ok(Progress::Something) => true,
            Ok(Progress::End) => {
                self.end(&mut connection, Ok(()), receiver);
                true
            }
            Err(error) => {
                self.end(&mut connection, Err(error), receiver);
                true
            }
        }
    }

    fn end(&self, connection: &mut Connection, result: io::Result<()>, receiver: &dyn Receiver) {
        connection.has_ended = true;
        // It was added, and is open as long as its peer.
        let _ = epoll::delete(&self.ready, &connection.peer.stream);
        self.open.fetch_sub(1, Ordering::AcqRel);
        connection.assembly.abandon(connection.peer.identity.place, receiver);
        connection.peer.end(result, receiver);
    }
}

impl Waiter for StreamReader {
    fn begin(&self) {
        self.set_workers(|workers| workers.sleeps = true);
    }

    fn wait(&self, timeout: Duration) {
        let Ok(timeout) = Timespec::try_from(timeout) else { return };
        let mut event = [const { MaybeUninit::uninit() }; 1];
        // What comes is read by a poll; a failure ends the sleep early.
        let _ = epoll::wait(&self.worker_gate, &mut event, Some(&timeout));
    }

    fn wake(&self) {
        self.is_woken.store(true, Ordering::Relaxed);
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    fn clear_wake(&self) {
        if self.is_woken.swap(false, Ordering::Relaxed) {
            let _ = rustix::io::read(&self.wake, &mut [0; 8]);
        }
    }

    fn end(&self) {
        self.set_workers(|workers| workers.sleeps = false);
    }
}

/// What reading from a connection has brought.
enum Progress {
    Nothing,
    Something,
    /// The end, between two frames.
    End,
}

impl Connection {
    /// Reads what has come, or much of it.
    fn read(&mut self, buffer: &mut [u8], receiver: &dyn Receiver) -> io::Result<Progress> {
        let Connection { peer, assembly, .. } = self;
        if let Some(tls) = peer.tls.clone() {
            return self.read_encrypted(&tls, buffer, receiver);
        }
        let delivery = Delivery { from: peer.identity.place, receiver, left: &peer.has_shut_down };
        let mut progress = Progress::Nothing;
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
                None => return Ok(progress),
                Some(0) if assembly.is_between_frames() => return Ok(Progress::End),
                Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(count) => count,
            };
            progress = Progress::Something;
            peer.signs.fetch_add(1, Ordering::Relaxed);
            match is_direct {
                true => assembly.filled(count, delivery)?,
                false => assembly.feed(&buffer[..count], delivery)?,
            }
            if count < room {
                return Ok(progress);
            }
        }
        Ok(progress)
    }

    /// Handles what came with the handshake of an encrypted connection: the system says no more of it.
    fn read_early(&mut self, receiver: &dyn Receiver) -> io::Result<()> {
        let Connection { peer, assembly, has_ended } = self;
        let Some(tls) = peer.tls.clone().filter(|_| !*has_ended) else { return Ok(()) };
        let early = tls.take_early()?;
        if early.is_empty() {
            return Ok(());
        }
        peer.signs.fetch_add(1, Ordering::Relaxed);
        assembly.feed(&early, Delivery { from: peer.identity.place, receiver, left: &peer.has_shut_down })
    }

    /// As [`Connection::read`], for a connection whose bytes have to be decrypted first.
    fn read_encrypted(
        &mut self,
        tls: &Tls,
        buffer: &mut [u8],
        receiver: &dyn Receiver,
    ) -> io::Result<Progress> {
        let Connection { peer, assembly, .. } = self;
        let delivery = Delivery { from: peer.identity.place, receiver, left: &peer.has_shut_down };
        let mut progress = Progress::Nothing;
        for _ in 0..MAX_READS_PER_ROUND {
            let count = match receive_available(&peer.stream, buffer)? {
                None => return Ok(progress),
                Some(0) if assembly.is_between_frames() => return Ok(Progress::End),
                Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(count) => count,
            };
            progress = Progress::Something;
            peer.signs.fetch_add(1, Ordering::Relaxed);
            tls.decrypt(&buffer[..count], |plain| assembly.feed(plain, delivery))?;
            if count < buffer.len() {
                return Ok(progress);
            }
        }
        Ok(progress)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener, TcpStream};

    use super::*;
    use crate::base::place::PlaceId;
    use crate::net::frame::encoding::{Frame, FrameKind};
    use crate::net::mesh::peer::PeerIdentity;
    use crate::net::message_log::{DOWN, MessageLog};

    /// A reader of that many connections, and their other ends.
    fn connect(places: u32) -> (StreamReader, Vec<TcpStream>) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let (peers, others) = (1..=places)
            .map(|place| {
                let other = TcpStream::connect(listener.local_addr().expect("a port")).expect("connection");
                let identity =
                    PeerIdentity { place: PlaceId(place), process: 0, name: String::new(), is_remote: true };
                let stream = listener.accept().expect("a caller").0;
                (Arc::new(Peer::new(identity, stream, None, None).expect("a peer")), other)
            })
            .unzip();
        (StreamReader::new(peers).expect("descriptors"), others)
    }

    fn send(mut stream: &TcpStream, body: &[u8]) {
        let frame = Frame { class: FrameKind::Message, header: &[], body, parts: &[] };
        frame.write(&mut stream).expect("it reads");
    }

    #[test]
    fn worker_that_polls_reads_from_few_and_from_many_connections() {
        for places in [1, 3] {
            let (reader, others) = connect(places);
            let log = MessageLog::default();
            send(&others[0], b"early");
            assert!(!reader.poll(&log), "no worker has the right to poll");
            reader.set_polled(true);
            let read = |count: usize| {
                while log.0.lock().len() < count {
                    reader.poll(&log);
                }
                log.take()
            };
            assert_eq!(read(1), [(PlaceId(1), b"early".to_vec())]);
            assert!(!reader.poll(&log));
            send(&others[places as usize - 1], b"late");
            assert_eq!(read(1), [(PlaceId(places), b"late".to_vec())]);
        }
    }

    #[test]
    fn what_comes_wakes_one_reader() {
        let (reader, others) = connect(1);
        let is_woken = |gate: &OwnedFd| {
            let mut event = [const { MaybeUninit::uninit() }; 1];
            let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
            epoll::wait(gate, &mut event, Some(&at_once)).is_ok_and(|(events, _)| !events.is_empty())
        };
        let woken = || (is_woken(&reader.thread_gate), is_woken(&reader.worker_gate));
        send(&others[0], b"kept");
        while !is_woken(&reader.ready) {
            std::thread::yield_now();
        }
        assert!(is_woken(&reader.thread_gate), "no worker reads");
        reader.begin();
        assert_eq!(woken(), (false, true), "a worker sleeps");
        reader.set_polled(true);
        assert_eq!(woken(), (false, false), "another one polls");
        reader.wake();
        assert_eq!(woken(), (false, true), "there is work for the sleeper");
        reader.clear_wake();
        reader.set_polled(false);
        assert_eq!(woken(), (false, true), "the message is still there");
        Waiter::end(&reader);
        assert!(is_woken(&reader.thread_gate), "the worker has a task");
    }

    #[test]
    fn sleep_ends_with_a_message_or_a_wake_up_and_the_thread_reads_only_without_workers() {
        const LONG: Duration = Duration::from_secs(600);
        let (reader, others) = connect(2);
        let (log, rounds) = (MessageLog::default(), AtomicU64::new(0));
        reader.begin();
        send(&others[1], b"one");
        reader.wait(LONG);
        std::thread::scope(|scope| {
            scope.spawn(|| reader.run(&rounds, &log));
            while rounds.load(Ordering::Relaxed) < 3 {
                std::thread::yield_now();
            }
            assert!(log.0.lock().is_empty(), "a worker has slept on it");
            reader.set_polled(true);
            Waiter::end(&reader);
            assert!(reader.poll(&log));
            assert_eq!(log.0.lock().pop(), Some((PlaceId(2), b"one".to_vec())));
            reader.set_polled(false);
            send(&others[0], b"two");
            while log.0.lock().is_empty() {
                std::thread::yield_now();
            }
            reader.begin();
            reader.wake();
            reader.wait(LONG);
            reader.clear_wake();
            Waiter::end(&reader);
            drop(others);
        });
        let log = log.take();
        assert_eq!(log.iter().filter(|(_, body)| body != DOWN).count(), 1, "{log:?}");
    }
}
