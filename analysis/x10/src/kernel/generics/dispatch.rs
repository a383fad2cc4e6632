//! Dispatch targets of virtual calls and calls through interfaces, for generic code.
//!
//! A call names the overridden method; the methods that may run are those that override it. Type arguments of
//! a class are chosen where an object is constructed.

use std::sync::Arc;

use crate::check::overridden;
use crate::db::Db;
use crate::ids::{ClassId, FileOrigin, MethodId, SourceFile, TypeParamId};
use crate::inputs::Project;
use crate::item_tree::items::{all_classes, method_type_param_ids, methods, own_methods};
use crate::item_tree::nesting::all_type_params;
use crate::item_tree::{ClassKind, token_index};
use crate::kernel::device_semantics::DeviceSemantics;
use crate::kernel::generics::instance::Instance;
use crate::signature::supertypes::all_supertypes;
use crate::ty::{Ty, TyKind};

/// The overriding methods of an object, inherited ones included, with the type arguments of its construction.
pub(in crate::kernel) fn dispatch_targets_of_object(
    semantics: &DeviceSemantics,
    constructor: MethodId,
) -> Vec<Instance> {
    let db = semantics.db;
    let classes = all_supertypes(db, constructor.class(db)).iter().filter_map(|ty| ty.as_class(db));
    let mut found = Vec::new();
    for (class, args) in classes.filter(|(class, args)| !args.is_empty() && is_users_class(semantics, *class))
    {
        let targets = methods(db, class).iter().filter(|it| is_dispatch_target(semantics, class, **it));
        let instance = |method: &MethodId| Instance {
            method: *method,
            class_args: args.to_vec(),
            type_args: Vec::new(),
        };
        found.extend(targets.map(instance));
    }
    found
}

fn is_users_class(semantics: &DeviceSemantics, class: ClassId) -> bool {
    semantics.class_kind(class) != ClassKind::Interface
        && class.file(semantics.db).origin(semantics.db) == FileOrigin::User
}

/// Whether a method overrides another one, or implements a function type.
fn is_dispatch_target(semantics: &DeviceSemantics, class: ClassId, method: MethodId) -> bool {
    let db = semantics.db;
    if semantics.is_static(method)
        || semantics.is_constructor(method)
        || !method_type_param_ids(db, method).is_empty()
    {
        return false;
    }
    let is_function = |ty: &Ty| matches!(ty.kind(db), TyKind::Function { .. });
    !overridden(db, class, method).is_empty()
        || method.name(db) == "operator()" && all_supertypes(db, class).iter().any(is_function)
}

/// The methods that a call of a generic method may run: those that override it.
pub(in crate::kernel) fn dispatch_targets_of_call(
    semantics: &DeviceSemantics,
    method: MethodId,
) -> Vec<Instance> {
    let db = semantics.db;
    let own = method_type_param_ids(db, method);
    if own.is_empty() || semantics.is_static(method) || semantics.is_constructor(method) {
        return Vec::new();
    }
    let type_args: Vec<Ty> = own.iter().map(|id| Ty::param(db, *id)).collect();
    let instance = |(method, class_args): &(MethodId, Vec<Ty>)| Instance {
        method: *method,
        class_args: class_args.clone(),
        type_args: type_args.clone(),
    };
    overriders(db, method).iter().map(instance).collect()
}

/// The methods that override `method`, with the type parameters of their classes in terms of those of its
/// class.
#[salsa::tracked]
fn overriders(db: &dyn Db, method: MethodId) -> Arc<Vec<(MethodId, Vec<Ty>)>> {
    let project = Project::get(db);
    let files: Vec<SourceFile> =
        project.files(db).values().chain(project.roots(db).iter()).copied().collect();
    let below = token_index::files_below(db, &files, method.class(db).name(db)).into_iter();
    let classes = below.flat_map(|file| all_classes(db, file).iter().copied());
    let overriding = |class: ClassId| {
        let own = own_methods(db, class, method.name(db)).iter();
        own.filter_map(move |it| {
            let owner = overridden(db, class, *it).into_iter().find(|(other, _)| *other == method)?.1;
            Some((*it, params_in(db, class, owner)?))
        })
    };
    Arc::new(classes.flat_map(overriding).collect())
}

/// The type parameters of `class` in terms of those of the class of `owner`; `None` if `owner` does not
/// determine them.
fn params_in(db: &dyn Db, class: ClassId, owner: Ty) -> Option<Vec<Ty>> {
    let (above, args) = owner.as_class(db)?;
    let corresponding = |param: &TypeParamId| {
        let index = args.iter().position(|arg| *arg == Ty::param(db, *param))?;
        all_type_params(db, above).get(index).map(|it| Ty::param(db, *it))
    };
    all_type_params(db, class).iter().map(corresponding).collect()
}
