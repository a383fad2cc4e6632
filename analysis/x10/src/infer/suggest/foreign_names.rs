//! Foreign names: words of other languages, CUDA, MPI, OpenMP and older X10 that resolve to nothing, and
//! misspelt keywords.
//!
//! The parser has a table of its own for foreign syntax (`recovery` in crate `apg-syntax`): it decides by
//! token kinds, before names are known. This one is for code that parses, and is used after name resolution
//! has failed.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{TextRange, closest};

use crate::diagnostics::{Diagnostic, Fix, TextEdit};
use crate::infer::context::{Infer, range_of};
use crate::item_tree::source::{Item, item_source};
use crate::scope::{java, outdated_names};
use crate::suggest::conversion::replaced;
use crate::suggest::foreign_vocabulary::{
    foreign_name_note, older_member_note, x10_function, x10_member, x10_statement, x10_value,
};
use crate::ty::Ty;

/// Keywords before braces.
const BLOCK_KEYWORDS: &[&str] = &["async", "finish", "atomic", "else", "try", "do", "finally"];
/// Keywords before a parenthesis and braces.
const HEADED_KEYWORDS: &[&str] =
    &["else if", "if", "while", "for", "when", "switch", "at", "ateach", "catch"];

impl Infer<'_> {
    /// Suggests a statement for an unresolved call: another language's keyword, or a misspelt one.
    pub(crate) fn suggest_statement(
        &self,
        diagnostic: Diagnostic,
        name: &str,
        at: TextRange,
    ) -> Option<Diagnostic> {
        let words = match self.before_braces(at) {
            Some(true) => HEADED_KEYWORDS,
            Some(false) => BLOCK_KEYWORDS,
            None => &[],
        };
        let keyword = match words.is_empty() {
            true => None,
            // X10's statement may have another form: `atomic` has no head.
            false => match x10_statement(name) {
                Some(keyword) => words.contains(&keyword).then_some(keyword),
                None => closest(name, words.iter().copied()),
            },
        };
        let diagnostic = match (foreign_name_note(name), keyword) {
            (Some(note), _) => diagnostic.note(note),
            (None, Some(keyword)) => diagnostic.note(format!("did you mean the keyword `{keyword}`?")),
            (None, None) => return None,
        };
        if name == "cobegin" {
            return Some(match self.begun_at_once(at) {
                Some(fix) => diagnostic.fix(fix),
                None => diagnostic,
            });
        }
        Some(match keyword.or_else(|| x10_function(name)) {
            Some(instead) => replaced(diagnostic, at, instead.to_owned()),
            None => diagnostic,
        })
    }

    /// `finish { async a(); async b(); }` for `cobegin { a(); b(); }`.
    fn begun_at_once(&self, at: TextRange) -> Option<Fix> {
        let item = item_source(self.db, Item::from(self.owner));
        let root = item.as_ref()?.syntax();
        let name = apg_syntax::token_at_offset(&root, at.start()).right_biased()?;
        let block = name.parent_ancestors().find_map(ast::TrailingClosureStmt::cast)?.block()?;
        let stmts: Vec<ast::Stmt> = block.stmts().collect();
        use apg_syntax::SyntaxKind::{BREAK_STMT, CONTINUE_STMT, RETURN_STMT};
        let leaves =
            |it: apg_syntax::SyntaxNode| matches!(it.kind(), BREAK_STMT | CONTINUE_STMT | RETURN_STMT);
        let is_open = stmts.iter().any(|it| it.syntax().descendants().any(leaves));
        if is_open || block.tail().is_some() || stmts.iter().any(|it| matches!(it, ast::Stmt::LocalDecl(_))) {
            return None;
        }
        let edit = |range, text: &str| TextEdit { file: None, range, text: text.to_owned() };
        let mut edits = vec![edit(at, "finish")];
        edits.extend(stmts.iter().map(|it| edit(TextRange::empty(range_of(it).start()), "async ")));
        Some(Fix { title: "Write `finish`, and `async` before each statement".to_owned(), edits })
    }

    /// Suggests X10's value for another language's name.
    pub(crate) fn suggest_name(
        &self,
        diagnostic: Diagnostic,
        name: &str,
        at: TextRange,
    ) -> Option<Diagnostic> {
        let diagnostic = diagnostic.note(
            foreign_name_note(name)
                .or_else(|| outdated_names::type_advice(name))
                .or_else(|| java::advice(name))?,
        );
        let known = x10_value(name).map(|text| (at, text.to_owned()));
        Some(match self.kernel_index(name, at).or(known) {
            Some((range, text)) => replaced(diagnostic, range, text),
            None => diagnostic,
        })
    }

    /// Whether the name at `at` is followed by braces like a statement; `true` if a parenthesis is between.
    fn before_braces(&self, at: TextRange) -> Option<bool> {
        let item = item_source(self.db, Item::from(self.owner));
        let root = item.as_ref()?.syntax();
        let name = apg_syntax::token_at_offset(&root, at.start()).right_biased()?;
        let call = name.parent_ancestors().find_map(ast::TrailingClosureStmt::cast)?;
        (range_of(&call.callee()?) == at).then(|| call.arg_list().is_some())
    }

    /// `Place.places().next(p)` for `p.next()`, `!p.isCUDA()` for `p.isHost()`.
    fn suggest_place_query(&self, class: &str, name: &str, at: TextRange) -> Option<(TextRange, String)> {
        if class != "Place" || !matches!(name, "next" | "prev" | "isHost") {
            return None;
        }
        let item = item_source(self.db, Item::from(self.owner));
        let root = item.as_ref()?.syntax();
        let token = apg_syntax::token_at_offset(&root, at.start()).right_biased()?;
        let call = token.parent_ancestors().find_map(ast::CallExpr::cast)?;
        let Some(ast::Expr::FieldExpr(selected)) = call.callee() else { return None };
        if range_of(&selected.name_ref()?) != at || call.args().next().is_some() {
            return None;
        }
        let place = selected.receiver()?.syntax().text().to_string();
        let place = place.trim();
        let text = match name {
            "isHost" => format!("!{place}.isCUDA()"),
            _ => format!("Place.places().{name}({place})"),
        };
        Some((range_of(&call), text))
    }

    /// Suggests X10's member for that of older X10 or another language.
    pub(crate) fn suggest_member(
        &self,
        diagnostic: &Diagnostic,
        ty: Ty,
        name: &str,
        at: TextRange,
        is_static: bool,
    ) -> Option<Diagnostic> {
        let (class, _) = ty.as_class(self.db)?;
        let class = class.name(self.db).as_str();
        if let Some(note) = older_member_note(class, name)
            .or_else(|| outdated_names::member_advice(class, name))
            .filter(|_| !is_static)
        {
            let diagnostic = diagnostic.clone().note(note);
            return Some(match self.suggest_place_query(class, name, at) {
                Some((range, text)) => replaced(diagnostic, range, text),
                None => diagnostic,
            });
        }
        let advice = outdated_names::static_advice(class, name).or_else(|| java::member_advice(class, name));
        if let Some(advice) = advice.filter(|_| is_static) {
            return Some(diagnostic.clone().note(advice));
        }
        let (text, with_class) = x10_member(class, name).filter(|_| is_static)?;
        let is_called = self.is_called(at);
        if is_called && text == "MAX_VALUE" {
            return None;
        }
        let text = text.strip_suffix("()").filter(|_| is_called).unwrap_or(text);
        let note = match with_class {
            true => format!("X10 2.6 writes `{text}`"),
            false => format!("X10 2.6 writes `{class}.{text}`"),
        };
        let diagnostic = diagnostic.clone().note(note);
        let range = match with_class {
            true => {
                let prefix = format!("{class}.");
                let start = at.start().checked_sub(apg_syntax::TextSize::of(prefix.as_str()))?;
                let whole = TextRange::new(start, at.end());
                if self.source(whole).is_none_or(|it| !it.starts_with(&prefix)) {
                    return Some(diagnostic);
                }
                whole
            }
            false => at,
        };
        Some(replaced(diagnostic, range, text.to_owned()))
    }
}
