//! What the integers of a body are known to be: multiples of 32, and not negative.
//!
//! Division rounds towards zero. So `i / 32n` is the number of a warp only where `i` counts from a multiple of 32 that is not negative;
//! `i >> 5n` is in any case.

use rustc_hash::{FxHashMap, FxHashSet};

use super::draft::Draft;
use super::facts::{Callable, Shape};
use super::variance::{Cause, Variance, WARP};
use crate::body::{AssignTarget, ExprId, ExprKind, Iteration, LocalId, StmtKind};
use crate::ids::MethodId;
use crate::ty::Ty;
use crate::ty::known::Known;

/// Numbers of a body of which something is known.
pub(super) struct Numbers<'d, 'a> {
    draft: &'d Draft<'a>,
    /// `val`s that are multiples of 32.
    multiples: FxHashSet<LocalId>,
    /// Variables that are never negative, if no sum or product goes past the largest number.
    natural: FxHashSet<LocalId>,
}

/// What the variables of a body are given; `None` for what is not negative.
type Definitions = FxHashMap<LocalId, Vec<Option<ExprId>>>;

impl<'d, 'a> Numbers<'d, 'a> {
    /// Of the formals, those are not negative.
    pub fn new(draft: &'d Draft<'a>, formals: impl Iterator<Item = LocalId>) -> Numbers<'d, 'a> {
        let mut definitions = definitions(draft);
        for formal in formals {
            definitions.entry(formal).or_default().push(None);
        }
        for formal in &draft.body.params {
            // One that is given anything starts with what nobody knows.
            if definitions.get(formal).is_some_and(|it| !it.contains(&None)) {
                definitions.remove(formal);
            }
        }
        let natural = definitions.keys().copied().collect();
        let mut numbers = Numbers { draft, multiples: FxHashSet::default(), natural };
        // A counter is not negative if nothing makes it so: what is found to be makes others so, until there are no more.
        loop {
            let is_natural = |value: &Option<ExprId>| value.is_none_or(|it| numbers.is_natural(it));
            let negative: Vec<LocalId> = numbers
                .natural
                .iter()
                .copied()
                .filter(|local| !definitions.get(local).is_some_and(|all| all.iter().all(is_natural)))
                .collect();
            if negative.is_empty() {
                return numbers;
            }
            for local in negative {
                numbers.natural.remove(&local);
            }
        }
    }

    /// A `val` with its value.
    pub fn declare(&mut self, local: LocalId, init: ExprId) {
        if self.is_multiple(init) {
            self.multiples.insert(local);
        }
    }

    /// A binary operation of the number of a thread and a constant.
    pub fn by_constant(
        &self,
        sign: &str,
        expr: ExprId,
        operands: &[Variance],
        exprs: &[ExprId],
    ) -> Option<Variance> {
        // To be compared with, a multiple of 32 is as good as another.
        let multiple = |it: ExprId, of: &Variance| {
            (["<", ">=", ">", "<="].contains(&sign) && *of == Variance::Uniform && self.is_multiple(it))
                .then_some(0)
        };
        let constants: Vec<Option<i64>> = exprs
            .iter()
            .zip(operands)
            .map(|(it, of)| self.draft.constant(*it).or_else(|| multiple(*it, of)))
            .collect();
        match (operands, &constants[..]) {
            ([rank, _], [_, Some(by)]) => {
                let found = rank.rank_by(sign, *by)?;
                let rounds_down = !["/", "%"].contains(&sign) || self.rounds_down(exprs[0]);
                Some(if rounds_down {
                    found
                } else {
                    Variance::Divergent(Cause::Rounding(self.draft.expr(expr).range))
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
                rank.rank_by(turned, *by)
            }
            _ => None,
        }
    }

    /// Whether a sum is that of the number of a thread and a multiple of 32 that is the same for all threads.
    pub fn any_multiple(&self, operands: &[Variance], exprs: &[ExprId]) -> bool {
        match (operands, exprs) {
            ([Variance::Rank(..), Variance::Uniform], [_, by])
            | ([Variance::Uniform, Variance::Rank(..)], [by, _]) => self.is_multiple(*by),
            _ => false,
        }
    }

    /// Whether an integer is a multiple of 32, as far as it says so itself.
    fn is_multiple(&self, expr: ExprId) -> bool {
        if let Some(value) = self.draft.constant(expr) {
            return value % WARP == 0;
        }
        match &self.draft.expr(expr).kind {
            ExprKind::Local(local) => self.multiples.contains(local),
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => {
                self.is_wide(self.draft.expr(expr).ty) && self.is_multiple(*value)
            }
            ExprKind::Call { .. } => match self.operation(expr) {
                Some(("*", left, right)) => self.is_multiple(left) || self.is_multiple(right),
                Some(("+" | "-", left, right)) => self.is_multiple(left) && self.is_multiple(right),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether dividing the integer rounds down.
    fn rounds_down(&self, expr: ExprId) -> bool {
        self.known(expr).is_some_and(Known::is_unsigned) || self.is_natural(expr)
    }

    /// Whether an integer is not negative, as far as it says so itself.
    pub fn is_natural(&self, expr: ExprId) -> bool {
        if let Some(value) = self.draft.constant(expr) {
            return value >= 0;
        }
        match &self.draft.expr(expr).kind {
            ExprKind::Local(local) => self.natural.contains(local),
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => self.is_converted(expr, *value),
            ExprKind::Let { result, .. } => self.is_natural(*result),
            ExprKind::Conditional { then, otherwise, .. } => {
                self.is_natural(*then) && self.is_natural(*otherwise)
            }
            ExprKind::Field { object, field } => {
                let shape = self.draft.facts.shape(self.draft.expr(*object).ty);
                matches!(shape, Shape::Rail(_) | Shape::GlobalRail(_) | Shape::ConstantRail(_))
                    && field.name(self.draft.facts.db) == "size"
            }
            ExprKind::Call { method, args, receiver, .. } => {
                if self.draft.facts.callable(*method) == Callable::ThreadNumber {
                    return true;
                }
                match self.operation(expr) {
                    Some((sign, left, right)) => self.is_natural_operation(sign, left, right),
                    None => match (receiver, &args[..]) {
                        (None, [value]) | (Some(value), []) if self.is_conversion(*method) => {
                            self.is_converted(expr, *value)
                        }
                        _ => false,
                    },
                }
            }
            _ => false,
        }
    }

    fn is_natural_operation(&self, sign: &str, left: ExprId, right: ExprId) -> bool {
        let is = |it: ExprId| self.is_natural(it);
        match sign {
            "+" | "*" | "/" | "|" | "^" | "min" => is(left) && is(right),
            "&" | "max" => is(left) || is(right),
            "%" | ">>" | ">>>" => is(left),
            _ => false,
        }
    }

    /// Whether a number is not negative after it became another type. Unsigned ones get a sign only where they keep their size.
    fn is_converted(&self, to: ExprId, from: ExprId) -> bool {
        let (Some(new), Some(old)) = (self.known(to), self.known(from)) else { return false };
        let is_wide = self.is_wide(self.draft.expr(to).ty);
        new.is_integer()
            && old.is_integer()
            && (is_wide && self.is_natural(from) || old.is_unsigned() && new.size() > old.size())
    }

    fn is_conversion(&self, method: MethodId) -> bool {
        let name = method.name(self.draft.facts.db);
        let sign = name.strip_prefix("operator").map(str::trim);
        self.draft.facts.is_pure(method) && sign.is_some_and(|it| !["-", "~", "!"].contains(&it))
    }

    /// A binary operation of two integers: its sign and operands. `max` and `min` of `Math` are such.
    fn operation(&self, expr: ExprId) -> Option<(&str, ExprId, ExprId)> {
        let ExprKind::Call { method, receiver, args, .. } = &self.draft.expr(expr).kind else { return None };
        let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        let [left, right] = operands[..] else { return None };
        let is_integer = |it: ExprId| self.known(it).is_some_and(Known::is_integer);
        if !is_integer(left) || !is_integer(right) {
            return None;
        }
        let name = method.name(self.draft.facts.db);
        let of_math = || self.draft.facts.is_class(method.class(self.draft.facts.db), "x10.lang.Math");
        match name.strip_prefix("operator") {
            Some(sign) => Some((sign.trim(), left, right)),
            None => of_math().then_some((name.as_str(), left, right)),
        }
    }

    /// A value as another number: one of fewer bits may begin anew in the middle.
    pub fn converted(&self, value: Variance, to: Ty) -> Variance {
        match self.is_wide(to) {
            true => value,
            false => value.mixed(),
        }
    }

    fn known(&self, expr: ExprId) -> Option<Known> {
        self.draft.expr(expr).ty.primitive(self.draft.facts.db)
    }

    /// Whether a type is of integers of 32 bits or more.
    fn is_wide(&self, ty: Ty) -> bool {
        let known = ty.primitive(self.draft.facts.db);
        known.is_some_and(|it| it.is_integer() && it.size().is_some_and(|size| size >= 4))
    }
}

/// All that the variables of a body are given. One that is given what nobody knows is not among them.
fn definitions(draft: &Draft) -> Definitions {
    let mut found = Definitions::default();
    for stmt in &draft.body.stmts {
        match &stmt.kind {
            StmtKind::Let { local, init: Some(init) } => found.entry(*local).or_default().push(Some(*init)),
            StmtKind::ForIn { local, components, iterable, iteration, .. } => {
                let is_range = matches!(iteration, Iteration::IntRange | Iteration::LongRange);
                let mut starts = Vec::new();
                if !is_range && components.is_empty() || !draft.lowest(*iterable, &mut starts) {
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
    for expr in &draft.body.exprs {
        if let ExprKind::Assign { target: AssignTarget::Local(local), value } = expr.kind {
            found.entry(local).or_default().push(Some(value));
        }
    }
    found
}
