//! The loop that each fiber runs: takes tasks, and runs activities to their end. Starts the scheduler with
//! it.

use crate::apgas::activity::{self, Activity, ActivityScope};
use crate::apgas::at::rpc;
use crate::apgas::finish::Finish;
use crate::apgas::{cancellation, wake_cancelled};
use crate::base::place::PlaceHeader;
use crate::scheduler::fiber::{Fiber, Switch};
use crate::scheduler::task::Task;
use crate::scheduler::{self, pool};
use crate::{device, heap};

/// Finishes that an idle fiber keeps for later, at most, and those that it keeps when there are more.
const MAX_SPARE_FINISHES: usize = 256;
const KEPT_SPARE_FINISHES: usize = MAX_SPARE_FINISHES / 4;

/// Starts the scheduler with that many workers; 0 stands for the default.
///
/// # Errors
/// The system has no thread for a worker, in words for the user.
pub fn start_scheduler(workers: usize) -> Result<(), String> {
    scheduler::start(workers, run_tasks)?;
    device::on_completion_hint(scheduler::hint_work_soon);
    cancellation::set_on_cancel(wake_cancelled::wake_all);
    Ok(())
}

/// Runs tasks for ever. Its own frame, which is never cleared, holds no task: a word of a task that has ended
/// would refer to whatever gets its memory next.
fn run_tasks(fiber: &'static Fiber) -> ! {
    loop {
        if run_own_task(fiber) {
            continue;
        }
        if heap::is_memory_short() {
            // The frames of a worker that waits cover some of what the last task has left.
            heap::forget_ended_calls();
        }
        if !run_found_task(fiber) {
            fiber.leave(Switch::End);
        }
    }
}

/// Runs the newest task of the fiber's worker. Whether there is one.
#[inline(never)]
fn run_own_task(fiber: &'static Fiber) -> bool {
    let own = pool::own_task(fiber.worker.get());
    activity::report_ends(fiber, own.as_ref().map_or(std::ptr::null(), Task::finish));
    if own.is_none() && fiber.finishes.get() > MAX_SPARE_FINISHES {
        fiber.finishes.set(Finish::free_spares(fiber, KEPT_SPARE_FINISHES));
    }
    own.map(|task| run(fiber, task)).is_some()
}

/// Runs a task of another worker, for which it may wait. Whether there is one.
#[inline(never)]
fn run_found_task(fiber: &'static Fiber) -> bool {
    scheduler::next_task().map(|task| run(fiber, task)).is_some()
}

#[inline]
fn run(fiber: &'static Fiber, task: Task) {
    fiber.budget.begin(task.finish());
    match task {
        Task::Closure(closure, finish) => {
            // SAFETY: the finish is alive, since it waits for the activity.
            let place = unsafe { Finish::place_of(finish) };
            enter_place(fiber, place);
            if place.is_some_and(cancellation::has_cancelled) && cancellation::is_cancelled() {
                return activity::drop_closure(fiber, Finish::from_header(finish));
            }
            activity::run_closure(fiber, closure, ActivityScope::Finish(Finish::from_header(finish)));
        }
        Task::Activity(task) => {
            // SAFETY: made by `Activity::into_task`, and taken from the queue once.
            let activity = unsafe { Activity::from_task(task) };
            enter_place(fiber, activity.place);
            activity.run();
        }
        Task::Help(index) => scheduler::parallel_loop::help(index),
        Task::Resume(other) => fiber.leave(Switch::Run(other)),
    }
}

/// The fiber's next activity belongs to that place.
#[inline]
fn enter_place(fiber: &'static Fiber, place: Option<&'static PlaceHeader>) {
    let address = |place: Option<&PlaceHeader>| place.map(|place| std::ptr::from_ref(place).addr());
    if address(fiber.place()) != address(place) {
        change_place(fiber, place);
    }
}

/// The fiber, which has run activities of another place, keeps nothing of that.
#[cold]
fn change_place(fiber: &'static Fiber, place: Option<&'static PlaceHeader>) {
    Finish::free_all_spares(fiber);
    rpc::release_kept(fiber);
    fiber.enter_place(place);
}
