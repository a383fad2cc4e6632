//! Contexts (OpenMP 5.2, sections 7.1 to 7.3): which variant of a function or of a directive is for code of a
//! device, or of the host.

use smol_str::SmolStr;

use crate::hir::{Construct, Selector, Trait};

/// Code for which a variant is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The constructs around, the outermost first, from `target` on.
    pub constructs: Vec<Construct>,
    /// It is code of a device.
    pub is_device: bool,
}

/// What is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The variant of this number.
    Variant(usize),
    /// None: the base function, or the directive of `otherwise`.
    Base,
    /// It cannot be said at compile time, because of this trait.
    Unknown(SmolStr),
}

/// Whether a context has a trait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    Unknown,
}

impl From<bool> for Answer {
    fn from(is_so: bool) -> Answer {
        if is_so { Answer::Yes } else { Answer::No }
    }
}

impl Context {
    /// A context inside of constructs, those of a directive in their order.
    pub fn new(constructs: impl IntoIterator<Item = Construct>, is_device: bool) -> Context {
        use Construct::*;
        let has_trait = |it: &Construct| matches!(it, Target | Teams | Parallel | For | Simd);
        Context { constructs: constructs.into_iter().filter(has_trait).collect(), is_device }
    }

    /// Chooses among variants (OpenMP 5.2, section 7.3): of those whose selectors match, those that demand a
    /// part of what another one does are left out, and the first one of the highest score is chosen.
    pub fn choose(&self, variants: &[&Selector]) -> Choice {
        let mut matching = Vec::new();
        for (index, selector) in variants.iter().enumerate() {
            match self.matches(selector) {
                Ok(None) => {}
                Ok(Some(score)) => matching.push((index, score)),
                Err(unknown) => return Choice::Unknown(unknown),
            }
        }
        let is_dominated = |index: usize| {
            matching.iter().any(|(other, _)| variants[index].is_strict_part_of(variants[*other]))
        };
        let mut best: Option<(usize, i128)> = None;
        for (index, score) in matching.iter().copied().filter(|it| !is_dominated(it.0)) {
            if best.is_none_or(|it| score > it.1) {
                best = Some((index, score));
            }
        }
        best.map_or(Choice::Base, |it| Choice::Variant(it.0))
    }

    /// The score of a selector where it matches, or `None` where it does not match.
    ///
    /// # Errors
    /// The trait on which it depends, if that is not known.
    fn matches(&self, selector: &Selector) -> Result<Option<i128>, SmolStr> {
        let (constructs, others): (Vec<&Trait>, Vec<&Trait>) =
            selector.traits.iter().partition(|it| it.set == "construct");
        let answers: Vec<Answer> = others.iter().map(|it| self.answer(it)).collect();
        let score = self.score_of_constructs(&constructs);
        if answers.contains(&Answer::No) || score == Some(None) {
            return Ok(None);
        }
        if let Some(index) = answers.iter().position(|it| *it == Answer::Unknown) {
            return Err(others[index].text());
        }
        let Some(Some(mut score)) = score else {
            let with_clauses = constructs.iter().find(|it| !it.properties.is_empty());
            return Err(with_clauses.map_or_else(SmolStr::default, |it| it.text()));
        };
        for it in others {
            let place = match it.name.as_str() {
                "kind" => Some(0),
                "arch" => Some(1),
                "isa" => Some(2),
                _ => None,
            };
            let place = place.filter(|_| it.set.ends_with("device"));
            let of_device = place.map(|it| power(self.constructs.len() + it));
            score = score.saturating_add(it.score.or(of_device).unwrap_or(0));
        }
        Ok(Some(score))
    }

    /// The score of the constructs of a selector, which the context has in the same order; `Some(None)` if it
    /// does not have them, and `None` if that is not known.
    fn score_of_constructs(&self, traits: &[&Trait]) -> Option<Option<i128>> {
        let mut end = self.constructs.len();
        let mut score = 0_i128;
        for it in traits.iter().rev() {
            // Of several positions, the last ones have the highest score.
            let position = self.constructs[..end].iter().rposition(|construct| construct.text() == it.name);
            let Some(position) = position else { return Some(None) };
            score = score.saturating_add(power(position));
            end = position;
        }
        // The clauses of `simd(simdlen(4))` are not compared.
        traits.iter().all(|it| it.properties.is_empty()).then_some(Some(score))
    }

    fn answer(&self, of: &Trait) -> Answer {
        match (of.set.as_str(), of.name.as_str()) {
            ("device", _) => self.answer_of_device(of),
            // Inside of a region, it is the device that executes it.
            ("target_device", "kind" | "arch" | "isa") if self.is_device => self.answer_of_device(of),
            // The compiler of device code is NVIDIA's.
            ("implementation", "vendor") if self.is_device => all(of, |it| (it == "nvidia").into()),
            ("user", "condition") => of.value.map_or(Answer::Unknown, |it| (it != 0).into()),
            _ => Answer::Unknown,
        }
    }

    fn answer_of_device(&self, of: &Trait) -> Answer {
        match (of.name.as_str(), self.is_device) {
            ("kind", true) => all(of, |it| matches!(it, "any" | "nohost" | "gpu").into()),
            ("kind", false) => all(of, |it| matches!(it, "any" | "host" | "cpu").into()),
            ("arch", false) => all(of, |it| if is_of_gpus(it) { Answer::No } else { Answer::Unknown }),
            ("arch", true) => all(of, |it| matches!(it, "nvptx" | "nvptx64").into()),
            // Which GPU it is shows when the program runs.
            ("isa", true) => all(of, |it| if it.starts_with("sm_") { Answer::Unknown } else { Answer::No }),
            _ => Answer::Unknown,
        }
    }
}

/// Whether an architecture is one of GPUs (OpenMP API Additional Definitions).
fn is_of_gpus(arch: &str) -> bool {
    matches!(arch, "nvptx" | "nvptx64" | "amdgcn" | "gcn" | "spirv64")
}

/// The answer for all properties of a trait.
fn all(of: &Trait, answer: impl Fn(&str) -> Answer) -> Answer {
    let answers: Vec<Answer> = of.properties.iter().map(|it| answer(it)).collect();
    match answers.contains(&Answer::No) {
        true => Answer::No,
        false if answers.contains(&Answer::Unknown) || answers.is_empty() => Answer::Unknown,
        false => Answer::Yes,
    }
}

/// The score of the trait at a position, counted from 0.
fn power(position: usize) -> i128 {
    if position < 126 { 1 << position } else { i128::MAX }
}
