//! Dependence tests: whether a system of affine equations and inequalities has an integer solution.
//!
//! The greatest common divisor test and the bounds test (Banerjee, *Dependence Analysis for Supercomputing*,
//! 1988) refute most systems. What is left is decided exactly, as by the Omega test (Pugh, Supercomputing
//! 1991), but by enumeration: a search halves the ranges of symbols and tightens them by bounds propagation.
//! Beyond its budget the answer is "unknown".

use std::collections::{BTreeMap, BTreeSet};

use crate::affine::Affine;
use crate::integer::{ceil_div, floor_div};
use crate::interval::Interval;
use crate::value_range::ValueRange;

/// Maximum number of boxes that the search examines.
const MAX_EXAMINED_BOXES: u32 = 4096;
/// Maximum number of rounds of bounds propagation in one box.
const MAX_PROPAGATION_ROUNDS: u32 = 16;
/// Largest magnitude that is searched for a symbol without bounds.
const MAX_SEARCHED_MAGNITUDE: i64 = 1 << 20;

/// Answer of a test, with an example if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<W> {
    /// There is no solution.
    No,
    /// There is this solution.
    Yes(W),
    /// The test cannot tell.
    Unknown,
}

/// Values of symbols.
pub type Point<S> = BTreeMap<S, i64>;

/// Affine constraints on symbols.
#[derive(Clone, Debug)]
pub struct System<S> {
    bounds: BTreeMap<S, Interval>,
    /// Forms that are zero.
    equations: Vec<Affine<S>>,
    /// Forms that are not negative.
    inequalities: Vec<Affine<S>>,
    /// An added form overflowed.
    has_overflow: bool,
}

impl<S> Default for System<S> {
    fn default() -> System<S> {
        System {
            bounds: BTreeMap::new(),
            equations: Vec::new(),
            inequalities: Vec::new(),
            has_overflow: false,
        }
    }
}

impl<S: Ord + Clone> System<S> {
    /// Bounds a symbol.
    pub fn bound(&mut self, symbol: S, interval: Interval) {
        self.bounds.insert(symbol, interval);
    }

    /// Requires `a == b`.
    pub fn require_equal(&mut self, a: &Affine<S>, b: &Affine<S>) {
        match a.checked_sub(b) {
            Some(form) => self.equations.push(form),
            None => self.has_overflow = true,
        }
    }

    /// Requires `a <= b`.
    pub fn require_at_most(&mut self, a: &Affine<S>, b: &Affine<S>) {
        match b.checked_sub(a) {
            Some(form) => self.inequalities.push(form),
            None => self.has_overflow = true,
        }
    }

    /// Requires `a < b`.
    pub fn require_less(&mut self, a: &Affine<S>, b: &Affine<S>) {
        match a.checked_add(&Affine::from_constant(1)) {
            Some(next) => self.require_at_most(&next, b),
            None => self.has_overflow = true,
        }
    }

    /// Whether there are integers that satisfy all constraints.
    pub fn solve(&self) -> Answer<Point<S>> {
        self.solve_within(&mut { MAX_EXAMINED_BOXES })
    }

    /// [`System::solve`] with a search of at most `boxes`, from which the examined ones are subtracted: for
    /// clients with many systems.
    pub fn solve_within(&self, boxes: &mut u32) -> Answer<Point<S>> {
        if self.has_overflow {
            return Answer::Unknown;
        }
        let forms = self.equations.iter().chain(&self.inequalities);
        let named = forms.flat_map(|it| it.terms().map(|it| it.0));
        let symbols: BTreeSet<&S> = named.chain(self.bounds.keys()).collect();
        let symbols: Vec<S> = symbols.into_iter().cloned().collect();
        let mut bounds: Vec<Interval> =
            symbols.iter().map(|it| self.bounds.get(it).copied().unwrap_or(Interval::ALL)).collect();
        let number = |form: &Affine<S>| Row::new(form, &symbols);
        let mut rows: Vec<(bool, Row)> = Vec::new();
        for (is_equation, forms) in [(true, &self.equations), (false, &self.inequalities)] {
            rows.extend(forms.iter().map(|it| (is_equation, number(it))));
        }
        // The test of divisors and the test of bounds.
        if self.equations.iter().any(|it| !may_be_zero(it)) || !propagate(&rows, &mut bounds) {
            return Answer::No;
        }
        let is_bounded = bounds.iter().all(|it| it.count().is_some());
        let mut search = Search { rows: &rows, budget: *boxes };
        if !is_bounded {
            let window = Interval { low: Some(-MAX_SEARCHED_MAGNITUDE), high: Some(MAX_SEARCHED_MAGNITUDE) };
            for bound in bounds.iter_mut().filter(|it| it.count().is_none()) {
                match bound.intersect(window) {
                    Some(part) => *bound = part,
                    None => return Answer::Unknown,
                }
            }
        }
        let answer = search.find(bounds);
        *boxes = search.budget;
        match answer {
            Answer::Yes(values) => Answer::Yes(symbols.into_iter().zip(values).collect()),
            Answer::No if is_bounded => Answer::No,
            _ => Answer::Unknown,
        }
    }
}

/// Whether a form has an integer zero if its symbols are unbounded: the divisor of all coefficients divides
/// the constant.
fn may_be_zero<S: Ord + Clone>(form: &Affine<S>) -> bool {
    ValueRange::of_affine(form, |_| ValueRange::ALL).contains(0)
}

/// A form over numbered symbols.
struct Row {
    constant: i64,
    terms: Vec<(usize, i64)>,
}

impl Row {
    fn new<S: Ord + Clone>(form: &Affine<S>, symbols: &[S]) -> Row {
        let terms = form.terms().filter_map(|(symbol, coefficient)| {
            symbols.binary_search(symbol).ok().map(|index| (index, *coefficient))
        });
        Row { constant: form.constant, terms: terms.collect() }
    }

    /// Range of the form without one of its terms.
    fn range_without(&self, skipped: Option<usize>, bounds: &[Interval]) -> Interval {
        let terms = self.terms.iter().filter(|it| Some(it.0) != skipped);
        terms.fold(Interval::constant(self.constant), |sum, (index, coefficient)| {
            sum + bounds[*index].scale(*coefficient)
        })
    }
}

/// Tightens bounds until nothing changes; returns whether a solution may be left.
fn propagate(rows: &[(bool, Row)], bounds: &mut [Interval]) -> bool {
    for _ in 0..MAX_PROPAGATION_ROUNDS {
        let mut has_changed = false;
        for (is_equation, row) in rows {
            let range = row.range_without(None, bounds);
            let is_possible =
                if *is_equation { range.contains(0) } else { range.high.is_none_or(|it| it >= 0) };
            if !is_possible {
                return false;
            }
            for (index, coefficient) in &row.terms {
                let rest = row.range_without(Some(*index), bounds);
                let Some(tight) = solve_for(*coefficient, rest, *is_equation) else { return false };
                let Some(next) = bounds[*index].intersect(tight) else { return false };
                has_changed |= next != bounds[*index];
                bounds[*index] = next;
            }
        }
        if !has_changed {
            break;
        }
    }
    true
}

/// The values of `x` for which `coefficient * x + rest` is zero, or not negative, for some value of the rest;
/// `None` if there are none.
fn solve_for(coefficient: i64, rest: Interval, is_equation: bool) -> Option<Interval> {
    // `coefficient * x >= -rest.high`, and for an equation `coefficient * x <= -rest.low` too.
    let least = rest.high.and_then(i64::checked_neg);
    let most = rest.low.and_then(i64::checked_neg).filter(|_| is_equation);
    let (low, high) = if coefficient > 0 {
        (least.and_then(|it| ceil_div(it, coefficient)), most.and_then(|it| floor_div(it, coefficient)))
    } else {
        (most.and_then(|it| ceil_div(it, coefficient)), least.and_then(|it| floor_div(it, coefficient)))
    };
    Interval { low, high }.intersect(Interval::ALL)
}

/// Branch and bound over boxes.
struct Search<'r> {
    rows: &'r [(bool, Row)],
    budget: u32,
}

impl Search<'_> {
    fn find(&mut self, bounds: Vec<Interval>) -> Answer<Vec<i64>> {
        let mut pending = vec![bounds];
        while let Some(mut bounds) = pending.pop() {
            if self.budget == 0 {
                return Answer::Unknown;
            }
            self.budget -= 1;
            if !propagate(self.rows, &mut bounds) {
                continue;
            }
            let open = bounds.iter().enumerate().filter(|it| it.1.as_constant().is_none());
            let smallest = open.min_by_key(|it| it.1.count());
            let Some((index, range)) = smallest else {
                let values: Option<Vec<i64>> = bounds.iter().map(|it| it.as_constant()).collect();
                match values.filter(|it| self.satisfies(it)) {
                    Some(values) => return Answer::Yes(values),
                    None => continue,
                }
            };
            let (Some(low), Some(high)) = (range.low, range.high) else { return Answer::Unknown };
            let middle = low.midpoint(high).min(high - 1);
            for half in [(middle + 1, high), (low, middle)] {
                let mut part = bounds.clone();
                if let Some(half) = Interval::new(half.0, half.1) {
                    part[index] = half;
                    pending.push(part);
                }
            }
        }
        Answer::No
    }

    fn satisfies(&self, values: &[i64]) -> bool {
        self.rows.iter().all(|(is_equation, row)| {
            let sum = row.terms.iter().fold(i128::from(row.constant), |sum, (index, coefficient)| {
                sum + i128::from(values[*index]) * i128::from(*coefficient)
            });
            if *is_equation { sum == 0 } else { sum >= 0 }
        })
    }
}

/// A symbol in one of the two iterations that access an element.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Instance<S> {
    /// The same in both.
    Common(S),
    /// That of the first access.
    First(S),
    /// That of the second access.
    Second(S),
}

/// Two iterations that access the same element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependence<S> {
    /// Symbols of the first access.
    pub first: Point<S>,
    /// Symbols of the second access.
    pub second: Point<S>,
}

/// Whether two accesses touch one element in iterations that differ in a symbol of `domain`. Subscripts are
/// affine forms, one a dimension; symbols outside of `domain` have the same, unknown value in both.
pub fn test_accesses<S: Ord + Clone>(
    first: &[Affine<S>],
    second: &[Affine<S>],
    domain: &BTreeMap<S, Interval>,
) -> Answer<Dependence<S>> {
    if first.len() != second.len() {
        return Answer::Unknown;
    }
    let mut is_unknown = false;
    // Some symbol is the first that differs; it is smaller in one of the two iterations.
    for (position, differing) in domain.keys().enumerate() {
        for is_first_smaller in [true, false] {
            let mut system = System::default();
            for (symbol, interval) in domain {
                system.bound(Instance::First(symbol.clone()), *interval);
                system.bound(Instance::Second(symbol.clone()), *interval);
            }
            for (a, b) in first.iter().zip(second) {
                let (Some(a), Some(b)) =
                    (instance(a, domain, Instance::First), instance(b, domain, Instance::Second))
                else {
                    return Answer::Unknown;
                };
                system.require_equal(&a, &b);
            }
            for equal in domain.keys().take(position) {
                let a = Affine::symbol(Instance::First(equal.clone()));
                system.require_equal(&a, &Affine::symbol(Instance::Second(equal.clone())));
            }
            let a = Affine::symbol(Instance::First(differing.clone()));
            let b = Affine::symbol(Instance::Second(differing.clone()));
            if is_first_smaller {
                system.require_less(&a, &b)
            } else {
                system.require_less(&b, &a)
            }
            match system.solve() {
                Answer::Yes(point) => return Answer::Yes(split_witness(&point)),
                Answer::Unknown => is_unknown = true,
                Answer::No => {}
            }
        }
    }
    if is_unknown { Answer::Unknown } else { Answer::No }
}

/// A form over the symbols of one iteration.
fn instance<S: Ord + Clone>(
    form: &Affine<S>,
    domain: &BTreeMap<S, Interval>,
    of: fn(S) -> Instance<S>,
) -> Option<Affine<Instance<S>>> {
    form.terms().try_fold(Affine::from_constant(form.constant), |sum, (symbol, coefficient)| {
        let name =
            if domain.contains_key(symbol) { of(symbol.clone()) } else { Instance::Common(symbol.clone()) };
        sum.add_scaled(*coefficient, &Affine::symbol(name))
    })
}

fn split_witness<S: Ord + Clone>(point: &Point<Instance<S>>) -> Dependence<S> {
    let (mut first, mut second) = (Point::new(), Point::new());
    for (symbol, value) in point {
        match symbol {
            Instance::First(symbol) => _ = first.insert(symbol.clone(), *value),
            Instance::Second(symbol) => _ = second.insert(symbol.clone(), *value),
            Instance::Common(symbol) => {
                first.insert(symbol.clone(), *value);
                second.insert(symbol.clone(), *value);
            }
        }
    }
    Dependence { first, second }
}
