//! A connection between every two places, over TCP.
//!
//! One thread for each connection reads; whoever sends writes under the connection's lock. Readers never wait for
//! other messages, so that every connection is always drained and a blocked write ends.

use std::io::{self, Read};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::frame::{self, Class, Head};
use super::{PlaceEnded, Receiver, Transport, put_here};

/// The connections of a place; see [`super::rendezvous`] for how they come about.
pub struct Tcp {
    here: u32,
    /// By place; none for this one.
    peers: Vec<Option<Arc<Peer>>>,
    /// Messages of this place to itself.
    receiver: OnceLock<Arc<dyn Receiver>>,
}

struct Peer {
    place: u32,
    /// For writing.
    stream: Mutex<TcpStream>,
    /// Nothing more can be sent.
    closed: AtomicBool,
    /// It said farewell.
    left: AtomicBool,
}

impl Tcp {
    /// Place `here` with a connection to every other place.
    pub fn new(here: u32, streams: Vec<Option<TcpStream>>) -> io::Result<Tcp> {
        let mut peers = Vec::new();
        for (place, stream) in streams.into_iter().enumerate() {
            peers.push(match stream {
                None => None,
                Some(stream) => {
                    stream.set_nodelay(true)?;
                    stream.set_read_timeout(None)?;
                    Some(Arc::new(Peer {
                        place: place as u32,
                        stream: Mutex::new(stream),
                        closed: AtomicBool::new(false),
                        left: AtomicBool::new(false),
                    }))
                }
            });
        }
        Ok(Tcp { here, peers, receiver: OnceLock::new() })
    }

    fn transmit(
        &self,
        to: u32,
        class: Class,
        kind: u8,
        header: &[u8],
        body: &[u8],
    ) -> Result<(), PlaceEnded> {
        let peer = self.peers.get(to as usize).and_then(Option::as_ref).ok_or(PlaceEnded(to))?;
        if peer.closed.load(Ordering::Acquire) {
            return Err(PlaceEnded(to));
        }
        let mut stream = peer.stream.lock();
        frame::write(&mut *stream, class, kind, header, body).map_err(|_| {
            peer.closed.store(true, Ordering::Release);
            PlaceEnded(to)
        })
    }

    /// The receiver, for what this place sends to itself.
    fn own(&self) -> Result<&Arc<dyn Receiver>, PlaceEnded> {
        self.receiver.get().ok_or(PlaceEnded(self.here))
    }
}

impl Transport for Tcp {
    fn here(&self) -> u32 {
        self.here
    }

    fn hosts(&self) -> u32 {
        self.peers.len() as u32
    }

    fn start(&self, receiver: Arc<dyn Receiver>) {
        let first = self.receiver.set(Arc::clone(&receiver)).is_ok();
        debug_assert!(first, "a transport is started once");
        for peer in self.peers.iter().flatten() {
            let (peer, receiver) = (Arc::clone(peer), Arc::clone(&receiver));
            let reader = peer.stream.lock().try_clone();
            let name = format!("apg-from-{}", peer.place);
            let spawned = std::thread::Builder::new().name(name).spawn(move || {
                let result = reader.and_then(|stream| read_all(stream, &peer, &*receiver));
                peer.closed.store(true, Ordering::Release);
                if result.is_err() || !peer.left.load(Ordering::Acquire) {
                    receiver.ended(peer.place);
                }
            });
            // Without its reader a connection is dead; the process is out of threads and cannot go on.
            spawned.expect("a thread for a connection to another place");
        }
    }

    fn send(&self, to: u32, kind: u8, body: &[u8]) -> Result<(), PlaceEnded> {
        if to == self.here {
            self.own()?.message(to, kind, body.to_vec());
            return Ok(());
        }
        self.transmit(to, Class::Message, kind, &[], body)
    }

    fn put(&self, to: u32, kind: u8, header: &[u8], data: &[u8]) -> Result<(), PlaceEnded> {
        debug_assert!(header.len() <= frame::MAX_HEADER as usize);
        if to == self.here {
            put_here(&**self.own()?, to, kind, header, data);
            return Ok(());
        }
        self.transmit(to, Class::Put, kind, header, data)
    }

    fn leave(&self) {
        for peer in self.peers.iter().flatten() {
            // A place that has gone already needs no farewell.
            let _ = self.transmit(peer.place, Class::Farewell, 0, &[], &[]);
            let stream = peer.stream.lock();
            let _ = stream.shutdown(Shutdown::Write);
        }
    }
}

/// Reads until the other end closes.
fn read_all(stream: TcpStream, peer: &Peer, receiver: &dyn Receiver) -> io::Result<()> {
    let mut input = io::BufReader::with_capacity(1 << 16, stream);
    while let Some(head) = frame::read_head(&mut input)? {
        match head.class {
            Class::Message => {
                let body = frame::read_bytes(&mut input, head.body)?;
                receiver.message(peer.place, head.kind, body);
            }
            Class::Put => read_put(&mut input, head, peer.place, receiver)?,
            Class::Farewell => peer.left.store(true, Ordering::Release),
        }
    }
    Ok(())
}

fn read_put(input: &mut dyn Read, head: Head, from: u32, receiver: &dyn Receiver) -> io::Result<()> {
    let header = frame::read_bytes(input, u64::from(head.header))?;
    let target = receiver.begin_put(from, head.kind, &header, head.body);
    let target = target.filter(|target| target.length == head.body);
    match target {
        Some(target) => {
            // SAFETY: the receiver gave out this memory until `end_put`; only this thread writes it.
            let memory = unsafe { std::slice::from_raw_parts_mut(target.address, target.length as usize) };
            input.read_exact(memory)?;
        }
        None => frame::skip(input, head.body)?,
    }
    receiver.end_put(from, head.kind, header, target.is_some());
    Ok(())
}
