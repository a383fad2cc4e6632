//! Uniformity analysis and barrier divergence: whether all threads of a block reach each barrier together.
//!
//!
//! A barrier may be controlled only by conditions that are uniform for the block, a warp collective by
//! conditions that are uniform for each warp. [`crate::kernel::uniformity::divergence`] is the lattice
//! (Coutinho and others, PACT 2011; barriers: CUDA C++ Programming Guide, "Synchronization Functions").

pub(in crate::kernel) mod divergence;
pub(in crate::kernel) mod known_bits;
pub(in crate::kernel) mod reaching_defs;

mod move_barrier_out;
mod report;

use apg_syntax::TextSize;
use rustc_hash::FxHashMap;

use crate::body::Owner;
use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, Iteration, LabelId, LocalId, StmtId, StmtKind};
use crate::ids::MethodId;
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::{CalleeKind, TypeCategory};
use crate::kernel::uniformity::divergence::{Cause, Divergence, DivergentBranch, compare};
use crate::kernel::uniformity::known_bits::KnownBits;
use crate::kernel::uniformity::reaching_defs::{ReachingDef, ReachingDefs};
use crate::kernel::{Axis, device_code::functions};
use crate::rules::cuda::barrier_divergent::BarrierDivergent;

/// Divergence of the values and conditions of one body.
pub(in crate::kernel) struct UniformityAnalysis<'d, 'a> {
    context: &'d KernelContext<'a>,
    divergence: FxHashMap<LocalId, Divergence>,
    reaching_defs: ReachingDefs,
    /// Position of each local's declaration, and the number of divergent conditions around it.
    declared: FxHashMap<LocalId, (TextSize, usize)>,
    known_bits: KnownBits<'d, 'a>,
    /// Whether all warps of a block are known to have 32 threads.
    has_whole_warps: bool,
    /// The kernel's axes: of blocks, of threads.
    axes: (Vec<Axis>, Vec<Axis>),
    /// Whether a block is known to have more than one thread.
    has_several_threads: bool,
    /// How jumps to labels diverge: between warps (`true`), and within warps (`false`).
    label_divergence: FxHashMap<(LabelId, bool), DivergentBranch>,
    /// The divergent conditions around the current node.
    control: Vec<DivergentBranch>,
    /// The loops around the current node, each with the number of divergent conditions outside it.
    loops: Vec<(LabelId, usize)>,
    changed: bool,
    reporting: bool,
    /// Depth of inlined calls.
    depth: u32,
    /// In a function: the divergence of `this`.
    this: Divergence,
}

/// Maximum depth of calls that are analysed inline.
const MAX_CALL_DEPTH: u32 = 16;

impl<'a> KernelContext<'a> {
    /// Analyses a kernel and reports barriers that not all threads of a block reach together.
    pub(in crate::kernel) fn check_barriers(
        &self,
        body: StmtId,
        blocks: &[Axis],
        threads: &[Axis],
    ) -> UniformityAnalysis<'_, 'a> {
        let indices = self.thread_index_divergence(threads).into_iter().collect();
        let mut uniformity = UniformityAnalysis::new(
            self,
            indices,
            KnownBits::new(self, std::iter::empty()),
            Divergence::Uniform,
            0,
        );
        uniformity.has_whole_warps = self.has_whole_warps(threads);
        uniformity.axes = (blocks.to_vec(), threads.to_vec());
        uniformity.has_several_threads = self.has_several_threads(threads);
        uniformity.run(body);
        uniformity
    }

    /// Whether the only `return` of a function is its last statement.
    fn has_single_final_return(&self, root: StmtId) -> bool {
        let is_return = |stmt: StmtId| matches!(self.stmt(stmt).kind, StmtKind::Return(_));
        let last = self.flat_statements(root).last().copied().filter(|stmt| is_return(*stmt));
        let mut early = false;
        self.body.walk(Node::Stmt(root), &mut |node| {
            early |= matches!(node, Node::Stmt(stmt) if is_return(stmt) && Some(stmt) != last);
            !early
        });
        !early
    }
}

impl<'d, 'a> UniformityAnalysis<'d, 'a> {
    fn new(
        context: &'d KernelContext<'a>,
        divergence: FxHashMap<LocalId, Divergence>,
        known_bits: KnownBits<'d, 'a>,
        this: Divergence,
        depth: u32,
    ) -> UniformityAnalysis<'d, 'a> {
        UniformityAnalysis {
            context,
            divergence,
            reaching_defs: ReachingDefs::default(),
            declared: FxHashMap::default(),
            known_bits,
            has_whole_warps: false,
            axes: Default::default(),
            has_several_threads: false,
            label_divergence: FxHashMap::default(),
            control: Vec::new(),
            loops: Vec::new(),
            changed: true,
            reporting: false,
            depth,
            this,
        }
    }

    fn run(&mut self, body: StmtId) {
        // Divergence only grows, so the fixpoint iteration ends; the bound is a safeguard.
        let bound = 2 * (self.context.body.locals.len() + self.context.body.stmts.len()) + 2;
        for _ in 0..bound {
            if !std::mem::take(&mut self.changed) {
                break;
            }
            self.stmt(body);
        }
        self.reporting = true;
        self.stmt(body);
        self.reporting = false;
    }

    /// Whether an expression is uniform when the threads evaluate it together.
    pub(in crate::kernel) fn is_uniform(&mut self, expr: ExprId) -> bool {
        self.expr(expr) == Divergence::Uniform
    }

    /// A call of a function that synchronises, analysed with its arguments.
    fn call_function(
        &mut self,
        call: ExprId,
        method: MethodId,
        this: Divergence,
        operands: &[Divergence],
        args: &[ExprId],
    ) {
        let semantics = self.context.semantics;
        self.check_barrier(call, !functions::synchronizes_block(semantics.db, method));
        let result = semantics.body(method);
        let body = &result.body;
        let Some(root) = body.root else { return };
        if !self.reporting || self.depth >= MAX_CALL_DEPTH {
            return;
        }
        let parents = Parents::of(body);
        let mut context = KernelContext::new(semantics, body, &parents, root);
        context.inner.extend(body.params.iter().copied());
        if !context.has_single_final_return(root) {
            let range = self.context.expr(call).range;
            let violation = self.context.violation(range, BarrierDivergent::EarlyReturn { method });
            let code = context.stmt(root).range;
            return self.context.report(violation.related(method, code, "its code"));
        }
        let operands = operands.iter().map(|it| it.as_argument());
        let divergence = body.params.iter().copied().zip(operands).collect();
        let formals =
            body.params.iter().zip(args).filter(|it| self.known_bits.is_non_negative(*it.1)).map(|it| *it.0);
        let known_bits = KnownBits::new(&context, formals);
        let mut inside =
            UniformityAnalysis::new(&context, divergence, known_bits, this.as_argument(), self.depth + 1);
        inside.run(root);
        drop(inside);
        if let Some(first) = context.into_violations().first() {
            let range = self.context.expr(call).range;
            let violation = self.context.violation(range, BarrierDivergent::InCallee { method });
            let message = first.render(semantics.db, Owner::Method(method)).message;
            self.context.report(violation.related(method, first.range(), message));
        }
    }

    fn stmt(&mut self, stmt: StmtId) {
        let range = self.context.stmt(stmt).range;
        match &self.context.stmt(stmt).kind {
            StmtKind::Let { local, init: Some(init) } => {
                let value = self.expr(*init);
                let value = match self.is_scalar(*local) {
                    true => value.at_declaration(*local, self.context.local(*local).mutable),
                    false => value,
                };
                if !self.context.local(*local).mutable {
                    self.known_bits.declare(*local, *init);
                }
                self.declared.insert(*local, (range.start(), self.control.len()));
                self.declare(*local, value);
            }
            StmtKind::Let { local, init: None } => {
                self.declared.insert(*local, (range.start(), self.control.len()));
            }
            StmtKind::If { condition, then, otherwise } => {
                let value = self.expr(*condition);
                self.with_condition(*condition, value, |this| {
                    this.stmt(*then);
                    if let Some(otherwise) = otherwise {
                        this.stmt(*otherwise);
                    }
                });
            }
            StmtKind::While { .. }
            | StmtKind::DoWhile { .. }
            | StmtKind::For { .. }
            | StmtKind::ForIn { .. }
            | StmtKind::Switch { .. } => self.loop_statement(stmt),
            StmtKind::Block(stmts) => {
                let open = self.reaching_defs.len();
                stmts.iter().for_each(|it| self.block_statement(stmt, *it));
                self.reaching_defs.truncate(open);
            }
            StmtKind::Labeled { label, body } => self.with_loop(*label, |this| this.stmt(*body)),
            StmtKind::Break(label) => self.jump_out(*label, None),
            StmtKind::Continue(label) => self.jump_out(*label, Some(range.end())),
            _ => {
                for child in self.context.body.children(Node::Stmt(stmt)) {
                    match child {
                        Node::Stmt(stmt) => self.stmt(stmt),
                        Node::Expr(expr) => {
                            self.expr(expr);
                        }
                    }
                }
            }
        }
    }

    /// A statement of a block. Its assignment is the reaching definition for the rest of the block.
    fn block_statement(&mut self, block: StmtId, stmt: StmtId) {
        let StmtKind::Expr(expr) = self.context.stmt(stmt).kind else { return self.stmt(stmt) };
        let ExprKind::Assign { target: AssignTarget::Local(local), value } = self.context.expr(expr).kind
        else {
            return self.stmt(stmt);
        };
        let value = self.expr(value);
        let at = self.context.stmt(stmt).range.start();
        self.assign(local, value, at, Some(block));
        let known = self.reaching_defs.of(stmt).map_or(value, |known| known.join(value));
        self.changed |= self.reaching_defs.set(stmt, known);
        self.reaching_defs.push(ReachingDef { local, set: stmt, block, declared: (at, self.control.len()) });
    }

    /// Loops, and `switch`, which `break` can leave as well.
    fn loop_statement(&mut self, stmt: StmtId) {
        match &self.context.stmt(stmt).kind {
            StmtKind::While { label, condition, body } => {
                self.conditional_loop(*label, Some(*condition), |this| this.stmt(*body))
            }
            StmtKind::DoWhile { label, body, condition } => {
                self.conditional_loop(*label, Some(*condition), |this| this.stmt(*body));
            }
            StmtKind::For { label, init, condition, update, body } => {
                init.iter().for_each(|stmt| self.stmt(*stmt));
                self.conditional_loop(*label, *condition, |this| {
                    this.stmt(*body);
                    update.iter().for_each(|expr| {
                        this.expr(*expr);
                    });
                });
            }
            StmtKind::ForIn { label, local, components, iterable, iteration, body } => {
                let over = self.expr(*iterable).without_offset();
                for local in components.iter().chain([local]) {
                    self.declare(*local, over);
                }
                // Uniform rails have the same length in all threads.
                let over = if *iteration == Iteration::Rail { Divergence::Uniform } else { over };
                self.with_condition(*iterable, over, |this| this.with_loop(*label, |this| this.stmt(*body)));
            }
            StmtKind::Switch { label, value, cases } => {
                let chosen = self.expr(*value);
                self.with_condition(*value, chosen, |this| {
                    this.with_loop(*label, |this| {
                        cases.iter().flat_map(|case| &case.1).for_each(|stmt| this.stmt(*stmt))
                    });
                });
            }
            _ => {}
        }
    }

    fn is_scalar(&self, local: LocalId) -> bool {
        self.context.semantics.category(self.context.local(local).ty) == TypeCategory::Plain
    }

    fn conditional_loop(
        &mut self,
        label: LabelId,
        condition: Option<ExprId>,
        mut body: impl FnMut(&mut Self),
    ) {
        let value = condition.map_or(Divergence::Uniform, |condition| self.expr(condition));
        match condition {
            Some(condition) => self.with_condition(condition, value, |this| this.with_loop(label, &mut body)),
            None => self.with_loop(label, body),
        }
        if let Some(condition) = condition {
            self.expr(condition);
        }
    }

    /// Runs `body` under the control of a condition.
    fn with_condition(&mut self, condition: ExprId, value: Divergence, body: impl FnOnce(&mut Self)) {
        let branch = DivergentBranch::new(self.context.expr(condition).range, value);
        self.control.extend(branch);
        body(self);
        if branch.is_some() {
            self.control.pop();
        }
    }

    /// Runs the body of a loop. Threads that leave it at different times diverge in all of it.
    fn with_loop(&mut self, label: LabelId, body: impl FnOnce(&mut Self)) {
        let outside = self.control.len();
        self.loops.push((label, outside));
        self.control
            .extend([true, false].iter().filter_map(|keeps| self.label_divergence.get(&(label, *keeps))));
        body(self);
        self.control.truncate(outside);
        self.loops.pop();
    }

    /// `break` or `continue` under a divergent condition within the loop makes the loop divergent, and the
    /// loops inside that are left with it.
    fn jump_out(&mut self, label: LabelId, from: Option<TextSize>) {
        let Some(position) = self.loops.iter().rposition(|(open, _)| *open == label) else { return };
        let around = self.control[self.loops[position].1..].iter().filter(|branch| branch.from.is_none());
        let branches: Vec<DivergentBranch> = around.copied().collect();
        let inner: Vec<LabelId> = self.loops[position + 1..].iter().map(|it| it.0).collect();
        for is_warp_uniform in [true, false] {
            let Some(branch) = branches.iter().find(|it| it.is_warp_uniform == is_warp_uniform) else {
                continue;
            };
            self.add_label_divergence(label, DivergentBranch { from, ..*branch });
            for label in &inner {
                self.add_label_divergence(*label, *branch);
            }
        }
    }

    fn add_label_divergence(&mut self, label: LabelId, new: DivergentBranch) {
        match self.label_divergence.get(&(label, new.is_warp_uniform)) {
            Some(old) if old.from.is_none() => {}
            Some(old) if new.from.is_some() && old.from <= new.from => {}
            _ => {
                self.label_divergence.insert((label, new.is_warp_uniform), new);
                self.changed = true;
            }
        }
    }

    fn declare(&mut self, local: LocalId, value: Divergence) {
        let old = self.divergence.get(&local).copied();
        let new = match old {
            Some(old) => old.join(value),
            None => value,
        };
        self.set_divergence(local, old, new);
    }

    /// An assignment, by a statement of `block` if that is known.
    fn assign(&mut self, local: LocalId, value: Divergence, at: TextSize, block: Option<StmtId>) {
        let old = self.divergence.get(&local).copied();
        // A variable without an initialiser starts with its first value.
        let new = old.map_or(value, |old| old.join(value));
        let declared = self.declared.get(&local).copied().unwrap_or_default();
        let new = self.under_control(new, declared, at);
        self.set_divergence(local, old, new);
        for version in self.reaching_defs.reached_by_assignment(local, block) {
            let new = self.reaching_defs.of(version.set).map_or(value, |old| old.join(value));
            let new = self.under_control(new, version.declared, at);
            self.changed |= self.reaching_defs.set(version.set, new);
        }
    }

    /// The divergence of a value that is assigned under the current conditions.
    fn under_control(&self, new: Divergence, declared: (TextSize, usize), at: TextSize) -> Divergence {
        // Conditions around the declaration do not count: each thread that reaches it has its own variable.
        let (from, around) = declared;
        let is_before = |position: usize, it: &DivergentBranch| position < around && it.controls(from);
        let branches = self.control.iter().enumerate();
        let parted = branches.filter(|(position, it)| it.controls(at) && !is_before(*position, it));
        parted.map(|it| it.1.assigned_divergence()).fold(new, |new, parted| match (new, parted) {
            (_, Divergence::Divergent(_)) => parted,
            _ => new.join(parted),
        })
    }

    fn set_divergence(&mut self, local: LocalId, old: Option<Divergence>, new: Divergence) {
        if old != Some(new) {
            self.divergence.insert(local, new);
            self.changed = true;
        }
    }

    fn expr(&mut self, expr: ExprId) -> Divergence {
        let context = self.context;
        match &context.expr(expr).kind {
            ExprKind::Local(local) => {
                let known = self.reaching_defs.get(*local).or_else(|| self.divergence.get(local).copied());
                known.unwrap_or(Divergence::Uniform)
            }
            ExprKind::This => self.this,
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => {
                let value = self.expr(*value);
                self.known_bits.converted(value, context.expr(expr).ty)
            }
            ExprKind::Assign { target, value } => {
                let value = self.expr(*value);
                if let AssignTarget::Local(local) = target {
                    self.assign(*local, value, context.expr(expr).range.start(), None);
                }
                value
            }
            ExprKind::Let { stmts, result } => {
                stmts.iter().for_each(|stmt| self.stmt(*stmt));
                self.expr(*result)
            }
            ExprKind::Equal { left, right, .. } => {
                let (left, right) = (self.expr(*left), self.expr(*right));
                compare(left, right)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let condition_value = self.expr(*condition);
                let mut value = Divergence::Uniform;
                self.with_condition(*condition, condition_value, |this| {
                    let then = this.expr(*then);
                    value = then.join(this.expr(*otherwise));
                });
                if condition_value == Divergence::Uniform {
                    value
                } else {
                    value.join(condition_value).without_offset()
                }
            }
            ExprKind::ShortCircuit { left, right, .. } => {
                let left_value = self.expr(*left);
                let mut right_value = Divergence::Uniform;
                self.with_condition(*left, left_value, |this| right_value = this.expr(*right));
                left_value.join(right_value).without_offset()
            }
            ExprKind::Call { .. } => self.call(expr),
            // A rail allocated by a thread is private to it.
            ExprKind::New { .. }
                if !matches!(context.semantics.category(context.expr(expr).ty), TypeCategory::Plain) =>
            {
                Divergence::Divergent(Cause::Data)
            }
            _ => self.operands(expr),
        }
    }

    fn operands(&mut self, expr: ExprId) -> Divergence {
        let mut value = Divergence::Uniform;
        for child in self.context.body.children(Node::Expr(expr)) {
            match child {
                Node::Expr(child) => value = value.join(self.expr(child).without_offset()),
                Node::Stmt(stmt) => self.stmt(stmt),
            }
        }
        value
    }

    fn call(&mut self, expr: ExprId) -> Divergence {
        let context = self.context;
        let ExprKind::Call { method, receiver, args, .. } = &context.expr(expr).kind else {
            return Divergence::Uniform;
        };
        if context.semantics.callee_kind(*method) == CalleeKind::Barrier {
            self.check_barrier(expr, false);
            return Divergence::Uniform;
        }
        let operands: Vec<Divergence> =
            receiver.iter().chain(args).map(|operand| self.expr(*operand)).collect();
        match context.semantics.callee_kind(*method) {
            CalleeKind::Collective | CalleeKind::ThreadIndex => {
                return self.thread_operation_divergence(expr, *method, args);
            }
            CalleeKind::Function if functions::synchronizes(context.semantics.db, *method) => {
                let count = usize::from(receiver.is_some());
                let this = operands[..count].first().copied().unwrap_or(Divergence::Uniform);
                self.call_function(expr, *method, this, &operands[count..], args);
                return Divergence::Divergent(Cause::Data);
            }
            CalleeKind::Function if functions::requires_thread_context(context.semantics.db, *method) => {
                return Divergence::Divergent(Cause::Data);
            }
            _ => {}
        }
        let all_uniform = operands.iter().take(2).all(|it| *it == Divergence::Uniform);
        if self.reporting && self.depth == 0 {
            let (blocks, threads) = &self.axes;
            let is_shared = self.has_several_threads && all_uniform && self.is_unconditional(expr);
            let lost = if is_shared { context.lost_update(expr) } else { None };
            let found = lost.or_else(|| context.overlapping_store(expr, blocks, threads));
            found.into_iter().for_each(|it| context.report(it));
        }
        let name = method.name(context.semantics.db);
        // Operators of structs may compute anything.
        let number = |it: &ExprId| context.expr(*it).ty.primitive(context.semantics.db).is_some();
        let is_of_numbers = receiver.iter().chain(args).all(number);
        let sign = name.strip_prefix("operator").map_or("", str::trim);
        let sign = if is_of_numbers || sign == "()" { sign } else { "" };
        let exprs: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        if is_of_numbers && let Some(found) = self.known_bits.apply_constant(sign, expr, &operands, &exprs) {
            return found;
        }
        if sign == "+" && is_of_numbers && self.known_bits.has_warp_multiple(&operands, &exprs) {
            // The rank counts from another multiple of 32.
            let rank = operands.iter().copied().find(|it| matches!(it, Divergence::Rank(..)));
            return rank.unwrap_or(Divergence::Uniform);
        }
        match (sign, &operands[..]) {
            ("+", [Divergence::Uniform, other] | [other, Divergence::Uniform]) => other.plus_uniform(),
            ("-", [other, Divergence::Uniform]) => other.plus_uniform(),
            ("-", [left, right]) if left.difference(*right).is_some() => Divergence::Uniform,
            ("<" | ">" | "<=" | ">=", [left, right]) => compare(*left, *right),
            // Conversions between number types.
            (_, [value])
                if is_of_numbers
                    && name.starts_with("operator")
                    && sign != "-"
                    && sign != "~"
                    && sign != "!" =>
            {
                self.known_bits.converted(*value, context.expr(expr).ty)
            }
            ("()", [rail, index]) => match rail.join(*index) {
                same @ (Divergence::Uniform | Divergence::WarpUniform(_)) => same,
                _ => Divergence::Divergent(Cause::Data),
            },
            _ => operands.iter().fold(Divergence::Uniform, |all, operand| all.join(operand.without_offset())),
        }
    }

    /// The divergence of a collective operation or thread index.
    fn thread_operation_divergence(&mut self, expr: ExprId, method: MethodId, args: &[ExprId]) -> Divergence {
        let semantics = self.context.semantics;
        if semantics.callee_kind(method) == CalleeKind::Collective {
            self.check_barrier(expr, semantics.is_warp_collective(method));
        }
        // Lane 0 of a warp always exists. Another lane may not, and then each thread keeps its own value.
        let is_first_lane = || args.get(1).and_then(|lane| self.context.constant(*lane)) == Some(0);
        match semantics.thread_operation(method) {
            Some("rank") => Divergence::Rank(None, Cause::Data),
            Some("grid_index") if self.has_whole_warps => Divergence::Rank(None, Cause::Data),
            Some("shuffle") if is_first_lane() => Divergence::WarpUniform(Cause::Data),
            _ if semantics.is_block_uniform(method) => Divergence::Uniform,
            _ if semantics.is_warp_uniform(method) => Divergence::WarpUniform(Cause::Data),
            _ => Divergence::Divergent(Cause::Data),
        }
    }

    /// Whether no divergent condition controls an expression.
    fn is_unconditional(&self, expr: ExprId) -> bool {
        let at = self.context.expr(expr).range.start();
        !self.control.iter().any(|it| it.controls(at))
    }
}
