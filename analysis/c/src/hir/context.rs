//! Context selectors (OpenMP 5.2, section 7.1), and the variants of functions that have them (section 7.5).

use smol_str::SmolStr;

use super::ids::FunctionId;

/// A variant of a function (OpenMP 5.2, section 7.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionVariant {
    /// The function that calls name.
    pub base: FunctionId,
    /// The function that is called in its place.
    pub name: SmolStr,
    /// Where it is.
    pub selector: Selector,
}

/// What a context must have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    /// The traits, in the order of the source.
    pub traits: Vec<Trait>,
}

/// A trait of a selector: `kind(gpu)` of `device={kind(gpu)}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trait {
    /// The set that it belongs to: `device`. Empty for what is not understood.
    pub set: SmolStr,
    /// Its name: `kind`.
    pub name: SmolStr,
    /// Its properties, without quotation marks.
    pub properties: Vec<SmolStr>,
    /// The value of its expression, if it is constant.
    pub value: Option<i128>,
    /// The score that is written, if it is an integer.
    pub score: Option<i128>,
}

impl Trait {
    /// As it is written: `isa(sm_90)`.
    pub(crate) fn text(&self) -> SmolStr {
        match self.properties.is_empty() {
            true => self.name.clone(),
            false => format!("{}({})", self.name, self.properties.join(", ")).into(),
        }
    }

    /// Whether another trait demands all that this does.
    fn is_part_of(&self, other: &Trait) -> bool {
        (&self.set, &self.name, self.value) == (&other.set, &other.name, other.value)
            && self.properties.iter().all(|it| other.properties.contains(it))
    }
}

impl Selector {
    /// A selector about which nothing is known, because of this.
    pub fn unknown(what: &str) -> Selector {
        Selector { traits: vec![Trait { name: what.into(), ..Trait::default() }] }
    }

    /// Whether it demands a part of what another one does, and not all of it.
    pub(crate) fn is_strict_part_of(&self, other: &Selector) -> bool {
        self.is_part_of(other) && !other.is_part_of(self)
    }

    fn is_part_of(&self, other: &Selector) -> bool {
        self.traits.iter().all(|it| other.traits.iter().any(|of| it.is_part_of(of)))
    }
}
