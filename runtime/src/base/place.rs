//! The place that the calling thread works for: its number, and the parts that modules keep of it.
//!
//! A thread that runs activities works for the place of the activity that it runs. All others work for the
//! place that they have entered ([`replace_current`]), else for the one place of the process.

use std::cell::Cell;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use crate::base::ending::Ending;
use crate::base::program_image::ProgramImage;

/// A part of a place, which one module keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Output,
    Objects,
    Pressure,
    Program,
    Calls,
    MessageCounts,
    PlaceLocals,
    AtomicSection,
    Jobs,
    Collector,
    ExitCode,
}

/// Number of parts.
const PARTS: usize = Part::ExitCode as usize + 1;

/// A type of which each place has one value, made when it is first needed.
///
/// # Safety
/// No other type has the same part.
pub(crate) unsafe trait PlacePart: Default + Sync + 'static {
    const PART: Part;
}

/// What every layer knows of a place.
#[derive(Debug)]
pub struct PlaceHeader {
    /// Its number.
    pub id: PlaceId,
    /// The place itself (`apgas::System`), null for [`UNPLACED`].
    pub(crate) system: AtomicPtr<()>,
    /// Where its program is in memory, null before it is loaded.
    pub(crate) image: AtomicPtr<ProgramImage>,
    /// The epoch of its jobs (`apgas::cancellation`).
    pub(crate) epoch: AtomicU64,
    /// Of its program; null for [`UNPLACED`].
    ending: AtomicPtr<Ending>,
    /// Null where there is none yet. They live as long as the process, as places do.
    parts: [AtomicPtr<()>; PARTS],
}

/// The epoch of all places before the first cancellation.
pub(crate) const FIRST_EPOCH: u64 = 1;

impl PlaceHeader {
    /// Of a place that has nothing yet.
    pub const fn new(id: PlaceId) -> PlaceHeader {
        PlaceHeader {
            id,
            system: AtomicPtr::new(std::ptr::null_mut()),
            image: AtomicPtr::new(std::ptr::null_mut()),
            epoch: AtomicU64::new(FIRST_EPOCH),
            ending: AtomicPtr::new(std::ptr::null_mut()),
            parts: [const { AtomicPtr::new(std::ptr::null_mut()) }; PARTS],
        }
    }

    /// The end of its program, which waits for that.
    pub(crate) fn set_ending(&self, ending: &'static Ending) {
        self.ending.store(std::ptr::from_ref(ending).cast_mut(), Ordering::Release);
    }

    /// The end of its program.
    pub(crate) fn ending(&self) -> &'static Ending {
        /// Nothing waits for it.
        static NONE: Ending = Ending::new();
        // SAFETY: null, or what `set_ending` was given.
        unsafe { self.ending.load(Ordering::Acquire).as_ref() }.unwrap_or(&NONE)
    }

    /// Its value of that type.
    #[inline]
    pub(crate) fn part<T: PlacePart>(&self) -> &'static T {
        let slot = &self.parts[T::PART as usize];
        // SAFETY: null, or a value of the only type with that part, which is never freed.
        unsafe { slot.load(Ordering::Acquire).cast::<T>().as_ref() }.unwrap_or_else(|| make_part(slot))
    }
}

#[cold]
fn make_part<T: PlacePart>(slot: &AtomicPtr<()>) -> &'static T {
    let new = Box::into_raw(Box::<T>::default());
    match slot.compare_exchange(std::ptr::null_mut(), new.cast(), Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: just made, and never freed from now on.
        Ok(_) => unsafe { &*new },
        Err(other) => {
            // SAFETY: nothing else knows the new one; the other is of the same type, and never freed.
            unsafe {
                drop(Box::from_raw(new));
                &*other.cast::<T>()
            }
        }
    }
}

/// The value of that type of the place that the calling thread works for.
#[inline]
pub(crate) fn part<T: PlacePart>() -> &'static T {
    current().part()
}

/// What a thread works for in a process without places.
static UNPLACED: PlaceHeader = PlaceHeader::new(PlaceId::ZERO);

/// The place of a process that has only one.
static PROCESS: AtomicPtr<PlaceHeader> = AtomicPtr::new((&raw const UNPLACED).cast_mut());

thread_local! {
    /// The place that this thread works for, if it has entered one.
    static CURRENT: Cell<Option<&'static PlaceHeader>> = const { Cell::new(None) };
}

/// The place that the calling thread works for.
///
/// Not inlined: an activity may have moved to another thread since it last asked.
#[inline(never)]
pub fn current() -> &'static PlaceHeader {
    // SAFETY: `UNPLACED`, or what `set_process` was given.
    CURRENT.get().unwrap_or_else(|| unsafe { &*PROCESS.load(Ordering::Acquire) })
}

/// The number of the place that the calling thread works for.
pub fn here() -> PlaceId {
    current().id
}

/// Sets the place that the calling thread works for, and returns the former one.
#[inline(never)]
pub(crate) fn replace_current(place: Option<&'static PlaceHeader>) -> Option<&'static PlaceHeader> {
    CURRENT.replace(place)
}

/// Whether this is the place of all threads that have entered none.
pub(crate) fn is_process(place: &PlaceHeader) -> bool {
    std::ptr::eq(PROCESS.load(Ordering::Acquire), place)
}

/// Makes this the place of all threads that have entered none; false if there is one already.
pub(crate) fn set_process(place: &'static PlaceHeader) -> bool {
    let none = (&raw const UNPLACED).cast_mut();
    let new = std::ptr::from_ref(place).cast_mut();
    PROCESS.compare_exchange(none, new, Ordering::AcqRel, Ordering::Relaxed).is_ok()
}

/// The number of a host place: a process of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PlaceId(pub u32);

impl PlaceId {
    /// The place where `main` runs, which starts and ends the others.
    pub const ZERO: PlaceId = PlaceId(0);

    /// The host places of a program of `count` of them, in order.
    pub fn first(count: u32) -> impl DoubleEndedIterator<Item = PlaceId> + Clone {
        (0..count).map(PlaceId)
    }

    /// The place as an index of tables by place.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<PlaceId> for i64 {
    #[inline]
    fn from(place: PlaceId) -> i64 {
        i64::from(place.0)
    }
}

impl From<PlaceId> for u64 {
    #[inline]
    fn from(place: PlaceId) -> u64 {
        u64::from(place.0)
    }
}

impl std::fmt::Display for PlaceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "place {}", self.0)
    }
}

/// The number of a machine on which places run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u32);
