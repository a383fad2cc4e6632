//! x10.util.concurrent.Atomic*: the value is the one element of a rail, which the class library makes and
//! keeps to itself.

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicPtr, Ordering};

use crate::base::sanitizer;
use crate::heap::Ref;
use crate::layout::Object;

/// The element, seen as an atomic variable of type `A`, which has the size and alignment of the element's
/// type.
fn cell<'a, A>(rail: Ref) -> &'a A {
    // SAFETY: the class library passes rails of one element of that width, which are on the caller's stack;
    // all access to the element goes through these functions.
    unsafe { &*rail.elements().cast::<A>() }
}

/// Does something with the element in one step, ordered with all others that do.
fn ordered<A: 'static, R>(rail: Ref, step: impl FnOnce(&A) -> R) -> R {
    sanitizer::release(rail.elements());
    let result = step(cell(rail));
    sanitizer::acquire(rail.elements());
    result
}

macro_rules! numbers {
    ($cell:ty, $value:ty: $load:ident $store:ident $swap:ident $add:ident $compare:ident) => {
        pub(crate) fn $load(rail: Ref) -> $value {
            ordered(rail, |it: &$cell| it.load(Ordering::SeqCst))
        }

        pub(crate) fn $store(rail: Ref, value: $value) {
            ordered(rail, |it: &$cell| it.store(value, Ordering::SeqCst));
        }

        pub(crate) fn $swap(rail: Ref, value: $value) -> $value {
            ordered(rail, |it: &$cell| it.swap(value, Ordering::SeqCst))
        }

        pub(crate) fn $add(rail: Ref, delta: $value) -> $value {
            ordered(rail, |it: &$cell| it.fetch_add(delta, Ordering::SeqCst))
        }

        pub(crate) fn $compare(rail: Ref, expected: $value, value: $value) -> bool {
            let (all, or) = (Ordering::SeqCst, Ordering::SeqCst);
            ordered(rail, |it: &$cell| it.compare_exchange(expected, value, all, or).is_ok())
        }
    };
}

numbers!(AtomicI32, i32: atomic_load_i32 atomic_store_i32 atomic_swap_i32 atomic_add_i32 atomic_compare_i32);
numbers!(AtomicI64, i64: atomic_load_i64 atomic_store_i64 atomic_swap_i64 atomic_add_i64 atomic_compare_i64);

type Reference = AtomicPtr<Object>;

pub(crate) fn atomic_load_ref(rail: Ref) -> Ref {
    Ref(ordered(rail, |it: &Reference| it.load(Ordering::SeqCst)))
}

pub(crate) fn atomic_store_ref(rail: Ref, value: Ref) {
    ordered(rail, |it: &Reference| it.store(value.0, Ordering::SeqCst));
}

pub(crate) fn atomic_swap_ref(rail: Ref, value: Ref) -> Ref {
    Ref(ordered(rail, |it: &Reference| it.swap(value.0, Ordering::SeqCst)))
}

pub(crate) fn atomic_compare_ref(rail: Ref, expected: Ref, value: Ref) -> bool {
    let (all, or) = (Ordering::SeqCst, Ordering::SeqCst);
    ordered(rail, |it: &Reference| it.compare_exchange(expected.0, value.0, all, or).is_ok())
}

/// What orders fences.
static FENCES: u64 = 0;

pub(crate) fn atomic_fence() {
    // ThreadSanitizer knows no fences: any two of them are ordered for it.
    sanitizer::release(&raw const FENCES);
    std::sync::atomic::fence(Ordering::SeqCst);
    sanitizer::acquire(&raw const FENCES);
}
