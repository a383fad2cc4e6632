//! Native members of `x10.util.CUDATeam`.
#![expect(clippy::too_many_arguments, reason = "the signatures of entries")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use parking_lot::Mutex;

use super::devices::{device, raised, wait};
use crate::abi::{ExceptionKind, Outcome};
use crate::apgas::team;
use crate::device::collective::group;
use crate::device::collective::group::{Collective, Communicator, MARK, Work};
use crate::device::{Device, OnComplete};
use crate::heap::Ref;

/// Communicators by number.
static COMMUNICATORS: Mutex<BTreeMap<i64, Arc<Communicator>>> = Mutex::new(BTreeMap::new());

/// How many there have been.
static MADE: AtomicI64 = AtomicI64::new(0);

/// The elements of a rail of the class library's own making.
fn elements<T: Copy>(rail: Ref) -> Vec<T> {
    // SAFETY: a rail of that type, by the types of the members that call this; not written to meanwhile.
    unsafe { std::slice::from_raw_parts(rail.elements().cast::<T>(), rail.length()) }.to_vec()
}

/// Whether NCCL is there.
pub(crate) fn collective_ready() -> bool {
    group::ready().is_ok()
}

/// Fills a `Rail[Byte]` of 128 with what the members of a new communicator have in common; false if NCCL
/// cannot.
pub(crate) fn collective_mark(rail: Ref) -> bool {
    match group::mark() {
        Ok(mark) if rail.length() == MARK => {
            // SAFETY: the length is that of the mark, and the rail the caller's own.
            unsafe { std::ptr::copy_nonoverlapping(mark.as_ptr(), rail.elements(), MARK) };
            true
        }
        Ok(_) => false,
        Err(error) => {
            without_nccl(&error);
            false
        }
    }
}

/// Joins accelerators of this host, by their places, as numbers `first` and following of `size` members: the
/// communicator's number, or 0 if NCCL refuses, which it says.
pub(crate) fn collective_join(places: Ref, first: i64, size: i64, mark: Ref) -> Outcome<i64> {
    let devices: Vec<Arc<Device>> =
        elements::<i64>(places).into_iter().map(|it| device(it).cloned()).collect::<Outcome<_>>()?;
    let Ok(mark) = <[u8; MARK]>::try_from(elements::<u8>(mark)) else { return Ok(0) };
    let refused = Arc::new(AtomicBool::new(false));
    let mut made = None;
    wait(|done| {
        let refused = Arc::clone(&refused);
        let joined: OnComplete = Box::new(move |outcome| {
            if let Err(error) = outcome {
                without_nccl(&error.message);
                refused.store(true, Ordering::Release);
            }
            done(Ok(()));
        });
        let communicator = Communicator::join(devices, mark, first as usize, size as usize, joined);
        made = Some(Arc::new(communicator.map_err(|error| raised(&error))?));
        Ok(())
    })?;
    let Some(made) = made.filter(|_| !refused.load(Ordering::Acquire)) else { return Ok(0) };
    let number = MADE.fetch_add(1, Ordering::Relaxed) + 1;
    COMMUNICATORS.lock().insert(number, made);
    Ok(number)
}

fn without_nccl(why: &str) {
    report!("note: {why}; collective operations of accelerators go through the hosts' memory");
}

/// Ends this host's part of a communicator. It has ended when this returns: the program may end next, and the
/// driver with it.
pub(crate) fn collective_leave(number: i64) -> Outcome<()> {
    let left = COMMUNICATORS.lock().remove(&number);
    left.map_or(Ok(()), |communicator| {
        wait(|done| {
            communicator.end(done);
            Ok(())
        })
    })
}

/// Whether NCCL combines elements like those of `sample` by that operation of `x10.util.Team`.
pub(crate) fn collective_combines(sample: Ref, operation: i32) -> bool {
    sample.is_rail() && group::reduction(sample.ty().element_slot, operation).is_some()
}

/// Does an operation over memory of accelerators, together with all members of a communicator: `count`
/// elements like those of `sample`, or parts of that length, from the `sources` to the `targets`, two
/// `Rail[Long]` of addresses with one for each own device. `what`: 0 reduce, 1 broadcast, 2 scatter, 3
/// gather, 4 exchange. `root`: the number of a member; for 0 also -1, all.
pub(crate) fn collective_run(
    number: i64,
    what: i32,
    sample: Ref,
    sources: Ref,
    source_index: i64,
    targets: Ref,
    target_index: i64,
    count: i64,
    root: i64,
    operation: i32,
) -> Outcome<()> {
    let communicator = COMMUNICATORS.lock().get(&number).cloned();
    let Some(communicator) = communicator else {
        return super::raise(ExceptionKind::IllegalOperation, "this CUDATeam was deleted");
    };
    let size = sample.ty().element_bytes();
    // 0 where a member's rail has no part in the operation.
    let at = |address: i64, index: i64| if address == 0 { 0 } else { (address + index * size as i64) as u64 };
    let memory: Vec<_> = elements::<i64>(sources)
        .into_iter()
        .zip(elements::<i64>(targets))
        .map(|(source, target)| (at(source, source_index), at(target, target_index)))
        .collect();
    let bytes = count as u64 * size as u64;
    for (device, (source, target)) in communicator.devices().iter().zip(&memory) {
        // Memory that was freed. Where a part is longer, the caller has checked the lengths.
        for address in [source, target].into_iter().filter(|it| **it != 0) {
            device.check_range(*address, bytes).map_err(|error| raised(&error))?;
        }
    }
    let what = match what {
        0 => {
            let Some((element, reduction)) = group::reduction(sample.ty().element_slot, operation) else {
                return super::raise(
                    ExceptionKind::UnsupportedOperation,
                    "NCCL does not combine these elements",
                );
            };
            match usize::try_from(root) {
                Ok(root) => Collective::Reduce(element, reduction, root),
                Err(_) => Collective::AllReduce(element, reduction),
            }
        }
        1 => Collective::Broadcast(root as usize),
        2 => Collective::Scatter(root as usize),
        3 => Collective::Gather(root as usize),
        _ => Collective::Exchange,
    };
    let work = Work { what, memory, count: count as usize, size };
    // SAFETY: memory of rails of the program, which the activity does not free before this returns.
    let ended = unsafe { communicator.run(&work, crate::scheduler::has_nothing_else_to_do) };
    if ended.map_err(|error| raised(&error))? {
        return Ok(());
    }
    wait(|done| {
        communicator.wait(done);
        Ok(())
    })
}

/// `target = target op source`, element by element: `count` elements of two rails of this host.
pub(crate) fn collective_combine(target: Ref, source: Ref, count: i64, operation: i32) -> Outcome<()> {
    team::combine_here(target, source, count, super::teams::operation(operation)?)
}
