//! Loading of a C program with device constructs, and the functions that it calls.

use std::ffi::{c_char, c_int, c_long, c_void};
use std::path::Path;
use std::sync::{Once, OnceLock};

use super::host_regions::LentData;
use super::layout::{Captured, Functions, Global, Map, Site, list, text};
use super::memory::TargetDevice;
use super::parallel::{
    DEPENDENT, EXCLUSIVE, HeapFunctions, Moved, Object, ParallelFunctions, Request, Teams, WAITS,
};
use super::present_table::Memory;
use super::recorded;
use super::regions::{Devices, Initial, TargetError};
use crate::cache::Cache;
use crate::device::Kind;
use crate::layout::Kernel;

/// Ends the program because of an error: the words for the user, and what to write instead.
pub type EndProgram = fn(&str, Option<&str>) -> !;

/// The devices of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetDevices {
    /// GPUs, by the driver's numbers; none: all runs on the host.
    Gpus(Vec<u32>),
    /// The CPUs, as one device with memory of its own.
    Cpus,
}

struct State {
    devices: Devices,
    teams: Teams,
    end: EndProgram,
}

/// The program calls by address and passes no context.
static STATE: OnceLock<State> = OnceLock::new();

/// The devices of the program of this process; `None` before it is loaded.
pub(super) fn devices() -> Option<&'static Devices> {
    STATE.get().map(|it| &it.devices)
}

/// `main` of the program, which takes the environment as well.
pub type Main = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

/// Loads a program. It stays loaded; a process has one.
///
/// # Errors
/// It is no such program, or a library that it needs is missing: in words for the user.
pub fn load(
    path: &Path,
    devices: &TargetDevices,
    cache: Option<Cache>,
    end: EndProgram,
) -> Result<Main, String> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    let cannot = |error: libloading::Error| {
        let cause = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
        format!("cannot load the program: {cause}")
    };
    // SAFETY: the user asks for this program; its constructors run as in any program.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }.map_err(cannot)?;
    // SAFETY: these symbols are of apg_target.c, with these types.
    let (main, runtime, parallel, heap, moved, globals) = unsafe {
        let main = library.get::<Main>(b"apg_target_main\0").map_err(cannot)?;
        let runtime = library.get::<*mut *const Functions>(b"apg_target_runtime\0").map_err(cannot)?;
        let parallel =
            library.get::<*mut *const ParallelFunctions>(b"apg_parallel_runtime\0").map_err(cannot)?;
        let globals = library.get::<*const *const Global>(b"apg_target_globals\0").map_err(cannot)?;
        // A program whose parallel regions run on the host has the C library's heap.
        let heap = library.get::<*mut *const HeapFunctions>(b"apg_heap_runtime\0").ok();
        let moved = library.get::<*const *const Moved>(b"apg_moved_arrays\0").map_err(cannot)?;
        (*main, *runtime, *parallel, heap.map(|it| *it), **moved, **globals)
    };
    std::mem::forget(library);
    let has_gpus = matches!(devices, TargetDevices::Gpus(list) if !list.is_empty());
    let devices = match devices {
        TargetDevices::Cpus => vec![TargetDevice::cpus()],
        TargetDevices::Gpus(list) => {
            let open = |(number, it): (usize, &u32)| TargetDevice::gpu(*it, number, cache.clone());
            list.iter().enumerate().map(open).collect()
        }
    };
    // SAFETY: the program's list.
    let initial = unsafe { initial_values(globals) };
    if STATE.set(State { devices: Devices::new(devices, initial), teams: Teams::default(), end }).is_err() {
        return Err("this process runs a program already".to_owned());
    }
    // SAFETY: a variable of the program, which no other thread uses yet.
    unsafe { runtime.write(&FUNCTIONS) };
    // SAFETY: likewise.
    unsafe { parallel.write(&PARALLEL_FUNCTIONS) };
    if let Some(heap) = heap.filter(|_| has_gpus) {
        // SAFETY: likewise.
        unsafe { heap.write(&HEAP_FUNCTIONS) };
        if let Some(state) = STATE.get() {
            // SAFETY: the program's list; its threads do not run yet.
            unsafe { state.devices.move_arrays(&state.teams, moved) };
        }
    }
    Ok(main)
}

/// The objects of a list with their values.
///
/// # Safety
/// A list of a loaded program, no other thread of which runs.
unsafe fn initial_values(mut next: *const Global) -> Vec<Initial> {
    let mut found = Vec::new();
    // SAFETY: the caller's list.
    while let Some(global) = unsafe { next.as_ref() } {
        // SAFETY: an object of the program, whose size the compiler has computed.
        let bytes = unsafe { std::slice::from_raw_parts(global.address.cast::<u8>(), global.bytes as usize) };
        found.push(Initial { address: global.address as usize, bytes: bytes.to_vec() });
        next = global.next;
    }
    found
}

static FUNCTIONS: Functions = Functions {
    region,
    enter,
    exit,
    update,
    device_pointer,
    device_count,
    allocate,
    free,
    copy,
    associate,
    disassociate,
    lend,
    take_back,
    written,
    failed,
};

static PARALLEL_FUNCTIONS: ParallelFunctions = ParallelFunctions { region: parallel_region, threads };

/// The result of an operation; an error ends the program.
fn finish<T>(site: Option<&Site>, operation: impl FnOnce(&Devices) -> Result<T, TargetError>) -> T {
    let Some(state) = STATE.get() else { unreachable!("the functions are given away with the state") };
    match operation(&state.devices) {
        Ok(value) => value,
        Err(TargetError { message, hint }) => {
            let place = site.map_or_else(String::new, |it| {
                format!("{}:{}: `{}`: ", text(it.file), it.line, text(it.directive))
            });
            (state.end)(&format!("{place}{message}"), hint.as_deref())
        }
    }
}

/// A constant of the program.
fn site<'a>(pointer: *const Site) -> Option<&'a Site> {
    // SAFETY: a constant of the program, or null.
    unsafe { pointer.as_ref() }
}

extern "C" fn region(
    at: *const Site,
    device: c_long,
    kernel: *const Kernel,
    maps: *const Map,
    map_count: u32,
    captures: *const Captured,
    capture_count: u32,
) -> c_int {
    let at = site(at);
    let execution = recorded::begin(at);
    // SAFETY: what the edit of the program has written, for this region.
    let ran = finish(at, |devices| unsafe {
        let Some(kernel) = kernel.as_ref() else { return Ok(false) };
        devices.region(device, kernel, list(maps, map_count), list(captures, capture_count))
    });
    if let Some(it) = execution.filter(|_| ran) {
        it.end();
    }
    c_int::from(ran)
}

extern "C" fn enter(at: *const Site, device: c_long, maps: *mut Map, count: u32) -> c_int {
    let execution = recorded::begin(site(at));
    let maps: &mut [Map] = match count {
        0 => &mut [],
        // SAFETY: what the edit of the program has written: a table of this execution of the directive.
        count => unsafe { std::slice::from_raw_parts_mut(maps, count as usize) },
    };
    // SAFETY: likewise.
    let is_done = finish(site(at), |it| unsafe { it.enter(device, maps) });
    if let Some(it) = execution {
        it.entered();
    }
    c_int::from(is_done)
}

extern "C" fn exit(at: *const Site, device: c_long, maps: *const Map, count: u32) -> c_int {
    let execution = recorded::begin(site(at));
    // SAFETY: what the edit of the program has written.
    let is_done = finish(site(at), |it| unsafe { it.exit(device, list(maps, count)) });
    if let Some(it) = execution {
        it.left();
    }
    c_int::from(is_done)
}

extern "C" fn lend(
    at: *const Site,
    device: c_long,
    maps: *const Map,
    map_count: u32,
    pointers: *const Captured,
    pointer_count: u32,
) -> *mut c_void {
    let execution = recorded::begin(site(at));
    // SAFETY: what the edit of the program has written; its tables live until `take_back`.
    let lent = finish(site(at), |devices| unsafe {
        devices.lend(device, list(maps, map_count), list(pointers, pointer_count))
    });
    if let Some(it) = execution.filter(|_| lent.is_some()) {
        it.open();
    }
    lent.map_or(std::ptr::null_mut(), |it| Box::into_raw(Box::new(it)).cast())
}

extern "C" fn take_back(at: *const Site, lent: *mut c_void) {
    let execution = recorded::begin(site(at));
    // SAFETY: what `lend` has returned, once.
    let lent = unsafe { Box::from_raw(lent.cast::<LentData>()) };
    // SAFETY: the memory that `lend` was called with.
    finish(site(at), |devices| unsafe { devices.take_back(*lent) });
    if let Some(it) = execution {
        it.left();
    }
}

extern "C" fn failed(message: *const c_char) {
    finish::<()>(None, |_| Err(TargetError { message: text(message), hint: None }));
}

extern "C" fn written(device: c_long) {
    finish(None, |it| match it.find(device)? {
        Some(device) => Ok(device.synchronize()?),
        None => Ok(()),
    });
}

extern "C" fn update(at: *const Site, device: c_long, maps: *const Map, count: u32) -> c_int {
    let execution = recorded::begin(site(at));
    // SAFETY: what the edit of the program has written.
    let is_done = finish(site(at), |it| unsafe { it.update(device, list(maps, count)) });
    if let Some(it) = execution {
        it.end();
    }
    c_int::from(is_done)
}

extern "C" fn device_pointer(device: c_long, pointer: *mut c_void) -> *mut c_void {
    finish(None, |it| it.device_pointer(device, pointer as usize)) as *mut c_void
}

extern "C" fn device_count() -> c_int {
    finish(None, |it| Ok(c_int::try_from(it.count()).unwrap_or(c_int::MAX)))
}

/// `omp_target_alloc` on a device; null without memory (OpenMP 5.2, section 18.8.1). The host's is the C
/// library's.
extern "C" fn allocate(bytes: u64, device: c_long) -> *mut c_void {
    let address = finish(None, |it| {
        let Some(device) = it.find(device)? else { return Ok(0) };
        match device.allocate(bytes) {
            Err(error) if error.kind == Kind::OutOfMemory => Ok(0),
            allocated => Ok(allocated?),
        }
    });
    address as *mut c_void
}

extern "C" fn free(pointer: *mut c_void, device: c_long) {
    finish(None, |it| match it.find(device)? {
        Some(device) => Ok(device.free(pointer as u64)?),
        None => Ok(()),
    });
}

extern "C" fn copy(
    target: *mut c_void,
    source: *const c_void,
    bytes: u64,
    to: c_long,
    from: c_long,
) -> c_int {
    // SAFETY: as the routine demands of the program.
    finish(None, |it| unsafe { it.copy(target as usize, source as usize, bytes, to, from) });
    0
}

extern "C" fn associate(host: *const c_void, copy: *const c_void, bytes: u64, device: c_long) -> c_int {
    let is_done = finish(None, |it| {
        let device = it.find(device)?;
        Ok(device.is_some_and(|it| it.table.lock().associate(host as usize, bytes, copy as u64)))
    });
    c_int::from(!is_done)
}

extern "C" fn disassociate(host: *const c_void, device: c_long) -> c_int {
    let is_done = finish(None, |it| {
        let device = it.find(device)?;
        Ok(device.is_some_and(|it| it.table.lock().disassociate(host as usize)))
    });
    c_int::from(!is_done)
}

extern "C" fn parallel_region(
    at: *const Site,
    threads: c_long,
    waits: c_int,
    iterations: u64,
    schedule: c_int,
    chunk: c_long,
    kernel: *const Kernel,
    objects: *const Object,
    object_count: u32,
    values: *const *mut c_void,
    count: u32,
) -> c_int {
    let Some(state) = STATE.get() else { return 0 };
    let execution = recorded::begin(site(at));
    // SAFETY: what the edit of the program has written, for this region.
    let ran = finish(site(at), |devices| unsafe {
        let Some(kernel) = kernel.as_ref() else { return Ok(false) };
        if devices.has_team_device()? {
            end_regions_at_exit();
        }
        let (objects, values) = (list(objects, object_count), list(values, count));
        let (has_waits, is_exclusive, schedule) =
            (waits & WAITS != 0, waits & EXCLUSIVE != 0, (schedule, chunk));
        let iterations = (iterations != DEPENDENT).then_some(iterations);
        let request =
            Request { kernel, threads, has_waits, is_exclusive, iterations, schedule, objects, values };
        devices.parallel(&state.teams, &request)
    });
    if let Some(it) = execution.filter(|_| ran) {
        it.end();
    }
    c_int::from(ran)
}

/// Ends regions when the program ends inside of one: its threads would wait for the function of the host that
/// has ended it. It does nothing in threads outside of regions. It is registered behind the start of the
/// driver, whose own function for the end, which waits for kernels, is so called later (atexit(3)).
fn end_regions_at_exit() {
    static REGISTERED: Once = Once::new();
    // SAFETY: registers a function that stays.
    REGISTERED.call_once(|| unsafe {
        libc::atexit(end_regions);
    });
}

extern "C" fn end_regions() {
    if let Some(state) = STATE.get() {
        state.teams.end();
    }
}

extern "C" fn threads() -> c_int {
    finish(None, |devices| devices.team_size().map(|it| it as c_int))
}

static HEAP_FUNCTIONS: HeapFunctions =
    HeapFunctions { allocate: heap_allocate, release: heap_release, size: heap_size };

extern "C" fn heap_allocate(alignment: usize, bytes: usize) -> *mut c_void {
    let state = STATE.get();
    state.map_or(std::ptr::null_mut(), |it| it.devices.allocate_shared(&it.teams, alignment, bytes))
}

extern "C" fn heap_release(address: *mut c_void) -> c_int {
    c_int::from(STATE.get().is_some_and(|it| it.teams.release_shared(address as usize)))
}

extern "C" fn heap_size(address: *mut c_void) -> usize {
    STATE.get().map_or(0, |it| it.teams.shared_size(address as usize))
}
