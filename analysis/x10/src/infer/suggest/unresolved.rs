//! Unresolved names and members, and the similar, foreign or older names that were probably meant.

use apg_syntax::{SyntaxNode, T, TextRange, TextSize, closest};
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Fix, TextEdit};
use crate::infer::context::Infer;
use crate::item_tree::items::{fields, methods};
use crate::rules::name as name_rules;
use crate::scope::java;
use crate::ty::Ty;
use crate::ty::known::Known;

impl Infer<'_> {
    pub(crate) fn unresolved(&mut self, name: &str, range: TextRange) {
        // A wrong import of that name has been reported.
        let imports = crate::item_tree::items::imports(self.db, self.class.file(self.db));
        let is_imported = imports.iter().any(|it| !it.on_demand && it.path.rsplit('.').next() == Some(name));
        if is_imported || self.may_inherit() {
            return;
        }
        let mut names: Vec<SmolStr> = self.scopes.names().cloned().collect();
        for around in self.around() {
            names.extend(self.member_names(Ty::this_type(self.db, around.class)));
        }
        names.extend(self.type_scope().visible_names());
        let diagnostic = name_rules::unresolved::RULE.at(range, format!("there is no `{name}` here"));
        if java::is_root(name)
            && let Some(diagnostic) = self.java_path(name, range)
        {
            return self.report(diagnostic);
        }
        if let Some(diagnostic) = self.type_scope().with_imports(&diagnostic, name) {
            return self.report(diagnostic);
        }
        let near = crate::suggest::foreign_vocabulary::foreign_literal(name)
            .or_else(|| crate::scope::lookup::type_elsewhere(name));
        let near = near.or_else(|| closest(name, names.iter().map(SmolStr::as_str)));
        if (near.is_none() || crate::suggest::foreign_vocabulary::is_foreign(name))
            && let Some(diagnostic) = self.suggest_name(diagnostic.clone(), name, range)
        {
            return self.report(diagnostic);
        }
        if let Some(near) = near.filter(|near| self.lacks_selected(near, range)) {
            return self.report(self.without_member(diagnostic, near, range));
        }
        const WORDS: [&str; 9] =
            ["true", "false", "null", "this", "here", "self", "return", "break", "continue"];
        let near = near.or_else(|| closest(name, WORDS.into_iter()));
        if near.is_none() && self.is_assigned(range) {
            let insert = TextRange::empty(range.start());
            let edits = vec![TextEdit { file: None, range: insert, text: "var ".to_owned() }];
            let note = "variables are declared: `val` if it keeps this value, `var` if it gets others";
            return self.report(diagnostic.note(note).fix(Fix { title: format!("Declare `{name}`"), edits }));
        }
        self.report(suggest(diagnostic, near, range));
    }

    /// Records the dot before a member name if it is in an earlier line.
    pub(crate) fn selects(&mut self, node: &SyntaxNode, name: TextRange) {
        let tokens = node.children_with_tokens().filter_map(|element| element.into_token());
        let before = tokens.take_while(|token| token.text_range().end() <= name.start());
        let (mut dot, mut is_far) = (None, false);
        for token in before {
            match token.kind() {
                T![.] => (dot, is_far) = (Some(token.text_range()), false),
                _ => is_far |= token.text().contains('\n'),
            }
        }
        if is_far {
            self.distant_name = dot.map(|dot| (name, dot));
        }
    }

    /// Whether a name may be that of a member that a class around inherits from an unknown type.
    pub(crate) fn may_inherit(&self) -> bool {
        let context = self.context();
        self.around().iter().any(|around| context.is_open(Ty::this_type(self.db, around.class)))
    }

    pub(crate) fn no_member(&mut self, ty: Ty, name: &str, at: TextRange, is_static: bool) {
        if ty.mentions_error(self.db) || self.context().is_open(ty) {
            return;
        }
        if let Some((_, dot)) = self.distant_name.filter(|(far, _)| *far == at) {
            let shown = self.show(ty.base(self.db));
            let message = format!("the name of a member of `{shown}` is missing after this dot");
            self.report(name_rules::unresolved_member::RULE.at(dot, message).note(format!(
                "the `{}` in a line below is none",
                name.strip_prefix("operator ").unwrap_or(name)
            )));
            return;
        }
        if let Some(keyword) = name.strip_prefix("operator ").filter(|name| !name.starts_with("implicit")) {
            let shown = self.show(ty.base(self.db));
            let message = format!("`{shown}` declares no `operator {keyword}`");
            self.report(name_rules::unresolved_member::RULE.at(at, message));
            return;
        }
        let kind = if is_static { "static member" } else { "member" };
        let message = format!("`{}` has no {kind} `{name}`", self.show(ty.base(self.db)));
        let names = self.member_names(ty);
        let known = |other: &&str| names.iter().any(|it| it == other);
        let is_method = known(&name) && self.find_field(ty, name).is_none();
        let message = match is_method {
            true => format!("`{name}` is a method of `{}`, not a field", self.show(ty.base(self.db))),
            false => message,
        };
        let diagnostic = name_rules::unresolved_member::RULE.at(at, message);
        if let Some(param) = ty.base(self.db).as_param(self.db) {
            let param = param.name(self.db);
            let interface = match name {
                "compareTo" => format!("Comparable[{param}]"),
                "iterator" => "Iterable[...]".to_owned(),
                _ => "Interface".to_owned(),
            };
            return self.report(diagnostic.note(format!(
                "`{param}` may be any type: bound it by what has the member, `{{{param} <: {interface}}}` after the type parameters"
            )));
        }
        let other = self
            .member_of_held(&diagnostic, ty, name, at)
            .or_else(|| self.member_of_tested(&diagnostic, at).filter(|_| !is_method));
        if let Some(diagnostic) = other.filter(|_| !is_static) {
            return self.report(diagnostic);
        }
        let elsewhere = self.printer(&diagnostic, ty, name, at).filter(|_| is_static);
        let elsewhere = elsewhere.or_else(|| self.suggest_member(&diagnostic, ty, name, at, is_static));
        if let Some(diagnostic) = elsewhere {
            return self.report(diagnostic);
        }
        if is_method {
            let diagnostic = self.method_as_field(diagnostic, ty, name, at);
            return self.report(diagnostic);
        }
        let near = crate::suggest::foreign_vocabulary::library_names(name).find(known);
        let Some(near) = near.or_else(|| closest(name, names.iter().map(SmolStr::as_str))) else {
            return self.report(diagnostic);
        };
        let (range, text) = self.member_text(ty, near, at);
        self.report(suggest(diagnostic, Some(&text), range));
    }

    /// Suggests the member of the object that a handle refers to.
    fn member_of_held(
        &self,
        diagnostic: &Diagnostic,
        ty: Ty,
        name: &str,
        at: TextRange,
    ) -> Option<Diagnostic> {
        let is_handle =
            [Known::GlobalRef, Known::PlaceLocalHandle].iter().any(|it| ty.is_known(self.db, *it));
        let (_, args) = ty.as_class(self.db).filter(|_| is_handle)?;
        let held = *args.first()?;
        if !self.member_names(held).iter().any(|it| it == name) {
            return None;
        }
        let note = match ty.is_known(self.db, Known::GlobalRef) {
            true => format!("the object is `r()`, at the place where it lives: `at (r) r().{name}`"),
            false => format!("the object of this place is `h()`: `h().{name}`"),
        };
        let dot = TextRange::at(at.start().checked_sub(TextSize::of('.'))?, TextSize::of('.'));
        let diagnostic = diagnostic.clone().note(note);
        Some(match self.source(dot).filter(|it| it == ".") {
            Some(_) => diagnostic.fix(Fix {
                title: "Insert `()`".to_owned(),
                edits: vec![TextEdit {
                    file: None,
                    range: TextRange::empty(dot.start()),
                    text: "()".to_owned(),
                }],
            }),
            None => diagnostic,
        })
    }

    pub(crate) fn member_names(&self, ty: Ty) -> Vec<SmolStr> {
        let db = self.db;
        let mut names = Vec::new();
        for supertype in self.context().supertypes(ty).iter().copied() {
            let Some((class, _)) = supertype.as_class(db) else { continue };
            names.extend(fields(db, class).iter().map(|field| field.name(db).clone()));
            names.extend(methods(db, class).iter().map(|method| method.name(db).clone()));
        }
        names.retain(|name| !name.starts_with("operator") && name != "this");
        names
    }
}

/// Adds "did you mean" and the edit that takes the advice.
pub(crate) fn suggest(diagnostic: Diagnostic, near: Option<&str>, range: TextRange) -> Diagnostic {
    let Some(near) = near else { return diagnostic };
    let edit = TextEdit { file: None, range, text: near.to_owned() };
    diagnostic
        .note(format!("did you mean `{near}`?"))
        .fix(Fix { title: format!("Replace by `{near}`"), edits: vec![edit] })
}
