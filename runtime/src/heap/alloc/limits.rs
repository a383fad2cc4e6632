//! The heap's limits: how much it may hold, when it is collected, and when an allocation fails.
//!
//! Two sums are kept. *Charged* bytes are those of objects and of the blocks that threads allocate from; the
//! limit that the user gives is one of charged bytes. *Used* blocks hold at least one object: their free
//! cells between objects count, too. Objects do not move, so that a heap of which little is alive may have
//! many used blocks. These may be more than the limit has, up to [`Limits::blocks`]; then the system gets
//! back what memory is free ([`crate::heap::alloc::trim`]).

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::base::{limits, sanitizer};
use crate::heap::alloc::blocks::{BLOCK, Region};

/// Blocks kept back so that an OutOfMemoryError can be made.
pub(crate) const RESERVE: usize = 64;
/// The share of [`RESERVE`] for bodies that run in a message handler: each makes a few small objects, and
/// must not wait for room.
pub(crate) const HANDLER_RESERVE: usize = RESERVE / 2;
/// Minimum number of blocks between collections.
const MIN_THRESHOLD: usize = 1024;
/// A sanitizer finds what the collector frees too early only if it collects: small programs, too.
const MIN_WATCHED_THRESHOLD: usize = 8;
/// The smallest limit.
const MIN_LIMIT: usize = 16 << 20;
/// The range of addresses is as long as the limit times one of these factors, the first that the system
/// provides: objects that stay then seldom leave no room for a long one between them. Address-ordered
/// allocation needs the logarithm of the longest object's blocks at worst (Robson, "Worst case fragmentation
/// of first fit and best fit storage allocation strategies", 1977).
const ADDRESS_FACTORS: [usize; 4] = [8, 4, 2, 1];

/// Minimum number of blocks between collections.
pub(crate) fn min_threshold() -> usize {
    if sanitizer::watches_addresses() { MIN_WATCHED_THRESHOLD } else { MIN_THRESHOLD }
}

/// What an allocation must leave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ceiling {
    /// Maximum of charged bytes.
    pub bytes: usize,
    /// Maximum of used blocks.
    pub blocks: usize,
}

/// What may be used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Maximum of charged bytes.
    pub bytes: usize,
    /// Maximum of used blocks.
    pub blocks: usize,
}

impl Limits {
    /// All that may be used, and `reserve` of the blocks that are kept back.
    pub(crate) fn ceiling(&self, reserve: usize) -> Ceiling {
        Ceiling { bytes: self.bytes + reserve * BLOCK, blocks: self.blocks + reserve }
    }
}

/// The limit that the user has set; 0 without one.
static USER_LIMIT: AtomicUsize = AtomicUsize::new(0);
/// Places that share the machine's memory, unless the user sets a limit.
static SHARERS: AtomicUsize = AtomicUsize::new(1);

/// Sets the most bytes the heap may use; 0 is three quarters of the machine's memory, shared by `places`
/// processes. Without effect once the heap is in use.
pub fn configure(limit: usize, places: usize) {
    USER_LIMIT.store(limit, Ordering::Relaxed);
    SHARERS.store(places.max(1), Ordering::Relaxed);
}

/// Reserves addresses, and says what may be used of them: less than the setting where the system limits
/// addresses. Then the heap takes half of those that are free at most: the rest is for stacks and libraries.
///
/// # Errors
/// There are not enough addresses, in words for the user.
pub(crate) fn reserve() -> Result<(Region, Limits), String> {
    let machine = of_machine();
    let (mut limit, most) = match USER_LIMIT.load(Ordering::Relaxed) {
        0 => {
            let share = machine / SHARERS.load(Ordering::Relaxed);
            (share / 4 * 3, share / 8 * 7)
        }
        chosen => (chosen, machine / 8 * 7),
    };
    limit = limit.max(MIN_LIMIT);
    let free_bytes = limits::free_address_space();
    loop {
        let blocks = limit.div_ceil(BLOCK);
        let factors = ADDRESS_FACTORS.iter().filter(|factor| !sanitizer::is_present() || **factor == 1);
        for factor in factors {
            let bytes = (blocks * factor + RESERVE) * BLOCK;
            let is_least = limit == MIN_LIMIT && *factor == 1;
            if bytes > free_bytes / 2 && !is_least {
                continue;
            }
            if let Some(region) = Region::new(bytes) {
                let most = (most / BLOCK).clamp(blocks, blocks * (*factor).min(2));
                return Ok((region, Limits { bytes: blocks * BLOCK, blocks: most }));
            }
        }
        if limit <= MIN_LIMIT {
            return Err("no address space for the heap (16 MiB are needed; see `ulimit -v`)".to_owned());
        }
        limit = (limit / 2).max(MIN_LIMIT);
    }
}

/// Memory that this machine has for the process.
pub fn of_machine() -> usize {
    // SAFETY: asks the system for two numbers.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let physical = if pages > 0 && size > 0 { pages as usize * size as usize } else { 4 << 30 };
    let group =
        std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    physical.min(group.unwrap_or(usize::MAX))
}

/// Consecutive collections that left next to nothing free. Allocation fails early for a program that does
/// little but collect for long: the rule and its numbers are those of HotSpot's `UseGCOverheadLimit`.
#[derive(Debug)]
pub(crate) struct FutileCollections {
    count: u32,
    since: Option<Instant>,
    collecting: Duration,
}

impl FutileCollections {
    const MIN_COUNT: u32 = 8;
    const MIN_TIME: Duration = Duration::from_secs(5);
    const MIN_PERCENT: u32 = 98;

    /// None.
    pub(crate) const fn new() -> Self {
        FutileCollections { count: 0, since: None, collecting: Duration::ZERO }
    }

    /// Notes a collection that took this long and has just ended; whether it is one too many.
    pub(crate) fn note(&mut self, is_futile: bool, took: Duration, now: Instant) -> bool {
        if !is_futile {
            *self = Self::new();
            return false;
        }
        let since = *self.since.get_or_insert(now.checked_sub(took).unwrap_or(now));
        self.count += 1;
        self.collecting += took;
        let elapsed = now.saturating_duration_since(since);
        self.count >= Self::MIN_COUNT
            && self.collecting >= Self::MIN_TIME
            && self.collecting * 100 >= elapsed * Self::MIN_PERCENT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collecting_all_the_time_is_futile() {
        let second = Duration::from_secs(1);
        let start = Instant::now();
        let mut futile = FutileCollections::new();
        let ends: Vec<bool> = (1..=9).map(|at| futile.note(true, second, start + second * at)).collect();
        assert_eq!(ends, [false, false, false, false, false, false, false, true, true]);
        assert!(
            !futile.note(false, second, start + second * 10),
            "a collection that frees much resets the count"
        );
        assert!(!futile.note(true, second, start + second * 11));
    }

    #[test]
    fn collections_between_work_are_not_futile() {
        let (second, start) = (Duration::from_secs(1), Instant::now());
        let mut futile = FutileCollections::new();
        assert!((1..100).all(|at| !futile.note(true, second, start + second * 2 * at)));
        let mut brief = FutileCollections::new();
        let moment = Duration::from_millis(1);
        assert!((1..100).all(|at| !brief.note(true, moment, start + moment * at)));
    }
}
