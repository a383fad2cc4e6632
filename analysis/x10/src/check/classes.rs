//! Checks of a class by itself: duplicate members, missing and superfluous bodies.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::problem::DeclarationProblem;
use crate::db::Db;
use crate::diagnostics::Diagnostic;
use crate::ids::{ClassId, FieldId, MethodId, SourceFile, TypeParamId, TypedefId};
use crate::item_tree::items::{class_item, method_type_param_ids, methods, top_level_classes};
use crate::item_tree::source::{Item, name_range};
use crate::item_tree::{
    ClassItem, ClassKind, ClassPlace, MethodItem, MethodKind, Modifiers, TypeRef, TypedefItem, has_annotation,
};
use crate::relate::subtype::erase;
use crate::rules::Problem;
use crate::rules::render::RenderContext;
use crate::rules::r#type::duplicate_member::DuplicateMember;
use crate::rules::r#type::no_body::NoBody;
use crate::scope::type_scope::TypeScope;
use crate::signature::{class_header, method_signature};
use crate::ty::Ty;
use crate::ty::subst::Substitution;

/// Duplicate top-level types of a file.
pub(super) fn duplicate_types(db: &dyn Db, file: SourceFile) -> Vec<Diagnostic> {
    let twice = top_level_classes(db, file).iter().filter(|c| c.nth(db) > 0);
    let render = |class: &ClassId| {
        let item = Item::Class(*class);
        let problem = Problem::new(name_range(db, item), DuplicateMember::TopLevelType(*class));
        problem.render(&RenderContext::of_item(db, item))
    };
    twice.map(render).collect()
}

/// Problems of a class and its members, each with its item.
#[salsa::tracked]
pub(super) fn class_problems(db: &dyn Db, class: ClassId) -> Vec<(Item, Vec<DeclarationProblem>)> {
    let Some(item) = class_item(db, class) else { return Vec::new() };
    let mut all = Vec::new();
    duplicate_fields(db, class, item, &mut all);
    duplicate_methods(db, class, &mut all);
    duplicate_typedefs(db, class, item, &mut all);
    super::structure::structure_problems(db, class, item, &mut all);
    super::field_types::field_problems(db, class, item, &mut all);
    super::placement::placement_problems(db, class, item, &mut all);
    super::annotations::annotation_problems(db, class, item, &mut all);
    guard_problems(db, class, item, &mut all);
    for nested in item.classes.iter().filter(|c| c.nth > 0 && c.place == ClassPlace::Member) {
        let id = ClassId::new(db, class.file(db), Some(class), nested.name.clone(), nested.nth);
        let data = DuplicateMember::MemberType { member: id, class };
        all.push((Item::Class(id), vec![DeclarationProblem::new(nested.at, data)]));
    }
    for method in &item.methods {
        let id = MethodId::new(db, class, method.name.clone(), method.nth);
        if let Some(data) = body_problem(item, id, method) {
            all.push((Item::Method(id), vec![DeclarationProblem::new(method.at, data)]));
        }
    }
    all
}

/// Unknown members in the class condition, which are known only once the header has been resolved.
fn guard_problems(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    all: &mut Vec<(Item, Vec<DeclarationProblem>)>,
) {
    let Some(guard) = item.guard.as_ref().filter(|_| class_header(db, class).problems.is_empty()) else {
        return;
    };
    let mut problems = Vec::new();
    TypeScope::class(db, class).guard(guard, Some(Ty::this_type(db, class)), &mut problems);
    if !problems.is_empty() {
        all.push((Item::Class(class), problems.into_iter().map(DeclarationProblem::from).collect()));
    }
}

fn duplicate_fields(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    all: &mut Vec<(Item, Vec<DeclarationProblem>)>,
) {
    let mut seen: Vec<&SmolStr> = Vec::new();
    for field in item.fields.iter().filter(|f| !f.name.is_empty()) {
        if !seen.contains(&&field.name) {
            seen.push(&field.name);
            continue;
        }
        // A second field has no identity of its own: the problem is at the first.
        let id = FieldId::new(db, class, field.name.clone());
        all.push((Item::Field(id), vec![DeclarationProblem::new(field.at, DuplicateMember::Field(id))]));
    }
}

/// Duplicate type definitions with the same number of arguments.
fn duplicate_typedefs(
    db: &dyn Db,
    class: ClassId,
    item: &ClassItem,
    all: &mut Vec<(Item, Vec<DeclarationProblem>)>,
) {
    for (index, typedef) in item.typedefs.iter().enumerate() {
        let same = |other: &&std::sync::Arc<TypedefItem>| {
            other.name == typedef.name
                && other.body.is_none()
                && other.type_params.len() == typedef.type_params.len()
                && other.params.len() == typedef.params.len()
                && same_formals(db, class, other, typedef)
        };
        // In code, definitions of different blocks are unrelated.
        if typedef.body.is_none() && item.typedefs[..index].iter().any(|t| same(&t)) {
            let id = TypedefId::new(db, class.file(db), Some(class), typedef.name.clone(), typedef.nth);
            let data = DuplicateMember::Typedef { typedef: id, class };
            all.push((Item::Typedef(id), vec![DeclarationProblem::new(typedef.at, data)]));
        }
    }
}

/// Whether two type definitions have formals of the same types, ignoring constraints.
fn same_formals(db: &dyn Db, class: ClassId, a: &TypedefItem, b: &TypedefItem) -> bool {
    let types = |typedef: &TypedefItem| -> Vec<Ty> {
        let id = TypedefId::new(db, class.file(db), Some(class), typedef.name.clone(), typedef.nth);
        let mut scope = TypeScope::typedef(db, id);
        // Type parameters of the same name are identified.
        let params = typedef.type_params.iter().enumerate().map(|(index, param)| {
            let stand_in = TypeParamId::new(db, class, None, index as u32 + 0x4000, SmolStr::new_static("$"));
            (param.name.clone(), Ty::param(db, stand_in))
        });
        scope.type_params.extend(params);
        let resolve = |ty: &TypeRef| erase(db, scope.resolve_value_type(ty, &mut Vec::new()));
        typedef.params.iter().map(|p| p.ty.as_ref().map_or_else(|| Ty::error(db), resolve)).collect()
    };
    let (a, b) = (types(a), types(b));
    a == b && !a.iter().any(|ty| ty.mentions_error(db))
}

/// Methods of the same name with formals of the same types, ignoring constraints and names.
fn duplicate_methods(db: &dyn Db, class: ClassId, all: &mut Vec<(Item, Vec<DeclarationProblem>)>) {
    let mut seen: FxHashMap<(SmolStr, bool, MethodKind, usize, Vec<Ty>), MethodId> = FxHashMap::default();
    for method in methods(db, class) {
        let Some(item) = crate::item_tree::items::method_item(db, *method) else { continue };
        let arity = item.type_params.len();
        let mut key = (item.name.clone(), false, item.kind, arity, comparable_formals(db, *method));
        // Conversions may differ in their result.
        if matches!(item.kind, MethodKind::ExplicitConversion | MethodKind::ImplicitConversion) {
            key.4.extend(method_signature(db, *method).result.map(|t| erase(db, t)));
        }
        key.1 = item.modifiers.has(Modifiers::STATIC) && item.kind == MethodKind::Unary;
        if key.4.iter().any(|t| t.mentions_error(db)) {
            continue;
        }
        if seen.insert(key, *method).is_some() {
            let problem = DeclarationProblem::new(item.at, DuplicateMember::Method(*method));
            all.push((Item::Method(*method), vec![problem]));
        }
    }
}

/// The erased types of the formals, with the method's own type parameters numbered.
fn comparable_formals(db: &dyn Db, method: MethodId) -> Vec<Ty> {
    let own = method_type_param_ids(db, method);
    let numbered: Vec<Ty> = own
        .iter()
        .map(|p| {
            let name = SmolStr::new_static("$");
            Ty::param(db, crate::ids::TypeParamId::new(db, p.class(db), None, p.index(db) + 0x2000, name))
        })
        .collect();
    let substitution = Substitution::types(own, &numbered);
    method_signature(db, method).params.iter().map(|p| erase(db, substitution.apply(db, p.ty))).collect()
}

fn body_problem(class: &ClassItem, id: MethodId, method: &MethodItem) -> Option<NoBody> {
    let is = |modifier| method.modifiers.has(modifier);
    // A method without a name is incomplete.
    if method.kind == MethodKind::AutomaticConstructor || method.name.is_empty() {
        return None;
    }
    let in_interface = class.kind == ClassKind::Interface;
    if is(Modifiers::NATIVE) || has_annotation(&method.annotations, "Native") {
        // Annotations of the method or its class specify the native code.
        let has_code = !method.annotations.is_empty() || !class.annotations.is_empty();
        return (!has_code).then_some(NoBody::NativeWithoutCode(id));
    }
    if in_interface && method.has_body && !is(Modifiers::STATIC) {
        return Some(NoBody::BodyInInterface(id));
    }
    if is(Modifiers::ABSTRACT) && method.has_body {
        return Some(NoBody::BodyOfAbstract(id));
    }
    if is(Modifiers::ABSTRACT) && !in_interface && !class.modifiers.has(Modifiers::ABSTRACT) {
        return Some(NoBody::AbstractInConcreteClass(id));
    }
    (!method.has_body && !is(Modifiers::ABSTRACT) && !in_interface).then_some(NoBody::Missing(id))
}
