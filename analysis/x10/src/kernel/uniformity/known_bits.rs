//! Known bits of integers: divisibility by 32, and sign.
//!
//!
//! Division rounds towards zero, so `i / 32n` is the index of a warp only if `i` counts from a non-negative
//! multiple of 32; `i >> 5n` is in any case.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::body::{AssignTarget, ExprId, ExprKind, Iteration, LocalId, StmtKind};
use crate::ids::MethodId;
use crate::kernel::context::KernelContext;
use crate::kernel::device_semantics::{CalleeKind, TypeCategory};
use crate::kernel::uniformity::divergence::{Cause, Divergence, WARP_SIZE};
use crate::ty::Ty;
use crate::ty::known::Known;

/// Integers of a body with known bits.
pub(in crate::kernel) struct KnownBits<'d, 'a> {
    context: &'d KernelContext<'a>,
    /// `val`s that are multiples of 32.
    warp_multiples: FxHashSet<LocalId>,
    /// Variables that are never negative, barring overflow.
    non_negative: FxHashSet<LocalId>,
}

/// The values assigned to each variable; `None` is a non-negative value.
type Definitions = FxHashMap<LocalId, Vec<Option<ExprId>>>;

impl<'d, 'a> KnownBits<'d, 'a> {
    /// `formals` are known to be non-negative.
    pub(crate) fn new(
        context: &'d KernelContext<'a>,
        formals: impl Iterator<Item = LocalId>,
    ) -> KnownBits<'d, 'a> {
        let mut definitions = definitions(context);
        for formal in formals {
            definitions.entry(formal).or_default().push(None);
        }
        for formal in &context.body.params {
            // A formal that is assigned has an unknown initial value.
            if definitions.get(formal).is_some_and(|it| !it.contains(&None)) {
                definitions.remove(formal);
            }
        }
        let non_negative = definitions.keys().copied().collect();
        let mut known_bits = KnownBits { context, warp_multiples: FxHashSet::default(), non_negative };
        // Greatest fixpoint: variables are assumed to be non-negative until a definition contradicts that.
        loop {
            let is_non_negative =
                |value: &Option<ExprId>| value.is_none_or(|it| known_bits.is_non_negative(it));
            let negative: Vec<LocalId> = known_bits
                .non_negative
                .iter()
                .copied()
                .filter(|local| !definitions.get(local).is_some_and(|all| all.iter().all(is_non_negative)))
                .collect();
            if negative.is_empty() {
                return known_bits;
            }
            for local in negative {
                known_bits.non_negative.remove(&local);
            }
        }
    }

    /// Records the value of a `val`.
    pub(crate) fn declare(&mut self, local: LocalId, init: ExprId) {
        if self.is_warp_multiple(init) {
            self.warp_multiples.insert(local);
        }
    }

    /// The divergence of a binary operation on a rank and a constant.
    pub(crate) fn apply_constant(
        &self,
        sign: &str,
        expr: ExprId,
        operands: &[Divergence],
        exprs: &[ExprId],
    ) -> Option<Divergence> {
        // In comparisons, all multiples of 32 behave alike.
        let multiple = |it: ExprId, of: &Divergence| {
            (["<", ">=", ">", "<="].contains(&sign)
                && *of == Divergence::Uniform
                && self.is_warp_multiple(it))
            .then_some(0)
        };
        let constants: Vec<Option<i64>> = exprs
            .iter()
            .zip(operands)
            .map(|(it, of)| self.context.constant(*it).or_else(|| multiple(*it, of)))
            .collect();
        match (operands, &constants[..]) {
            ([rank, _], [_, Some(by)]) => {
                let found = rank.apply_constant(sign, *by)?;
                let rounds_down = !["/", "%"].contains(&sign) || self.rounds_down(exprs[0]);
                Some(if rounds_down {
                    found
                } else {
                    Divergence::Divergent(Cause::Rounding(self.context.expr(expr).range))
                })
            }
            ([_, rank], [Some(by), _]) => {
                let turned = match sign {
                    "<" => ">",
                    ">" => "<",
                    "<=" => ">=",
                    ">=" => "<=",
                    "&" => "&",
                    _ => return None,
                };
                rank.apply_constant(turned, *by)
            }
            _ => None,
        }
    }

    /// Whether an operand pair is a rank and a uniform multiple of 32.
    pub(crate) fn has_warp_multiple(&self, operands: &[Divergence], exprs: &[ExprId]) -> bool {
        match (operands, exprs) {
            ([Divergence::Rank(..), Divergence::Uniform], [_, by])
            | ([Divergence::Uniform, Divergence::Rank(..)], [by, _]) => self.is_warp_multiple(*by),
            _ => false,
        }
    }

    /// Whether an integer is known to be a multiple of 32.
    fn is_warp_multiple(&self, expr: ExprId) -> bool {
        if let Some(value) = self.context.constant(expr) {
            return value % WARP_SIZE == 0;
        }
        match &self.context.expr(expr).kind {
            ExprKind::Local(local) => self.warp_multiples.contains(local),
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => {
                self.is_wide(self.context.expr(expr).ty) && self.is_warp_multiple(*value)
            }
            ExprKind::Call { .. } => match self.integer_operation(expr) {
                Some(("*", left, right)) => self.is_warp_multiple(left) || self.is_warp_multiple(right),
                Some(("+" | "-", left, right)) => self.is_warp_multiple(left) && self.is_warp_multiple(right),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether dividing the integer rounds down.
    fn rounds_down(&self, expr: ExprId) -> bool {
        self.primitive_type(expr).is_some_and(Known::is_unsigned) || self.is_non_negative(expr)
    }

    /// Whether an integer is known to be non-negative.
    pub(crate) fn is_non_negative(&self, expr: ExprId) -> bool {
        if let Some(value) = self.context.constant(expr) {
            return value >= 0;
        }
        match &self.context.expr(expr).kind {
            ExprKind::Local(local) => self.non_negative.contains(local),
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => {
                self.is_non_negative_conversion(expr, *value)
            }
            ExprKind::Let { result, .. } => self.is_non_negative(*result),
            ExprKind::Conditional { then, otherwise, .. } => {
                self.is_non_negative(*then) && self.is_non_negative(*otherwise)
            }
            ExprKind::Field { object, field } => {
                let shape = self.context.semantics.category(self.context.expr(*object).ty);
                matches!(
                    shape,
                    TypeCategory::Rail(_) | TypeCategory::GlobalRail(_) | TypeCategory::ConstantRail(_)
                ) && field.name(self.context.semantics.db) == "size"
            }
            ExprKind::Call { method, args, receiver, .. } => {
                if self.context.semantics.callee_kind(*method) == CalleeKind::ThreadIndex {
                    return true;
                }
                match self.integer_operation(expr) {
                    Some((sign, left, right)) => self.is_non_negative_operation(sign, left, right),
                    None => match (receiver, &args[..]) {
                        (None, [value]) | (Some(value), []) if self.is_conversion(*method) => {
                            self.is_non_negative_conversion(expr, *value)
                        }
                        _ => false,
                    },
                }
            }
            _ => false,
        }
    }

    fn is_non_negative_operation(&self, sign: &str, left: ExprId, right: ExprId) -> bool {
        let is = |it: ExprId| self.is_non_negative(it);
        match sign {
            "+" | "*" | "/" | "|" | "^" | "min" => is(left) && is(right),
            "&" | "max" => is(left) || is(right),
            "%" | ">>" | ">>>" => is(left),
            _ => false,
        }
    }

    /// Whether a number is non-negative after a conversion. Unsigned numbers can become negative only at the
    /// same size.
    fn is_non_negative_conversion(&self, to: ExprId, from: ExprId) -> bool {
        let (Some(new), Some(old)) = (self.primitive_type(to), self.primitive_type(from)) else {
            return false;
        };
        let is_wide = self.is_wide(self.context.expr(to).ty);
        new.is_integer()
            && old.is_integer()
            && (is_wide && self.is_non_negative(from) || old.is_unsigned() && new.size() > old.size())
    }

    fn is_conversion(&self, method: MethodId) -> bool {
        let name = method.name(self.context.semantics.db);
        let sign = name.strip_prefix("operator").map(str::trim);
        self.context.semantics.is_pure(method) && sign.is_some_and(|it| !["-", "~", "!"].contains(&it))
    }

    /// The operator and operands of a binary operation on integers, `max` and `min` of `Math` included.
    fn integer_operation(&self, expr: ExprId) -> Option<(&str, ExprId, ExprId)> {
        let ExprKind::Call { method, receiver, args, .. } = &self.context.expr(expr).kind else {
            return None;
        };
        let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        let [left, right] = operands[..] else { return None };
        let is_integer = |it: ExprId| self.primitive_type(it).is_some_and(Known::is_integer);
        if !is_integer(left) || !is_integer(right) {
            return None;
        }
        let name = method.name(self.context.semantics.db);
        let of_math =
            || self.context.semantics.is_class(method.class(self.context.semantics.db), "x10.lang.Math");
        match name.strip_prefix("operator") {
            Some(sign) => Some((sign.trim(), left, right)),
            None => of_math().then_some((name.as_str(), left, right)),
        }
    }

    /// The divergence after a conversion: narrow integers may wrap within a warp.
    pub(crate) fn converted(&self, value: Divergence, to: Ty) -> Divergence {
        match self.is_wide(to) {
            true => value,
            false => value.without_offset(),
        }
    }

    fn primitive_type(&self, expr: ExprId) -> Option<Known> {
        self.context.expr(expr).ty.primitive(self.context.semantics.db)
    }

    /// Whether a type is an integer type of at least 32 bits.
    fn is_wide(&self, ty: Ty) -> bool {
        let known = ty.primitive(self.context.semantics.db);
        known.is_some_and(|it| it.is_integer() && it.size().is_some_and(|size| size >= 4))
    }
}

/// All values assigned to the variables of a body; variables with unknown values are left out.
fn definitions(context: &KernelContext) -> Definitions {
    let mut found = Definitions::default();
    for stmt in &context.body.stmts {
        match &stmt.kind {
            StmtKind::Let { local, init: Some(init) } => found.entry(*local).or_default().push(Some(*init)),
            StmtKind::ForIn { local, components, iterable, iteration, .. } => {
                let is_range = matches!(iteration, Iteration::IntRange | Iteration::LongRange);
                let mut starts = Vec::new();
                if !is_range && components.is_empty() || !context.collect_range_starts(*iterable, &mut starts)
                {
                    continue;
                }
                let given = starts.into_iter().map(Some);
                for local in components.iter().chain(is_range.then_some(local)) {
                    found.entry(*local).or_default().extend(given.clone());
                }
            }
            _ => {}
        }
    }
    for expr in &context.body.exprs {
        if let ExprKind::Assign { target: AssignTarget::Local(local), value } = expr.kind {
            found.entry(local).or_default().push(Some(value));
        }
    }
    found
}
