//! Mutators, the threads that may access objects, and their preemptive suspension by a signal for a
//! stop-the-world collection.
//!
//! A signal stops a thread at any instruction outside of its *critical sections*, in which it allocates,
//! switches stacks or changes a table of roots. Inside of one, the thread stops when it leaves the section.
//! Neither a critical section nor the collector, while the world is stopped, may wait for a lock that a
//! thread may hold outside of critical sections, since that thread may be stopped. In particular, they must
//! not call the system's allocator, or use a lock that depends on a global table (such as `parking_lot`).

use std::cell::Cell;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering, compiler_fence, fence};

use parking_lot::Mutex;

use crate::base::process::STOP_SIGNAL;
use crate::heap::alloc::cache::CacheCell;
use crate::heap::alloc::state::heap;
use crate::heap::safepoint::registers::with_registers_on_stack;
use crate::heap::safepoint::stacks;
use crate::heap::safepoint::stacks::StackRecord;

/// A thread that may access objects.
pub(crate) struct Mutator {
    /// Thread id (`gettid`).
    thread: i32,
    /// Depth of critical sections; written by the thread itself only.
    critical: AtomicU32,
    /// A stop is requested.
    pending: AtomicBool,
    /// The thread waits, and accesses no object before it has checked for a requested stop: it counts as
    /// stopped.
    parked: AtomicBool,
    /// Number of the current or last stop of the thread.
    stopped: AtomicU32,
    /// The thread has ended.
    gone: AtomicBool,
    /// Stack pointer, while the thread is stopped.
    pub stack_pointer: AtomicUsize,
    /// End of the thread's own stack.
    pub stack_end: usize,
    /// The coroutine that the thread runs, or null; written by the thread itself only.
    pub coroutine: std::sync::atomic::AtomicPtr<StackRecord>,
    /// Allocation cache of the thread.
    pub cache: CacheCell,
    /// Number of the thread's requests to hold off collections; written by the thread itself only.
    pub holds: AtomicU32,
}

impl Mutator {
    /// Whether the thread has ended.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::SeqCst)
    }
}

static MUTATORS: Mutex<Vec<Arc<Mutator>>> = Mutex::new(Vec::new());
/// Number of the requested stop.
static REQUESTED_STOP: AtomicU32 = AtomicU32::new(0);
/// Number of the last stop that is over.
static FINISHED_STOP: AtomicU32 = AtomicU32::new(0);
/// Number of threads that have stopped or ended so far: the futex on which the collector waits.
static ARRIVALS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// For the signal handler: no lazy initialisation, no destructor.
    static CURRENT: Cell<*const Mutator> = const { Cell::new(std::ptr::null()) };
    static REGISTRATION: Registration = Registration(attach());
}

/// Marks a thread as ended when it ends.
struct Registration(Arc<Mutator>);

impl Drop for Registration {
    fn drop(&mut self) {
        CURRENT.with(|current| current.set(std::ptr::null()));
        self.0.gone.store(true, Ordering::SeqCst);
        arrive();
    }
}

fn attach() -> Arc<Mutator> {
    static HANDLER: OnceLock<()> = OnceLock::new();
    HANDLER.get_or_init(install_handler);
    // The heap must not be initialised in a critical section.
    heap();
    accept_signal();
    let mutator = Arc::new(Mutator {
        // SAFETY: plain system call without arguments.
        thread: unsafe { libc::syscall(libc::SYS_gettid) } as i32,
        critical: AtomicU32::new(0),
        pending: AtomicBool::new(false),
        parked: AtomicBool::new(false),
        stopped: AtomicU32::new(0),
        gone: AtomicBool::new(false),
        stack_pointer: AtomicUsize::new(0),
        stack_end: end_of_stack(),
        coroutine: Default::default(),
        cache: CacheCell::new(),
        holds: AtomicU32::new(0),
    });
    // The thread is not in the list yet, so no collector waits for it while it waits for the lock.
    let mut all = MUTATORS.lock();
    CURRENT.with(|current| current.set(Arc::as_ptr(&mutator)));
    all.push(Arc::clone(&mutator));
    mutator
}

/// Unblocks the signal: a process inherits blocked signals, and a collector would wait forever for a thread
/// that blocks this one.
fn accept_signal() {
    // SAFETY: changes what this thread blocks.
    unsafe {
        let mut own: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut own);
        libc::sigaddset(&mut own, STOP_SIGNAL);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &own, std::ptr::null_mut());
    }
}

/// End of this thread's own stack.
fn end_of_stack() -> usize {
    // SAFETY: the attributes are initialised by the call that succeeds, and freed once.
    unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
            return 0;
        }
        let (mut start, mut size) = (std::ptr::null_mut(), 0);
        libc::pthread_attr_getstack(&attributes, &mut start, &mut size);
        libc::pthread_attr_destroy(&mut attributes);
        start as usize + size
    }
}

/// This thread's record, made on first use. Not inlined: a coroutine may continue in another thread, so that
/// the address of a thread-local variable must not be kept over a call.
#[inline(never)]
pub(crate) fn current() -> &'static Mutator {
    let mut current = CURRENT.with(Cell::get);
    if current.is_null() {
        REGISTRATION.with(|_| ());
        current = CURRENT.with(Cell::get);
    }
    // SAFETY: the record lives until the thread has ended; the reference does not leave the thread.
    unsafe { &*current }
}

/// Whether this thread has a record or can have one: its thread-local variables still exist.
pub(crate) fn can_register() -> bool {
    REGISTRATION.try_with(|_| ()).is_ok()
}

/// This thread's record, if it has one. Not inlined, like [`current`].
#[inline(never)]
fn registered() -> Option<&'static Mutator> {
    // SAFETY: null, or this thread's record, which lives until the thread has ended.
    unsafe { CURRENT.with(Cell::get).as_ref() }
}

/// A critical section; left when it is dropped.
pub(crate) struct Critical(());

/// Enters a critical section.
pub(crate) fn critical() -> Critical {
    enter_critical();
    Critical(())
}

impl Drop for Critical {
    fn drop(&mut self) {
        leave_critical();
    }
}

/// Runs `work` in a critical section with this thread's record, if it has one. `work` must be inlined and
/// call no function that may switch threads, since the record belongs to this thread.
#[inline(always)]
pub(crate) fn if_registered<R>(work: impl FnOnce(&Mutator) -> Option<R>) -> Option<R> {
    // SAFETY: null, or this thread's record.
    let mutator = unsafe { CURRENT.with(Cell::get).as_ref() }?;
    let depth = mutator.critical.load(Ordering::Relaxed);
    mutator.critical.store(depth + 1, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    let result = work(mutator);
    compiler_fence(Ordering::SeqCst);
    mutator.critical.store(depth, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    if depth == 0 && mutator.pending.load(Ordering::Relaxed) {
        // SAFETY: a signal to this thread.
        unsafe { signal(mutator) };
    }
    result
}

/// Enters a critical section that is left elsewhere, perhaps after a switch of stacks, in the same thread.
#[inline(never)]
pub(crate) fn enter_critical() {
    let mutator = current();
    mutator.critical.store(mutator.critical.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
}

/// Leaves a critical section, and stops if a stop was requested meanwhile.
#[inline(never)]
pub(crate) fn leave_critical() {
    let mutator = current();
    compiler_fence(Ordering::SeqCst);
    let depth = mutator.critical.load(Ordering::Relaxed) - 1;
    mutator.critical.store(depth, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    if depth == 0 && mutator.pending.load(Ordering::Relaxed) {
        // The handler runs now, and stops the thread with all registers in its frame.
        // SAFETY: a signal to this thread.
        unsafe { signal(mutator) };
    }
}

/// Runs `wait`, which blocks this thread, and neither accesses an object nor is in a critical section. A stop
/// need not wake the thread, which stops itself if it continues too early; otherwise each collection would
/// wake all idle threads.
pub(crate) fn while_parked<R>(wait: impl FnOnce() -> R) -> R {
    let Some(own) = registered() else { return wait() };
    stacks::forget_ended_calls();
    let mut result = None;
    with_registers_on_stack(|stack_pointer| {
        own.stack_pointer.store(stack_pointer, Ordering::Relaxed);
        own.parked.store(true, Ordering::SeqCst);
        result = Some(wait());
        own.parked.store(false, Ordering::SeqCst);
        // A collector that did not see this has set `pending` before, which is seen here.
        if own.pending.load(Ordering::SeqCst) {
            // SAFETY: a signal to this thread.
            unsafe { signal(own) };
        }
    });
    result.unwrap_or_else(|| unreachable!("it has been called"))
}

/// Notes that the coroutine runs in this thread now, or (`None`) that the thread is back on its own stack.
pub(crate) fn set_running(record: Option<&'static StackRecord>) {
    let pointer = record.map_or(std::ptr::null_mut(), |record| std::ptr::from_ref(record).cast_mut());
    if let Some(record) = record {
        record.set_running();
    }
    current().coroutine.store(pointer, Ordering::SeqCst);
}

/// # Safety
/// None: a thread that has ended gets nothing.
unsafe fn signal(mutator: &Mutator) {
    // SAFETY: plain system call.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), mutator.thread, STOP_SIGNAL) };
}

fn install_handler() {
    // SAFETY: a handler that calls only what signals allow.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigemptyset(&mut action.sa_mask);
        crate::base::sanitizer::sigaction(STOP_SIGNAL, &action, std::ptr::null_mut());
    }
}

/// Runs on the interrupted stack, above the saved registers, so that a scan from here finds them.
extern "C" fn on_signal(_: libc::c_int) {
    let current = CURRENT.with(Cell::get);
    // SAFETY: null, or this thread's record.
    let Some(mutator) = (unsafe { current.as_ref() }) else { return };
    if mutator.critical.load(Ordering::Relaxed) > 0 || !mutator.pending.load(Ordering::SeqCst) {
        return;
    }
    // SAFETY: the location of this thread's error number.
    let error = unsafe { *libc::__errno_location() };
    let here = 0_usize;
    mutator.stack_pointer.store(&raw const here as usize, Ordering::Relaxed);
    // In this order: the signal may belong to an earlier stop, during which the thread was parked, while the
    // next stop is being requested.
    mutator.pending.store(false, Ordering::SeqCst);
    let stop = REQUESTED_STOP.load(Ordering::SeqCst);
    mutator.stopped.store(stop, Ordering::SeqCst);
    arrive();
    loop {
        let resumed = FINISHED_STOP.load(Ordering::SeqCst);
        if is_over(stop, resumed) {
            break;
        }
        futex_wait(&FINISHED_STOP, resumed);
    }
    // SAFETY: the location of this thread's error number.
    unsafe { *libc::__errno_location() = error };
}

/// Whether a stop is over when the stop `resumed` is. `resumed` may be a later stop: the collector does not
/// wait for a parked thread, which may handle the signal of an earlier stop during or after later ones.
pub(crate) fn is_over(stop: u32, resumed: u32) -> bool {
    resumed.wrapping_sub(stop) as i32 >= 0
}

/// The caller ends the process, in a handler of a signal: no collector waits for it from now on, and what
/// only it refers to is not kept.
pub(crate) fn abandon() {
    // SAFETY: null, or this thread's record.
    if let Some(mutator) = unsafe { CURRENT.with(Cell::get).as_ref() } {
        mutator.gone.store(true, Ordering::SeqCst);
        arrive();
    }
}

fn arrive() {
    ARRIVALS.fetch_add(1, Ordering::SeqCst);
    futex_wake(&ARRIVALS);
}

fn futex_wait(word: &AtomicU32, value: u32) {
    // SAFETY: waits while the word has this value.
    unsafe {
        let flags = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
        libc::syscall(libc::SYS_futex, word.as_ptr(), flags, value, std::ptr::null::<libc::timespec>());
    }
}

fn futex_wake(word: &AtomicU32) {
    // SAFETY: wakes the threads that wait on the word.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, i32::MAX);
    }
}

/// Whether a mutator satisfies `is`.
pub(crate) fn any(is: impl Fn(&Mutator) -> bool) -> bool {
    MUTATORS.lock().iter().any(|mutator| is(mutator))
}

/// How many stops were requested so far.
pub(crate) fn stop_count() -> u32 {
    REQUESTED_STOP.load(Ordering::Relaxed)
}

/// Stops all threads but this one, runs `work` with the records of all, and resumes them. The caller is the
/// only collector, and its own registers are on its stack above `stack_pointer`.
pub(crate) fn with_world_stopped(stack_pointer: usize, work: impl FnOnce(&[Arc<Mutator>])) {
    let own = current();
    own.stack_pointer.store(stack_pointer, Ordering::Relaxed);
    let mut all = MUTATORS.lock();
    all.retain(|mutator| !mutator.gone.load(Ordering::SeqCst));
    let stop = REQUESTED_STOP.load(Ordering::Relaxed) + 1;
    REQUESTED_STOP.store(stop, Ordering::SeqCst);
    let others = || all.iter().filter(|mutator| !std::ptr::eq(Arc::as_ptr(mutator), own));
    for mutator in others() {
        mutator.pending.store(true, Ordering::SeqCst);
        if !mutator.parked.load(Ordering::SeqCst) {
            // SAFETY: a thread of this process, which may have ended just now.
            unsafe { signal(mutator) };
        }
    }
    for mutator in others() {
        loop {
            let arrivals = ARRIVALS.load(Ordering::SeqCst);
            let is_stopped = mutator.stopped.load(Ordering::SeqCst) == stop;
            if is_stopped || mutator.parked.load(Ordering::SeqCst) || mutator.gone.load(Ordering::SeqCst) {
                break;
            }
            futex_wait(&ARRIVALS, arrivals);
        }
    }
    fence(Ordering::SeqCst);
    work(&all);
    FINISHED_STOP.store(stop, Ordering::SeqCst);
    futex_wake(&FINISHED_STOP);
}
