//! Numbers that the host knows at a launch, and sums of them times unknowns of known range. Arithmetic on them is folded where
//! the numbers are known to the compiler, and written down as host code where they are not.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

/// A number that the host knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Num {
    /// The compiler knows it too.
    Known(i64),
    /// An expression of the host code.
    Text(String),
}

impl Num {
    /// As host code.
    pub fn text(&self) -> String {
        match self {
            Num::Known(i64::MIN) => "(-9223372036854775807LL - 1)".into(),
            Num::Known(value) if *value < 0 => format!("({value}LL)"),
            Num::Known(value) => format!("{value}LL"),
            Num::Text(text) => text.clone(),
        }
    }

    fn known(&self) -> Option<i64> {
        match self {
            Num::Known(value) => Some(*value),
            Num::Text(_) => None,
        }
    }
}

/// Number of an unknown in [`Book`].
pub type AtomId = u32;
/// Number of a condition in [`Book`].
pub type FactId = u32;

/// `constant + sum of coefficient * unknown`, true if all of `facts` are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// What stands alone.
    pub constant: Num,
    /// Coefficients by unknown; none is a known 0.
    pub terms: BTreeMap<AtomId, Num>,
    /// Conditions under which the form is the value.
    pub facts: BTreeSet<FactId>,
    /// It is the value itself, not only modulo the width of the type.
    pub exact: bool,
}

impl Form {
    /// A number.
    pub fn point(constant: Num) -> Form {
        Form { constant, terms: BTreeMap::new(), facts: BTreeSet::new(), exact: true }
    }

    /// The number that it is, if it has no unknown.
    pub fn as_point(&self) -> Option<&Num> {
        self.terms.is_empty().then_some(&self.constant)
    }
}

/// Least and greatest value; none if there is no bound.
pub type Range = (Option<Num>, Option<Num>);

/// The host code that is being written.
#[derive(Default)]
pub struct Book {
    /// Its lines.
    pub lines: Vec<String>,
    atoms: Vec<Range>,
    numbers: FxHashMap<String, u32>,
    facts: FxHashMap<String, FactId>,
}

impl Book {
    fn number(&mut self, text: String) -> Num {
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(text.clone()).or_insert_with(|| {
            self.lines.push(format!("const apg_i64 n{next} = {text};"));
            next
        });
        Num::Text(format!("n{number}"))
    }

    /// Gives an expression a name, so that it is evaluated once.
    pub fn named(&mut self, text: &str) -> Num {
        self.number(format!("(apg_i64)({text})"))
    }

    /// A condition with a number.
    pub fn fact(&mut self, text: String) -> FactId {
        let next = self.facts.len() as FactId;
        *self.facts.entry(text.clone()).or_insert_with(|| {
            self.lines.push(format!("const bool q{next} = {text};"));
            next
        })
    }

    /// What forms that are far from exact rest on: that an access is inside its rail is not asked of the host where only they
    /// would say so, since where it denies anything the code is compiled once more.
    pub fn rough(&mut self) -> FactId {
        self.fact("true".into())
    }

    /// An unknown in that range, which holds under some conditions.
    pub fn atom(&mut self, range: Range, facts: BTreeSet<FactId>) -> Form {
        if let (Some(low), Some(high)) = &range
            && low == high
        {
            return Form { facts, ..Form::point(low.clone()) };
        }
        self.atoms.push(range);
        let id = (self.atoms.len() - 1) as AtomId;
        Form { terms: BTreeMap::from([(id, Num::Known(1))]), facts, ..Form::point(Num::Known(0)) }
    }

    /// The range of an unknown, which may be set once more is known.
    pub fn range_of(&mut self, id: AtomId) -> &mut Range {
        &mut self.atoms[id as usize]
    }

    fn apply(&mut self, name: &str, fold: fn(i64, i64) -> Option<i64>, a: &Num, b: &Num) -> Num {
        if let (Some(a), Some(b)) = (a.known(), b.known())
            && let Some(value) = fold(a, b)
        {
            return Num::Known(value);
        }
        self.number(format!("apg_{name}({}, {}, bad_)", a.text(), b.text()))
    }

    /// `a + b`.
    pub fn add(&mut self, a: &Num, b: &Num) -> Num {
        match (a, b) {
            (Num::Known(0), other) | (other, Num::Known(0)) => other.clone(),
            _ => self.apply("sum", i64::checked_add, a, b),
        }
    }

    /// `a - b`.
    pub fn sub(&mut self, a: &Num, b: &Num) -> Num {
        if a == b {
            return Num::Known(0);
        }
        match b {
            Num::Known(0) => a.clone(),
            _ => self.apply("difference", i64::checked_sub, a, b),
        }
    }

    /// `a * b`.
    pub fn mul(&mut self, a: &Num, b: &Num) -> Num {
        match (a, b) {
            (Num::Known(0), _) | (_, Num::Known(0)) => Num::Known(0),
            (Num::Known(1), other) | (other, Num::Known(1)) => other.clone(),
            _ => self.apply("product", i64::checked_mul, a, b),
        }
    }

    /// The greatest integer not above `a / b`; `b` is above 0.
    pub fn floor(&mut self, a: &Num, b: &Num) -> Num {
        let fold = |a: i64, b: i64| if b > 0 { Some(a.div_euclid(b)) } else { None };
        if b == &Num::Known(1) { a.clone() } else { self.apply("floor", fold, a, b) }
    }

    /// The smaller one.
    pub fn min(&mut self, a: &Num, b: &Num) -> Num {
        if a == b { a.clone() } else { self.apply("least", |a, b| Some(a.min(b)), a, b) }
    }

    /// The larger one.
    pub fn max(&mut self, a: &Num, b: &Num) -> Num {
        if a == b { a.clone() } else { self.apply("most", |a, b| Some(a.max(b)), a, b) }
    }

    /// The least number of the form `11...1` in binary that is not below `a`, which is not negative.
    pub fn ones(&mut self, a: &Num) -> Num {
        let fold = |a: i64, _: i64| {
            (0..i64::MAX / 2).contains(&a).then(|| (a as u64 + 1).next_power_of_two() as i64 - 1)
        };
        self.apply("ones", fold, a, &Num::Known(0))
    }

    /// The sum of two forms.
    pub fn sum(&mut self, a: &Form, b: &Form) -> Form {
        let mut terms = a.terms.clone();
        for (atom, factor) in &b.terms {
            let all = match terms.get(atom) {
                Some(other) => self.add(other, factor),
                None => factor.clone(),
            };
            terms.insert(*atom, all);
        }
        terms.retain(|_, factor| *factor != Num::Known(0));
        Form { constant: self.add(&a.constant, &b.constant), terms, facts: &a.facts | &b.facts, exact: false }
    }

    /// A form times a number.
    pub fn scale(&mut self, a: &Form, factor: &Num) -> Form {
        let constant = self.mul(&a.constant, factor);
        let mut terms = BTreeMap::new();
        for (atom, old) in &a.terms {
            terms.insert(*atom, self.mul(old, factor));
        }
        terms.retain(|_, factor| *factor != Num::Known(0));
        Form { constant, terms, facts: a.facts.clone(), exact: false }
    }

    /// `a - b`.
    pub fn difference(&mut self, a: &Form, b: &Form) -> Form {
        if a.terms.is_empty() && b.terms.is_empty() {
            let facts = &a.facts | &b.facts;
            return Form { facts, exact: false, ..Form::point(self.sub(&a.constant, &b.constant)) };
        }
        let negative = self.scale(b, &Num::Known(-1));
        self.sum(a, &negative)
    }

    /// The range of a form.
    pub fn range(&mut self, form: &Form) -> Range {
        let (mut low, mut high) = (Some(form.constant.clone()), Some(form.constant.clone()));
        for (atom, factor) in &form.terms {
            let (first, last) = self.atoms[*atom as usize].clone();
            let (first, last) = match factor {
                Num::Known(value) => {
                    let first = first.map(|it| self.mul(&it, factor));
                    let last = last.map(|it| self.mul(&it, factor));
                    if *value < 0 { (last, first) } else { (first, last) }
                }
                Num::Text(_) => match (first, last) {
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

    /// A value of either range.
    pub fn hull(&mut self, a: &Range, b: &Range) -> Range {
        (
            a.0.as_ref().zip(b.0.as_ref()).map(|(a, b)| self.min(a, b)),
            a.1.as_ref().zip(b.1.as_ref()).map(|(a, b)| self.max(a, b)),
        )
    }
}

/// The lines that results are made of, in order: what does not lead to a result could only say that it does not fit 64 bits.
pub fn needed<'t>(lines: Vec<String>, results: impl Iterator<Item = &'t str>) -> Vec<String> {
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

/// The names in a piece of code.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|it| !it.is_empty())
}
