//! Context selectors, and what they choose among (OpenMP 5.2, chapter 7).

use apg_c_syntax::ast::{self, AstNode};
use smol_str::SmolStr;

use crate::hir::{Construct, Selector, Trait};

/// Whether a construct has a statement, whatever its clauses are.
pub(super) fn has_statement(construct: Construct) -> bool {
    use Construct::*;
    construct.is_loop()
        || matches!(construct, Parallel | Sections | Single | Master | Masked | Critical | Scope)
        || matches!(construct, Target | TargetData | Teams | Atomic | Task | Taskgroup)
}

/// Whether a clause names no directive: `otherwise()`, `when(user={condition(1)}:)`.
pub(super) fn is_empty(clause: &ast::Clause) -> bool {
    let tokens = clause.syntax().children_with_tokens().filter_map(|it| it.into_token());
    let last: Vec<_> = tokens.filter(|it| !it.kind().is_trivia()).map(|it| it.text().to_owned()).collect();
    match &last[..] {
        [open, close] => (&**open, &**close) == ("(", ")"),
        [.., colon, close] => (&**colon, &**close) == (":", ")"),
        _ => false,
    }
}

/// A part of a selector.
pub(super) enum Part {
    Text(SmolStr),
    /// An expression, with its value if that is constant.
    Value(Option<i128>),
}

/// The selector that parts make, behind the opening parenthesis.
pub(super) fn selector(parts: &[Part]) -> Selector {
    Parts { parts, at: 0 }.selector()
}

/// The parts of a selector while they are read.
struct Parts<'p> {
    parts: &'p [Part],
    at: usize,
}

impl Parts<'_> {
    fn selector(mut self) -> Selector {
        match self.traits() {
            Some(traits) => Selector { traits },
            None => Selector::unknown("match"),
        }
    }

    fn text(&self) -> Option<&str> {
        match self.parts.get(self.at)? {
            Part::Text(text) => Some(text),
            Part::Value(_) => None,
        }
    }

    fn eat(&mut self, text: &str) -> Option<()> {
        (self.text() == Some(text)).then(|| self.at += 1)
    }

    fn word(&mut self) -> Option<SmolStr> {
        let word = self.text().filter(|it| it.starts_with(|it: char| it.is_alphabetic() || it == '_'));
        let word = word.map(SmolStr::new)?;
        self.at += 1;
        Some(word)
    }

    /// `device={kind(gpu)}, user={condition(1)}`; `None` for anything else.
    fn traits(&mut self) -> Option<Vec<Trait>> {
        let mut found = Vec::new();
        loop {
            let set = self.word()?;
            self.eat("=")?;
            self.eat("{")?;
            loop {
                found.push(self.one(&set)?);
                if self.eat(",").is_none() {
                    break;
                }
            }
            self.eat("}")?;
            if self.eat(",").is_none() {
                return Some(found);
            }
        }
    }

    /// `kind(gpu)`, `condition(score(5): n > 1)`, `parallel`.
    fn one(&mut self, set: &SmolStr) -> Option<Trait> {
        let mut found = Trait { set: set.clone(), name: self.word()?, ..Trait::default() };
        if self.eat("(").is_none() {
            return Some(found);
        }
        if self.text() == Some("score") {
            self.at += 1;
            self.eat("(")?;
            found.score = Some(self.text()?.parse().ok()?);
            self.at += 1;
            self.eat(")")?;
            self.eat(":")?;
        }
        if let Some(Part::Value(value)) = self.parts.get(self.at) {
            found.value = *value;
            self.at += 1;
            self.eat(")")?;
            return Some(found);
        }
        let (mut property, mut depth) = (String::new(), 0_u32);
        loop {
            let text = self.text()?;
            match text {
                ")" if depth == 0 => break,
                "," if depth == 0 => found.properties.push(std::mem::take(&mut property).into()),
                _ => property.push_str(text.trim_matches('"')),
            }
            depth = match text {
                "(" => depth + 1,
                ")" => depth.saturating_sub(1),
                _ => depth,
            };
            self.at += 1;
        }
        found.properties.push(property.into());
        self.eat(")")?;
        Some(found)
    }
}
