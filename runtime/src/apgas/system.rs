//! A place: its endpoint, accelerators and topology, and sending messages.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};

use crate::apgas::deadlock::message_counts::MessageCounts;
use crate::apgas::engine::Engine;
use crate::apgas::failure::{Cause, DeadPlace, DeadPlacePolicy, FailFast, Undelivered};
use crate::apgas::message::{Message, PutHeader};
use crate::apgas::observed_endpoint::observe;
use crate::apgas::protocol_state::ProtocolState;
use crate::base::ending::{End, Ending};
use crate::base::fatal;
use crate::base::place::{self, PlaceHeader, PlaceId, here};
use crate::cache::Cache;
use crate::device::{self, Device, DeviceError};
use crate::heap;
use crate::heap::{Handle, Ref};
use crate::net::device_memory::{DeviceMemory, DevicePuts};
use crate::net::endpoint::{Endpoint, PlaceEnded, PutTarget, Receiver};
use crate::scheduler::PollPolicy;
use crate::serialize::TypeTable;
use crate::serialize::out_of_band;
use crate::serialize::out_of_band::Part;
use crate::topology::{Accelerator, Selection, Topology};

/// A place: its network, accelerators, and the state of its protocols. A process that runs a program has one;
/// under test it may have several, each with threads that work for it ([`System::enter`]).
pub struct System {
    endpoint: Arc<dyn Endpoint>,
    /// By which lower layers know it.
    header: PlaceHeader,
    here: PlaceId,
    hosts: u32,
    /// The selected accelerators; found when first needed if the selection is automatic.
    selection: Selection,
    own: OnceLock<Vec<Accelerator>>,
    topology: OnceLock<Topology>,
    /// In the order of [`System::own`], opened when first used.
    devices: OnceLock<Vec<DeviceSlot>>,
    engine: OnceLock<Arc<dyn Engine>>,
    /// Place 0 collects what the others have, or has done so.
    topology_requested: AtomicBool,
    accelerators_reported: Mutex<Vec<Option<Vec<Accelerator>>>>,
    changed: Condvar,
    /// The status with which place 0 has ended the program.
    end: OnceLock<i32>,
    /// Says what a dead place means.
    policy: Box<dyn DeadPlacePolicy>,
    /// Of the protocols with other places.
    pub(super) state: ProtocolState,
}

/// A device, or why it cannot be used.
type DeviceSlot = OnceLock<Result<Arc<Device>, DeviceError>>;

/// The place that the calling thread works for.
///
/// # Panics
/// If there is none: the runtime's own mistake.
pub fn system() -> &'static System {
    // SAFETY: null, or the place of that header, which is never freed.
    let system = unsafe { place::current().system.load(Ordering::Relaxed).cast::<System>().as_ref() };
    system.expect("places are started before anything else")
}

/// The calling thread works for a place until this is dropped.
pub struct Entered {
    outer: Option<&'static PlaceHeader>,
    /// It belongs to the thread.
    not_send: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        place::replace_current(self.outer);
    }
}

/// Makes this process a place, whose messages go to `receiver`. Returns when all places know each other.
pub(crate) fn start(
    endpoint: Arc<dyn Endpoint>,
    selection: Selection,
    ending: &'static Ending,
    receiver: impl FnOnce(&'static System) -> Arc<dyn Receiver>,
) -> Result<&'static System, String> {
    let place = System::new(endpoint, selection, Box::new(FailFast::default()), ending);
    if !place::set_process(&place.header) {
        return Err("this process is a place already".to_owned());
    }
    place.open(receiver(place))?;
    Ok(place)
}

impl System {
    /// A place of an endpoint, which lives as long as the process: threads and objects refer to it.
    pub(crate) fn new(
        endpoint: Arc<dyn Endpoint>,
        selection: Selection,
        policy: Box<dyn DeadPlacePolicy>,
        ending: &'static Ending,
    ) -> &'static System {
        let (here, hosts) = (endpoint.here(), endpoint.hosts());
        let place: &'static System = Box::leak(Box::new(System {
            endpoint: observe(endpoint),
            header: PlaceHeader::new(here),
            here,
            hosts,
            selection,
            own: OnceLock::new(),
            topology: OnceLock::new(),
            devices: OnceLock::new(),
            engine: OnceLock::new(),
            topology_requested: AtomicBool::new(false),
            accelerators_reported: Mutex::new(vec![None; hosts as usize]),
            changed: Condvar::new(),
            end: OnceLock::new(),
            policy,
            state: ProtocolState::default(),
        }));
        place.header.set_ending(ending);
        place.header.system.store(std::ptr::from_ref(place).cast_mut().cast(), Ordering::Release);
        place
    }

    /// Has messages handled by `receiver` from now on.
    pub(crate) fn open(&self, receiver: Arc<dyn Receiver>) -> Result<(), String> {
        if self.selection != Selection::Auto {
            // Accelerators selected by number must exist.
            self.find_accelerators()?;
        }
        let started = self.endpoint.start(receiver);
        started.map_err(|error| format!("{} cannot start a thread for its connections: {error}", self.here))
    }

    /// The calling thread works for this place until the guard is dropped.
    pub fn enter(&'static self) -> Entered {
        Entered { outer: place::replace_current(Some(&self.header)), not_send: PhantomData }
    }

    /// Activities and program; waits until [`System::attach`].
    pub fn engine(&self) -> &Arc<dyn Engine> {
        self.engine.wait()
    }

    /// From now on, messages are handled.
    pub fn attach(&'static self, engine: Arc<dyn Engine>) {
        let first = self.engine.set(engine).is_ok();
        debug_assert!(first, "one program a place");
        // Several places of a process get their messages from a thread.
        if self.hosts() > 1 && place::is_process(&self.header) {
            let endpoint = &*self.endpoint;
            crate::scheduler::set_poller(PollPolicy {
                poller: self,
                processes: endpoint.places_sharing_cpus() as usize,
                is_by_idle_workers: endpoint.needs_polling(),
                is_costly: endpoint.polls_by_system_calls(),
                waiter: endpoint.waiter(),
            });
        }
    }

    /// Its number.
    pub(crate) fn here(&self) -> PlaceId {
        self.here
    }

    /// How many host places there are.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// A host place in words, with its host where there are several.
    pub(crate) fn describe_place(&self, place: PlaceId) -> String {
        self.endpoint.describe(place)
    }

    /// All places. Accelerators are looked for on the first call, which may take a moment: a driver starts
    /// slowly, and most programs never ask.
    pub fn topology(&'static self) -> &'static Topology {
        if self.hosts() == 1 {
            return self.topology.get_or_init(|| Topology::new(vec![self.own().to_vec()]));
        }
        if self.topology.get().is_none() {
            self.request_topology();
        }
        self.topology.wait()
    }

    /// This host's accelerators.
    pub(super) fn own(&self) -> &[Accelerator] {
        // A selection that fails here is `auto`, for which none is an answer.
        self.own.get_or_init(|| self.describe().unwrap_or_default())
    }

    fn find_accelerators(&self) -> Result<(), String> {
        let found = self.describe()?;
        self.own.get_or_init(|| found);
        Ok(())
    }

    fn describe(&self) -> Result<Vec<Accelerator>, String> {
        let ordinals = self.selection.resolve(&device::count)?;
        ordinals.into_iter().map(|ordinal| device::describe(ordinal).map_err(|error| error.message)).collect()
    }

    /// The device behind an accelerator place of this host.
    pub fn device(&'static self, place: i64) -> Result<&'static Arc<Device>, DeviceError> {
        let topology = self.topology();
        let index = match (topology.parent(place), topology.child_index(place)) {
            (Some(host), Some(index)) if host == i64::from(here()) => Some(index as usize),
            _ => None,
        };
        let slots = self.devices.get_or_init(|| self.own().iter().map(|_| OnceLock::new()).collect());
        // Place 0 may say that there are more than this place has found.
        let found = index.and_then(|index| Some((slots.get(index)?, self.own().get(index)?)));
        let Some((slot, accelerator)) = found else {
            let message = format!("Place({place}) is not an accelerator of Place({})", here().0);
            return Err(DeviceError::new(device::Kind::BadPlace, message));
        };
        slot.get_or_init(|| Device::open(accelerator.ordinal, kernel_cache())).as_ref().map_err(Clone::clone)
    }

    /// The device behind an accelerator place of this host if it is in use.
    pub(super) fn open_device(&'static self, place: i64) -> Option<Arc<Device>> {
        self.open_devices().into_iter().find(|(it, _)| *it == place).map(|(_, device)| device)
    }

    /// Devices in use, with their places.
    pub fn open_devices(&'static self) -> Vec<(i64, Arc<Device>)> {
        let Some(slots) = self.devices.get() else { return Vec::new() };
        let places = self.topology().children(i64::from(here()));
        let open =
            |slot: &OnceLock<Result<Arc<Device>, DeviceError>>| slot.get()?.as_ref().ok().map(Arc::clone);
        places.zip(slots).filter_map(|(place, slot)| Some((place, open(slot)?))).collect()
    }

    /// Sends a message to a host place.
    ///
    /// # Errors
    /// The place has ended.
    pub fn send(&self, to: PlaceId, message: &Message) -> Result<(), PlaceEnded> {
        let mut body = Vec::new();
        message.encode(&mut body);
        if !message.is_control() {
            self.header.part::<MessageCounts>().count_sent();
        }
        self.endpoint.send(to, &body, &[])
    }

    /// Sends an encoded message that is not [control](Message::is_control), its payload and out-of-band
    /// parts.
    ///
    /// # Errors
    /// The place has ended.
    pub fn send_encoded(&self, to: PlaceId, body: &[u8], parts: &[Part]) -> Result<(), PlaceEnded> {
        self.header.part::<MessageCounts>().count_sent();
        self.endpoint.send(to, body, parts)
    }

    /// Sends an encoded message whose sender polls for the answer: see [`Endpoint::send_request`].
    ///
    /// # Errors
    /// The place has ended.
    pub fn send_request(&self, to: PlaceId, body: &[u8]) -> Result<bool, PlaceEnded> {
        self.header.part::<MessageCounts>().count_sent();
        self.endpoint.send_request(to, body)
    }

    /// Sends bytes to memory of another host place.
    ///
    /// # Errors
    /// The place has ended.
    pub fn put(&self, to: PlaceId, header: &PutHeader, data: &[u8]) -> Result<(), PlaceEnded> {
        self.header.part::<MessageCounts>().count_sent();
        self.endpoint.put(to, &header.encode(), data)
    }

    /// Puts from memory of accelerators, if the transport has them.
    pub(super) fn device_puts(&self) -> Option<&dyn DevicePuts> {
        self.endpoint.device_puts()
    }

    /// Sends bytes of an accelerator by [`System::device_puts`], and leaves it to the policy if the place has
    /// ended.
    pub(super) fn deliver_device_put(
        &self,
        puts: &dyn DevicePuts,
        to: PlaceId,
        header: &PutHeader,
        source: &DeviceMemory,
    ) {
        self.header.part::<MessageCounts>().count_sent();
        puts.put_from_device(to, &header.encode(), source)
            .unwrap_or_else(|ended| self.undelivered(ended, Undelivered::Copy));
    }

    /// Sends a message, and leaves it to the policy if the place has ended.
    pub(crate) fn deliver(&self, to: PlaceId, message: &Message, what: Undelivered) {
        self.send(to, message).unwrap_or_else(|ended| self.undelivered(ended, what));
    }

    /// Puts bytes, and leaves it to the policy if the place has ended.
    pub(crate) fn deliver_put(&self, to: PlaceId, header: &PutHeader, data: &[u8]) {
        self.put(to, header, data).unwrap_or_else(|ended| self.undelivered(ended, Undelivered::Copy));
    }

    /// A message cannot be delivered.
    #[cold]
    pub(crate) fn undelivered(&self, PlaceEnded(place): PlaceEnded, what: Undelivered) {
        self.on_dead_place(place, Cause::Undelivered(what));
    }

    /// A place was found dead: the policy decides, unless the program has ended anyway.
    pub(super) fn on_dead_place(&self, place: PlaceId, cause: Cause) {
        if !self.has_ended() {
            let name = self.describe_place(place);
            let waiting = self.state.finishes.waiting_for(self.here, place);
            self.policy.on_dead_place(DeadPlace { place, name, cause, observer: self.here, waiting });
        }
    }

    /// Place 0: notifies the other places of the end of the program, and shuts down. Another place: requests
    /// the end from place 0.
    pub fn end_program(&self, code: i32) {
        let message = Message::ProgramEnd(code);
        if here() != PlaceId::ZERO {
            return self.deliver(PlaceId::ZERO, &message, Undelivered::End);
        }
        // A place that has ended already is none that the program loses.
        self.end.get_or_init(|| code);
        self.deliver_to_others(&message, Undelivered::End);
        self.endpoint.shutdown();
    }

    /// Place 0 sends a message to all others.
    fn deliver_to_others(&self, message: &Message, what: Undelivered) {
        PlaceId::first(self.hosts()).skip(1).for_each(|place| self.deliver(place, message, what));
    }

    /// At places other than 0: waits for the end of the program, which has completed, and shuts down.
    pub(crate) fn leave_program(&self) {
        self.end.wait();
        self.endpoint.shutdown();
    }

    /// Has place 0 collect the accelerators of all hosts, unless it does so already.
    pub(super) fn request_topology(&'static self) {
        if here() != PlaceId::ZERO {
            return self.deliver(PlaceId::ZERO, &Message::TopologyRequest, Undelivered::Topology);
        }
        if !self.topology_requested.swap(true, Ordering::Relaxed) {
            run_in_thread("apg-topology", move || self.collect());
        }
    }

    /// Place 0 collects the accelerators of all hosts, numbers the places, and sends the topology to all.
    fn collect(&self) {
        self.deliver_to_others(&Message::AcceleratorsRequest, Undelivered::Topology);
        let own = self.own().to_vec();
        let mut accelerators_reported = lock(&self.accelerators_reported);
        accelerators_reported[0] = Some(own);
        while accelerators_reported.iter().any(Option::is_none) {
            accelerators_reported =
                self.changed.wait(accelerators_reported).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        let topology = Topology::new(
            accelerators_reported.iter_mut().map(|own| own.take().unwrap_or_default()).collect(),
        );
        self.deliver_to_others(&Message::Topology(topology.clone()), Undelivered::Topology);
        self.topology.get_or_init(|| topology);
    }

    /// Allocates the object of an arriving out-of-band part.
    pub(super) fn allocate_part(&self, ty: u64, length: u64, bytes: u64) -> Option<(PutTarget, Handle)> {
        let ty = TypeTable(self.engine().types()).get(ty)?;
        let bytes = usize::try_from(bytes).ok()?;
        if !out_of_band::is_part(ty, bytes)
            || usize::try_from(length).ok()?.checked_mul(ty.element_bytes()) != Some(bytes)
        {
            return None;
        }
        let object = heap::allocate_unwritten(ty, i64::try_from(length).ok()?)?;
        let target = PutTarget { address: object.at(ty.size as usize), length: bytes as u64 };
        Some((target, Handle::new(object)))
    }

    /// A host has reported its accelerators.
    pub(super) fn accelerators_reported(&self, from: PlaceId, own: Vec<Accelerator>) {
        if let Some(slot) = lock(&self.accelerators_reported).get_mut(from.index()) {
            *slot = Some(own);
        }
        self.changed.notify_all();
    }

    /// Place 0 has sent the topology.
    pub(super) fn set_topology(&self, topology: Topology) {
        self.topology.get_or_init(|| topology);
    }

    /// Place 0 has ended the program.
    pub(super) fn has_ended(&self) -> bool {
        self.end.get().is_some() || self.header.ending().failure().is_some()
    }

    pub(super) fn on_program_end(&self, from: PlaceId, code: i32) {
        if from == PlaceId::ZERO {
            self.end.get_or_init(|| code);
            self.header.ending().set(End::Completed(code));
        } else if let Some(engine) = self.engine.get() {
            engine.end(code);
        }
    }
}

/// Runs `work` in an activity that no finish waits for.
pub(crate) fn spawn_uncounted(work: impl FnOnce() + Send + 'static) {
    let scope = system().engine().uncounted();
    scope.enter();
    let work = move || {
        work();
        Ref::NULL
    };
    system().engine().spawn(scope, Box::new(work));
}

/// Where compiled kernels are kept. Without a cache that can be trusted they are compiled in each run.
fn kernel_cache() -> Option<Cache> {
    let cache = Cache::default();
    match cache.prepare() {
        Ok(()) => Some(cache),
        Err(error) => {
            report!("apg: warning: kernels are compiled and not kept: {error}");
            None
        }
    }
}

/// Runs something in a thread of its own: a thread that receives messages has others to read.
pub(crate) fn run_in_thread(name: &str, work: impl FnOnce() + Send + 'static) {
    let place = system();
    let work = move || {
        let _place = place.enter();
        work();
    };
    if let Err(error) = std::thread::Builder::new().name(name.to_owned()).spawn(work) {
        // Activities that wait for the answer cannot continue either.
        report!("apg: {}: cannot start a thread: {error}", here());
        fatal::fail(1);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl crate::scheduler::MessagePoller for System {
    fn announce(&self, begins: bool) {
        self.endpoint.set_polled(begins);
    }

    fn poll(&self) -> bool {
        self.endpoint.poll()
    }

    fn is_answered(&self, by: PlaceId) -> bool {
        self.endpoint.end_request(by)
    }
}

/// An exception object for a device's error.
pub fn device_exception(error: &DeviceError) -> Ref {
    use crate::layout::ExceptionKind;
    let kind = match error.kind {
        device::Kind::OutOfMemory => ExceptionKind::OutOfMemory,
        device::Kind::IllegalArgument => ExceptionKind::IllegalArgument,
        device::Kind::IllegalOperation => ExceptionKind::IllegalOperation,
        device::Kind::NegativeSize => ExceptionKind::NegativeArraySize,
        device::Kind::BadPlace => ExceptionKind::BadPlace,
        device::Kind::Unsupported => ExceptionKind::UnsupportedOperation,
        device::Kind::Bounds => ExceptionKind::ArrayIndexOutOfBounds,
        device::Kind::NullPointer => ExceptionKind::NullPointer,
        device::Kind::Arithmetic => ExceptionKind::Arithmetic,
        device::Kind::Internal => ExceptionKind::Internal,
    };
    system().engine().exception(kind, &error.message)
}
