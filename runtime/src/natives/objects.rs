//! Objects: allocation, exceptions of generated code, statics, rails.

use std::ffi::CStr;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use super::{non_null, outcome, raise as raise_kind, range_of};
use crate::abi::{DescriptorPointer, ExceptionKind, Outcome, Raised, StaticPointer, Text};
use crate::apgas::activity::Identity;
use crate::base::sanitizer;
use crate::heap;
use crate::heap::{Handle, Ref};
use crate::program;
use crate::scheduler::park::{Waker, block};

fn text<'a>(text: Text) -> std::borrow::Cow<'a, str> {
    if text.is_null() {
        return "".into();
    }
    // SAFETY: a constant of the program.
    unsafe { CStr::from_ptr(text) }.to_string_lossy()
}

pub(crate) fn allocate(ty: DescriptorPointer) -> Outcome<Ref> {
    // SAFETY: a descriptor of the program.
    let ty = unsafe { &*ty };
    program::allocate(ty)
}

pub(crate) fn allocate_rail(ty: DescriptorPointer, length: i64) -> Outcome<Ref> {
    // SAFETY: a descriptor of the program.
    let ty = unsafe { &*ty };
    program::allocate_rail(ty, length)
}

pub(crate) fn allocate_rail_unwritten(ty: DescriptorPointer, length: i64) -> Outcome<Ref> {
    // SAFETY: a descriptor of the program.
    match heap::allocate_set_later(unsafe { &*ty }, length) {
        Some(rail) => Ok(rail),
        None => allocate_rail(ty, length),
    }
}

pub(crate) fn string_literal(bytes: Text, length: i64) -> Outcome<Ref> {
    // SAFETY: a constant of the program with that length.
    let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize) };
    heap::interned(bytes, || program::string(bytes))
}

pub(crate) fn raise(kind: u32, message: Text) -> Outcome<()> {
    let kind = ExceptionKind::ALL.get(kind as usize).copied().unwrap_or(ExceptionKind::Internal);
    raise_kind(kind, &text(message))
}

pub(crate) fn raise_null() -> Outcome<()> {
    Err(program::exception_without_message(ExceptionKind::NullPointer))
}

pub(crate) fn raise_bounds(index: i64, length: i64) -> Outcome<()> {
    let message = format!("Index {index} out of range (Rail size {length})");
    raise_kind(ExceptionKind::ArrayIndexOutOfBounds, &message)
}

pub(crate) fn raise_division() -> Outcome<()> {
    raise_kind(ExceptionKind::Arithmetic, "divide by zero")
}

pub(crate) fn raise_cast(object: Ref, target: Text) -> Outcome<()> {
    let from = if object.is_null() { "null".into() } else { object.ty().name() };
    raise_kind(ExceptionKind::ClassCast, &format!("{from} cannot be cast to {}", text(target)))
}

pub(crate) fn raise_forgotten(number: i64) -> Outcome<()> {
    let message = format!("number {number} names no object of this place: it was forgotten");
    raise_kind(ExceptionKind::IllegalArgument, &message)
}

pub(crate) fn stack_overflow() -> Outcome<()> {
    let here = 0_u8;
    let used_up = crate::scheduler::fiber::current().map(crate::scheduler::fiber::Fiber::stack).is_some_and(
        |(low, high)| {
            (low..low + crate::scheduler::STACK_RESERVE).contains(&(&raw const here as usize)) && low < high
        },
    );
    if !used_up {
        // A thread of the runtime, whose stack bounds are not known here.
        return Ok(());
    }
    let message = format!("an activity has used up its stack of {} MiB", crate::scheduler::STACK_BYTES >> 20);
    raise_kind(ExceptionKind::StackOverflow, &message)
}

/// Registers an object as a root: generated code keeps thrown exceptions alive this way.
pub(crate) fn hold_root(object: Ref) -> u64 {
    Handle::new(object).into_raw()
}

pub(crate) fn release_root(root: u64) {
    Handle::release_raw(root);
}

pub(crate) fn identity_hash(object: Ref) -> i32 {
    // Objects never move, so the address is a valid identity. Multiplicative (Fibonacci) hashing; Knuth, "The
    // Art of Computer Programming", volume 3, section 6.4.
    let mixed = (object.address() as u64 >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 33) as i32
}

pub(crate) fn object_type_name(object: Ref) -> Outcome<Ref> {
    program::string(non_null(object)?.ty().name().as_bytes())
}

pub(crate) fn object_to_string(object: Ref) -> Outcome<Ref> {
    let text = format!("{}@{:x}", non_null(object)?.ty().name(), identity_hash(object));
    program::string(text.as_bytes())
}

/// Activities that wait for the end of a static field's initialisation: field and waker.
static WAITING: Mutex<Vec<(usize, Waker)>> = Mutex::new(Vec::new());
/// Static fields in initialisation, and the initialising activities.
static INITIALISING: Mutex<Vec<(usize, Identity)>> = Mutex::new(Vec::new());

const NEW: u32 = 0;
const RUNNING: u32 = 1;
const READY: u32 = 2;
const FAILED: u32 = 3;

/// Identity of the calling activity.
pub(crate) fn activity_identity() -> Identity {
    crate::apgas::activity::activity(|activity| activity.identity()).unwrap_or_default()
}

pub(crate) fn static_begin(state: StaticPointer) -> Outcome<bool> {
    // SAFETY: the state of a static field lives as long as the program.
    let field: &'static crate::layout::StaticState = unsafe { &*state };
    let address = state as usize;
    loop {
        {
            let mut initialising = INITIALISING.lock();
            match field.state.load(Ordering::Acquire) {
                NEW => {
                    field.state.store(RUNNING, Ordering::Release);
                    initialising.push((address, activity_identity()));
                    return Ok(true);
                }
                READY => {
                    sanitizer::acquire(state);
                    return Ok(false);
                }
                FAILED => return Err(Raised(field.failure)),
                _ => {
                    let own = (address, activity_identity());
                    if initialising.contains(&own) {
                        drop(initialising);
                        let message =
                            format!("the initialiser of {} uses the field itself", text(field.name));
                        return raise_kind(ExceptionKind::IllegalOperation, &message);
                    }
                }
            }
        }
        block(move |waker| {
            let mut waiting = WAITING.lock();
            if field.state.load(Ordering::Acquire) == RUNNING {
                waiting.push((address, waker));
            } else {
                drop(waiting);
                waker.wake();
            }
        });
    }
}

pub(crate) fn static_end(state: StaticPointer, failure: Ref) -> Outcome<()> {
    let address = state as usize;
    sanitizer::release(state);
    // SAFETY: only the activity that initialises the field gets here; readers look at the failure after the
    // state.
    unsafe {
        if !failure.is_null() {
            heap::register_global(failure);
            (*state).failure = failure;
        }
        let new = if failure.is_null() { READY } else { FAILED };
        (*state).state.store(new, Ordering::Release);
    }
    INITIALISING.lock().retain(|(field, _)| *field != address);
    let woken: Vec<Waker> = {
        let mut waiting = WAITING.lock();
        let (mine, others) = waiting.drain(..).partition(|(field, _)| *field == address);
        *waiting = others;
        mine
    }
    .into_iter()
    .map(|(_, waker)| waker)
    .collect();
    woken.into_iter().for_each(Waker::wake);
    outcome(failure)
}

pub(crate) fn rail_copy(
    source: Ref,
    source_index: i64,
    target: Ref,
    target_index: i64,
    count: i64,
) -> Outcome<()> {
    let (from, bytes) = range_of(source, source_index, count)?;
    let (to, _) = range_of(target, target_index, count)?;
    let (a, b) = (source.ty(), target.ty());
    if (a.element_slot, a.element_size) != (b.element_slot, b.element_size) {
        let message = format!("cannot copy elements of {} into {}", a.name(), b.name());
        return raise_kind(ExceptionKind::IllegalArgument, &message);
    }
    // SAFETY: both ranges were checked; they may overlap.
    unsafe { std::ptr::copy(from, to, bytes) };
    Ok(())
}

pub(crate) fn rail_clear(rail: Ref, start: i64, count: i64) -> Outcome<()> {
    let (at, bytes) = range_of(rail, start, count)?;
    // SAFETY: the range was checked.
    unsafe { at.write_bytes(0, bytes) };
    Ok(())
}

pub(crate) fn global_ref_register(object: Ref) -> Outcome<i64> {
    Ok(heap::register_global(object))
}

pub(crate) fn global_ref_get(handle: i64) -> Outcome<Ref> {
    match heap::global(handle) {
        Some(object) => Ok(object),
        None => {
            let message =
                format!("number {handle} names no object of this place: it was forgotten, or never made");
            raise_kind(ExceptionKind::IllegalArgument, &message)
        }
    }
}

pub(crate) fn global_ref_forget(handle: i64) {
    heap::forget_global(handle);
}

pub(crate) fn global_find(target: Ref) -> Ref {
    heap::global_refs::find(target).unwrap_or(Ref::NULL)
}

pub(crate) fn global_enter(token: Ref, target: Ref) -> Outcome<Ref> {
    Ok(heap::global_refs::enter(non_null(token)?, target))
}

pub(crate) fn global_forget(token: Ref) -> Outcome<()> {
    heap::global_refs::forget(non_null(token)?);
    Ok(())
}
