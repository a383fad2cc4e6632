//! Name resolution in expressions: simple and qualified names, and member selection.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{TextRange, closest};
use smol_str::SmolStr;

use crate::body::enclosing_owner;
use crate::body::local_class_env::{Visible, captured_name};
use crate::body::{Dispatch, ExprId, ExprKind};
use crate::ids::{ClassId, FieldId, MethodId};
use crate::infer::context::{Infer, range_of};
use crate::infer::local_class_env::local_class_env;
use crate::item_tree::Modifiers;
use crate::item_tree::items::{field_is_static, field_item, method_is_static};
use crate::rules::flow::captured_var::CapturedVar;
use crate::rules::name::not_visible::NotVisible;
use crate::rules::name::unresolved::Unresolved;
use crate::rules::r#type as type_rules;
use crate::rules::r#type::not_enclosing::NotEnclosing;
use crate::rules::r#type::static_context::StaticContext;
use crate::scope::lookup::Found;
use crate::signature::field_type;
use crate::ty::subst::Substitution;
use crate::ty::{Path, PathRoot, Ty};

/// The most types of other packages that a message lists.
const MAX_SUGGESTED_TYPES: usize = 3;

/// The meaning of a name in an expression.
#[derive(Clone, Debug)]
pub(crate) enum Resolved {
    Value(ExprId),
    /// A type: static members are selected from it, or its `this` is meant.
    Type(Ty),
    /// The start of a qualified name.
    Package(SmolStr),
    /// Unresolved; reported.
    Error,
}

/// A class around the code, seen from it.
pub(crate) struct Around {
    pub(crate) class: ClassId,
    /// The code has an instance of it.
    pub(crate) has_instance: bool,
}

impl<'db> Infer<'db> {
    /// Resolves `e`, a name or a selection; reports it if it has no meaning.
    pub(crate) fn resolve(&mut self, e: &ast::Expr, report: bool) -> Resolved {
        let range = range_of(e);
        match e {
            ast::Expr::NameExpr(name) => {
                let Some(name) = name.name_ref() else { return Resolved::Error };
                let name = name.text();
                match self.simple_name(&name, range) {
                    Some(found) => found,
                    None if report => {
                        self.unresolved(&name, range);
                        Resolved::Error
                    }
                    None => Resolved::Error,
                }
            }
            ast::Expr::FieldExpr(field) => self.select(field),
            ast::Expr::TypeExpr(e) => match e.ty() {
                Some(ty) => match self.written_type(&ty) {
                    ty if ty.is_error(self.db) => Resolved::Error,
                    ty => Resolved::Type(ty),
                },
                None => Resolved::Error,
            },
            ast::Expr::ParenExpr(inner) => match inner.expr() {
                Some(inner) => self.resolve(&inner, report),
                None => Resolved::Error,
            },
            _ => Resolved::Value(self.value(Some(e), range, None)),
        }
    }

    /// A local, a field or property method of an enclosing class, a type, a package.
    fn simple_name(&mut self, name: &SmolStr, range: TextRange) -> Option<Resolved> {
        if name.is_empty() {
            return Some(Resolved::Error);
        }
        if let Some(local) = self.scopes.local(name) {
            return Some(Resolved::Value(self.read(local, range)));
        }
        if let Some(id) = self.enclosing_field(name, range) {
            return Some(Resolved::Value(id));
        }
        if let Some(ty) = self.type_named(name) {
            return Some(Resolved::Type(ty));
        }
        self.type_scope().is_package(name).then(|| Resolved::Package(name.clone()))
    }

    /// Whether a name resolves to a type and to no value.
    pub(crate) fn only_type(&self, name: &SmolStr) -> bool {
        let is_value = |around: &Around| {
            self.find_field(Ty::this_type(self.db, around.class), name).is_some()
                || self.find_property_method(Ty::this_type(self.db, around.class), name).is_some()
                || local_class_env(self.db, around.class).local(name).is_some()
        };
        self.scopes.local(name).is_none()
            && !self.around().iter().any(is_value)
            && self.type_named(name).is_some()
    }

    fn type_named(&self, name: &SmolStr) -> Option<Ty> {
        let scope = self.type_scope();
        match scope.find_type(name)? {
            Found::Param(ty) => Some(ty),
            Found::Class(class) => Some(Ty::this_type(self.db, class)),
            Found::Typedefs(_) => {
                let class = scope.find_class(std::slice::from_ref(name))?;
                Some(Ty::this_type(self.db, class))
            }
        }
    }

    /// The classes around the code, innermost first.
    pub(crate) fn around(&self) -> Vec<Around> {
        let mut all = Vec::new();
        let mut class = Some(self.class);
        let mut has_instance = !self.is_static;
        while let Some(inner) = class {
            all.push(Around { class: inner, has_instance });
            has_instance = has_instance && !crate::item_tree::nesting::is_static_class(self.db, inner);
            class = inner.outer(self.db);
        }
        all
    }

    /// A field or property method of a class around, without a receiver.
    fn enclosing_field(&mut self, name: &str, range: TextRange) -> Option<ExprId> {
        for around in self.around() {
            let ty = Ty::this_type(self.db, around.class);
            if let Some((field, owner)) = self.find_field(ty, name) {
                return Some(match field_is_static(self.db, field) {
                    true => self.static_field(field, range),
                    false => match self.instance(&around, range) {
                        Some(object) => self.field_of(object, field, owner, range),
                        None => self.no_instance(name, range),
                    },
                });
            }
            if let Some((method, owner)) = self.find_property_method(ty, name) {
                return Some(match self.instance(&around, range) {
                    Some(object) => self.property_method(object, method, owner, range),
                    None => self.no_instance(name, range),
                });
            }
            if let Some(id) = self.variable_around(&around, name, range) {
                return Some(id);
            }
        }
        None
    }

    /// A variable of the code around the local class `around`, whose objects capture it.
    fn variable_around(&mut self, around: &Around, name: &str, range: TextRange) -> Option<ExprId> {
        let db = self.db;
        enclosing_owner(db, around.class)?;
        let Visible { ty, mutable, .. } = local_class_env(db, around.class).local(name)?.clone();
        if mutable {
            return Some(self.class_cannot_use(name, range, false));
        }
        let Some(object) = self.instance(around, range) else { return Some(self.no_instance(name, range)) };
        let field = FieldId::new(db, around.class, captured_name(name));
        let id = self.alloc(ExprKind::Field { object, field }, ty, range);
        self.note_expression(id);
        Some(id)
    }

    /// Reports a `var` that a class captures: its objects have copies.
    pub(crate) fn class_cannot_use(&mut self, name: &str, range: TextRange, assigned: bool) -> ExprId {
        self.report_at(range, CapturedVar::Class { name: name.into(), is_assigned: assigned });
        self.error(range)
    }

    /// `this` of a class around the code, if there is one.
    pub(crate) fn instance(&mut self, around: &Around, range: TextRange) -> Option<ExprId> {
        if !around.has_instance {
            return None;
        }
        self.scopes.use_this();
        let ty = Ty::this_type(self.db, around.class);
        let kind = if around.class == self.class { ExprKind::This } else { ExprKind::Outer(around.class) };
        Some(self.alloc(kind, ty, range))
    }

    pub(crate) fn no_instance(&mut self, name: &str, range: TextRange) -> ExprId {
        self.report_at(range, StaticContext::NoObject { name: name.into() });
        self.error(range)
    }

    /// `C.m()` of a method of objects.
    pub(crate) fn not_static(&mut self, ty: Ty, name: &str, range: TextRange) -> ExprId {
        let shown =
            ty.as_class(self.db).map_or_else(|| self.show(ty), |(class, _)| class.name(self.db).to_string());
        let message = format!("`{name}` belongs to objects of `{shown}`, not to the class itself");
        let diagnostic = type_rules::static_context::RULE.at(range, message);
        self.report(match self.suggest_member(&diagnostic, ty, name, range, true) {
            Some(diagnostic) => diagnostic,
            None => diagnostic
                .note(format!("call it on an object, `x.{name}(...)`, or make it static if it needs none")),
        });
        self.error(range)
    }

    pub(crate) fn this_value(&mut self, range: TextRange) -> ExprId {
        let around = Around { class: self.class, has_instance: !self.is_static };
        match self.instance(&around, range) {
            Some(id) => id,
            None => {
                self.report_at(range, StaticContext::This);
                self.error(range)
            }
        }
    }

    /// `C.this`
    pub(crate) fn outer_this(&mut self, ty: Ty, range: TextRange) -> ExprId {
        let class = ty.as_class(self.db).map(|(class, _)| class);
        let found = self.around().into_iter().find(|around| Some(around.class) == class);
        let Some(around) = found else {
            self.report_at(range, NotEnclosing::NotInside { ty });
            return self.error(range);
        };
        match self.instance(&around, range) {
            Some(id) => id,
            None => self.no_instance("this", range),
        }
    }

    // ---- members

    /// `receiver.name`
    fn select(&mut self, e: &ast::FieldExpr) -> Resolved {
        let range = range_of(e);
        let Some(receiver) = e.receiver() else { return Resolved::Error };
        let Some(name) = e.name_ref() else {
            // The name is being typed: completion needs the type of the receiver.
            let _ = self.resolve(&receiver, true);
            return Resolved::Error;
        };
        let at = range_of(&name);
        self.selects(e.syntax(), at);
        let name = name.text();
        if let ast::Expr::SuperExpr(_) = receiver {
            return Resolved::Value(self.super_field(&receiver, &name, range, at));
        }
        match self.resolve(&receiver, true) {
            Resolved::Value(object) => Resolved::Value(self.member(object, &name, range, at)),
            Resolved::Type(ty) => self.static_member(ty, &name, range, at),
            Resolved::Package(package) => self.in_package(&package, &name, at),
            Resolved::Error => Resolved::Error,
        }
    }

    /// The object of `super` in a selection: `this`, seen as the superclass.
    /// `C.super` is that of a class around the code.
    pub(crate) fn super_object(&mut self, receiver: &ast::Expr) -> Option<ExprId> {
        let range = range_of(receiver);
        let qualifier = match receiver {
            ast::Expr::SuperExpr(e) => e.qualifier(),
            _ => None,
        };
        let this = match qualifier {
            None => self.this_value(range),
            Some(qualifier) => match self.resolve(&qualifier, true) {
                Resolved::Type(ty) => self.outer_this(ty, range),
                _ => return None,
            },
        };
        if self.is_error(this) {
            return None;
        }
        let class = self.ty(this).as_class(self.db).map_or(self.class, |(class, _)| class);
        let Some(superclass) = crate::signature::supertypes::superclass(self.db, class) else {
            if self.may_inherit() {
                return None;
            }
            self.report_at(range, NotEnclosing::NoSuperclass { class });
            return None;
        };
        Some(self.alloc(ExprKind::Coerce { value: this }, superclass, range))
    }

    fn super_field(&mut self, receiver: &ast::Expr, name: &str, range: TextRange, at: TextRange) -> ExprId {
        match self.super_object(receiver) {
            Some(object) => self.member(object, name, range, at),
            None => self.error(range),
        }
    }

    /// A field or property method of a value.
    pub(crate) fn member(&mut self, object: ExprId, name: &str, range: TextRange, at: TextRange) -> ExprId {
        let object = self.global_rail(object).filter(|_| name == "home").unwrap_or(object);
        let ty = self.ty(object);
        if ty.is_error(self.db) || name.is_empty() {
            return self.error(range);
        }
        if ty.is_void(self.db) {
            let range = self.range(object);
            return self.void_used(range);
        }
        if let Some((field, owner)) = self.find_field(ty, name) {
            if field_is_static(self.db, field) {
                return self.static_field(field, range);
            }
            self.check_visible(field, at);
            return self.field_of(object, field, owner, range);
        }
        if let Some((method, owner)) = self.find_property_method(ty, name) {
            return self.property_method(object, method, owner, range);
        }
        self.no_member(ty, name, at, false);
        self.error(range)
    }

    /// `g` of `g.rail`: the home of that reference is known without making it.
    fn global_rail(&self, object: ExprId) -> Option<ExprId> {
        let ExprKind::Call { method, receiver: Some(receiver), .. } = self.body.expr(object).kind else {
            return None;
        };
        let of_rail = self.ty(receiver).global_rail_element(self.db).is_some();
        (of_rail && method.name(self.db) == "rail").then_some(receiver)
    }

    pub(crate) fn static_member(&mut self, ty: Ty, name: &str, range: TextRange, at: TextRange) -> Resolved {
        if let Some((field, _)) = self.find_field(ty, name) {
            if field_is_static(self.db, field) {
                self.check_visible(field, at);
                return Resolved::Value(self.static_field(field, range));
            }
            return Resolved::Value(match ty == Ty::place(self.db) && name == "id" {
                true => self.not_static(ty, name, at),
                false => self.no_instance(name, at),
            });
        }
        let class = ty.as_class(self.db).map(|(class, _)| class);
        let nested = class.and_then(|class| match self.type_scope().member_type(class, name)? {
            Found::Class(class) => Some(Ty::this_type(self.db, class)),
            _ => None,
        });
        match nested {
            Some(ty) => Resolved::Type(ty),
            None => {
                self.no_member(ty, name, at, true);
                Resolved::Error
            }
        }
    }

    pub(crate) fn in_package(&mut self, package: &str, name: &str, at: TextRange) -> Resolved {
        let names: Vec<SmolStr> = package.split('.').chain([name]).map(SmolStr::new).collect();
        let scope = self.type_scope();
        if let Some(class) = scope.find_class(&names) {
            return Resolved::Type(Ty::this_type(self.db, class));
        }
        let longer = SmolStr::from(format!("{package}.{name}"));
        if scope.is_package(&longer) {
            return Resolved::Package(longer);
        }
        let elsewhere =
            scope.types_elsewhere(name).iter().take(MAX_SUGGESTED_TYPES).map(SmolStr::new).collect();
        let problem = Unresolved::NotInPackage { package: package.into(), name: name.into(), elsewhere };
        self.report_at(at, problem);
        Resolved::Error
    }

    pub(crate) fn find_field(&self, ty: Ty, name: &str) -> Option<(FieldId, Ty)> {
        self.context().find_field(ty, name)
    }

    fn find_property_method(&self, ty: Ty, name: &str) -> Option<(MethodId, Ty)> {
        self.context().find_property_method(ty, name).map(|found| (found.method, found.owner))
    }

    /// Reports a member that is not accessible here.
    fn check_visible(&mut self, field: FieldId, at: TextRange) {
        if !self.is_visible(field) {
            self.report_at(at, NotVisible { field, similar: None });
        }
    }

    /// Whether a field is accessible here.
    pub(crate) fn is_visible(&self, field: FieldId) -> bool {
        let modifiers = field_item(self.db, field).map_or_else(Modifiers::default, |item| item.modifiers);
        self.context().can_access(field.class(self.db), modifiers)
    }

    /// Reports a call of a field that is not accessible here: a method was meant.
    pub(crate) fn hidden_called(&mut self, ty: Ty, field: FieldId, at: TextRange) {
        let name = field.name(self.db);
        let mut names = self.member_names(ty);
        names.retain(|other| other != name && self.find_field(ty, other).is_none());
        let near = crate::suggest::foreign_vocabulary::library_names(name)
            .find(|it| names.iter().any(|other| other == it));
        let near = near.or_else(|| closest(name, names.iter().map(SmolStr::as_str)));
        let similar = near.map(SmolStr::new);
        self.report_at(at, NotVisible { field, similar });
    }

    /// Resolves a simple name without a report.
    pub(crate) fn resolve_quietly(&mut self, name: &SmolStr, range: TextRange) -> Option<Resolved> {
        self.simple_name(name, range)
    }

    /// `object.field`, its type as seen from the object.
    pub(crate) fn field_of(&mut self, object: ExprId, field: FieldId, owner: Ty, range: TextRange) -> ExprId {
        let db = self.db;
        let path = self.path_of(object);
        let ty =
            self.field_type_seen(self.seen_from(field_type(db, field), owner, path.clone()), path.as_ref());
        let id = self.alloc(ExprKind::Field { object, field }, ty, range);
        self.note_expression(id);
        id
    }

    /// `here` in the type of a field is the place where its object was created. Methods of `this` run
    /// there; of other objects that place is not known.
    fn field_type_seen(&self, ty: Ty, object: Option<&Path>) -> Ty {
        let there = (object == Some(&Path::this())).then(crate::place::here_of_body);
        let path = |path: &Path| match path.root {
            PathRoot::Here => there.clone().map(|there| there.with_fields(&path.fields)),
            _ => Some(path.clone()),
        };
        ty.map_terms(self.db, &mut |term| term.map(path))
    }

    /// The type of a field of objects of `owner`, with its type arguments.
    pub(crate) fn field_type_in(&self, field: FieldId, owner: Ty) -> Ty {
        self.seen_from(field_type(self.db, field), owner, None)
    }

    fn seen_from(&self, ty: Ty, owner: Ty, this: Option<Path>) -> Ty {
        let Some((class, args)) = owner.as_class(self.db) else { return ty };
        Substitution::class(self.db, class, args).with_paths(this, Vec::new()).apply(self.db, ty)
    }

    pub(crate) fn static_field(&mut self, field: FieldId, range: TextRange) -> ExprId {
        let ty = self.field_type_seen(field_type(self.db, field), None);
        self.alloc(ExprKind::StaticField(field), ty, range)
    }

    /// The declared type of the field that an expression reads.
    pub(crate) fn declared_type(&self, id: ExprId) -> Ty {
        self.ty(id)
    }

    fn property_method(&mut self, object: ExprId, method: MethodId, owner: Ty, range: TextRange) -> ExprId {
        let result = crate::signature::inferred::result_type(self.db, method);
        let ty = self.at_this_place(self.seen_from(result, owner, self.path_of(object)));
        let class_args = owner.as_class(self.db).map(|(_, args)| args.to_vec()).unwrap_or_default();
        let dispatch = self.dispatch(method, false);
        let receiver = Some(object);
        let kind = ExprKind::Call {
            method,
            dispatch,
            receiver,
            class_args,
            type_args: Vec::new(),
            args: Vec::new(),
        };
        self.alloc(kind, ty, range)
    }

    /// How a method with a receiver is found.
    pub(crate) fn dispatch(&self, method: MethodId, through_super: bool) -> Dispatch {
        let class = method.class(self.db);
        let is_struct = Ty::this_type(self.db, class).is_struct(self.db);
        if method_is_static(self.db, method) || is_struct {
            Dispatch::Static
        } else if through_super {
            Dispatch::Super
        } else {
            Dispatch::Virtual
        }
    }
}
