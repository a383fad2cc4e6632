//! The endpoint of a place whose messages MPI carries.
//!
//! Waiting inside MPI burns a CPU, so nothing waits there: a thread looks for messages again and again, with
//! pauses that grow while nothing comes, and idle workers look too ([`Endpoint::poll`]). A message handler
//! never waits, neither for its own sends nor for those of others: what it sends is copied, and completed
//! later; frames that it cannot send since another thread is sending enter a backlog.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::base::place::PlaceId;
use crate::heap;
use crate::heap::page_watch;
use crate::net::endpoint::{Endpoint, PlaceEnded, Receiver, deliver_message_locally, deliver_put};
use crate::net::frame::assembly::{Assembly, Delivery};
use crate::net::frame::encoding::{Frame, FrameKind};
use crate::net::mesh::endpoint::Mesh;
use crate::net::mesh::peer::{in_handler, run_handler};
use crate::net::mpi::shim::{Arrival, Mpi, Request};
use crate::serialize::out_of_band::Part;

/// Bytes up to which a run is copied, and sent with what stands before and behind it.
const MAX_COPIED_SIZE: usize = 16 << 10;
/// Maximum size of a piece.
const MAX_PIECE_SIZE: usize = 8 << 20;
/// Messages that are handled before other work of the thread.
const MAX_ARRIVALS_PER_POLL: usize = 32;
/// How long MPI may take to end: MPICH over UCX can wait forever for a connection whose other end has left.
const FINALIZE_TIMEOUT: Duration = Duration::from_secs(3);
/// How long the other places may take to come to the end.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// A place whose messages MPI carries, and whose connections show that the others live.
pub struct MpiEndpoint {
    shared: Arc<Shared>,
}

struct Shared {
    mesh: Mesh,
    mpi: Mpi,
    /// For sending, by place.
    out: Vec<Out>,
    /// Frames in all backlogs.
    queued: AtomicUsize,
    /// Nothing more can be sent, by place.
    closed: Vec<AtomicBool>,
    /// What is being received; its holder receives.
    inbox: Mutex<Inbox>,
    /// Sends that nothing waits for, with their bytes.
    unfinished: Mutex<Vec<(Request, Vec<u8>)>>,
    receiver: OnceLock<Arc<dyn Receiver>>,
    /// The program ends.
    ends: AtomicBool,
}

#[derive(Default)]
struct Out {
    /// Held while a frame is sent: its pieces follow each other.
    order: Mutex<()>,
    /// Frames that handlers could not send, oldest first; taken only by the holder of `order`.
    backlog: Mutex<VecDeque<Vec<u8>>>,
}

struct Inbox {
    /// By place.
    assemblies: Vec<Assembly>,
    buffer: Vec<u8>,
    /// Places announce their end over their connections.
    left: AtomicBool,
}

/// Growing pauses of a thread that waits.
#[derive(Default)]
struct Pause(u32);

impl Pause {
    fn take(&mut self) {
        const YIELDS: u32 = 64;
        const MAX_SLEEP: Duration = Duration::from_micros(500);
        if self.0 < YIELDS {
            std::thread::yield_now();
        } else {
            let sleep = Duration::from_micros(10 << ((self.0 - YIELDS) / 8).min(6));
            heap::while_parked(|| std::thread::sleep(sleep.min(MAX_SLEEP)));
        }
        self.0 = self.0.saturating_add(1);
    }
}

impl MpiEndpoint {
    /// Initialises MPI, which all places have to do, on the first thread of each.
    ///
    /// # Errors
    /// There is no MPI, or it is not the one whose launcher has started the places.
    pub fn new(mesh: Mesh, compiler: Option<&Path>) -> Result<MpiEndpoint, String> {
        let places = mesh.hosts();
        let mpi = Mpi::open(compiler, places)?;
        if mpi.rank != mesh.here().0 {
            return Err(format!(
                "MPI counts {} as process {}: the launcher numbers its processes anew",
                mesh.here(),
                mpi.rank
            ));
        }
        debug_assert_eq!(mpi.size, places);
        let inbox = Inbox {
            assemblies: (0..places).map(|_| Assembly::default()).collect(),
            buffer: Vec::new(),
            left: AtomicBool::new(false),
        };
        let shared = Shared {
            mesh,
            mpi,
            out: (0..places).map(|_| Out::default()).collect(),
            queued: AtomicUsize::new(0),
            closed: (0..places).map(|_| AtomicBool::new(false)).collect(),
            inbox: Mutex::new(inbox),
            unfinished: Mutex::default(),
            receiver: OnceLock::new(),
            ends: AtomicBool::new(false),
        };
        Ok(MpiEndpoint { shared: Arc::new(shared) })
    }

    fn own(&self) -> Result<&Arc<dyn Receiver>, PlaceEnded> {
        self.shared.receiver.get().ok_or(PlaceEnded(self.here()))
    }

    fn transmit(&self, to: PlaceId, frame: Frame<'_>) -> Result<(), PlaceEnded> {
        let shared = &*self.shared;
        let out = shared.out.get(to.index()).ok_or(PlaceEnded(to))?;
        if shared.ends.load(Ordering::Acquire) || shared.closed[to.index()].load(Ordering::Acquire) {
            return Err(PlaceEnded(to));
        }
        shared.send_frame(to, out, frame).map_err(|error| {
            shared.fail(to, error);
            PlaceEnded(to)
        })
    }
}

/// Sends what is written to a place: short runs together, long ones from where they are.
struct Pieces<'a> {
    shared: &'a Shared,
    to: PlaceId,
    /// Whether the caller may wait for the end of a send.
    waits: bool,
    copied: Vec<u8>,
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() <= MAX_COPIED_SIZE {
            self.copied.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        self.flush()?;
        let piece = &bytes[..bytes.len().min(MAX_PIECE_SIZE)];
        match self.waits {
            true => self.shared.send_and_wait(piece, self.to)?,
            false => self.shared.send_copy(piece.to_vec(), self.to)?,
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match std::mem::take(&mut self.copied) {
            copied if copied.is_empty() => Ok(()),
            copied => self.shared.send_copy(copied, self.to),
        }
    }
}

impl Shared {
    /// Sends a frame behind the backlog. A message handler does not wait for another sender, who may wait
    /// for a place whose handlers wait too.
    fn send_frame(&self, to: PlaceId, out: &Out, frame: Frame<'_>) -> io::Result<()> {
        let waits = !in_handler();
        let order = match waits {
            true => Some(out.order.lock()),
            false => out.order.try_lock(),
        };
        match order {
            Some(_order) => {
                self.send_queued(to, out)?;
                let mut pieces = Pieces { shared: self, to, waits, copied: Vec::new() };
                frame.write(&mut pieces)?;
                pieces.flush()?;
            }
            None => {
                let mut bytes = Vec::with_capacity(frame.max_length());
                frame.write(&mut bytes)?;
                self.queued.fetch_add(1, Ordering::AcqRel);
                out.backlog.lock().push_back(bytes);
            }
        }
        self.send_backlog(to, out)
    }

    /// Sends the backlog unless another thread sends to the place, which then does so at its end.
    fn send_backlog(&self, to: PlaceId, out: &Out) -> io::Result<()> {
        // Checked without `order`: a handler may have added to it just before `order` was released.
        while !out.backlog.lock().is_empty()
            && let Some(_order) = out.order.try_lock()
        {
            self.send_queued(to, out)?;
        }
        Ok(())
    }

    /// Sends the backlog without waiting; the caller holds `order`.
    fn send_queued(&self, to: PlaceId, out: &Out) -> io::Result<()> {
        loop {
            // Not held during a send: a handler may add to it.
            let next = out.backlog.lock().pop_front();
            let Some(bytes) = next else { return Ok(()) };
            let mut pieces = Pieces { shared: self, to, waits: false, copied: Vec::new() };
            let sent = match self.closed[to.index()].load(Ordering::Acquire) {
                true => Ok(()),
                false => pieces.write_all(&bytes).and_then(|()| pieces.flush()),
            };
            // Only now: until then the program does not end.
            self.queued.fetch_sub(1, Ordering::AcqRel);
            sent?;
        }
    }

    /// Sends the backlogs that no other thread sends.
    fn send_all_backlogs(&self) {
        if self.queued.load(Ordering::Acquire) == 0 {
            return;
        }
        for (to, out) in PlaceId::first(self.mesh.hosts()).zip(&self.out) {
            if let Err(error) = self.send_backlog(to, out) {
                self.fail(to, error);
            }
        }
    }

    fn send_and_wait(&self, bytes: &[u8], to: PlaceId) -> io::Result<()> {
        // SAFETY: borrowed until the request is done or MPI has ended; a piece is short enough.
        let request = unsafe { self.mpi.send(bytes, to) }?;
        self.wait(request)
    }

    fn send_copy(&self, bytes: Vec<u8>, to: PlaceId) -> io::Result<()> {
        // SAFETY: the bytes are kept, where they are, until the request is done.
        let request = unsafe { self.mpi.send(&bytes, to) }?;
        if let Some(request) = self.mpi.test(request)? {
            self.unfinished.lock().push((request, bytes));
        }
        Ok(())
    }

    fn wait(&self, mut request: Request) -> io::Result<()> {
        let mut pause = Pause::default();
        while let Some(unfinished) = self.mpi.test(request)? {
            request = unfinished;
            pause.take();
        }
        Ok(())
    }

    /// Completes sends, and handles what has come; whether anything had.
    fn progress(&self) -> bool {
        let Some(receiver) = self.receiver.get() else { return false };
        let Some(mut inbox) = self.inbox.try_lock() else { return false };
        self.send_all_backlogs();
        self.complete_sends();
        let mut has_come = false;
        for _ in 0..MAX_ARRIVALS_PER_POLL {
            let arrival = match self.mpi.probe() {
                Ok(Some(arrival)) => arrival,
                Ok(None) => break,
                Err(error) => {
                    // MPI does not say whose message it is.
                    let place = PlaceId::first(self.mesh.hosts()).find(|place| *place != self.mesh.here());
                    self.fail(place.unwrap_or(PlaceId::ZERO), error);
                    break;
                }
            };
            has_come = true;
            let from = arrival.from;
            if let Err(error) = run_handler(|| inbox.receive(self, arrival, &**receiver)) {
                self.fail(from, error);
            }
        }
        has_come
    }

    fn complete_sends(&self) {
        let mut unfinished = self.unfinished.lock();
        for (request, bytes) in std::mem::take(&mut *unfinished) {
            // A send that has failed is noticed at the other end, whose messages do not come.
            if let Ok(Some(request)) = self.mpi.test(request) {
                unfinished.push((request, bytes));
            }
        }
    }

    /// Nothing more can be sent to a place or come from it.
    fn fail(&self, place: PlaceId, error: io::Error) {
        if let Some(closed) = self.closed.get(place.index())
            && !closed.swap(true, Ordering::AcqRel)
            && !self.ends.load(Ordering::Acquire)
            && let Some(receiver) = self.receiver.get()
        {
            receiver.peer_down(place, Some(error));
        }
    }

    /// Handles messages until the program ends.
    fn run(&self) {
        let mut pause = Pause::default();
        while !self.ends.load(Ordering::Acquire) {
            match self.progress() {
                true => pause = Pause::default(),
                false => pause.take(),
            }
        }
    }

    /// Waits until all places have sent everything and received it, and ends MPI.
    fn end(self: &Arc<Self>) {
        let deadline = Instant::now() + END_TIMEOUT;
        let mut pause = Pause::default();
        let mut barrier = None;
        loop {
            self.progress();
            let all_sent = self.queued.load(Ordering::Acquire) == 0 && self.unfinished.lock().is_empty();
            barrier = match barrier {
                None if all_sent => match self.mpi.barrier() {
                    Ok(request) => Some(request),
                    Err(_) => return,
                },
                None => None,
                Some(request) => match self.mpi.test(request) {
                    Ok(None) => break,
                    Ok(unfinished) => unfinished,
                    Err(_) => return,
                },
            };
            if Instant::now() >= deadline {
                // A place has ended without a word: its launcher ends the rest.
                return;
            }
            pause.take();
        }
        self.ends.store(true, Ordering::Release);
        // No other thread receives; those that send get errors from now on.
        let _inbox = self.inbox.lock();
        let (done, ended) = std::sync::mpsc::channel();
        let own = Arc::clone(self);
        let close = move || {
            own.mpi.close();
            let _ = done.send(());
        };
        // What is left is the end of this process, which a thread inside MPI does not delay.
        if std::thread::Builder::new().name("apg-mpi-end".to_owned()).spawn(close).is_ok() {
            let _ = ended.recv_timeout(FINALIZE_TIMEOUT);
        }
    }
}

impl Inbox {
    fn receive(&mut self, shared: &Shared, arrival: Arrival, receiver: &dyn Receiver) -> io::Result<()> {
        let (from, length) = (arrival.from, arrival.length);
        let Some(assembly) = self.assemblies.get_mut(from.index()) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a message of no place"));
        };
        let delivery = Delivery { from, receiver, left: &self.left };
        let into = |memory: *mut u8| {
            // SAFETY: the memory has `length` bytes, and is borrowed until the message has been received.
            let request = unsafe { shared.mpi.receive(arrival, memory) }?;
            shared.wait(request)
        };
        if let Some(target) = assembly.direct().filter(|target| target.len() >= length) {
            let memory = target.as_mut_ptr();
            let mut receive = Some(into);
            page_watch::written_by_system(memory as usize, length, || match receive.take() {
                Some(receive) => receive(memory),
                None => Err(io::ErrorKind::InvalidData.into()),
            })?;
            return assembly.filled(length, delivery);
        }
        self.buffer.resize(length, 0);
        into(self.buffer.as_mut_ptr())?;
        let result = assembly.feed(&self.buffer, delivery);
        // A long message is an exception.
        if length > MAX_COPIED_SIZE {
            self.buffer = Vec::new();
        }
        result
    }
}

impl Endpoint for MpiEndpoint {
    fn here(&self) -> PlaceId {
        self.shared.mesh.here()
    }

    fn hosts(&self) -> u32 {
        self.shared.mesh.hosts()
    }

    fn describe(&self, place: PlaceId) -> String {
        self.shared.mesh.describe(place)
    }

    fn start(&self, receiver: Arc<dyn Receiver>) -> io::Result<()> {
        self.shared.mesh.start(Arc::clone(&receiver))?;
        let first = self.shared.receiver.set(receiver).is_ok();
        debug_assert!(first, "an endpoint is started once");
        let shared = Arc::clone(&self.shared);
        std::thread::Builder::new().name("apg-mpi".to_owned()).spawn(move || shared.run()).map(drop)
    }

    fn send(&self, to: PlaceId, body: &[u8], parts: &[Part]) -> Result<(), PlaceEnded> {
        if to == self.here() {
            return deliver_message_locally(&**self.own()?, to, body, parts);
        }
        self.transmit(to, Frame { class: FrameKind::Message, header: &[], body, parts })
    }

    fn put(&self, to: PlaceId, header: &[u8], data: &[u8]) -> Result<(), PlaceEnded> {
        if to == self.here() {
            return deliver_put(&**self.own()?, to, header, data);
        }
        self.transmit(to, Frame { class: FrameKind::Put, header, body: data, parts: &[] })
    }

    fn needs_polling(&self) -> bool {
        true
    }

    fn places_sharing_cpus(&self) -> u32 {
        self.shared.mesh.places_sharing_cpus()
    }

    fn poll(&self) -> bool {
        !self.shared.ends.load(Ordering::Acquire) && self.shared.progress()
    }

    fn shutdown(&self) {
        self.shared.end();
        self.shared.mesh.shutdown();
    }
}
