//! Parallel regions on a GPU: one team over the whole device. Its blocks run at the same time, in a
//! cooperative launch, unless its threads are independent.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

use super::heap::Heap;
use super::host_calls::{HostCalls, end_all};
use super::layout::{CALLS, EXCHANGE_WORDS, Header, HostCall, Object, Private, Team, object_kind};
use super::pool::in_region;
use super::reach::{Naming, Registered};
use super::{DEVICE_PLACE, Request, environment_of, runtime_schedule};

use crate::device::team::{Reach, Shape, TeamStream};
use crate::device::{Device, DeviceError, Kind, STACK_VARIABLE};
use crate::layout::Kernel;
use crate::offload::layout::{list, text};
use crate::offload::recorded;
use crate::offload::regions::{Outcome, TargetError, without_place};
use crate::profile;

/// The stack of a thread, unless the variable says another size: functions that call themselves need it.
const STACK_BYTES: usize = 4096;

/// Bytes of a lock that only threads of the device take.
const LOCK_BYTES: usize = 128;

/// The alignment of copies of threadprivate objects, whose distances are multiples of it.
const COPY_ALIGNMENT: usize = 64;

/// How long a region waits for that of another thread before it looks whether that one is inside of a
/// function of the host.
const LOCK_TIMEOUT: Duration = Duration::from_millis(10);

/// What is kept of a GPU from one region to the next. A region at a time runs.
#[derive(Default)]
pub(super) struct Gpu {
    state: Mutex<Option<State>>,
    /// Counts the begins and the ends of functions of the host that regions call.
    served: AtomicU64,
    /// The calls of regions, behind the first region.
    calls: AtomicPtr<HostCall>,
    pub heap: Heap,
}

struct State {
    stream: TeamStream,
    reach: Reach,
    registered: Registered,
    /// Device memory for the team, and a team in front of its region, without its header.
    team: u64,
    fresh: u64,
    /// The header that the team has.
    header: Header,
    /// Device memory for the values of `copyprivate`.
    exchange: u64,
    /// Device memory for partial results of reductions: its address, and for how many blocks.
    partials: (u64, i32),
    calls: *mut HostCall,
    /// Device memory of locks, by the address of the program's object.
    locks: BTreeMap<usize, u64>,
    /// Tables of addresses in device memory, by the address of the program's table.
    tables: BTreeMap<usize, u64>,
    /// Copies of threadprivate objects: managed memory, and for how many threads.
    copies: BTreeMap<usize, (*mut u8, usize)>,
}

// SAFETY: memory of the process and of the device, which one region at a time uses.
unsafe impl Send for State {}

impl State {
    fn new(device: &Arc<Device>) -> Outcome<State> {
        let reach = device.reach().map_err(unavailable)?;
        let stack = match std::env::var(STACK_VARIABLE) {
            Ok(value) => value.trim().parse().map_err(|_| TargetError {
                message: format!("{STACK_VARIABLE} is `{value}`, which is no number of bytes"),
                hint: Some(format!("write {STACK_VARIABLE}=65536")),
            })?,
            Err(_) => STACK_BYTES,
        };
        // SAFETY: sets a parameter: registered pages of the heap stay where they are.
        unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX) };
        let stream = device.team_stream(stack)?;
        let bytes = Team::fresh_bytes();
        Ok(State {
            reach,
            registered: Registered::default(),
            team: device.upload_bytes(&stream, &bytes)?,
            fresh: device.upload_bytes(&stream, &bytes)?,
            header: Header::new(0, (0, 1)),
            stream,
            exchange: device.allocate_untracked((EXCHANGE_WORDS * 8) as u64)?,
            partials: (0, 0),
            calls: device.shared_words(CALLS * size_of::<HostCall>())?.cast(),
            locks: BTreeMap::new(),
            tables: BTreeMap::new(),
            copies: BTreeMap::new(),
        })
    }

    /// The address of the table of what kernels name.
    fn table(&mut self, device: &Device, request: &Request<'_>) -> Result<u64, DeviceError> {
        let key = request.objects.as_ptr() as usize;
        if let Some(known) = self.tables.get(&key) {
            return Ok(*known);
        }
        let mut words = Vec::with_capacity(request.objects.len() * 8);
        for object in request.objects {
            let address = match object.kind {
                object_kind::LOCK => self.lock(device, object.address as usize)?,
                _ => object.target() as u64,
            };
            words.extend(address.to_ne_bytes());
        }
        let address = device.upload_bytes(&self.stream, &words)?;
        self.tables.insert(key, address);
        Ok(address)
    }

    /// Device memory in place of a lock of the program: its threads alone take it.
    fn lock(&mut self, device: &Device, object: usize) -> Result<u64, DeviceError> {
        if let Some(known) = self.locks.get(&object) {
            return Ok(*known);
        }
        let address = device.upload_bytes(&self.stream, &[0; LOCK_BYTES])?;
        self.locks.insert(object, address);
        Ok(address)
    }

    /// Gives a threadprivate object copies for a number of threads. Those that are there keep their values.
    fn provide(
        &mut self,
        device: &Arc<Device>,
        heap: &Heap,
        private: &mut Private,
        threads: usize,
    ) -> Outcome<()> {
        let (stride, others) = (private.stride as usize, threads - 1);
        let (memory, count) = self.copies.entry(private.master as usize).or_insert((std::ptr::null_mut(), 0));
        if *count < others {
            let larger = heap.allocate(device, COPY_ALIGNMENT, others.saturating_mul(stride)).cast::<u8>();
            if larger.is_null() {
                let message = format!("{device} has no memory for {others} copies of a threadprivate object");
                let hint = "ask for fewer threads by `num_threads` or OMP_NUM_THREADS".to_owned();
                return Err(TargetError { message, hint: Some(hint) });
            }
            for number in 0..others {
                let (source, bytes) = match number < *count {
                    // SAFETY: a copy that is there.
                    true => (unsafe { memory.add(number * stride) }.cast_const(), stride),
                    false => (private.initial, private.bytes as usize),
                };
                // SAFETY: a copy of the new memory, which has this size; no region runs.
                unsafe { std::ptr::copy_nonoverlapping(source, larger.add(number * stride), bytes) };
            }
            heap.release(*memory as usize);
            (*memory, *count) = (larger, others);
        }
        private.copies = *memory;
        Ok(())
    }

    /// Makes what a region uses accessible for the device, and moves large allocations there.
    fn make_reachable(&mut self, device: &Device, heap: &Heap, request: &Request<'_>) -> Outcome<()> {
        if self.reach == Reach::All {
            return Ok(());
        }
        self.registered.register(device, std::ptr::from_ref(request.kernel) as usize)?;
        // SAFETY: the table of the kernel's captures.
        let captures = unsafe { list(request.kernel.captures, request.kernel.capture_count) };
        for (place, value) in captures.iter().skip(super::OWN_CAPTURES).zip(request.values) {
            let pointer = *value as usize;
            if place.size as usize != size_of::<usize>() || pointer == 0 {
                continue;
            }
            match heap.has(pointer) {
                true => self.move_there(device, heap, pointer),
                false => {
                    let what = format!("`{}`", text(place.name));
                    self.registered.register_target(device, (&what, Naming::Itself), pointer)?;
                }
            }
            self.move_targets(device, heap, pointer);
        }
        for object in request.objects {
            match object.kind {
                object_kind::OTHER => {
                    self.move_targets(device, heap, object.target());
                    self.reach_targets(device, heap, object)?;
                }
                object_kind::POINTER => self.move_there(device, heap, object.target()),
                _ => {}
            }
        }
        Ok(())
    }

    fn move_there(&self, device: &Device, heap: &Heap, pointer: usize) {
        if let Some(range) = heap.large_at_host(pointer) {
            // A profile shows when the move is requested, and of how many bytes; it ends by itself.
            let what = (DEVICE_PLACE, "managed memory to the device", range.len() as u64);
            recorded::moved(what, std::ptr::null(), || {
                device.prefetch(&self.stream, range.start, range.len());
            });
        }
    }

    /// Moves what an object of the program points to, if it is a pointer to a large allocation.
    fn move_targets(&self, device: &Device, heap: &Heap, object: usize) {
        if object.is_multiple_of(size_of::<usize>()) && self.registered.has(object) {
            // SAFETY: an aligned word of memory that is mapped.
            let pointer = unsafe { (object as *const usize).read_volatile() };
            self.move_there(device, heap, pointer);
        }
    }

    /// Makes what the pointers of an object at file scope lead to accessible for the device.
    fn reach_targets(&mut self, device: &Device, heap: &Heap, object: &Object) -> Outcome<()> {
        let address = object.target();
        let naming = if object.words == 1 { Naming::Itself } else { Naming::InObject };
        for index in 0..object.words as usize {
            let at = address + index * size_of::<usize>();
            // SAFETY: a word of the object, whose size the program has written.
            let pointer = unsafe { (at as *const usize).read_unaligned() };
            if pointer != 0 && !self.registered.has(pointer) && !heap.has(pointer) {
                self.registered.register_target(device, ("a pointer at file scope", naming), pointer)?;
            }
        }
        Ok(())
    }

    /// Writes the header of the team, unless it has it from the last region.
    fn write_header(&mut self, device: &Device, header: Header) -> Result<(), DeviceError> {
        if self.header != header {
            self.header = header;
            device.write_bytes(&self.stream, self.team, self.header.bytes())?;
        }
        Ok(())
    }

    /// Makes the team ready for the next region, while the host continues.
    fn renew_team(&self, device: &Device) -> Result<(), DeviceError> {
        let head = size_of::<Header>() as u64;
        device.copy_bytes(&self.stream, self.team + head, self.fresh + head, size_of::<Team>() as u64 - head)
    }

    /// Device memory for partial results.
    fn partials(&mut self, device: &Device, blocks: i32) -> Result<u64, DeviceError> {
        let (address, room) = self.partials;
        if blocks > room {
            if address != 0 {
                device.free_untracked(address)?;
            }
            self.partials = (0, 0);
            let words = Team::partial_words(blocks as usize) as u64;
            self.partials = (device.allocate_untracked(words * 8)?, blocks);
        }
        Ok(self.partials.0)
    }
}

impl Gpu {
    /// The program ends: the host calls no functions for regions any more.
    pub(super) fn end(&self) {
        let calls = self.calls.load(Ordering::Acquire);
        if !calls.is_null() {
            // SAFETY: the calls of regions, which stay.
            unsafe { end_all(calls) };
        }
    }

    /// The state, when no other region runs; `None` if another one is inside of a function of the host, which
    /// may wait for the calling thread. A region that excludes others waits: locks of the device and those of
    /// the host do not exclude each other.
    fn lock(&self, is_exclusive: bool) -> Option<MutexGuard<'_, Option<State>>> {
        loop {
            let before = self.served.load(Ordering::Acquire);
            if let Some(state) = self.state.try_lock_for(LOCK_TIMEOUT) {
                return Some(state);
            }
            if !is_exclusive && before % 2 == 1 && self.served.load(Ordering::Acquire) == before {
                return None;
            }
        }
    }

    /// Runs a region; false if the host is to run it.
    ///
    /// # Safety
    /// The request is what the edit of the program has written for the kernel.
    pub(super) unsafe fn run(&self, device: &Arc<Device>, request: &Request<'_>) -> Outcome<bool> {
        let Some(mut state) = self.lock(request.is_exclusive) else { return Ok(false) };
        if state.is_none() {
            let made = State::new(device)?;
            self.calls.store(made.calls, Ordering::Release);
            *state = Some(made);
        }
        let Some(state) = state.as_mut() else { return Ok(false) };
        let (function, shape) =
            device.team_function(request.kernel, request.threads, request.has_waits, request.iterations)?;
        let Shape { blocks, block, threads, .. } = shape;
        for object in request.objects.iter().filter(|it| it.kind == object_kind::THREADPRIVATE) {
            // SAFETY: a descriptor of the program, which no other thread uses between regions.
            let private = unsafe { &mut *object.address.cast_mut().cast::<Private>() };
            state.provide(device, &self.heap, private, threads as usize)?;
            if state.reach == Reach::Registered {
                state.registered.register_object(device, private.master as usize, private.bytes as usize)?;
            }
        }
        state.make_reachable(device, &self.heap, request)?;
        let header = Header {
            objects: state.table(device, request)? as *const i64,
            exchange: state.exchange as *mut u64,
            partials: state.partials(device, if shape.is_resident { blocks } else { 0 })? as *mut u64,
            calls: state.calls,
            is_independent: request.iterations.is_some().into(),
            ..Header::new(threads, runtime_schedule(request.schedule))
        };
        state.write_header(device, header)?;
        let own = [state.team as i64, i64::from(blocks), i64::from(block), i64::from(threads)];
        let mut environment = environment_of(request, own);
        // SAFETY: calls that the device asks for in this region alone.
        let mut calls = unsafe { HostCalls::new(state.calls, &self.served) };
        let parts = (&*function, shape);
        let mut serve = || calls.serve();
        let began = profile::on().then(profile::now);
        // SAFETY: an environment of the kernel, made above, for memory of the program.
        let ended = in_region(|| unsafe {
            device.launch_team(&state.stream, request.kernel, parts, &mut environment, &mut serve)
        });
        if let Err(error) = ended {
            // The region may still wait for functions of the host.
            self.end();
            return Err(failed(error, request.kernel, state.registered.unreached()));
        }
        if let Some(began) = began {
            let extents = ([blocks, 1, 1], [block, 1, 1]);
            profile::kernel(DEVICE_PLACE, request.kernel, extents, began, profile::now());
        }
        state.renew_team(device)?;
        state.registered.end_region(device)?;
        Ok(true)
    }
}

fn unavailable(error: DeviceError) -> TargetError {
    let hint = "`--accels cpu` takes the CPUs as a device, and `--parallel host` (the default) needs none";
    TargetError { message: error.message, hint: Some(hint.to_owned()) }
}

/// The words for a region that has failed, and what it may have used that the device does not reach.
fn failed(error: DeviceError, kernel: &Kernel, unreached: &[String]) -> TargetError {
    let hint = match error.kind {
        Kind::OutOfMemory => {
            "ask for fewer threads by `num_threads` or OMP_NUM_THREADS, or release other memory".to_owned()
        }
        Kind::Unsupported => {
            "give it a global object or one of `malloc`, or call it outside of the region".to_owned()
        }
        Kind::Internal if !unreached.is_empty() => format!(
            "{}: allocate what the region uses with `malloc`, or leave the region to the host",
            unreached.join("; ")
        ),
        _ => format!(
            "look for an index out of range, for memory that `malloc` of the program has not given, and for a \
             function that calls itself too often ({STACK_VARIABLE}=65536 gives each thread a larger stack)"
        ),
    };
    TargetError { message: without_place(&error.message, kernel), hint: Some(hint) }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::super::Teams;
    use super::*;

    #[test]
    fn a_region_waits_for_another_one_unless_that_is_in_a_function_of_the_host() {
        let gpu = Gpu::default();
        assert!(gpu.lock(false).is_some(), "no other region runs");
        let running = gpu.state.lock();
        gpu.served.store(3, Ordering::Release);
        std::thread::scope(|scope| {
            let is_none = scope.spawn(|| gpu.lock(false).is_none());
            assert!(is_none.join().expect("it ends"), "the function may wait for this thread");
        });
        let may_start = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| gpu.lock(true).is_some() && may_start.load(Ordering::Acquire));
            std::thread::sleep(3 * LOCK_TIMEOUT);
            may_start.store(true, Ordering::Release);
            drop(running);
            assert!(waits.join().expect("it ends"), "it has locks");
        });
        let running = gpu.state.lock();
        gpu.served.store(4, Ordering::Release);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| gpu.lock(false).is_some());
            std::thread::sleep(2 * LOCK_TIMEOUT);
            drop(running);
            assert!(waits.join().expect("it ends"), "the region has ended");
        });
    }

    #[test]
    fn calls_are_notified_when_a_function_of_the_host_ends_the_program() {
        let teams = Teams::default();
        in_region(|| teams.end());
        // SAFETY: zeros are calls that no thread has made.
        let mut calls: Vec<HostCall> = (0..CALLS).map(|_| unsafe { std::mem::zeroed() }).collect();
        teams.gpu.calls.store(calls.as_mut_ptr(), Ordering::Release);
        teams.end();
        assert!(
            calls.iter().all(|it| it.ended.load(Ordering::Relaxed) == 0),
            "regions of other threads go on"
        );
        in_region(|| teams.end());
        assert!(calls.iter().all(|it| it.ended.load(Ordering::Relaxed) == 1));
    }
}
