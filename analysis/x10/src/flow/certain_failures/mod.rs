//! Abstract interpretation of a body (Cousot and Cousot, POPL 1977): intervals of integers, their differences
//! to symbols, lengths of rails and strings, and nullness.
//!
//! It finds operations that fail for certain: on every execution that gets there, or in an iteration of a
//! loop that every execution of the loop reaches. Conditions narrow what is known, loops are repeated to a
//! fixpoint with widening, and their first and last iterations are interpreted apart.

mod conditions;
mod expressions;
mod facts;
mod integer_types;
mod loops;
mod operations;
mod prescan;
mod state;
mod statements;
mod value;

use std::rc::Rc;

use apg_syntax::TextRange;
use rustc_hash::FxHashMap;

use super::FlowContext;
use crate::body::{Body, ExprId, LabelId, LocalId, Owner, StmtId};
use crate::db::Db;
use crate::ids::SourceFile;
use crate::rules::values::{Iteration, Occasion, Variable};
use crate::rules::{Problem, ProblemData};
use facts::Facts;
use loops::Fixpoint;
use prescan::Exits;
use state::State;

/// The most nodes that are visited, for each node of the body, before loops are no longer repeated.
const MAX_VISITS_PER_NODE: usize = 24;

/// States at the jumps to one label.
#[derive(Clone)]
struct Jumps {
    breaks: State,
    continues: State,
}

impl Jumps {
    /// No jumps.
    fn none() -> Jumps {
        Jumps { breaks: State::dead(), continues: State::dead() }
    }
}

/// The interpreter of one body.
struct Interpreter<'a> {
    db: &'a dyn Db,
    body: &'a Body,
    /// The file of the body: constants of other files are not evaluated.
    file: SourceFile,
    facts: Facts<'a>,
    /// Locals that other activities or closures assign, by number.
    shared: Vec<bool>,
    state: State,
    jumps: FxHashMap<LabelId, Jumps>,
    /// The iterations under analysis, outermost first; empty if all iterations are.
    iterations: Vec<Iteration>,
    /// If positive, nothing is reported.
    suppressed: u32,
    is_in_kernel: bool,
    /// The nesting depth of loops.
    loop_depth: u32,
    remaining_visits: usize,
    /// Whether a value of the body is `null` for certain.
    has_null: bool,
    exits: FxHashMap<StmtId, Exits>,
    /// Whether an operation in a loop may fail.
    may_fail: FxHashMap<StmtId, bool>,
    /// The last fixpoint of each loop.
    fixpoints: FxHashMap<StmtId, Fixpoint>,
    assigned: FxHashMap<StmtId, Rc<[Variable]>>,
    found: Vec<Found>,
}

/// A problem and whether it is one of all executions.
struct Found {
    problem: Problem,
    is_always: bool,
}

/// The problems of one body.
pub(super) fn check(context: &FlowContext<'_>, owner: Owner, body: &Body) -> Vec<Problem> {
    let Some(root) = body.root else { return Vec::new() };
    if !prescan::has_operation_that_may_fail(context.db, body) {
        return Vec::new();
    }
    let class = match owner {
        Owner::Method(method) => method.class(context.db),
        Owner::Field(field) => field.class(context.db),
    };
    let facts = Facts::new(context.db);
    let mut interpreter = Interpreter {
        db: context.db,
        body,
        file: class.file(context.db),
        has_null: prescan::has_null_value(&facts, body),
        facts,
        shared: prescan::shared_locals(body, root),
        state: State::start(),
        jumps: FxHashMap::default(),
        iterations: Vec::new(),
        suppressed: 0,
        is_in_kernel: false,
        loop_depth: 0,
        remaining_visits: MAX_VISITS_PER_NODE * (body.exprs.len() + body.stmts.len()),
        exits: FxHashMap::default(),
        may_fail: FxHashMap::default(),
        fixpoints: FxHashMap::default(),
        assigned: FxHashMap::default(),
        found: Vec::new(),
    };
    interpreter.stmt(root);
    interpreter.found.into_iter().map(|it| it.problem).collect()
}

impl Interpreter<'_> {
    /// Reports an operation that fails for certain, unless the iteration under analysis may not get there.
    /// The analysis continues, so that a further fault is found too.
    fn report(&mut self, range: TextRange, data: impl FnOnce(Occasion) -> ProblemData) {
        if self.state.live && self.may_report() {
            let is_always = self.iterations.is_empty();
            let occasion = match is_always {
                true => Occasion::Always,
                false => Occasion::Iterations(self.iterations.clone()),
            };
            let problem = Problem::new(range, data(occasion));
            let same = |it: &Found| it.problem.range == range && it.problem.code() == problem.code();
            match self.found.iter_mut().find(|it| same(it)) {
                Some(old) if is_always && !old.is_always => *old = Found { problem, is_always },
                Some(_) => {}
                None => self.found.push(Found { problem, is_always }),
            }
        }
    }

    /// Whether the iteration under analysis gets here for certain, so that a failure here is one of it.
    fn is_certain_to_get_here(&self) -> bool {
        self.state.is_certain && !self.state.may_have_left
    }

    /// Whether a failure here is reported.
    fn may_report(&self) -> bool {
        self.suppressed == 0 && (self.iterations.is_empty() || self.is_certain_to_get_here())
    }

    /// Interprets without reports, and without effect on the state.
    fn quietly<T>(&mut self, interpret: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.state.clone();
        self.suppressed += 1;
        let result = interpret(self);
        self.suppressed -= 1;
        self.state = before;
        result
    }

    /// Counts a visit of a node.
    fn count_visit(&mut self) {
        self.remaining_visits = self.remaining_visits.saturating_sub(1);
    }

    fn is_shared(&self, local: LocalId) -> bool {
        self.shared.get(local.0 as usize).copied().unwrap_or(true)
    }

    fn range(&self, id: ExprId) -> TextRange {
        self.body.expr(id).range
    }
}
