//! Schedules: how the threads of a block execute the statements of a parallel region.

use super::chunks::Chunks;
use apg_mir::*;

/// How the threads of a block execute statements.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// A loop over the threads.
    Threads(Vec<Stmt>),
    /// A loop over the threads of each sub-range, one after the other.
    SubRanges(Vec<SubRange>),
    /// Loops over chunks of threads.
    Chunks(Chunks),
    /// Loads in front of loops.
    Hoisted {
        /// The loads.
        loads: Vec<UniformLoad>,
        /// The loops.
        body: Box<Schedule>,
    },
    /// Two versions.
    Proven {
        /// In launches whose conditions hold.
        proven: Box<Schedule>,
        /// In other launches, which are slow anyhow: the form that is quick to compile.
        otherwise: Box<Schedule>,
    },
    /// Two versions, chosen for each block in launches whose conditions hold.
    FullTile {
        /// The guard.
        guard: Guard,
        /// All threads of the block pass the guard.
        full: Box<Schedule>,
        /// Some do not.
        partial: Box<Schedule>,
    },
}

/// The threads that a schedule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// All threads of a block.
    OfBlock,
    /// The active threads in an iteration of the grid-stride loop with this label.
    OfIteration(LabelId),
}

/// A relation between a thread's index and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`.
    Below,
    /// `<=`.
    UpTo,
    /// `>=`.
    From,
    /// `>`.
    Above,
    /// `==`.
    Is,
    /// The index modulo this number equals the value.
    Remainder(i64),
}

/// A bound on the index of an axis (0 is the fastest) that a guard implies.
#[derive(Clone, Debug)]
pub struct AxisBound {
    /// The axis, 0 is the fastest.
    pub axis: usize,
    /// The relation.
    pub relation: Relation,
    /// The value that the index is compared with.
    pub side: Expr,
}

/// Statements for a sub-range of the threads.
#[derive(Clone, Debug)]
pub struct SubRange {
    /// The bounds, all of which hold.
    pub bounds: Vec<AxisBound>,
    /// Statements for the threads within the bounds.
    pub stmts: Vec<Stmt>,
}

/// A comparison of two integers.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Smaller and larger side.
    pub sides: [Expr; 2],
    /// Coefficients of both sides on each axis, the fastest first.
    pub factors: [Vec<i64>; 2],
    /// `<` rather than `<=`.
    pub strict: bool,
}

/// Conditions that may hold for a whole block.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Comparisons, all of which must hold.
    pub comparisons: Vec<Comparison>,
    /// Conditions inside of the statements that are then true.
    pub assumed_conditions: Vec<ExprId>,
}

/// A load in front of loops.
#[derive(Clone, Debug)]
pub struct UniformLoad {
    /// The captured array.
    pub rail: LocalId,
    /// The index.
    pub index: Expr,
    /// Type of the element.
    pub ty: Ty,
    /// Indices of the accesses that it replaces.
    pub uses: Vec<ExprId>,
}

/// Strips of adjacent blocks whose rows are interchanged with blocks, in launches whose conditions hold.
#[derive(Clone, Debug)]
pub struct BlockStrips {
    /// Assignments of block-uniform locals.
    pub uniform: Vec<Stmt>,
    /// Statements of each thread.
    pub stmts: Vec<Stmt>,
    /// Loads in front of the threads of a row.
    pub loads: Vec<UniformLoad>,
    /// The guard, evaluated once per strip, with the coefficients of its sides from block to block.
    pub guard: Option<(Guard, Vec<i64>)>,
}

impl Schedule {
    /// The statements of one thread in the form for all launches and blocks.
    pub fn stmts(&self) -> &[Stmt] {
        match self {
            Schedule::Threads(stmts) => stmts,
            Schedule::Chunks(chunks) => &chunks.stmts,
            Schedule::SubRanges(_) => &[],
            Schedule::Hoisted { body: inner, .. }
            | Schedule::Proven { otherwise: inner, .. }
            | Schedule::FullTile { partial: inner, .. } => inner.stmts(),
        }
    }

    /// Takes the schedule out, to wrap it.
    pub(crate) fn take(&mut self) -> Box<Schedule> {
        Box::new(std::mem::replace(self, Schedule::Threads(Vec::new())))
    }
}

impl Relation {
    pub(crate) fn of(operation: Operation) -> Option<Relation> {
        Some(match operation {
            Operation::Lt => Relation::Below,
            Operation::Le => Relation::UpTo,
            Operation::Ge => Relation::From,
            Operation::Gt => Relation::Above,
            Operation::Eq => Relation::Is,
            _ => return None,
        })
    }

    pub(crate) fn mirrored(self) -> Relation {
        match self {
            Relation::Below => Relation::Above,
            Relation::UpTo => Relation::From,
            Relation::From => Relation::UpTo,
            Relation::Above => Relation::Below,
            Relation::Is | Relation::Remainder(_) => self,
        }
    }

    /// The operator of C++.
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Below => "<",
            Relation::UpTo => "<=",
            Relation::From => ">=",
            Relation::Above => ">",
            Relation::Is | Relation::Remainder(_) => "==",
        }
    }
}
