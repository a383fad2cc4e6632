//! What the distributed half of the runtime needs of the half that runs activities here, and the reverse.
//!
//! The scheduler, the heap and the program implement [`Engine`] and [`Governor`]; tests implement them with
//! threads.

use std::sync::Arc;

use crate::apgas::clock::{Luggage, Ticket};
use crate::apgas::finish::id::FinishId;
use crate::device::Completion;
use crate::heap::Ref;
use crate::layout::ExceptionKind;
use crate::layout::Type;

/// What an activity reports to: the innermost finish, at its own place, or a stand-in for one of another
/// place.
pub trait Governor: Send + Sync {
    /// One more thing to wait for: an activity, a copy, a kernel.
    fn enter(&self);
    /// One has ended, with this exception or null.
    fn leave(&self, exception: Ref);
    /// The number by which other places know this finish. A finish of this place answers with
    /// [`crate::apgas::FinishRoot::identify`]; one that waits for nothing (uncounted activities) with
    /// [`FinishId::NONE`].
    fn identify(&self, this: &Arc<dyn Governor>) -> FinishId;
    /// An activity goes to host place `place`: told before it is sent. A finish of this place hands this on
    /// to [`crate::apgas::FinishRoot::departed`].
    fn departed(&self, this: &Arc<dyn Governor>, place: u32);
    /// It is the body of an `at`: an activity of another place waits for it.
    fn is_visit(&self) -> bool {
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
    /// Starts an activity that runs `work`; it may wait. Called on any thread. `governor` has been entered
    /// for it, and is left when it ends, with the exception that `work` returns (or null).
    fn spawn(&self, governor: Arc<dyn Governor>, work: Box<dyn FnOnce() -> Ref + Send>);
    /// As [`Engine::spawn`], for an activity with clocks.
    fn spawn_on_clocks(
        &self,
        governor: Arc<dyn Governor>,
        clocks: Luggage,
        work: Box<dyn FnOnce() -> Ref + Send>,
    );
    /// The clocks of the calling activity, which keeps them.
    fn clocks(&self) -> Luggage;
    /// Takes the calling activity's registrations from it; it is the end of none.
    fn take_clocks(&self) -> Vec<Ticket>;
    /// Gives the calling activity these registrations, in place of those it has.
    fn set_clocks(&self, tickets: Vec<Ticket>);
    /// The governor of the calling activity.
    fn governor(&self) -> Arc<dyn Governor>;
    /// The number of that, for other places.
    fn finish_id(&self) -> FinishId {
        let governor = self.governor();
        governor.identify(&governor)
    }
    /// A kernel or copy that the governor of the calling activity waits for: it looks for the end when it
    /// comes to wait, if it can.
    fn watch(&self, flight: Completion) {
        drop(flight);
    }
    /// A governor that waits for nothing and prints the exceptions of its activities.
    fn uncounted(&self) -> Arc<dyn Governor>;
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
    /// Ends the program at this place, which another one has asked for.
    fn end(&self, code: i32);
}
