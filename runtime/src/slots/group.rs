//! Groups of slots: the map from ranks to places, node by node, on each node activities first, then the
//! blocks of each accelerator (the order of DCGN's ranks).

use serde::{Deserialize, Serialize};

/// Most slots of a group: a status has 24 bits for a rank.
pub const MAX_SLOTS: u64 = 1 << 24;

/// What the slots of a part of a group are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// Activities of a host place.
    Activities,
    /// Blocks of kernels at an accelerator or a host place.
    Blocks,
}

/// Consecutive ranks of one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The place: a host or an accelerator.
    pub place: i64,
    /// The host place whose engine serves it.
    pub host: u32,
    /// What the slots are.
    pub side: Side,
    /// First rank.
    pub first: u32,
    /// Number of ranks.
    pub count: u32,
}

impl Part {
    /// The rank behind its last one.
    pub fn end(&self) -> u64 {
        u64::from(self.first) + u64::from(self.count)
    }
}

/// A group of slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    parts: Vec<Part>,
    size: u32,
}

impl Group {
    /// A group of parts in the order of their ranks, each with a place, its host, and a number of slots.
    ///
    /// # Errors
    /// A number of slots is negative, or there are more than [`MAX_SLOTS`].
    pub fn new(parts: &[(i64, u32, Side, i64)]) -> Result<Group, String> {
        let mut first = 0_u64;
        let mut made = Vec::with_capacity(parts.len());
        for (place, host, side, count) in parts.iter().copied() {
            let Ok(own) = u64::try_from(count) else {
                return Err(format!(
                    "a group with {count} slots at Place({place}): a number of slots is not negative"
                ));
            };
            if own > MAX_SLOTS - first {
                return Err(format!("a group of more than {MAX_SLOTS} slots"));
            }
            made.push(Part { place, host, side, first: first as u32, count: own as u32 });
            first += own;
        }
        Ok(Group { parts: made, size: first as u32 })
    }

    /// Number of slots.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// All parts, in the order of their ranks.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The part that a rank belongs to.
    pub fn part_of(&self, rank: u32) -> Option<&Part> {
        let after = self.parts.partition_point(|part| part.first <= rank);
        // Empty parts in front of it begin at the same rank.
        self.parts[..after].last().filter(|part| rank - part.first < part.count)
    }

    /// The host place whose engine serves a rank.
    pub fn host_of(&self, rank: u32) -> Option<u32> {
        self.part_of(rank).map(|part| part.host)
    }

    /// The hosts of a group, each once, in order of their first ranks.
    pub fn hosts(&self) -> Vec<u32> {
        let mut hosts = Vec::new();
        for part in self.parts.iter().filter(|part| part.count > 0) {
            if !hosts.contains(&part.host) {
                hosts.push(part.host);
            }
        }
        hosts
    }
}

/// The slots that take part in a collective operation: ranks `first + i * stride` for `i` in `0..count`. The
/// number of a slot among them is its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Subgroup {
    /// First rank.
    pub first: u32,
    /// Number of slots.
    pub count: u32,
    /// Distance between ranks; at least 1.
    pub stride: u32,
}

impl Subgroup {
    /// The subgroup with these numbers, if all of it is inside of a group of that size.
    pub fn new(first: i64, count: i64, stride: i64, size: u32) -> Option<Subgroup> {
        let last = count.checked_sub(1)?.checked_mul(stride)?.checked_add(first)?;
        let fits = count >= 1 && stride >= 1 && first >= 0 && last < i64::from(size);
        fits.then_some(Subgroup { first: first as u32, count: count as u32, stride: stride as u32 })
    }

    /// The rank at a position.
    pub fn rank(self, position: u32) -> u32 {
        self.first + position * self.stride
    }

    /// The position of a rank.
    pub fn position(self, rank: u32) -> Option<u32> {
        let distance = rank.checked_sub(self.first)?;
        let position = distance / self.stride;
        (distance.is_multiple_of(self.stride) && position < self.count).then_some(position)
    }

    /// The ranks, in order of their positions.
    pub fn ranks(self) -> impl Iterator<Item = u32> {
        (0..self.count).map(move |position| self.rank(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_belong_to_parts_in_order_and_empty_parts_have_none() {
        let parts = [
            (0, 0, Side::Activities, 2),
            (4, 0, Side::Blocks, 0),
            (5, 0, Side::Blocks, 3),
            (1, 1, Side::Activities, 1),
        ];
        let group = Group::new(&parts).expect("a group");
        assert_eq!(group.size(), 6);
        let places: Vec<_> = (0..7).map(|rank| group.part_of(rank).map(|part| part.place)).collect();
        assert_eq!(places, [Some(0), Some(0), Some(5), Some(5), Some(5), Some(1), None]);
        assert_eq!(group.hosts(), [0, 1]);
        assert_eq!(group.host_of(5), Some(1));
    }

    #[test]
    fn numbers_of_slots_are_checked() {
        assert!(Group::new(&[(0, 0, Side::Activities, -1)]).is_err());
        assert!(Group::new(&[(0, 0, Side::Activities, 1 << 24)]).is_ok());
        assert!(Group::new(&[(0, 0, Side::Activities, 1 << 24), (1, 1, Side::Blocks, 1)]).is_err());
        assert!(Group::new(&[(0, 0, Side::Activities, i64::MAX), (1, 1, Side::Blocks, i64::MAX)]).is_err());
    }

    #[test]
    fn positions_and_ranks_of_a_subgroup_are_inverse() {
        let column = Subgroup::new(1, 3, 4, 10).expect("inside");
        assert_eq!(column.ranks().collect::<Vec<_>>(), [1, 5, 9]);
        for rank in 0..12 {
            assert_eq!(
                column.position(rank).map(|it| column.rank(it)),
                [1, 5, 9].contains(&rank).then_some(rank)
            );
        }
        for (first, count, stride) in [(0, 0, 1), (-1, 2, 1), (0, 3, 0), (2, 3, 4), (0, i64::MAX, i64::MAX)] {
            assert_eq!(Subgroup::new(first, count, stride, 10), None, "{first} {count} {stride}");
        }
    }
}
