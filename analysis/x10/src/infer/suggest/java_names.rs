//! Names of Java's library in expressions: `java.lang.System.nanoTime()`, `Integer.toString(3)`.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxNode, TextRange};
use smol_str::SmolStr;

use crate::diagnostics::Diagnostic;
use crate::ids::ClassId;
use crate::infer::context::{Infer, range_of};
use crate::item_tree::items::{field_is_static, fields, method_is_static, methods};
use crate::item_tree::source::{Item, item_source};
use crate::rules::name as name_rules;
use crate::scope::java;
use crate::suggest::conversion::replaced;

impl Infer<'_> {
    /// The diagnostic for a path that starts with a package of Java, at its first name.
    pub(crate) fn java_path(&self, name: &str, at: TextRange) -> Option<Diagnostic> {
        let mut node = self.name_node(at)?;
        let mut package = name.to_owned();
        let diagnostic = |package: &str| {
            let message = format!("there is no package `{package}`");
            name_rules::unresolved::RULE.at(at, message).note(java::NO_PACKAGE)
        };
        loop {
            let Some(selected) = selection(&node) else { return Some(diagnostic(&package)) };
            let name = selected.name_ref()?.syntax().text().to_string();
            node = selected.syntax().clone();
            if name.starts_with(char::is_uppercase) {
                return Some(self.java_class(diagnostic(&package), &name, &node));
            }
            package = format!("{package}.{name}");
        }
    }

    /// Adds what X10 has in place of the class of Java that `node` names.
    fn java_class(&self, diagnostic: Diagnostic, name: &str, node: &SyntaxNode) -> Diagnostic {
        let scope = self.type_scope();
        let ours = java::same_class(name)
            .map(SmolStr::new)
            .or_else(|| scope.find_type(name).is_some().then(|| SmolStr::new(name)))
            .or_else(|| scope.types_elsewhere(name).into_iter().next());
        let Some(ours) = ours else {
            return java::advice(name).into_iter().fold(diagnostic, Diagnostic::note);
        };
        if let Some(member) = selection(node).and_then(|it| it.name_ref()) {
            let member = member.syntax().text().to_string();
            if !self.has_static(&ours, &member) {
                return without(diagnostic, &ours, &member);
            }
        }
        replaced(diagnostic.note(format!("X10 has `{ours}`")), node.text_range(), ours.to_string())
    }

    /// Whether the name at `at` selects a static member that the class `meant` does not have.
    pub(crate) fn lacks_selected(&self, meant: &str, at: TextRange) -> bool {
        let is_class = self.class_meant(meant).is_some();
        is_class && self.selected(at).is_some_and(|member| !self.has_static(meant, &member))
    }

    /// Adds the class that was meant, and what it has in place of the selected member.
    pub(crate) fn without_member(&self, diagnostic: Diagnostic, meant: &str, at: TextRange) -> Diagnostic {
        let member = self.selected(at).unwrap_or_default();
        without(diagnostic, meant, &member)
    }

    fn selected(&self, at: TextRange) -> Option<String> {
        let name = selection(&self.name_node(at)?)?.name_ref()?;
        Some(name.syntax().text().to_string())
    }

    fn class_meant(&self, name: &str) -> Option<ClassId> {
        let names: Vec<SmolStr> = name.split('.').map(SmolStr::new).collect();
        self.type_scope().find_class(&names)
    }

    fn has_static(&self, class: &str, member: &str) -> bool {
        let Some(class) = self.class_meant(class) else { return false };
        let db = self.db;
        methods(db, class).iter().any(|it| it.name(db) == member && method_is_static(db, *it))
            || fields(db, class).iter().any(|it| it.name(db) == member && field_is_static(db, *it))
    }

    fn name_node(&self, at: TextRange) -> Option<SyntaxNode> {
        let item = item_source(self.db, Item::from(self.owner));
        let token = apg_syntax::token_at_offset(&item.as_ref()?.syntax(), at.start()).right_biased()?;
        let name = token.parent_ancestors().find_map(ast::NameExpr::cast)?;
        (range_of(&name) == at).then(|| name.syntax().clone())
    }
}

/// The `e.name` whose `e` is this node.
fn selection(node: &SyntaxNode) -> Option<ast::FieldExpr> {
    let around = ast::FieldExpr::cast(node.parent()?)?;
    around.receiver().is_some_and(|it| it.syntax() == node).then_some(around)
}

fn without(diagnostic: Diagnostic, class: &str, member: &str) -> Diagnostic {
    let simple = class.rsplit('.').next().unwrap_or(class);
    diagnostic.note(match java::member_advice(simple, member) {
        Some(advice) => format!("X10 has `{class}`, without `{member}`: {advice}"),
        None => format!("X10 has `{class}`, without `{member}`"),
    })
}
