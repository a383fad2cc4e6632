//! Postfix completion: `f(x).async` becomes `async f(x);`.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, T, TextRange};

use super::CompletionKind;
use super::context::{heads_statement, solid_before};
use super::items::{Items, rank};
use crate::ty::Ty;
use crate::ty::known::Known;

impl Items<'_> {
    /// The postfix completions of the expression before the dot. An expression without a type is a call
    /// without a value.
    pub(super) fn postfix(&mut self, e: &ast::Expr, ty: Option<Ty>) {
        let text = e.syntax().text().to_string();
        // A completion may only replace text on its own line.
        if text.contains(['\n', '\r']) || self.text_follows('(') {
            return;
        }
        let db = self.db;
        let is = |known: Known| ty.is_some_and(|ty| ty.base(db).is_known(db, known));
        let is_statement = starts_statement(e);
        if is(Known::Boolean) {
            self.put(e, "not", "the opposite", &format!("!{}", in_parentheses(e, &text)));
        }
        if !is_statement {
            return;
        }
        if matches!(e, ast::Expr::CallExpr(_)) {
            self.put(e, "async", "as an activity", &format!("async {text};"));
            self.put(e, "finish", "with all its activities", &format!("finish {text};"));
            self.put(e, "atomic", "without interruption", &format!("atomic {text};"));
            self.put(e, "at", "at a place", &format!("at (${{1:place}}) {};", escaped(&text)));
        }
        let Some(ty) = ty else { return };
        let snippet = escaped(&text);
        if is(Known::Boolean) {
            let condition = escaped(&e.without_parens().syntax().text().to_string());
            self.put(e, "if", "when it is true", &format!("if ({condition}) {{\n    $0\n}}"));
            self.put(e, "while", "as long as it is true", &format!("while ({condition}) {{\n    $0\n}}"));
            self.put(e, "when", "once it is true", &format!("when ({condition}) {{\n    $0\n}}"));
        }
        if is(Known::Place) {
            self.put(e, "at", "at this place", &format!("at ({snippet}) {{\n    $0\n}}"));
        } else if is(Known::GlobalRef) {
            let home = format!("at ({snippet}.home) {{\n    $0\n}}");
            self.put(e, "at", "where the object is", &home);
        }
        let range = match (is(Known::Long), is(Known::Int)) {
            (true, _) => Some(("i", format!("0..({snippet} - 1)"))),
            (_, true) => Some(("i", format!("0n..({snippet} - 1n)"))),
            _ => self.can_be_iterated(ty).then(|| ("x", snippet.clone())),
        };
        if let Some((name, range)) = range {
            let loop_over = format!("for (${{1:{name}}} in {range}) {{\n    $0\n}}");
            self.put(e, "for", "for each", &loop_over);
        }
        self.put(e, "val", "under a name", &format!("val ${{1:name}} = {snippet};$0"));
        self.put(e, "var", "under a name that can change", &format!("var ${{1:name}}:$2 = {snippet};$0"));
        self.put(e, "return", "as the result", &format!("return {text};"));
        self.put(e, "println", "printed", &format!("Console.OUT.println({text});"));
    }

    fn can_be_iterated(&self, ty: Ty) -> bool {
        let db = self.db;
        let all = [Known::Rail, Known::IntRange, Known::LongRange];
        let Some((class, _)) = ty.base(db).as_class(db) else { return false };
        let supers = || crate::signature::supertypes::all_supertypes(db, class).iter();
        all.iter().any(|known| ty.base(db).is_known(db, *known))
            || supers().any(|ty| ty.is_known(db, Known::Iterable))
    }

    /// Adds an item, unless a member has the same name.
    fn put(&mut self, e: &ast::Expr, label: &str, detail: &str, insert: &str) {
        if self.has(label) {
            return;
        }
        let replace = TextRange::new(e.syntax().text_range().start(), self.replace.end());
        let before = TextRange::new(replace.start(), self.replace.start());
        let filter = format!("{}{label}", &self.file.text(self.db)[before]);
        let item = self.add(label, CompletionKind::Snippet, rank::SNIPPET);
        item.detail = Some(detail.to_owned());
        item.insert = insert.to_owned();
        item.is_snippet = insert.contains('$');
        item.replace = replace;
        item.filter = Some(filter);
    }
}

/// A source text with the special characters of snippets escaped.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

fn in_parentheses(e: &ast::Expr, text: &str) -> String {
    let binds = matches!(
        e,
        ast::Expr::CallExpr(_) | ast::Expr::NameExpr(_) | ast::Expr::FieldExpr(_) | ast::Expr::ParenExpr(_)
    );
    if binds { text.to_owned() } else { format!("({text})") }
}

/// Whether an expression is at the start of a statement.
fn starts_statement(e: &ast::Expr) -> bool {
    let before = e.syntax().first_token().and_then(|first| solid_before(&first));
    before.is_some_and(|before| {
        matches!(before.kind(), T!['{'] | T!['}'] | T![;] | T![else] | T![do])
            && before.parent().is_none_or(|parent| parent.kind() != SyntaxKind::CLASS_BODY)
            || before.kind() == T![')'] && before.parent().is_some_and(|parent| heads_statement(&parent))
    })
}
