//! `sum(0) += x` in all threads of a block: an element that all of them read, change and store.

use super::Axis;
use super::affine::Known;
use super::draft::Draft;
use super::facts::Shape;
use super::violation::Violation;
use crate::body::{ExprId, ExprKind, LocalId};
use crate::diagnostics::cuda;

impl Draft<'_> {
    /// Whether a block surely has more than one thread.
    pub(super) fn has_several_threads(&self, threads: &[Axis]) -> bool {
        threads.iter().any(|axis| self.constant(axis.last).is_some_and(|last| last > 0))
    }

    /// What is wrong where all threads execute this, if it stores into an element a sum, difference, product, minimum or maximum of that
    /// element and something else.
    pub(super) fn lost_update(&self, store: ExprId) -> Option<Violation> {
        let ExprKind::Call { method, receiver: Some(rail), args, .. } = &self.expr(store).kind else {
            return None;
        };
        let [index, value] = args[..] else { return None };
        if method.name(self.facts.db) != "operator()=" {
            return None;
        }
        // A store to a captured rail is an error of its own.
        let is_global = matches!(self.facts.shape(self.expr(*rail).ty), Shape::GlobalRail(_));
        let rail = self.named_local(*rail).filter(|it| is_global || self.inner.contains(it))?;
        let (function, parts) = self.change(value)?;
        if !parts.iter().any(|part| self.is_element(*part, rail, index)) {
            return None;
        }
        let name = &self.local(self.first_name(rail)).name;
        let message =
            format!("all threads of a block change the same element of `{name}`, so changes get lost");
        let violation = self.violation(&cuda::lost_update::RULE, self.expr(store).range, message).note(
            "threads read the element before others have stored theirs: only some of what they store stays",
        );
        let own = "each thread keep a value of its own, combine those by `CUDABlock`, and let one thread store the result";
        Some(violation.note(match function {
            Some(function) => format!("write `CUDAAtomic.{function}({name}, index, value)`; or let {own}"),
            None => format!("let {own}"),
        }))
    }

    /// A value that is computed from an old one: what of `CUDAAtomic` does the same, and of what.
    fn change(&self, value: ExprId) -> Option<(Option<&'static str>, Vec<ExprId>)> {
        let value = self.strip(value);
        let ExprKind::Call { method, receiver, args, .. } = &self.expr(value).kind else { return None };
        let parts: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        let is_number = self.expr(value).ty.primitive(self.facts.db).is_some();
        if parts.len() != 2 || !is_number || !self.facts.is_pure(*method) {
            return None;
        }
        let function = match method.name(self.facts.db).as_str() {
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

    /// Whether an expression reads that element.
    fn is_element(&self, expr: ExprId, rail: LocalId, index: ExprId) -> bool {
        let ExprKind::Call { method, receiver: Some(of), args, .. } = &self.expr(self.strip(expr)).kind
        else {
            return false;
        };
        let [at] = args[..] else { return false };
        if method.name(self.facts.db) != "operator()" || self.named_local(*of) != Some(rail) {
            return false;
        }
        let values = rustc_hash::FxHashMap::default();
        let known = Known { is_known: &|local| !self.local(local).mutable, values: &values };
        self.affine(at, &known).is_some_and(|at| Some(at) == self.affine(index, &known))
    }

    /// The variable that a temporary stands for.
    fn first_name(&self, local: LocalId) -> LocalId {
        let named = self.initialiser(local).filter(|_| self.named(local).is_none());
        match named.map(|it| &self.expr(self.strip(it)).kind) {
            Some(ExprKind::Local(other)) => *other,
            _ => local,
        }
    }
}
