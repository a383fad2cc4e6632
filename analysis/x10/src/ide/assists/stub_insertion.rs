//! Insertion of method stubs at the end of a class.

use apg_syntax::{SyntaxKind, TextRange};

use super::AssistContext;
use super::lines::{STEP, before_brace, indentation};
use crate::ids::ClassId;
use crate::item_tree::source::{Item, item_node};

/// The point before the closing brace of a class.
pub(super) struct StubInsertion {
    range: TextRange,
    gap: String,
    indent: String,
    end: String,
}

impl StubInsertion {
    /// The point for `class`; `None` if its body is not closed.
    pub(super) fn of(ctx: &AssistContext<'_>, class: ClassId) -> Option<StubInsertion> {
        let node = item_node(ctx.db, Item::Class(class))?;
        let body = node.children().find(|n| n.kind() == SyntaxKind::CLASS_BODY)?;
        let close = body.last_token().filter(|t| t.text() == "}")?;
        let indent = indentation(ctx.text(), node.text_range().start()).to_owned();
        let (range, gap, end) = before_brace(ctx.text(), close.text_range().start(), &indent);
        Some(StubInsertion { range, gap: gap.to_string(), end: end.to_string(), indent: indent.clone() })
    }

    /// A method with a body of one statement.
    pub(super) fn method(&self, declaration: &str, statement: &str) -> String {
        let indent = &self.indent;
        format!("{indent}{STEP}{declaration} {{\n{indent}{STEP}{STEP}{statement}\n{indent}{STEP}}}\n")
    }

    /// A method with an expression body, `def f() = value;`.
    pub(super) fn value_method(&self, declaration: &str, value: &str) -> String {
        format!("{}{STEP}{declaration} = {value};\n", self.indent)
    }

    /// The replaced range, and its replacement with `members`.
    pub(super) fn insert(&self, members: &str) -> (TextRange, String) {
        (self.range, format!("{}{members}{}", self.gap, self.end))
    }
}
