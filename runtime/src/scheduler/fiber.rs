//! Fibers: coroutines with a stack of their own that run one piece of work after the other.

use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{AtomicBool, Ordering};

use corosensei::{Coroutine, CoroutineResult, Yielder};
use parking_lot::Mutex;

use crate::apgas::activity::{self, Governing};
use crate::apgas::at::rpc::Call;
use crate::apgas::cancellation;
use crate::apgas::finish::Finish;
use crate::base::sanitizer::FiberView;
use crate::heap;
use crate::heap::StackRecord;
use crate::profile;
use crate::scheduler::abi_layout::Shared;
use crate::scheduler::pool;
use crate::scheduler::queues::Task;
use crate::scheduler::stack::AlignedStack;
use crate::scheduler::stack_budget::{self, Nesting};

/// Why a fiber leaves its thread.
pub enum Switch {
    /// Its activity waits; this is told, once the fiber is suspended, who will have to be woken.
    Block(Box<dyn FnOnce(&'static Fiber)>),
    /// It has nothing to do; that one goes on instead.
    Run(&'static Fiber),
    /// It has nothing to do, and its thread ends.
    End,
}

/// A fiber. It lives for ever: when it has nothing to do it waits in a list.
#[repr(C)]
pub struct Fiber {
    /// What generated code knows of it: its activity, its thread's queue, finishes to be used again.
    pub shared: Shared,
    coroutine: UnsafeCell<Option<Coroutine<(), Switch, (), AlignedStack>>>,
    yielder: Cell<*const Yielder<(), Switch>>,
    record: &'static StackRecord,
    view: FiberView,
    /// The number of the thread of the pool that runs it.
    pub worker: Cell<usize>,
    /// Activities of a finish that have run to their end here, one after the other, without its having been told.
    ended: Cell<(*const Finish, usize)>,
    /// What of it is recorded.
    pub opened: profile::Opened,
    /// What its activity waits with for an `at`, unless it does.
    pub call: Cell<Option<&'static Call>>,
    /// How deep its activity is in others that wait for it.
    pub nesting: Nesting,
    /// Finishes that it has made: all of them wait in its list when it has nothing to do.
    pub finishes: Cell<usize>,
}

// SAFETY: a fiber is used by one thread at a time: the one that runs it, or that took it from a list or queue.
unsafe impl Sync for Fiber {}
// SAFETY: as above.
unsafe impl Send for Fiber {}

/// All fibers.
static ALL: Mutex<Vec<&'static Fiber>> = Mutex::new(Vec::new());
/// What suspended fibers have said of where they are, while they are asked.
static ANSWERS: Mutex<Option<Vec<Vec<i64>>>> = Mutex::new(None);
/// The program is at its end, and fibers that are resumed only say where they are.
static ASKED: AtomicBool = AtomicBool::new(false);

/// More finishes than that a fiber does not keep when it has nothing to do.
const MANY_FINISHES: usize = 256;

/// Fibers with nothing to do.
static IDLE: Mutex<Vec<&'static Fiber>> = Mutex::new(Vec::new());

thread_local! {
    /// The fiber that this thread runs.
    static CURRENT: Cell<Option<&'static Fiber>> = const { Cell::new(None) };
}

/// The fiber that runs the caller, if one does. Not inlined: see [`memory`]'s threads.
#[inline(never)]
pub fn current() -> Option<&'static Fiber> {
    CURRENT.with(Cell::get)
}

/// A fiber with nothing to do, perhaps a new one.
pub fn idle() -> &'static Fiber {
    let known = IDLE.lock().pop();
    known.unwrap_or_else(make)
}

/// How many have nothing to do.
pub fn count_idle() -> usize {
    IDLE.lock().len()
}

fn make() -> &'static Fiber {
    let stack = match AlignedStack::new() {
        Ok(stack) => stack,
        Err(error) => {
            remark!("apg: no memory for the stack of one more activity: {error}");
            if crate::base::limits::address_space() != usize::MAX {
                remark!(
                    "  the limit on address space is reached: raise it (`ulimit -v`), or make the heap smaller (--heap)"
                );
            }
            remark!(
                "  if the program has many activities waiting at the same time: let fewer block at once, or raise `vm.max_map_count`"
            );
            crate::base::output::end_process(1);
        }
    };
    let (low, high) = stack.range();
    let owner = stack.owner();
    let fiber: &'static Fiber = Box::leak(Box::new(Fiber {
        coroutine: UnsafeCell::new(None),
        yielder: Cell::new(std::ptr::null()),
        record: heap::register_stack(low, high),
        view: FiberView::new(low, high),
        shared: Shared::default(),
        worker: Cell::new(usize::MAX),
        ended: Cell::new((std::ptr::null(), 0)),
        opened: profile::Opened::default(),
        call: Cell::new(None),
        nesting: Nesting::default(),
        finishes: Cell::new(0),
    }));
    stack_budget::count_fiber();
    // SAFETY: the last word of a stack that nobody uses yet.
    unsafe { owner.write(fiber) };
    let coroutine = Coroutine::with_stack(stack, move |yielder: &Yielder<(), Switch>, ()| {
        fiber.view.resumed(None);
        heap::leave_critical();
        fiber.yielder.set(yielder);
        fiber.run();
    });
    // SAFETY: nobody else knows the fiber yet.
    unsafe { *fiber.coroutine.get() = Some(coroutine) };
    ALL.lock().push(fiber);
    fiber
}

impl Fiber {
    /// Takes work for ever.
    fn run(&'static self) -> ! {
        loop {
            let own = pool::own_task(self.worker.get());
            self.tell_of_ends(own.as_ref().map_or(std::ptr::null(), Task::finish));
            if own.is_none() && self.finishes.get() > MANY_FINISHES {
                self.finishes.set(Finish::give_back(self, MANY_FINISHES / 4));
            }
            let Some(task) = own.or_else(pool::next_task) else {
                self.leave(Switch::End);
                continue;
            };
            self.nesting.begin(task.finish());
            match task {
                Task::Closure(_, finish) if cancellation::is_cancelled() => {
                    activity::drop_closure(self, finish);
                }
                Task::Closure(closure, finish) => {
                    activity::run_closure(self, closure, Governing::Finish(finish));
                }
                Task::Activity(activity) => activity.run(),
                Task::Help(job) => job.help(),
                Task::Resume(other) => self.leave(Switch::Run(other)),
            }
        }
    }

    /// Counts an activity that has run to its end here.
    #[inline]
    pub fn count_end(&self, finish: *const Finish) {
        self.tell_of_ends(finish);
        self.ended.set((finish, self.ended.get().1 + 1));
    }

    /// One less of those that were counted, if they are of this finish: another one begins in its stead.
    #[inline]
    pub fn take_end(&self, finish: *const Finish) -> bool {
        let (ended, count) = self.ended.get();
        let takes = ended == finish && count > 0;
        if takes {
            self.ended.set((ended, count - 1));
        }
        takes
    }

    /// Tells the finish of what was counted, unless it is this one, which cannot end yet.
    #[inline]
    fn tell_of_ends(&self, but: *const Finish) {
        let (finish, count) = self.ended.get();
        if count > 0 && finish != but {
            self.ended.set((std::ptr::null(), 0));
            // SAFETY: it waits for those.
            unsafe { &*finish }.leave_all(count);
        }
    }

    /// Goes back to the thread's own stack; returns when the fiber is resumed, perhaps by another thread.
    #[inline(never)]
    pub fn leave(&self, switch: Switch) {
        let mark = 0_usize;
        let recorded = profile::on();
        if recorded {
            self.opened.suspend();
        }
        heap::enter_critical();
        if matches!(switch, Switch::Block(_)) {
            // One that has nothing to do needs nothing of its stack, where calls that have ended left references.
            heap::set_suspended(self.record, &raw const mark as usize);
            self.nesting.suspend(self.record.high - &raw const mark as usize);
        }
        self.suspend(switch);
        while ASKED.load(Ordering::Acquire) {
            self.answer();
        }
        heap::leave_critical();
        if recorded {
            self.opened.resume();
        }
        std::hint::black_box(&mark);
    }

    /// Goes back to the thread's own stack, with nothing noted; returns when the fiber is resumed.
    fn suspend(&self, switch: Switch) {
        let left = self.view.leaving();
        // SAFETY: set when the coroutine began; it lives on this fiber's stack.
        unsafe { (*self.yielder.get()).suspend(switch) };
        self.view.resumed(Some(left));
    }

    /// Resumes the coroutine in this thread; returns when it leaves.
    ///
    /// # Safety
    /// This thread alone has the fiber.
    unsafe fn go_on(&self) -> Option<CoroutineResult<Switch, ()>> {
        // SAFETY: by the caller.
        let coroutine = unsafe { (*self.coroutine.get()).as_mut() }?;
        let thread = self.view.resuming();
        let result = coroutine.resume(());
        thread.returned();
        Some(result)
    }

    /// Says where it waits, and waits on.
    #[cold]
    fn answer(&self) {
        let frames = crate::base::backtrace::own_frames();
        if let Some(answers) = ANSWERS.lock().as_mut() {
            answers.push(frames);
        }
        self.suspend(Switch::Block(Box::new(|_| {})));
    }

    /// Runs the fiber in this thread until it leaves.
    #[inline(never)]
    fn resume(&'static self) -> Switch {
        heap::enter_critical();
        heap::set_running(Some(self.record));
        CURRENT.with(|current| current.set(Some(self)));
        self.worker.set(pool::worker_number().unwrap_or(usize::MAX));
        self.shared.set_queue(pool::queue());
        // SAFETY: this thread alone has the fiber now.
        let result = unsafe { self.go_on() };
        CURRENT.with(|current| current.set(None));
        heap::set_running(None);
        heap::leave_critical();
        match result {
            Some(CoroutineResult::Yield(switch)) => switch,
            _ => unreachable!("fibers never end"),
        }
    }

    /// Whether it waits to be resumed. It may change at once.
    pub fn is_suspended(&self) -> bool {
        self.record.is_suspended()
    }

    /// Addresses of the stack, for reports of its overflow.
    pub fn stack(&self) -> (usize, usize) {
        (self.record.low, self.record.high)
    }
}

/// Where the activities that wait are: their frames in the program, innermost first. The last thing that a process does: no
/// activity goes on afterwards, and all threads of the pool sleep.
pub fn where_they_wait() -> Vec<Vec<i64>> {
    let own = current().map_or(std::ptr::null(), std::ptr::from_ref);
    let fibers = ALL.lock().clone();
    *ANSWERS.lock() = Some(Vec::new());
    ASKED.store(true, Ordering::Release);
    for fiber in fibers {
        if fiber.shared.activity.get().is_null() || std::ptr::eq(fiber, own) {
            continue;
        }
        // SAFETY: it is suspended, and no thread takes it any more.
        let _ = unsafe { fiber.go_on() };
    }
    ANSWERS.lock().take().unwrap_or_default()
}

/// What each thread of the pool does, on its own stack. Returns if the thread is to end.
pub fn drive() {
    let mut fiber = idle();
    loop {
        match fiber.resume() {
            Switch::Run(next) => {
                IDLE.lock().push(fiber);
                fiber = next;
            }
            Switch::Block(register) => {
                register(fiber);
                fiber = idle();
            }
            Switch::End => return IDLE.lock().push(fiber),
        }
    }
}
