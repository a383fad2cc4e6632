//! Collective operations over the host places: each place calls the same operations in the same order. Built from
//! messages: barriers by dissemination, broadcasts and reductions along binomial trees, in the same order every time, so that
//! sums of floating-point numbers do not vary from run to run.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::engine::Waiter;
use super::message::{self, place};
use super::{here, system};
use crate::abi::{ExceptionKind, Outcome, Raised};
use crate::layout::slot;
use crate::memory::Ref;
use crate::serialize::Error;
use crate::serialize::read::Input;
use crate::serialize::write;

/// How elements are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Sum.
    Add,
    /// Product.
    Multiply,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Greatest.
    Max,
    /// Least.
    Min,
}

impl Operation {
    /// By its number in `x10.util.Team`.
    pub fn from_number(number: i32) -> Option<Operation> {
        use Operation::*;
        [Add, Multiply, And, Or, Xor, Max, Min].get(usize::try_from(number).ok()?).copied()
    }
}

/// What has arrived before it was waited for, or who waits: by operation, step and sender.
#[derive(Default)]
struct Mailbox {
    next: u64,
    arrived: HashMap<(u64, u32, u32), Vec<u8>>,
    waiting: HashMap<(u64, u32, u32), Arc<dyn Waiter>>,
}

static MAILBOX: Mutex<Option<Mailbox>> = Mutex::new(None);

/// One collective operation of this place.
struct Round {
    number: u64,
}

impl Round {
    fn begin() -> Round {
        let mut mailbox = MAILBOX.lock();
        let mailbox = mailbox.get_or_insert_default();
        mailbox.next += 1;
        Round { number: mailbox.next }
    }

    fn send(&self, to: u32, step: u32, data: &[u8]) {
        let mut body = Vec::with_capacity(data.len() + 16);
        write::number(&mut body, self.number);
        write::number(&mut body, u64::from(step));
        body.extend_from_slice(data);
        system().send(to, message::TEAM, &body);
    }

    fn receive(&self, from: u32, step: u32) -> Vec<u8> {
        let key = (self.number, step, from);
        let waiter = {
            let mut mailbox = MAILBOX.lock();
            let mailbox = mailbox.get_or_insert_default();
            if let Some(data) = mailbox.arrived.remove(&key) {
                return data;
            }
            let waiter = system().engine().waiter();
            mailbox.waiting.insert(key, Arc::clone(&waiter));
            waiter
        };
        waiter.wait();
        MAILBOX.lock().get_or_insert_default().arrived.remove(&key).unwrap_or_default()
    }
}

/// A part of an operation has arrived.
pub(super) fn arrived(from: u32, body: &[u8]) -> Result<(), Error> {
    let mut input = Input::new(body);
    let (number, step) = (input.number()?, place(&mut input)?);
    let data = input.bytes(input.remaining())?.to_vec();
    let mut mailbox = MAILBOX.lock();
    let mailbox = mailbox.get_or_insert_default();
    let key = (number, step, from);
    mailbox.arrived.insert(key, data);
    if let Some(waiter) = mailbox.waiting.remove(&key) {
        waiter.wake();
    }
    Ok(())
}

/// Waits for all places.
pub fn barrier() {
    let (round, hosts) = (Round::begin(), system().hosts());
    let mut distance = 1;
    while distance < hosts {
        round.send((here() + distance) % hosts, distance, &[]);
        round.receive((here() + hosts - distance) % hosts, distance);
        distance *= 2;
    }
}

/// The place with `rank` in a tree whose root is `root`.
fn member(rank: u32, root: u32) -> u32 {
    (rank + root) % system().hosts()
}

/// Elements of a rail as bytes.
fn bytes_of(rail: Ref, index: i64, count: i64) -> Outcome<&'static mut [u8]> {
    let engine = system().engine();
    if !rail.is_rail() {
        return Err(Raised(
            engine.exception(ExceptionKind::NullPointer, "a rail of a collective operation is null"),
        ));
    }
    let length = rail.length() as i64;
    if index < 0 || count < 0 || index.checked_add(count).is_none_or(|end| end > length) {
        let message = format!("{count} elements from index {index} are not in a rail of {length}");
        return Err(Raised(engine.exception(ExceptionKind::ArrayIndexOutOfBounds, &message)));
    }
    let size = rail.ty().element_bytes();
    // SAFETY: inside the rail, which the caller holds; no other activity uses it meanwhile.
    Ok(unsafe {
        std::slice::from_raw_parts_mut(rail.elements().add(index as usize * size), count as usize * size)
    })
}

fn check_plain(rail: Ref) -> Outcome<()> {
    if rail.ty().element_slot < slot::REF {
        return Ok(());
    }
    let message = format!(
        "a {} cannot take part in a collective operation: its elements are no numbers",
        rail.ty().name()
    );
    Err(Raised(system().engine().exception(ExceptionKind::UnsupportedOperation, &message)))
}

fn wrong_length() -> Raised {
    let message = "the places of a collective operation do not agree on the number of elements";
    Raised(system().engine().exception(ExceptionKind::IllegalArgument, message))
}

/// Copies elements of the root's source to everyone's target.
pub fn broadcast(root: i64, source: Ref, from: i64, target: Ref, to: i64, count: i64) -> Outcome<()> {
    let root = check_root(root)?;
    let target = bytes_of(target, to, count).and_then(|bytes| check_plain(target).map(|()| bytes))?;
    if here() == root {
        let source = bytes_of(source, from, count)?;
        if source.len() != target.len() {
            return Err(wrong_length());
        }
        // SAFETY: the same length; they may be the same memory.
        unsafe { std::ptr::copy(source.as_ptr(), target.as_mut_ptr(), target.len()) };
    }
    spread(&Round::begin(), root, target)
}

fn check_root(root: i64) -> Outcome<u32> {
    let hosts = system().hosts();
    match u32::try_from(root) {
        Ok(root) if root < hosts => Ok(root),
        _ => {
            let message = format!("Place({root}) is not in the team, whose places are 0 to {}", hosts - 1);
            Err(Raised(system().engine().exception(ExceptionKind::BadPlace, &message)))
        }
    }
}

/// Down the tree.
fn spread(round: &Round, root: u32, data: &mut [u8]) -> Outcome<()> {
    const DOWN: u32 = 1 << 31;
    let hosts = system().hosts();
    let rank = (here() + hosts - root) % hosts;
    let mut bit = hosts.next_power_of_two();
    if rank != 0 {
        bit = 1 << rank.trailing_zeros();
        let received = round.receive(member(rank - bit, root), DOWN);
        if received.len() != data.len() {
            return Err(wrong_length());
        }
        data.copy_from_slice(&received);
    }
    while bit > 1 {
        bit /= 2;
        if rank + bit < hosts {
            round.send(member(rank + bit, root), DOWN, data);
        }
    }
    Ok(())
}

/// Up the tree: at the root the combined elements of all, elsewhere those of a part.
fn gather(round: &Round, root: u32, mut data: Vec<u8>, slot: u8, operation: Operation) -> Outcome<Vec<u8>> {
    let hosts = system().hosts();
    let rank = (here() + hosts - root) % hosts;
    let mut bit = 1;
    while bit < hosts {
        if rank & bit != 0 {
            round.send(member(rank - bit, root), bit, &data);
            break;
        }
        if rank + bit < hosts {
            let other = round.receive(member(rank + bit, root), bit);
            if other.len() != data.len() {
                return Err(wrong_length());
            }
            combine(&mut data, &other, slot, operation)?;
        }
        bit *= 2;
    }
    Ok(data)
}

/// Combines everyone's source into the root's target.
pub fn reduce(
    root: i64,
    source: (Ref, i64),
    target: (Ref, i64),
    count: i64,
    operation: Operation,
) -> Outcome<()> {
    let root = check_root(root)?;
    let (source, from) = source;
    let data = bytes_of(source, from, count)?.to_vec();
    check_plain(source)?;
    let result = gather(&Round::begin(), root, data, source.ty().element_slot, operation)?;
    if here() == root {
        store(&result, target.0, target.1, count)?;
    }
    Ok(())
}

fn store(result: &[u8], target: Ref, to: i64, count: i64) -> Outcome<()> {
    let target = bytes_of(target, to, count)?;
    if target.len() != result.len() {
        return Err(wrong_length());
    }
    target.copy_from_slice(result);
    Ok(())
}

/// Combines everyone's source into everyone's target.
pub fn all_reduce(source: (Ref, i64), target: (Ref, i64), count: i64, operation: Operation) -> Outcome<()> {
    let (source, from) = source;
    let data = bytes_of(source, from, count)?.to_vec();
    check_plain(source)?;
    let round = Round::begin();
    let mut result = gather(&round, 0, data, source.ty().element_slot, operation)?;
    spread(&round, 0, &mut result)?;
    store(&result, target.0, target.1, count)
}

macro_rules! combine_as {
    ($ty:ty, $left:expr, $right:expr, $apply:expr) => {{
        const SIZE: usize = size_of::<$ty>();
        for (left, right) in $left.chunks_exact_mut(SIZE).zip($right.chunks_exact(SIZE)) {
            let mut bytes = [0_u8; SIZE];
            bytes.copy_from_slice(left);
            let a = <$ty>::from_ne_bytes(bytes);
            bytes.copy_from_slice(right);
            let apply: fn($ty, $ty) -> $ty = $apply;
            left.copy_from_slice(&apply(a, <$ty>::from_ne_bytes(bytes)).to_ne_bytes());
        }
        true
    }};
}

macro_rules! integers {
    ($ty:ty, $left:expr, $right:expr, $operation:expr) => {
        match $operation {
            Operation::Add => combine_as!($ty, $left, $right, |a, b| a.wrapping_add(b)),
            Operation::Multiply => combine_as!($ty, $left, $right, |a, b| a.wrapping_mul(b)),
            Operation::And => combine_as!($ty, $left, $right, |a, b| a & b),
            Operation::Or => combine_as!($ty, $left, $right, |a, b| a | b),
            Operation::Xor => combine_as!($ty, $left, $right, |a, b| a ^ b),
            Operation::Max => combine_as!($ty, $left, $right, |a, b| a.max(b)),
            Operation::Min => combine_as!($ty, $left, $right, |a, b| a.min(b)),
        }
    };
}

macro_rules! floats {
    ($ty:ty, $left:expr, $right:expr, $operation:expr) => {
        match $operation {
            Operation::Add => combine_as!($ty, $left, $right, |a, b| a + b),
            Operation::Multiply => combine_as!($ty, $left, $right, |a, b| a * b),
            Operation::Max => combine_as!($ty, $left, $right, |a, b| if a.is_nan() || a > b { a } else { b }),
            Operation::Min => combine_as!($ty, $left, $right, |a, b| if a.is_nan() || a < b { a } else { b }),
            Operation::And | Operation::Or | Operation::Xor => false,
        }
    };
}

/// `left = left op right`, element by element.
fn combine(left: &mut [u8], right: &[u8], element: u8, operation: Operation) -> Outcome<()> {
    let bitwise = matches!(operation, Operation::And | Operation::Or | Operation::Xor);
    let done = match element {
        slot::BOOL if bitwise => integers!(u8, left, right, operation),
        1 => integers!(i8, left, right, operation),
        2 => integers!(i16, left, right, operation),
        slot::I32 => integers!(i32, left, right, operation),
        slot::I64 => integers!(i64, left, right, operation),
        5 => integers!(u8, left, right, operation),
        6 => integers!(u16, left, right, operation),
        7 => integers!(u32, left, right, operation),
        8 => integers!(u64, left, right, operation),
        slot::F32 => floats!(f32, left, right, operation),
        slot::F64 => floats!(f64, left, right, operation),
        _ => false,
    };
    if done {
        return Ok(());
    }
    let message = format!("the operation {operation:?} has no meaning for the elements of this rail");
    Err(Raised(system().engine().exception(ExceptionKind::UnsupportedOperation, &message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_by_number_as_the_library_has_them() {
        let all: Vec<_> = (0..7).map(Operation::from_number).collect();
        use Operation::*;
        assert_eq!(all, [Add, Multiply, And, Or, Xor, Max, Min].map(Some));
        assert_eq!((Operation::from_number(-1), Operation::from_number(7)), (None, None));
    }

    #[test]
    fn elements_are_combined_in_their_type() {
        let mut left = [i32::MAX.to_ne_bytes(), 5_i32.to_ne_bytes()].concat();
        let right = [1_i32.to_ne_bytes(), (-7_i32).to_ne_bytes()].concat();
        assert!(combine(&mut left, &right, slot::I32, Operation::Add).is_ok());
        assert_eq!(left, [i32::MIN.to_ne_bytes(), (-2_i32).to_ne_bytes()].concat());
        let mut left = 0.5_f64.to_ne_bytes();
        assert!(combine(&mut left, &4.0_f64.to_ne_bytes(), slot::F64, Operation::Multiply).is_ok());
        assert_eq!(left, 2.0_f64.to_ne_bytes());
        let mut nan = f32::NAN.to_ne_bytes();
        assert!(combine(&mut nan, &1.0_f32.to_ne_bytes(), slot::F32, Operation::Max).is_ok());
        assert!(f32::from_ne_bytes(nan).is_nan());
        let mut flag = [1_u8];
        assert!(combine(&mut flag, &[0], slot::BOOL, Operation::And).is_ok());
        assert_eq!(flag, [0]);
    }
}
