//! Channels between the slots of devices that reach each other's memory (`apg_slot_peers.h`): for each group
//! and device one piece of memory, with the flags of its slots, what their receivers say, and the channels
//! through which slots of other devices send to it. They are made before kernels with slots of the group
//! start, and kept for later launches: an allocation may wait for kernels that run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::{Mutex, MutexGuard};
use rustc_hash::FxHashMap;

use super::layout::{CHANNEL_HEAD_BYTES, PeerEntry};
use super::table::MAX_SLOTS;
use crate::device::Device;
use crate::device::cuda::buffer_pool::Buffer;
use crate::device::cuda::driver;
use crate::device::cuda::driver::sys;
use crate::device::cuda::stream::Stream;
use crate::device::error::{DeviceError, Kind};
use crate::slots::block_call::BlockSlots;
use crate::slots::group::Part;

/// The longest message that a device's own accesses carry, in bytes.
const VARIABLE: &str = "APG_SLOT_DIRECT_BYTES";
/// Its default: from there on the copy engine is faster.
const DIRECT_BYTES: u64 = 256 << 10;
/// Bytes of elements in a channel. They take twice as many with the numbers of messages.
const ROOM_BYTES: (u64, u64) = (256, 8 << 10);
/// Bytes of elements in the channels between two devices in one direction, unless each has the least.
const ALL_ROOM_BYTES: u64 = 16 << 20;
const ALIGNMENT: u64 = 128;

/// The slots of a place, and its devices, for kernels whose blocks make calls of slots.
pub trait DeviceSlots: BlockSlots {
    /// The device behind an accelerator place of this host place.
    fn device(&self, place: i64) -> Option<Arc<Device>>;

    /// The channels between its devices.
    fn channels(&self) -> &PeerChannels;
}

/// The channels of a place, by the number of the group.
#[derive(Default)]
pub struct PeerChannels(Mutex<FxHashMap<i64, Arc<GroupChannels>>>);

/// While this lives, no other kernel that makes calls of slots starts at the devices of the place.
pub(super) struct Opening<'a> {
    kept: MutexGuard<'a, FxHashMap<i64, Arc<GroupChannels>>>,
    slots: &'a dyn DeviceSlots,
    direct: u64,
}

/// The channels of a group between devices of one place; none if no two reach each other.
#[derive(Default)]
pub(super) struct GroupChannels {
    areas: Vec<Area>,
    /// At the addresses of the areas.
    _memory: Vec<Buffer>,
    running: Mutex<Running>,
}

/// The launches that use the channels of a group.
#[derive(Default)]
struct Running {
    /// One of them has failed, and so has the group.
    has_failed: bool,
    /// Where the blocks of each see that.
    words: Vec<FailedWord>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct FailedWord(*const AtomicU32);

// SAFETY: an atomic number that is there as long as its `Watch`.
unsafe impl Send for FailedWord {}

/// While this lives, blocks of a launch see that a launch at the other end of their channels has failed.
pub(super) struct Watch {
    channels: Arc<GroupChannels>,
    word: FailedWord,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.channels.running.lock().words.retain(|it| *it != self.word);
    }
}

/// The memory of a device for a group.
struct Area {
    address: u64,
    part: Part,
    /// The slots at devices that reach this one.
    peers: Vec<Part>,
}

impl PeerChannels {
    /// Nothing is done with a group any more.
    pub fn forget(&self, group: i64) {
        let forgotten = self.0.lock().remove(&group);
        // Memory is released without the lock.
        drop(forgotten);
    }

    /// # Errors
    /// The variable for the longest message is no number.
    pub(super) fn open<'a>(&'a self, slots: &'a dyn DeviceSlots) -> Result<Opening<'a>, DeviceError> {
        let text = std::env::var_os(VARIABLE).map(|it| it.to_string_lossy().into_owned());
        let direct = direct_bytes(text.as_deref())
            .map_err(|message| DeviceError::new(Kind::IllegalArgument, message))?;
        Ok(Opening { kept: self.0.lock(), slots, direct })
    }
}

fn direct_bytes(text: Option<&str>) -> Result<u64, String> {
    let Some(text) = text else { return Ok(DIRECT_BYTES) };
    text.trim().parse().ok().filter(|it| *it <= u64::from(u32::MAX)).ok_or_else(|| {
        format!(
            "{VARIABLE} is `{text}`: write the bytes of the longest message that GPUs exchange themselves, such as \
             {DIRECT_BYTES}, or 0 if all are to pass the host"
        )
    })
}

impl Opening<'_> {
    /// What blocks at a place know of the slots at other devices, and what keeps it for each of the groups.
    pub(super) fn peers(
        &mut self,
        groups: &[i64],
        place: i64,
    ) -> (Vec<PeerEntry>, Vec<Option<Arc<GroupChannels>>>) {
        let mut entries = Vec::new();
        let mut kept = Vec::new();
        for group in groups {
            let channels = if self.direct > 0 { self.of_group(*group) } else { None };
            if let Some(channels) = &channels {
                entries.extend(entries_of(&channels.areas, *group, place, self.direct));
            }
            kept.push(channels);
        }
        (entries, kept)
    }

    /// The channels of a group, which are made if none of its devices runs a kernel with slots: either all of
    /// them know of the channels, or none does.
    fn of_group(&mut self, group: i64) -> Option<Arc<GroupChannels>> {
        if let Some(known) = self.kept.get(&group) {
            return Some(Arc::clone(known));
        }
        let mut ends: Vec<(Part, Arc<Device>)> = Vec::new();
        for part in self.slots.neighbours(group) {
            let is_new = ends.iter().all(|(other, _)| other.place != part.place);
            if let Some(device) = self.slots.device(part.place).filter(|_| is_new) {
                ends.push((part, device));
            }
        }
        if ends.len() < 2 || ends.iter().any(|(_, device)| device.mailboxes.is_running()) {
            return None;
        }
        // Without memory for them messages pass the host.
        let made = GroupChannels::new(&ends).unwrap_or_default();
        let made = Arc::new(made);
        self.kept.insert(group, Arc::clone(&made));
        Some(made)
    }
}

impl GroupChannels {
    fn new(ends: &[(Part, Arc<Device>)]) -> Result<GroupChannels, DeviceError> {
        let (mut areas, mut memory) = (Vec::new(), Vec::new());
        for (number, (part, device)) in ends.iter().enumerate() {
            let others = ends.iter().enumerate().filter(|(other, _)| *other != number).map(|(_, end)| end);
            let reaches = |(other, to): &&(Part, Arc<Device>)| {
                part.count.max(other.count) as usize <= MAX_SLOTS
                    && device.context.reaches_atomically(&to.context)
            };
            let peers: Vec<Part> = others.filter(reaches).map(|(other, _)| *other).collect();
            if peers.is_empty() {
                continue;
            }
            let area = Area { address: 0, part: *part, peers };
            let bytes = area.bytes();
            let buffer = Buffer::new(device, bytes)?;
            clear(device, buffer.address(), bytes)?;
            areas.push(Area { address: buffer.address(), ..area });
            memory.push(buffer);
        }
        Ok(GroupChannels { areas, _memory: memory, running: Mutex::default() })
    }

    /// From now on, `word` is 1 once a launch has failed whose blocks use these channels.
    ///
    /// # Safety
    /// The number is there as long as the result.
    pub(super) unsafe fn watch(self: &Arc<Self>, word: &AtomicU32) -> Watch {
        let mut running = self.running.lock();
        if running.has_failed {
            word.store(1, Ordering::Release);
        }
        let word = FailedWord(word);
        running.words.push(word);
        Watch { channels: Arc::clone(self), word }
    }

    /// The group has failed, and blocks of a launch have ended in the middle of their messages.
    pub(super) fn fail(&self) {
        let mut running = self.running.lock();
        running.has_failed = true;
        for FailedWord(word) in &running.words {
            // SAFETY: by `watch`; the result of that removes it.
            unsafe { (**word).store(1, Ordering::Release) };
        }
    }
}

/// Fills memory of the device with zeros.
fn clear(device: &Device, address: u64, bytes: u64) -> Result<(), DeviceError> {
    device.context.enter()?;
    let cleared = Stream::new().and_then(|stream| {
        // SAFETY: memory of that many bytes that nothing uses yet; it has ended when this returns.
        unsafe {
            driver::check(sys::cuMemsetD8Async(address, 0, bytes as usize, stream.0))?;
            driver::check(sys::cuStreamSynchronize(stream.0))
        }
    });
    cleared.map_err(|failure| DeviceError::driver(&device.label(), "make room for messages", &failure))
}

/// Bytes of elements in a channel between two devices.
fn room(one: &Part, other: &Part) -> u64 {
    let most = u64::from(one.count.max(other.count)).max(1);
    (ALL_ROOM_BYTES / most).clamp(ROOM_BYTES.0, ROOM_BYTES.1) / 64 * 64
}

impl Area {
    /// Where two words of each own slot are for what it sends to a peer.
    fn taken_at(&self, peer: usize) -> u64 {
        let own = u64::from(self.part.count);
        let flags = (own * size_of::<u32>() as u64).next_multiple_of(ALIGNMENT);
        flags + peer as u64 * own * 2 * size_of::<u64>() as u64
    }

    /// Where the channels for the slots of a peer are.
    fn channels_at(&self, peer: usize) -> u64 {
        let first = self.taken_at(self.peers.len()).next_multiple_of(ALIGNMENT);
        let bytes = |it: &Part| u64::from(it.count) * (CHANNEL_HEAD_BYTES + 2 * room(&self.part, it));
        first + self.peers[..peer].iter().map(bytes).sum::<u64>()
    }

    fn bytes(&self) -> u64 {
        self.channels_at(self.peers.len())
    }
}

/// What blocks at a place know, from the areas of all places.
fn entries_of(areas: &[Area], group: i64, place: i64, direct: u64) -> Vec<PeerEntry> {
    let Some(own) = areas.iter().find(|it| it.part.place == place) else { return Vec::new() };
    let entry = |(number, peer): (usize, &Part)| {
        let other = areas.iter().find(|it| it.part.place == peer.place)?;
        let back = other.peers.iter().position(|it| it.place == place)?;
        Some(PeerEntry {
            group,
            first: u64::from(peer.first),
            count: u64::from(peer.count),
            own_first: u64::from(own.part.first),
            own_count: u64::from(own.part.count),
            channels_out: other.address + other.channels_at(back),
            channels_in: own.address + own.channels_at(number),
            taken_out: own.address + own.taken_at(number),
            taken_in: other.address + other.taken_at(back),
            flags: other.address,
            own_flags: own.address,
            room: room(&own.part, peer),
            direct,
        })
    };
    own.peers.iter().enumerate().filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::group::Side;

    fn areas(counts: [u32; 3]) -> Vec<Area> {
        let mut first = 1;
        let parts = (4..).zip(counts).map(|(place, count)| {
            first += count;
            Part { place, host: 0, side: Side::Blocks, first: first - count, count }
        });
        let parts: Vec<Part> = parts.collect();
        let area = |part: &Part| {
            let peers = parts.iter().filter(|it| it.place != part.place).copied().collect();
            Area { address: (part.place as u64) << 32, part: *part, peers }
        };
        parts.iter().map(area).collect()
    }

    #[test]
    fn both_ends_of_a_channel_agree() {
        let areas = areas([132, 1, 2000]);
        let of = |place: i64| entries_of(&areas, 9, place, 1 << 16);
        let all: Vec<PeerEntry> = (4..7).flat_map(of).collect();
        assert_eq!(all.len(), 6);
        for one in &all {
            let is_back = |it: &&PeerEntry| it.first == one.own_first && it.own_first == one.first;
            let back = all.iter().find(is_back).expect("the other direction");
            assert_eq!((back.count, back.own_count), (one.own_count, one.count));
            assert_eq!((back.channels_in, back.taken_in), (one.channels_out, one.taken_out));
            assert_eq!((back.own_flags, back.room), (one.flags, one.room));
        }
    }

    #[test]
    fn ranges_of_an_area_do_not_overlap_and_are_aligned() {
        let areas = areas([132, 33, 2000]);
        for area in &areas {
            let place = area.part.place;
            let mut ranges = vec![(area.address, u64::from(area.part.count) * 4)];
            for entry in entries_of(&areas, 9, place, 1 << 16) {
                assert!(entry.room.is_multiple_of(64) && entry.channels_in.is_multiple_of(64));
                ranges.push((entry.taken_out, 16 * entry.own_count));
                ranges.push((entry.channels_in, entry.count * (CHANNEL_HEAD_BYTES + 2 * entry.room)));
            }
            ranges.sort_unstable();
            assert!(ranges.windows(2).all(|it| it[0].0 + it[0].1 <= it[1].0), "{ranges:?}");
            let end = ranges.last().map(|it| it.0 + it.1);
            assert_eq!(end, Some(area.address + area.bytes()));
        }
    }

    #[test]
    fn launches_see_that_one_at_the_other_end_has_failed() {
        let channels = Arc::new(GroupChannels::default());
        let words: [AtomicU32; 3] = std::array::from_fn(|_| AtomicU32::default());
        let seen = || words.each_ref().map(|it| it.load(Ordering::Acquire));
        // SAFETY: the numbers outlive what is made of them.
        let watch = |at: usize| unsafe { channels.watch(&words[at]) };
        let (_first, second) = (watch(0), watch(1));
        drop(second);
        assert_eq!(seen(), [0, 0, 0]);
        channels.fail();
        assert_eq!(seen(), [1, 0, 0], "the second one has ended");
        let _third = watch(2);
        assert_eq!(seen(), [1, 0, 1], "a launch behind the failure");
    }

    #[test]
    fn many_slots_have_less_room_each() {
        let part = |count| Part { place: 1, host: 0, side: Side::Blocks, first: 0, count };
        assert_eq!(room(&part(132), &part(1)), 8 << 10);
        assert_eq!(room(&part(1), &part(MAX_SLOTS as u32)), 2 << 10);
        assert_eq!(room(&part(1 << 20), &part(1)), 256);
    }

    #[test]
    fn the_longest_direct_message_is_a_number_of_bytes() {
        assert_eq!(direct_bytes(None), Ok(DIRECT_BYTES));
        assert_eq!((direct_bytes(Some("0")), direct_bytes(Some(" 4096 "))), (Ok(0), Ok(4096)));
        for text in ["", "-1", "64K", "5000000000"] {
            let error = direct_bytes(Some(text)).unwrap_err();
            assert!(error.starts_with(&format!("{VARIABLE} is `{text}`: write the bytes")), "{error}");
        }
    }
}
