//! Index sets: the elements that an index stands for while the loops of a statement run.

use std::collections::BTreeSet;

use super::paths::Paths;
use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, Iteration, Literal, LocalId, StmtKind};
use crate::kernel::{Affine, SymbolContext, Term};

/// Combinations of the values of loop variables that are enumerated for one index.
const MAX_COMBINATIONS: i64 = 1 << 13;

/// The elements that one index stands for.
#[derive(Clone, Debug)]
pub(super) enum Index {
    /// These elements.
    Elements(BTreeSet<i64>),
    /// All from the first to the last one; both are the same outside of the statement.
    Interval {
        first: Affine,
        last: Affine,
    },
    /// From 0 on, to where is not known; without gaps, as far as can be told, if `is_whole`.
    Front {
        is_whole: bool,
    },
    /// The value of an expression that is no sum, the same outside of the statement.
    Value(ExprId),
    /// Those of all elements.
    All,
    Unknown,
}

/// The values of a loop variable.
pub(super) enum Values {
    /// Those that a range of a rail or region has.
    All,
    Range {
        first: Bound,
        last: Bound,
    },
}

/// An end of a range.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    At(ExprId),
    Before(ExprId),
}

impl Index {
    /// From `first` to `last`, as numbers where both are.
    fn interval(first: Affine, last: Affine) -> Index {
        match (first.as_constant(), last.as_constant()) {
            (Some(first), Some(last)) if last.saturating_sub(first) < MAX_COMBINATIONS => {
                Index::Elements((first..=last).collect())
            }
            _ => Index::Interval { first, last },
        }
    }

    /// Whether it depends on a variable.
    pub fn uses(&self, is_meant: &dyn Fn(LocalId) -> bool) -> bool {
        match self {
            Index::Interval { first, last } => {
                let mut found = false;
                for end in [first, last] {
                    end.for_each_variable(&mut |it| found |= is_meant(it));
                }
                found
            }
            Index::Value(_) | Index::Unknown => true,
            Index::Elements(_) | Index::Front { .. } | Index::All => false,
        }
    }
}

impl Paths<'_> {
    /// The elements that an index stands for; in a kernel, those it may stand for.
    pub(super) fn index(&self, id: ExprId, in_kernel: bool) -> Index {
        let id = self.settled(id);
        if let ExprKind::Local(local) = self.body.expr(id).kind
            && self.is_inner(local)
            && matches!(self.values(local), Some(Values::All))
        {
            return Index::All;
        }
        let Some(sum) = self.sum(id, true) else {
            return match (self.uses(id, &|it| self.is_inner(it)), in_kernel) {
                (false, _) => Index::Value(id),
                // An offset from outside may lead to any part.
                (true, true) if !self.uses(id, &|it| self.is_offset(it)) => Index::Front { is_whole: true },
                (true, _) => Index::Unknown,
            };
        };
        let mut inner: Vec<LocalId> = Vec::new();
        let mut has_outer = false;
        sum.for_each_variable(&mut |it| match self.is_inner(it) {
            true if inner.contains(&it) => {}
            true => inner.push(it),
            false => has_outer = true,
        });
        if inner.is_empty() {
            return Index::interval(sum.clone(), sum);
        }
        let ends: Option<Vec<(Affine, Affine)>> = inner.iter().map(|it| self.ends(*it)).collect();
        let Some(ends) = ends else { return self.front(&sum, None, in_kernel) };
        if !has_outer
            && let Some(index) = enumerate(&sum, &inner, &ends).or_else(|| dense(&sum, &inner, &ends))
        {
            return index;
        }
        if let ([variable], [(low, high)]) = (&inner[..], &ends[..])
            && let Some(interval) = shifted(&sum, *variable, low, high)
        {
            return interval;
        }
        let lows = ends.iter().map(|it| it.0.as_constant()).collect::<Option<Vec<_>>>();
        self.front(&sum, lows.as_deref(), in_kernel)
    }

    /// What counts from 0 on, if each term comes from a variable that does.
    fn front(&self, sum: &Affine, lows: Option<&[i64]>, in_kernel: bool) -> Index {
        let is_inner = |term: &Term| {
            let mut found = false;
            term.for_each_variable(&mut |it| found |= self.is_inner(it));
            found
        };
        let is_plain = sum.terms.iter().all(|(term, factor)| *factor > 0 && is_inner(term));
        let starts = lows.is_some_and(|lows| lows.iter().all(|low| *low == 0));
        match (is_plain, in_kernel) {
            (true, true) if sum.constant >= 0 => Index::Front { is_whole: true },
            (true, false) if starts && sum.constant == 0 => Index::Front { is_whole: false },
            _ => Index::Unknown,
        }
    }

    /// `count` elements from `at` on, of a rail with `size` elements.
    pub(super) fn span(&self, at: ExprId, count: ExprId, size: Option<&Affine>) -> Index {
        let Some(first) = self.sum(at, false) else { return Index::Unknown };
        let Some(count) = self.sum(count, false) else {
            return match first.as_constant() {
                Some(0) => Index::Front { is_whole: false },
                _ => Index::Unknown,
            };
        };
        if first.as_constant() == Some(0) && size == Some(&count) {
            return Index::All;
        }
        match first.add_scaled(1, &count).and_then(|it| it.add_scaled(-1, &Affine::from_constant(1))) {
            Some(last) => Index::interval(first, last),
            None => Index::Unknown,
        }
    }

    /// An integer as a sum of variables that keep their values, and of loop variables of the statement if they are meant.
    pub(super) fn sum(&self, id: ExprId, with_loops: bool) -> Option<Affine> {
        let is_symbol = |local: LocalId| match self.is_inner(local) {
            true => with_loops && self.values(local).is_some(),
            false => !self.body.local(local).mutable,
        };
        let known =
            SymbolContext { is_symbol: &is_symbol, is_non_negative: &|_| false, values: &self.no_values };
        self.context.affine(id, &known)
    }

    fn ends(&self, variable: LocalId) -> Option<(Affine, Affine)> {
        let Some(Values::Range { first, last }) = self.values(variable) else { return None };
        let end = |bound: Bound| match bound {
            Bound::At(id) => self.sum(id, false),
            Bound::Before(id) => self.sum(id, false)?.add_scaled(-1, &Affine::from_constant(1)),
        };
        Some((end(first)?, end(last)?))
    }

    /// The values of a variable of a loop that counts by one.
    pub(super) fn values(&self, variable: LocalId) -> Option<Values> {
        self.body.stmts.iter().find_map(|it| match &it.kind {
            StmtKind::ForIn { local, components, iterable, iteration, .. } => {
                let axis = components.iter().position(|it| *it == variable);
                if *local != variable && axis.is_none() {
                    return None;
                }
                let is_range = matches!(iteration, Iteration::IntRange | Iteration::LongRange);
                let mut ranges = Vec::new();
                self.factors(*iterable, &mut ranges);
                match (axis, &ranges[..]) {
                    (None, [range]) if is_range => self.range(*range),
                    (Some(axis), ranges) if ranges.len() == components.len() => self.range(ranges[axis]),
                    _ => None,
                }
            }
            StmtKind::For { init, condition: Some(condition), update, .. } => {
                let [init] = init[..] else { return None };
                match self.body.stmt(init).kind {
                    StmtKind::Let { local, init: Some(first) } if local == variable => {
                        self.counted(variable, first, *condition, update)
                    }
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// The ranges of a product of ranges.
    fn factors(&self, iterable: ExprId, ranges: &mut Vec<ExprId>) {
        let iterable = self.settled(iterable);
        match &self.body.expr(iterable).kind {
            ExprKind::Call { receiver, method, args, .. }
                if method.name(self.db).trim_end() == "operator*" =>
            {
                receiver.iter().chain(args).for_each(|it| self.factors(*it, ranges));
            }
            _ => ranges.push(iterable),
        }
    }

    fn range(&self, range: ExprId) -> Option<Values> {
        let ExprKind::Call { receiver, method, args, .. } = &self.body.expr(range).kind else { return None };
        let ends: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        match (method.name(self.db).as_str(), &ends[..]) {
            ("range", [_]) => Some(Values::All),
            ("operator..", [first, last]) => {
                Some(Values::Range { first: Bound::At(*first), last: Bound::At(*last) })
            }
            _ => None,
        }
    }

    /// The values of `for (var i = first; i < end; i++)`.
    fn counted(
        &self,
        variable: LocalId,
        first: ExprId,
        condition: ExprId,
        update: &[ExprId],
    ) -> Option<Values> {
        let (sign, left, right) = self.context.operator(self.settled(condition))?;
        let ExprKind::Local(compared) = self.body.expr(self.settled(left)).kind else { return None };
        let last = match sign {
            "<" => Bound::Before(right),
            "<=" => Bound::At(right),
            _ => return None,
        };
        let [update] = update[..] else { return None };
        let is_assigned = |node: Node| {
            let mut count = 0;
            self.body.walk(node, &mut |node| {
                let Node::Expr(id) = node else { return true };
                count += u32::from(matches!(self.body.expr(id).kind,
                    ExprKind::Assign { target: AssignTarget::Local(local), .. } if local == variable));
                true
            });
            count
        };
        let all = is_assigned(Node::Stmt(self.body.root?));
        let is_only = compared == variable && all == 1 && is_assigned(Node::Expr(update)) == 1;
        (is_only && self.adds_one(update, variable))
            .then_some(Values::Range { first: Bound::At(first), last })
    }

    fn adds_one(&self, update: ExprId, variable: LocalId) -> bool {
        let mut found = false;
        self.body.walk(Node::Expr(update), &mut |node| {
            if let Node::Expr(id) = node
                && let ExprKind::Assign { target: AssignTarget::Local(_), value } = self.body.expr(id).kind
                && let Some(("+", _, by)) = self.context.operator(self.settled(value))
            {
                let one = matches!(self.body.expr(self.settled(by)).kind, ExprKind::Literal(Literal::Int(1)));
                found |= one && self.uses(value, &|it| it == variable || self.is_temporary(it));
            }
            true
        });
        found
    }

    fn is_offset(&self, local: LocalId) -> bool {
        let number = self.body.local(local).ty.primitive(self.db).is_some_and(|it| it.is_integer());
        let is_constant = crate::infer::constant::local_value(self.db, self.body, local).is_some();
        !self.is_inner(local) && number && !is_constant
    }

    /// Whether two indices certainly have an element in common, if neither is of an empty loop.
    pub(super) fn meet(&self, a: &Index, b: &Index) -> bool {
        match (a, b) {
            (Index::All, _) | (_, Index::All) => true,
            (Index::Elements(a), Index::Elements(b)) => !a.is_disjoint(b),
            (Index::Elements(elements), Index::Interval { first, last })
            | (Index::Interval { first, last }, Index::Elements(elements)) => {
                let within = |it: i64| match (first.as_constant(), last.as_constant()) {
                    (Some(first), Some(last)) => (first..=last).contains(&it),
                    // From 0 on: taken to be all.
                    (Some(first), None) => first == it || first == 0 && it > 0,
                    _ => false,
                };
                elements.iter().any(|it| within(*it))
            }
            (Index::Interval { .. }, Index::Interval { .. }) => self.intervals_meet(a, b),
            (Index::Front { is_whole: true }, other) | (other, Index::Front { is_whole: true }) => {
                match other {
                    Index::Interval { first, last } => {
                        first.as_constant().is_some() || is_variable(first) && first == last
                    }
                    _ => true,
                }
            }
            (Index::Front { .. }, Index::Front { .. }) => true,
            (Index::Front { .. }, Index::Elements(it)) | (Index::Elements(it), Index::Front { .. }) => {
                it.contains(&0)
            }
            (Index::Front { .. }, Index::Interval { first, .. })
            | (Index::Interval { first, .. }, Index::Front { .. }) => first.as_constant() == Some(0),
            (Index::Value(a), Index::Value(b)) => self.same(*a, *b),
            _ => false,
        }
    }

    fn intervals_meet(&self, a: &Index, b: &Index) -> bool {
        let (Index::Interval { first: a, last: end_of_a }, Index::Interval { first: b, last: end_of_b }) =
            (a, b)
        else {
            return false;
        };
        let distance = |to: &Affine, from: &Affine| to.add_scaled(-1, from).and_then(|it| it.as_constant());
        let before = |low: &Affine, high: &Affine| distance(high, low).map(|it| it >= 0);
        match (before(a, end_of_b), before(b, end_of_a)) {
            (Some(one), Some(other)) => return one && other,
            (Some(false), _) | (_, Some(false)) => return false,
            _ => {}
        }
        if a == b || end_of_a == end_of_b {
            return true;
        }
        let point_in = |point: &Affine, first: &Affine, last: &Affine| {
            let mut is_end = false;
            point.for_each_variable(&mut |it| is_end |= last.mentions(it));
            // Nobody counts up to just before a variable that the end is not computed from.
            is_variable(point) && first.as_constant() == Some(0) && !is_end
        };
        match (a == end_of_a, b == end_of_b) {
            (true, true) => false,
            (true, false) => point_in(a, b, end_of_b),
            (false, true) => point_in(b, a, end_of_a),
            (false, false) => a.as_constant().is_some() && b.as_constant().is_some(),
        }
    }
}

/// One variable and nothing else.
fn is_variable(sum: &Affine) -> bool {
    sum.constant == 0 && matches!(sum.terms[..], [(Term::Local(_), 1)])
}

/// `variable + rest` for all values of the variable.
fn shifted(sum: &Affine, variable: LocalId, low: &Affine, high: &Affine) -> Option<Index> {
    let factor = sum.coefficient(variable);
    let rest = sum.add_scaled(-factor, &Affine::variable(variable))?;
    if rest.mentions(variable) {
        return None;
    }
    match factor {
        1 => Some(Index::interval(rest.add_scaled(1, low)?, rest.add_scaled(1, high)?)),
        -1 => Some(Index::interval(rest.add_scaled(-1, high)?, rest.add_scaled(-1, low)?)),
        _ => None,
    }
}

/// The values of a sum for all values of its variables, where those are few and known.
fn enumerate(sum: &Affine, variables: &[LocalId], ends: &[(Affine, Affine)]) -> Option<Index> {
    let ranges: Vec<(i64, i64)> = ends
        .iter()
        .map(|(low, high)| Some((low.as_constant()?, high.as_constant()?)))
        .collect::<Option<_>>()?;
    let counts: Vec<i64> = ranges.iter().map(|(low, high)| (high - low + 1).max(0)).collect();
    let combinations = counts.iter().try_fold(1_i64, |all, it| all.checked_mul(*it))?;
    if combinations > MAX_COMBINATIONS {
        return None;
    }
    let mut found = BTreeSet::new();
    for combination in 0..combinations {
        let mut rest = combination;
        let mut values = Vec::with_capacity(variables.len());
        for (count, (low, _)) in counts.iter().zip(&ranges) {
            values.push(low + rest % count);
            rest /= count;
        }
        let value_of = |local| variables.iter().position(|it| *it == local).map(|it| values[it]);
        found.insert(sum.evaluate(&value_of)?);
    }
    Some(Index::Elements(found))
}

/// The values of a sum like `256 * block + thread`, which leave none out.
fn dense(sum: &Affine, variables: &[LocalId], ends: &[(Affine, Affine)]) -> Option<Index> {
    let mut terms: Vec<(i64, i64)> = Vec::new();
    let mut first = sum.constant;
    for (variable, (low, high)) in variables.iter().zip(ends) {
        let (low, high, factor) = (low.as_constant()?, high.as_constant()?, sum.coefficient(*variable));
        first = first.checked_add(factor.checked_mul(low)?)?;
        terms.push((factor, high.checked_sub(low)?));
    }
    terms.sort_unstable();
    let mut length = 0_i64;
    for (factor, steps) in &terms {
        if *factor < 1 || *steps < 0 || *factor > length + 1 {
            return None;
        }
        length = length.checked_add(factor.checked_mul(*steps)?)?;
    }
    let is_all = sum.terms.len() == variables.len();
    is_all.then(|| {
        Index::interval(Affine::from_constant(first), Affine::from_constant(first.saturating_add(length)))
    })
}
