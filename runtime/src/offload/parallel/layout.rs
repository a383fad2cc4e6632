//! What an edited C program, kernels of parallel regions and this runtime exchange: the structs of
//! `apg_parallel.h` and `apg_team.h`.

use std::ffi::{c_int, c_long, c_void};
use std::mem::offset_of;
use std::sync::atomic::AtomicU32;

use super::super::layout::Site;
use crate::layout::Kernel;

/// Values of [`Object::kind`].
pub(super) mod object_kind {
    /// An address of the program.
    pub(crate) const OTHER: u32 = 0;
    /// The address of a [`super::Private`].
    pub(crate) const THREADPRIVATE: u32 = 1;
    /// A lock that only the threads of regions take.
    pub(crate) const LOCK: u32 = 2;
    /// The address of the pointer by which the program uses an array.
    pub(crate) const POINTER: u32 = 3;
}

/// The value of `iterations` of a region whose threads can tell how many they are.
pub(in crate::offload) const DEPENDENT: u64 = u64::MAX;

/// A bit of `waits`: threads of the region wait for each other inside of it.
pub(in crate::offload) const WAITS: c_int = 1;

/// A bit of `waits`: its threads may exclude those of other regions.
pub(in crate::offload) const EXCLUSIVE: c_int = 2;

/// What kernels name by an index (`apg_object`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(in crate::offload) struct Object {
    /// The address.
    pub address: *const c_void,
    /// Of what.
    pub kind: u32,
    /// Of an object with pointers: its first words, which may be pointers.
    pub words: u32,
}

impl Object {
    /// The address of the object itself.
    pub(super) fn target(&self) -> usize {
        match self.kind {
            // SAFETY: a pointer of the program, which nothing changes behind the start of `main`.
            object_kind::POINTER => unsafe { self.address.cast::<usize>().read() },
            _ => self.address as usize,
        }
    }
}

/// An array that the program uses by a pointer (`apg_moved`).
#[repr(C)]
#[derive(Debug)]
pub(in crate::offload) struct Moved {
    /// The pointer.
    pub at: *mut *mut u8,
    /// The size of the array.
    pub bytes: u64,
    /// The next one.
    pub next: *const Moved,
}

/// A threadprivate object (`apg_private`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct Private {
    /// That of the initial thread.
    pub master: *mut u8,
    /// Those of the others.
    pub copies: *mut u8,
    /// The distance between them.
    pub stride: c_long,
    /// Its size.
    pub bytes: u64,
    /// Its first value.
    pub initial: *const u8,
}

/// What the program calls (`apg_parallel_functions`).
#[repr(C)]
#[derive(Debug)]
pub(in crate::offload) struct ParallelFunctions {
    /// Runs a region.
    pub region: extern "C" fn(
        *const Site,
        c_long,
        c_int,
        u64,
        c_int,
        c_long,
        *const Kernel,
        *const Object,
        u32,
        *const *mut c_void,
        u32,
    ) -> c_int,
    /// The number of threads of a region that asks for none.
    pub threads: extern "C" fn() -> c_int,
}

/// What `malloc` and the like of the program call (`apg_heap_functions`).
#[repr(C)]
#[derive(Debug)]
pub(in crate::offload) struct HeapFunctions {
    /// Memory of an alignment and a size, or null.
    pub allocate: extern "C" fn(usize, usize) -> *mut c_void,
    /// Releases memory; 0 if it is none of this heap.
    pub release: extern "C" fn(*mut c_void) -> c_int,
    /// The size of an allocation; 0 if it is none of this heap.
    pub size: extern "C" fn(*mut c_void) -> usize,
}

/// Worksharing constructs that threads may be ahead of others by (`APG_TEAM_SLOTS`).
const SLOTS: usize = 64;

/// Bytes of the memory by which `copyprivate` hands over values (`EXCHANGE_BYTES` of MIR).
pub(super) const EXCHANGE_WORDS: usize = 65536 / 8;

/// A value with a cache line of its own.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line<T>(pub T);

/// A worksharing loop (`apg_team_slot`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    epoch: u32,
    left: u32,
    next: i64,
    ordered: i64,
}

/// A reduction (`apg_team_reduction`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reduction {
    epoch: u32,
    arrived: u32,
}

/// Calls of the host that threads of a GPU make at the same time (`APG_TEAM_CALLS`).
pub(super) const CALLS: usize = 1024;

/// Words of a call (`APG_TEAM_CALL_WORDS`).
const CALL_WORDS: usize = 32;

/// Bytes for copies of objects of the thread that calls (`APG_TEAM_CALL_ROOM`).
const CALL_ROOM: usize = 4096;

/// A call that a thread of a GPU makes on the host (`apg_team_call`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct HostCall {
    /// One of [`call_state`].
    pub state: AtomicU32,
    /// Not 0: the program ends, and the host makes no calls any more.
    pub ended: AtomicU32,
    /// The function; 0 if an operand points to an object of the thread that cannot be copied here.
    pub function: usize,
    /// Its result and its operands; the number of the operand, counted from 1, if there is no function.
    pub operands: [u64; CALL_WORDS],
    /// Copies of objects of the thread.
    room: [u64; CALL_ROOM / 8],
}

/// Values of [`HostCall::state`].
pub(super) mod call_state {
    /// A thread waits for the call.
    pub(crate) const ASKED: u32 = 1;
    /// The call has been made.
    pub(crate) const DONE: u32 = 2;
}

/// What the threads of a team read of it. It has no padding.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The addresses that the code names.
    pub objects: *const i64,
    /// Memory of [`Team::partial_words`].
    pub partials: *mut u64,
    /// Memory of [`EXCHANGE_WORDS`].
    pub exchange: *mut u64,
    /// The chunk of `schedule(runtime)`.
    pub run_chunk: i64,
    /// The number of threads.
    pub threads: i32,
    /// The schedule of `schedule(runtime)`, as apg_team.h numbers them.
    pub run_schedule: i32,
    /// On a GPU: [`CALLS`] calls.
    pub calls: *mut HostCall,
    /// Not 0: nothing tells how many threads there are, or which of them executes an iteration.
    pub is_independent: i32,
    /// Zero.
    pub reserved: i32,
}

/// A team (`apg_team`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct Team {
    /// What its threads read of it.
    pub header: Header,
    arrived: Line<u32>,
    phase: Line<u32>,
    singles: Line<u32>,
    tickets: Line<u32>,
    slots: Line<[Slot; SLOTS]>,
    reductions: [Reduction; SLOTS],
    rounds: [u32; CALLS],
}

// The sizes that apg_team.h asserts as well.
const _: () = assert!(size_of::<Header>() == 56);
const _: () = assert!(size_of::<Team>() == 6464);
const _: () = assert!(size_of::<HostCall>() == 4368);

impl Header {
    /// That of a team with a schedule of `schedule(runtime)`.
    pub(super) fn new(threads: i32, schedule: (i32, i64)) -> Header {
        Header {
            objects: std::ptr::null(),
            partials: std::ptr::null_mut(),
            exchange: std::ptr::null_mut(),
            run_chunk: schedule.1,
            threads,
            run_schedule: schedule.0,
            calls: std::ptr::null_mut(),
            is_independent: 0,
            reserved: 0,
        }
    }

    /// Its bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: numbers and addresses without padding between them, as the size says.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(self).cast(), size_of::<Header>()) }
    }
}

impl Team {
    /// A team in front of its region.
    pub(super) fn new(header: Header) -> Team {
        let mut slots = [Slot::default(); SLOTS];
        let mut reductions = [Reduction::default(); SLOTS];
        for (epoch, (slot, reduction)) in (0..).zip(slots.iter_mut().zip(&mut reductions)) {
            (slot.epoch, reduction.epoch) = (epoch, epoch);
        }
        Team {
            header,
            arrived: Line(0),
            phase: Line(0),
            singles: Line(0),
            tickets: Line(0),
            slots: Line(slots),
            reductions,
            rounds: [0; CALLS],
        }
    }

    /// The bytes of a team in front of its region, without its header. Padding is zero.
    pub(super) fn fresh_bytes() -> Vec<u8> {
        let team = Team::new(Header::new(1, (0, 1)));
        let mut bytes = vec![0; size_of::<Team>()];
        for (index, slot) in team.slots.0.iter().enumerate() {
            let at = offset_of!(Team, slots) + index * size_of::<Slot>() + offset_of!(Slot, epoch);
            bytes[at..][..4].copy_from_slice(&slot.epoch.to_ne_bytes());
        }
        for (index, reduction) in team.reductions.iter().enumerate() {
            let at =
                offset_of!(Team, reductions) + index * size_of::<Reduction>() + offset_of!(Reduction, epoch);
            bytes[at..][..4].copy_from_slice(&reduction.epoch.to_ne_bytes());
        }
        bytes
    }

    /// Words for the partial results of all reductions at a time; `parts` of the team have one each: threads
    /// on CPUs, blocks on a GPU.
    pub(super) fn partial_words(parts: usize) -> usize {
        SLOTS * parts
    }
}
