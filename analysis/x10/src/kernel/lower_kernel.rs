//! Lowering of the code of threads to the kernel model (`apg-kernels`): accesses to memory, barriers,
//! assignments, branches, loops and jumps, in the order of evaluation.

use std::rc::Rc;

use apg_kernels::model::{RangeLoop, Scope, WhileLoop};
use apg_kernels::{
    Access, AccessKind, Axis, Definitions, Guard, Kernel as Model, Parameter, Space, Spread, Stmt,
};
use rustc_hash::FxHashSet;

use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, Iteration, LabelId, Literal, LocalId, StmtId, StmtKind};
use crate::ids::MethodId;
use crate::kernel::context::KernelContext;
use crate::kernel::device_code::functions;
use crate::kernel::device_semantics::{CalleeKind, TypeCategory};
use crate::kernel::lower_expression::{Expr, Test, ThreadContext};
use crate::kernel::{self, SharedRail};

/// The model of a kernel of X10, or of a function that its threads call.
pub(super) type ThreadModel = Model<LocalId, ExprId>;
type Stmts = Vec<Stmt<LocalId, ExprId>>;

/// The loop nest around the code of a thread.
pub(super) struct KernelParts<'k> {
    /// The axes of blocks and threads.
    pub blocks: &'k [kernel::Axis],
    pub threads: &'k [kernel::Axis],
    /// `val`s that the launch chooses.
    pub chosen: FxHashSet<LocalId>,
    pub shared: &'k [SharedRail],
}

/// The model of a kernel whose threads execute these statements.
pub(super) fn lower_kernel(
    context: &KernelContext<'_>,
    parts: &KernelParts<'_>,
    body: StmtId,
    statements: &[StmtId],
) -> ThreadModel {
    let mut threads = ThreadContext { this: Spread::Uniform, has_whole_warps: false };
    let axis =
        |axis: &kernel::Axis| Axis { variable: axis.local, last: context.lower_value(axis.last, threads) };
    let model = ThreadModel {
        blocks: parts.blocks.iter().map(axis).collect(),
        threads: parts.threads.iter().map(axis).collect(),
        chosen: parts.chosen.clone(),
        constants: integer_literals(context, body),
        ..ThreadModel::default()
    };
    threads.has_whole_warps = model.has_whole_warps();
    let shared = parts.shared.iter().map(|rail| rail.local).collect();
    let mut lowering = KernelLowering { context, threads, shared, labels: Vec::new(), model };
    lowering.define_sizes();
    lowering.statements(statements);
    lowering.define_captured();
    lowering.model
}

/// The model of a function that threads call.
pub(super) fn lower_function(
    context: &KernelContext<'_>,
    root: StmtId,
    parameters: Vec<Parameter<LocalId>>,
    this: Spread,
) -> ThreadModel {
    let threads = ThreadContext { this, has_whole_warps: false };
    let model = ThreadModel { parameters, ..ThreadModel::default() };
    let shared = FxHashSet::default();
    let mut lowering = KernelLowering { context, threads, shared, labels: Vec::new(), model };
    lowering.statements(&context.flat_statements(root));
    lowering.model
}

/// The integer literals of a kernel.
fn integer_literals(context: &KernelContext<'_>, body: StmtId) -> Vec<i64> {
    let mut numbers = Vec::new();
    context.body.walk(Node::Stmt(body), &mut |node| {
        if let Node::Expr(expr) = node
            && let ExprKind::Literal(Literal::Int(value)) = context.expr(expr).kind
        {
            numbers.push(value);
        }
        true
    });
    numbers
}

struct KernelLowering<'d, 'a> {
    context: &'d KernelContext<'a>,
    threads: ThreadContext,
    /// Shared rails.
    shared: FxHashSet<LocalId>,
    /// The labels around the current statement, one for each loop or labelled statement of the model.
    labels: Vec<LabelId>,
    model: ThreadModel,
}

impl KernelLowering<'_, '_> {
    fn statements(&mut self, statements: &[StmtId]) {
        for stmt in statements {
            let mut out = Vec::new();
            self.stmt(*stmt, &mut out);
            self.model.body.push(out);
        }
    }

    /// Adds the definitions that the sizes of blocks and of the grid refer to.
    fn define_sizes(&mut self) {
        let mut used = Vec::new();
        self.model.blocks.iter().chain(&self.model.threads).for_each(|axis| {
            axis.last.for_each_variable(&mut |it| used.push(it));
        });
        self.define(used);
    }

    /// Adds the values of captured variables, in the order of the source.
    fn define_captured(&mut self) {
        for stmt in &self.context.body.stmts {
            if let StmtKind::Let { local, init: Some(init) } = stmt.kind
                && self.model.captured.contains(&local)
            {
                let value = self.context.lower_value(init, self.threads);
                self.model.captured_values.push((local, value));
            }
        }
    }

    /// Adds the definitions of variables, and of those that these refer to.
    fn define(&mut self, mut open: Vec<LocalId>) {
        while let Some(local) = open.pop() {
            let is_known = self.model.captured.contains(&local)
                || self.model.integers.contains_key(&local)
                || self.model.tests.contains_key(&local);
            if is_known || self.context.local(local).mutable {
                continue;
            }
            if !self.context.inner.contains(&local) {
                self.model.captured.insert(local);
            }
            let integer = Definitions::integer(self.context, local).unwrap_or_else(|| Rc::new(Expr::Unknown));
            integer.for_each_variable(&mut |it| open.push(it));
            self.model.integers.insert(local, integer);
            if let Some(test) = self.context.test(local).filter(|it| **it != Test::Unknown) {
                test.for_each_variable(&mut |it| open.push(it));
                self.model.tests.insert(local, test);
            }
        }
    }

    fn value(&mut self, expr: ExprId) -> Expr {
        let value = self.context.lower_value(expr, self.threads);
        let mut used = Vec::new();
        value.for_each_variable(&mut |it| used.push(it));
        self.define(used);
        value
    }

    fn guard(&mut self, condition: ExprId) -> Guard<LocalId, ExprId> {
        let test = self.context.lower_test(condition, self.threads);
        let mut used = Vec::new();
        test.for_each_variable(&mut |it| used.push(it));
        self.define(used);
        Guard { test, site: condition }
    }

    /// A condition that is an unknown function of some expressions.
    fn guard_of(&mut self, parts: &[ExprId], site: ExprId) -> Guard<LocalId, ExprId> {
        Guard { test: Test::Function(parts.iter().map(|it| self.value(*it)).collect()), site }
    }

    fn lowered(&mut self, node: Node) -> Stmts {
        let mut out = Vec::new();
        self.node(node, &mut out);
        out
    }

    fn node(&mut self, node: Node, out: &mut Stmts) {
        match node {
            Node::Stmt(stmt) => self.stmt(stmt, out),
            Node::Expr(expr) => self.expr(expr, out),
        }
    }

    fn children(&mut self, node: Node, out: &mut Stmts) {
        for child in self.context.body.children(node) {
            self.node(child, out);
        }
    }

    fn stmt(&mut self, stmt: StmtId, out: &mut Stmts) {
        match &self.context.stmt(stmt).kind {
            StmtKind::If { condition, then, otherwise } => {
                self.expr(*condition, out);
                self.branch(*condition, Node::Stmt(*then), otherwise.map(Node::Stmt), out);
            }
            StmtKind::Let { local, init } => {
                let value = init.map(|init| {
                    self.expr(init, out);
                    self.value(init)
                });
                out.push(Stmt::Declare(*local, value));
            }
            StmtKind::While { label, condition, body } => {
                let the_loop = self.condition_loop(*label, Some(*condition), &[], *body);
                out.push(Stmt::While(the_loop));
            }
            StmtKind::DoWhile { label, condition, body } => {
                let the_loop = self.condition_loop(*label, Some(*condition), &[], *body);
                out.push(Stmt::While(WhileLoop { is_tested_first: false, ..the_loop }));
            }
            StmtKind::For { label, init, condition, update, body } => {
                init.iter().for_each(|it| self.stmt(*it, out));
                let the_loop = self.condition_loop(*label, *condition, update, *body);
                out.push(Stmt::While(the_loop));
            }
            StmtKind::ForIn { iterable, .. } => {
                self.expr(*iterable, out);
                self.range_loop(stmt, out);
            }
            StmtKind::Switch { label, value, cases } => {
                self.expr(*value, out);
                let guard = self.guard_of(&[*value], *value);
                let mut body = Vec::new();
                self.labels.push(*label);
                cases.iter().flat_map(|case| &case.1).for_each(|it| self.stmt(*it, &mut body));
                self.labels.pop();
                out.push(Stmt::Labeled(vec![Stmt::Branch(guard, vec![Stmt::Sometimes(body)], None)]));
            }
            StmtKind::Labeled { label, body } => {
                let body = self.labeled(*label, *body);
                out.push(Stmt::Labeled(body));
            }
            StmtKind::Break(label) => {
                let outermost = self.labels.iter().position(|it| it == label);
                out.push(outermost.map_or(Stmt::Return, |it| Stmt::Break(self.labels.len() - 1 - it)));
            }
            StmtKind::Continue(label) => {
                let innermost = self.labels.iter().rposition(|it| it == label);
                out.push(innermost.map_or(Stmt::Return, |it| Stmt::Continue(self.labels.len() - 1 - it)));
            }
            StmtKind::Return(_) => {
                self.children(Node::Stmt(stmt), out);
                out.push(Stmt::Return);
            }
            _ => self.children(Node::Stmt(stmt), out),
        }
    }

    fn labeled(&mut self, label: LabelId, body: StmtId) -> Stmts {
        self.labels.push(label);
        let body = self.lowered(Node::Stmt(body));
        self.labels.pop();
        body
    }

    fn condition_loop(
        &mut self,
        label: LabelId,
        condition: Option<ExprId>,
        update: &[ExprId],
        body: StmtId,
    ) -> WhileLoop<LocalId, ExprId> {
        let mut updates = Vec::new();
        update.iter().for_each(|it| self.expr(*it, &mut updates));
        WhileLoop {
            guard: condition.map(|it| self.guard(it)),
            is_tested_first: true,
            condition: condition.map(|it| self.lowered(Node::Expr(it))).unwrap_or_default(),
            body: self.labeled(label, body),
            update: updates,
        }
    }

    /// `for (x in e)`: over ranges a loop for each axis, over anything else a loop of unknown length.
    fn range_loop(&mut self, stmt: StmtId, out: &mut Stmts) {
        let StmtKind::ForIn { label, local, components, iterable, iteration, body } =
            &self.context.stmt(stmt).kind
        else {
            return;
        };
        let mut ranges = Vec::new();
        let is_box = self.context.collect_ranges(*iterable, &mut ranges);
        let is_range = matches!(iteration, Iteration::IntRange | Iteration::LongRange);
        let axes: &[LocalId] = if components.is_empty() { std::slice::from_ref(local) } else { components };
        if !is_box || axes.len() != ranges.len() || components.is_empty() && !is_range {
            // All threads that have the same rail see the same number of elements.
            let length = if *iteration == Iteration::Rail { &[][..] } else { &[*iterable][..] };
            let guard = self.guard_of(length, *iterable);
            let element = Expr::Function(vec![self.value(*iterable)]);
            let declare = |local: &LocalId| Stmt::Declare(*local, Some(element.clone()));
            let mut stmts: Stmts = components.iter().chain([local]).map(declare).collect();
            stmts.extend(self.labeled(*label, *body));
            return out.push(Stmt::While(WhileLoop {
                guard: Some(guard),
                is_tested_first: true,
                condition: Vec::new(),
                body: stmts,
                update: Vec::new(),
            }));
        }
        let may_synchronise = self.context.may_synchronise(*body);
        let around = self.labels.len();
        self.labels.extend(axes.iter().map(|_| *label));
        let mut stmts = self.lowered(Node::Stmt(*body));
        self.labels.truncate(around);
        if !components.is_empty() {
            let point = components.iter().map(|it| Expr::Variable(*it, None)).collect();
            stmts.insert(0, Stmt::Declare(*local, Some(Expr::Function(point))));
        }
        for (variable, (low, high)) in axes.iter().zip(ranges).rev() {
            let bounds = (self.value(low), self.value(high));
            let site = *iterable;
            stmts = vec![Stmt::Range(RangeLoop {
                variable: *variable,
                bounds,
                site,
                may_synchronise,
                body: stmts,
            })];
        }
        out.append(&mut stmts);
    }

    fn branch(&mut self, condition: ExprId, then: Node, otherwise: Option<Node>, out: &mut Stmts) {
        let (then, otherwise) = (self.lowered(then), otherwise.map(|it| self.lowered(it)));
        out.push(Stmt::Branch(self.guard(condition), then, otherwise));
    }

    fn expr(&mut self, expr: ExprId, out: &mut Stmts) {
        match &self.context.expr(expr).kind {
            ExprKind::Conditional { condition, then, otherwise } => {
                self.expr(*condition, out);
                self.branch(*condition, Node::Expr(*then), Some(Node::Expr(*otherwise)), out);
            }
            ExprKind::ShortCircuit { left, right, is_or } => {
                self.expr(*left, out);
                let mut second = Vec::new();
                self.branch(*left, Node::Expr(*right), None, &mut second);
                match is_or {
                    true => out.push(Stmt::Sometimes(second)),
                    false => out.append(&mut second),
                }
            }
            ExprKind::Assign { target: AssignTarget::Local(local), value } => {
                self.expr(*value, out);
                let value = self.value(*value);
                out.push(Stmt::Assign(*local, value));
            }
            ExprKind::Call { .. } => self.call(expr, out),
            _ => self.children(Node::Expr(expr), out),
        }
    }

    fn call(&mut self, expr: ExprId, out: &mut Stmts) {
        self.children(Node::Expr(expr), out);
        let context = self.context;
        let semantics = context.semantics;
        let ExprKind::Call { method, receiver, args, .. } = &context.expr(expr).kind else { return };
        match semantics.callee_kind(*method) {
            CalleeKind::Barrier => out.push(Stmt::Collective(expr, Scope::Block)),
            CalleeKind::Collective => {
                let is_of_warp = semantics.is_warp_collective(*method);
                let scope = if is_of_warp { Scope::Warp } else { Scope::Block };
                out.push(Stmt::Collective(expr, scope));
            }
            CalleeKind::Function if functions::synchronizes(semantics.db, *method) => {
                let is_of_block = functions::synchronizes_block(semantics.db, *method);
                let scope = if is_of_block { Scope::Block } else { Scope::Warp };
                let arguments = receiver.iter().chain(args).map(|it| self.value(*it)).collect();
                out.extend([Stmt::Collective(expr, scope), Stmt::Call(expr, arguments)]);
            }
            // Accesses by callees are not analysed.
            CalleeKind::Function if args.iter().any(|it| self.is_rail(*it)) => {
                out.push(Stmt::Barrier);
            }
            _ if semantics.is_fence(*method) => out.push(Stmt::Barrier),
            _ => out.extend(self.access(expr, *method, *receiver, args)),
        }
    }

    /// The access to an element that a call of the class library makes.
    fn access(
        &mut self,
        site: ExprId,
        method: MethodId,
        receiver: Option<ExprId>,
        args: &[ExprId],
    ) -> Option<Stmt<LocalId, ExprId>> {
        let context = self.context;
        let is_atomic = context.semantics.is_atomic(method);
        let (rail, index) = match (receiver, args) {
            (Some(rail), [index, ..]) => (rail, *index),
            (None, [rail, index, ..]) if is_atomic => (*rail, *index),
            _ => return None,
        };
        let kind = match method.name(context.semantics.db).as_str() {
            _ if is_atomic => AccessKind::Atomic,
            "operator()" => AccessKind::Load,
            "operator()=" => AccessKind::Store { is_update: context.is_update(site) },
            _ => return None,
        };
        let array = context.named_local(rail)?;
        let space = match context.semantics.category(context.expr(rail).ty) {
            TypeCategory::GlobalRail(_) => Space::Global,
            TypeCategory::ConstantRail(_) => Space::Constant,
            TypeCategory::Rail(_) if self.shared.contains(&array) => Space::Shared,
            TypeCategory::Rail(_) if context.inner.contains(&array) => Space::Local,
            // Rails of the host are copied for the launch.
            TypeCategory::Rail(_) => Space::Constant,
            _ => return None,
        };
        Some(Stmt::Access(Access { array, space, index: self.value(index), site, kind }))
    }

    fn is_rail(&self, expr: ExprId) -> bool {
        matches!(
            self.context.semantics.category(self.context.expr(expr).ty),
            TypeCategory::Rail(_) | TypeCategory::GlobalRail(_)
        )
    }
}
