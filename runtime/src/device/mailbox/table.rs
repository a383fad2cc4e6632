//! Device memory of a launch: the header of the mailbox and the table of slots in which blocks find each
//! other (the structures of `apg_slot_table.h`), and staging memory of each block on the device.

use super::layout::{Header, Meeting, PartEntry, PeerEntry, SlotEntry};
use crate::slots::group::Part;

/// Most groups, and most slots of all of them, that blocks know. Messages of others go through the host.
pub(super) const MAX_GROUPS: usize = 8;
pub(super) const MAX_SLOTS: usize = 8192;

/// Where the parts of the memory are, in bytes from its start.
#[derive(Debug)]
pub(super) struct Table {
    parts: Vec<(i64, Part)>,
    /// Slots at other devices.
    peers: Vec<PeerEntry>,
    meetings_at: u64,
    slots_at: u64,
    kept_at: u64,
}

impl Table {
    /// The groups that blocks know, of those with their slots of the launch's place; those in front are
    /// preferred.
    pub(super) fn choose(groups: Vec<(i64, Part)>) -> Vec<(i64, Part)> {
        let mut left = MAX_SLOTS;
        let fits = |(_, part): &(i64, Part)| {
            let count = part.count as usize;
            let fits = count <= left;
            left -= if fits { count } else { 0 };
            fits
        };
        groups.into_iter().filter(fits).take(MAX_GROUPS).collect()
    }

    /// For groups with their slots of the launch's place, and slots of them at other devices.
    pub(super) fn new(parts: Vec<(i64, Part)>, peers: Vec<PeerEntry>) -> Table {
        let slots: u64 = parts.iter().map(|(_, part)| u64::from(part.count)).sum();
        let aligned = |at: u64| at.next_multiple_of(align_of::<SlotEntry>() as u64);
        let peers_at = size_of::<Header>() + parts.len() * size_of::<PartEntry>();
        let meetings_at = aligned((peers_at + peers.len() * size_of::<PeerEntry>()) as u64);
        let slots_at = meetings_at + (parts.len() * size_of::<Meeting>()) as u64;
        let kept_at = slots_at + slots * size_of::<SlotEntry>() as u64;
        Table { parts, peers, meetings_at, slots_at, kept_at }
    }

    /// Bytes of the memory, with as many of staging memory.
    pub(super) fn bytes(&self, staging: u64) -> u64 {
        self.kept_at + staging
    }

    /// What the memory at `address` holds when the kernel starts, up to the staging memory; `words` are where
    /// blocks join a group, and see that it has failed.
    pub(super) fn content(&self, address: u64, header: Header, words: impl Fn(usize) -> [u64; 2]) -> Vec<u8> {
        let parts = address + size_of::<Header>() as u64;
        let header = Header {
            kept: address + self.kept_at,
            parts,
            part_count: self.parts.len() as u64,
            peers: parts + (self.parts.len() * size_of::<PartEntry>()) as u64,
            peer_count: self.peers.len() as u64,
            ..header
        };
        let mut content = header.to_bytes();
        let mut slots = address + self.slots_at;
        for (number, (group, part)) in self.parts.iter().enumerate() {
            let meeting = address + self.meetings_at + (number * size_of::<Meeting>()) as u64;
            let [joined, failed] = words(number);
            let entry = PartEntry {
                group: *group,
                first: u64::from(part.first),
                count: u64::from(part.count),
                slots,
                meeting,
                joined,
                failed,
            };
            content.extend(entry.to_bytes());
            slots += u64::from(part.count) * size_of::<SlotEntry>() as u64;
        }
        content.extend(self.peers.iter().flat_map(|it| it.to_bytes()));
        content.resize(self.kept_at as usize, 0);
        content
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::group::Side;

    fn part(first: u32, count: u32) -> Part {
        Part { place: 1, host: 0, side: Side::Blocks, first, count }
    }

    fn word(content: &[u8], at: usize) -> u64 {
        u64::from_ne_bytes(content[at..at + 8].try_into().expect("eight bytes"))
    }

    #[test]
    fn slots_of_parts_follow_each_other_and_begin_empty() {
        let table = Table::new(vec![(7, part(1, 3)), (4, part(0, 2))], Vec::new());
        let content = table.content(1 << 20, Header { staging: 64, ..Header::default() }, |group| {
            [0x1000 + group as u64, 0x2000 + group as u64]
        });
        assert_eq!(table.bytes(640), content.len() as u64 + 640);
        let (parts, size) = (size_of::<Header>(), size_of::<PartEntry>());
        let entry = |number: usize| -> Vec<u64> {
            (0..size / 8).map(|at| word(&content, parts + number * size + at * 8)).collect()
        };
        let (first, second) = (entry(0), entry(1));
        assert_eq!((&first[..3], &second[..3]), (&[7, 1, 3][..], &[4, 0, 2][..]));
        assert_eq!(second[3] - first[3], 3 * 128, "the slots of the first part");
        assert_eq!(second[4] - first[4], 128, "the meeting of the first part");
        assert_eq!((&first[5..], &second[5..]), (&[0x1000, 0x2000][..], &[0x1001, 0x2001][..]));
        assert!((first[3] | first[4]).is_multiple_of(128));
        let end = (second[3] - (1 << 20)) as usize + 2 * 128;
        assert_eq!(end, content.len());
        assert!(content[parts + 2 * size..].iter().all(|it| *it == 0));
        assert_eq!(word(&content, 48), (1 << 20) + content.len() as u64, "the staging memory");
    }

    #[test]
    fn groups_without_room_are_left_to_the_host() {
        let large = part(0, MAX_SLOTS as u32);
        let kept = |groups| Table::choose(groups).iter().map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(kept(vec![(1, part(0, 1)), (2, large), (3, part(0, 1))]), [1, 3]);
        assert_eq!(kept((0..20).map(|group| (group, part(0, 1))).collect()).len(), MAX_GROUPS);
    }
}
