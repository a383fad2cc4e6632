//! The loop that each fiber runs: takes tasks, and runs activities to their end. Starts the scheduler with
//! it.

use crate::apgas::activity::{self, Activity, ActivityScope};
use crate::apgas::finish::Finish;
use crate::apgas::{cancellation, wake_cancelled};
use crate::device;
use crate::scheduler::fiber::{Fiber, Switch};
use crate::scheduler::task::Task;
use crate::scheduler::{self, pool};

/// Finishes that an idle fiber keeps for later, at most, and those that it keeps when there are more.
const MAX_SPARE_FINISHES: usize = 256;
const KEPT_SPARE_FINISHES: usize = MAX_SPARE_FINISHES / 4;

/// Starts the scheduler with that many workers; 0 stands for the default.
pub fn start_scheduler(workers: usize) {
    scheduler::start(workers, run_tasks);
    device::on_completion_hint(scheduler::hint_work_soon);
    cancellation::set_on_cancel(wake_cancelled::wake_all);
}

/// Runs tasks for ever.
fn run_tasks(fiber: &'static Fiber) -> ! {
    loop {
        let own = pool::own_task(fiber.worker.get());
        activity::report_ends(fiber, own.as_ref().map_or(std::ptr::null(), Task::finish));
        if own.is_none() && fiber.finishes.get() > MAX_SPARE_FINISHES {
            fiber.finishes.set(Finish::free_spares(fiber, KEPT_SPARE_FINISHES));
        }
        let Some(task) = own.or_else(scheduler::next_task) else {
            fiber.leave(Switch::End);
            continue;
        };
        fiber.budget.begin(task.finish());
        match task {
            Task::Closure(_, finish) if cancellation::is_cancelled() => {
                activity::drop_closure(fiber, Finish::from_header(finish));
            }
            Task::Closure(closure, finish) => {
                activity::run_closure(fiber, closure, ActivityScope::Finish(Finish::from_header(finish)));
            }
            Task::Activity(task) => {
                // SAFETY: made by `Activity::into_task`, and taken from the queue once.
                unsafe { Activity::from_task(task) }.run();
            }
            Task::Help(job) => job.help(),
            Task::Resume(other) => fiber.leave(Switch::Run(other)),
        }
    }
}
