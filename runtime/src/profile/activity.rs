//! Activities as spans. An activity that waits is not running: its span ends, and another begins when it
//! continues, perhaps in another thread.

use std::cell::Cell;

use super::{Code, Span, What, now, record};

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
    pub fn end(mut self, fiber: &Opened, worker: Option<usize>) {
        fiber.0.set(self.outer);
        self.close(worker);
    }

    fn close(&mut self, worker: Option<usize>) {
        let what = What::Activity { code: self.code, first: self.first };
        let place = i64::from(crate::base::place::here());
        record(Span { what, place, worker, began: self.began, ended: now() });
        self.first = false;
    }
}

impl Opened {
    /// The fiber leaves its thread.
    pub fn suspend(&self, worker: Option<usize>) {
        self.each(|it| it.close(worker));
    }

    /// The fiber continues.
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
