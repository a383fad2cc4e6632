//! Scopes of type names: what is visible at a written type ([`crate::item_tree::TypeRef`]).

use smol_str::SmolStr;

use super::lookup::Found;
use super::typedef_overload::ValueClasses;
use crate::db::Db;
use crate::ids::{ClassId, MethodId, SourceFile, TypedefId};
use crate::item_tree::items::{
    body_typedefs, class_head, method_type_param_ids, nested_classes, typedef_item,
};
use crate::item_tree::nesting::enclosing_method;
use crate::ty::{Path, Ty};

/// Resolves the name of a value in a constraint to a path.
pub(crate) type ValueNames<'a> = &'a dyn Fn(&str) -> Option<Path>;

/// The names visible at a written type.
#[derive(Clone)]
pub(crate) struct TypeScope<'a> {
    /// The database.
    pub db: &'a dyn Db,
    /// The file.
    pub file: SourceFile,
    /// The innermost class.
    pub class: Option<ClassId>,
    /// The class whose header is being resolved, if any: its supertypes are not known yet.
    pub header_of: Option<ClassId>,
    /// Type parameters of methods and type definitions, innermost last.
    pub type_params: Vec<(SmolStr, Ty)>,
    /// Local classes and their names, innermost last.
    pub local_types: Vec<(SmolStr, Found)>,
    /// Locals and formals, for constraints.
    pub values: Option<ValueNames<'a>>,
    /// The classes of these locals and formals, for choosing among overloaded type definitions.
    pub value_classes: Option<ValueClasses<'a>>,
    /// The field whose type is being resolved: in its own type, its name denotes its value.
    pub own_field: Option<SmolStr>,
    /// Whether there is no `this`: in a static member.
    pub is_static: bool,
    /// Type definitions being expanded, for detecting cycles.
    pub(crate) expanding: Vec<TypedefId>,
}

impl<'a> TypeScope<'a> {
    /// The scope of a file, outside its classes.
    pub(crate) fn file(db: &'a dyn Db, file: SourceFile) -> TypeScope<'a> {
        TypeScope {
            db,
            file,
            class: None,
            header_of: None,
            type_params: Vec::new(),
            local_types: Vec::new(),
            values: None,
            value_classes: None,
            own_field: None,
            is_static: false,
            expanding: Vec::new(),
        }
    }

    /// The scope inside a class. A local or anonymous class also sees the type parameters of the enclosing
    /// methods.
    pub(crate) fn class(db: &'a dyn Db, class: ClassId) -> TypeScope<'a> {
        let mut scope = TypeScope { class: Some(class), ..TypeScope::file(db, class.file(db)) };
        let around = std::iter::successors(Some(class), |c| c.outer(db));
        for method in around.filter_map(|c| enclosing_method(db, c)) {
            let params = method_type_param_ids(db, method).iter();
            scope.type_params.splice(0..0, params.map(|p| (p.name(db).clone(), Ty::param(db, *p))));
        }
        scope
    }

    /// The scope inside a method: the scope of its class and its own type parameters.
    pub(crate) fn method(db: &'a dyn Db, method: MethodId) -> TypeScope<'a> {
        let is_static = crate::item_tree::items::method_is_static(db, method);
        let mut scope = TypeScope { is_static, ..TypeScope::class(db, method.class(db)) };
        for param in method_type_param_ids(db, method) {
            scope.type_params.push((param.name(db).clone(), Ty::param(db, *param)));
        }
        scope
    }

    /// The scope around a type definition: that of its file, of its class, or, for a type definition in a
    /// body, of that body.
    pub(crate) fn typedef(db: &'a dyn Db, typedef: TypedefId) -> TypeScope<'a> {
        let Some(class) = typedef.outer(db) else { return TypeScope::file(db, typedef.file(db)) };
        let item = typedef_item(db, typedef).as_ref();
        let Some(body) = item.and_then(|item| item.body.as_ref()) else { return TypeScope::class(db, class) };
        let method = MethodId::new(db, class, body.owner.clone(), body.nth);
        let mut scope = match crate::item_tree::items::method_item(db, method) {
            Some(_) => TypeScope::method(db, method),
            None => TypeScope::class(db, class),
        };
        let within = |c: &ClassId| {
            let position = class_head(db, *c).as_ref().and_then(|c| c.body.as_ref());
            position.is_some_and(|b| b.owner == body.owner && b.nth == body.nth)
        };
        for nested in nested_classes(db, class).iter().copied().filter(within) {
            scope.local_types.push((nested.name(db).clone(), Found::Class(nested)));
        }
        for typedef in body_typedefs(db, class, &body.owner, body.nth) {
            scope.local_types.push((typedef.name(db).clone(), Found::Typedefs(vec![typedef])));
        }
        scope
    }

    /// Adds names of values.
    pub(crate) fn with_values(mut self, values: ValueNames<'a>) -> TypeScope<'a> {
        self.values = Some(values);
        self
    }

    /// Adds the classes of the values.
    pub(crate) fn with_value_classes(mut self, classes: ValueClasses<'a>) -> TypeScope<'a> {
        self.value_classes = Some(classes);
        self
    }
}
