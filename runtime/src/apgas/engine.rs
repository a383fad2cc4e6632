//! Interfaces between the handling of messages and the execution of activities at this place.
//!
//! The scheduler, the heap and the program implement [`Engine`] and [`FinishScope`]; tests implement them
//! with threads.

use std::sync::Arc;

use crate::apgas::clock::{ClockContext, ClockRegistration};
use crate::apgas::finish::id::FinishId;
use crate::base::place::PlaceId;
use crate::device::Completion;
use crate::heap::Ref;
use crate::layout::ExceptionKind;
use crate::layout::Type;

/// The finish that an activity belongs to: the innermost one, at its own place, or a stand-in for one of
/// another place.
pub trait FinishScope: Send + Sync {
    /// One more thing to wait for: an activity, a copy, a kernel.
    fn enter(&self);
    /// One has ended, with this exception or null.
    fn leave(&self, exception: Ref);
    /// The number by which other places know this finish. A finish of this place answers with
    /// [`crate::apgas::FinishRoot::global_id`]; a finish that waits for nothing (uncounted activities) with
    /// [`FinishId::NONE`].
    fn global_id(&self, this: &Arc<dyn FinishScope>) -> FinishId;
    /// An activity goes to host place `place`: called before it is sent. A finish of this place forwards this
    /// to [`crate::apgas::FinishRoot::on_remote_spawn`].
    fn on_remote_spawn(&self, this: &Arc<dyn FinishScope>, place: PlaceId);
    /// It is the body of an `at`: an activity of another place waits for it.
    fn is_remote_at(&self) -> bool {
        false
    }
}

/// Something to wait for, once.
pub trait Waiter: Send + Sync {
    /// Suspends the calling activity until [`Waiter::wake`]; called by the activity that made this, once.
    fn wait(&self);
    /// Ends the wait, which may not have begun yet. Called on any thread, once.
    fn wake(&self);
}

/// Activities and program of this place. Its heap is [`crate::heap`].
pub trait Engine: Send + Sync {
    /// Starts an activity that runs `work`; it may wait. Called on any thread. `scope` has been entered
    /// for it, and is left when it ends, with the exception that `work` returns (or null).
    fn spawn(&self, scope: Arc<dyn FinishScope>, work: Box<dyn FnOnce() -> Ref + Send>);
    /// As [`Engine::spawn`], for an activity with clocks.
    fn spawn_on_clocks(
        &self,
        scope: Arc<dyn FinishScope>,
        clocks: ClockContext,
        work: Box<dyn FnOnce() -> Ref + Send>,
    );
    /// The clocks of the calling activity, which keeps them.
    fn clocks(&self) -> ClockContext;
    /// Takes the calling activity's registrations from it; it is the end of none.
    fn take_clocks(&self) -> Vec<ClockRegistration>;
    /// Gives the calling activity these registrations, in place of those it has.
    fn set_clocks(&self, registrations: Vec<ClockRegistration>);
    /// The scope of the calling activity.
    fn scope(&self) -> Arc<dyn FinishScope>;
    /// The number of that, for other places.
    fn finish_id(&self) -> FinishId {
        let scope = self.scope();
        scope.global_id(&scope)
    }
    /// A kernel or copy that the scope of the calling activity waits for: it looks for the end when it
    /// comes to wait, if it can.
    fn watch(&self, flight: Completion) {
        drop(flight);
    }
    /// A scope that waits for nothing and prints the exceptions of its activities.
    fn uncounted(&self) -> Arc<dyn FinishScope>;
    /// Something to wait for.
    fn waiter(&self) -> Arc<dyn Waiter>;
    /// The program's types by number.
    fn types(&self) -> &'static [&'static Type];
    /// Calls a closure without parameters and result: the exception it raises, or null.
    fn call(&self, closure: Ref) -> Ref;
    /// Calls a closure without parameters whose result is a reference.
    fn call_value(&self, closure: Ref) -> Result<Ref, Ref>;
    /// Whether an object is a closure that [`Engine::call`], or for a `value` [`Engine::call_value`], can
    /// call.
    fn is_body(&self, object: Ref, value: bool) -> bool {
        object.ty().is_body(value)
    }
    /// Whether an object can be raised.
    fn is_exception(&self, object: Ref) -> bool;
    /// A new exception object.
    fn exception(&self, kind: ExceptionKind, message: &str) -> Ref;
    /// Ends the program at this place on request of another one.
    fn end(&self, code: i32);
}
