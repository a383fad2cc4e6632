//! Atomic and collective operations of the threads of a kernel.

/// The operation of an atomic read-modify-write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of the operations")]
pub enum AtomicOperation {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    /// Stores the value.
    Exchange,
    /// Stores the second value if the element is the first.
    Compare,
}

impl AtomicOperation {
    /// All, with their names.
    pub const ALL: [(AtomicOperation, &str); 8] = [
        (AtomicOperation::Add, "add"),
        (AtomicOperation::Min, "min"),
        (AtomicOperation::Max, "max"),
        (AtomicOperation::And, "and"),
        (AtomicOperation::Or, "or"),
        (AtomicOperation::Xor, "xor"),
        (AtomicOperation::Exchange, "exchange"),
        (AtomicOperation::Compare, "compare"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|it| it.0 == self).map_or("", |it| it.1)
    }
}

/// A collective operation of the threads of a warp or block, or a call of the block's slot.
///
/// A call of a slot sends or receives messages; its operands are the same in all threads: nine numbers
/// (group, rank, partner, source, tag, operation, and first rank, number and distance of a subgroup),
/// then for each buffer an array, an index and a number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CollectiveOp {
    /// `warp_shuffle`, `block_sum`, ...: the name of the function in the headers of generated code, after
    /// `apg_`.
    pub name: &'static str,
    /// Whether all threads of the block get the same result.
    pub is_uniform: bool,
}

impl CollectiveOp {
    const PER_THREAD: [&str; 17] = [
        "warp_shuffle",
        "warp_shuffle_up",
        "warp_shuffle_down",
        "warp_shuffle_xor",
        "warp_ballot",
        "warp_any",
        "warp_all",
        "warp_sum",
        "warp_min",
        "warp_max",
        "warp_and",
        "warp_or",
        "warp_xor",
        "warp_inclusive",
        "warp_exclusive",
        "block_inclusive",
        "block_exclusive",
    ];
    const UNIFORM: [&str; 9] = [
        "block_any",
        "block_all",
        "block_count",
        "block_sum",
        "block_min",
        "block_max",
        "block_and",
        "block_or",
        "block_xor",
    ];

    /// Calls of slots; the position is the number of the call in the ABI.
    pub const SLOT_CALLS: [&str; 16] = [
        "slot_send",
        "slot_receive",
        "slot_exchange",
        "slot_replace",
        "slot_start_send",
        "slot_start_receive",
        "slot_test",
        "slot_wait",
        "slot_barrier",
        "slot_broadcast",
        "slot_gather",
        "slot_scatter",
        "slot_all_gather",
        "slot_all_to_all",
        "slot_reduce",
        "slot_all_reduce",
    ];

    /// Number of operands in front of the buffers of a call of a slot.
    pub const SLOT_NUMBERS: usize = 9;

    /// The number of the call, if it is a call of a slot.
    pub fn slot_call(self) -> Option<usize> {
        Self::SLOT_CALLS.iter().position(|it| *it == self.name)
    }

    /// Whether it is a collective of a warp, independent of other warps.
    pub fn is_of_warp(self) -> bool {
        self.name.starts_with("warp_")
    }

    /// The operation with this name, `shuffle` of the scope `warp`.
    pub fn from_name(scope: &str, name: &str) -> Option<CollectiveOp> {
        let find = |names: &[&'static str], is_uniform| {
            let is_it = |it: &&&str| it.strip_prefix(scope).and_then(|it| it.strip_prefix('_')) == Some(name);
            names.iter().find(is_it).map(|name| CollectiveOp { name, is_uniform })
        };
        let uniform = || find(&Self::UNIFORM, true).or_else(|| find(&Self::SLOT_CALLS, true));
        find(&Self::PER_THREAD, false).or_else(uniform)
    }
}
