//! A connection between every two places, over TCP; between places of one machine, what is sent goes through
//! a pipe in shared memory ([`crate::net::shm::ring`]), and the connection only shows that the other end
//! lives.
//!
//! Each pipe has a thread that reads from it, and also a thread that has nothing else to do reads from all of
//! them ([`Transport::probe`]): a message is then dealt with without waking a thread. From connections
//! without pipes one thread reads ([`crate::net::mesh::stream_reader`]). One thread is the place's heartbeat
//! ([`crate::net::liveness::heartbeat`]), one writes what readers have sent and could not write
//! ([`crate::net::mesh::peer`]).

use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::net::endpoint::{PlaceEnded, Receiver, Transport, message_here, put_here};
use crate::net::frame::encoding;
use crate::net::frame::encoding::{Class, Frame};
use crate::net::liveness::heartbeat;
use crate::net::mesh::peer::{Kept, Peer, reads, write_all_kept};
use crate::net::mesh::stream_reader;
use crate::net::shm::{ring_reader, setup};
use crate::net::timeouts::Timeouts;
use crate::serialize::out_of_band::Part;

/// A connection with another place that has greeted.
pub struct Link {
    /// The connection.
    pub stream: TcpStream,
    /// The other place's process.
    pub process: u32,
}

/// The connections of a place; see [`crate::net::bootstrap::connect`] for how they come about.
pub struct Tcp {
    here: u32,
    /// By place; none for this one.
    peers: Vec<Option<Arc<Peer>>>,
    /// Messages of this place to itself.
    receiver: OnceLock<Arc<dyn Receiver>>,
    /// Somebody keeps something that readers have sent.
    kept: Arc<Kept>,
    timeouts: Timeouts,
}

impl Tcp {
    /// Place `here` with a connection to every other place, all of which do the same before the deadline.
    pub fn new(here: u32, mut links: Vec<Option<Link>>, deadline: Instant) -> io::Result<Tcp> {
        for link in links.iter().flatten() {
            link.stream.set_nodelay(true)?;
        }
        let pipes = setup::share(here, &mut links, deadline)?;
        let mut peers = Vec::new();
        for (place, (link, pipes)) in (0..).zip(links.into_iter().zip(pipes)) {
            let Some(Link { stream, process }) = link else {
                peers.push(None);
                continue;
            };
            stream.set_read_timeout(None)?;
            peers.push(Some(Arc::new(Peer::new(place, process, stream, pipes)?)));
        }
        let timeouts = Timeouts::default();
        Ok(Tcp { here, peers, receiver: OnceLock::new(), kept: Arc::default(), timeouts })
    }

    /// With other timeouts.
    pub fn with_timeouts(self, timeouts: Timeouts) -> Tcp {
        Tcp { timeouts, ..self }
    }

    fn transmit(&self, to: u32, frame: Frame<'_>) -> Result<(), PlaceEnded> {
        let peer = self.peers.get(to as usize).and_then(Option::as_ref).ok_or(PlaceEnded(to))?;
        if peer.closed.load(Ordering::Acquire) {
            return Err(PlaceEnded(to));
        }
        peer.transmit(frame, &self.kept).map_err(|_| {
            peer.closed.store(true, Ordering::Release);
            PlaceEnded(to)
        })
    }

    /// The receiver, for what this place sends to itself.
    fn own(&self) -> Result<&Arc<dyn Receiver>, PlaceEnded> {
        self.receiver.get().ok_or(PlaceEnded(self.here))
    }

    /// Starts the threads of the connections.
    fn start_threads(&self, receiver: &Arc<dyn Receiver>) -> io::Result<()> {
        let peers: Vec<Arc<Peer>> = self.peers.iter().flatten().cloned().collect();
        for peer in &peers {
            let Some(input) = peer.pipes.as_ref().map(|pipes| pipes.input) else { continue };
            let (peer, receiver) = (Arc::clone(peer), Arc::clone(receiver));
            start_thread(format!("apg-from-{}", peer.place), move || {
                ring_reader::run(&peer, input, &*receiver)
            })?;
        }
        let rounds = Arc::new(AtomicU64::new(0));
        let streams: Vec<Arc<Peer>> = peers.iter().filter(|peer| peer.pipes.is_none()).cloned().collect();
        if !streams.is_empty() {
            let (rounds, receiver) = (Arc::clone(&rounds), Arc::clone(receiver));
            start_thread("apg-receive".to_owned(), move || stream_reader::run(streams, &rounds, &*receiver))?;
        }
        let (all, kept) = (peers.clone(), Arc::clone(&self.kept));
        start_thread("apg-answers".to_owned(), move || write_all_kept(&all, &kept))?;
        let (here, timeouts, receiver) = (self.here, self.timeouts, Arc::clone(receiver));
        start_thread("apg-heartbeat".to_owned(), move || {
            heartbeat::run(here, &peers, timeouts, &rounds, &*receiver);
        })
    }
}

fn start_thread(name: String, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name).spawn(work).map(drop)
}
impl Transport for Tcp {
    fn here(&self) -> u32 {
        self.here
    }

    fn hosts(&self) -> u32 {
        self.peers.len() as u32
    }

    fn start(&self, receiver: Arc<dyn Receiver>) -> io::Result<()> {
        let first = self.receiver.set(Arc::clone(&receiver)).is_ok();
        debug_assert!(first, "a transport is started once");
        self.start_threads(&receiver)
    }

    fn send(&self, to: u32, kind: u8, body: &[u8], parts: &[Part]) -> Result<(), PlaceEnded> {
        if to == self.here {
            return message_here(&**self.own()?, to, kind, body, parts);
        }
        self.transmit(to, Frame { class: Class::Message, kind, header: &[], body, parts })
    }

    fn ask(&self, to: u32, kind: u8, body: &[u8]) -> Result<bool, PlaceEnded> {
        if let Some(Some(peer)) = self.peers.get(to as usize)
            && let Some(pipes) = &peer.pipes
            && !reads()
            && !peer.closed.load(Ordering::Acquire)
            && !peer.keeps.load(Ordering::Acquire)
        {
            pipes.input.promise();
            let _out = peer.out.lock();
            if pipes.out.write_note(kind, body, true) {
                return Ok(true);
            }
        }
        self.send(to, kind, body, &[]).map(|()| false)
    }

    fn is_answered(&self, by: u32) -> bool {
        let pipes = self.peers.get(by as usize).and_then(|peer| peer.as_ref()?.pipes.as_ref());
        pipes.is_some_and(|pipes| pipes.input.has_kept_promise())
    }

    fn put(&self, to: u32, kind: u8, header: &[u8], data: &[u8]) -> Result<(), PlaceEnded> {
        debug_assert!(header.len() <= encoding::MAX_HEADER as usize);
        if to == self.here {
            return put_here(&**self.own()?, to, kind, header, data);
        }
        self.transmit(to, Frame { class: Class::Put, kind, header, body: data, parts: &[] })
    }

    fn has_to_be_probed(&self) -> bool {
        self.peers.iter().flatten().any(|peer| peer.pipes.is_some())
    }

    fn attend(&self, begins: bool) {
        for pipes in self.peers.iter().flatten().filter_map(|peer| peer.pipes.as_ref()) {
            pipes.input.looked_at(begins);
        }
    }

    fn probe(&self) -> bool {
        let Some(receiver) = self.receiver.get() else { return false };
        let mut dealt_with = false;
        for peer in self.peers.iter().flatten() {
            let Some(pipes) = &peer.pipes else { continue };
            if pipes.input.is_ready()
                && let Some(reading) = pipes.reading.try_lock()
            {
                let more = || pipes.input.is_ready() && !peer.ended.load(Ordering::Acquire);
                while more() && peer.read_next(pipes.input, &**receiver, false) {
                    dealt_with = true;
                }
                if !dealt_with && more() {
                    // Its rest is on its way, and the caller has nothing else to do.
                    dealt_with = peer.read_next(pipes.input, &**receiver, true);
                }
                drop(reading);
                // What takes longer is for the thread that does nothing else: work that came before it would
                // wait.
                if more() {
                    pipes.input.wake_reader();
                }
            }
        }
        dealt_with
    }

    fn leave(&self) {
        for peer in self.peers.iter().flatten() {
            // A place that has gone already needs no farewell.
            let farewell = Frame { class: Class::Farewell, kind: 0, header: &[], body: &[], parts: &[] };
            let _ = self.transmit(peer.place, farewell);
            let _ = peer.stream.shutdown(Shutdown::Write);
        }
    }
}
