//! Stack traces of exceptions: rails of `Long` with return addresses in the program, in the field `frames` of
//! a throwable.

use crate::base::backtrace::{OMITTED_FRAMES, visit_frames};
use crate::heap::Ref;
use crate::layout::slot;

/// Frames of the sender of an `at` for which a full trace makes room.
const MIN_SENDER_FRAMES: usize = 16;

/// Writes the caller's frames into a rail of `Long`.
pub fn capture(frames: Ref) {
    if frames.ty().element_slot == slot::I64 {
        capture_from(frames, 0);
    }
}

/// Writes the caller's frames into a rail of `Long` from an index on, and zeros behind them.
fn capture_from(frames: Ref, start: usize) {
    let (mut at, length) = (start, frames.length());
    // SAFETY: an element: both callers of this closure pass an index below the length.
    let write = |at: usize, value| unsafe { frames.elements().cast::<i64>().add(at).write(value) };
    if at < length {
        visit_frames(&mut |offset| {
            write(at, offset);
            at += 1;
            at < length
        });
    }
    (at..length).for_each(|at| write(at, 0));
}

/// Appends the caller's frames to a rail that [`capture`] filled at another place: the caller is the activity
/// whose `at` raises what was thrown there.
fn append_sender(frames: Ref) {
    let used = frames_in(frames).len();
    if used == 0 {
        return;
    }
    let last = frames.length().saturating_sub(MIN_SENDER_FRAMES + 1);
    if used <= last {
        capture_from(frames, used);
    } else if last > 0 {
        // SAFETY: an element, since `last` is below the length.
        unsafe { frames.elements().cast::<i64>().add(last).write(OMITTED_FRAMES) };
        capture_from(frames, last + 1);
    }
}

/// The frames in a rail that [`capture`] filled.
pub fn frames_in(rail: Ref) -> Vec<i64> {
    if !rail.is_rail() || rail.ty().element_slot != slot::I64 {
        return Vec::new();
    }
    // SAFETY: an element.
    let frame = |index| unsafe { rail.elements().cast::<i64>().add(index).read() };
    (0..rail.length()).map(frame).filter(|frame| *frame != 0).collect()
}

/// The value of a reference field; null if there is no such field.
pub(super) fn field(object: Ref, name: &str) -> Ref {
    let fields = object.ty().fields();
    match fields.iter().rev().find(|field| field.slot == slot::REF && field.name() == name) {
        // SAFETY: a field of the object.
        Some(field) => unsafe { object.at(field.offset as usize).cast::<Ref>().read() },
        None => Ref::NULL,
    }
}

/// Appends the calling activity's stack to the trace of an exception that has come from another place.
pub fn append_sender_frames(exception: Ref) {
    let frames = field(exception, "frames");
    if !frames.is_null() {
        append_sender(frames);
    }
}
