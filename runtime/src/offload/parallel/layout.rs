//! What an edited C program, kernels of parallel regions and this runtime exchange: the structs of
//! `apg_parallel.h` and `apg_team.h`.

use std::ffi::{c_int, c_long, c_void};

use super::super::layout::Site;
use crate::layout::Kernel;

/// Values of [`Object::kind`].
pub(super) mod object_kind {
    /// The address of a [`super::Private`].
    pub(in crate::offload::parallel) const THREADPRIVATE: u32 = 1;
}

/// What kernels name by an index (`apg_object`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(in crate::offload) struct Object {
    /// The address.
    pub address: *const c_void,
    /// Of what.
    pub kind: u32,
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

/// A team (`apg_team`).
#[repr(C)]
#[derive(Debug)]
pub(super) struct Team {
    /// The addresses that the code names.
    pub objects: *const i64,
    reserved: *const i64,
    /// Memory of [`EXCHANGE_WORDS`].
    pub exchange: *mut u64,
    /// The chunk of `schedule(runtime)`.
    pub run_chunk: i64,
    /// The number of threads.
    pub threads: i32,
    /// The schedule of `schedule(runtime)`, as apg_team.h numbers them.
    pub run_schedule: i32,
    arrived: Line<u32>,
    phase: Line<u32>,
    singles: Line<u32>,
    slots: Line<[Slot; SLOTS]>,
}

impl Team {
    /// A team in front of its region.
    pub(super) fn new(objects: *const i64, exchange: *mut u64, threads: i32, schedule: (i32, i64)) -> Team {
        let mut slots = [Slot::default(); SLOTS];
        for (epoch, slot) in (0..).zip(&mut slots) {
            slot.epoch = epoch;
        }
        Team {
            objects,
            reserved: std::ptr::null(),
            exchange,
            run_chunk: schedule.1,
            threads,
            run_schedule: schedule.0,
            arrived: Line(0),
            phase: Line(0),
            singles: Line(0),
            slots: Line(slots),
        }
    }
}
