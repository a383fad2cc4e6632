//! The state of the evaluation of a loop: what is known about variables, and what its versions need.

use apg_mir::*;
use apg_symbolic::Affine;
use rustc_hash::FxHashMap;

use super::facts::LoopFacts;

/// A loop-invariant value, and guards that must hold before it can be computed.
#[derive(Clone, Debug)]
pub(super) struct Invariant {
    pub value: Expr,
    pub guards: Vec<Expr>,
}

/// An affine form over the induction variables, by number, with invariant coefficients.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub affine: Affine<usize, Expr>,
    /// Conditions under which the form is right.
    pub guards: Vec<Expr>,
    /// Whether the form is the value of an `I32` itself and not only modulo 2^32.
    pub is_exact: bool,
}

/// An array that is an element of another array, at an invariant index.
#[derive(Clone, Debug)]
pub(super) struct RailElement {
    pub ty: Ty,
    pub rail: OuterRail,
    pub index: Invariant,
}

/// The array around an array.
#[derive(Clone, Debug)]
pub(super) enum OuterRail {
    Value(Invariant),
    Element(Box<RailElement>),
}

/// An array in an array, loaded before the loop into a local: null if the element does not exist.
#[derive(Clone, Debug)]
pub(super) struct HoistedRail {
    /// The element.
    pub element: Expr,
    pub local: LocalId,
    pub load: Expr,
}

/// The range of an induction variable.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// Smallest and largest value, as `I64`s.
    pub low: Expr,
    pub high: Expr,
    /// Conditions under which the range is right.
    pub tests: Vec<Expr>,
}

/// The value of a variable that the loop assigns.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// An affine function of induction variables.
    Number(Form),
    /// An invariant value.
    Value(Invariant),
    /// An array that is an element of an invariant array.
    RailElement(RailElement),
    /// A tuple of these components, each with an expression of variables that have not changed since.
    Tuple(Vec<(Form, Expr)>),
}

/// The evaluation of one loop.
pub(super) struct Scan<'a> {
    pub program: &'a Program,
    /// The variables of the function.
    pub locals: &'a mut Vec<Local>,
    pub facts: &'a LoopFacts,
    pub axes: Vec<Axis>,
    pub state: FxHashMap<LocalId, Known>,
    /// Arrays in arrays that are loaded before the loop.
    pub hoisted: Vec<HoistedRail>,
    /// Conditions of the unchecked version, in the order of evaluation.
    pub tests: Vec<Expr>,
    /// Number of accesses that lost their checks.
    pub covered: usize,
    pub successors: &'a FxHashMap<LocalId, Expr>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(
        program: &'a Program,
        locals: &'a mut Vec<Local>,
        facts: &'a LoopFacts,
        successors: &'a FxHashMap<LocalId, Expr>,
        hoisted: Vec<HoistedRail>,
    ) -> Scan<'a> {
        Scan {
            program,
            locals,
            facts,
            axes: Vec::new(),
            state: FxHashMap::default(),
            hoisted,
            tests: Vec::new(),
            covered: 0,
            successors,
        }
    }

    /// Adds conditions of the unchecked version.
    pub(super) fn require(&mut self, tests: Vec<Expr>) {
        for test in tests {
            if !self.tests.contains(&test) {
                self.tests.push(test);
            }
        }
    }
}
