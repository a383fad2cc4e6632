//! Completion in directives of OpenMP, OpenACC and XcalableMP: names of directives and clauses, variables in
//! clauses.

use std::collections::BTreeSet;

use apg_c_syntax::{Family, TextRange, TextSize};

use super::hover::description;
use super::openacc;
use crate::Parsed;
use crate::hir::Construct;
use crate::rules::omp::clause_not_allowed::clauses_of;
use crate::xmp::{self, Model};

/// What is completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A word of a directive's name.
    Directive,
    /// A clause.
    Clause,
    /// A variable.
    Variable,
    /// A word in a clause.
    Word,
}

/// A text that can be inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What it is.
    pub kind: CompletionKind,
    /// What is replaced.
    pub replace: TextRange,
    /// The text.
    pub text: String,
    /// A description.
    pub detail: Option<String>,
}

/// Words in the parentheses of clauses.
const CLAUSE_WORDS: &[(&str, &[&str])] = &[
    ("schedule", &["static", "dynamic", "guided", "auto", "runtime"]),
    ("default", &["shared", "none", "private", "firstprivate"]),
    ("reduction", &["+:", "*:", "-:", "&:", "|:", "^:", "&&:", "||:", "min:", "max:"]),
    ("map", &["to:", "from:", "tofrom:", "alloc:", "release:", "delete:"]),
    ("depend", &["in:", "out:", "inout:", "mutexinoutset:"]),
    ("proc_bind", &["primary", "close", "spread"]),
    ("dist_schedule", &["static"]),
    ("bind", &["teams", "parallel", "thread"]),
];

/// The same of OpenACC.
const OPENACC_WORDS: &[(&str, &[&str])] = &[
    ("default", &["none", "present"]),
    ("reduction", &["+:", "*:", "&:", "|:", "^:", "&&:", "||:", "min:", "max:"]),
    ("device_type", &["host", "multicore", "nvidia", "radeon"]),
    ("gang", &["num:", "dim:", "static:"]),
    ("copyin", &["readonly:"]),
];

/// The completions at a position of a directive; empty elsewhere.
pub fn completions(parsed: &Parsed, offset: TextSize) -> Vec<Completion> {
    let text = parsed.text();
    let Some(before) = text.get(..usize::from(offset)) else { return Vec::new() };
    let Some(line) = logical_line(before) else { return Vec::new() };
    let Some((family, rest)) = directive_text(&line) else { return Vec::new() };
    let word_len =
        rest.len() - rest.trim_end_matches(|it: char| it.is_ascii_alphanumeric() || it == '_').len();
    let word = &rest[rest.len() - word_len..];
    let replace = TextRange::new(offset - TextSize::from(word_len as u32), offset);
    let item =
        |kind, text: &str, detail: Option<String>| Completion { kind, replace, text: text.into(), detail };
    let written = &rest[..rest.len() - word_len];
    let mut found = Vec::new();
    match open_clause(written) {
        Some(clause) => {
            let known = match family {
                Family::OpenMp => CLAUSE_WORDS,
                Family::OpenAcc => OPENACC_WORDS,
                Family::XcalableMp => &[],
            };
            let words = known.iter().find(|it| it.0 == clause).map_or(&[][..], |it| it.1);
            found.extend(words.iter().map(|it| item(CompletionKind::Word, it, None)));
            found.extend(variables(parsed, offset).iter().map(|it| item(CompletionKind::Variable, it, None)));
        }
        None => {
            let words: Vec<&str> = without_arguments(written);
            found.extend(directive_words(family, &words).into_iter().map(|it| {
                let construct = Construct::split(&it).first().copied().filter(|_| family == Family::OpenMp);
                item(CompletionKind::Directive, &it, construct.map(|it| description(it).to_owned()))
            }));
            found.extend(
                clause_words(family, &words).into_iter().map(|it| item(CompletionKind::Clause, it, None)),
            );
            if family == Family::XcalableMp
                && matches!(words.last(), Some(&"on" | &"onto" | &"with" | &"from"))
            {
                let grids = Model::of(&parsed.program).grids;
                found.extend(
                    grids
                        .iter()
                        .map(|it| item(CompletionKind::Variable, &it.name, Some(it.kind_text().to_owned()))),
                );
            }
        }
    }
    found.retain(|it| it.text.starts_with(word));
    found
}

/// The line up to the end of a text, with those that backslashes continue.
fn logical_line(before: &str) -> Option<String> {
    let mut parts = Vec::new();
    for line in before.rsplit('\n') {
        let continued = line.trim_end_matches('\r');
        if parts.is_empty() {
            parts.push(continued.to_owned());
        } else if let Some(part) = continued.strip_suffix('\\') {
            parts.push(part.to_owned());
        } else {
            break;
        }
    }
    parts.reverse();
    Some(parts.join(" "))
}

/// What follows `#pragma omp`, `#pragma acc` or `#pragma xmp`.
fn directive_text(line: &str) -> Option<(Family, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("pragma")?;
    let rest = rest.trim_start();
    let of_family = |sentinel, family| rest.strip_prefix(sentinel).map(|it| (family, it));
    let families = [("omp", Family::OpenMp), ("acc", Family::OpenAcc), ("xmp", Family::XcalableMp)];
    let (family, rest) = families.into_iter().find_map(|it| of_family(it.0, it.1))?;
    rest.starts_with(char::is_whitespace).then(|| (family, rest.trim_start()))
}

/// The clause whose parenthesis is open at the end of a text.
fn open_clause(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth == 0 => {
                let name = text[..at].trim_end();
                let start =
                    name.rfind(|it: char| !it.is_ascii_alphanumeric() && it != '_').map_or(0, |it| it + 1);
                return Some(&name[start..]);
            }
            '(' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The words outside of parentheses.
fn without_arguments(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_word = depth == 0 && (c.is_ascii_alphanumeric() || c == '_');
        match (is_word, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push(&text[from..at]);
                start = None;
            }
            _ => {}
        }
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
    }
    words
}

/// The words that may come next in the name of a directive, with those after them.
fn directive_words(family: Family, words: &[&str]) -> BTreeSet<String> {
    let prefix = words.join(" ");
    let rest = |name: &'static str| {
        let rest = name.strip_prefix(prefix.as_str())?;
        match prefix.is_empty() {
            true => Some(rest.to_owned()),
            false => rest.strip_prefix(' ').map(str::to_owned),
        }
    };
    apg_c_syntax::directives(family).filter_map(rest).filter(|it| !it.is_empty()).collect()
}

/// The clauses that a directive takes.
fn clause_words(family: Family, words: &[&str]) -> BTreeSet<&'static str> {
    // The longest name of a directive that the words start with.
    let name = (1..=words.len())
        .rev()
        .map(|it| words[..it].join(" "))
        .find(|name| apg_c_syntax::directives(family).any(|it| it == name));
    if family == Family::XcalableMp {
        return name.map_or(&[][..], |it| xmp::clauses::clauses_of(&it)).iter().copied().collect();
    }
    if family == Family::OpenAcc {
        return name.iter().flat_map(|it| openacc::clauses_of(it)).collect();
    }
    let constructs = name.map_or_else(Vec::new, |it| Construct::split(&it));
    constructs.into_iter().flat_map(|it| clauses_of(it).iter().copied()).collect()
}

/// The variables that can be named at a position.
fn variables(parsed: &Parsed, offset: TextSize) -> BTreeSet<String> {
    let program = &parsed.program;
    let around = program.functions.iter().enumerate().find(|(_, it)| {
        let range = it.body.and_then(|it| parsed.spelled(program.stmt(it).range));
        range.is_some_and(|it| it.contains_inclusive(offset))
    });
    let is_visible = |it: &&crate::hir::Variable| {
        let is_before = it.range.and_then(|it| parsed.spelled(it)).is_some_and(|it| it.end() <= offset);
        is_before && it.function.is_none_or(|it| around.is_some_and(|around| around.0 == it.index()))
    };
    program.variables.iter().filter(is_visible).map(|it| it.name.to_string()).collect()
}
