//! A connection between every two places, over TCP; between places of one machine, what is sent goes through a pipe in shared memory
//! ([`super::pipe`]), and the connection only says when the other end is gone.
//!
//! One thread for each connection reads; whoever sends writes under the connection's lock. Readers never wait, neither for
//! other messages nor for room to answer, so that every connection is always drained and a blocked write ends: what a reader sends
//! and cannot write at once is kept, and goes before what others send. From a pipe also a thread reads that has nothing else to do
//! ([`Transport::probe`]): a message is then dealt with without waking a thread.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::{Condvar, Mutex};

use super::frame::{self, Class, Frame, Head};
use super::pipe::{Memory, NOTE, Pipe};
use super::{PlaceEnded, Receiver, Transport, message_here, put_here};
use crate::memory::watch;
use crate::serialize::parts::{Part, Received};

/// The connections of a place; see [`super::rendezvous`] for how they come about.
pub struct Tcp {
    here: u32,
    /// By place; none for this one.
    peers: Vec<Option<Arc<Peer>>>,
    /// Messages of this place to itself.
    receiver: OnceLock<Arc<dyn Receiver>>,
    /// Somebody keeps something that readers have sent.
    kept: Arc<(Mutex<bool>, Condvar)>,
}

thread_local! {
    /// This thread deals with what has come, and must not wait.
    static READS: Cell<bool> = const { Cell::new(false) };
}

struct Peer {
    place: u32,
    stream: TcpStream,
    /// For writing.
    out: Mutex<Out>,
    /// Frames that readers have sent, oldest first; taken only by who holds `out`.
    kept: Mutex<VecDeque<Vec<u8>>>,
    /// There are some.
    keeps: AtomicBool,
    /// If both ends are on one machine.
    pipes: Option<Pipes>,
    /// Nothing more can be sent.
    closed: AtomicBool,
    /// It said farewell.
    left: AtomicBool,
    /// Nothing more comes, and the receiver has been told if it has to know.
    ended: AtomicBool,
}

struct Pipes {
    /// Held while whole frames are read.
    reading: Mutex<()>,
    input: Pipe,
    out: Pipe,
}

enum Out {
    Stream(TcpStream),
    Pipe(Pipe),
}

impl Out {
    /// Writes a frame.
    fn write(&mut self, frame: Frame<'_>) -> io::Result<()> {
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

/// More places than that do without pipes, which take memory for every two.
const MOST_WITH_PIPES: usize = 16;

/// The pipes to the places that the streams lead to: each of a pair has to call this. Between two places the one with the lower
/// number makes the memory.
fn share(here: u32, streams: &mut [Option<TcpStream>]) -> io::Result<Vec<Option<(Pipe, Pipe)>>> {
    let mut pipes: Vec<Option<(Pipe, Pipe)>> = streams.iter().map(|_| None).collect();
    if streams.len() > MOST_WITH_PIPES {
        return Ok(pipes);
    }
    let mut offers = Vec::new();
    for (place, stream) in streams.iter_mut().enumerate().skip(here as usize + 1) {
        let Some(stream) = stream else { continue };
        // Without shared memory the connection does.
        let memory = Memory::new().ok();
        let address = memory.as_ref().map_or([0, 0], Memory::address);
        let pipes = memory.and_then(|memory| Some((memory.pipes(1).ok()?, memory)));
        if let Some(((_, out), _)) = &pipes {
            out.offer();
        }
        stream.write_all(&address.map(u32::to_le_bytes).concat())?;
        offers.push((place, pipes));
    }
    for (place, stream) in streams.iter_mut().enumerate().take(here as usize) {
        let Some(stream) = stream else { continue };
        let mut bytes = [[0; 4]; 2];
        stream.read_exact(bytes.as_flattened_mut())?;
        let address = bytes.map(u32::from_le_bytes);
        let opened = match address[0] {
            0 => Err(io::ErrorKind::Unsupported.into()),
            _ => Memory::open(address),
        };
        pipes[place] = opened.and_then(|memory| memory.pipes(0)).ok();
        if let Some((input, out)) = &pipes[place] {
            input.accept();
            out.offer();
        }
        stream.write_all(&[u8::from(pipes[place].is_some())])?;
    }
    for (place, offered) in offers {
        let Some(stream) = &mut streams[place] else { continue };
        let mut taken = [0];
        stream.read_exact(&mut taken)?;
        if let (Some(((input, out), _)), [1]) = (offered, taken) {
            input.accept();
            pipes[place] = Some((input, out));
        }
    }
    Ok(pipes)
}

impl Tcp {
    /// Place `here` with a connection to every other place.
    pub fn new(here: u32, mut streams: Vec<Option<TcpStream>>) -> io::Result<Tcp> {
        for stream in streams.iter().flatten() {
            stream.set_nodelay(true)?;
        }
        let pipes = share(here, &mut streams)?;
        let mut peers = Vec::new();
        for (place, (stream, pipes)) in streams.into_iter().zip(pipes).enumerate() {
            let Some(stream) = stream else {
                peers.push(None);
                continue;
            };
            stream.set_read_timeout(None)?;
            let out = match &pipes {
                Some((_, out)) => Out::Pipe(*out),
                None => Out::Stream(stream.try_clone()?),
            };
            peers.push(Some(Arc::new(Peer {
                place: place as u32,
                stream,
                out: Mutex::new(out),
                kept: Mutex::default(),
                keeps: AtomicBool::new(false),
                pipes: pipes.map(|(input, out)| Pipes { reading: Mutex::new(()), input, out }),
                closed: AtomicBool::new(false),
                left: AtomicBool::new(false),
                ended: AtomicBool::new(false),
            })));
        }
        Ok(Tcp { here, peers, receiver: OnceLock::new(), kept: Arc::default() })
    }

    fn transmit(&self, to: u32, frame: Frame<'_>) -> Result<(), PlaceEnded> {
        let peer = self.peers.get(to as usize).and_then(Option::as_ref).ok_or(PlaceEnded(to))?;
        if peer.closed.load(Ordering::Acquire) {
            return Err(PlaceEnded(to));
        }
        let written = if READS.get() {
            self.transmit_without_waiting(peer, frame)
        } else {
            let mut out = peer.out.lock();
            peer.write_kept(&mut out).and_then(|()| out.write(frame))
        };
        written.map_err(|_| {
            peer.closed.store(true, Ordering::Release);
            PlaceEnded(to)
        })
    }

    /// For readers: if both places waited for room, none of them would make any.
    fn transmit_without_waiting(&self, peer: &Peer, frame: Frame<'_>) -> io::Result<()> {
        if let Some(mut out) = peer.out.try_lock()
            && !peer.keeps.load(Ordering::Acquire)
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
        let mut kept = peer.kept.lock();
        kept.push_back(bytes);
        peer.keeps.store(true, Ordering::Release);
        drop(kept);
        *self.kept.0.lock() = true;
        self.kept.1.notify_one();
        Ok(())
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
            start_thread(format!("apg-from-{}", peer.place), move || match &peer.pipes {
                None => {
                    let result =
                        peer.stream.try_clone().and_then(|stream| read_all(stream, &peer, &*receiver));
                    peer.end(result, &*receiver);
                }
                Some(pipes) => {
                    while !peer.ended.load(Ordering::Acquire) {
                        let reading = pipes.reading.lock();
                        peer.drain(pipes.input, &*receiver);
                        drop(reading);
                        pipes.input.wait();
                    }
                }
            });
        }
        let (peers, kept) = (self.peers.iter().flatten().cloned().collect(), Arc::clone(&self.kept));
        start_thread("apg-answers".to_owned(), move || write_all_kept(peers, &kept));
        let piped: Vec<Arc<Peer>> =
            self.peers.iter().flatten().filter(|peer| peer.pipes.is_some()).cloned().collect();
        if !piped.is_empty() {
            start_thread("apg-watch".to_owned(), move || watch(piped));
        }
    }

    fn send(&self, to: u32, kind: u8, body: &[u8], parts: &[Part]) -> Result<(), PlaceEnded> {
        if to == self.here {
            message_here(&**self.own()?, to, kind, body, parts);
            return Ok(());
        }
        self.transmit(to, Frame { class: Class::Message, kind, header: &[], body, parts })
    }

    fn ask(&self, to: u32, kind: u8, body: &[u8]) -> Result<bool, PlaceEnded> {
        if let Some(Some(peer)) = self.peers.get(to as usize)
            && let Some(pipes) = &peer.pipes
            && !READS.get()
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
        debug_assert!(header.len() <= frame::MAX_HEADER as usize);
        if to == self.here {
            put_here(&**self.own()?, to, kind, header, data);
            return Ok(());
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
                // What takes longer is for the thread that does nothing else: work that came before it would wait.
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

impl Peer {
    /// Writes what readers have sent.
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

    /// Deals with all that has come through the pipe.
    fn drain(&self, input: Pipe, receiver: &dyn Receiver) {
        while self.read_next(input, receiver, true) {}
    }

    /// Deals with the next message, or the end; false if none has come. One that has not come as a whole is waited for if the caller `waits`,
    /// else it has not come.
    fn read_next(&self, input: Pipe, receiver: &dyn Receiver, waits: bool) -> bool {
        if self.ended.load(Ordering::Acquire) {
            return false;
        }
        // A note is older than what is in the ring, and none comes while something is.
        let has_bytes = input.has_bytes();
        let mut note = [0; NOTE];
        if let Some((kind, length)) = input.take_note(&mut note) {
            reading(|| receiver.message(self.place, kind, Cow::Borrowed(&note[..length]), Vec::new()));
            return true;
        }
        if !has_bytes {
            let has_ended = input.has_ended();
            // What came last came before the end.
            if has_ended && !input.has_come() {
                self.end(Ok(()), receiver);
            }
            return has_ended;
        }
        let mut bytes = [0; frame::SMALLEST];
        let length = input.peek(&mut bytes);
        let head = bytes[..length].split_first_chunk().map(|(head, rest)| (Head::decode(*head), rest));
        if let Some((Ok(head), rest)) = &head
            && head.class == Class::Message
            && head.header == 0
            && head.body <= rest.len() as u64
        {
            let body = &rest[..head.body as usize];
            input.skip(frame::HEAD + body.len());
            reading(|| receiver.message(self.place, head.kind, Cow::Borrowed(body), Vec::new()));
            return true;
        }
        let whole = match &head {
            Some((head, _)) => head.as_ref().map_or(0, Head::length),
            None => frame::HEAD as u64,
        };
        let reads = waits || input.holds(whole);
        if reads {
            self.read_one(input, receiver);
        }
        reads
    }

    /// Deals with the next frame, or the end.
    fn read_one(&self, mut input: Pipe, receiver: &dyn Receiver) {
        match read_frame(&mut input, self, receiver) {
            Ok(true) => {}
            Ok(false) => self.end(Ok(()), receiver),
            Err(error) => self.end(Err(error), receiver),
        }
    }

    /// Nothing more comes.
    fn end(&self, result: io::Result<()>, receiver: &dyn Receiver) {
        self.closed.store(true, Ordering::Release);
        if !self.ended.swap(true, Ordering::AcqRel) && (result.is_err() || !self.left.load(Ordering::Acquire))
        {
            receiver.ended(self.place);
        }
    }
}

/// Writes what readers have sent and nobody else has written yet, as long as the process lives.
fn write_all_kept(peers: Vec<Arc<Peer>>, (wanted, changed): &(Mutex<bool>, Condvar)) {
    loop {
        let mut wanted = wanted.lock();
        while !std::mem::take(&mut *wanted) {
            changed.wait(&mut wanted);
        }
        drop(wanted);
        for peer in &peers {
            if peer.keeps.load(Ordering::Acquire) && peer.write_kept(&mut peer.out.lock()).is_err() {
                peer.closed.store(true, Ordering::Release);
            }
        }
    }
}

fn start_thread(name: String, work: impl FnOnce() + Send + 'static) {
    let spawned = std::thread::Builder::new().name(name).spawn(work);
    // Without its reader a connection is dead; the process is out of threads and cannot go on.
    spawned.expect("a thread for a connection to another place");
}

/// Closes the pipes of places whose connection ends: what they wrote before is read all the same.
fn watch(mut peers: Vec<Arc<Peer>>) {
    while !peers.is_empty() {
        let entry =
            |peer: &Arc<Peer>| libc::pollfd { fd: peer.stream.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let mut entries: Vec<libc::pollfd> = peers.iter().map(entry).collect();
        // SAFETY: so many valid entries.
        unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as libc::nfds_t, -1) };
        let mut index = 0;
        peers.retain(|peer| {
            let quiet = entries[index].revents == 0;
            index += 1;
            if !quiet && let Some(pipes) = &peer.pipes {
                pipes.out.abandon();
                pipes.input.end();
            }
            quiet
        });
    }
}

/// Reads until the other end closes.
fn read_all(stream: TcpStream, peer: &Peer, receiver: &dyn Receiver) -> io::Result<()> {
    let mut input = io::BufReader::with_capacity(1 << 16, stream);
    while read_frame(&mut input, peer, receiver)? {}
    Ok(())
}

/// Where frames come from.
trait Source: Read {
    /// The next piece, or nothing of it: written here, or lent.
    fn piece(&mut self, lent: bool, length: u64, memory: Option<&mut [u8]>) -> io::Result<()>;
}

impl Source for io::BufReader<TcpStream> {
    fn piece(&mut self, _: bool, length: u64, memory: Option<&mut [u8]>) -> io::Result<()> {
        written_piece(self, length, memory)
    }
}

impl Source for Pipe {
    fn piece(&mut self, lent: bool, length: u64, memory: Option<&mut [u8]>) -> io::Result<()> {
        if lent && frame::is_lent(length) { self.fetch(memory) } else { written_piece(self, length, memory) }
    }
}

fn written_piece(input: &mut dyn Read, length: u64, memory: Option<&mut [u8]>) -> io::Result<()> {
    match memory {
        Some(memory) => read_into_heap(input, memory),
        None => frame::skip(input, length),
    }
}

/// Fills memory that may be an object's.
fn read_into_heap(input: &mut dyn Read, mut memory: &mut [u8]) -> io::Result<()> {
    while !memory.is_empty() {
        let (at, length) = (memory.as_ptr() as usize, memory.len());
        match watch::written_by_system(at, length, || input.read(memory)) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => memory = &mut memory[read..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads and deals with one frame; false at the end.
fn read_frame(input: &mut dyn Source, peer: &Peer, receiver: &dyn Receiver) -> io::Result<bool> {
    let Some(head) = frame::read_head(input)? else { return Ok(false) };
    reading(|| deal_with(input, head, peer, receiver)).map(|()| true)
}

/// Deals with something that has come: what is sent meanwhile must not wait.
fn reading<R>(work: impl FnOnce() -> R) -> R {
    // Not a guard: a panic on such a thread ends the process.
    let outer = READS.replace(true);
    let result = work();
    READS.set(outer);
    result
}

fn deal_with(input: &mut dyn Source, head: Head, peer: &Peer, receiver: &dyn Receiver) -> io::Result<()> {
    match head.class {
        Class::Message => read_message(input, head, peer.place, receiver)?,
        Class::Put => read_put(input, head, peer.place, receiver)?,
        Class::Farewell => peer.left.store(true, Ordering::Release),
    }
    Ok(())
}

fn read_message(input: &mut dyn Source, head: Head, from: u32, receiver: &dyn Receiver) -> io::Result<()> {
    let table = match head.header {
        0 => Vec::new(),
        length => frame::parts(&frame::read_bytes(input, length.into())?)?,
    };
    let bytes = table.iter().try_fold(head.body, |left, [_, _, bytes]| left.checked_sub(*bytes));
    let bytes = bytes.ok_or(io::ErrorKind::InvalidData)?;
    let body = frame::read_bytes(input, bytes)?;
    let mut parts = Vec::new();
    for [ty, length, bytes] in table {
        parts.push(match receiver.begin_part(ty, length, bytes) {
            Some((target, object)) => {
                // SAFETY: the elements of a new object that nobody else knows.
                let memory =
                    unsafe { std::slice::from_raw_parts_mut(target.address, target.length as usize) };
                input.piece(head.lent, bytes, Some(memory))?;
                Received::Object(object)
            }
            None => Received::Bytes(read_unplaced(input, head.lent, bytes)?),
        });
    }
    receiver.message(from, head.kind, Cow::Owned(body), parts);
    Ok(())
}

/// A part that there is no room for in the heap.
fn read_unplaced(input: &mut dyn Source, lent: bool, bytes: u64) -> io::Result<Vec<u8>> {
    if !(lent && frame::is_lent(bytes)) {
        return frame::read_bytes(input, bytes);
    }
    let mut memory = Vec::new();
    let length = usize::try_from(bytes).map_err(|_| io::ErrorKind::InvalidData)?;
    memory.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    memory.resize(length, 0);
    input.piece(lent, bytes, Some(&mut memory))?;
    Ok(memory)
}

fn read_put(input: &mut dyn Source, head: Head, from: u32, receiver: &dyn Receiver) -> io::Result<()> {
    let header = frame::read_bytes(input, u64::from(head.header))?;
    let target = receiver.begin_put(from, head.kind, &header, head.body);
    let target = target.filter(|target| target.length == head.body);
    match target {
        Some(target) => {
            // SAFETY: the receiver gave out this memory until `end_put`; only this thread writes it.
            let memory = unsafe { std::slice::from_raw_parts_mut(target.address, target.length as usize) };
            input.piece(head.lent, head.body, Some(memory))?;
        }
        None => input.piece(head.lent, head.body, None)?,
    }
    receiver.end_put(from, head.kind, header, target.is_some());
    Ok(())
}
