//! Declared signatures: the supertypes of classes, the formals and results of methods, the types of fields.

use smol_str::SmolStr;

use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId, TypedefId};
use crate::item_tree::items::{class_head, class_kind, field_item, method_item, properties, typedef_item};
use crate::item_tree::{ClassKind, ClassPlace, MethodKind, Modifiers, ParamItem, TypeRef, TypedefItem};
use crate::rules::{constraint as constraint_rules, r#type as type_rules};
use crate::scope::problem::Problem;
use crate::scope::problem::describe_class;
use crate::scope::type_scope::TypeScope;
use crate::ty::guard::Guard;
use crate::ty::known::Known;
use crate::ty::{Constraint, ConstraintTerm, Path, PathRoot, Ty};

/// The resolved header of a class.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ClassHeader {
    /// The supertypes in terms of the class's own type parameters, the superclass first; [`Ty::error`] for an
    /// unknown one.
    pub supers: Vec<Ty>,
    /// Whether the first of `supers` is the superclass.
    pub has_superclass: bool,
    /// The class guard, which is the invariant of its objects.
    pub guard: Guard,
    /// The problems found in the header.
    pub problems: Vec<Problem>,
}

/// The header of `class`. A class that inherits from itself has no supertypes, and a problem.
#[salsa::tracked(cycle_result = cyclic_header)]
pub fn class_header(db: &dyn Db, class: ClassId) -> ClassHeader {
    let mut header = ClassHeader::default();
    let Some(item) = class_head(db, class) else { return header };
    let scope = TypeScope { header_of: Some(class), ..TypeScope::class(db, class) };
    let mut problems = Vec::new();
    // The type after `new` (of an anonymous class) or `extends` is the superclass, unless it is an interface.
    if let Some(extends) = &item.extends {
        let known = problems.len();
        let supertype = scope.resolve(extends, &mut problems);
        problems[known..].iter_mut().for_each(Problem::for_a_class);
        let anonymous = item.place == ClassPlace::Anonymous;
        match supertype.as_class(db).map(|(c, _)| class_kind(db, c)) {
            Some(Some(ClassKind::Interface)) if anonymous => header.supers.push(supertype),
            Some(Some(ClassKind::Class)) => {
                if is_final(db, supertype) {
                    problems.push(not_extendable(db, extends, supertype));
                }
                header.has_superclass = true;
                header.supers.push(supertype);
            }
            _ if supertype.is_error(db) => header.supers.push(supertype),
            _ => problems.push(not_extendable(db, extends, supertype)),
        }
    }
    for implements in &item.implements {
        let supertype = scope.resolve(implements, &mut problems);
        let is_interface = supertype.is_interface(db) || supertype.as_function(db).is_some();
        if is_interface || supertype.is_error(db) {
            header.supers.push(supertype);
        } else {
            problems.push(not_an_interface(db, implements, supertype));
        }
    }
    if inherits_from(db, class, &header.supers) {
        return cyclic(db, class);
    }
    if let Some(guard) = &item.guard {
        header.guard = scope.guard(guard, None, &mut problems);
        // The class guard may name the object `self` or `this`: normalise to `this`.
        for term in &mut header.guard.constraint.terms {
            *term = term.at_root(&PathRoot::SelfValue, &Path::this());
        }
    }
    header.problems = problems;
    header
}

fn is_final(db: &dyn Db, class: Ty) -> bool {
    let item = class.as_class(db).and_then(|(c, _)| class_head(db, c).as_ref());
    item.is_some_and(|c| c.modifiers.has(Modifiers::FINAL))
}

fn not_extendable(db: &dyn Db, at: &TypeRef, supertype: Ty) -> Problem {
    let message = format!("`{}` is not a class that can be extended", supertype.display(db));
    let problem = Problem::new(&type_rules::not_extendable::RULE, at.at, message);
    match supertype.as_class(db).and_then(|(c, _)| class_kind(db, c)) {
        Some(ClassKind::Interface) => problem.note("an interface is implemented: write `implements`"),
        Some(ClassKind::Struct) => {
            problem.note("structs have no subtypes; use a class, or hold the struct in a field")
        }
        _ if is_final(db, supertype) => {
            problem.note("it is declared `final`: hold an object of it in a field, or remove `final` there")
        }
        _ => problem,
    }
}

fn not_an_interface(db: &dyn Db, at: &TypeRef, supertype: Ty) -> Problem {
    let what = supertype.as_class(db).map(|(c, _)| describe_class(db, c));
    let what = what.unwrap_or_else(|| format!("`{}`", supertype.display(db)));
    Problem::new(&type_rules::not_an_interface::RULE, at.at, format!("{what} is not an interface")).note(
        "only interfaces and function types can be implemented; a class has one superclass, after `extends`",
    )
}

/// Whether `class` is a supertype of one of `supers`, directly or transitively.
fn inherits_from(db: &dyn Db, class: ClassId, supers: &[Ty]) -> bool {
    let mut pending: Vec<ClassId> = supers.iter().filter_map(|t| t.as_class(db)).map(|(c, _)| c).collect();
    let mut seen = Vec::new();
    while let Some(next) = pending.pop() {
        if next == class {
            return true;
        }
        if !seen.contains(&next) {
            seen.push(next);
            pending
                .extend(class_header(db, next).supers.iter().filter_map(|t| t.as_class(db)).map(|(c, _)| c));
        }
    }
    false
}

fn cyclic_header(db: &dyn Db, _id: salsa::Id, class: ClassId) -> ClassHeader {
    cyclic(db, class)
}

fn cyclic(db: &dyn Db, class: ClassId) -> ClassHeader {
    let at = class_head(db, class).as_ref().map_or(0, |c| c.at);
    let message = format!("`{}` is among its own supertypes", class.name(db));
    let problem = Problem::new(&type_rules::cyclic_inheritance::RULE, at, message)
        .note("a class cannot extend itself, directly or through others: remove one of the `extends` or `implements`");
    ClassHeader { problems: vec![problem], ..ClassHeader::default() }
}

/// A formal parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name, empty if it has none.
    pub name: SmolStr,
    /// Its type. Constraints name formals by [`crate::ty::PathRoot::Local`] with their index as offset.
    pub ty: Ty,
    /// Whether it is a `var`.
    pub mutable: bool,
}

/// The name of the hidden collector formal of a method that offers values.
pub(crate) const COLLECTOR: &str = "$collector";

impl MethodSignature {
    /// The formals written in the source, without the hidden collector.
    pub fn written_params(&self) -> &[Param] {
        &self.params[..self.params.len() - usize::from(self.offers.is_some())]
    }
}

/// The signature of a method, in terms of its own type parameters and those of its class.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MethodSignature {
    /// The formals. The hidden collector of a method that offers values comes last.
    pub params: Vec<Param>,
    /// The type of the values that the method offers to the collecting `finish` around its call.
    pub offers: Option<Ty>,
    /// The declared result type; `void` for a method without a body; the type of the new object for a
    /// constructor. `None` if the result type is inferred: see [`crate::signature::inferred::result_type`].
    pub result: Option<Ty>,
    /// The guard.
    pub guard: Guard,
    /// Declared exceptions.
    pub throws: Vec<Ty>,
    /// The problems found in the signature.
    pub problems: Vec<Problem>,
}

/// The signature of a method, operator or constructor.
#[salsa::tracked(cycle_result = cyclic_signature)]
pub fn method_signature(db: &dyn Db, method: MethodId) -> MethodSignature {
    let Some(item) = method_item(db, method) else { return MethodSignature::default() };
    let names = formal_names(&item.params);
    let classes = formal_classes(&item.params);
    let scope = TypeScope::method(db, method).with_values(&names).with_value_classes(&classes);
    let mut problems = Vec::new();
    let mut params = Vec::new();
    for (index, param) in item.params.iter().enumerate() {
        // The type of a formal may name the formal itself and earlier formals.
        let so_far = formal_names(&item.params[..=index]);
        let scope = scope.clone().with_values(&so_far);
        let ty =
            param.ty.as_ref().map_or_else(|| Ty::error(db), |t| scope.resolve_value_type(t, &mut problems));
        if item.kind == MethodKind::Constructor && mentions_this(db, ty) {
            let at = param.ty.as_ref().map_or(param.at, |t| t.at);
            let message = "`this` does not exist yet where the arguments of its constructor are checked";
            problems.push(
                Problem::new(&constraint_rules::forbidden_term::RULE, at, message)
                    .note("speak of the formals; what the new object is, is said by the type of the result"),
            );
        }
        params.push(Param { name: param.name.clone().unwrap_or_default(), ty, mutable: param.mutable });
    }
    if item.kind == MethodKind::AutomaticConstructor
        && let Some(call) = &db.local_class_env(method.class(db)).superclass
    {
        let param = |ty: &Ty| Param { name: SmolStr::default(), ty: *ty, mutable: false };
        params.extend(call.outer.iter().chain(&call.params).map(param));
    }
    let offers = item.offers.as_ref().filter(|_| !item.kind.is_constructor());
    let offers = offers.map(|t| scope.resolve_value_type(t, &mut problems));
    if let Some(offered) = offers {
        let ty = Ty::known_with(db, Known::Collector, vec![offered]);
        params.push(Param { name: SmolStr::new_static(COLLECTOR), ty, mutable: false });
    }
    let mut guard = Guard::default();
    if let Some(written) = &item.guard {
        guard = scope.guard(written, None, &mut problems);
    }
    if item.kind == MethodKind::AutomaticConstructor {
        guard.constraint = crate::signature::property::automatic_guard(db, method.class(db));
    }
    let declared = item.result.as_ref().map(|t| scope.resolve(t, &mut problems));
    let result = match item.kind {
        MethodKind::AutomaticConstructor => Some(constructed(db, method.class(db))),
        MethodKind::Constructor => {
            Some(declared.unwrap_or_else(|| *crate::signature::property::constructed(db, method)))
        }
        _ => declared.or_else(|| (!item.has_body).then(|| Ty::void(db))),
    };
    // The types of the automatic constructor are those of the properties, which report the problems.
    if item.kind == MethodKind::AutomaticConstructor {
        problems.clear();
    }
    let throws = item.throws.iter().map(|t| scope.resolve_value_type(t, &mut problems)).collect();
    MethodSignature { params, offers, result, guard, throws, problems }
}

/// Whether the constraint of a type mentions `this`; constraints of its type arguments are not checked.
fn mentions_this(db: &dyn Db, ty: Ty) -> bool {
    let terms = ty.constraint(db).map_or(&[][..], |constraint| &constraint.terms);
    terms.iter().flat_map(ConstraintTerm::paths).any(|path| path.root == PathRoot::This)
}

fn cyclic_signature(_db: &dyn Db, _id: salsa::Id, _method: MethodId) -> MethodSignature {
    MethodSignature::default()
}

/// Resolves the names of formals, by index, in constraints.
fn formal_names(params: &[ParamItem]) -> impl Fn(&str) -> Option<Path> {
    move |name: &str| formal_values(params, name)
}

/// The path of the formal `name`, by index.
pub(crate) fn formal_values(params: &[ParamItem], name: &str) -> Option<Path> {
    let index = params.iter().position(|p| p.name.as_deref() == Some(name))?;
    let offset = if params[index].mutable { crate::signature::constraints::VARIABLE } else { index as u32 };
    Some(Path::local(name, offset))
}

/// The declared classes of formals.
fn formal_classes(params: &[ParamItem]) -> impl Fn(&TypeScope<'_>, &str) -> Option<Option<ClassId>> {
    move |scope: &TypeScope<'_>, name: &str| {
        let formal = params.iter().find(|p| p.name.as_deref() == Some(name))?;
        Some(formal.ty.as_ref().and_then(|ty| scope.class_of(ty, 0)))
    }
}

/// The result type of the automatic constructor: `C{self.p==p,...}`.
fn constructed(db: &dyn Db, class: ClassId) -> Ty {
    let terms = properties(db, class).into_iter().enumerate().map(|(index, property)| {
        let name = property.name(db).clone();
        let value = Path::local(name.clone(), index as u32);
        ConstraintTerm::Equal(Path::self_value().field(name), value)
    });
    let constraint = Constraint { terms: terms.collect() };
    Ty::this_type(db, class).constrained(db, constraint)
}

/// The declared type of a field or property, in terms of its class's type parameters.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct FieldSignature {
    /// `None` if the type is that of the initialiser: see [`field_type`].
    pub ty: Option<Ty>,
    /// The problems found in the declaration.
    pub problems: Vec<Problem>,
}

/// The declared type of a field or property.
#[salsa::tracked(cycle_result = cyclic_field)]
pub fn field_signature(db: &dyn Db, field: FieldId) -> FieldSignature {
    let Some(item) = field_item(db, field) else {
        let ty = super::inferred::captured_type(db, field);
        return FieldSignature { ty: Some(ty.unwrap_or_else(|| Ty::error(db))), problems: Vec::new() };
    };
    let mut problems = Vec::new();
    let own_field = Some(item.name.clone());
    let is_static = crate::item_tree::items::field_is_static(db, field);
    let scope = TypeScope { own_field, is_static, ..TypeScope::class(db, field.class(db)) };
    let ty = item.ty.as_ref().map(|t| scope.resolve_value_type(t, &mut problems));
    FieldSignature { ty, problems }
}

fn cyclic_field(_db: &dyn Db, _id: salsa::Id, _field: FieldId) -> FieldSignature {
    FieldSignature::default()
}

/// The problems of a type definition.
#[salsa::tracked]
pub fn typedef_problems(db: &dyn Db, typedef: TypedefId) -> Vec<Problem> {
    let Some(item) = typedef_item(db, typedef) else { return Vec::new() };
    let mut scope = TypeScope::typedef(db, typedef);
    scope.expanding = vec![typedef];
    definition_problems(scope, item)
}

/// The problems of a type definition in `scope`.
pub(crate) fn definition_problems(mut scope: TypeScope<'_>, item: &TypedefItem) -> Vec<Problem> {
    let db = scope.db;
    let mut problems = Vec::new();
    let own = formal_names(&item.params);
    let around = scope.values;
    let names = |name: &str| own(name).or_else(|| around.and_then(|values| values(name)));
    // Its type parameters are unknown here; this checks what does not depend on them.
    scope.type_params.extend(item.type_params.iter().map(|p| (p.name.clone(), Ty::error(db))));
    let scope = scope.with_values(&names);
    for param in &item.params {
        if let Some(ty) = &param.ty {
            scope.resolve_value_type(ty, &mut problems);
        }
    }
    if let Some(guard) = &item.guard {
        scope.guard(guard, None, &mut problems);
    }
    scope.resolve(&item.target, &mut problems);
    problems
}
