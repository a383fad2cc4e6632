//! Index sets: the elements that an index expression denotes over all iterations of a statement's loops.

use std::collections::BTreeSet;

use apg_kernels::Term;
use apg_kernels::index;

use super::access_paths::AccessPaths;
use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, Iteration, Literal, LocalId, StmtKind};
use crate::kernel::{Affine, SymbolContext};

/// Maximum number of loop iterations enumerated for one index.
const MAX_COMBINATIONS: i64 = 1 << 13;

/// The set of elements that an index denotes.
#[derive(Clone, Debug)]
pub(super) enum IndexSet {
    /// These elements.
    Elements(BTreeSet<i64>),
    /// All from the first to the last one; both ends are invariant outside of the statement.
    Interval {
        first: Affine,
        last: Affine,
    },
    /// From 0 to an unknown end; `is_dense`: without gaps, as far as known.
    Prefix {
        is_dense: bool,
    },
    /// The value of a non-affine expression that is invariant outside of the statement.
    Value(ExprId),
    /// All elements.
    All,
    Unknown,
}

/// The values of a loop variable.
pub(super) enum LoopValues {
    /// All indices of a rail or region.
    All,
    Range {
        first: RangeEnd,
        last: RangeEnd,
    },
}

/// An end of a range.
#[derive(Clone, Copy)]
pub(super) enum RangeEnd {
    At(ExprId),
    Before(ExprId),
}

impl IndexSet {
    /// The interval from `first` to `last`, enumerated if both are constants.
    fn interval(first: Affine, last: Affine) -> IndexSet {
        match (first.as_constant().copied(), last.as_constant().copied()) {
            (Some(first), Some(last)) if last.saturating_sub(first) < MAX_COMBINATIONS => {
                IndexSet::Elements((first..=last).collect())
            }
            _ => IndexSet::Interval { first, last },
        }
    }

    /// Whether it depends on a variable that satisfies `predicate`.
    pub(super) fn uses(&self, predicate: &dyn Fn(LocalId) -> bool) -> bool {
        match self {
            IndexSet::Interval { first, last } => {
                let mut found = false;
                for end in [first, last] {
                    index::for_each_variable(end, &mut |it| found |= predicate(it));
                }
                found
            }
            IndexSet::Value(_) | IndexSet::Unknown => true,
            IndexSet::Elements(_) | IndexSet::Prefix { .. } | IndexSet::All => false,
        }
    }
}

impl AccessPaths<'_> {
    /// The elements that an index denotes; in a kernel, those that it may denote.
    pub(super) fn index(&self, id: ExprId, in_kernel: bool) -> IndexSet {
        let id = self.strip_temporaries(id);
        if let ExprKind::Local(local) = self.body.expr(id).kind
            && self.is_inner(local)
            && matches!(self.values(local), Some(LoopValues::All))
        {
            return IndexSet::All;
        }
        let Some(affine) = self.affine(id, true) else {
            return match (self.uses(id, &|it| self.is_inner(it)), in_kernel) {
                (false, _) => IndexSet::Value(id),
                // An offset from outside may lead to any part.
                (true, true) if !self.uses(id, &|it| self.is_offset(it)) => {
                    IndexSet::Prefix { is_dense: true }
                }
                (true, _) => IndexSet::Unknown,
            };
        };
        let mut inner: Vec<LocalId> = Vec::new();
        let mut has_outer = false;
        index::for_each_variable(&affine, &mut |it| match self.is_inner(it) {
            true if inner.contains(&it) => {}
            true => inner.push(it),
            false => has_outer = true,
        });
        if inner.is_empty() {
            return IndexSet::interval(affine.clone(), affine);
        }
        let ends: Option<Vec<(Affine, Affine)>> = inner.iter().map(|it| self.ends(*it)).collect();
        let Some(ends) = ends else { return self.prefix(&affine, None, in_kernel) };
        if !has_outer
            && let Some(index) =
                enumerate(&affine, &inner, &ends).or_else(|| dense_interval(&affine, &inner, &ends))
        {
            return index;
        }
        if let ([variable], [(low, high)]) = (&inner[..], &ends[..])
            && let Some(interval) = shifted_interval(&affine, *variable, low, high)
        {
            return interval;
        }
        let lows = ends.iter().map(|it| it.0.as_constant().copied()).collect::<Option<Vec<_>>>();
        self.prefix(&affine, lows.as_deref(), in_kernel)
    }

    /// The prefix from 0 on, if all terms are non-negative multiples of loop variables.
    fn prefix(&self, affine: &Affine, lows: Option<&[i64]>, in_kernel: bool) -> IndexSet {
        let is_inner = |term: &Term<LocalId>| {
            let mut found = false;
            term.for_each_variable(&mut |it| found |= self.is_inner(it));
            found
        };
        let reads_only_variables = affine.terms().all(|(term, factor)| *factor > 0 && is_inner(term));
        let starts = lows.is_some_and(|lows| lows.iter().all(|low| *low == 0));
        match (reads_only_variables, in_kernel) {
            (true, true) if affine.constant >= 0 => IndexSet::Prefix { is_dense: true },
            (true, false) if starts && affine.constant == 0 => IndexSet::Prefix { is_dense: false },
            _ => IndexSet::Unknown,
        }
    }

    /// `count` elements from `at` on, of a rail with `size` elements.
    pub(super) fn element_range(&self, at: ExprId, count: ExprId, size: Option<&Affine>) -> IndexSet {
        let Some(first) = self.affine(at, false) else { return IndexSet::Unknown };
        let Some(count) = self.affine(count, false) else {
            return match first.as_constant().copied() {
                Some(0) => IndexSet::Prefix { is_dense: false },
                _ => IndexSet::Unknown,
            };
        };
        if first.as_constant().copied() == Some(0) && size == Some(&count) {
            return IndexSet::All;
        }
        match first.add_scaled(1, &count).and_then(|it| it.add_scaled(-1, &Affine::from_constant(1))) {
            Some(last) => IndexSet::interval(first, last),
            None => IndexSet::Unknown,
        }
    }

    /// The affine form of an integer over invariant variables and, `with_loops`, loop variables of the
    /// statement.
    pub(super) fn affine(&self, id: ExprId, with_loops: bool) -> Option<Affine> {
        let is_symbol = |local: LocalId| match self.is_inner(local) {
            true => with_loops && self.values(local).is_some(),
            false => !self.body.local(local).mutable,
        };
        let known =
            SymbolContext { is_symbol: &is_symbol, is_non_negative: &|_| false, values: &self.no_values };
        self.context.affine(id, &known)
    }

    fn ends(&self, variable: LocalId) -> Option<(Affine, Affine)> {
        let Some(LoopValues::Range { first, last }) = self.values(variable) else { return None };
        let end = |bound: RangeEnd| match bound {
            RangeEnd::At(id) => self.affine(id, false),
            RangeEnd::Before(id) => self.affine(id, false)?.add_scaled(-1, &Affine::from_constant(1)),
        };
        Some((end(first)?, end(last)?))
    }

    /// The values of a loop variable with step 1.
    pub(super) fn values(&self, variable: LocalId) -> Option<LoopValues> {
        self.body.stmts.iter().find_map(|it| match &it.kind {
            StmtKind::ForIn { local, components, iterable, iteration, .. } => {
                let axis = components.iter().position(|it| *it == variable);
                if *local != variable && axis.is_none() {
                    return None;
                }
                let is_range = matches!(iteration, Iteration::IntRange | Iteration::LongRange);
                let mut ranges = Vec::new();
                self.product_ranges(*iterable, &mut ranges);
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
                        self.counted_loop_values(variable, first, *condition, update)
                    }
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// The factors of a product of ranges.
    fn product_ranges(&self, iterable: ExprId, ranges: &mut Vec<ExprId>) {
        let iterable = self.strip_temporaries(iterable);
        match &self.body.expr(iterable).kind {
            ExprKind::Call { receiver, method, args, .. }
                if method.name(self.db).trim_end() == "operator*" =>
            {
                receiver.iter().chain(args).for_each(|it| self.product_ranges(*it, ranges));
            }
            _ => ranges.push(iterable),
        }
    }

    fn range(&self, range: ExprId) -> Option<LoopValues> {
        let ExprKind::Call { receiver, method, args, .. } = &self.body.expr(range).kind else { return None };
        let ends: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        match (method.name(self.db).as_str(), &ends[..]) {
            ("range", [_]) => Some(LoopValues::All),
            ("operator..", [first, last]) => {
                Some(LoopValues::Range { first: RangeEnd::At(*first), last: RangeEnd::At(*last) })
            }
            _ => None,
        }
    }

    /// The values of `for (var i = first; i < end; i++)`.
    fn counted_loop_values(
        &self,
        variable: LocalId,
        first: ExprId,
        condition: ExprId,
        update: &[ExprId],
    ) -> Option<LoopValues> {
        let (sign, left, right) = self.context.binary_operator(self.strip_temporaries(condition))?;
        let ExprKind::Local(compared) = self.body.expr(self.strip_temporaries(left)).kind else {
            return None;
        };
        let last = match sign {
            "<" => RangeEnd::Before(right),
            "<=" => RangeEnd::At(right),
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
            .then_some(LoopValues::Range { first: RangeEnd::At(first), last })
    }

    fn adds_one(&self, update: ExprId, variable: LocalId) -> bool {
        let mut found = false;
        self.body.walk(Node::Expr(update), &mut |node| {
            if let Node::Expr(id) = node
                && let ExprKind::Assign { target: AssignTarget::Local(_), value } = self.body.expr(id).kind
                && let Some(("+", _, by)) = self.context.binary_operator(self.strip_temporaries(value))
            {
                let one = matches!(
                    self.body.expr(self.strip_temporaries(by)).kind,
                    ExprKind::Literal(Literal::Int(1))
                );
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

    /// Whether two index sets certainly have a common element, unless one is of an empty loop.
    pub(super) fn may_overlap(&self, a: &IndexSet, b: &IndexSet) -> bool {
        match (a, b) {
            (IndexSet::All, _) | (_, IndexSet::All) => true,
            (IndexSet::Elements(a), IndexSet::Elements(b)) => !a.is_disjoint(b),
            (IndexSet::Elements(elements), IndexSet::Interval { first, last })
            | (IndexSet::Interval { first, last }, IndexSet::Elements(elements)) => {
                let within = |it: i64| match (first.as_constant().copied(), last.as_constant().copied()) {
                    (Some(first), Some(last)) => (first..=last).contains(&it),
                    // A range from 0 is taken to be the whole.
                    (Some(first), None) => first == it || first == 0 && it > 0,
                    _ => false,
                };
                elements.iter().any(|it| within(*it))
            }
            (IndexSet::Interval { .. }, IndexSet::Interval { .. }) => self.intervals_overlap(a, b),
            (IndexSet::Prefix { is_dense: true }, other) | (other, IndexSet::Prefix { is_dense: true }) => {
                match other {
                    IndexSet::Interval { first, last } => {
                        first.as_constant().is_some() || as_variable(first).is_some() && first == last
                    }
                    _ => true,
                }
            }
            (IndexSet::Prefix { .. }, IndexSet::Prefix { .. }) => true,
            (IndexSet::Prefix { .. }, IndexSet::Elements(it))
            | (IndexSet::Elements(it), IndexSet::Prefix { .. }) => it.contains(&0),
            (IndexSet::Prefix { .. }, IndexSet::Interval { first, .. })
            | (IndexSet::Interval { first, .. }, IndexSet::Prefix { .. }) => {
                first.as_constant().copied() == Some(0)
            }
            (IndexSet::Value(a), IndexSet::Value(b)) => self.is_same_value(*a, *b),
            _ => false,
        }
    }

    fn intervals_overlap(&self, a: &IndexSet, b: &IndexSet) -> bool {
        let (
            IndexSet::Interval { first: a, last: end_of_a },
            IndexSet::Interval { first: b, last: end_of_b },
        ) = (a, b)
        else {
            return false;
        };
        let distance =
            |to: &Affine, from: &Affine| to.add_scaled(-1, from).and_then(|it| it.as_constant().copied());
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
            index::for_each_variable(point, &mut |it| is_end |= index::mentions(last, it));
            // An end is unlikely to be just before an unrelated variable.
            as_variable(point).is_some() && first.as_constant().copied() == Some(0) && !is_end
        };
        match (a == end_of_a, b == end_of_b) {
            (true, true) => false,
            (true, false) => point_in(a, b, end_of_b),
            (false, true) => point_in(b, a, end_of_a),
            (false, false) => a.as_constant().is_some() && b.as_constant().is_some(),
        }
    }
}

/// The variable, if the form is a single one.
pub(super) fn as_variable(affine: &Affine) -> Option<LocalId> {
    let mut terms = affine.terms();
    match (affine.constant, terms.next(), terms.next()) {
        (0, Some((Term::Variable(local), 1)), None) => Some(*local),
        _ => None,
    }
}

/// The interval of `variable + rest` over all values of the variable.
fn shifted_interval(affine: &Affine, variable: LocalId, low: &Affine, high: &Affine) -> Option<IndexSet> {
    let factor = index::coefficient(affine, variable);
    let rest = affine.add_scaled(-factor, &index::variable(variable))?;
    if index::mentions(&rest, variable) {
        return None;
    }
    match factor {
        1 => Some(IndexSet::interval(rest.add_scaled(1, low)?, rest.add_scaled(1, high)?)),
        -1 => Some(IndexSet::interval(rest.add_scaled(-1, high)?, rest.add_scaled(-1, low)?)),
        _ => None,
    }
}

/// The values over all iterations, if there are few and all are constants.
fn enumerate(affine: &Affine, variables: &[LocalId], ends: &[(Affine, Affine)]) -> Option<IndexSet> {
    let ranges: Vec<(i64, i64)> = ends
        .iter()
        .map(|(low, high)| Some((low.as_constant().copied()?, high.as_constant().copied()?)))
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
        found.insert(index::evaluate(affine, &value_of)?);
    }
    Some(IndexSet::Elements(found))
}

/// The interval of a form like `256 * block + thread`, if it has no gaps.
fn dense_interval(affine: &Affine, variables: &[LocalId], ends: &[(Affine, Affine)]) -> Option<IndexSet> {
    let mut terms: Vec<(i64, i64)> = Vec::new();
    let mut first = affine.constant;
    for (variable, (low, high)) in variables.iter().zip(ends) {
        let (low, high, factor) = (
            low.as_constant().copied()?,
            high.as_constant().copied()?,
            index::coefficient(affine, *variable),
        );
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
    let is_all = affine.terms().len() == variables.len();
    is_all.then(|| {
        IndexSet::interval(Affine::from_constant(first), Affine::from_constant(first.saturating_add(length)))
    })
}
