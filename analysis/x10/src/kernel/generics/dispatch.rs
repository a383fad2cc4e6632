//! Code that is called by another name: of a method that overrides, the calls name the method that is overridden. An object's methods may
//! be called so by whoever has it; which type parameters they have is chosen where it is made.

use std::sync::Arc;

use crate::check::overridden;
use crate::db::{Db, Project};
use crate::ids::{ClassId, FileOrigin, MethodId, SourceFile, TypeParamId};
use crate::item_tree::items::{all_classes, method_type_param_ids, methods, own_methods};
use crate::item_tree::{ClassKind, skim};
use crate::kernel::device_semantics::DeviceSemantics;
use crate::kernel::generics::instantiation::Instance;
use crate::ty::params::all_type_params;
use crate::ty::supers::all_supertypes;
use crate::ty::{Ty, TyKind};

/// Of an object that a constructor makes, the methods that stand in for others, its superclasses' too.
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

/// Whether a method is called where another one, or a function, is named.
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

/// The methods that may run where one with type parameters of its own is called: those that override it.
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

/// The methods that override one, and what the type parameters of their classes are in those of its class.
#[salsa::tracked]
fn overriders(db: &dyn Db, method: MethodId) -> Arc<Vec<(MethodId, Vec<Ty>)>> {
    let project = Project::get(db);
    let files: Vec<SourceFile> =
        project.files(db).values().chain(project.roots(db).iter()).copied().collect();
    let below = skim::files_below(db, &files, method.class(db).name(db)).into_iter();
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

/// The type parameters of a class in those of the class that `owner` is of; none if a value of `owner` does not tell them.
fn params_in(db: &dyn Db, class: ClassId, owner: Ty) -> Option<Vec<Ty>> {
    let (above, args) = owner.as_class(db)?;
    let told = |param: &TypeParamId| {
        let index = args.iter().position(|arg| *arg == Ty::param(db, *param))?;
        all_type_params(db, above).get(index).map(|it| Ty::param(db, *it))
    };
    all_type_params(db, class).iter().map(told).collect()
}
