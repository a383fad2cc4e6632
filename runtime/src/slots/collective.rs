//! Collective operations of slots: the slots of a place are gathered by its engine, and the places by the
//! host of the subgroup's first slot, which computes the results (DCGN gathers the requests of a node in the
//! same way). Combines in the order of positions, so that sums of floating numbers are the same on any
//! number of places.
//!
//! All slots name the same call, root, number and type of elements: their [`Terms`] are compared.

use serde::{Deserialize, Serialize};

use super::reduction::{Operation, combine};
use super::request::{Call, Elements};

/// What the slots of a collective operation agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Number of the call.
    pub call: i32,
    /// The root's position; 0 if there is none.
    pub root: u32,
    /// Elements of a slot's part.
    pub elements: u64,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// Code of the elements' type.
    pub kind: u8,
    /// Number of the reduction's operation; 0 if there is none.
    pub operation: i32,
}

/// Most bytes of a slot's part.
const MAX_PART_BYTES: u64 = 1 << 40;

impl Terms {
    /// The call.
    pub fn call(&self) -> Call {
        Call::from_number(self.call).unwrap_or(Call::Barrier)
    }

    /// The terms of a call with parts of these elements.
    pub fn new(call: Call, root: u32, part: Elements, operation: i32) -> Terms {
        let has_root = matches!(call, Call::Broadcast | Call::Gather | Call::Scatter | Call::Reduce);
        let reduces = matches!(call, Call::Reduce | Call::AllReduce);
        let part = if call == Call::Barrier { Elements::default() } else { part };
        Terms {
            call: call.number(),
            root: if has_root { root } else { 0 },
            elements: part.count,
            element_bytes: part.size,
            kind: if reduces { part.kind } else { 0 },
            operation: if reduces { operation } else { 0 },
        }
    }

    /// Whether another place may say so of a subgroup of that many slots.
    pub fn is_possible(&self, count: u32) -> bool {
        let part = self.elements.checked_mul(u64::from(self.element_bytes));
        Call::from_number(self.call).is_some_and(Call::is_collective)
            && self.root < count
            && part.and_then(|it| it.checked_mul(u64::from(count))).is_some_and(|it| it <= MAX_PART_BYTES)
    }

    /// Bytes of a part.
    pub fn part(&self) -> usize {
        self.elements as usize * self.element_bytes as usize
    }

    /// Bytes that a slot sends, of `count` slots.
    pub fn input_bytes(&self, position: u32, count: u32) -> usize {
        let is_root = position == self.root;
        match self.call() {
            Call::Broadcast if is_root => self.part(),
            Call::Scatter if is_root => self.part() * count as usize,
            Call::AllToAll => self.part() * count as usize,
            Call::Gather | Call::AllGather | Call::Reduce | Call::AllReduce => self.part(),
            _ => 0,
        }
    }

    /// Bytes that a slot receives, of `count` slots.
    pub fn output_bytes(&self, position: u32, count: u32) -> usize {
        let is_root = position == self.root;
        match self.call() {
            Call::Broadcast | Call::Scatter | Call::AllReduce => self.part(),
            Call::Gather if is_root => self.part() * count as usize,
            Call::Reduce if is_root => self.part(),
            Call::AllGather | Call::AllToAll => self.part() * count as usize,
            _ => 0,
        }
    }

    /// Whether all slots receive the same.
    pub fn has_common_output(&self) -> bool {
        matches!(self.call(), Call::Broadcast | Call::AllGather | Call::AllReduce)
    }

    /// In words: `broadcast of 4 elements of 8 bytes from slot 2`.
    pub fn describe(&self, root_rank: u32) -> String {
        let mut text = self.call().name().to_owned();
        if self.call() != Call::Barrier {
            let elements = if self.elements == 1 { "element" } else { "elements" };
            text += &format!(" of {} {elements} of {} bytes", self.elements, self.element_bytes);
        }
        if matches!(self.call(), Call::Broadcast | Call::Gather | Call::Scatter | Call::Reduce) {
            text += &format!(" with root {root_rank}");
        }
        if let Some(operation) = Operation::from_number(self.operation)
            && matches!(self.call(), Call::Reduce | Call::AllReduce)
        {
            text += &format!(" by {operation:?}");
        }
        text
    }
}

/// The results of a collective operation from all inputs, by position.
pub fn results(terms: &Terms, count: u32, inputs: &[&[u8]]) -> Results {
    let part = terms.part();
    let whole = || inputs.concat();
    let input = |position: u32| inputs.get(position as usize).copied().unwrap_or(&[]);
    match terms.call() {
        Call::Broadcast => Results::Common(input(terms.root).to_vec()),
        Call::AllGather => Results::Common(whole()),
        Call::AllReduce => Results::Common(combined(terms, inputs)),
        Call::Gather => Results::Root(whole()),
        Call::Reduce => Results::Root(combined(terms, inputs)),
        Call::Scatter => Results::Each(
            (0..count as usize).map(|at| slice(input(terms.root), at * part, part).to_vec()).collect(),
        ),
        Call::AllToAll => {
            let column = |at: usize| {
                let parts = inputs.iter().map(|it| slice(it, at * part, part));
                parts.collect::<Vec<_>>().concat()
            };
            Results::Each((0..count as usize).map(column).collect())
        }
        _ => Results::Nothing,
    }
}

/// A range of bytes, empty if they are not there.
pub(super) fn slice(bytes: &[u8], start: usize, length: usize) -> &[u8] {
    bytes.get(start..start + length).unwrap_or(&[])
}

fn combined(terms: &Terms, inputs: &[&[u8]]) -> Vec<u8> {
    let Some((first, rest)) = inputs.split_first() else { return Vec::new() };
    let mut sum = first.to_vec();
    let operation = Operation::from_number(terms.operation).unwrap_or(Operation::Add);
    for input in rest {
        combine(&mut sum, input, terms.kind, operation);
    }
    sum
}

/// The results of a collective operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Results {
    /// There are none.
    Nothing,
    /// All slots receive the same.
    Common(Vec<u8>),
    /// The root alone receives something.
    Root(Vec<u8>),
    /// By position.
    Each(Vec<Vec<u8>>),
}

impl Results {
    /// The result of a slot.
    pub fn of(&self, position: u32, root: u32) -> &[u8] {
        match self {
            Results::Common(bytes) => bytes,
            Results::Root(bytes) if position == root => bytes,
            Results::Each(all) => all.get(position as usize).map_or(&[], Vec::as_slice),
            Results::Nothing | Results::Root(_) => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::slot;

    fn run(call: Call, root: u32, elements: u64, operation: i32, inputs: &[&[i32]]) -> Vec<Vec<i32>> {
        let part = Elements { count: elements, size: 4, kind: slot::I32 };
        let terms = Terms::new(call, root, part, operation);
        let count = inputs.len() as u32;
        let bytes: Vec<Vec<u8>> =
            inputs.iter().map(|it| it.iter().flat_map(|value| value.to_ne_bytes()).collect()).collect();
        for (position, input) in bytes.iter().enumerate() {
            assert_eq!(terms.input_bytes(position as u32, count), input.len());
        }
        let all: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        let found = results(&terms, count, &all);
        let values = |position: u32| {
            let bytes = found.of(position, terms.root);
            assert_eq!(bytes.len(), terms.output_bytes(position, count));
            bytes.chunks(4).map(|it| i32::from_ne_bytes([it[0], it[1], it[2], it[3]])).collect()
        };
        (0..count).map(values).collect()
    }

    #[test]
    fn results_are_those_of_the_mpi_standard() {
        assert_eq!(run(Call::Broadcast, 1, 2, 0, &[&[], &[5, 6], &[]]), [[5, 6]; 3]);
        assert_eq!(run(Call::Gather, 2, 1, 0, &[&[1], &[2], &[3]]), [vec![], vec![], vec![1, 2, 3]]);
        assert_eq!(run(Call::Scatter, 0, 1, 0, &[&[7, 8], &[]]), [[7], [8]]);
        assert_eq!(run(Call::AllGather, 0, 1, 0, &[&[1], &[2]]), [[1, 2]; 2]);
        assert_eq!(run(Call::AllToAll, 0, 1, 0, &[&[1, 2], &[3, 4]]), [[1, 3], [2, 4]]);
        assert_eq!(run(Call::Reduce, 1, 2, 0, &[&[1, 2], &[3, 4]]), [vec![], vec![4, 6]]);
        assert_eq!(run(Call::AllReduce, 0, 1, 6, &[&[1], &[9], &[3]]), [[9]; 3]);
        assert_eq!(run(Call::Barrier, 0, 0, 0, &[&[], &[]]), [[0_i32; 0]; 2]);
    }

    #[test]
    fn terms_of_other_places_are_bounded() {
        let part = Elements { count: 1 << 30, size: 8, kind: slot::I64 };
        let terms = Terms::new(Call::Gather, 1, part, 0);
        assert!(terms.is_possible(2));
        assert!(!terms.is_possible(1), "no such root");
        assert!(!terms.is_possible(1 << 20), "too many bytes");
        assert!(!Terms { call: 0, ..terms }.is_possible(2), "no collective operation");
        assert!(!Terms { elements: u64::MAX, ..terms }.is_possible(2));
    }
}
