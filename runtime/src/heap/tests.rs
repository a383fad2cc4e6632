//! The heap under hand-made types.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "tests call the functions of this crate as generated code does"
)]

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering};

use super::alloc::blocks;
use super::*;
use crate::layout::{Field, Kind, Type, slot};

/// A type with these fields; it lives for ever.
pub(crate) fn make_type(name: &'static CStr, kind: Kind, size: u64, fields: Vec<Field>) -> &'static Type {
    let fields = fields.leak();
    Box::leak(Box::new(Type {
        id: 0,
        kind: kind as u32,
        name: name.as_ptr(),
        superclass: std::ptr::null(),
        size,
        field_count: fields.len() as u32,
        fields: fields.as_ptr(),
        element_slot: 0,
        element_size: 0,
        element: std::ptr::null(),
        interface_count: 0,
        interfaces: std::ptr::null(),
        vtable: [],
        vtable_length: 0,
        custom: 0,
        restore: None,
        brief: 0,
        result: 0,
    }))
}

/// A rail type.
pub(crate) fn make_rail(name: &'static CStr, element_slot: u8) -> &'static Type {
    let rail = make_type(name, Kind::Rail, 16, Vec::new());
    let element_size = slot::size(element_slot).expect("a plain slot") as u32;
    Box::leak(Box::new(Type { element_slot, element_size, ..copy(rail) }))
}

fn copy(ty: &Type) -> Type {
    // SAFETY: plain data.
    unsafe { std::ptr::read(ty) }
}

/// A list node: `next`, `value`.
pub(crate) fn node() -> &'static Type {
    let field = |name: &'static CStr, offset, slot| Field {
        name: name.as_ptr(),
        offset,
        slot,
        transient: 0,
        ty: std::ptr::null(),
    };
    make_type(c"Node", Kind::Object, 24, vec![field(c"next", 8, slot::REF), field(c"value", 16, slot::I64)])
}

#[inline(never)]
fn list(ty: &'static Type, length: i64) -> Ref {
    let mut head = Ref::NULL;
    for value in 0..length {
        let new = allocate(ty).expect("room");
        unsafe {
            new.at(8).cast::<Ref>().write(head);
            new.at(16).cast::<i64>().write(value);
        }
        head = new;
    }
    head
}

fn sum(mut at: Ref) -> i64 {
    let mut sum = 0;
    while !at.is_null() {
        unsafe {
            sum += at.at(16).cast::<i64>().read();
            at = at.at(8).cast::<Ref>().read();
        }
    }
    sum
}

#[test]
fn size_classes_fit_their_sizes() {
    for bytes in 1..=blocks::MAX_SMALL_SIZE {
        let size = blocks::CLASS_SIZES[blocks::class_of(bytes)] as usize;
        assert!(size >= bytes && (size < 2 * bytes || size == 16), "{bytes} in {size}");
    }
}

#[test]
fn objects_referenced_from_a_stack_survive() {
    let ty = node();
    let head = list(ty, 10_000);
    collect();
    let _garbage = list(ty, 10_000);
    assert_eq!(sum(head), 49_995_000);
}

#[test]
fn handles_keep_objects_alive_until_dropped() {
    let ty = node();
    let handle = Handle::new(list(ty, 100));
    for _ in 0..3 {
        collect();
        list(ty, 100);
    }
    assert_eq!(sum(handle.get()), 4950);
}

#[test]
fn freed_memory_is_reused() {
    let rail = make_rail(c"Rail[Byte]", slot::BOOL);
    for _ in 0..2000 {
        let memory = allocate_counted(rail, 10 << 20).expect("garbage is collected before the heap is full");
        // New memory is zero even where garbage was.
        let last = memory.elements().wrapping_add((10 << 20) - 1);
        unsafe {
            assert_eq!(last.read(), 0);
            last.write(1);
        }
    }
}

#[test]
fn rails_of_references_are_traced() {
    let rail = allocate_counted(make_rail(c"Rail[Node]", slot::REF), 100_000).expect("room");
    let ty = node();
    for index in 0..rail.length() {
        rail.set_element(index, list(ty, 2));
    }
    collect();
    list(ty, 100_000);
    assert!((0..rail.length()).all(|index| sum(rail.element(index)) == 1));
}

#[test]
fn oversized_allocation_fails() {
    let rail = make_rail(c"Rail[Long]", slot::I64);
    assert_eq!(allocate_counted(rail, i64::MAX / 8), None);
    assert_eq!(allocate_counted(rail, 1 << 45), None);
    assert!(allocate_counted(rail, 1).is_some());
}

#[test]
fn global_numbers_are_unique() {
    let object = allocate(node()).expect("room");
    let number = register_global(object);
    assert_eq!(register_global(object), number);
    assert_eq!(global(number), Some(object));
    forget_global(number);
    assert_eq!(global(number), None);
    assert_eq!(global(0), Some(Ref::NULL));
}

#[test]
fn running_threads_are_stopped() {
    static STOP: AtomicBool = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let ty = node();
                while !STOP.load(Ordering::Relaxed) {
                    let head = list(ty, 1000);
                    list(ty, 1000);
                    assert_eq!(sum(head), 499_500);
                }
            });
        }
        for _ in 0..30 {
            collect();
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        STOP.store(true, Ordering::Relaxed);
    });
}

#[test]
fn objects_made_under_holds_are_collected_between_holds() {
    let rail = make_rail(c"Rail[Byte]", slot::BOOL);
    for _ in 0..300 {
        let _hold = hold_collection();
        allocate_counted(rail, 10 << 20).expect("room");
    }
    assert!(bytes_in_use() < 2000 << 20, "{}", bytes_in_use());
}

#[test]
fn hold_prevents_collection() {
    let ty = node();
    let hold = hold_collection();
    let before = statistics().collections;
    // Only the number on the stack, not the reference.
    let hidden = !list(ty, 10).address();
    let collector = std::thread::spawn(collect);
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert_eq!(statistics().collections, before);
    assert_eq!(sum(Ref(!hidden as *mut _)), 45);
    drop(hold);
    collector.join().expect("no panic");
    assert!(statistics().collections > before);
}

/// Signal handlers run on stacks of their own.
#[test]
fn thread_stopped_in_a_fault_handler_keeps_its_references() {
    const WRITERS: usize = 3;
    let ty = node();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let write = || {
            let page = page_watch::tests::pages(1);
            while !ended.load(Ordering::Relaxed) {
                let head = list(ty, 20);
                for value in 0..10 {
                    let watched = page_watch::watch(page, page + page_watch::PAGE).expect("a slot");
                    page_watch::tests::write(page, value);
                    assert!(!watched.is_clean());
                }
                assert_eq!(sum(head), 190);
            }
        };
        let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(write)).collect();
        for _ in 0..1000 {
            collect();
            // Where what was freed has been.
            list(ty, 50);
        }
        ended.store(true, Ordering::Relaxed);
        writers.into_iter().for_each(|writer| writer.join().expect("nothing is lost"));
    });
}

/// A thread that begins to wait when a stop is requested gets its signal late, when that stop and perhaps the
/// next one are over: it continues all the same.
#[test]
fn late_stop_signal_is_ignored() {
    let is_over = crate::heap::safepoint::mutators::is_over;
    assert!(is_over(4, 4) && is_over(4, 5) && is_over(u32::MAX, 1));
    assert!(!is_over(4, 3) && !is_over(1, u32::MAX));
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                list(node(), 1);
                while !ended.load(Ordering::Relaxed) {
                    while_parked(std::thread::yield_now);
                }
            });
        }
        for _ in 0..3000 {
            collect();
        }
        ended.store(true, Ordering::Relaxed);
    });
}

/// A thread whose process began with all signals blocked is stopped all the same.
#[test]
fn thread_with_inherited_blocked_signals_is_stopped() {
    let (begins, begun) = std::sync::mpsc::channel();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let ended = &ended;
        scope.spawn(move || {
            // SAFETY: changes what this thread blocks.
            unsafe {
                let mut all: libc::sigset_t = std::mem::zeroed();
                libc::sigfillset(&mut all);
                libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
            }
            list(node(), 1);
            begins.send(()).expect("somebody waits for it");
            while !ended.load(Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        });
        begun.recv().expect("it begins");
        collect();
        ended.store(true, Ordering::Relaxed);
    });
}

/// A thread that waits is not stopped, and what only its stack refers to stays; it runs while others collect.
#[test]
fn parked_thread_keeps_its_references() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let ty = node();
    let (begins, begun) = std::sync::mpsc::channel();
    let (ends, ended) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let head = list(ty, 100);
            begins.send(()).expect("somebody listens");
            while_parked(|| ended.recv()).expect("somebody tells");
            assert_eq!(sum(head), 4950);
        });
        for _ in 0..3 {
            scope.spawn(move || {
                while !STOP.load(Ordering::Relaxed) {
                    let head = list(ty, 20);
                    while_parked(std::thread::yield_now);
                    list(ty, 20);
                    while_parked(|| std::thread::sleep(std::time::Duration::from_micros(20)));
                    assert_eq!(sum(head), 190);
                }
            });
        }
        begun.recv().expect("it comes");
        for _ in 0..2000 {
            collect();
            list(ty, 50);
        }
        STOP.store(true, Ordering::Relaxed);
        ends.send(()).expect("it waits");
    });
}
