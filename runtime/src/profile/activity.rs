//! Activities as spans. One that waits is not running: its span ends, and another begins when it goes on, perhaps in another thread.

use std::cell::Cell;

use super::{Code, Span, What, now, record};
use crate::heap::Ref;
use crate::scheduler::worker_number;

/// The innermost running activity of a fiber, if activities are recorded.
#[derive(Debug, Default)]
pub struct Opened(Cell<*mut Open>);

/// An activity that runs. It lives on the stack of its fiber until [`Open::end`].
#[derive(Debug)]
pub struct Open {
    code: Code,
    began: u64,
    first: bool,
    outer: *mut Open,
}

impl Open {
    /// An activity that begins now.
    pub fn new(code: Code) -> Open {
        Open { code, began: now(), first: true, outer: std::ptr::null_mut() }
    }

    /// From now on it is the fiber's innermost. It must not move until [`Open::end`].
    pub fn begin(&mut self, fiber: &Opened) {
        self.outer = fiber.0.replace(self);
    }

    /// It has ended.
    pub fn end(mut self, fiber: &Opened) {
        fiber.0.set(self.outer);
        self.close();
    }

    fn close(&mut self) {
        let what = What::Activity { code: self.code, first: self.first };
        let place = i64::from(crate::base::place::here());
        record(Span { what, place, worker: worker_number(), began: self.began, ended: now() });
        self.first = false;
    }
}

impl Opened {
    /// The fiber leaves its thread.
    pub fn suspend(&self) {
        self.each(Open::close);
    }

    /// It goes on.
    pub fn resume(&self) {
        let began = now();
        self.each(|it| it.began = began);
    }

    /// What the innermost activity runs, now that it is known.
    pub fn name(&self, code: impl FnOnce() -> Code) {
        // SAFETY: see `each`.
        if let Some(open) = unsafe { self.0.get().as_mut() }
            && open.code == Code::Unknown
        {
            open.code = code();
        }
    }

    fn each(&self, mut work: impl FnMut(&mut Open)) {
        let mut at = self.0.get();
        // SAFETY: null, or an activity further up on this fiber's stack, which only this fiber uses.
        while let Some(open) = unsafe { at.as_mut() } {
            work(open);
            at = open.outer;
        }
    }
}

/// What the innermost activity of the caller runs, if it is recorded and was not known.
pub fn name(closure: Ref) {
    if super::on() {
        crate::scheduler::opened(|it| it.name(|| Code::of_closure(closure)));
    }
}

/// The innermost activity of the caller is the program's `main`.
pub fn name_main() {
    if super::on() {
        crate::scheduler::opened(|it| it.name(|| Code::Main));
    }
}
