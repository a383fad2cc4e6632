//! Traces of blocks: the calls of slots that each block of a kernel makes, in order, as far as it is known
//! (symbolic execution with the index of the block, King, CACM 1976).

use crate::body::LocalId;

use super::SlotAnalysis;
use super::operand::{Operand, RankOf};
use super::steps::{Step, StepCollector};

/// Blocks that are traced at most.
const MAX_TRACED_BLOCKS: i64 = 64;

/// What one block of a kernel calls.
pub(super) struct BlockTrace {
    /// The index of the block.
    pub block: i64,
    /// The calls, in order.
    pub events: Vec<Event>,
    /// Whether these are all.
    pub is_complete: bool,
}

/// A call of a slot by a block.
pub(super) struct Event {
    /// The call, by its position among all calls.
    pub call: usize,
    /// The number of the slot, or a sample of it, as [`super::SlotAnalysis::sample_of_captured`].
    pub index: Option<i64>,
    /// The root of a collective operation, likewise.
    pub root: Option<Root>,
    /// Whether a loop makes it, if it is entered.
    pub is_in_loop: bool,
}

/// The root that a block names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// The rank of its own slot.
    Own,
    /// A rank.
    Rank(i64),
}

/// How execution continues behind a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    /// At the end of the function.
    Returned,
    /// What follows is not known.
    Unknown,
}

impl SlotAnalysis<'_> {
    /// The traces of the blocks of a kernel; none if its number of blocks is not known.
    pub(super) fn trace_blocks(&self, position: usize) -> Vec<BlockTrace> {
        let kernel = self.kernels[position];
        let [axis] = &kernel.blocks[..] else { return Vec::new() };
        let Some(last) = self.constant(&Operand::Expr(axis.last)) else { return Vec::new() };
        let symbol = self.sample_of_captured(kernel);
        let is_block = |local| axis.local == Some(local);
        let steps = StepCollector { analysis: self, is_symbol: &is_block, is_function: false };
        let steps = steps.steps(kernel.body);
        let trace = |block| {
            let known = axis.local.map(|local| (local, block)).into_iter().collect();
            let mut tracer =
                Tracer { analysis: self, known, symbol: &symbol, events: Vec::new(), is_in_loop: false };
            let flow = tracer.steps(&steps);
            BlockTrace { block, events: tracer.events, is_complete: flow != Flow::Unknown }
        };
        (0..=last.min(MAX_TRACED_BLOCKS - 1)).map(trace).collect()
    }
}

struct Tracer<'t, 'a> {
    analysis: &'t SlotAnalysis<'a>,
    /// The index of the block.
    known: Vec<(LocalId, i64)>,
    symbol: &'t dyn Fn(LocalId) -> Option<i64>,
    events: Vec<Event>,
    is_in_loop: bool,
}

impl Tracer<'_, '_> {
    fn steps(&mut self, steps: &[Step]) -> Flow {
        for step in steps {
            let flow = self.step(step);
            if flow != Flow::Next {
                return flow;
            }
        }
        Flow::Next
    }

    fn step(&mut self, step: &Step) -> Flow {
        let value_of = |local: LocalId| self.known.iter().find(|it| it.0 == local).map(|it| it.1);
        match step {
            Step::Call(call) => {
                self.add_event(*call);
                Flow::Next
            }
            Step::Choice { condition, then, otherwise } => {
                match condition.as_ref().and_then(|it| it.evaluate(&value_of)) {
                    Some(true) => self.steps(then),
                    Some(false) => self.steps(otherwise),
                    None => Flow::Unknown,
                }
            }
            Step::Loop { symbols, body } => {
                // The first iteration of a loop that all blocks enter alike, if any does.
                if symbols.is_empty() {
                    self.is_in_loop = true;
                    self.steps(body);
                }
                Flow::Unknown
            }
            Step::Function(steps) => match self.steps(steps) {
                Flow::Returned => Flow::Next,
                flow => flow,
            },
            Step::Return => Flow::Returned,
            Step::Unknown => Flow::Unknown,
        }
    }

    fn add_event(&mut self, call: usize) {
        let of = &self.analysis.calls[call];
        let index = of.slot.index.as_ref().and_then(|it| self.value(it));
        let root = of.root().and_then(|root| match self.analysis.rank_of(root) {
            Some(RankOf::Caller) => index.is_some().then_some(Root::Own),
            Some(RankOf::Slot(slot)) => {
                let same = slot.slots.variable == of.slot.slots.variable
                    && slot.index.as_ref().and_then(|it| self.value(it)) == index;
                (same && index.is_some()).then_some(Root::Own)
            }
            None => self.value(root).map(Root::Rank),
        });
        self.events.push(Event { call, index, root, is_in_loop: self.is_in_loop });
    }

    fn value(&self, operand: &Operand) -> Option<i64> {
        self.analysis.value_in(operand, &self.known, self.symbol)
    }
}
