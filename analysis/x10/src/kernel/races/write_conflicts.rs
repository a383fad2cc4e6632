//! Write-write conflicts: elements that several threads store to, as in lost updates (`sum(0) += x` in all
//! threads) and overlapping blocks.

use apg_kernels::Uniformity;
use apg_kernels::write_conflict::{OverlappingStore, find_overlapping_stores};
use apg_syntax::TextRange;

use crate::body::{ExprId, ExprKind, LocalId};
use crate::kernel::Axis;
use crate::kernel::context::KernelContext;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, text};
use crate::kernel::lower_expression::{Affine, SymbolContext};
use crate::kernel::lower_kernel::ThreadModel;
use crate::rules::cuda::lost_update::LostUpdate;
use crate::rules::cuda::overlapping_blocks::OverlappingBlocks;

impl KernelContext<'_> {
    /// Reports elements that several threads store to.
    pub(in crate::kernel) fn report_write_conflicts(
        &self,
        model: &ThreadModel,
        uniformity: &Uniformity<'_, LocalId, ExprId>,
        threads: &[Axis],
    ) {
        uniformity.lost_updates.iter().for_each(|it| self.report_lost_update(*it));
        for store in find_overlapping_stores(model) {
            // Of a store to one element in all threads only that is said.
            let [thread] = threads else { continue };
            if !uniformity.lost_updates.contains(&store.site) {
                self.report_overlapping_store(&store, thread);
            }
        }
    }

    /// Reports `rail(block * 64n + thread)` in blocks of 65 threads.
    fn report_overlapping_store(&self, store: &OverlappingStore<LocalId, ExprId>, thread: &Axis) {
        let (rail, last) = (self.user_variable(store.array), store.last);
        let data = OverlappingBlocks { rail, last, last_range: self.expr(thread.last).range };
        let violation = self.violation(self.expr(store.site).range, data);
        self.report(violation.fix(self.decrement_fix(thread.last, last)));
    }

    /// Reports a store by all threads of a block to one element, of a sum, difference, product, minimum or
    /// maximum of its old value.
    fn report_lost_update(&self, store: ExprId) {
        let Some((rail, index, value)) = self.element_store(store) else { return };
        let Some((function, _)) = self.atomic_operation(value) else { return };
        let data = LostUpdate { rail: self.user_variable(rail), function };
        let atomic = self.atomic_update_fix(store, (rail, index, value), function);
        self.report(self.violation(self.expr(store).range, data).fix(atomic));
    }

    /// Whether a store writes a sum, difference, product, minimum or maximum of the old value of its element.
    pub(in crate::kernel) fn is_update(&self, store: ExprId) -> bool {
        let operation = |(rail, index, value)| Some((rail, index, self.atomic_operation(value)?.1));
        let found = self.element_store(store).and_then(operation);
        found.is_some_and(|(rail, index, parts)| parts.iter().any(|it| self.is_element(*it, rail, index)))
    }

    /// The rail, index and value of a store.
    fn element_store(&self, store: ExprId) -> Option<(LocalId, ExprId, ExprId)> {
        let ExprKind::Call { receiver: Some(rail), args, .. } = &self.expr(store).kind else { return None };
        let [index, value] = args[..] else { return None };
        Some((self.named_local(*rail)?, index, value))
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

    fn affine_of(&self, expr: ExprId, is_symbol: &dyn Fn(LocalId) -> bool) -> Option<Affine> {
        let values = rustc_hash::FxHashMap::default();
        self.affine(expr, &SymbolContext { is_symbol, is_non_negative: &|_| false, values: &values })
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
