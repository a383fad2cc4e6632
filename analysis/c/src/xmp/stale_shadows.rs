//! Reads of shadows whose elements were written by their owners since the last `reflect`: a forward data-flow
//! analysis of the definite kind over structured statements (Aho, Lam, Sethi and Ullman, *Compilers*, section
//! 9.2). What is not certain is not reported.

use apg_c_syntax::{Family, TextRange};
use rustc_hash::FxHashSet;

use super::effects::Effects;
use super::loops::{Access, DistributedLoop, distribution_of, element};
use super::model::{Model, Width, mappings};
use crate::hir::visit::Node;
use crate::hir::{
    Directive, DirectiveId, ExprId, ExprKind, FunctionId, Program, StmtId, StmtKind, VariableId,
};

/// Loops in loops that are followed. The analysis executes the body of a loop at least twice, which takes
/// time exponential in this number.
const MAX_LOOPS: usize = 8;

/// A read of a shadow that has an old value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleRead {
    /// The array.
    pub array: VariableId,
    /// The element that is read.
    pub read: TextRange,
    /// The element that was written.
    pub write: TextRange,
    /// The `loop` that reads.
    pub directive: DirectiveId,
    /// The write is of the iteration before, of a loop around both.
    pub is_of_iteration_before: bool,
    /// An index of the array, along the axis with this number, whose value is old.
    pub index: (usize, i128),
    /// What a message says of the number of nodes.
    pub on_nodes: &'static str,
}

/// Elements that were certainly written since the last reflection.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Write {
    array: VariableId,
    at: TextRange,
    /// The first and the last index of each axis.
    region: Vec<(i128, i128)>,
    /// The number of conditions around it in the function.
    conditions: usize,
}

/// The writes at a point; `None` where no execution gets to.
type State = Option<Vec<Write>>;

/// The stale reads of a program, once for each element that is read.
pub fn stale_reads(program: &Program, model: &Model) -> Vec<StaleRead> {
    if model.shadows.is_empty() {
        return Vec::new();
    }
    let effects = Effects::of(program);
    let escaped = escaped_arrays(program);
    let mut found = Vec::new();
    for (function, body) in program.defined_functions() {
        if !is_judged(program, function, body) {
            continue;
        }
        let mut flow = Flow {
            program,
            model,
            effects: &effects,
            escaped: &escaped,
            conditions: 0,
            recording: Some(false),
            exits: Vec::new(),
            found: &mut found,
        };
        flow.stmt(body, Some(Vec::new()));
    }
    found
}

/// Whether a function has distributed loops, and jumps nowhere but out of loops.
fn is_judged(program: &Program, function: FunctionId, body: StmtId) -> bool {
    let mut loops = super::directives(program).filter(|it| it.function == Some(function));
    let mut is_structured = loops.any(|it| it.name == "loop");
    program.walk_stmt(body, &mut |node| {
        if let Node::Stmt(it) = node {
            use StmtKind::{Asm, Goto, Label, Switch};
            is_structured &= !matches!(program.stmt(it).kind, Goto(_) | Label(..) | Switch(..) | Asm(_));
        }
        is_structured
    });
    is_structured
}

/// Arrays that are named without subscripts, or by `local_alias`: a pointer may lead to them.
pub fn escaped_arrays(program: &Program) -> FxHashSet<VariableId> {
    let (mut inside, mut escaped) = (FxHashSet::default(), FxHashSet::default());
    let aliases = super::directives(program).filter(|it| it.name == "local_alias");
    escaped.extend(aliases.flat_map(mappings).filter_map(|it| it.variable));
    for (_, body) in program.defined_functions() {
        program.walk_stmt(body, &mut |node| {
            if let Node::Expr(it) = node {
                match program.expr(it).kind {
                    ExprKind::Index(base, _) => {
                        inside.insert(base);
                    }
                    ExprKind::AddressOf(target) => escaped.extend(program.base_variable(target)),
                    ExprKind::Variable(variable) if !inside.contains(&it) => {
                        escaped.insert(variable);
                    }
                    _ => {}
                }
            }
            true
        });
    }
    escaped
}

/// The execution of one function.
struct Flow<'p, 'f> {
    program: &'p Program,
    model: &'p Model,
    effects: &'f Effects,
    escaped: &'f FxHashSet<VariableId>,
    /// The number of conditions around the statement.
    conditions: usize,
    /// Whether reads are reported, and as those of values of the iteration before.
    recording: Option<bool>,
    /// The states at `break` and `continue` of the loops around, the innermost last.
    exits: Vec<(State, State)>,
    found: &'f mut Vec<StaleRead>,
}

impl Flow<'_, '_> {
    fn stmt(&mut self, stmt: StmtId, state: State) -> State {
        state.as_ref()?;
        let program = self.program;
        match &program.stmt(stmt).kind {
            StmtKind::Block(stmts) => stmts.iter().fold(state, |state, it| self.stmt(*it, state)),
            StmtKind::If(condition, then, otherwise) => {
                let state = self.expr(*condition, state);
                self.conditions += 1;
                let then = self.stmt(*then, state.clone());
                let otherwise = otherwise.map_or(state.clone(), |it| self.stmt(it, state));
                self.conditions -= 1;
                join(then, otherwise)
            }
            StmtKind::For { .. } | StmtKind::While(..) | StmtKind::DoWhile(..)
                if !has_distributed_loop(program, stmt) =>
            {
                self.touched(stmt, state)
            }
            StmtKind::For { .. } | StmtKind::While(..) | StmtKind::DoWhile(..)
                if self.exits.len() >= MAX_LOOPS =>
            {
                Some(Vec::new())
            }
            StmtKind::For { init, condition, step, body } => {
                let state = init.map_or(state.clone(), |it| self.stmt(it, state));
                let often = self.is_repeated(stmt);
                self.repeat(state, often, *condition, |flow, state| {
                    let state = flow.body(*body, state);
                    step.map_or(state.clone(), |it| flow.expr(it, state))
                })
            }
            StmtKind::While(condition, body) => {
                self.repeat(state, true, Some(*condition), |flow, state| flow.body(*body, state))
            }
            StmtKind::DoWhile(body, condition) => {
                let often = program.constant(*condition) != Some(0);
                self.repeat(state, often, None, |flow, state| {
                    let state = flow.body(*body, state);
                    flow.expr(*condition, state)
                })
            }
            StmtKind::Break => self.leave(state, |it| &mut it.0),
            StmtKind::Continue => self.leave(state, |it| &mut it.1),
            StmtKind::Return(_) => None,
            StmtKind::Directive(id) => self.directive(*id, state),
            _ => self.touched(stmt, state),
        }
    }

    fn leave(&mut self, state: State, of: fn(&mut (State, State)) -> &mut State) -> State {
        if let Some(exit) = self.exits.last_mut() {
            let exit = of(exit);
            *exit = join(exit.take(), state);
        }
        None
    }

    /// The body of a loop, up to its end or a `continue`.
    fn body(&mut self, body: StmtId, state: State) -> State {
        let end = self.stmt(body, state);
        let continued = self.exits.last_mut().and_then(|it| it.1.take());
        join(end, continued)
    }

    /// A loop: the state at its head holds of the first iteration and of the others.
    fn repeat(
        &mut self,
        entry: State,
        is_repeated: bool,
        condition: Option<ExprId>,
        mut body: impl FnMut(&mut Self, State) -> State,
    ) -> State {
        let mut once = |flow: &mut Self, state: State, recording| {
            let before = std::mem::replace(&mut flow.recording, recording);
            flow.exits.push((None, None));
            let state = condition.map_or(state.clone(), |it| flow.expr(it, state));
            let end = body(flow, state.clone());
            let broken = flow.exits.pop().and_then(|it| it.0);
            flow.recording = before;
            (state, end, broken)
        };
        let mut head = entry.clone();
        let stable = loop {
            let found = once(self, head.clone(), None);
            let next = join(entry.clone(), found.1.clone());
            if next == head {
                break found;
            }
            head = next;
        };
        if self.recording.is_some() {
            once(self, head, self.recording);
            if is_repeated {
                once(self, stable.1.clone(), Some(true));
            }
        }
        let (at_condition, last, broken) = stable;
        // A `do` loop ends behind its body.
        let ended = if condition.is_some() { at_condition } else { last };
        join(ended, broken)
    }

    /// Whether a loop may have a second iteration.
    fn is_repeated(&self, stmt: StmtId) -> bool {
        let Ok(found) = crate::loops::canonical(self.program, stmt) else { return true };
        let constant = |it| self.program.constant(it);
        match (constant(found.start), constant(found.end), found.step.map_or(Some(1), constant)) {
            (Some(start), Some(end), Some(step)) => (end - start).abs() > step.abs(),
            _ => true,
        }
    }

    /// A statement without control flow.
    fn touched(&mut self, stmt: StmtId, state: State) -> State {
        let mut state = state?;
        let program = self.program;
        program.walk_stmt(stmt, &mut |node| {
            self.touch(node, &mut state);
            true
        });
        Some(state)
    }

    fn expr(&mut self, expr: ExprId, state: State) -> State {
        let mut state = state?;
        let program = self.program;
        program.walk_expr(expr, &mut |node| {
            self.touch(node, &mut state);
            true
        });
        Some(state)
    }

    /// Removes what is not certain any more behind a part of a statement.
    fn touch(&self, node: Node, state: &mut Vec<Write>) {
        let program = self.program;
        match node {
            Node::Expr(it) => match &program.expr(it).kind {
                ExprKind::Call(callee, _) if self.effects.is_opaque(program, *callee) => state.clear(),
                ExprKind::Coindexed(..) => state.clear(),
                ExprKind::Assign(_, target, _) | ExprKind::Increment { target, .. } => {
                    let stored = program.base_variable(*target);
                    state.retain(|it| Some(it.array) != stored);
                }
                _ => {}
            },
            Node::Directive(it) => self.passed(program.directive(it), state),
            Node::Stmt(_) => {}
        }
    }

    /// Removes what is not certain any more behind a directive, apart from the statement that it is about.
    fn passed(&self, directive: &Directive, state: &mut Vec<Write>) {
        match (directive.family, directive.name.as_str()) {
            (Family::XcalableMp, "barrier" | "reflect_init" | "wait_async" | "bcast" | "reduction") => {}
            (Family::XcalableMp, "reflect" | "reflect_do") => {
                let named = reflected(self.program, directive);
                state.retain(|it| !named.contains(&it.array));
            }
            _ if is_transparent(directive) => {}
            // What it does is not known to this analysis.
            _ => state.clear(),
        }
    }

    fn directive(&mut self, id: DirectiveId, state: State) -> State {
        let directive = self.program.directive(id);
        if directive.family == Family::XcalableMp && directive.name == "loop" {
            return self.distributed(id, directive, state);
        }
        let mut state = state?;
        self.passed(directive, &mut state);
        match directive.body.filter(|_| is_transparent(directive)) {
            Some(body) => self.stmt(body, Some(state)),
            None => Some(state),
        }
    }

    /// A distributed loop: its reads are judged, its writes noted.
    fn distributed(&mut self, id: DirectiveId, directive: &Directive, state: State) -> State {
        let mut state = state?;
        let found = DistributedLoop::of(self.program, self.model, directive);
        let accesses = match &found {
            Some(it) if it.runs_to_its_end(self.program) => it.accesses(self.program, self.model),
            _ => Vec::new(),
        };
        for access in accesses.iter().filter(|it| it.is_read) {
            self.read(id, found.as_ref(), access, &state);
        }
        if let Some(body) = directive.body {
            let is_known = |target: ExprId| accesses.iter().any(|it| it.expr == target);
            self.program.walk_stmt(body, &mut |node| {
                match node {
                    Node::Directive(it) if self.program.directive(it).family == Family::OpenAcc => {}
                    Node::Expr(it) => match self.program.expr(it).kind {
                        ExprKind::Assign(_, target, _) | ExprKind::Increment { target, .. }
                            if is_known(target) => {}
                        _ => self.touch(node, &mut state),
                    },
                    _ => self.touch(node, &mut state),
                }
                true
            });
        }
        let Some(of) = found else { return Some(state) };
        for access in accesses.iter().filter(|it| it.is_written) {
            match self.write(&of, access) {
                Some(write) if state.contains(&write) => {}
                Some(write) => state.push(write),
                None => state.retain(|it| it.array != access.array.variable),
            }
        }
        Some(state)
    }

    /// What a write to own elements means; `None` if it may be another, or of the value that was there.
    fn write(&self, of: &DistributedLoop<'_>, access: &Access<'_>) -> Option<Write> {
        let array = access.array.variable;
        let is_constant = access.value.is_some_and(|it| is_literal(self.program, it));
        if self.escaped.contains(&array) || is_constant || !self.is_own(of, access) {
            return None;
        }
        let region = region(self.program, of, access)?;
        let at = self.program.expr(access.expr).range;
        Some(Write { array, at, region, conditions: self.conditions })
    }

    /// Whether every node accesses elements of its own block: the subscript of each distributed axis is the
    /// variable of the axis.
    fn is_own(&self, of: &DistributedLoop<'_>, access: &Access<'_>) -> bool {
        let array = access.array;
        array.template == of.template.name
            && (0..array.target.len()).all(|axis| {
                let Some(found) = super::loops::aligned_axis(array, axis) else { return false };
                let index = of.affine(self.program, access.subscripts[found]);
                let is_divided = super::Partition::of(self.model, of.template, axis).is_some();
                let is_undivided = matches!(of.template.distribution.as_ref(),
                    Some(it) if it.formats.get(axis).is_some_and(|it| it == "*"));
                is_undivided
                    || is_divided
                        && index.is_some_and(|it| {
                            it.offset == 0
                                && it.variable.is_some()
                                && it.variable == of.loop_of_axis(self.program, axis)
                        })
            })
    }

    /// Reports a read of an element of the shadow that was certainly written.
    fn read(
        &mut self,
        id: DirectiveId,
        of: Option<&DistributedLoop<'_>>,
        access: &Access<'_>,
        state: &[Write],
    ) {
        let (Some(is_of_iteration_before), Some(of)) = (self.recording, of) else { return };
        let array = access.array.variable;
        let range = self.program.expr(access.expr).range;
        if self.found.iter().any(|it| it.read == range) {
            return;
        }
        let written = state.iter().filter(|it| it.array == array && it.conditions >= self.conditions);
        for write in written {
            if let Some((index, on_nodes)) = self.stale(of, access, write) {
                self.found.push(StaleRead {
                    array,
                    read: range,
                    write: write.at,
                    directive: id,
                    is_of_iteration_before,
                    index,
                    on_nodes,
                });
                return;
            }
        }
    }

    /// The axis and an index there which a node reads from its shadow, and the owner has written.
    fn stale(
        &self,
        of: &DistributedLoop<'_>,
        access: &Access<'_>,
        write: &Write,
    ) -> Option<((usize, i128), &'static str)> {
        let array = access.array;
        let reads = region(self.program, of, access)?;
        let shadow = self.model.shadow_of(array.variable)?;
        let meets = |axis: usize| {
            let (read, written) = (reads[axis], write.region[axis]);
            (read.0.max(written.0), read.1.min(written.1))
        };
        if (0..reads.len()).any(|it| meets(it).0 > meets(it).1) || array.template != of.template.name {
            return None;
        }
        (0..reads.len()).find_map(|axis| {
            let index = of.affine(self.program, access.subscripts[axis])?;
            let (partition, to_template) = distribution_of(self.program, self.model, array, axis)?;
            let template_axis = array.target.iter().position(|it| it.text == array.axes[axis].text)?;
            let is_of_axis = of.loop_of_axis(self.program, template_axis) == index.variable;
            let Width::Sides(below, above) = *shadow.widths.get(axis)? else { return None };
            let reaches = if index.offset > 0 { above } else { below };
            if to_template != 0 || index.offset == 0 || !is_of_axis || index.offset.abs() > reaches {
                return None;
            }
            index.variable?;
            let (first, last) = meets(axis);
            // The element beside the boundary of two blocks that the reading node has in its shadow.
            let beside = |start: i128| if index.offset > 0 { start } else { start - 1 };
            let mut elements = partition.boundaries().map(beside);
            let element = elements.find(|it| {
                let iteration = it - index.offset;
                let is_read = partition.owner(iteration) != partition.owner(*it);
                (first..=last).contains(it) && is_read && partition.owner(iteration).is_some()
            })?;
            Some(((axis, element), partition.on_nodes()))
        })
    }
}

/// The states that both have in common: what is certain behind a join.
fn join(a: State, b: State) -> State {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.into_iter().filter(|it| b.contains(it)).collect()),
        (only, None) | (None, only) => only,
    }
}

/// The first and the last index of each axis that a loop accesses; `None` if it does not access all elements
/// between them, as with `a[i][i]`.
fn region(program: &Program, of: &DistributedLoop<'_>, access: &Access<'_>) -> Option<Vec<(i128, i128)>> {
    let indices = access.subscripts.iter().map(|it| of.affine(program, *it));
    let indices = indices.collect::<Option<Vec<_>>>()?;
    let mut variables = indices.iter().filter_map(|it| it.variable);
    let mut met = FxHashSet::default();
    variables.all(|it| met.insert(it)).then_some(())?;
    indices.into_iter().map(|it| of.range(it)).collect()
}

/// Whether a directive of accelerators leaves arrays as its statement does.
fn is_transparent(directive: &Directive) -> bool {
    let name = directive.name.as_str();
    directive.family == Family::OpenAcc
        && matches!(name, "data" | "parallel" | "kernels" | "parallel loop" | "kernels loop" | "loop")
}

/// Whether a statement contains a loop that is distributed.
fn has_distributed_loop(program: &Program, stmt: StmtId) -> bool {
    let mut is_found = false;
    program.walk_stmt(stmt, &mut |node| {
        is_found |= matches!(node, Node::Directive(it) if {
            let directive = program.directive(it);
            directive.family == Family::XcalableMp && directive.name == "loop"
        });
        !is_found
    });
    is_found
}

/// Whether a value is a number that is written in the program, which may be there already.
fn is_literal(program: &Program, expr: ExprId) -> bool {
    match &program.expr(expr).kind {
        ExprKind::Integer(_) | ExprKind::Float(_) => true,
        ExprKind::Unary(_, it) | ExprKind::Cast(it) => is_literal(program, *it),
        _ => false,
    }
}

/// The arrays that a `reflect` names.
pub(super) fn reflected(program: &Program, directive: &Directive) -> Vec<VariableId> {
    let lists = directive.argument.iter().filter_map(|it| it.mapping.as_ref());
    let named = lists.flat_map(|it| &it.subscripts).filter_map(|it| match it.kind {
        crate::hir::SubscriptKind::Expr(expr) => match program.expr(expr).kind {
            ExprKind::Variable(variable) => Some(variable),
            _ => element(program, expr).map(|it| it.0),
        },
        _ => None,
    });
    named.collect()
}
