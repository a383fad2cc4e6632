//! Values that calls of slots name: expressions of the body, and values that a called function computes
//! from its parameters.

use std::sync::Arc;

use apg_kernels::Values;
use apg_kernels::index::{evaluate, replace};

use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId};
use crate::kernel::lower_expression::{Affine, SymbolContext};

use super::SlotAnalysis;
use super::origin::SlotOrigin;

/// A value that a call names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    /// An expression of the body.
    Expr(ExprId),
    /// A value of a function that the body calls.
    OfCallee { value: ParameterValue, arguments: Arguments },
}

/// The arguments of a call, each with the parameter that it is passed to.
pub(super) type Arguments = Arc<[(LocalId, ExprId)]>;

/// What a function computes from its parameters, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ParameterValue {
    /// The form of an integer.
    pub form: Option<Affine>,
    /// The parameter that it is.
    pub parameter: Option<LocalId>,
    /// Parameters that it is computed from.
    pub sources: Vec<LocalId>,
    /// Whether it is the rank of the slot that makes the call.
    pub is_own_rank: bool,
}

/// The slot whose rank a value is.
pub(super) enum RankOf {
    /// The slot that makes the call.
    Caller,
    /// A slot of the body.
    Slot(SlotOrigin),
}

impl SlotAnalysis<'_> {
    /// The value of an integer where some variables have known values. `symbol` is the value of other
    /// variables that are assigned once outside of the code in question.
    pub(super) fn value_in(
        &self,
        operand: &Operand,
        known: &[(LocalId, i64)],
        symbol: &dyn Fn(LocalId) -> Option<i64>,
    ) -> Option<i64> {
        match operand {
            Operand::Expr(expr) => self.expr_value_in(*expr, known, symbol),
            Operand::OfCallee { value, arguments } => evaluate(value.form.as_ref()?, &|parameter| {
                self.expr_value_in(argument(arguments, parameter)?, known, symbol)
            }),
        }
    }

    /// [`SlotAnalysis::value_in`] for an expression of the body.
    pub(super) fn expr_value_in(
        &self,
        expr: ExprId,
        known: &[(LocalId, i64)],
        symbol: &dyn Fn(LocalId) -> Option<i64>,
    ) -> Option<i64> {
        let value_of =
            |local: LocalId| known.iter().find(|it| it.0 == local).map(|it| it.1).or_else(|| symbol(local));
        evaluate(&self.form(expr, &|local| value_of(local).is_some())?, &value_of)
    }

    /// The form of an integer expression over some variables.
    pub(super) fn form(&self, expr: ExprId, is_symbol: &dyn Fn(LocalId) -> bool) -> Option<Affine> {
        let values = Values::default();
        self.context.affine(expr, &SymbolContext { is_symbol, is_non_negative: &|_| false, values: &values })
    }

    /// The value that literals determine.
    pub(super) fn constant(&self, operand: &Operand) -> Option<i64> {
        self.value_in(operand, &[], &|_| None)
    }

    /// The variable that a value is, resolved through others that are assigned once.
    pub(super) fn named_local(&self, operand: &Operand) -> Option<LocalId> {
        match operand {
            Operand::Expr(expr) => self.context.named_local(*expr),
            Operand::OfCallee { value, arguments } => {
                self.context.named_local(argument(arguments, value.parameter?)?)
            }
        }
    }

    /// The slot whose rank a value is, if it is one.
    pub(super) fn rank_of(&self, operand: &Operand) -> Option<RankOf> {
        match operand {
            Operand::Expr(expr) => match &self.context.expr(self.context.strip_coercions(*expr)).kind {
                ExprKind::Field { object, field } if field.name(self.context.semantics.db) == "rank" => {
                    Some(RankOf::Slot(self.slot_origin(*object)))
                }
                _ => None,
            },
            Operand::OfCallee { value, .. } if value.is_own_rank => Some(RankOf::Caller),
            Operand::OfCallee { value, arguments } => {
                self.rank_of(&Operand::Expr(argument(arguments, value.parameter?)?))
            }
        }
    }

    /// The variables among some that an expression is computed from, through the definitions of others.
    pub(super) fn sources(&self, node: Node, wanted: &dyn Fn(LocalId) -> bool) -> Vec<LocalId> {
        let (mut found, mut seen, mut open) = (Vec::new(), Vec::new(), vec![node]);
        while let Some(node) = open.pop() {
            self.context.body.walk(node, &mut |node| {
                if let Node::Expr(expr) = node
                    && let ExprKind::Local(local) = self.context.expr(expr).kind
                    && !seen.contains(&local)
                {
                    seen.push(local);
                    found.extend(Some(local).filter(|it| wanted(*it)));
                    open.extend(self.context.initialiser(local).map(Node::Expr));
                }
                true
            });
        }
        found
    }

    /// [`SlotAnalysis::sources`] of some expressions, each once.
    pub(super) fn sources_of(
        &self,
        exprs: impl Iterator<Item = ExprId>,
        wanted: &dyn Fn(LocalId) -> bool,
    ) -> Vec<LocalId> {
        let mut found: Vec<_> = exprs.flat_map(|it| self.sources(Node::Expr(it), wanted)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A value in terms of the parameters of the function whose body this is; `slot` makes the call.
    pub(super) fn parameter_value(&self, operand: &Operand, slot: Option<&SlotOrigin>) -> ParameterValue {
        let is_parameter = |local: LocalId| self.is_parameter(local);
        let (form, sources) = match operand {
            Operand::Expr(expr) => {
                (self.form(*expr, &is_parameter), self.sources(Node::Expr(*expr), &is_parameter))
            }
            Operand::OfCallee { value, arguments } => {
                let of = |it| argument(arguments, it);
                let form = value.form.as_ref();
                let form = form.and_then(|it| replace(it, &|it| self.form(of(it)?, &is_parameter)));
                (form, self.sources_of(value.sources.iter().filter_map(|it| of(*it)), &is_parameter))
            }
        };
        let is_own_rank = match self.rank_of(operand) {
            Some(RankOf::Caller) => true,
            Some(RankOf::Slot(of)) => slot.is_some_and(|it| self.is_same_slot(it, &of)),
            None => false,
        };
        let parameter = self.named_local(operand).filter(|it| is_parameter(*it));
        ParameterValue { form, parameter, sources, is_own_rank }
    }

    /// Whether a variable is a parameter, with the value that it was called with.
    pub(super) fn is_parameter(&self, local: LocalId) -> bool {
        self.context.body.params.contains(&local) && !self.context.local(local).mutable
    }

    /// Whether two slots are one for certain, for all values of the parameters.
    fn is_same_slot(&self, one: &SlotOrigin, other: &SlotOrigin) -> bool {
        let form = |slot: &SlotOrigin| match slot.index.as_ref()? {
            Operand::Expr(expr) => self.form(*expr, &|it| self.is_parameter(it)),
            Operand::OfCallee { .. } => None,
        };
        let is_same_variable = one.variables.last().is_some_and(|it| other.variables.last() == Some(it));
        let is_same_element = one.slots.variable.is_some()
            && one.slots.variable == other.slots.variable
            && form(one).is_some_and(|it| form(other) == Some(it));
        is_same_variable || is_same_element
    }
}

/// The argument for a parameter.
pub(super) fn argument(arguments: &Arguments, parameter: LocalId) -> Option<ExprId> {
    arguments.iter().find(|it| it.0 == parameter).map(|it| it.1)
}
