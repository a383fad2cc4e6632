//! Tasks: what workers run. A task is two words in a deque, so that an activity that is no more than its
//! closure takes no memory of its own, and the collector reads the closure there.

use crate::heap::Ref;
use crate::scheduler::deque::Pair;
use crate::scheduler::fiber::Fiber;
use crate::scheduler::stack_budget::FinishHeader;

/// Something to run.
pub enum Task {
    /// A closure that is an activity of a finish, which has been entered for it.
    Closure(Ref, *const FinishHeader),
    /// Another activity that has not begun.
    Activity(ActivityTask),
    /// A fiber whose activity may continue.
    Resume(&'static Fiber),
    /// A parallel loop that takes helpers: its index.
    Help(usize),
}

/// An activity that has not begun: the layer above knows its type.
pub struct ActivityTask {
    /// The owned activity.
    pub activity: *mut (),
    /// It is not deferred ([`crate::scheduler::admission`]): an activity of another place waits for it.
    pub is_urgent: bool,
}

// SAFETY: a finish is alive until all its activities have left it; activities are owned and may move between
// threads.
unsafe impl Send for Task {}

/// The second word of a pair, where it is not a finish.
const ACTIVITY: usize = 1;
const RESUME: usize = 2;
const HELP: usize = 3;
const URGENT_ACTIVITY: usize = 4;

/// Whether a pair is a fiber whose activity may continue.
pub(crate) fn is_resume(pair: Pair) -> bool {
    pair[1] == RESUME
}

impl Task {
    /// The finish that waits for an activity that is no more than its closure.
    pub fn finish(&self) -> *const FinishHeader {
        match self {
            Task::Closure(_, finish) => *finish,
            _ => std::ptr::null(),
        }
    }

    /// It is an activity that has not begun, and no activity of another place waits for it.
    pub(super) fn is_deferrable(&self) -> bool {
        match self {
            Task::Closure(..) => true,
            Task::Activity(activity) => !activity.is_urgent,
            Task::Resume(_) | Task::Help(_) => false,
        }
    }

    pub(super) fn into_pair(self) -> Pair {
        match self {
            Task::Closure(closure, finish) => [closure.address(), finish as usize],
            Task::Activity(ActivityTask { activity, is_urgent: false }) => [activity as usize, ACTIVITY],
            Task::Activity(ActivityTask { activity, is_urgent: true }) => {
                [activity as usize, URGENT_ACTIVITY]
            }
            Task::Resume(fiber) => [std::ptr::from_ref(fiber) as usize, RESUME],
            Task::Help(index) => [index, HELP],
        }
    }

    /// # Safety
    /// The pair was made by [`Task::into_pair`] or by generated code, and is taken once.
    pub(super) unsafe fn from_pair([first, second]: Pair) -> Task {
        let activity = |is_urgent| Task::Activity(ActivityTask { activity: first as *mut (), is_urgent });
        // SAFETY: `into_pair` made the first word from a fiber, which is never freed.
        unsafe {
            match second {
                ACTIVITY => activity(false),
                URGENT_ACTIVITY => activity(true),
                RESUME => Task::Resume(&*(first as *const Fiber)),
                HELP => Task::Help(first),
                finish => Task::Closure(Ref(first as *mut _), finish as *const FinishHeader),
            }
        }
    }
}
