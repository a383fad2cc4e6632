//! Problems as data: what the layers of the analysis yield.
//!
//! Queries memoise [`Problem`]s, which hold no prose. [`Problem::render`] makes diagnostics of them when
//! those of a file are collected (see decision 0031).

use apg_syntax::TextRange;

use super::registry::ProblemData;
use super::render::RenderContext;
use crate::diagnostics::{Diagnostic, Rule, Severity};

/// A broken rule: where, how serious, and what the rule needs to say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, relative to the item that has it.
    pub range: TextRange,
    /// How serious; the rule's severity unless the layer that found it knows better.
    pub severity: Severity,
    kind: ProblemKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ProblemKind {
    Data(ProblemData),
    /// Of a rule that has no data yet: the layer that found it wrote the diagnostic.
    Words(Box<Diagnostic>),
}

impl Problem {
    /// A problem at `range`.
    pub fn new(range: TextRange, data: impl Into<ProblemData>) -> Problem {
        let data = data.into();
        Problem { range, severity: data.data().rule().severity, kind: ProblemKind::Data(data) }
    }

    /// The same with another severity.
    pub fn with_severity(mut self, severity: Severity) -> Problem {
        self.severity = severity;
        self
    }

    /// The code of the rule.
    pub fn code(&self) -> &'static str {
        match &self.kind {
            ProblemKind::Data(data) => data.data().rule().code,
            ProblemKind::Words(diagnostic) => diagnostic.code,
        }
    }

    /// Whether it breaks this rule.
    pub fn breaks(&self, rule: &Rule) -> bool {
        self.code() == rule.code
    }

    /// Whether it keeps the code from being compiled.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The problem in words; ranges are relative to the item, as the problem's is.
    pub fn render(&self, cx: &RenderContext<'_>) -> Diagnostic {
        let mut diagnostic = match &self.kind {
            ProblemKind::Data(data) => cx.with_sources(data.data().render(self.range, cx)),
            ProblemKind::Words(diagnostic) => (**diagnostic).clone(),
        };
        diagnostic.severity = self.severity;
        diagnostic
    }
}

impl From<Diagnostic> for Problem {
    fn from(diagnostic: Diagnostic) -> Problem {
        Problem {
            range: diagnostic.range,
            severity: diagnostic.severity,
            kind: ProblemKind::Words(Box::new(diagnostic)),
        }
    }
}
