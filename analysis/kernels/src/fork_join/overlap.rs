//! Whether two accesses touch one element: an equation for each index, decided by
//! [`apg_symbolic::dependence`].

use std::collections::{BTreeMap, BTreeSet};

use apg_symbolic::dependence::{Answer, Point};
use apg_symbolic::{Affine, System};

use super::model::{Access, Constraint, Selector, Symbol, Value};
use super::table::{self, TableElement};

/// Maximum number of conditions "is not equal" of two accesses: each halves the search.
const MAX_DISEQUATIONS: usize = 6;

/// Maximum number of boxes that are searched for one pair.
const MAX_BOXES: u32 = 64;

/// Of which access an unknown integer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// It has the same value in both.
    Both,
    /// Of the first one.
    First,
    /// Of the second one.
    Second,
}

/// An unknown integer of a pair of accesses.
pub type PairSymbol = (Symbol, Side);

/// A value of a pair of accesses.
pub type PairValue = Affine<PairSymbol>;

/// A condition on a pair of accesses.
#[derive(Clone, Debug)]
pub enum PairConstraint {
    /// The value is at least zero.
    NonNegative(PairValue),
    /// The value is zero.
    Zero(PairValue),
    /// The value is not zero.
    NonZero(PairValue),
}

/// Integers with the values that replace them, in the order of replacement.
type Substitution = Vec<(PairSymbol, PairValue)>;

/// A value with the symbols of a pair; `None` if it overflows.
pub fn renamed(value: &Value, name: &dyn Fn(Symbol) -> PairSymbol) -> Option<PairValue> {
    let mut sum = PairValue::from_constant(value.constant);
    for (symbol, factor) in value.terms() {
        sum = sum.add_scaled(*factor, &PairValue::symbol(name(*symbol)))?;
    }
    Some(sum)
}

/// The equations that make two parts of one object the same part: all of them are zero. `second` names the
/// symbols of the second part; those of the first are [`Side::First`] unless `second` says [`Side::Both`].
pub(super) fn equal_elements(
    a: &[Selector],
    b: &[Selector],
    second: &dyn Fn(Symbol) -> PairSymbol,
) -> Answer<Vec<PairValue>> {
    let first = |symbol: Symbol| match second(symbol) {
        (symbol, Side::Both) => (symbol, Side::Both),
        (symbol, _) => (symbol, Side::First),
    };
    let mut equations = Vec::new();
    let mut is_known = a.len() == b.len();
    for pair in a.iter().zip(b) {
        match pair {
            (Selector::Field(a), Selector::Field(b)) if a != b => return Answer::No,
            (Selector::Index(Some(a)), Selector::Index(Some(b))) => {
                let difference = renamed(a, &first).zip(renamed(b, second));
                match difference.and_then(|(a, b)| a.checked_sub(&b)) {
                    Some(it) => equations.push(it),
                    None => is_known = false,
                }
            }
            (Selector::Index(None), _) | (_, Selector::Index(None)) => is_known = false,
            (a, b) if std::mem::discriminant(a) != std::mem::discriminant(b) => return Answer::Unknown,
            _ => {}
        }
    }
    if is_known { Answer::Yes(equations) } else { Answer::Unknown }
}

/// Whether two accesses to one object touch one element under `extra` conditions. Integers in `shared` have
/// the same value in both.
pub(super) fn overlap<S>(
    a: &Access<S>,
    b: &Access<S>,
    shared: &[Symbol],
    extra: &[PairConstraint],
) -> Answer<Point<PairSymbol>> {
    let name = |side: Side| {
        move |symbol: Symbol| match symbol {
            Symbol::Fixed(_) => (symbol, Side::Both),
            Symbol::Own(_) if shared.contains(&symbol) => (symbol, Side::Both),
            Symbol::Own(_) => (symbol, side),
        }
    };
    let (first, second) = (name(Side::First), name(Side::Second));
    let equations = match equal_elements(&a.selectors, &b.selectors, &second) {
        Answer::Yes(equations) => equations,
        Answer::No => return Answer::No,
        Answer::Unknown => return Answer::Unknown,
    };
    // Where an unknown value of the program decides whether elements are equal, nothing is certain.
    let is_undecided = |it: &PairValue| it.terms().any(|(symbol, _)| matches!(symbol.0, Symbol::Fixed(_)));
    let has_undecided = equations.iter().any(is_undecided);
    let scaled = scaled_symbols(&equations);
    let mut related: Vec<PairConstraint> = equations.into_iter().map(PairConstraint::Zero).collect();
    related.extend(extra.iter().cloned());
    // Most pairs are refuted without their bounds.
    if eliminate(related.clone()).is_none() {
        return Answer::No;
    }
    if has_undecided {
        return Answer::Unknown;
    }
    let mut constraints: Vec<PairConstraint> = Vec::new();
    let mut tables: Vec<TableElement> = Vec::new();
    for (access, names) in [(a, &first as &dyn Fn(Symbol) -> PairSymbol), (b, &second)] {
        for constraint in access.constraints.iter() {
            let value = match constraint {
                Constraint::NonNegative(it) | Constraint::Zero(it) | Constraint::NonZero(it) => it,
                Constraint::Element { index, .. } => index,
            };
            let Some(value) = renamed(value, names) else { continue };
            match constraint {
                Constraint::NonNegative(_) => constraints.push(PairConstraint::NonNegative(value)),
                Constraint::Zero(_) => constraints.push(PairConstraint::Zero(value)),
                Constraint::NonZero(_) => constraints.push(PairConstraint::NonZero(value)),
                Constraint::Element { element, table, .. } => {
                    tables.push(TableElement {
                        element: names(*element),
                        index: value,
                        table: table.clone(),
                    });
                }
            }
        }
    }
    let uses_table =
        |it: &PairConstraint| it.symbols().any(|it| tables.iter().any(|table| table.element == it));
    let is_tabulated = related.iter().any(uses_table);
    if is_tabulated {
        // The index of an element decides which iteration it is.
        related.append(&mut constraints);
        return table::solve_with_tables(&related, &tables);
    }
    if scaled.iter().any(|it| has_unknown_range(*it, &constraints)) {
        return Answer::Unknown;
    }
    add_related(&mut related, constraints);
    solve(related)
}

/// The integers whose size decides whether elements are equal: those in equations that state more than a
/// distance between the values of one integer in both accesses, as those of `a[i]` and `a[2 * i]` do.
fn scaled_symbols(equations: &[PairValue]) -> BTreeSet<PairSymbol> {
    let mut found = BTreeSet::new();
    for equation in equations {
        let mut sums: BTreeMap<Symbol, i64> = BTreeMap::new();
        for ((symbol, _), factor) in equation.terms() {
            let sum = sums.entry(*symbol).or_default();
            *sum = sum.saturating_add(*factor);
        }
        if sums.values().any(|it| *it != 0) {
            found.extend(equation.terms().map(|it| *it.0));
        }
    }
    found
}

/// Whether an integer lies between two unknown integers: which values it takes is not known.
fn has_unknown_range(symbol: PairSymbol, constraints: &[PairConstraint]) -> bool {
    let is_fixed = |it: PairSymbol| matches!(it.0, Symbol::Fixed(_));
    let is_bound = |sign: i64| {
        constraints.iter().any(|it| {
            let PairConstraint::NonNegative(value) = it else { return false };
            let has_symbol = value.terms().any(|it| *it.0 == symbol && it.1.signum() == sign);
            has_symbol && it.symbols().any(is_fixed)
        })
    };
    is_bound(1) && is_bound(-1)
}

impl PairConstraint {
    fn symbols(&self) -> impl Iterator<Item = PairSymbol> + '_ {
        self.value().terms().map(|it| *it.0)
    }

    pub(super) fn value(&self) -> &PairValue {
        let (PairConstraint::NonNegative(it) | PairConstraint::Zero(it) | PairConstraint::NonZero(it)) = self;
        it
    }

    pub(super) fn value_mut(&mut self) -> &mut PairValue {
        let (PairConstraint::NonNegative(it) | PairConstraint::Zero(it) | PairConstraint::NonZero(it)) = self;
        it
    }
}

/// Adds the conditions that share integers with others, directly or through each other.
fn add_related(related: &mut Vec<PairConstraint>, mut rest: Vec<PairConstraint>) {
    let mut symbols: BTreeSet<PairSymbol> =
        related.iter().flat_map(|it| it.symbols().collect::<Vec<_>>()).collect();
    loop {
        let (near, far): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|it| it.symbols().any(|symbol| symbols.contains(&symbol)));
        if near.is_empty() {
            return;
        }
        symbols.extend(near.iter().flat_map(|it| it.symbols().collect::<Vec<_>>()));
        related.extend(near);
        rest = far;
    }
}

/// Solves the equations for integers that have the factor 1 or -1, and replaces these everywhere
/// (substitution, as in Pugh 1991, section 2.2). `None` if there is no
/// solution, or if a value overflows.
fn eliminate(mut constraints: Vec<PairConstraint>) -> Option<(Vec<PairConstraint>, Substitution)> {
    let mut solved = Vec::new();
    loop {
        let unit = constraints.iter().enumerate().find_map(|(number, it)| match it {
            PairConstraint::Zero(value) => {
                let (symbol, factor) = value.terms().find(|it| it.1.abs() == 1)?;
                Some((number, *symbol, *factor))
            }
            _ => None,
        });
        let Some((number, symbol, factor)) = unit else { break };
        let PairConstraint::Zero(equation) = constraints.swap_remove(number) else { break };
        // `factor * symbol + rest = 0`
        let rest = equation.checked_sub(&PairValue::symbol(symbol).checked_scale(factor)?)?;
        let value = rest.checked_scale(-factor)?;
        for constraint in &mut constraints {
            let replaced = constraint.value().substitute(&symbol, &value)?;
            *constraint.value_mut() = replaced;
        }
        solved.push((symbol, value));
    }
    let is_refuted = constraints.iter().any(|it| match it {
        PairConstraint::NonNegative(it) => it.as_constant().is_some_and(|it| *it < 0),
        PairConstraint::Zero(it) => it.as_constant().is_some_and(|it| *it != 0),
        PairConstraint::NonZero(it) => it.as_constant() == Some(&0),
    });
    (!is_refuted).then_some((constraints, solved))
}

pub(super) fn solve(constraints: Vec<PairConstraint>) -> Answer<Point<PairSymbol>> {
    let Some((constraints, solved)) = eliminate(constraints) else { return Answer::No };
    let reduced = without_one_sided(constraints.clone());
    let mut point = match search(&reduced) {
        Answer::Yes(point) if reduced.len() == constraints.len() => point,
        // There is a solution; whether it is found decides only about the example.
        Answer::Yes(_) => match search(&constraints) {
            Answer::Yes(point) => point,
            Answer::No | Answer::Unknown => return Answer::Yes(Point::new()),
        },
        answer => return answer,
    };
    for (symbol, value) in solved.into_iter().rev() {
        // Integers that nothing restricts are taken as zero.
        let known = value.evaluate(&|it| Some(point.get(it).copied().unwrap_or(0)));
        point.insert(symbol, known.unwrap_or(0));
    }
    Answer::Yes(point)
}

/// The constraints without those that a large enough, or small enough, integer satisfies: an integer in no
/// equation whose factors in all inequalities have one sign (the trivial case of Fourier and Motzkin).
fn without_one_sided(mut constraints: Vec<PairConstraint>) -> Vec<PairConstraint> {
    loop {
        // Of each integer: it has a positive factor, it has a negative one.
        let mut signs: BTreeMap<PairSymbol, (bool, bool)> = BTreeMap::new();
        for constraint in &constraints {
            let is_equation = matches!(constraint, PairConstraint::Zero(_));
            let is_inequality = matches!(constraint, PairConstraint::NonNegative(_));
            for (symbol, factor) in constraint.value().terms() {
                let entry = signs.entry(*symbol).or_default();
                entry.0 |= is_equation || is_inequality && *factor > 0;
                entry.1 |= is_equation || is_inequality && *factor < 0;
            }
        }
        let count = constraints.len();
        constraints.retain(|it| it.symbols().all(|it| signs[&it] == (true, true)));
        if constraints.len() == count {
            return constraints;
        }
    }
}

fn search(constraints: &[PairConstraint]) -> Answer<Point<PairSymbol>> {
    let zero = PairValue::from_constant(0);
    let mut system = System::default();
    let mut disequations = Vec::new();
    for constraint in constraints {
        match constraint {
            PairConstraint::NonNegative(it) => system.require_at_most(&zero, it),
            PairConstraint::Zero(it) => system.require_equal(it, &zero),
            PairConstraint::NonZero(it) => disequations.push(it),
        }
    }
    if disequations.len() > MAX_DISEQUATIONS {
        return Answer::Unknown;
    }
    let mut is_unknown = false;
    for signs in 0..1_u32 << disequations.len() {
        let mut case = system.clone();
        for (number, it) in disequations.iter().enumerate() {
            match signs >> number & 1 {
                0 => case.require_less(it, &zero),
                _ => case.require_less(&zero, it),
            }
        }
        match case.solve_within(&mut { MAX_BOXES }) {
            Answer::Yes(point) => return Answer::Yes(point),
            Answer::Unknown => is_unknown = true,
            Answer::No => {}
        }
    }
    if is_unknown { Answer::Unknown } else { Answer::No }
}
