//! Foreign member names: what other languages' libraries call the members of X10's, and how printing is
//! written.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, TextRange, TextSize};
use smol_str::SmolStr;

use crate::diagnostics::Diagnostic;
use crate::infer::context::{Infer, range_of};
use crate::item_tree::MethodKind;
use crate::item_tree::items::method_item;
use crate::item_tree::items::own_methods;
use crate::suggest::conversion::replaced;
use crate::suggest::foreign_vocabulary::print_method;
use crate::ty::Ty;

impl Infer<'_> {
    /// Suggests `Console.OUT` for another language's function that prints.
    pub(crate) fn suggest_print(
        &self,
        diagnostic: Diagnostic,
        name: &str,
        at: TextRange,
    ) -> Option<Diagnostic> {
        let method = print_method(name)?;
        let text = format!("Console.OUT.{method}");
        Some(replaced(diagnostic.note(format!("X10 prints by `{text}(...)`")), at, text))
    }

    /// Suggests `Console.OUT` for a misspelt function that prints: `printn("x")`.
    pub(crate) fn suggest_misspelt_print(
        &self,
        diagnostic: Diagnostic,
        name: &str,
        at: TextRange,
    ) -> Option<Diagnostic> {
        let meant = apg_syntax::closest(name, ["print", "println", "printf"].into_iter())?;
        self.suggest_print(diagnostic, meant, at)
    }

    /// Suggests `Console.OUT` for `System.out`, `Console.println` and the like.
    pub(crate) fn printer(
        &self,
        diagnostic: &Diagnostic,
        ty: Ty,
        name: &str,
        at: TextRange,
    ) -> Option<Diagnostic> {
        let (class, _) = ty.as_class(self.db)?;
        let class = class.name(self.db).as_str();
        match (class, name) {
            ("System", "out" | "err") => {
                let text = format!("Console.{}", name.to_uppercase());
                let diagnostic = diagnostic.clone().note(format!("X10 prints by `{text}`"));
                let before = at.start().checked_sub(TextSize::of("System."));
                let whole = before.map(|start| TextRange::new(start, at.end()));
                let whole = whole.filter(|it| self.source(*it).is_some_and(|it| it.starts_with("System.")));
                Some(match whole {
                    Some(whole) => replaced(diagnostic, whole, text),
                    None => diagnostic,
                })
            }
            ("Console", _) => {
                let text = format!("OUT.{}", print_method(name)?);
                let note = format!("X10 prints by `Console.{text}(...)`");
                Some(replaced(diagnostic.clone().note(note), at, text))
            }
            _ => None,
        }
    }

    /// Whether a parenthesis follows, as in a call.
    pub(crate) fn is_called(&self, at: TextRange) -> bool {
        let next = TextRange::at(at.end(), TextSize::of('('));
        self.source(next).is_some_and(|it| it == "(")
    }

    /// Whether the name at `at` is the target of an assignment that is a statement.
    pub(crate) fn is_assigned(&self, at: TextRange) -> bool {
        let item = crate::item_tree::source::item_source(self.db, self.owner.into());
        let Some(item) = item else { return false };
        let root = item.syntax();
        let Some(name) = root.token_at_offset(at.start()).right_biased() else { return false };
        let Some(assignment) = name.parent_ancestors().find_map(ast::AssignExpr::cast) else { return false };
        let is_target = assignment.lhs().is_some_and(|lhs| range_of(&lhs) == at);
        let is_plain = assignment.op().is_some_and(|op| op.binary().is_none());
        let around = assignment.syntax().parent().map(|it| it.kind());
        is_target && is_plain && matches!(around, Some(SyntaxKind::EXPR_STMT | SyntaxKind::FOR_INIT))
    }

    /// How a member is written here, with parentheses if it is a method, and the range that this replaces.
    pub(crate) fn member_text(&self, ty: Ty, name: &str, at: TextRange) -> (TextRange, String) {
        let is_field = self.find_field(ty, name).is_some();
        match self.is_called(at) {
            true if is_field => {
                let parens = TextRange::at(at.end(), TextSize::of("()"));
                let is_empty = self.source(parens).is_some_and(|it| it == "()");
                (if is_empty { at.cover(parens) } else { at }, name.to_owned())
            }
            false if !is_field && self.takes_nothing(ty, name) => (at, format!("{name}()")),
            _ => (at, name.to_owned()),
        }
    }

    /// Whether a method of that name can be called without arguments.
    fn takes_nothing(&self, ty: Ty, name: &str) -> bool {
        self.context().supertypes(ty).iter().filter_map(|it| it.as_class(self.db)).any(|(class, _)| {
            own_methods(self.db, class, name).iter().any(|method| {
                let item = method_item(self.db, *method);
                item.is_some_and(|item| item.kind == MethodKind::Method && item.params.is_empty())
            })
        })
    }

    /// Adds to a method used like a field how it is called.
    pub(crate) fn method_as_field(
        &self,
        diagnostic: Diagnostic,
        ty: Ty,
        name: &str,
        at: TextRange,
    ) -> Diagnostic {
        let name = SmolStr::new(name);
        if !self.takes_nothing(ty, &name) || self.is_called(at) {
            return diagnostic.note("call it with its arguments, or write a closure that does");
        }
        let text = format!("{name}()");
        replaced(diagnostic.note("a call has parentheses, also without arguments"), at, text)
    }
}
