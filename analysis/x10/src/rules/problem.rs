//! Problems as data: what the layers of the analysis yield, and how a rule puts it in words.
//!
//! Queries memoise [`Problem`]s, which hold no prose. [`Problem::render`] makes diagnostics of them when those of a
//! file are collected (see decision 0031).

use apg_syntax::{SyntaxNode, TextRange, TextSize};

use super::registry::ProblemData;
use crate::body::{Body, Expr, ExprId};
use crate::db::Db;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::item_tree::source::{Item, item_source};
use crate::ty::Ty;

/// The data of one problem of a rule, as the layer that detects it yields it. Each rule has one such type, beside its
/// page; `cargo xtask rules` makes it a variant of [`ProblemData`].
pub trait Render {
    /// The rule that is broken.
    fn rule(&self) -> &'static Rule;

    /// Message, notes and fixes. Ranges are relative to the item that has the problem.
    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic;
}

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

/// What a rule can look up to put a problem of an item in words.
pub struct RenderContext<'a> {
    /// The database.
    pub db: &'a dyn Db,
    /// The item that has the problem.
    pub item: Item,
    /// The code of the item, if the problem is in code.
    body: Option<&'a Body>,
}

impl<'a> RenderContext<'a> {
    /// For problems of an item without its code.
    pub fn of_item(db: &'a dyn Db, item: Item) -> RenderContext<'a> {
        RenderContext { db, item, body: None }
    }

    /// For problems in the code of an item.
    pub fn of_body(db: &'a dyn Db, item: Item, body: &'a Body) -> RenderContext<'a> {
        RenderContext { db, item, body: Some(body) }
    }

    /// The code of the item, if the problem is in code.
    pub fn body(&self) -> Option<&'a Body> {
        self.body
    }

    /// An expression of the code.
    pub fn expr(&self, id: ExprId) -> Option<&'a Expr> {
        self.body?.exprs.get(id.0 as usize)
    }

    /// A type as it is written in messages.
    pub fn show(&self, ty: Ty) -> String {
        ty.display(self.db).to_string()
    }

    /// The tree of the item.
    pub fn syntax(&self) -> Option<SyntaxNode> {
        Some(item_source(self.db, self.item).as_ref()?.syntax())
    }

    /// The text of the item in `range`.
    pub fn source(&self, range: TextRange) -> Option<String> {
        source_in(&self.syntax()?, range)
    }

    /// The diagnostic with the text of unnamed values in place of the names that the analysis gave them.
    fn with_sources(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        if let Some(body) = self.body {
            let source = |range| self.source(range);
            diagnostic.message = named_by_source(diagnostic.message, body, source);
            for note in &mut diagnostic.notes {
                *note = named_by_source(std::mem::take(note), body, source);
            }
        }
        diagnostic
    }
}

/// The text of `range` below `node`, if it is a part of it and splits no character.
pub fn source_in(node: &SyntaxNode, range: TextRange) -> Option<String> {
    let is_between = |at: TextSize| {
        node.token_at_offset(at)
            .all(|it| it.text().is_char_boundary(usize::from(at - it.text_range().start())))
    };
    (node.text_range().contains_range(range) && is_between(range.start()) && is_between(range.end()))
        .then(|| node.text().slice(range).to_string())
}

/// The longest source text of an unnamed value that a message quotes.
const MAX_QUOTED_LENGTH: usize = 40;

/// `text` with the source of unnamed values (locals `$v0`, `$v1`, ... of `body`) in place of their names.
pub fn named_by_source(text: String, body: &Body, source: impl Fn(TextRange) -> Option<String>) -> String {
    if !text.contains("$v") {
        return text;
    }
    let mut named = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find("$v") {
        let digits = rest[start + 2..].find(|c: char| !c.is_ascii_digit());
        let end = digits.map_or(rest.len(), |length| start + 2 + length);
        named.push_str(&rest[..start]);
        let name = &rest[start..end];
        let local = body.locals.iter().rev().find(|local| local.name == name);
        let quoted = local.and_then(|local| source(local.range));
        let quoted = quoted.filter(|it| it.len() <= MAX_QUOTED_LENGTH && !it.contains('\n'));
        named.push_str(quoted.as_deref().unwrap_or("(...)"));
        rest = &rest[end..];
    }
    named.push_str(rest);
    named
}
