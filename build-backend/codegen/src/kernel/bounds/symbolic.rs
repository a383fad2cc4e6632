//! Symbolic integers and affine forms. Arithmetic on constants is folded; otherwise it becomes host code that
//! is evaluated at launch.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

/// An integer that the host knows at launch.

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SymInt {
    /// A compile-time constant.
    Const(i64),
    /// An expression of the host code.
    Expr(String),
}

impl SymInt {
    /// The integer as host code.
    pub(super) fn text(&self) -> String {
        match self {
            SymInt::Const(i64::MIN) => "(-9223372036854775807LL - 1)".into(),
            SymInt::Const(value) if *value < 0 => format!("({value}LL)"),
            SymInt::Const(value) => format!("{value}LL"),
            SymInt::Expr(text) => text.clone(),
        }
    }

    fn as_known(&self) -> Option<i64> {
        match self {
            SymInt::Const(value) => Some(*value),
            SymInt::Expr(_) => None,
        }
    }
}

/// Number of a symbol in [`SymbolicContext`].
pub(super) type SymbolId = u32;
/// Number of an assumption in [`SymbolicContext`].
pub(super) type AssumptionId = u32;

/// An affine form, `constant + sum of coefficient * symbol`, valid under its assumptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Affine {
    /// The constant term.
    pub constant: SymInt,
    /// Coefficients by symbol, without zeros.
    pub terms: BTreeMap<SymbolId, SymInt>,
    /// Conditions under which the form is the value.
    pub assumptions: BTreeSet<AssumptionId>,
    /// The form is the value itself, rather than modulo the width of the type.
    pub exact: bool,
}

impl Affine {
    /// A form without symbols.
    pub(super) fn constant(constant: SymInt) -> Affine {
        Affine { constant, terms: BTreeMap::new(), assumptions: BTreeSet::new(), exact: true }
    }

    /// The constant, if the form has no symbol.
    pub(super) fn as_constant(&self) -> Option<&SymInt> {
        self.terms.is_empty().then_some(&self.constant)
    }
}

/// Minimum and maximum; `None` is unbounded.
pub(super) type Range = (Option<SymInt>, Option<SymInt>);

/// Symbols, assumptions, and the host code that computes them.
#[derive(Default)]
pub(super) struct SymbolicContext {
    /// Lines of host code.
    pub lines: Vec<String>,
    symbols: Vec<Range>,
    bindings: FxHashMap<String, u32>,
    assumptions: FxHashMap<String, AssumptionId>,
}

impl SymbolicContext {
    fn bind(&mut self, text: String) -> SymInt {
        let next = self.bindings.len() as u32;
        let number = *self.bindings.entry(text.clone()).or_insert_with(|| {
            self.lines.push(format!("const apg_i64 n{next} = {text};"));
            next
        });
        SymInt::Expr(format!("n{number}"))
    }

    /// Binds an expression of the host to a variable.
    pub(super) fn bind_value(&mut self, text: &str) -> SymInt {
        self.bind(format!("(apg_i64)({text})"))
    }

    /// Defines a condition of the host.
    pub(super) fn assumption(&mut self, text: String) -> AssumptionId {
        let next = self.assumptions.len() as AssumptionId;
        *self.assumptions.entry(text.clone()).or_insert_with(|| {
            self.lines.push(format!("const bool q{next} = {text};"));
            next
        })
    }

    /// Assumption of over-approximated forms. It is never tested at launch: a test that often fails would
    /// cost a second compiled variant.
    pub(super) fn approximation(&mut self) -> AssumptionId {
        self.assumption("true".into())
    }

    /// A new symbol with that range, which is valid under assumptions.
    pub(super) fn symbol(&mut self, range: Range, assumptions: BTreeSet<AssumptionId>) -> Affine {
        if let (Some(low), Some(high)) = &range
            && low == high
        {
            return Affine { assumptions, ..Affine::constant(low.clone()) };
        }
        self.symbols.push(range);
        let id = (self.symbols.len() - 1) as SymbolId;
        Affine {
            terms: BTreeMap::from([(id, SymInt::Const(1))]),
            assumptions,
            ..Affine::constant(SymInt::Const(0))
        }
    }

    /// The range of a symbol, which may be narrowed later.
    pub(super) fn range_of(&mut self, id: SymbolId) -> &mut Range {
        &mut self.symbols[id as usize]
    }

    fn fold_or_bind(
        &mut self,
        name: &str,
        fold: fn(i64, i64) -> Option<i64>,
        a: &SymInt,
        b: &SymInt,
    ) -> SymInt {
        if let (Some(a), Some(b)) = (a.as_known(), b.as_known())
            && let Some(value) = fold(a, b)
        {
            return SymInt::Const(value);
        }
        self.bind(format!("apg_{name}({}, {}, bad_)", a.text(), b.text()))
    }

    /// `a + b`.
    pub(super) fn add(&mut self, a: &SymInt, b: &SymInt) -> SymInt {
        match (a, b) {
            (SymInt::Const(0), other) | (other, SymInt::Const(0)) => other.clone(),
            _ => self.fold_or_bind("sum", i64::checked_add, a, b),
        }
    }

    /// `a - b`.
    pub(super) fn sub(&mut self, a: &SymInt, b: &SymInt) -> SymInt {
        if a == b {
            return SymInt::Const(0);
        }
        match b {
            SymInt::Const(0) => a.clone(),
            _ => self.fold_or_bind("difference", i64::checked_sub, a, b),
        }
    }

    /// `a * b`.
    pub(super) fn mul(&mut self, a: &SymInt, b: &SymInt) -> SymInt {
        match (a, b) {
            (SymInt::Const(0), _) | (_, SymInt::Const(0)) => SymInt::Const(0),
            (SymInt::Const(1), other) | (other, SymInt::Const(1)) => other.clone(),
            _ => self.fold_or_bind("product", i64::checked_mul, a, b),
        }
    }

    /// `a / b` rounded down; `b` is positive.
    pub(super) fn floor_div(&mut self, a: &SymInt, b: &SymInt) -> SymInt {
        let fold = |a: i64, b: i64| if b > 0 { Some(a.div_euclid(b)) } else { None };
        if b == &SymInt::Const(1) { a.clone() } else { self.fold_or_bind("floor", fold, a, b) }
    }

    /// Minimum.
    pub(super) fn min(&mut self, a: &SymInt, b: &SymInt) -> SymInt {
        if a == b { a.clone() } else { self.fold_or_bind("least", |a, b| Some(a.min(b)), a, b) }
    }

    /// Maximum.
    pub(super) fn max(&mut self, a: &SymInt, b: &SymInt) -> SymInt {
        if a == b { a.clone() } else { self.fold_or_bind("most", |a, b| Some(a.max(b)), a, b) }
    }

    /// The smallest number of the form `2^k - 1` that is at least `a`, which is not negative.
    pub(super) fn all_ones(&mut self, a: &SymInt) -> SymInt {
        let fold = |a: i64, _: i64| {
            (0..i64::MAX / 2).contains(&a).then(|| (a as u64 + 1).next_power_of_two() as i64 - 1)
        };
        self.fold_or_bind("ones", fold, a, &SymInt::Const(0))
    }

    /// Sum of two forms.
    pub(super) fn sum(&mut self, a: &Affine, b: &Affine) -> Affine {
        let mut terms = a.terms.clone();
        for (symbol, factor) in &b.terms {
            let all = match terms.get(symbol) {
                Some(other) => self.add(other, factor),
                None => factor.clone(),
            };
            terms.insert(*symbol, all);
        }
        terms.retain(|_, factor| *factor != SymInt::Const(0));
        Affine {
            constant: self.add(&a.constant, &b.constant),
            terms,
            assumptions: &a.assumptions | &b.assumptions,
            exact: false,
        }
    }

    /// A form times a number.
    pub(super) fn scale(&mut self, a: &Affine, factor: &SymInt) -> Affine {
        let constant = self.mul(&a.constant, factor);
        let mut terms = BTreeMap::new();
        for (symbol, old) in &a.terms {
            terms.insert(*symbol, self.mul(old, factor));
        }
        terms.retain(|_, factor| *factor != SymInt::Const(0));
        Affine { constant, terms, assumptions: a.assumptions.clone(), exact: false }
    }

    /// `a - b`.
    pub(super) fn difference(&mut self, a: &Affine, b: &Affine) -> Affine {
        if a.terms.is_empty() && b.terms.is_empty() {
            let assumptions = &a.assumptions | &b.assumptions;
            return Affine {
                assumptions,
                exact: false,
                ..Affine::constant(self.sub(&a.constant, &b.constant))
            };
        }
        let negative = self.scale(b, &SymInt::Const(-1));
        self.sum(a, &negative)
    }

    /// Range of a form.
    pub(super) fn range(&mut self, form: &Affine) -> Range {
        let (mut low, mut high) = (Some(form.constant.clone()), Some(form.constant.clone()));
        for (symbol, factor) in &form.terms {
            let (first, last) = self.symbols[*symbol as usize].clone();
            let (first, last) = match factor {
                SymInt::Const(value) => {
                    let first = first.map(|it| self.mul(&it, factor));
                    let last = last.map(|it| self.mul(&it, factor));
                    if *value < 0 { (last, first) } else { (first, last) }
                }
                SymInt::Expr(_) => match (first, last) {
                    (Some(first), Some(last)) => {
                        let (a, b) = (self.mul(&first, factor), self.mul(&last, factor));
                        (Some(self.min(&a, &b)), Some(self.max(&a, &b)))
                    }
                    _ => (None, None),
                },
            };
            low = low.zip(first).map(|(a, b)| self.add(&a, &b));
            high = high.zip(last).map(|(a, b)| self.add(&a, &b));
        }
        (low, high)
    }

    /// The smallest range that contains both.
    pub(super) fn hull(&mut self, a: &Range, b: &Range) -> Range {
        (
            a.0.as_ref().zip(b.0.as_ref()).map(|(a, b)| self.min(a, b)),
            a.1.as_ref().zip(b.1.as_ref()).map(|(a, b)| self.max(a, b)),
        )
    }
}

/// The lines that results depend on, in order: any other line could only report an overflow.
pub(super) fn needed_lines<'t>(lines: Vec<String>, results: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut wanted: FxHashSet<String> = results.flat_map(names).map(str::to_owned).collect();
    let mut kept: Vec<String> = Vec::new();
    for line in lines.into_iter().rev() {
        let Some((head, value)) = line.split_once(" = ") else { continue };
        if head.rsplit(' ').next().is_some_and(|name| wanted.contains(name)) {
            wanted.extend(names(value).map(str::to_owned));
            kept.push(line);
        }
    }
    kept.reverse();
    kept
}

/// Identifiers in a piece of code.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|it| !it.is_empty())
}
