//! Type lowering in bodies: from written types to [`Ty`], in the scope of the code.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{TextRange, TextSize};
use smol_str::SmolStr;

use crate::body::Owner;
use crate::diagnostics::{Diagnostic, Fix, TextEdit};
use crate::ids::ClassId;
use crate::infer::context::{Infer, range_of};
use crate::item_tree::items::field_is_static;
use crate::item_tree::lower::types::TypeLowering;
use crate::rules::name::unknown_type;
use crate::scope::lookup::Found;
use crate::scope::problem::placed;
use crate::scope::type_scope::TypeScope;
use crate::signature::constraints::VARIABLE;
use crate::suggest::conversion::replaced;
use crate::suggest::foreign_vocabulary;
use crate::ty::{Path, Ty};

impl<'db> Infer<'db> {
    pub(crate) fn type_scope(&self) -> TypeScope<'db> {
        let mut scope = match self.owner {
            Owner::Method(method) => TypeScope::method(self.db, method),
            Owner::Field(field) => TypeScope {
                is_static: field_is_static(self.db, field),
                ..TypeScope::class(self.db, self.class)
            },
        };
        scope.local_types.extend(self.local_types.iter().cloned());
        scope
    }

    /// Runs `resolve` with the scope that a type written here can mention.
    pub(crate) fn with_type_scope<T>(
        &mut self,
        own: Option<&str>,
        resolve: impl FnOnce(&TypeScope<'_>, &mut TypeLowering, &mut Vec<crate::scope::problem::Problem>) -> T,
    ) -> T {
        let mut lowering = TypeLowering::default();
        let mut problems = Vec::new();
        let values = |name: &str| {
            // A `val` may be named in its own type: there it is `self`.
            if own == Some(name) {
                return Some(Path::self_value());
            }
            let local = self.scopes.local(name)?;
            let local = self.body.local(local);
            let offset = if local.mutable { VARIABLE } else { local.range.start().into() };
            Some(Path::local(local.name.clone(), offset))
        };
        let classes = |_: &TypeScope<'_>, name: &str| {
            let local = self.scopes.local(name)?;
            Some(self.body.local(local).ty.as_class(self.db).map(|(class, _)| class))
        };
        let scope = self.type_scope().with_values(&values).with_value_classes(&classes);
        let result = resolve(&scope, &mut lowering, &mut problems);
        let context = self.context();
        problems.retain(|problem| problem.stands(&context));
        for diagnostic in placed(&problems, &lowering.ranges) {
            self.report(diagnostic);
        }
        result
    }

    /// A type definition that is a statement: from here on its name is known.
    pub(crate) fn local_typedef(&mut self, typedef: &ast::TypeDef) {
        let owner = self.owner.into();
        let id = crate::item_tree::source::typedef_of_node(self.db, owner, typedef.syntax());
        let found = self.with_type_scope(None, |scope, lowering, problems| {
            let item = crate::item_tree::lower::lower_typedef(typedef, 0, lowering);
            let mut scope = scope.clone();
            scope.expanding.extend(id);
            if let Some(id) = id {
                scope.local_types.push((item.name.clone(), Found::Typedefs(vec![id])));
            }
            problems.extend(crate::signature::definition_problems(scope, &item));
            id.map(|id| (item.name, Found::Typedefs(vec![id])))
        });
        self.local_types.extend(found);
    }

    /// A type of values, as written in the body.
    pub(crate) fn written_type(&mut self, ty: &ast::Type) -> Ty {
        self.written_type_of(ty, None)
    }

    /// The type of the result of a closure, as written in the body: also `void`.
    pub(crate) fn written_result(&mut self, ty: &ast::Type) -> Ty {
        match ty {
            ast::Type::VoidType(_) => Ty::void(self.db),
            _ => self.written_type(ty),
        }
    }

    /// The type of the `val` named `own`, as written in the body.
    pub(crate) fn written_type_of(&mut self, ty: &ast::Type, own: Option<&str>) -> Ty {
        let ast_range = range_of(ty);
        let ty = self.with_type_scope(own, |scope, lowering, problems| {
            scope.resolve_value_type(&lowering.ty(ty), problems)
        });
        let ty = self.at_this_place(ty);
        if let Some(problem) = crate::relate::wellformed::type_problem(&self.context(), ty, 0) {
            self.report(Diagnostic { range: ast_range, ..problem.diagnostic });
        }
        ty
    }

    /// The type that a name means; its problems are reported.
    pub(crate) fn written_named(&mut self, ty: &ast::NamedType) -> Ty {
        self.with_type_scope(None, |scope, lowering, _| scope.resolve(&lowering.named(ty), &mut Vec::new()))
    }

    /// The class that a type name after `new` or before `(` names, and its type arguments if given.
    pub(crate) fn written_class(&mut self, ty: &ast::NamedType) -> Option<(ClassId, Option<Vec<Ty>>)> {
        self.with_type_scope(None, |scope, lowering, problems| {
            let reference = lowering.named(ty);
            let known = problems.len();
            let class = scope.resolve_class(&reference, problems);
            problems[known..].iter_mut().for_each(crate::scope::problem::Problem::for_a_class);
            class
        })
    }

    /// The member type of a class, its own or inherited.
    pub(crate) fn member_type(&self, class: ClassId, name: &str) -> Option<Found> {
        self.type_scope().member_type(class, name)
    }

    /// The class of a full name.
    pub(crate) fn class_named(&self, names: &[SmolStr]) -> Option<ClassId> {
        self.type_scope().find_class(names)
    }

    /// The class of an annotation.
    pub(crate) fn annotation_class(&mut self, annotation: &ast::Annotation) -> Option<ClassId> {
        let ty = annotation.named_type()?;
        // Reported when it was parsed.
        if annotation.syntax().text().char_at(0.into()) != Some('@') {
            return None;
        }
        if let Some(unknown) = self.device_annotation(annotation, &ty) {
            self.report(unknown);
            return None;
        }
        self.with_type_scope(None, |scope, lowering, problems| {
            let mut reference = lowering.named(&ty);
            // Its arguments are values, not those of a constrained type.
            if let crate::item_tree::TypeRefKind::Named { args, .. } = &mut reference.kind {
                args.clear();
            }
            scope.resolve_class(&reference, problems)
        })
        .map(|(class, _)| class)
    }

    /// The diagnostic for another language's annotation of device code or shared memory.
    fn device_annotation(&self, annotation: &ast::Annotation, ty: &ast::NamedType) -> Option<Diagnostic> {
        let name = ty.name_ref()?.text();
        let is_shared = foreign_vocabulary::is_shared_annotation(&name);
        if !(is_shared || foreign_vocabulary::is_device_annotation(&name))
            || self.class_named(std::slice::from_ref(&name)).is_some()
        {
            return None;
        }
        let message = format!("there is no annotation `@{name}` here");
        let diagnostic = unknown_type::RULE.at(range_of(ty), message);
        if !is_shared {
            return Some(replaced(
                diagnostic.note(foreign_vocabulary::CUDA_ANNOTATION_NOTE),
                range_of(ty),
                "CUDA".to_owned(),
            ));
        }
        let whole = range_of(annotation);
        let after = TextRange::at(whole.end(), TextSize::of(' '));
        let has_space = self.source(after).is_some_and(|it| it == " ");
        let range = if has_space { whole.cover(after) } else { whole };
        let edits = vec![TextEdit { file: None, range, text: String::new() }];
        Some(
            diagnostic
                .note(foreign_vocabulary::SHARED_MEMORY_NOTE)
                .fix(Fix { title: format!("Leave `@{name}` out"), edits }),
        )
    }
}
