//! From constraints as written to terms: what the names in them stand for.

use smol_str::{SmolStr, format_smolstr};

use super::lookup::Found;
use super::problem::Problem;
use super::resolve::TypeScope;
use super::signature::Guard;
use super::suggest::closest;
use crate::constraint::decide::Definition;
use crate::diagnostics::{constraint as constraint_rules, name as name_rules};
use crate::ids::{ClassId, FieldId, MethodId};
use crate::item_tree::items::{
    field_is_static, field_item, fields, method_item, own_field, own_methods, qualified_name,
};
use crate::item_tree::{ConstraintRef, MethodKind, PathRef, PathRefRoot, PropertyCallRef, TermRef};
use crate::ty::subst::Substitution;
use crate::ty::supers::all_supertypes;
use crate::ty::{Constraint, ConstraintTerm, Named, Path, PathRoot, Ty};

impl TypeScope<'_> {
    /// The constraint of a type `base{...}`; terms about types have no place there and are carried.
    pub fn value_constraint(
        &self,
        written: &ConstraintRef,
        base: Option<Ty>,
        problems: &mut Vec<Problem>,
    ) -> Constraint {
        self.guard(written, base, problems).constraint
    }

    /// A guard: terms about values and about types. `base` is the type of `self`, if there is a `self`.
    pub fn guard(&self, written: &ConstraintRef, base: Option<Ty>, problems: &mut Vec<Problem>) -> Guard {
        let mut guard = Guard::default();
        for term in &written.terms {
            match term {
                TermRef::Subtype(a, b) => {
                    let pair = (self.resolve(a, problems), self.resolve(b, problems));
                    guard.subtypes.push(pair);
                }
                TermRef::SameType(a, b) => {
                    let pair = (self.resolve(a, problems), self.resolve(b, problems));
                    guard.same.push(pair);
                }
                TermRef::HasZero(t) => guard.has_zero.push(self.resolve(t, problems)),
                TermRef::IsRef(t) => guard.is_ref.push(self.resolve(t, problems)),
                TermRef::Equal(a, b) => match (self.type_of_path(a, base), self.type_of_path(b, base)) {
                    (Some(a), Some(b)) => guard.same.push((a, b)),
                    _ => self.comparison(a, b, base, problems, true, &mut guard.constraint),
                },
                TermRef::NotEqual(a, b) => {
                    self.comparison(a, b, base, problems, false, &mut guard.constraint)
                }
                TermRef::Holds(PathRef { root: PathRefRoot::Call(call), fields, .. })
                    if fields.is_empty() =>
                {
                    match self.property_call(call, base, problems) {
                        Some(Definition::Condition(terms)) => guard.constraint.terms.extend(terms),
                        Some(Definition::Path(path)) => {
                            guard.constraint.terms.push(ConstraintTerm::Holds(path));
                        }
                        None => guard.constraint.terms.push(ConstraintTerm::Opaque(call.text.clone())),
                    }
                }
                TermRef::Holds(a) => {
                    let path = self.value_path(a, base, problems);
                    guard.constraint.terms.extend(path.map(ConstraintTerm::Holds));
                }
                TermRef::Forbidden(text, at) => {
                    problems.push(forbidden(text, *at));
                    guard.constraint.terms.push(ConstraintTerm::Opaque(text.clone()));
                }
                TermRef::Opaque(text) => guard.constraint.terms.push(ConstraintTerm::Opaque(text.clone())),
            }
        }
        guard
    }

    fn comparison(
        &self,
        a: &PathRef,
        b: &PathRef,
        base: Option<Ty>,
        problems: &mut Vec<Problem>,
        equal: bool,
        constraint: &mut Constraint,
    ) {
        let said = problems.len();
        let paths = (self.value_path(a, base, problems), self.value_path(b, base, problems));
        if problems.len() > said {
            return;
        }
        let term = match paths {
            (Some(a), Some(b)) if equal => ConstraintTerm::Equal(a, b),
            (Some(a), Some(b)) => ConstraintTerm::NotEqual(a, b),
            _ => {
                let operator = if equal { "==" } else { "!=" };
                ConstraintTerm::Opaque(format_smolstr!("{}{operator}{}", path_text(a), path_text(b)))
            }
        };
        constraint.terms.push(term);
    }

    /// The type that a name alone stands for, if it is no value: `T == U` between type parameters.
    fn type_of_path(&self, path: &PathRef, base: Option<Ty>) -> Option<Ty> {
        let PathRefRoot::Name(name) = &path.root else { return None };
        if !path.fields.is_empty() || self.value_name(name, base).is_some() {
            return None;
        }
        match self.find_type(name)? {
            Found::Param(ty) => Some(ty),
            Found::Class(class) => Some(Ty::this_type(self.db, class)),
            Found::Typedefs(_) => None,
        }
    }

    /// A path as written; `None` if it is not a path, or names nothing (which is reported).
    pub fn value_path(
        &self,
        written: &PathRef,
        base: Option<Ty>,
        problems: &mut Vec<Problem>,
    ) -> Option<Path> {
        let mut path = match &written.root {
            PathRefRoot::SelfValue => Path::self_value(),
            PathRefRoot::This => Path::this(),
            PathRefRoot::Here => Path::here(),
            PathRefRoot::Literal(text) => Path::literal(text.clone()),
            PathRefRoot::Operator(text) => {
                problems.push(forbidden(text, written.at));
                return None;
            }
            PathRefRoot::Other(_) => return None,
            PathRefRoot::Call(call) => match self.property_call(call, base, problems)? {
                Definition::Path(path) => path,
                Definition::Condition(_) => return None,
            },
            PathRefRoot::Name(name) => match self.value_name(name, base) {
                Some(path) => path,
                None => return self.static_path(written, name, problems),
            },
        };
        path.fields.extend(written.fields.iter().cloned());
        if let Some(problem) = self.changeable(&path, base, written) {
            problems.push(problem);
            return None;
        }
        Some(path)
    }

    /// What is wrong with a path that may stand for one value now and for another later.
    fn changeable(&self, path: &Path, base: Option<Ty>, written: &PathRef) -> Option<Problem> {
        let db = self.db;
        let problem = |message: String| {
            Some(Problem::new(&constraint_rules::forbidden_term::RULE, written.at, message))
        };
        if let PathRoot::Local { name, offset: VARIABLE } = &path.root {
            return problem(format!("`{name}` is a `var`, so a constraint cannot speak of it"))
                .map(|p| p.note("its value may change while the constraint still has to hold: use a `val`"));
        }
        let name = path.fields.first()?;
        let class = match path.root {
            PathRoot::SelfValue => base?.as_class(db)?.0,
            PathRoot::This => self.class?,
            _ => return None,
        };
        let Some(ValueMember::Field(field)) = self.declares(class, name) else { return None };
        let item = field_item(db, field)?;
        let is_own = path.root == PathRoot::This && self.own_field.as_ref() == Some(name);
        if item.mutable && !is_own {
            return problem(format!("`{name}` is a `var` field, so a constraint cannot speak of it")).map(
                |p| p.note("its value may change while the constraint still has to hold: use a property"),
            );
        }
        if path.root == PathRoot::SelfValue && !item.is_property {
            let class = class.name(db);
            let message = format!(
                "`{name}` is no property of `{class}`, so a constraint on its objects cannot speak of it"
            );
            return problem(message)
                .map(|p| p.note(format!("declare it in the header of the class: `{class}({name}:...)`")));
        }
        None
    }

    /// A local or formal; a property of `self`; a field of `this`, or of an object around it.
    fn value_name(&self, name: &SmolStr, base: Option<Ty>) -> Option<Path> {
        let db = self.db;
        if let Some(path) = self.values.and_then(|values| values(name)) {
            return Some(path);
        }
        if let Some((class, _)) = base.and_then(|b| b.as_class(db))
            && self.declares(class, name).is_some()
        {
            return Some(Path::self_value().field(name.clone()));
        }
        let mut class = self.class;
        let mut inner = true;
        while let Some(around) = class {
            match self.declares(around, name) {
                Some(ValueMember::Static(field)) => return Some(Path::static_field(db, field)),
                Some(ValueMember::Field(_) | ValueMember::Method) if inner => {
                    return Some(Path::this().field(name.clone()));
                }
                Some(ValueMember::Field(_) | ValueMember::Method) => {
                    return Some(crate::infer::surroundings::outer_path(db, around).field(name.clone()));
                }
                None => {
                    let around_class = crate::infer::surroundings::surroundings(db, around);
                    if around_class.local(name).is_some_and(|local| !local.mutable) {
                        return Some(crate::infer::surroundings::captured_path(db, around, name));
                    }
                }
            }
            inner = false;
            class = around.outer(db);
        }
        None
    }

    /// What a property method with arguments stands for.
    fn property_call(
        &self,
        call: &PropertyCallRef,
        base: Option<Ty>,
        problems: &mut Vec<Problem>,
    ) -> Option<Definition> {
        let db = self.db;
        let args: Vec<Option<Path>> =
            call.args.iter().map(|arg| self.value_path(arg, base, problems)).collect();
        let around = || std::iter::successors(self.class, |class| class.outer(db)).collect::<Vec<_>>();
        let base = base.and_then(|ty| ty.as_class(db)).map(|(class, _)| class);
        let found = match &call.receiver {
            None => {
                let of_self = base.map(|class| (class, Path::self_value()));
                let of_this = around().into_iter().map(|class| (class, Path::this()));
                of_self.into_iter().chain(of_this).find_map(|(class, object)| {
                    Some((self.property_method(class, &call.name, args.len())?, Some(object)))
                })
            }
            Some(receiver) => {
                let class = match &receiver.root {
                    PathRefRoot::SelfValue if receiver.fields.is_empty() => base,
                    PathRefRoot::This if receiver.fields.is_empty() => self.class,
                    PathRefRoot::Name(name) if self.value_name(name, None).is_none() => {
                        let names: Vec<SmolStr> =
                            std::iter::once(name).chain(&receiver.fields).cloned().collect();
                        self.find_class(&names)
                    }
                    _ => None,
                };
                let is_value = matches!(receiver.root, PathRefRoot::SelfValue | PathRefRoot::This);
                let object = if is_value { self.value_path(receiver, None, problems) } else { None };
                class.and_then(|class| Some((self.property_method(class, &call.name, args.len())?, object)))
            }
        };
        let (method, object) = found?;
        let meaning = super::property::definition(db, method).clone()?;
        let substitution = Substitution::types(&[], &[]).with_paths(object, args);
        match meaning {
            Definition::Path(path) => substitution.path(&path).map(Definition::Path),
            Definition::Condition(terms) => {
                let terms = terms.iter().map(|term| substitution.term(term)).collect::<Option<_>>()?;
                Some(Definition::Condition(terms))
            }
        }
    }

    /// The property method of a class, its own or inherited, with that many formals.
    fn property_method(&self, class: ClassId, name: &str, arity: usize) -> Option<MethodId> {
        let db = self.db;
        let fits = |method: &&MethodId| {
            method_item(db, **method)
                .is_some_and(|item| item.kind == MethodKind::Property && item.params.len() == arity)
        };
        let own = |class: ClassId| own_methods(db, class, name).iter().find(fits).copied();
        own(class).or_else(|| self.inherited(class).into_iter().find_map(own))
    }

    /// The classes that a class inherits from; of one whose header is resolved those that are known.
    fn inherited(&self, class: ClassId) -> Vec<ClassId> {
        let db = self.db;
        let of = |ty: &Ty| ty.as_class(db).map(|(class, _)| class);
        if self.header_of != Some(class) {
            return all_supertypes(db, class).iter().skip(1).filter_map(of).collect();
        }
        let supers = self.header_supers.iter().filter_map(of);
        supers.flat_map(|class| all_supertypes(db, class).iter().filter_map(of)).collect()
    }

    /// `C.f`, `a.b.C.f.g`.
    fn static_path(&self, written: &PathRef, first: &SmolStr, problems: &mut Vec<Problem>) -> Option<Path> {
        let names: Vec<SmolStr> = std::iter::once(first).chain(&written.fields).cloned().collect();
        for end in (1..names.len()).rev() {
            if let Some(class) = self.find_class(&names[..end]) {
                return Some(self.qualified(class, &names[end]).with_fields(&names[end + 1..]));
            }
        }
        let message = format!("nothing named `{first}` can be used in this constraint");
        let problem = Problem::new(&name_rules::unresolved::RULE, written.at, message);
        problems.push(match closest(first, self.value_candidates().iter().map(SmolStr::as_str)) {
            Some(near) => problem.note(format!("did you mean `{near}`?")),
            None => problem.note("a constraint may name formals and `val`s in scope, properties, and `here`"),
        });
        None
    }

    /// `C.this`, or `C.f` with a static field `f` that `C` declares or inherits.
    fn qualified(&self, class: ClassId, name: &SmolStr) -> Path {
        if name == "this" && self.class == Some(class) {
            return Path::this();
        }
        let mut around = std::iter::successors(self.class, |class| class.outer(self.db));
        if name == "this" && around.any(|it| it == class) {
            return crate::infer::surroundings::outer_path(self.db, class);
        }
        match self.declares(class, name) {
            Some(ValueMember::Static(field)) => Path::static_field(self.db, field),
            _ => Path::named(format_smolstr!("{}.{name}", qualified_name(self.db, class)), Named::Nothing),
        }
    }

    fn value_candidates(&self) -> Vec<SmolStr> {
        let own = self.class.map_or(&[][..], |class| fields(self.db, class));
        own.iter().map(|field| field.name(self.db).clone()).collect()
    }

    /// Whether `class` has a property, field or nullary property method of that name, its own or inherited.
    fn declares(&self, class: ClassId, name: &str) -> Option<ValueMember> {
        let db = self.db;
        let own = |class: ClassId| {
            if let Some(field) = own_field(db, class, name) {
                let is_static = field_is_static(db, field);
                return Some(if is_static { ValueMember::Static(field) } else { ValueMember::Field(field) });
            }
            let nullary = |m: &crate::ids::MethodId| {
                crate::item_tree::items::method_item(db, *m).is_some_and(|m| m.params.is_empty())
            };
            own_methods(db, class, name).iter().any(nullary).then_some(ValueMember::Method)
        };
        own(class).or_else(|| self.inherited(class).into_iter().find_map(own))
    }
}

/// What a class declares under a name.
enum ValueMember {
    Static(FieldId),
    Field(FieldId),
    Method,
}

/// The offset of a local or formal that is a `var`, in what [`super::resolve::ValueNames`] say.
pub const VARIABLE: u32 = u32::MAX - 4;

fn forbidden(text: &str, at: u32) -> Problem {
    let message = format!("`{text}` cannot be part of a constraint");
    Problem::new(&constraint_rules::forbidden_term::RULE, at, message)
        .note("a constraint is made of `==`, `!=`, `&&`, `<:`, `haszero`, `isref` and property methods, which can be decided")
        .note("test the condition in the code and throw an exception, or `assert` it")
}

/// A path as written, as text.
pub fn path_text(path: &PathRef) -> SmolStr {
    let root = match &path.root {
        PathRefRoot::SelfValue => "self",
        PathRefRoot::This => "this",
        PathRefRoot::Here => "here",
        PathRefRoot::Name(text)
        | PathRefRoot::Literal(text)
        | PathRefRoot::Operator(text)
        | PathRefRoot::Other(text) => text,
        PathRefRoot::Call(call) => call.text.as_str(),
    };
    let mut text = String::from(root);
    for field in &path.fields {
        text.push('.');
        text.push_str(field);
    }
    SmolStr::from(text)
}
