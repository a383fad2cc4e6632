//! Activities of this place as the distributed half of the runtime sees them.

use std::sync::Arc;

use crate::apgas::activity::{self, Activity, Work};
use crate::apgas::cancellation::{self, Membership};
use crate::apgas::clock::{ClockContext, ClockRegistration, Registration};
use crate::apgas::engine::{Engine, FinishScope, Waiter};
use crate::apgas::finish::Uncounted;
use crate::apgas::finish::id::FinishId;
use crate::base::fatal;
use crate::device::Completion;
use crate::heap::Ref;
use crate::layout::ExceptionKind;
use crate::layout::Type;
use crate::program;
use crate::scheduler::park::Event;
use crate::scheduler::stack_depth;

/// The activities and the program of this place.
#[derive(Clone, Copy, Debug)]
pub struct LocalEngine;

struct EventWaiter(Arc<Event>);

impl Waiter for EventWaiter {
    fn wait(&self) {
        self.0.wait();
    }

    fn wake(&self) {
        self.0.set();
    }
}

impl Engine for LocalEngine {
    fn spawn(&self, scope: Arc<dyn FinishScope>, work: Box<dyn FnOnce() -> Ref + Send>) {
        activity::start_at(scope, work);
    }

    fn spawn_on_clocks(
        &self,
        scope: Arc<dyn FinishScope>,
        clocks: ClockContext,
        work: Box<dyn FnOnce() -> Ref + Send>,
    ) {
        let ClockContext { registrations, implicit, nesting, epoch } = clocks;
        let clocks: Vec<_> = registrations.into_iter().map(Registration::adopt).collect();
        activity::start_activity_at(Activity {
            clocks: clocks.into(),
            implicit_clock: implicit,
            nesting,
            is_urgent: scope.is_remote_at(),
            job: Membership::new(epoch),
            ..Activity::new(scope, Work::Runtime(work))
        });
    }

    fn clocks(&self) -> ClockContext {
        activity::activity(|activity| ClockContext {
            registrations: activity.clocks.iter().map(Registration::clock_registration).collect(),
            implicit: activity.innermost_clock(),
            nesting: stack_depth::depth(),
            epoch: cancellation::activity_epoch(),
        })
        .unwrap_or_default()
    }

    fn take_clocks(&self) -> Vec<ClockRegistration> {
        let take = |activity: &mut Activity| {
            activity.clocks.take().into_iter().map(|registration| registration.clock_registration()).collect()
        };
        activity::activity(take).unwrap_or_default()
    }

    fn set_clocks(&self, registrations: Vec<ClockRegistration>) {
        activity::activity(|activity| {
            activity.clocks = registrations.into_iter().map(Registration::adopt).collect::<Vec<_>>().into();
        });
    }

    fn scope(&self) -> Arc<dyn FinishScope> {
        activity::activity(|activity| activity.innermost_scope()).unwrap_or_else(|| Arc::new(Uncounted))
    }

    fn finish_id(&self) -> FinishId {
        activity::activity(|activity| activity.finish_number()).flatten().unwrap_or_else(|| {
            let scope = self.scope();
            scope.global_id(&scope)
        })
    }

    fn watch(&self, flight: Completion) {
        // Another activity's finish may be past looking.
        if let Some(finish) = activity::activity(|activity| activity.innermost_open()).flatten() {
            finish.watch(flight);
        }
    }

    fn uncounted(&self) -> Arc<dyn FinishScope> {
        Arc::new(Uncounted)
    }

    fn waiter(&self) -> Arc<dyn Waiter> {
        Arc::new(EventWaiter(Arc::default()))
    }

    fn types(&self) -> &'static [&'static Type] {
        program::types()
    }

    fn call(&self, closure: Ref) -> Ref {
        activity::name_profile(closure);
        program::call(closure)
    }

    fn call_value(&self, closure: Ref) -> Result<Ref, Ref> {
        activity::name_profile(closure);
        program::call_value(closure)
    }

    fn is_exception(&self, object: Ref) -> bool {
        program::is_exception(object)
    }

    fn exception(&self, kind: ExceptionKind, message: &str) -> Ref {
        program::exception(kind, message).0
    }

    fn end(&self, code: i32) {
        fatal::fail(code);
    }
}
