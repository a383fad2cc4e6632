//! Write-write conflicts: elements that several threads store to, as in lost updates (`sum(0) += x` in all
//! threads) and overlapping blocks.

use apg_kernels::iteration;
use apg_syntax::TextRange;

use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, StmtKind};
use crate::kernel::Axis;
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::TypeCategory;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, text};
use crate::kernel::lower_expression::{Affine, SymbolContext};
use crate::kernel::violation::Violation;
use crate::rules::cuda;

impl KernelContext<'_> {
    /// The violation of a store to `rail(block * 64n + thread)` in blocks of 65 threads: the last thread of a
    /// block and the first of the next one store to the same element.
    pub(in crate::kernel) fn overlapping_store(
        &self,
        store: ExprId,
        blocks: &[Axis],
        threads: &[Axis],
    ) -> Option<Violation> {
        let ExprKind::Call { method, receiver: Some(rail), args, .. } = &self.expr(store).kind else {
            return None;
        };
        let is_global = matches!(self.semantics.category(self.expr(*rail).ty), TypeCategory::GlobalRail(_));
        let ([block], [thread]) = (blocks, threads) else { return None };
        let (block_index, thread_index) = (block.local?, thread.local?);
        let last = self.constant(thread.last).filter(|last| *last > 1)?;
        if !is_global
            || method.name(self.semantics.db) != "operator()="
            || self.constant(block.last) == Some(0)
        {
            return None;
        }
        let is_index = |local| local == block_index || local == thread_index;
        let index = self.affine_of(*args.first()?, &is_index)?;
        if !iteration::overlaps_next_block(&index, block_index, thread_index, last)
            || !self.is_decided_by_index(store, &index, &is_index)
        {
            return None;
        }
        let rail = self.user_variable(self.named_local(*rail)?);
        let last_range = self.expr(thread.last).range;
        let data = cuda::overlapping_blocks::OverlappingBlocks { rail, last, last_range };
        Some(self.violation(self.expr(store).range, data).fix(self.decrement_fix(thread.last, last)))
    }

    /// A fix that writes `63n` for `64n`, and `(n - 1n)` for a named constant.
    fn decrement_fix(&self, number: ExprId, value: i64) -> FixTemplate {
        let (range, less) = (self.expr(number).range, value - 1);
        if matches!(self.expr(self.strip_coercions(number)).kind, ExprKind::Literal(_)) {
            return FixTemplate::replace(format!("Write `{less}n`"), range, format!("{less}n"));
        }
        let edit = |at, piece: &str| EditTemplate { range: TextRange::empty(at), text: vec![text(piece)] };
        let edits = vec![edit(range.start(), "("), edit(range.end(), " - 1n)")];
        FixTemplate::edits(vec![text("Count to one less")], edits)
    }

    /// Whether a store is executed by all threads with the same index or by none: its conditions depend on
    /// the index alone.
    fn is_decided_by_index(&self, store: ExprId, index: &Affine, is_index: &dyn Fn(LocalId) -> bool) -> bool {
        let mut node = Node::Expr(store);
        while let Some(around) = self.parents.parent(node) {
            let stmt = match around {
                Node::Stmt(stmt) => stmt,
                Node::Expr(expr) if matches!(self.expr(expr).kind, ExprKind::Let { .. }) => {
                    node = around;
                    continue;
                }
                Node::Expr(_) => return false,
            };
            match &self.stmt(stmt).kind {
                StmtKind::Async { .. } => return true,
                StmtKind::Block(_) | StmtKind::Expr(_) => {}
                StmtKind::If { condition, then, .. } if node == Node::Stmt(*then) => {
                    let sides = match self.binary_operator(self.strip_coercions(*condition)) {
                        Some(("<" | "<=" | ">" | ">=", left, right)) => [left, right],
                        _ => return false,
                    };
                    let is_own = |side: ExprId| {
                        self.affine_of(side, is_index).is_some_and(|it| it.terms().eq(index.terms()))
                    };
                    let is_same = |side: ExprId| !self.uses_inner(side);
                    if !(is_own(sides[0]) && is_same(sides[1]) || is_same(sides[0]) && is_own(sides[1])) {
                        return false;
                    }
                }
                _ => return false,
            }
            node = around;
        }
        false
    }

    fn affine_of(&self, expr: ExprId, is_symbol: &dyn Fn(LocalId) -> bool) -> Option<Affine> {
        let values = rustc_hash::FxHashMap::default();
        self.affine(expr, &SymbolContext { is_symbol, is_non_negative: &|_| false, values: &values })
    }

    /// Whether a block certainly has more than one thread.
    pub(in crate::kernel) fn has_several_threads(&self, threads: &[Axis]) -> bool {
        threads.iter().any(|axis| self.constant(axis.last).is_some_and(|last| last > 0))
    }

    /// The violation of a statement that all threads execute, if it stores to an element a sum, difference,
    /// product, minimum or maximum of its old value.
    pub(in crate::kernel) fn lost_update(&self, store: ExprId) -> Option<Violation> {
        let ExprKind::Call { method, receiver: Some(rail), args, .. } = &self.expr(store).kind else {
            return None;
        };
        let [index, value] = args[..] else { return None };
        if method.name(self.semantics.db) != "operator()=" {
            return None;
        }
        // A store to a captured rail is reported separately.
        let is_global = matches!(self.semantics.category(self.expr(*rail).ty), TypeCategory::GlobalRail(_));
        let rail = self.named_local(*rail).filter(|it| is_global || self.inner.contains(it))?;
        let (function, parts) = self.atomic_operation(value)?;
        if !parts.iter().any(|part| self.is_element(*part, rail, index)) {
            return None;
        }
        let data = cuda::lost_update::LostUpdate { rail: self.user_variable(rail), function };
        let atomic = self.atomic_update_fix(store, (rail, index, value), function);
        Some(self.violation(self.expr(store).range, data).fix(atomic))
    }

    /// The operation of `CUDAAtomic` for a value computed from an old one, and its operands.
    fn atomic_operation(&self, value: ExprId) -> Option<(Option<&'static str>, Vec<ExprId>)> {
        let value = self.strip_coercions(value);
        let ExprKind::Call { method, receiver, args, .. } = &self.expr(value).kind else { return None };
        let parts: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        let is_number = self.expr(value).ty.primitive(self.semantics.db).is_some();
        if parts.len() != 2 || !is_number || !self.semantics.is_pure(*method) {
            return None;
        }
        let function = match method.name(self.semantics.db).as_str() {
            "min" => Some("min"),
            "max" => Some("max"),
            name => match name.strip_prefix("operator")?.trim() {
                "+" | "-" => Some("add"),
                "*" => None,
                _ => return None,
            },
        };
        Some((function, parts))
    }

    /// Whether an expression reads the element.
    pub(crate) fn is_element(&self, expr: ExprId, rail: LocalId, index: ExprId) -> bool {
        let ExprKind::Call { method, receiver: Some(of), args, .. } =
            &self.expr(self.strip_coercions(expr)).kind
        else {
            return false;
        };
        let [at] = args[..] else { return false };
        if method.name(self.semantics.db) != "operator()" || self.named_local(*of) != Some(rail) {
            return false;
        }
        let is_fixed = |local: LocalId| !self.local(local).mutable;
        self.affine_of(at, &is_fixed).is_some_and(|at| Some(at) == self.affine_of(index, &is_fixed))
    }

    /// The variable that a temporary stands for.
    pub(crate) fn user_variable(&self, local: LocalId) -> LocalId {
        let named = self.initialiser(local).filter(|_| self.user_named(local).is_none());
        match named.map(|it| &self.expr(self.strip_coercions(it)).kind) {
            Some(ExprKind::Local(other)) => *other,
            _ => local,
        }
    }
}
