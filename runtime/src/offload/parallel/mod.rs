//! Parallel regions on a device (OpenMP 2.5, section 2.4): the team, its threads, and their copies of
//! threadprivate objects.

mod gpu;
mod heap;
mod host_calls;
mod layout;
mod pool;
mod reach;

use std::collections::BTreeMap;
use std::ffi::c_void;

use parking_lot::Mutex;

use self::gpu::Gpu;
pub(super) use self::layout::{DEPENDENT, EXCLUSIVE, HeapFunctions, Moved, Object, ParallelFunctions, WAITS};
use self::layout::{EXCHANGE_WORDS, Header, Line, Private, Team, object_kind};
use self::pool::{Pool, is_in_region};
use super::layout::list;
use super::memory::{launch_member_on_cpus, prepare_on_cpus};
use super::regions::{Devices, Outcome};
use crate::layout::Kernel;
use crate::profile;

/// The most threads of a team on CPUs.
const MAX_CPU_THREADS: i64 = 1024;

/// The alignment of arrays that are moved.
const MOVED_ALIGNMENT: usize = 256;

/// The place of the device of all regions in a profile.
const DEVICE_PLACE: i64 = 1;

/// The first captures of each kernel: the team, numbers of blocks, of threads of a block, and of all threads.
const OWN_CAPTURES: usize = 4;

/// A cache line of memory for copies of an object.
type CacheLine = Line<[u64; 8]>;

/// What regions keep from one to the next.
#[derive(Default)]
pub(super) struct Teams {
    pool: Pool,
    /// By the address of the initial thread's object: memory for those of other threads, and how many.
    private: Mutex<BTreeMap<usize, (Vec<CacheLine>, usize)>>,
    gpu: Gpu,
}

/// What a region asks for.
pub(super) struct Request<'r> {
    /// Its kernel.
    pub kernel: &'static Kernel,
    /// The number of threads; 0 for that of the device.
    pub threads: i64,
    /// Threads wait for each other inside of it.
    pub has_waits: bool,
    /// Its threads may exclude those of regions that other threads of the host start.
    pub is_exclusive: bool,
    /// Nothing tells how many threads there are, or which of them executes an iteration: about how many
    /// iterations there are, 0 if that is not known.
    pub iterations: Option<u64>,
    /// The schedule and the chunk of `schedule(runtime)`, as `omp_get_schedule` gives them.
    pub schedule: (i32, i64),
    /// What the kernel names by indices.
    pub objects: &'r [Object],
    /// The addresses of objects outside of the region.
    pub values: &'r [*mut c_void],
}

impl Devices {
    /// The most threads of a region that asks for none; 0 without a device.
    pub(super) fn team_size(&self) -> Outcome<i64> {
        let Some(device) = self.find(0)? else { return Ok(0) };
        Ok(device.device()?.map_or_else(cpu_count, |it| it.most_team_threads()))
    }

    /// Whether regions run on a GPU. Its driver has started behind this.
    pub(super) fn has_team_device(&self) -> Outcome<bool> {
        let Some(device) = self.find(0)? else { return Ok(false) };
        Ok(device.device()?.is_some())
    }

    /// Memory for `malloc` of the program; null if there is no GPU, or it has no memory.
    pub(super) fn allocate_shared(&self, teams: &Teams, alignment: usize, bytes: usize) -> *mut c_void {
        let Ok(Some(device)) = self.find(0) else { return std::ptr::null_mut() };
        match device.device() {
            Ok(Some(gpu)) => teams.gpu.heap.allocate(gpu, alignment, bytes),
            // The first region tells what is wrong.
            _ => std::ptr::null_mut(),
        }
    }

    /// Gives arrays of the program memory of its heap for regions on a GPU. Without that they stay.
    ///
    /// # Safety
    /// A list of a loaded program, no thread of which runs.
    pub(super) unsafe fn move_arrays(&self, teams: &Teams, mut next: *const Moved) {
        // SAFETY: the caller's list.
        while let Some(array) = unsafe { next.as_ref() } {
            let bytes = array.bytes as usize;
            let memory = self.allocate_shared(teams, MOVED_ALIGNMENT, bytes).cast::<u8>();
            if !memory.is_null() {
                // SAFETY: an array of this size, and new memory; the pointer is the program's.
                unsafe {
                    std::ptr::copy_nonoverlapping((*array.at).cast_const(), memory, bytes);
                    array.at.write(memory);
                }
            }
            next = array.next;
        }
    }

    /// Runs a parallel region; false if the host is to run it.
    ///
    /// # Safety
    /// The request is what the edit of the program has written for the kernel.
    pub(super) unsafe fn parallel(&self, teams: &Teams, request: &Request<'_>) -> Outcome<bool> {
        // A region inside of another has one thread, which is the host's.
        if is_in_region() {
            return Ok(false);
        }
        let Some(device) = self.find(0)? else { return Ok(false) };
        if let Some(gpu) = device.device()? {
            // SAFETY: the caller's request.
            return unsafe { teams.gpu.run(gpu, request) };
        }
        // SAFETY: the caller's request.
        unsafe { parallel_on_cpus(teams, request) }.map(|()| true)
    }
}

fn cpu_count() -> i64 {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as i64
}

/// Runs a region, each thread of the team in a thread of the system.
///
/// # Safety
/// As [`Devices::parallel`].
unsafe fn parallel_on_cpus(teams: &Teams, request: &Request<'_>) -> Outcome<()> {
    let kernel = request.kernel;
    let wanted = if request.threads > 0 { request.threads } else { cpu_count() };
    let members = teams.pool.take(wanted.min(MAX_CPU_THREADS) as usize - 1);
    let threads = members.count();
    for object in request.objects.iter().filter(|it| it.kind == object_kind::THREADPRIVATE) {
        // SAFETY: a descriptor of the program, which no other thread uses between regions.
        let private = unsafe { &mut *object.address.cast_mut().cast::<Private>() };
        teams.provide(private, threads as usize);
    }
    let addresses: Vec<i64> = request.objects.iter().map(|it| it.target() as i64).collect();
    let mut exchange = vec![0_u64; EXCHANGE_WORDS];
    let mut partials = vec![0_u64; Team::partial_words(threads as usize)];
    let mut team = Team::new(Header {
        objects: addresses.as_ptr(),
        exchange: exchange.as_mut_ptr(),
        partials: partials.as_mut_ptr(),
        ..Header::new(threads, runtime_schedule(request.schedule))
    });
    let own = [&raw mut team as i64, i64::from(threads), 1, i64::from(threads)];
    let environment = environment_of(request, own);
    // SAFETY: an environment of the kernel, made above.
    let mut prepared = unsafe { prepare_on_cpus(kernel, &environment)? };
    let began = profile::on().then(profile::now);
    let launch = prepared.launch();
    members.run(&|number| {
        // SAFETY: the kernel's own function, with its environment; each thread is a block of its own.
        unsafe { launch_member_on_cpus(kernel, &launch, i64::from(number)) }
    });
    if let Some(began) = began {
        let extents = ([threads, 1, 1], [1; 3]);
        profile::kernel(DEVICE_PLACE, kernel, extents, began, profile::now());
    }
    Ok(prepared.fault()?)
}

/// The environment of a kernel: its own captures, and what the region takes of the function around it.
fn environment_of(request: &Request<'_>, own: [i64; OWN_CAPTURES]) -> Vec<u8> {
    let kernel = request.kernel;
    let values = own.into_iter().chain(request.values.iter().map(|it| *it as i64));
    // SAFETY: the table of the kernel's captures.
    let places = unsafe { list(kernel.captures, kernel.capture_count) };
    let mut environment = vec![0_u8; kernel.env_size as usize];
    for (place, value) in places.iter().zip(values) {
        let bytes = value.to_ne_bytes();
        let size = (place.size as usize).min(bytes.len());
        environment[place.offset as usize..][..size].copy_from_slice(&bytes[..size]);
    }
    environment
}

/// The schedule of `schedule(runtime)` as apg_team.h numbers them (OpenMP 3.0, section 3.2.11).
fn runtime_schedule((kind, chunk): (i32, i64)) -> (i32, i64) {
    let kind = match kind & 0xffff {
        1 if chunk > 0 => 2,
        1 => 1,
        2 => 3,
        3 => 4,
        _ => 0,
    };
    (kind, chunk.max(1))
}

impl Teams {
    /// The calling thread ends the program: a function of the host that does so inside of a region is never
    /// done. Regions of other threads, and those that functions for the end of the program start, go on.
    pub(super) fn end(&self) {
        if is_in_region() {
            self.gpu.end();
        }
    }

    /// Releases memory of the heap that regions on a GPU reach; false if it is none of it.
    pub(super) fn release_shared(&self, address: usize) -> bool {
        self.gpu.heap.release(address)
    }

    /// The size of an allocation of that heap, or 0.
    pub(super) fn shared_size(&self, address: usize) -> usize {
        self.gpu.heap.size(address)
    }

    /// Gives a threadprivate object copies for a number of threads. Those that are there keep their values.
    fn provide(&self, private: &mut Private, threads: usize) {
        let mut all = self.private.lock();
        let (memory, count) = all.entry(private.master as usize).or_default();
        let lines = private.stride as usize / size_of::<CacheLine>();
        let others = threads - 1;
        if *count < others {
            memory.resize(others * lines, CacheLine::default());
            for copy in memory[*count * lines..].chunks_exact_mut(lines) {
                // SAFETY: a first value of the program; a copy has at least its size.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        private.initial,
                        copy.as_mut_ptr().cast(),
                        private.bytes as usize,
                    );
                }
            }
            *count = others;
        }
        private.copies = memory.as_mut_ptr().cast();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_threadprivate_objects_keep_their_values() {
        let teams = Teams::default();
        let (mut master, initial) = (7_u64, 5_u64);
        let mut private = Private {
            master: (&raw mut master).cast(),
            copies: std::ptr::null_mut(),
            stride: 64,
            bytes: 8,
            initial: (&raw const initial).cast(),
        };
        let read = |it: &Private, number: usize| -> u64 {
            // SAFETY: copies of this size and distance.
            unsafe { it.copies.add(number * 64).cast::<u64>().read() }
        };
        teams.provide(&mut private, 3);
        assert_eq!([read(&private, 0), read(&private, 1)], [5, 5]);
        assert_eq!(private.copies.addr() % 64, 0);
        // SAFETY: as above.
        unsafe { private.copies.cast::<u64>().write(9) };
        teams.provide(&mut private, 2);
        teams.provide(&mut private, 5);
        assert_eq!([read(&private, 0), read(&private, 1), read(&private, 3)], [9, 5, 5]);
    }

    #[test]
    fn schedules_of_the_library_have_their_numbers_here() {
        assert_eq!(
            [(1, 0), (1, 4), (2, 1), (3, 2), (4, 0)].map(runtime_schedule),
            [(1, 1), (2, 4), (3, 1), (4, 2), (0, 1)]
        );
    }
}
