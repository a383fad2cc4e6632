//! Fibers: stackful coroutines that run activities one after the other (Moura and Ierusalimschy, *Revisiting
//! Coroutines*, TOPLAS 2009).
//!
//! A fiber takes tasks by a loop that the layer above provides ([`set_task_loop`]). While activities do not
//! block, all of a worker's run on one fiber, with no switch between them. An activity that blocks leaves its
//! fiber suspended, stack and all, and the worker continues with another fiber.

use std::cell::{Cell, UnsafeCell};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use corosensei::{Coroutine, CoroutineResult, Yielder};
use parking_lot::Mutex;

use crate::base::fatal::fail_and_suspend;
use crate::base::place::{self, PlaceHeader};
use crate::base::sanitizer::FiberView;
use crate::base::{backtrace, limits};
use crate::heap::{self, StackRecord};
use crate::profile;
use crate::scheduler::abi_layout::FiberHeader;
use crate::scheduler::deque::Deque;
use crate::scheduler::sleep::Sleep;
use crate::scheduler::stack::AlignedStack;
use crate::scheduler::stack_budget::{FinishHeader, StackBudget};

/// Why a fiber leaves its thread.
pub enum Switch {
    /// Its activity waits; the function gets the fiber once it is suspended.
    Block(Box<dyn FnOnce(&'static Fiber)>),
    /// It is idle; that one is resumed instead.
    Run(&'static Fiber),
    /// It is idle, and its thread ends.
    End,
}

/// A fiber. It is never freed: an idle one waits in a list.
#[repr(C)]
pub struct Fiber {
    /// What generated code knows of it: its activity, its worker's deque, finishes to be used again.
    pub header: FiberHeader,
    coroutine: UnsafeCell<Option<Coroutine<(), Switch, (), AlignedStack>>>,
    yielder: Cell<*const Yielder<(), Switch>>,
    record: &'static StackRecord,
    view: FiberView,
    /// The place that its activity belongs to, or the last one did.
    place: Cell<Option<&'static PlaceHeader>>,
    /// The number of the worker that runs it.
    pub worker: Cell<usize>,
    /// Activities of one finish that have run to their end here in a row, which that finish does not count as
    /// ended yet.
    pub ended: Cell<(*const FinishHeader, usize)>,
    /// Its running activities, if they are profiled.
    pub opened: profile::Opened,
    /// The pending call (`apgas::at::rpc::Call`) that it keeps for its next `at`, or null.
    pub call: Cell<*const ()>,
    /// The nesting of its activity in others that wait for it.
    pub budget: StackBudget,
    /// Finishes that it has made: all of them wait in its list when it is idle.
    pub finishes: Cell<usize>,
}

// SAFETY: a fiber is used by one thread at a time: the thread that runs it, or has taken it from a list or
// queue.
unsafe impl Sync for Fiber {}
// SAFETY: one thread at a time uses it, whichever that is.
unsafe impl Send for Fiber {}

const _: () = assert!(std::mem::offset_of!(Fiber, header) == 0);

/// All fibers.
static ALL: Mutex<Vec<&'static Fiber>> = Mutex::new(Vec::new());
/// Number of fibers.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Idle fibers.
static IDLE: Mutex<Vec<&'static Fiber>> = Mutex::new(Vec::new());
/// What each fiber runs.
static TASK_LOOP: OnceLock<fn(&'static Fiber) -> !> = OnceLock::new();

/// Frames of suspended fibers, while they are collected.
static COLLECTED_FRAMES: Mutex<Option<Vec<Vec<i64>>>> = Mutex::new(None);
/// The program is at its end, and a fiber that is resumed only adds its frames.
static COLLECTS_FRAMES: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The fiber that this thread runs.
    static CURRENT: Cell<Option<&'static Fiber>> = const { Cell::new(None) };
}

/// Has each fiber run that function. Ignored after the first call.
pub(crate) fn set_task_loop(task_loop: fn(&'static Fiber) -> !) {
    TASK_LOOP.get_or_init(|| task_loop);
}

/// The fiber that runs the caller, if one does. Not inlined: the caller may have moved to another thread
/// since it asked last.
#[inline(never)]
pub(crate) fn current() -> Option<&'static Fiber> {
    CURRENT.with(Cell::get)
}

/// An idle fiber, perhaps a new one.
fn take_idle() -> &'static Fiber {
    let idle = IDLE.lock().pop();
    idle.unwrap_or_else(make)
}

/// Number of fibers.
pub(crate) fn count() -> usize {
    COUNT.load(Ordering::Relaxed)
}

/// Number of idle fibers.
pub(crate) fn count_idle() -> usize {
    IDLE.lock().len()
}

fn make() -> &'static Fiber {
    let stack = match AlignedStack::new() {
        Ok(stack) => stack,
        Err(error) => {
            report!("apg: no memory for the stack of one more activity: {error}");
            if limits::address_space() != usize::MAX {
                report!(
                    "  the limit on address space is reached: raise it (`ulimit -v`), or make the heap smaller (--heap)"
                );
            }
            report!(
                "  if the program has many activities waiting at the same time: let fewer block at once, or raise `vm.max_map_count`"
            );
            fail_and_suspend(1);
        }
    };
    let (low, high) = stack.range();
    let owner = stack.owner();
    let fiber: &'static Fiber = Box::leak(Box::new(Fiber {
        coroutine: UnsafeCell::new(None),
        yielder: Cell::new(std::ptr::null()),
        record: heap::register_stack(low, high),
        view: FiberView::new(low, high),
        header: FiberHeader::default(),
        place: Cell::new(None),
        worker: Cell::new(usize::MAX),
        ended: Cell::new((std::ptr::null(), 0)),
        opened: profile::Opened::default(),
        call: Cell::new(std::ptr::null()),
        budget: StackBudget::default(),
        finishes: Cell::new(0),
    }));
    COUNT.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the last word of a stack that nobody uses yet.
    unsafe { owner.write(std::ptr::from_ref(fiber).cast()) };
    let task_loop = TASK_LOOP.get().unwrap_or_else(|| unreachable!("set before the first worker starts"));
    let coroutine = Coroutine::with_stack(stack, move |yielder: &Yielder<(), Switch>, ()| {
        fiber.view.resumed(None);
        heap::leave_critical();
        fiber.yielder.set(yielder);
        task_loop(fiber);
    });
    // SAFETY: nobody else knows the fiber yet.
    unsafe { *fiber.coroutine.get() = Some(coroutine) };
    ALL.lock().push(fiber);
    fiber
}

impl Fiber {
    /// Goes back to the thread's own stack; returns when the fiber is resumed, perhaps by another thread.
    #[inline(never)]
    pub fn leave(&self, switch: Switch) {
        let mark = 0_usize;
        let is_profiled = profile::on();
        if is_profiled {
            self.opened.suspend(self.worker_number());
        }
        heap::enter_critical();
        if matches!(switch, Switch::Block(_)) {
            // An idle fiber needs nothing of its stack, where calls that have ended left references.
            heap::set_suspended(self.record, &raw const mark as usize);
            self.budget.suspend(self.record.high - &raw const mark as usize);
        }
        self.suspend(switch);
        while COLLECTS_FRAMES.load(Ordering::Acquire) {
            self.collect_frames();
        }
        heap::leave_critical();
        if is_profiled {
            self.opened.resume();
        }
        std::hint::black_box(&mark);
    }

    /// Goes back to the thread's own stack, with nothing noted; returns when the fiber is resumed.
    fn suspend(&self, switch: Switch) {
        let left = self.view.leaving();
        // SAFETY: set when the coroutine began; it is on this fiber's stack.
        unsafe { (*self.yielder.get()).suspend(switch) };
        self.view.resumed(Some(left));
    }

    /// Resumes the coroutine in this thread; returns when it leaves.
    ///
    /// # Safety
    /// This thread alone has the fiber.
    unsafe fn resume_coroutine(&self) -> Option<CoroutineResult<Switch, ()>> {
        // SAFETY: by the caller.
        let coroutine = unsafe { (*self.coroutine.get()).as_mut() }?;
        let thread = self.view.resuming();
        let result = coroutine.resume(());
        thread.returned();
        Some(result)
    }

    /// Adds its frames to the collected ones, and stays suspended.
    #[cold]
    fn collect_frames(&self) {
        let frames = backtrace::own_frames();
        if let Some(collected) = COLLECTED_FRAMES.lock().as_mut() {
            collected.push(frames);
        }
        self.suspend(Switch::Block(Box::new(|_| {})));
    }

    /// Runs the fiber in this thread, which is the worker of that number, until it leaves.
    #[inline(never)]
    fn resume(&'static self, worker: usize, queues: (*const Deque, *const Sleep)) -> Switch {
        heap::enter_critical();
        heap::set_running(Some(self.record));
        CURRENT.with(|current| current.set(Some(self)));
        // Not reset when the fiber leaves: what is done for it then is done at its place.
        place::replace_current(self.place.get());
        self.worker.set(worker);
        self.header.set_worker(queues);
        // SAFETY: this thread alone has the fiber now.
        let result = unsafe { self.resume_coroutine() };
        CURRENT.with(|current| current.set(None));
        heap::set_running(None);
        heap::leave_critical();
        match result {
            Some(CoroutineResult::Yield(switch)) => switch,
            _ => unreachable!("fibers never end"),
        }
    }

    /// The number of the worker that runs it, if one does.
    pub fn worker_number(&self) -> Option<usize> {
        Some(self.worker.get()).filter(|worker| *worker != usize::MAX)
    }

    /// The place that its activity belongs to, or the last one did.
    pub fn place(&self) -> Option<&'static PlaceHeader> {
        self.place.get()
    }

    /// Its next activity belongs to another place.
    pub fn enter_place(&self, place: Option<&'static PlaceHeader>) {
        self.place.set(place);
        place::replace_current(place);
    }

    /// Whether it waits to be resumed. It may change at once.
    pub fn is_suspended(&self) -> bool {
        self.record.is_suspended()
    }

    /// Lowest and highest address of the stack.
    pub fn stack(&self) -> (usize, usize) {
        (self.record.low, self.record.high)
    }
}

/// The frames in the program of all activities of the caller's place that wait, innermost first. The last
/// thing that the place does: no activity continues afterwards, and all workers sleep.
pub(crate) fn frames_of_waiting() -> Vec<Vec<i64>> {
    let is_elsewhere = |fiber: &Fiber| fiber.place().is_some_and(|it| !std::ptr::eq(it, place::current()));
    let own = current().map_or(std::ptr::null(), std::ptr::from_ref);
    let fibers = ALL.lock().clone();
    *COLLECTED_FRAMES.lock() = Some(Vec::new());
    COLLECTS_FRAMES.store(true, Ordering::Release);
    for fiber in fibers {
        if fiber.header.activity.get().is_null() || std::ptr::eq(fiber, own) || is_elsewhere(fiber) {
            continue;
        }
        // SAFETY: it is suspended, and no thread takes it any more.
        let _ = unsafe { fiber.resume_coroutine() };
    }
    COLLECTS_FRAMES.store(false, Ordering::Release);
    COLLECTED_FRAMES.lock().take().unwrap_or_default()
}

/// Runs fibers on the stack of the calling thread, the worker of that number. Returns if the worker is to
/// end.
pub(crate) fn run_fibers(worker: usize, queues: (*const Deque, *const Sleep)) {
    let mut fiber = take_idle();
    loop {
        match fiber.resume(worker, queues) {
            Switch::Run(next) => {
                IDLE.lock().push(fiber);
                fiber = next;
            }
            Switch::Block(register) => {
                register(fiber);
                fiber = take_idle();
            }
            Switch::End => return IDLE.lock().push(fiber),
        }
    }
}
