//! Full-mesh transport: a TCP connection between every two places. Between places of one host, frames go
//! through a ring in shared memory ([`crate::net::shm::ring`]), and the connection only shows that the other
//! end lives; between places of different hosts they go through the connection, encrypted
//! ([`crate::net::mesh::tls`]) unless the network is private.
//!
//! Each ring has a thread that reads from it, one thread reads from the connections without rings
//! ([`crate::net::mesh::stream_reader`]), and an idle worker polls all of them ([`Endpoint::poll`]), as does
//! a worker that waits for an answer: its messages are handled without waking a thread. One thread is the
//! place's heartbeat ([`crate::net::liveness::heartbeat`]), one writes the backlog of handlers
//! ([`crate::net::mesh::peer`]).

use std::collections::HashMap;
use std::io;
use std::net::Shutdown;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Instant;

use crate::base::affinity;
use crate::base::place::PlaceId;
use crate::net::bootstrap::handshake::Secret;
use crate::net::endpoint::{Endpoint, PlaceEnded, Receiver, Waiter, deliver_message_locally, deliver_put};
use crate::net::frame::encoding;
use crate::net::frame::encoding::{Frame, FrameKind};
use crate::net::liveness::heartbeat::{self, Beats, Watch};
use crate::net::mesh::link::Link;
use crate::net::mesh::peer::{Backlog, Peer, PeerIdentity, in_handler, write_all_backlogs};
use crate::net::mesh::stream_reader::StreamReader;
use crate::net::mesh::tls::{Encryption, End, Tls};
use crate::net::placement::Placement;
use crate::net::shm::setup::SHORTEST_TIMEOUT;
use crate::net::shm::{ring_reader, setup};
use crate::net::timeouts::Timeouts;
use crate::serialize::out_of_band::Part;

/// The connections of a place, made by [`crate::net::bootstrap::connect`].
pub struct Mesh {
    here: PlaceId,
    /// By place; none for this one.
    peers: Vec<Option<Arc<Peer>>>,
    /// Messages of this place to itself.
    receiver: OnceLock<Arc<dyn Receiver>>,
    /// Reads connections without rings, if there are any.
    streams: OnceLock<Arc<StreamReader>>,
    /// Somebody has_backlog something that readers have sent.
    backlog: Arc<Backlog>,
    timeouts: Timeouts,
    /// Lets the heartbeat thread receive, too.
    heartbeat: mpsc::Sender<Watch>,
}

impl Mesh {
    /// Place `here` with a connection to every other place, all of which do the same before the deadline.
    /// Connections with other hosts are encrypted with a secret, if there is one. From here on the place
    /// gives signs of life, however long the rest of its start takes.
    ///
    /// # Errors
    /// A connection has failed, a place of this host does not answer in time, or there is no thread.
    pub fn new(
        here: PlaceId,
        placement: &Placement,
        mut links: Vec<Option<Link>>,
        encryption: Option<&Secret>,
        deadline: Instant,
    ) -> io::Result<Mesh> {
        for link in links.iter().flatten() {
            link.stream.set_nodelay(true)?;
        }
        let is_remote = |place| placement.host(place) != placement.host(here);
        let mut tls = encrypt(here, is_remote, &mut links, encryption, deadline)?;
        let rings = setup::share(here, placement, &mut links, deadline)?;
        let mut peers = Vec::new();
        for (place, (link, rings)) in (0..).map(PlaceId).zip(links.into_iter().zip(rings)) {
            let Some(Link { stream, process }) = link else {
                peers.push(None);
                continue;
            };
            stream.set_read_timeout(None)?;
            let name = placement.describe(place);
            let identity = PeerIdentity { place, process, name, is_remote: is_remote(place) };
            peers.push(Some(Arc::new(Peer::new(identity, stream, rings, tls.remove(&place))?)));
        }
        let all: Vec<Arc<Peer>> = peers.iter().flatten().cloned().collect();
        let mut beats = Beats::new(&all);
        // At once: a place that is stopped now has given one.
        beats.send();
        let (heartbeat, started) = mpsc::channel();
        start_thread("apg-heartbeat".to_owned(), move || heartbeat::run(beats, &started))?;
        let (receiver, streams) = (OnceLock::new(), OnceLock::new());
        let (backlog, timeouts) = (Arc::default(), Timeouts::default());
        Ok(Mesh { here, peers, receiver, streams, backlog, timeouts, heartbeat })
    }

    /// With other timeouts.
    pub fn with_timeouts(self, timeouts: Timeouts) -> Mesh {
        Mesh { timeouts, ..self }
    }

    fn transmit(&self, to: PlaceId, frame: Frame<'_>) -> Result<(), PlaceEnded> {
        let peer = self.peers.get(to.index()).and_then(Option::as_ref).ok_or(PlaceEnded(to))?;
        if peer.closed.load(Ordering::Acquire) {
            return Err(PlaceEnded(to));
        }
        peer.transmit(frame, &self.backlog).map_err(|_| {
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
            let Some(input) = peer.rings.as_ref().map(|rings| rings.input) else { continue };
            let (peer, receiver) = (Arc::clone(peer), Arc::clone(receiver));
            start_thread(format!("apg-from-{}", peer.identity.place.0), move || {
                ring_reader::run(&peer, input, &*receiver)
            })?;
        }
        let rounds = Arc::new(AtomicU64::new(0));
        let streams: Vec<Arc<Peer>> = peers.iter().filter(|peer| peer.rings.is_none()).cloned().collect();
        if !streams.is_empty() {
            let (rounds, receiver) = (Arc::clone(&rounds), Arc::clone(receiver));
            let reader = Arc::new(StreamReader::new(streams)?);
            let _ = self.streams.set(Arc::clone(&reader));
            start_thread("apg-receive".to_owned(), move || reader.run(&rounds, &*receiver))?;
        }
        let (all, backlog) = (peers.clone(), Arc::clone(&self.backlog));
        start_thread("apg-answers".to_owned(), move || write_all_backlogs(&all, &backlog))?;
        let (here, timeouts, receiver) = (self.here, self.timeouts, Arc::clone(receiver));
        let watch = Watch { here, peers, timeouts, rounds, receiver };
        self.heartbeat.send(watch).map_err(|_| io::Error::other("the heartbeat thread has ended"))
    }
}

/// Encrypts the connections with other hosts. All places take theirs in the order of the places' numbers, so
/// that no two wait for each other.
fn encrypt(
    here: PlaceId,
    is_remote: impl Fn(PlaceId) -> bool,
    links: &mut [Option<Link>],
    secret: Option<&Secret>,
    deadline: Instant,
) -> io::Result<HashMap<PlaceId, Arc<Tls>>> {
    let mut encrypted = HashMap::new();
    let Some(secret) = secret else { return Ok(encrypted) };
    let encryption = Encryption::new(secret)?;
    for (place, link) in (0..).map(PlaceId).zip(links) {
        let Some(link) = link.as_mut().filter(|_| is_remote(place)) else { continue };
        let left = deadline.saturating_duration_since(Instant::now()).max(SHORTEST_TIMEOUT);
        link.stream.set_read_timeout(Some(left))?;
        // The higher place has called.
        let end = if here > place { End::Client } else { End::Server };
        let tls = encryption.handshake(&mut link.stream, end).map_err(|error| {
            io::Error::new(error.kind(), format!("{place} does not encrypt its connection: {error}"))
        })?;
        encrypted.insert(place, Arc::new(tls));
    }
    Ok(encrypted)
}

fn start_thread(name: String, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name).spawn(work).map(drop)
}
impl Endpoint for Mesh {
    fn here(&self) -> PlaceId {
        self.here
    }

    fn hosts(&self) -> u32 {
        self.peers.len() as u32
    }

    fn describe(&self, place: PlaceId) -> String {
        match self.peers.get(place.index()) {
            Some(Some(peer)) => peer.identity.name.clone(),
            _ => place.to_string(),
        }
    }

    fn start(&self, receiver: Arc<dyn Receiver>) -> io::Result<()> {
        let first = self.receiver.set(Arc::clone(&receiver)).is_ok();
        debug_assert!(first, "a transport is started once");
        self.start_threads(&receiver)
    }

    fn send(&self, to: PlaceId, body: &[u8], parts: &[Part]) -> Result<(), PlaceEnded> {
        if to == self.here {
            return deliver_message_locally(&**self.own()?, to, body, parts);
        }
        self.transmit(to, Frame { class: FrameKind::Message, header: &[], body, parts })
    }

    fn send_request(&self, to: PlaceId, body: &[u8]) -> Result<bool, PlaceEnded> {
        let peer = self.peers.get(to.index()).and_then(Option::as_ref).filter(|_| !in_handler());
        let rings = peer.and_then(|peer| peer.rings.as_ref());
        if let (Some(peer), Some(rings)) = (peer, rings)
            && !peer.closed.load(Ordering::Acquire)
            && !peer.has_backlog.load(Ordering::Acquire)
        {
            rings.input.promise();
            let _out = peer.out.lock();
            if rings.out.write_inline(body, true) {
                return Ok(true);
            }
        }
        // Before the caller counts as polling: the send may wait for one of another thread, which ends only
        // when both places read.
        self.send(to, body, &[])?;
        let streams = self.streams.get().filter(|_| peer.is_some() && rings.is_none());
        streams.into_iter().for_each(|streams| streams.set_polled(true));
        Ok(streams.is_some())
    }

    fn end_request(&self, by: PlaceId) -> bool {
        if let Some(streams) = self.streams.get() {
            streams.set_polled(false);
        }
        let rings = self.peers.get(by.index()).and_then(|peer| peer.as_ref()?.rings.as_ref());
        rings.is_none_or(|rings| rings.input.has_kept_promise())
    }

    fn put(&self, to: PlaceId, header: &[u8], data: &[u8]) -> Result<(), PlaceEnded> {
        debug_assert!(header.len() <= encoding::MAX_HEADER as usize);
        if to == self.here {
            return deliver_put(&**self.own()?, to, header, data);
        }
        self.transmit(to, Frame { class: FrameKind::Put, header, body: data, parts: &[] })
    }

    fn needs_polling(&self) -> bool {
        self.peers.len() > 1
    }

    fn waiter(&self) -> Option<Arc<dyn Waiter>> {
        self.streams.get().map(|streams| Arc::clone(streams) as Arc<dyn Waiter>)
    }

    fn polls_by_system_calls(&self) -> bool {
        self.streams.get().is_some()
    }

    fn places_sharing_cpus(&self) -> u32 {
        let shares =
            |peer: &&Arc<Peer>| !peer.identity.is_remote && affinity::shares_cpus_with(peer.identity.process);
        1 + self.peers.iter().flatten().filter(shares).count() as u32
    }

    fn is_local(&self, place: PlaceId) -> bool {
        // This place is no peer of its own.
        self.peers.get(place.index()).is_some_and(|it| it.as_ref().is_none_or(|it| !it.identity.is_remote))
    }

    fn set_polled(&self, begins: bool) {
        for rings in self.peers.iter().flatten().filter_map(|peer| peer.rings.as_ref()) {
            rings.input.set_polled(begins);
        }
        if let Some(streams) = self.streams.get() {
            streams.set_polled(begins);
        }
    }

    fn poll(&self) -> bool {
        let Some(receiver) = self.receiver.get() else { return false };
        let mut handled = self.streams.get().is_some_and(|streams| streams.poll(&**receiver));
        for peer in self.peers.iter().flatten() {
            let Some(rings) = &peer.rings else { continue };
            if rings.input.is_ready()
                && let Some(reading) = rings.reading.try_lock()
            {
                let more = || rings.input.is_ready() && !peer.ended.load(Ordering::Acquire);
                while more() && peer.read_next(rings.input, &**receiver, false) {
                    handled = true;
                }
                if !handled && more() {
                    // The rest of the frame is in flight, and the caller is idle.
                    handled = peer.read_next(rings.input, &**receiver, true);
                }
                drop(reading);
                // Longer frames are left to the ring's thread: work that arrived before them would wait.
                if more() {
                    rings.input.wake_reader();
                }
            }
        }
        handled
    }

    fn shutdown(&self) {
        for peer in self.peers.iter().flatten() {
            // A place that has gone already needs no notice.
            let shutdown = Frame { class: FrameKind::Shutdown, header: &[], body: &[], parts: &[] };
            let _ = self.transmit(peer.identity.place, shutdown);
            let _ = peer.stream.shutdown(Shutdown::Write);
        }
    }
}
