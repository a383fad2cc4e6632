//! Limits of nested activities: bytes on the stacks of those that wait for one another
//! ([`crate::scheduler::stack_budget`]), and the number of stacks.

use crate::scheduler::fiber::{self, Fiber};
use crate::scheduler::stack;

/// Bytes that activities may have on the stacks of one another: several times what one has alone.
const MAX_NESTED_BYTES: usize = 4 * stack::STACK_BYTES;
/// Bytes that the stay of an activity at another place takes there, at least.
const MIN_REMOTE_BYTES: usize = 1 << 10;
/// Bytes that an exception costs at each step when it comes back from a nested activity of another place,
/// with all that is in it.
const REMOTE_EXCEPTION_BYTES: usize = 16 << 10;

/// Bytes on the stacks of the calling activity and of those that wait for it, for its own stay at another
/// place.
pub fn depth() -> usize {
    let here = 0_u8;
    let own = |fiber: &Fiber| fiber.stack().1.saturating_sub(&raw const here as usize);
    fiber::current().map_or(0, |fiber| fiber.budget.update_outer() + own(fiber) + MIN_REMOTE_BYTES)
}

/// The same for an activity that it starts there and waits for: an exception costs much more than what is on
/// the stacks.
pub fn depth_of_started() -> usize {
    depth() + REMOTE_EXCEPTION_BYTES
}

/// Whether the calling activity is so deep in others that wait for it that it must not begin to wait for one
/// more: the limit in words.
pub fn limit_exceeded() -> Option<String> {
    let fiber: &Fiber = fiber::current()?;
    if fiber.budget.update_outer() > MAX_NESTED_BYTES {
        let mebibytes = MAX_NESTED_BYTES >> 20;
        return Some(format!(
            "activities that wait for one another have used up their stacks of {mebibytes} MiB"
        ));
    }
    let (fibers, max_fibers) = (fiber::count(), stack::max_stacks());
    (fibers > max_fibers && fibers - fiber::count_idle() > max_fibers)
        .then(|| format!("more than {max_fibers} activities wait, each with a stack of its own"))
}
