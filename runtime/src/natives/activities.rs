//! `async`, `at`, `finish`, `atomic`, `when` and waiting.

use std::sync::Arc;
use std::time::Duration;

use super::{non_null, raise};
use crate::abi::{ExceptionKind, Outcome, Raised, Refs};
use crate::apgas::activity::{self, Activity, Work};
use crate::apgas::cancellation::{self, Membership, NO_JOB};
use crate::apgas::clock::{self, ClockContext, ClockRegistration, Registration};
use crate::apgas::finish::{Finish, Uncounted};
use crate::apgas::marshal;
use crate::apgas::marshal::Copied;
use crate::apgas::{atomic, timer};
use crate::heap::{Handle, Ref};
use crate::layout::slot;
use crate::scheduler::{self, park, stack_depth};
use crate::serialize::read::Input;
use crate::{apgas, program};

/// The clocks of a new activity: none, the innermost clocked finish's, or these.
enum ClockList<'a> {
    None,
    Implicit,
    Objects(&'a [Ref]),
}

/// Calls `work` with the calling activity.
pub(crate) fn with_activity<R>(work: impl FnOnce(&mut Activity) -> Outcome<R>) -> Outcome<R> {
    activity::activity(work).unwrap_or_else(|| {
        raise(ExceptionKind::Internal, "this needs an activity, and the caller runs in none")
    })
}

/// Raises inside an atomic section, where an activity must not wait or start others.
pub(crate) fn not_in_atomic(what: &str) -> Outcome<()> {
    with_activity(|activity| {
        if activity.atomic == 0 {
            return Ok(());
        }
        let message = format!(
            "`{what}` inside `atomic` or `when`, where an activity must neither wait nor start others"
        );
        raise(ExceptionKind::IllegalOperation, &message)
    })
}

/// The handle in an x10.lang.Clock.
fn handle_of(clock: Ref) -> Outcome<i64> {
    let clock = non_null(clock)?;
    let ty = clock.ty();
    let field = ty.fields().iter().find(|field| field.slot == slot::I64 && field.name() == "handle");
    match field {
        // SAFETY: a field of the object.
        Some(field) => Ok(unsafe { clock.at(field.offset as usize).cast::<i64>().read() }),
        None => raise(ExceptionKind::ClockUse, &format!("{} is not a clock", ty.name())),
    }
}

/// Registrations for a new activity, and its implicit clock.
fn registrations(clocks: &ClockList<'_>) -> Outcome<(Vec<Registration>, Option<i64>)> {
    let (handles, implicit) = match clocks {
        ClockList::None => return Ok((Vec::new(), None)),
        ClockList::Implicit => match with_activity(|activity| Ok(activity.innermost_clock()))? {
            Some(handle) => (vec![handle], Some(handle)),
            None => return raise(ExceptionKind::ClockUse, "`clocked async` outside of a `clocked finish`"),
        },
        ClockList::Objects(objects) => {
            let handles: Outcome<Vec<i64>> = objects.iter().map(|clock| handle_of(*clock)).collect();
            (handles?, None)
        }
    };
    let registrations: Vec<ClockRegistration> = with_activity(|activity| {
        let clock_registration = |handle: &i64| {
            activity.clocks.iter().find(|own| own.handle == *handle).map(Registration::clock_registration)
        };
        handles.iter().map(clock_registration).collect::<Option<_>>().map_or_else(
            || {
                let message =
                    "an activity can register others only on clocks that it is registered on itself";
                raise(ExceptionKind::ClockUse, message)
            },
            Ok,
        )
    })?;
    // Clocks of other places are asked, so that this may wait.
    Ok((registrations.into_iter().map(clock::register).collect(), implicit))
}

fn start(closure: Ref, clocks: &ClockList<'_>) -> Outcome<()> {
    cancellation::check()?;
    let is_plain = matches!(clocks, ClockList::None) && !closure.is_null();
    let spawned = is_plain
        && activity::on_fiber(|fiber, activity| {
            activity.atomic == 0 && activity::spawn_closure(fiber, activity, closure)
        }) == Some(true);
    if spawned {
        return Ok(());
    }
    not_in_atomic("async")?;
    let closure = non_null(closure)?;
    start_work(Work::Closure(Handle::new(closure)), clocks)
}

fn start_work(work: Work, clocks: &ClockList<'_>) -> Outcome<()> {
    let (clocks, implicit_clock) = registrations(clocks)?;
    let scope = with_activity(|activity| Ok(activity.innermost_scope()))?;
    let job = Membership::new(cancellation::activity_epoch());
    let activity = Activity { clocks: clocks.into(), implicit_clock, job, ..Activity::new(scope, work) };
    activity::spawn(activity);
    Ok(())
}

pub(crate) fn async_here(closure: Ref) -> Outcome<()> {
    start(closure, &ClockList::None)
}

pub(crate) fn async_clocked(closure: Ref) -> Outcome<()> {
    start(closure, &ClockList::Implicit)
}

/// The clocks of an entry's parameters.
fn listed<'a>(clocks: Refs, count: u32) -> ClockList<'a> {
    if count == 0 {
        return ClockList::None;
    }
    // SAFETY: generated code passes an array of that length.
    ClockList::Objects(unsafe { std::slice::from_raw_parts(clocks, count as usize) })
}

pub(crate) fn async_on_clocks(closure: Ref, clocks: Refs, count: u32) -> Outcome<()> {
    start(closure, &listed(clocks, count))
}

pub(crate) fn async_uncounted(closure: Ref) -> Outcome<()> {
    not_in_atomic("async")?;
    cancellation::check()?;
    spawn_uncounted(closure, cancellation::activity_epoch())
}

fn spawn_uncounted(closure: Ref, epoch: u64) -> Outcome<()> {
    let work = Work::Closure(Handle::new(non_null(closure)?));
    let job = Membership::new(epoch);
    activity::spawn(Activity { job, ..Activity::new(Arc::new(Uncounted), work) });
    Ok(())
}

/// Starts an activity that nothing waits for, and that belongs to no job.
pub(crate) fn async_without_job(closure: Ref) -> Outcome<()> {
    not_in_atomic("submit")?;
    spawn_uncounted(closure, NO_JOB)
}

/// Starts an activity of the innermost finish that is a job of that epoch.
pub(crate) fn async_job(closure: Ref, epoch: i64) -> Outcome<()> {
    not_in_atomic("submit")?;
    let work = Work::Closure(Handle::new(non_null(closure)?));
    let scope = with_activity(|activity| Ok(activity.innermost_scope()))?;
    let job = Membership::new(epoch.cast_unsigned());
    activity::spawn(Activity { job, ..Activity::new(scope, work) });
    Ok(())
}

/// The epoch of jobs that are submitted at this place.
pub(crate) fn job_epoch() -> i64 {
    cancellation::place_epoch().cast_signed()
}

/// Cancels all jobs at this place: its new epoch.
pub(crate) fn cancel_jobs() -> i64 {
    cancellation::cancel_here().cast_signed()
}

/// Cancels all jobs of older epochs at this place.
pub(crate) fn cancel_jobs_before(epoch: i64) {
    cancellation::raise_to(epoch.cast_unsigned());
}

/// Whether the place is this one; raises if there is no such place, or if it cannot run closures.
fn is_here(place: i64) -> Outcome<bool> {
    super::places::check_host(place)?;
    Ok(place == i64::from(apgas::here()))
}

/// Starts a copy of a closure here. Like anywhere else, it is the activity that makes the copy of what copies
/// itself.
fn start_copy(closure: Ref, clocks: &ClockList<'_>) -> Outcome<()> {
    match marshal::copied_or_encoded(non_null(closure)?).map_err(Raised)? {
        Copied::Copy(closure) => start(closure, clocks),
        Copied::Bytes(bytes) => {
            let work = move || match marshal::decode(&mut Input::new(&bytes)) {
                Ok(closure) => program::call(closure),
                Err(exception) => exception,
            };
            start_work(Work::Runtime(Box::new(work)), clocks)
        }
    }
}

/// Of an activity that could not be started: what its finish gets.
fn failed_to_start(started: Outcome<()>) -> Outcome<()> {
    if let Err(Raised(exception)) = started {
        let scope = with_activity(|activity| Ok(activity.innermost_scope()))?;
        scope.enter();
        scope.leave(exception);
    }
    Ok(())
}

pub(crate) fn async_at(place: i64, closure: Ref) -> Outcome<()> {
    not_in_atomic("async")?;
    cancellation::check()?;
    failed_to_start(at_async(place, closure))
}

pub(crate) fn at_async(place: i64, closure: Ref) -> Outcome<()> {
    not_in_atomic("at")?;
    cancellation::check()?;
    if is_here(place)? {
        return start_copy(closure, &ClockList::None);
    }
    super::places::send_async(place, non_null(closure)?, true)
}

fn async_at_with_clocks(place: i64, closure: Ref, clocks: &ClockList<'_>) -> Outcome<()> {
    not_in_atomic("async")?;
    cancellation::check()?;
    let (here, closure) = match is_here(place).and_then(|here| Ok((here, non_null(closure)?))) {
        Ok(found) => found,
        Err(raised) => return failed_to_start(Err(raised)),
    };
    if here {
        return failed_to_start(start_copy(closure, clocks));
    }
    let (mut registrations, implicit) = registrations(clocks)?;
    let clocks = ClockContext {
        registrations: registrations.iter().map(Registration::clock_registration).collect(),
        implicit,
        nesting: stack_depth::depth_of_started(),
        epoch: cancellation::activity_epoch(),
    };
    let started = apgas::async_at_on_clocks(place, closure, clocks);
    if started.is_err() {
        clock::drop_all(&mut registrations);
    }
    failed_to_start(started)
}

pub(crate) fn async_at_clocked(place: i64, closure: Ref) -> Outcome<()> {
    async_at_with_clocks(place, closure, &ClockList::Implicit)
}

pub(crate) fn async_at_on_clocks(place: i64, closure: Ref, clocks: Refs, count: u32) -> Outcome<()> {
    async_at_with_clocks(place, closure, &listed(clocks, count))
}

pub(crate) fn async_at_uncounted(place: i64, closure: Ref) -> Outcome<()> {
    not_in_atomic("async")?;
    cancellation::check()?;
    if is_here(place)? {
        return async_uncounted(marshal::copied(non_null(closure)?).map_err(Raised)?);
    }
    super::places::send_async(place, non_null(closure)?, false)
}

pub(crate) fn at(place: i64, closure: Ref) -> Outcome<()> {
    not_in_atomic("at")?;
    not_too_deep()?;
    cancellation::check()?;
    apgas::at(place, non_null(closure)?)
}

pub(crate) fn at_value(place: i64, closure: Ref) -> Outcome<Ref> {
    not_in_atomic("at")?;
    not_too_deep()?;
    cancellation::check()?;
    apgas::at_value(place, non_null(closure)?)
}

/// Raises if activities that wait for each other are nested too deep for one more to wait.
fn not_too_deep() -> Outcome<()> {
    match stack_depth::limit_exceeded() {
        None => Ok(()),
        Some(why) => raise(ExceptionKind::StackOverflow, &why),
    }
}

pub(crate) fn finish_begin(clocked: bool) -> Outcome<()> {
    // Generated code calls this when its fiber has opened no finish before: the first time in an activity on
    // a new stack.
    not_too_deep()?;
    let begun = !clocked
        && activity::on_fiber(|fiber, activity| {
            if activity.atomic == 0 {
                activity.open(Finish::begin(fiber), None);
            }
            activity.atomic == 0
        }) == Some(true);
    if begun {
        return Ok(());
    }
    not_in_atomic("finish")?;
    let handle = with_activity(|activity| {
        let clock = clocked.then(clock::make);
        let handle = clock.as_ref().map(|registration| registration.handle);
        if let Some(clock) = clock {
            activity.clocks.push(clock);
        }
        Ok(handle)
    })?;
    // Its fiber tells the activities that it waits for which job they belong to.
    activity::on_fiber(|fiber, activity| activity.open(Finish::begin(fiber), handle));
    Ok(())
}

pub(crate) fn finish_end(exception: Ref) -> Outcome<()> {
    let closed = activity::on_fiber(|fiber, activity| (fiber, activity.close()));
    let Some((fiber, Some(finish))) = closed else {
        return raise(ExceptionKind::Internal, "the end of a finish that was not begun");
    };
    if let Some(handle) = finish.clock() {
        with_activity(|activity| Ok(activity.clocks.drop_one(handle)))?;
    }
    activity::run_own_activities(&finish, fiber);
    if exception.is_null() && finish.has_ended_quietly() && !cancellation::is_cancelled() {
        finish.keep(fiber);
        return Ok(());
    }
    let mut exceptions = activity::close_finish(finish, Some(fiber), exception);
    if cancellation::is_cancelled() && !exceptions.iter().any(|it| cancellation::is_cancellation(it.get())) {
        exceptions.push(Handle::new(cancellation::exception().0));
    }
    if exceptions.is_empty() {
        return Ok(());
    }
    Err(program::multiple(&exceptions))
}

/// An activity of the innermost finish, which ran on the stack of the caller's, has ended with this exception
/// or null, or with clocks.
pub(crate) fn finish_note(exception: Ref) {
    let clocks = activity::activity(|activity| {
        activity.note(exception);
        activity.clocks.take()
    });
    clock::drop_all(&mut clocks.unwrap_or_default());
}

/// There is more work than threads that look for it, and some sleep.
pub(crate) fn wake_worker() {
    scheduler::wake_worker();
}

pub(crate) fn atomic_begin() -> Outcome<()> {
    let nested = with_activity(|activity| {
        activity.atomic += 1;
        Ok(activity.atomic > 1)
    })?;
    if !nested {
        atomic::section().enter();
    }
    Ok(())
}

pub(crate) fn atomic_end() {
    let last = activity::activity(|activity| {
        activity.atomic = activity.atomic.saturating_sub(1);
        activity.atomic == 0
    });
    if last == Some(true) {
        atomic::section().leave();
    }
}

pub(crate) fn when_begin() -> Outcome<()> {
    not_in_atomic("when")?;
    atomic_begin()
}

pub(crate) fn when_wait() -> Outcome<()> {
    // In the section: the next cancellation finds it among those that wait.
    cancellation::check()?;
    atomic::section().wait_for_change();
    cancellation::check()
}

pub(crate) fn sleep(milliseconds: i64) -> Outcome<()> {
    if milliseconds < 0 {
        return raise(ExceptionKind::IllegalArgument, &format!("cannot sleep for {milliseconds} ms"));
    }
    cancellation::check()?;
    timer::sleep(Duration::from_millis(milliseconds as u64));
    cancellation::check()
}

pub(crate) fn probe() -> Outcome<()> {
    not_in_atomic("probe")?;
    cancellation::check()?;
    park::yield_now();
    cancellation::check()
}

pub(crate) fn worker_count() -> i32 {
    scheduler::worker_count() as i32
}

pub(crate) fn max_worker_count() -> i32 {
    scheduler::max_worker_count() as i32
}

/// The finish that waits for what the caller starts: the place of its body in the upper half, its number
/// there in the lower one; negative if there is none.
pub(crate) fn finish_id() -> i64 {
    let id = activity::activity(|it| {
        let scope = it.innermost_scope();
        scope.global_id(&scope)
    });
    match id {
        Some(id) if id != apgas::FinishId::NONE => {
            i64::from(id.home) << 40 | (id.number & ((1 << 40) - 1)) as i64
        }
        _ => -1,
    }
}

pub(crate) fn worker_id() -> i32 {
    scheduler::worker_number().unwrap_or(0) as i32
}

pub(crate) fn surplus_activities() -> i32 {
    i32::try_from(scheduler::queue_length()).unwrap_or(i32::MAX)
}
