//! Native members of `x10.util.SlotGroup` and `x10.util.Slot`, and the calls of kernels' blocks.
#![expect(clippy::too_many_arguments, reason = "the signatures of entries")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::{non_null, raise, range_of};
use crate::abi::{Bytes, ExceptionKind, Outcome, Raised};
use crate::apgas::slot_waits;
use crate::apgas::slots;
use crate::apgas::slots::Begun;
use crate::apgas::system::{spawn_uncounted, system};
use crate::apgas::team::Part;
use crate::heap::{Handle, Ref};
use crate::layout::SlotCall;
use crate::serialize::visit;
use crate::slots::block_call::{self, BlockCall, CallSite, Memory};
use crate::slots::group::{self, Side};
use crate::slots::request::{Call, Elements, Failure, FailureKind, Request, Source, Target};

/// Chooses the number of a new group of slots.
pub(crate) fn slot_group_number() -> i64 {
    slots::new_number()
}

/// Makes a group known here: a Rail[Long] of places, sides and numbers of slots.
pub(crate) fn slot_group_register(number: i64, table: Ref) -> Outcome<()> {
    let table = non_null(table)?;
    // SAFETY: a Rail[Long] of the library's own making.
    let rows = unsafe { std::slice::from_raw_parts(table.elements().cast::<i64>(), table.length()) };
    slots::register(number, rows).or_else(|why| raise(ExceptionKind::IllegalArgument, &why))?;
    slot_waits::watch();
    Ok(())
}

/// First rank of the slots at a place; 0 if there are none.
pub(crate) fn slot_group_first(number: i64, place: i64, side: i64) -> Outcome<i64> {
    Ok(part(number, place, side)?.map_or(0, |part| i64::from(part.first)))
}

/// Number of the slots at a place.
pub(crate) fn slot_group_count(number: i64, place: i64, side: i64) -> Outcome<i64> {
    Ok(part(number, place, side)?.map_or(0, |part| i64::from(part.count)))
}

fn part(number: i64, place: i64, side: i64) -> Outcome<Option<group::Part>> {
    let side = if side == 0 { Side::Activities } else { Side::Blocks };
    match slots::part(number, place, side) {
        Ok(part) => Ok(part),
        Err(failure) => raised(&failure),
    }
}

/// Nothing is done with a group any more.
pub(crate) fn slot_group_forget(number: i64) {
    slots::forget(number);
}

fn raised<T>(failure: &Failure) -> Outcome<T> {
    let kind = match failure.kind {
        FailureKind::Argument => ExceptionKind::IllegalArgument,
        FailureKind::Operation | FailureKind::Group => ExceptionKind::IllegalOperation,
        FailureKind::Index => ExceptionKind::ArrayIndexOutOfBounds,
    };
    raise(kind, &failure.message)
}

fn known_call(number: i32) -> Outcome<Call> {
    match Call::from_number(number) {
        Some(call) => Ok(call),
        None => raise(ExceptionKind::IllegalArgument, &format!("{number} is no call of a slot")),
    }
}

/// Parts of `count` elements that a call sends, and for which it has room.
fn parts(call: Call, is_root: bool, members: i64) -> (i64, i64) {
    (call.sent_parts().count(is_root, members), call.received_parts().count(is_root, members))
}

/// A range of elements of a rail that an activity names.
#[derive(Clone, Copy)]
struct Range {
    rail: Ref,
    index: i64,
    count: i64,
}

impl Range {
    /// The elements of that many parts.
    fn of_parts(self, parts: i64) -> Outcome<Range> {
        match self.count.checked_mul(parts) {
            Some(count) => Ok(Range { count, ..self }),
            None => {
                raise(ExceptionKind::IllegalArgument, &format!("{parts} parts of {} elements", self.count))
            }
        }
    }

    fn elements(self) -> Outcome<Elements> {
        let ty = non_null(self.rail)?.ty();
        let size = if visit::is_flat_rail(ty) { ty.element_bytes() as u32 } else { 0 };
        Ok(Elements { count: self.count.max(0) as u64, size, kind: ty.element_slot })
    }

    fn source(self) -> Outcome<Source> {
        let (address, bytes) = range_of(self.rail, self.index, self.count)?;
        if visit::is_flat_rail(self.rail.ty()) {
            return Ok(Source::Memory { address, bytes });
        }
        Ok(Source::Packed(Part::new(self.rail, self.index, self.count).pack()?))
    }

    fn target(self) -> Outcome<Target> {
        let (address, bytes) = range_of(self.rail, self.index, self.count)?;
        if visit::is_flat_rail(self.rail.ty()) {
            return Ok(Target::Memory { address, bytes });
        }
        Ok(Target::Packed(Arc::default()))
    }
}

/// The rail that a GlobalRail of this place names.
pub(crate) fn slot_rail(home: i64, handle: i64) -> Outcome<Ref> {
    if home != i64::from(crate::base::place::here()) {
        let message = format!(
            "an activity sends from and receives into rails of its own place; this GlobalRail is at Place({home})"
        );
        return raise(ExceptionKind::BadPlace, &message);
    }
    match crate::heap::global(handle).filter(|rail| rail.is_rail()) {
        Some(rail) => Ok(rail),
        None => raise(ExceptionKind::IllegalArgument, "the GlobalRail was deleted"),
    }
}

/// A call of an activity's slot.
pub(crate) fn slot_call(
    call: i32,
    group: i64,
    rank: i64,
    partner: i64,
    from: i64,
    tag: i64,
    operation: i64,
    first: i64,
    members: i64,
    stride: i64,
    source: Ref,
    source_index: i64,
    source_count: i64,
    target: Ref,
    target_index: i64,
    target_count: i64,
) -> Outcome<i64> {
    let call = known_call(call)?;
    let mut request = Request {
        group,
        rank,
        call,
        partner,
        from,
        tag: tag_of(tag)?,
        operation: operation as i32,
        subgroup: [first, members, stride],
        source: Source::Nothing,
        sent: Elements::default(),
        target: Target::Nothing,
        wanted: Elements::default(),
        block: None,
        owner: slots::owner(),
        gathered: (0, 0),
        is_sent: false,
        probe: None,
    };
    let (sends, takes) = parts(call, partner == rank, members);
    let given = Range { rail: source, index: source_index, count: source_count };
    let room = Range { rail: target, index: target_index, count: target_count };
    if !source.is_null() {
        request.sent = given.elements()?;
    }
    if !target.is_null() {
        request.wanted = room.elements()?;
    }
    if sends > 0 {
        request.source = given.of_parts(sends)?.source()?;
    }
    if takes > 0 {
        request.target = room.of_parts(takes)?.target()?;
    }
    run(request, room, given)
}

/// Makes the call of an activity, and decodes the objects that it receives.
fn run(request: Request, room: Range, given: Range) -> Outcome<i64> {
    let (call, group, rank) = (request.call, request.group, request.rank);
    let objects = match &request.target {
        Target::Packed(bytes) => Some(Arc::clone(bytes)),
        _ => None,
    };
    let begun = slots::take_begun(&request);
    let completion = match slots::call(request) {
        Ok(completion) => completion,
        Err(failure) => return raised(&failure),
    };
    let unpack = |bytes: &Mutex<Vec<u8>>, rail: Ref, index: i64| {
        Part::new(rail, index, completion.elements as i64).unpack(&bytes.lock())
    };
    match (call, begun) {
        (Call::StartSend | Call::StartReceive, _) => {
            let range = if call == Call::StartSend { given } else { room };
            slots::keep(
                group,
                rank,
                completion,
                Begun { rail: Handle::new(range.rail), index: range.index, objects },
            );
        }
        (_, Some(Begun { rail, index, objects: Some(bytes) })) => unpack(&bytes, rail.get(), index)?,
        (_, None) if let Some(bytes) = objects => unpack(&bytes, room.rail, room.index)?,
        _ => {}
    }
    Ok(completion.word())
}

fn tag_of(tag: i64) -> Outcome<i32> {
    block_call::checked_tag(tag).or_else(|failure| raised(&failure))
}

/// A call of the slot of a kernel's block on a processor, a [`SlotCall`].
pub(crate) fn slot_kernel_call(call: Bytes) -> Outcome<i64> {
    // SAFETY: passed by the program: a structure that is alive until this returns.
    let numbers = unsafe { &*call.cast::<SlotCall>() };
    let made = match BlockCall::new(numbers) {
        Ok(made) => made,
        Err(failure) => return raised(&failure),
    };
    let source = match made.source {
        Some(Memory { address, bytes }) => Source::Memory { address, bytes },
        None => Source::Nothing,
    };
    let target = match made.target {
        Some(Memory { address, bytes }) => Target::Memory { address, bytes },
        None => Target::Nothing,
    };
    let mut request = made.request(source, target, slots::owner());
    request.probe = Some(Arc::new(CallSite::of(numbers)));
    match slots::call(request) {
        Ok(completion) => Ok(completion.word()),
        Err(failure) => {
            if failure.kind == FailureKind::Group {
                slots::note_follower();
            }
            raised(&failure)
        }
    }
}

/// Runs the blocks of a kernel that makes calls of slots, each as an activity of its own, which may
/// wait. Returns the first exception of a block's own fault, else the first of all, or null. `run` is called
/// for each block; `has_failed` says whether some check of the launch has failed.
pub(super) fn run_blocks(
    blocks: i64,
    run: &(dyn Fn(i64) -> Ref + Sync),
    has_failed: &(dyn Fn() -> bool + Sync),
) -> Outcome<Ref> {
    let max = crate::scheduler::stack::max_stacks() as i64 / 2;
    if blocks > max {
        let message = format!(
            "a kernel that makes calls of slots with {blocks} blocks: each has a stack of its own, and there is room for {max}; use fewer blocks"
        );
        return raise(ExceptionKind::OutOfMemory, &message);
    }
    let join = Arc::new(Join {
        left: AtomicUsize::new(blocks as usize),
        waiter: system().engine().waiter(),
        exception: Mutex::default(),
    });
    /// What the blocks run, which outlives them.
    struct Body(*const (dyn Fn(i64) -> Ref + Sync), *const (dyn Fn() -> bool + Sync));
    // SAFETY: both are `Sync`.
    unsafe impl Send for Body {}
    for block in 0..blocks {
        let end = Arc::clone(&join);
        // SAFETY: only the lifetimes change: the caller waits below for all blocks.
        let body = unsafe {
            Body(
                std::mem::transmute::<*const (dyn Fn(i64) -> Ref + Sync), *const (dyn Fn(i64) -> Ref + Sync)>(
                    run,
                ),
                std::mem::transmute::<*const (dyn Fn() -> bool + Sync), *const (dyn Fn() -> bool + Sync)>(
                    has_failed,
                ),
            )
        };
        spawn_uncounted(move || {
            let Body(run, has_failed) = { body };
            // SAFETY: as above.
            let (run, has_failed) = unsafe { (&*run, &*has_failed) };
            let exception = run(block);
            end.keep(exception, slots::take_follower());
            let why = match end.exception.lock().is_some() {
                true => Some("an exception of a block"),
                false => has_failed().then_some("a failed check of a block"),
            };
            if let Err(failure) = slots::end_block(slots::owner(), why)
                && let Err(Raised(exception)) = raised::<()>(&failure)
            {
                end.keep(exception, failure.kind == FailureKind::Group);
            }
            end.leave();
        });
    }
    join.waiter.wait();
    let exception = join.exception.lock().take();
    Ok(exception.map_or(Ref::NULL, |it| it.exception.get()))
}

/// Waits for the blocks of a launch.
struct Join {
    left: AtomicUsize,
    waiter: Arc<dyn crate::apgas::Waiter>,
    exception: Mutex<Option<Kept>>,
}

/// An exception of a block.
struct Kept {
    exception: Handle,
    /// The fault is another slot's.
    follows: bool,
}

impl Join {
    /// Keeps an exception, if it is the first, or the first of a block's own fault.
    fn keep(&self, exception: Ref, follows: bool) {
        if exception.is_null() {
            return;
        }
        let kept = Kept { exception: Handle::new(exception), follows };
        let mut known = self.exception.lock();
        if known.as_ref().is_none_or(|known| known.follows && !follows) {
            *known = Some(kept);
        }
    }

    fn leave(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.waiter.wake();
        }
    }
}
