//! Copy-on-write lists: a list that accesses keep as it is at their time, copied once for all accesses
//! between two changes.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A value of which copies are shared until it changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshots<T> {
    value: T,
    /// A copy of the value as it is.
    shared: Option<Arc<T>>,
}

impl<T: Clone> Snapshots<T> {
    /// A copy of the value, shared with all copies since the last change.
    pub(super) fn snapshot(&mut self) -> Arc<T> {
        self.shared.get_or_insert_with(|| Arc::new(self.value.clone())).clone()
    }
}

impl<T> Deref for Snapshots<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Snapshots<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.shared = None;
        &mut self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_shared_until_the_value_changes() {
        let mut list = Snapshots::<Vec<u32>>::default();
        list.push(1);
        let (first, second) = (list.snapshot(), list.snapshot());
        assert!(Arc::ptr_eq(&first, &second));
        list.push(2);
        assert_eq!((&**first, &**list.snapshot()), (&[1][..], &[1, 2][..]));
    }
}
