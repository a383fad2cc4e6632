//! Append-only list without locks: handlers of signals, and the collector while threads are stopped, read it
//! (Treiber, "Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986, without the removal).

use std::sync::atomic::{AtomicPtr, Ordering};

struct Node<T> {
    value: T,
    before: *const Node<T>,
}

/// A list of what is never removed.
pub(crate) struct AppendList<T: 'static>(AtomicPtr<Node<T>>);

impl<T: Sync> AppendList<T> {
    pub(crate) const fn new() -> AppendList<T> {
        AppendList(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// Appends a value.
    pub(crate) fn push(&'static self, value: T) -> &'static T {
        let mut last = self.0.load(Ordering::Relaxed);
        let node = Box::into_raw(Box::new(Node { value, before: last }));
        while let Err(other) = self.0.compare_exchange_weak(last, node, Ordering::Release, Ordering::Relaxed)
        {
            last = other;
            // SAFETY: no other thread knows the node yet.
            unsafe { (*node).before = last };
        }
        // SAFETY: never freed, and not changed from now on.
        unsafe { &(*node).value }
    }

    /// The values, the last one first.
    pub(crate) fn iter(&'static self) -> impl Iterator<Item = &'static T> {
        let mut next = self.0.load(Ordering::Acquire).cast_const();
        std::iter::from_fn(move || {
            // SAFETY: null, or a node of the list, which is never freed.
            let node = unsafe { next.as_ref() }?;
            next = node.before;
            Some(&node.value)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_has_all_values_that_threads_append() {
        static LIST: AppendList<u32> = AppendList::new();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for index in 0..100 {
                        LIST.push(thread * 100 + index);
                    }
                });
            }
        });
        let mut all: Vec<u32> = LIST.iter().copied().collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..400));
    }
}
