//! Lowering of a kernel's threads to the kernel model (`apg-kernels`): accesses to shared memory, barriers,
//! assignments, branches and loops, in the order of evaluation.

use std::rc::Rc;

use apg_kernels::model::{Conjunct, RangeLoop, WhileLoop};
use apg_kernels::{Access, Axis, Definitions, Expr, Guard, Stmt, Test};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, Literal, LocalId, StmtId, StmtKind};
use crate::kernel::context::KernelContext;
use crate::kernel::device_code::functions;
use crate::kernel::device_semantics::{CalleeKind, TypeCategory};
use crate::kernel::uniformity::UniformityAnalysis;
use crate::kernel::{self, Kernel};

/// The model of a kernel of X10.
type Model = apg_kernels::Kernel<LocalId, ExprId>;
type Stmts = Vec<Stmt<LocalId, ExprId>>;

/// The model of a kernel; `None` if one of its threads' indices has no name.
pub(super) fn lower_kernel<'a>(
    context: &KernelContext<'a>,
    kernel: &Kernel,
    statements: &[StmtId],
    uniformity: &mut UniformityAnalysis<'_, 'a>,
) -> Option<Model> {
    let axis =
        |axis: &kernel::Axis| Some(Axis { variable: axis.local?, last: context.lower_integer(axis.last) });
    let threads: Vec<Axis<LocalId>> = kernel.threads.iter().map(axis).collect::<Option<_>>()?;
    let model = Model {
        blocks: kernel.blocks.iter().filter_map(axis).collect(),
        threads,
        captured: FxHashSet::default(),
        chosen: kernel.prelude.iter().map(|it| it.local).collect(),
        captured_values: captured_values(context),
        constants: integer_literals(context, kernel),
        integers: FxHashMap::default(),
        tests: FxHashMap::default(),
        body: Vec::new(),
    };
    let mut lowering = KernelLowering {
        context,
        uniformity,
        shared: kernel.shared.iter().map(|rail| rail.local).collect(),
        indices: model.blocks.iter().chain(&model.threads).map(|it| it.variable).collect(),
        model,
    };
    lowering.define_sizes();
    for stmt in statements {
        let mut out = Vec::new();
        lowering.stmt(*stmt, &mut out);
        lowering.model.body.push(out);
    }
    Some(lowering.model)
}

/// The `val`s around the kernel with their initialisers.
fn captured_values(context: &KernelContext<'_>) -> Vec<(LocalId, Expr<LocalId>)> {
    let value = |stmt: &crate::body::Stmt| match stmt.kind {
        StmtKind::Let { local, init: Some(init) }
            if !context.local(local).mutable && !context.inner.contains(&local) =>
        {
            Some((local, context.lower_integer(init)))
        }
        _ => None,
    };
    context.body.stmts.iter().filter_map(value).filter(|it| it.1 != Expr::Unknown).collect()
}

/// The integer literals of a kernel.
fn integer_literals(context: &KernelContext<'_>, kernel: &Kernel) -> Vec<i64> {
    let mut numbers = Vec::new();
    context.body.walk(Node::Stmt(kernel.body), &mut |node| {
        if let Node::Expr(expr) = node
            && let ExprKind::Literal(Literal::Int(value)) = context.expr(expr).kind
        {
            numbers.push(value);
        }
        true
    });
    numbers
}

struct KernelLowering<'d, 'u, 'v, 'a> {
    context: &'d KernelContext<'a>,
    uniformity: &'u mut UniformityAnalysis<'v, 'a>,
    /// Shared rails.
    shared: FxHashSet<LocalId>,
    /// Indices of blocks and threads.
    indices: FxHashSet<LocalId>,
    model: Model,
}

impl KernelLowering<'_, '_, '_, '_> {
    /// Adds the definitions that the sizes of blocks and of the grid refer to.
    fn define_sizes(&mut self) {
        let mut used = Vec::new();
        self.model.blocks.iter().chain(&self.model.threads).for_each(|axis| {
            axis.last.for_each_variable(&mut |it| used.push(it));
        });
        self.model.captured_values.iter().for_each(|(_, value)| {
            value.for_each_variable(&mut |it| used.push(it));
        });
        self.define(used);
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

    fn integer(&mut self, expr: ExprId) -> Expr<LocalId> {
        let value = self.context.lower_integer(expr);
        let mut used = Vec::new();
        value.for_each_variable(&mut |it| used.push(it));
        self.define(used);
        value
    }

    fn test(&mut self, expr: ExprId) -> Test<LocalId> {
        let test = self.context.lower_test(expr);
        let mut used = Vec::new();
        test.for_each_variable(&mut |it| used.push(it));
        self.define(used);
        test
    }

    fn guard(&mut self, condition: ExprId) -> Guard<LocalId> {
        let mut conjuncts = Vec::new();
        self.conjuncts(condition, &mut conjuncts);
        Guard { test: self.test(condition), conjuncts, is_loop_variant: self.is_loop_variant(condition) }
    }

    fn conjuncts(&mut self, condition: ExprId, out: &mut Vec<Conjunct<LocalId>>) {
        let is_uniform = self.uniformity.is_uniform(condition);
        let stripped = self.context.strip_coercions(condition);
        match self.context.expr(stripped).kind {
            ExprKind::ShortCircuit { left, right, is_or: false } if !is_uniform => {
                self.conjuncts(left, out);
                self.conjuncts(right, out);
            }
            _ => out.push(Conjunct { test: self.test(stripped), is_uniform }),
        }
    }

    /// Whether a condition may change between iterations of a loop.
    fn is_loop_variant(&self, condition: ExprId) -> bool {
        let mut found = false;
        self.context.body.walk(Node::Expr(condition), &mut |node| {
            let Node::Expr(expr) = node else { return true };
            found |= match &self.context.expr(expr).kind {
                ExprKind::Local(local) => !self.indices.contains(local) && self.context.inner.contains(local),
                ExprKind::Call { method, .. } => !self.context.semantics.is_pure(*method),
                _ => false,
            };
            !found
        });
        found
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
                let value = init.map_or(Expr::Unknown, |init| {
                    self.expr(init, out);
                    self.integer(init)
                });
                out.push(Stmt::Assign(*local, value));
            }
            StmtKind::While { condition, body, .. } => self.condition_loop(Some(*condition), &[], *body, out),
            StmtKind::DoWhile { condition, body, .. } => {
                self.stmt(*body, out);
                self.condition_loop(Some(*condition), &[], *body, out);
            }
            StmtKind::For { init, condition, update, body, .. } => {
                init.iter().for_each(|it| self.stmt(*it, out));
                self.condition_loop(*condition, update, *body, out);
            }
            StmtKind::ForIn { local, components, iterable, body, .. } => {
                self.expr(*iterable, out);
                let bounds = if components.is_empty() { self.bounds(*iterable) } else { None };
                let may_synchronise = self.context.may_synchronise(*body);
                let body = self.lowered(Node::Stmt(*body));
                out.push(Stmt::Range(RangeLoop { variable: *local, bounds, may_synchronise, body }));
            }
            StmtKind::Switch { value, cases, .. } => {
                self.expr(*value, out);
                let mut body = Vec::new();
                cases.iter().flat_map(|case| &case.1).for_each(|it| self.stmt(*it, &mut body));
                out.push(Stmt::Sometimes(body));
            }
            _ => self.children(Node::Stmt(stmt), out),
        }
    }

    fn condition_loop(
        &mut self,
        condition: Option<ExprId>,
        update: &[ExprId],
        body: StmtId,
        out: &mut Stmts,
    ) {
        let mut updates = Vec::new();
        update.iter().for_each(|it| self.expr(*it, &mut updates));
        let the_loop = WhileLoop {
            guard: condition.map(|it| self.guard(it)),
            condition: condition.map(|it| self.lowered(Node::Expr(it))).unwrap_or_default(),
            body: self.lowered(Node::Stmt(body)),
            update: updates,
        };
        out.push(Stmt::While(the_loop));
    }

    /// The ends of a range.
    fn bounds(&mut self, iterable: ExprId) -> Option<(Expr<LocalId>, Expr<LocalId>)> {
        let iterable = self.context.strip_coercions(iterable);
        let ExprKind::Call { receiver, args, .. } = &self.context.expr(iterable).kind else { return None };
        let ends: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        let [low, high] = ends[..] else { return None };
        Some((self.integer(low), self.integer(high)))
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
                let value = self.integer(*value);
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
        let kind = semantics.callee_kind(*method);
        let is_rail = |it: &ExprId| matches!(semantics.category(context.expr(*it).ty), TypeCategory::Rail(_));
        // Accesses by callees are not analysed.
        let may_access = || args.iter().any(is_rail) || functions::synchronizes(semantics.db, *method);
        let waits = matches!(kind, CalleeKind::Barrier | CalleeKind::Collective);
        if waits || kind == CalleeKind::Function && may_access() {
            return out.push(Stmt::Barrier);
        }
        let rail = receiver.and_then(|it| context.named_local(it)).filter(|it| self.shared.contains(it));
        let (Some(array), Some(index)) = (rail, args.first()) else { return };
        let is_write = match method.name(semantics.db).as_str() {
            "operator()" => false,
            "operator()=" => true,
            _ => return,
        };
        let index = self.integer(*index);
        out.push(Stmt::Access(Access { array, index, site: expr, is_write }));
    }
}
