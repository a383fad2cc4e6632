//! Affine forms of integer expressions, `16n * y + x + 1n` (Feautrier 1991; Dragon Book, 11.3), extended by
//! non-affine terms.
//!
//! A non-affine operation (`(x + 1n) % 64n`, `x ^ k`, `c ? a : b`) is a term of its own, which can be
//! evaluated for given values of its variables.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::body::{ExprId, ExprKind, Literal, LocalId};
use crate::kernel::context::KernelContext;

/// Maximum number of nodes visited for one index, including those of `val`s it refers to.
const MAX_VISITED: u32 = 200;

/// A linear combination of terms with non-zero coefficients, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Affine {
    /// Terms and their coefficients: variables in order of their numbers, then non-affine terms.
    pub terms: Vec<(Term, i64)>,
    /// The constant term.
    pub constant: i64,
}

/// A term that has a coefficient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    /// A variable.
    Local(LocalId),
    /// A non-affine value.
    Operation(Rc<Operation>),
}

/// A non-affine operation on affine forms.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Binary(BinaryOp, Affine, Affine),
    Select(Condition, Affine, Affine),
}

/// A binary operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    UnsignedShiftRight,
    Min,
    Max,
}

/// A condition on symbolic integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Less(Affine, Affine),
    Equal(Affine, Affine),
    All(Vec<Condition>),
    Not(Box<Condition>),
    Literal(bool),
}

impl Affine {
    pub(crate) fn from_constant(constant: i64) -> Affine {
        Affine { terms: Vec::new(), constant }
    }

    pub(crate) fn variable(local: LocalId) -> Affine {
        Affine { terms: vec![(Term::Local(local), 1)], constant: 0 }
    }

    /// The value, if there are no terms.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The coefficient of a variable.
    pub(crate) fn coefficient(&self, local: LocalId) -> i64 {
        self.term_coefficient(&Term::Local(local))
    }

    /// The coefficient of a term.
    pub(crate) fn term_coefficient(&self, term: &Term) -> i64 {
        self.terms.iter().find(|it| it.0 == *term).map_or(0, |it| it.1)
    }

    /// `self + factor * other`; `None` on overflow.
    pub(crate) fn add_scaled(&self, factor: i64, other: &Affine) -> Option<Affine> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (term, count) in &other.terms {
            let more = count.checked_mul(factor)?;
            match sum.terms.iter_mut().find(|it| it.0 == *term) {
                Some(it) => it.1 = it.1.checked_add(more)?,
                None => sum.terms.push((term.clone(), more)),
            }
        }
        sum.terms.retain(|term| term.1 != 0);
        sum.terms.sort_by_key(|term| match term.0 {
            Term::Local(local) => (0, local.0),
            Term::Operation(_) => (1, 0),
        });
        Some(sum)
    }

    /// Calls `visit` for all variables, including those of non-affine terms.
    pub(crate) fn for_each_variable(&self, visit: &mut dyn FnMut(LocalId)) {
        self.terms.iter().for_each(|it| it.0.for_each_variable(visit));
    }

    /// Whether a variable occurs.
    pub(crate) fn mentions(&self, local: LocalId) -> bool {
        let mut found = false;
        self.for_each_variable(&mut |it| found |= it == local);
        found
    }

    /// The largest magnitude of any constant or coefficient.
    pub(crate) fn max_magnitude(&self) -> u64 {
        let of_term = |(term, factor): &(Term, i64)| match term {
            Term::Local(_) => factor.unsigned_abs(),
            Term::Operation(it) => factor.unsigned_abs().max(it.max_magnitude()),
        };
        self.terms.iter().map(of_term).max().unwrap_or(0).max(self.constant.unsigned_abs())
    }

    /// The value for given values of the variables; `None` if one is unknown or a non-affine operation
    /// overflows 32 bits.
    pub(crate) fn evaluate(&self, value_of: &dyn Fn(LocalId) -> Option<i64>) -> Option<i64> {
        self.terms.iter().try_fold(self.constant, |sum, (term, factor)| {
            let value = match term {
                Term::Local(local) => value_of(*local)?,
                Term::Operation(it) => it.evaluate(value_of)?,
            };
            sum.checked_add(value.checked_mul(*factor)?)
        })
    }

    /// A binary operation, kept affine where possible.
    fn binary(
        op: BinaryOp,
        left: Affine,
        right: Affine,
        is_non_negative: &dyn Fn(LocalId) -> bool,
    ) -> Option<Affine> {
        if let (Some(a), Some(b)) = (left.as_constant(), right.as_constant()) {
            return op.apply(a, b).map(Affine::from_constant);
        }
        match (op, left.as_constant(), right.as_constant()) {
            (BinaryOp::Multiply, Some(factor), _) => return Affine::default().add_scaled(factor, &right),
            (BinaryOp::Multiply, _, Some(factor)) => return Affine::default().add_scaled(factor, &left),
            (BinaryOp::ShiftLeft, _, Some(by @ 0..=30)) => {
                return Affine::default().add_scaled(1 << by, &left);
            }
            _ => {}
        }
        let left = match (op, right.as_constant()) {
            (BinaryOp::Remainder, Some(modulus)) if left.is_non_negative(is_non_negative) => {
                left.modulo(modulus)
            }
            (BinaryOp::And, Some(mask)) if mask > 0 && (mask as u64 + 1).is_power_of_two() => {
                left.modulo(mask + 1)
            }
            _ => left,
        };
        if let (Some(a), Some(b)) = (left.as_constant(), right.as_constant()) {
            return op.apply(a, b).map(Affine::from_constant);
        }
        Some(Affine::operation(Operation::Binary(op, left, right)))
    }

    fn operation(operation: Operation) -> Affine {
        Affine { terms: vec![(Term::Operation(Rc::new(operation)), 1)], constant: 0 }
    }

    /// Whether the value is known to be non-negative.
    fn is_non_negative(&self, is_non_negative: &dyn Fn(LocalId) -> bool) -> bool {
        self.constant >= 0
            && self.terms.iter().all(|(term, factor)| {
                *factor >= 0 && matches!(term, Term::Local(local) if is_non_negative(*local))
            })
    }

    /// Drops terms that are multiples of the modulus.
    fn modulo(mut self, modulus: i64) -> Affine {
        if modulus > 0 {
            self.terms.retain(|it| it.1 % modulus != 0);
        }
        self
    }
}

impl Term {
    /// Calls `visit` for all variables.
    pub(crate) fn for_each_variable(&self, visit: &mut dyn FnMut(LocalId)) {
        match self {
            Term::Local(local) => visit(*local),
            Term::Operation(it) => match &**it {
                Operation::Binary(_, left, right) => {
                    [left, right].into_iter().for_each(|it| it.for_each_variable(visit))
                }
                Operation::Select(condition, then, otherwise) => {
                    condition.for_each_variable(visit);
                    [then, otherwise].into_iter().for_each(|it| it.for_each_variable(visit));
                }
            },
        }
    }
}

impl Operation {
    fn evaluate(&self, value_of: &dyn Fn(LocalId) -> Option<i64>) -> Option<i64> {
        match self {
            Operation::Binary(op, left, right) => {
                op.apply(left.evaluate(value_of)?, right.evaluate(value_of)?)
            }
            Operation::Select(condition, then, otherwise) => match condition.evaluate(value_of)? {
                true => then.evaluate(value_of),
                false => otherwise.evaluate(value_of),
            },
        }
    }

    fn max_magnitude(&self) -> u64 {
        match self {
            Operation::Binary(_, a, b) => a.max_magnitude().max(b.max_magnitude()),
            Operation::Select(condition, a, b) => {
                condition.max_magnitude().max(a.max_magnitude()).max(b.max_magnitude())
            }
        }
    }
}

impl BinaryOp {
    fn from_operator(op: &str) -> Option<BinaryOp> {
        Some(match op {
            "*" => BinaryOp::Multiply,
            "/" => BinaryOp::Divide,
            "%" => BinaryOp::Remainder,
            "&" => BinaryOp::And,
            "|" => BinaryOp::Or,
            "^" => BinaryOp::Xor,
            "<<" => BinaryOp::ShiftLeft,
            ">>" => BinaryOp::ShiftRight,
            ">>>" => BinaryOp::UnsignedShiftRight,
            _ => return None,
        })
    }

    /// Constant folding; `None` unless the result is the same for all integer types of at least 32 bits.
    fn apply(self, left: i64, right: i64) -> Option<i64> {
        let fits = |it: &i64| i32::try_from(*it).is_ok();
        if !fits(&left) || !fits(&right) {
            return None;
        }
        let shift = || (0..32).contains(&right);
        let result = match self {
            BinaryOp::Multiply => left.checked_mul(right),
            BinaryOp::Divide => left.checked_div(right),
            BinaryOp::Remainder => left.checked_rem(right),
            BinaryOp::And => Some(left & right),
            BinaryOp::Or => Some(left | right),
            BinaryOp::Xor => Some(left ^ right),
            BinaryOp::ShiftLeft => (left >= 0 && shift()).then(|| left << right),
            BinaryOp::ShiftRight => shift().then(|| left >> right),
            BinaryOp::UnsignedShiftRight => (left >= 0 && shift()).then(|| left >> right),
            BinaryOp::Min => Some(left.min(right)),
            BinaryOp::Max => Some(left.max(right)),
        };
        result.filter(fits)
    }
}

impl Condition {
    pub(crate) fn negated(self) -> Condition {
        match self {
            Condition::Not(it) => *it,
            it => Condition::Not(Box::new(it)),
        }
    }

    fn any_of(conditions: Vec<Condition>) -> Condition {
        Condition::All(conditions.into_iter().map(Condition::negated).collect()).negated()
    }

    /// The truth value, if the known variables decide it.
    pub(crate) fn evaluate(&self, value_of: &dyn Fn(LocalId) -> Option<i64>) -> Option<bool> {
        match self {
            Condition::Less(left, right) => Some(left.evaluate(value_of)? < right.evaluate(value_of)?),
            Condition::Equal(left, right) => Some(left.evaluate(value_of)? == right.evaluate(value_of)?),
            Condition::All(all) => {
                let mut is_symbol = true;
                for condition in all {
                    match condition.evaluate(value_of) {
                        Some(true) => {}
                        Some(false) => return Some(false),
                        None => is_symbol = false,
                    }
                }
                is_symbol.then_some(true)
            }
            Condition::Not(it) => it.evaluate(value_of).map(|it| !it),
            Condition::Literal(value) => Some(*value),
        }
    }

    /// Calls `visit` for all variables.
    pub(crate) fn for_each_variable(&self, visit: &mut dyn FnMut(LocalId)) {
        match self {
            Condition::Less(left, right) | Condition::Equal(left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
            Condition::All(all) => all.iter().for_each(|it| it.for_each_variable(visit)),
            Condition::Not(it) => it.for_each_variable(visit),
            Condition::Literal(_) => {}
        }
    }

    /// The largest magnitude of any constant.
    pub(crate) fn max_magnitude(&self) -> u64 {
        match self {
            Condition::Less(a, b) | Condition::Equal(a, b) => a.max_magnitude().max(b.max_magnitude()),
            Condition::All(all) => all.iter().map(Condition::max_magnitude).max().unwrap_or(0),
            Condition::Not(it) => it.max_magnitude(),
            Condition::Literal(_) => 0,
        }
    }
}

/// The variables that affine forms may contain at a point of the code.
pub(crate) struct SymbolContext<'f> {
    /// Whether a variable may be a symbol of the form.
    pub is_symbol: &'f dyn Fn(LocalId) -> bool,
    /// Whether a symbol is never negative.
    pub is_non_negative: &'f dyn Fn(LocalId) -> bool,
    /// Known values of variables at this point.
    pub values: &'f FxHashMap<LocalId, Affine>,
}

impl KernelContext<'_> {
    /// The affine form of an integer expression over the known symbols. `val`s that are no symbols are
    /// expanded.
    pub(crate) fn affine(&self, expr: ExprId, known: &SymbolContext) -> Option<Affine> {
        AffineReader { context: self, known, fuel: Cell::new(MAX_VISITED) }.integer(expr, known.values)
    }

    /// The symbolic form of a Boolean expression.
    pub(super) fn condition(&self, expr: ExprId, known: &SymbolContext) -> Option<Condition> {
        AffineReader { context: self, known, fuel: Cell::new(MAX_VISITED) }.condition(expr, known.values)
    }
}

/// Translates expressions into affine forms and conditions.
struct AffineReader<'r, 'd, 'a> {
    context: &'d KernelContext<'a>,
    known: &'r SymbolContext<'r>,
    /// Number of nodes that may still be visited.
    fuel: Cell<u32>,
}

/// Values of variables at a point of the code.
type Values = FxHashMap<LocalId, Affine>;

impl AffineReader<'_, '_, '_> {
    fn integer(&self, expr: ExprId, values: &Values) -> Option<Affine> {
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        let context = self.context;
        let of = |expr: ExprId| self.integer(expr, values);
        match &context.expr(expr).kind {
            ExprKind::Literal(Literal::Int(value)) => Some(Affine::from_constant(*value)),
            ExprKind::Local(local) => self.local(expr, *local, values),
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => self.converted(expr, of(*value)?),
            ExprKind::Let { result, .. } => of(*result),
            ExprKind::StaticField(_) => context.constant(expr).map(Affine::from_constant),
            ExprKind::Conditional { condition, then, otherwise } => {
                let condition = self.condition(*condition, values)?;
                match condition.evaluate(&|_| None) {
                    Some(true) => of(*then),
                    Some(false) => of(*otherwise),
                    None => {
                        Some(Affine::operation(Operation::Select(condition, of(*then)?, of(*otherwise)?)))
                    }
                }
            }
            ExprKind::Call { .. } => self.call(expr, values),
            _ => None,
        }
    }

    fn local(&self, expr: ExprId, local: LocalId, values: &Values) -> Option<Affine> {
        if let Some(value) = values.get(&local) {
            return Some(value.clone());
        }
        if (self.known.is_symbol)(local) {
            return Some(match self.context.constant(expr) {
                Some(constant) => Affine::from_constant(constant),
                None => Affine::variable(local),
            });
        }
        if self.context.local(local).mutable {
            return None;
        }
        // Variables may have had other values at the initialiser.
        self.integer(self.context.initialiser(local)?, &Values::default())
    }

    fn call(&self, expr: ExprId, values: &Values) -> Option<Affine> {
        let semantics = self.context.semantics;
        let ExprKind::Call { method, receiver, args, .. } = &self.context.expr(expr).kind else {
            return None;
        };
        let operands = || -> Option<Vec<Affine>> {
            receiver.iter().chain(args).map(|it| self.integer(*it, values)).collect()
        };
        let name = method.name(semantics.db);
        if semantics.is_class(method.class(semantics.db), "x10.lang.Math") {
            let op = match name.as_str() {
                "min" => BinaryOp::Min,
                "max" => BinaryOp::Max,
                _ => return None,
            };
            let [a, b] = <[Affine; 2]>::try_from(operands()?).ok()?;
            return Affine::binary(op, a, b, self.known.is_non_negative);
        }
        let op = name.strip_prefix("operator").filter(|_| semantics.is_pure(*method))?.trim();
        let ty = self.context.expr(expr).ty.primitive(semantics.db)?;
        let operands = operands()?;
        match (op, &operands[..]) {
            ("+", [a, b]) => a.add_scaled(1, b),
            ("-" | "~", _) if ty.is_unsigned() => None,
            ("-", [a, b]) => a.add_scaled(-1, b),
            ("-", [a]) => Affine::default().add_scaled(-1, a),
            ("~", [a]) => Affine::from_constant(-1).add_scaled(-1, a),
            (op, [a, b]) => {
                Affine::binary(BinaryOp::from_operator(op)?, a.clone(), b.clone(), self.known.is_non_negative)
            }
            ("!", _) => None,
            // Conversions between integer types, and `+a`.
            (_, [a]) => self.converted(expr, a.clone()),
            _ => None,
        }
    }

    /// A conversion to the type of `expr`; `None` for types of fewer than 32 bits, which may truncate.
    fn converted(&self, expr: ExprId, value: Affine) -> Option<Affine> {
        let ty = self.context.expr(expr).ty.primitive(self.context.semantics.db)?;
        (ty.is_integer() && ty.size().is_some_and(|it| it >= 4)).then_some(value)
    }

    fn condition(&self, expr: ExprId, values: &Values) -> Option<Condition> {
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        let context = self.context;
        let of = |expr: ExprId| self.condition(expr, values);
        let expr = context.strip_coercions(expr);
        match &context.expr(expr).kind {
            ExprKind::Literal(Literal::Bool(value)) => Some(Condition::Literal(*value)),
            ExprKind::ShortCircuit { left, right, is_or: false } => {
                Some(Condition::All(vec![of(*left)?, of(*right)?]))
            }
            ExprKind::ShortCircuit { left, right, is_or: true } => {
                Some(Condition::any_of(vec![of(*left)?, of(*right)?]))
            }
            ExprKind::Equal { left, right, negated } => {
                let equal = Condition::Equal(self.integer(*left, values)?, self.integer(*right, values)?);
                Some(if *negated { equal.negated() } else { equal })
            }
            ExprKind::Local(local) if !context.local(*local).mutable && context.inner.contains(local) => {
                self.condition(context.initialiser(*local)?, &Values::default())
            }
            ExprKind::Call { method, receiver, args, .. } if context.semantics.is_pure(*method) => {
                let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
                let name = method.name(context.semantics.db);
                let op = name.strip_prefix("operator")?.trim();
                match (op, &operands[..]) {
                    ("!", [it]) => of(*it).map(Condition::negated),
                    ("<" | ">" | "<=" | ">=", [left, right]) => {
                        let (left, right) = (self.integer(*left, values)?, self.integer(*right, values)?);
                        Some(match op {
                            "<" => Condition::Less(left, right),
                            ">" => Condition::Less(right, left),
                            "<=" => Condition::Less(right, left).negated(),
                            _ => Condition::Less(left, right).negated(),
                        })
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
