//! Activities of this place as the distributed half of the runtime sees them.

use std::sync::Arc;

use super::block::Event;
use super::clock::{Registration, Ticket};
use super::current::{self, Activity, Work};
use super::finish::Uncounted;
use crate::abi::ExceptionKind;
use crate::distributed::{Engine, Governor, Waiter};
use crate::layout::Type;
use crate::memory::Ref;
use crate::program;

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
    fn spawn(&self, governor: Arc<dyn Governor>, work: Box<dyn FnOnce() -> Ref + Send>) {
        current::start_at(governor, work);
    }

    fn spawn_on_clocks(
        &self,
        governor: Arc<dyn Governor>,
        clocks: Vec<Ticket>,
        implicit: Option<i64>,
        work: Box<dyn FnOnce() -> Ref + Send>,
    ) {
        let clocks = clocks.into_iter().map(Registration::adopt).collect();
        current::start_activity_at(Activity {
            clocks,
            implicit_clock: implicit,
            ..Activity::new(governor, Work::Runtime(work))
        });
    }

    fn governor(&self) -> Arc<dyn Governor> {
        current::activity(|activity| activity.innermost_governor()).unwrap_or_else(|| Arc::new(Uncounted))
    }

    fn uncounted(&self) -> Arc<dyn Governor> {
        Arc::new(Uncounted)
    }

    fn waiter(&self) -> Arc<dyn Waiter> {
        Arc::new(EventWaiter(Arc::default()))
    }

    fn types(&self) -> &'static [&'static Type] {
        program::types()
    }

    fn call(&self, closure: Ref) -> Ref {
        crate::profile::name(closure);
        program::call(closure)
    }

    fn call_value(&self, closure: Ref) -> Result<Ref, Ref> {
        crate::profile::name(closure);
        program::call_value(closure)
    }

    fn exception(&self, kind: ExceptionKind, message: &str) -> Ref {
        program::exception(kind, message).0
    }

    fn end(&self, code: i32) {
        super::pool::end_process(code);
    }
}
