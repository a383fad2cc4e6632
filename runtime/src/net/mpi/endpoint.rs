//! The endpoint of a place whose messages MPI carries.
//!
//! Waiting inside MPI burns a CPU, so nothing waits there: workers that are idle or wait for an answer poll
//! for messages ([`Endpoint::poll`]), and while none does, a thread polls, with pauses that grow while
//! nothing comes.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::base::place::PlaceId;
use crate::net::device_memory::{DeviceMemory, DevicePuts};
use crate::net::endpoint::{Endpoint, PlaceEnded, Receiver, deliver_message_locally, deliver_put};
use crate::net::frame::encoding::{Frame, FrameKind};
use crate::net::mesh::endpoint::Mesh;
use crate::net::mesh::peer::{in_handler, run_handler};
use crate::net::mpi::device_option;
use crate::net::mpi::inbox::Inbox;
use crate::net::mpi::library::Mpi;
use crate::net::mpi::outbox::{Body, MAX_COPIED_SIZE, Outbox};
use crate::net::mpi::pause::Pause;
use crate::serialize::out_of_band::Part;

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
    mpi: Arc<Mpi>,
    /// Memory of accelerators is passed to MPI.
    takes_device_memory: bool,
    outbox: Outbox,
    /// Its holder receives.
    inbox: Mutex<Inbox>,
    /// A worker polls, and the thread need not.
    is_polled: AtomicBool,
    receiver: OnceLock<Arc<dyn Receiver>>,
    /// The program ends.
    ends: AtomicBool,
}

impl MpiEndpoint {
    /// Initialises MPI, which all places have to do, on the first thread of each.
    ///
    /// # Errors
    /// There is no MPI, or it is not the one whose launcher has started the places.
    pub fn new(mesh: Mesh, compiler: Option<&Path>) -> Result<MpiEndpoint, String> {
        let places = mesh.hosts();
        let choice = device_option::from_environment()?;
        let mpi = Mpi::open(compiler, places)?;
        if mpi.rank != mesh.here().0 {
            return Err(format!(
                "MPI counts {} as process {}: the launcher numbers its processes anew",
                mesh.here(),
                mpi.rank
            ));
        }
        debug_assert_eq!(mpi.size, places);
        let takes_device_memory = choice.unwrap_or(mpi.knows_cuda);
        tracing::debug!(takes_device_memory, ?choice, "copies of memory of accelerators over MPI");
        let mpi = Arc::new(mpi);
        let inbox = Inbox::new(Arc::clone(&mpi), places).map_err(|error| error.to_string())?;
        let shared = Shared {
            mesh,
            outbox: Outbox::new(Arc::clone(&mpi), places),
            mpi,
            takes_device_memory,
            inbox: Mutex::new(inbox),
            is_polled: AtomicBool::new(false),
            receiver: OnceLock::new(),
            ends: AtomicBool::new(false),
        };
        Ok(MpiEndpoint { shared: Arc::new(shared) })
    }

    fn own(&self) -> Result<&Arc<dyn Receiver>, PlaceEnded> {
        self.shared.receiver.get().ok_or(PlaceEnded(self.here()))
    }

    /// Sends by `send` to another place.
    fn transmit(&self, to: PlaceId, send: impl FnOnce(&Outbox) -> io::Result<()>) -> Result<(), PlaceEnded> {
        let shared = &*self.shared;
        if shared.ends.load(Ordering::Acquire) || !shared.outbox.is_open(to) {
            return Err(PlaceEnded(to));
        }
        send(&shared.outbox).map_err(|error| {
            shared.fail(to, error);
            PlaceEnded(to)
        })
    }
}

impl Shared {
    /// Completes sends, and handles a message that has come; whether one had. Only one: the caller may wait
    /// for it, and each look for another costs as much as a message takes.
    fn progress(&self) -> bool {
        let Some(receiver) = self.receiver.get() else { return false };
        let Some(mut inbox) = self.inbox.try_lock() else { return false };
        self.outbox.send_all_backlogs(|to, error| self.fail(to, error));
        self.outbox.complete_sends();
        match inbox.arrival() {
            Ok(Some(arrival)) => {
                if let Err(error) = run_handler(|| inbox.receive(arrival, &**receiver)) {
                    self.fail(arrival.from, error);
                }
                true
            }
            Ok(None) => false,
            Err(error) => {
                // MPI does not say whose message it is.
                let place = PlaceId::first(self.mesh.hosts()).find(|place| *place != self.mesh.here());
                self.fail(place.unwrap_or(PlaceId::ZERO), error);
                false
            }
        }
    }

    /// Nothing more can be sent to a place or come from it.
    fn fail(&self, place: PlaceId, error: io::Error) {
        if self.outbox.close(place)
            && !self.ends.load(Ordering::Acquire)
            && let Some(receiver) = self.receiver.get()
        {
            receiver.peer_down(place, Some(error));
        }
    }

    /// Handles messages until the program ends.
    fn run(&self) {
        let mut pause = Pause::when_idle();
        while !self.ends.load(Ordering::Acquire) {
            if self.is_polled.load(Ordering::Relaxed) {
                Pause::take_longest();
                continue;
            }
            match self.progress() {
                true => pause = Pause::when_idle(),
                false => pause.take(),
            }
        }
    }

    /// Waits until all places have sent everything and received it, and ends MPI.
    fn end(self: &Arc<Self>) {
        let deadline = Instant::now() + END_TIMEOUT;
        let mut pause = Pause::when_idle();
        let mut barrier = None;
        loop {
            if self.progress() {
                pause = Pause::when_idle();
            }
            barrier = match barrier {
                None if self.outbox.is_empty() => match self.mpi.barrier() {
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
        let (done, ended) = std::sync::mpsc::channel();
        let own = Arc::clone(self);
        let close = move || {
            // Held from now on: no other thread receives; those that send get errors.
            let mut inbox = own.inbox.lock();
            inbox.withdraw();
            own.mpi.close();
            let _ = done.send(());
        };
        // What is left is the end of this process, which a thread inside MPI does not delay.
        if std::thread::Builder::new().name("apg-mpi-end".to_owned()).spawn(close).is_ok() {
            let _ = ended.recv_timeout(FINALIZE_TIMEOUT);
        }
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
        let frame = Frame { class: FrameKind::Message, header: &[], body, parts };
        self.transmit(to, |outbox| outbox.send_frame(to, frame))
    }

    fn put(&self, to: PlaceId, header: &[u8], data: &[u8]) -> Result<(), PlaceEnded> {
        if to == self.here() {
            return deliver_put(&**self.own()?, to, header, data);
        }
        if data.len() > MAX_COPIED_SIZE && !in_handler() {
            return self.transmit(to, |outbox| outbox.send_put(to, header, Body::Host(data)));
        }
        let frame = Frame { class: FrameKind::Put, header, body: data, parts: &[] };
        self.transmit(to, |outbox| outbox.send_frame(to, frame))
    }

    fn device_puts(&self) -> Option<&dyn DevicePuts> {
        self.shared.takes_device_memory.then_some(self as &dyn DevicePuts)
    }

    fn send_request(&self, to: PlaceId, body: &[u8]) -> Result<bool, PlaceEnded> {
        // Before the caller counts as polling: the send may wait for one of another thread, which ends only
        // when both places receive.
        self.send(to, body, &[])?;
        self.set_polled(true);
        Ok(true)
    }

    fn end_request(&self, _by: PlaceId) -> bool {
        self.set_polled(false);
        true
    }

    fn set_polled(&self, begins: bool) {
        self.shared.is_polled.store(begins, Ordering::Relaxed);
    }

    fn needs_polling(&self) -> bool {
        true
    }

    fn places_sharing_cpus(&self) -> u32 {
        self.shared.mesh.places_sharing_cpus()
    }

    fn is_local(&self, place: PlaceId) -> bool {
        self.shared.mesh.is_local(place)
    }

    fn poll(&self) -> bool {
        !self.shared.ends.load(Ordering::Acquire) && self.shared.progress()
    }

    fn shutdown(&self) {
        self.shared.end();
        self.shared.mesh.shutdown();
    }
}

impl DevicePuts for MpiEndpoint {
    fn put_from_device(&self, to: PlaceId, header: &[u8], source: &DeviceMemory) -> Result<(), PlaceEnded> {
        self.transmit(to, |outbox| outbox.send_put(to, header, Body::Device(source)))
    }
}
