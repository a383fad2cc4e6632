//! How a rule puts the data of a problem in words, and what it can look up for that.

use apg_syntax::{SyntaxNode, TextRange, TextSize};

use crate::body::{Body, Expr, ExprId, LocalId};
use crate::db::Db;
use crate::diagnostics::{Diagnostic, Related, Rule};
use crate::ids::MethodId;
use crate::item_tree::source::{Item, item_source};
use crate::ty::Ty;

/// The data of one problem of a rule, as the layer that detects it yields it. Each rule has one such type,
/// beside its page; `cargo xtask rules` makes it a variant of [`ProblemData`](super::ProblemData).
pub trait Render {
    /// The rule that is broken.
    fn rule(&self) -> &'static Rule;

    /// Message, notes and fixes. Ranges are relative to the item that has the problem.
    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic;
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

    /// The name of a local of the code.
    pub fn local_name(&self, id: LocalId) -> &'a str {
        self.body.and_then(|body| body.locals.get(id.0 as usize)).map_or("_", |local| &local.name)
    }

    /// A type as it is written in messages.
    pub fn show(&self, ty: Ty) -> String {
        ty.display(self.db).to_string()
    }

    /// A type without its constraint, as it is written in messages.
    pub fn show_base(&self, ty: Ty) -> String {
        self.show(ty.base(self.db))
    }

    /// `Class.method`, as it is written in messages.
    pub fn method_name(&self, method: MethodId) -> String {
        method_name(self.db, method)
    }

    /// A related location in the item.
    pub fn related(&self, range: TextRange, message: impl Into<String>) -> Related {
        Related { file: self.item.file(self.db), range, message: message.into() }
    }

    /// The declaration of a local, as related location.
    pub fn declaration(&self, id: LocalId) -> Related {
        let range = self.body.and_then(|body| body.locals.get(id.0 as usize)).map(|local| local.range);
        self.related(range.unwrap_or_default(), format!("`{}` is declared here", self.local_name(id)))
    }

    /// The tree of the item.
    pub fn syntax(&self) -> Option<SyntaxNode> {
        Some(item_source(self.db, self.item).as_ref()?.syntax())
    }

    /// The text of the item in `range`.
    pub fn source(&self, range: TextRange) -> Option<String> {
        source_in(&self.syntax()?, range)
    }

    /// The text of the item in `range`, if it is short enough to be quoted in a message.
    pub fn quoted(&self, range: TextRange) -> Option<String> {
        self.source(range).filter(|it| it.len() <= MAX_QUOTED_LENGTH && !it.contains('\n'))
    }

    /// The diagnostic with the text of unnamed values in place of the names that the analysis gave them.
    pub(super) fn with_sources(&self, mut diagnostic: Diagnostic) -> Diagnostic {
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

/// `Class.method`, or `new Class` for a constructor.
pub fn method_name(db: &dyn Db, method: MethodId) -> String {
    let class = method.class(db).name(db);
    match method.name(db).as_str() {
        "this" => format!("new {class}"),
        name => format!("{class}.{name}"),
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

/// The longest source text that a message quotes.
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
