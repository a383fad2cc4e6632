//! Where references are found that no object holds: stacks, registers, static fields, handles.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use crate::base::append_list::AppendList;
use crate::heap::handles;
use crate::heap::mark::marker::Marker;
use crate::heap::mark::weak;
use crate::heap::safepoint::mutators::Mutator;
use crate::heap::safepoint::stacks;
use crate::layout::Ref;
use crate::layout::{Program, slot};

static PROGRAMS: AppendList<&'static Program> = AppendList::new();

/// From now on the static fields of this program are roots.
pub fn add_static_roots(program: &'static Program) {
    PROGRAMS.push(program);
}

/// Shows each word of a queue to a visitor.
type EachWord = fn(&mut dyn FnMut(usize));

static QUEUES: OnceLock<EachWord> = OnceLock::new();

/// From now on what the words of these queues refer to is alive.
pub fn add_queues(each_word: EachWord) {
    let _ = QUEUES.set(each_word);
}

/// Marks all roots; all threads are stopped.
pub(crate) fn mark(marker: &mut Marker<'_>, mutators: &[Arc<Mutator>]) {
    for mutator in mutators {
        if mutator.is_gone() {
            continue;
        }
        let (low, high) = stack_of(mutator);
        marker.range(low, high);
    }
    stacks::each_suspended(|low, high| marker.range(low, high));
    handles::each(|object| marker.reference(object));
    weak::mark_kept(marker);
    if let Some(each_word) = QUEUES.get() {
        each_word(&mut |word| marker.word(word));
    }
    for program in PROGRAMS.iter() {
        for root in program.roots() {
            match root.slot as u8 {
                // SAFETY: a static field of the program.
                slot::REF => marker.reference(unsafe { root.address.cast::<Ref>().read() }),
                slot::VALUE => {
                    // SAFETY: descriptors are static.
                    if let Some(ty) = unsafe { root.ty.as_ref() } {
                        marker.fields(root.address.cast(), ty);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The used part of the stack that a stopped thread is on: its coroutine's or its own.
fn stack_of(mutator: &Mutator) -> (usize, usize) {
    let at = mutator.stack_pointer.load(Ordering::Relaxed);
    // SAFETY: records of stacks live as long as the process.
    if let Some(record) = unsafe { mutator.coroutine.load(Ordering::SeqCst).as_ref() }
        && (record.low..record.high).contains(&at)
    {
        return (at, record.high);
    }
    (at, mutator.stack_end)
}
