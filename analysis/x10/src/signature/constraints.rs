//! Lowering of written constraints ([`ConstraintRef`]) to constraint terms and guards: resolves the names in
//! them.

use apg_syntax::closest;
use smol_str::{SmolStr, format_smolstr};

use crate::ids::{ClassId, FieldId, MethodId};
use crate::item_tree::items::{
    field_is_static, field_item, fields, method_item, own_field, own_methods, qualified_name,
};
use crate::item_tree::{
    ConstraintRef, MethodKind, NameSegment, PathRef, PathRefRoot, PropertyCallRef, TermRef,
};
use crate::rules::{constraint as constraint_rules, name as name_rules, r#type as type_rules};
use crate::scope::ancestors::ancestors;
use crate::scope::lookup::Found;
use crate::scope::problem::Problem;
use crate::scope::type_scope::TypeScope;
use crate::signature::property::Definition;
use crate::ty::guard::Guard;
use crate::ty::subst::Substitution;
use crate::ty::{Constraint, ConstraintTerm, Named, Path, PathRoot, Ty};

impl TypeScope<'_> {
    /// The constraint of a type `base{...}`. Terms about types are resolved for their problems, then dropped.
    pub(crate) fn value_constraint(
        &self,
        written: &ConstraintRef,
        base: Option<Ty>,
        problems: &mut Vec<Problem>,
    ) -> Constraint {
        self.guard(written, base, problems).constraint
    }

    /// A guard: terms about values and about types. `base` is the type of `self`, if there is a `self`.
    pub(crate) fn guard(
        &self,
        written: &ConstraintRef,
        base: Option<Ty>,
        problems: &mut Vec<Problem>,
    ) -> Guard {
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
                    // A type compares only with a type.
                    (known, other) => {
                        let unknown = if known.is_some() { b } else { a };
                        let unknown = self.unknown_type_name(unknown, base);
                        match unknown.filter(|_| known.is_some() || other.is_some()) {
                            Some(problem) => problems.push(problem),
                            None => self.comparison(a, b, base, problems, true, &mut guard.constraint),
                        }
                    }
                },
                TermRef::NotEqual(a, b) => {
                    self.comparison(a, b, base, problems, false, &mut guard.constraint)
                }
                TermRef::Holds(PathRef { root: PathRefRoot::Call(call), fields, at })
                    if fields.is_empty() =>
                {
                    match self.property_call(call, *at, base, problems) {
                        Some(Definition::Condition(terms)) => guard.constraint.terms.extend(terms),
                        Some(Definition::Path(path)) => {
                            guard.constraint.terms.push(ConstraintTerm::Holds(path));
                        }
                        None => guard.constraint.terms.push(ConstraintTerm::Opaque(call.text.clone())),
                    }
                }
                TermRef::Holds(a) => {
                    let path = self.value_path(a, base, problems);
                    if path.is_some() {
                        problems.extend(self.not_boolean(a));
                    }
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

    /// The type that a simple name denotes, if it denotes no value: for `T == U` between type parameters.
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

    /// The problem of a simple name that denotes neither a value nor a type, where a type is expected.
    fn unknown_type_name(&self, path: &PathRef, base: Option<Ty>) -> Option<Problem> {
        let PathRefRoot::Name(name) = &path.root else { return None };
        let is_known = self.value_name(name, base).is_some() || self.find_type(name).is_some();
        let segment = NameSegment { name: name.clone(), args: Vec::new(), at: path.at };
        (!is_known && path.fields.is_empty()).then(|| self.unknown(&[segment]))
    }

    /// Resolves a written path; `None` if it is not a path, or after a reported problem.
    pub(crate) fn value_path(
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
            PathRefRoot::Call(call) => match self.property_call(call, written.at, base, problems) {
                Some(Definition::Path(path)) => path,
                Some(Definition::Condition(_)) => return None,
                None => {
                    problems.extend(self.unknown_value(call, written.at, base));
                    return None;
                }
            },
            PathRefRoot::Name(name) => match self.value_name(name, base) {
                Some(path) => path,
                None => return self.static_path(written, name, problems),
            },
        };
        path.fields.extend(written.fields.iter().cloned());
        if self.is_argument(&written.root) {
            // An argument was resolved and checked where the type definition is used; a `this` in it means
            // that of the user.
            return Some(path);
        }
        if self.is_static && path.root == PathRoot::This {
            problems.push(
                Problem::new(
                    &type_rules::static_context::RULE,
                    written.at,
                    "there is no `this` in static code",
                )
                .note("make the member an instance one, or let the constraint speak of its formals"),
            );
            return None;
        }
        let problem =
            self.changeable(&path, base, written).or_else(|| self.unknown_step(&path, base, written));
        if let Some(problem) = problem {
            problems.push(problem);
            return None;
        }
        Some(path)
    }

    /// Whether the root of a path is a formal of the type definition being expanded, which stands for its
    /// argument.
    fn is_argument(&self, root: &PathRefRoot) -> bool {
        let PathRefRoot::Name(name) = root else { return false };
        !self.expanding.is_empty() && self.values.is_some_and(|values| values(name).is_some())
    }

    /// The problem of a path that is not stable: it may denote different values at different times.
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
        let field = match self.declares(class, name)? {
            ValueMember::Field(field) => field,
            ValueMember::Method(method) => return self.no_property(method, written.at),
            ValueMember::Static(_) => return None,
        };
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

    /// The problem of a method in a constraint that is not a property method.
    fn no_property(&self, method: MethodId, at: u32) -> Option<Problem> {
        let item = method_item(self.db, method).filter(|item| item.kind != MethodKind::Property)?;
        let message =
            format!("`{}` is no property method, so a constraint cannot speak of its result", item.name);
        Some(
            Problem::new(&constraint_rules::forbidden_term::RULE, at, message)
                .note("a method may give another value each time: declare it `property`, if it only speaks of properties"),
        )
    }

    /// The problem of a path used as a condition whose type is known not to be `Boolean`.
    fn not_boolean(&self, path: &PathRef) -> Option<Problem> {
        let db = self.db;
        let class = self.class_of_path(path)?;
        if crate::ty::known::known_class(db, crate::ty::known::Known::Boolean)? == class {
            return None;
        }
        let message =
            format!("a condition is a `Boolean`, `{}` is of type `{}`", path_text(path), class.name(db));
        Some(
            Problem::new(&constraint_rules::forbidden_term::RULE, path.at, message)
                .note("compare it with a value: `==`, `!=`"),
        )
    }

    /// Resolves a name in a constraint: a local or formal, a property of `self`, or a field of `this` or of
    /// an enclosing object.
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
                Some(ValueMember::Field(_) | ValueMember::Method(_)) if inner => {
                    return Some(Path::this().field(name.clone()));
                }
                Some(ValueMember::Field(_) | ValueMember::Method(_)) => {
                    return Some(crate::body::local_class_env::outer_path(db, around).field(name.clone()));
                }
                None => {
                    let around_class = db.local_class_env(around);
                    if around_class.local(name).is_some_and(|local| !local.mutable) {
                        return Some(crate::body::local_class_env::captured_path(db, around, name));
                    }
                }
            }
            inner = false;
            class = around.outer(db);
        }
        None
    }

    /// The definition of a property method, instantiated with the receiver and the arguments of a call.
    fn property_call(
        &self,
        call: &PropertyCallRef,
        at: u32,
        base: Option<Ty>,
        problems: &mut Vec<Problem>,
    ) -> Option<Definition> {
        let db = self.db;
        let args: Vec<Option<Path>> =
            call.args.iter().map(|arg| self.value_path(arg, base, problems)).collect();
        let receivers = self.receivers(call, base, problems);
        let found = receivers.iter().find_map(|(class, object)| {
            Some((self.property_method(*class, &call.name, args.len())?, object.clone()))
        });
        let Some((method, object)) = found else {
            problems.extend(self.no_property_call(call, at, base, &receivers));
            return None;
        };
        let meaning = crate::signature::property::definition(db, method).clone()?;
        let substitution = Substitution::types(&[], &[]).with_paths(object, args);
        match meaning {
            Definition::Path(path) => substitution.path(&path).map(Definition::Path),
            Definition::Condition(terms) => {
                let terms = terms.iter().map(|term| substitution.term(term)).collect::<Option<_>>()?;
                Some(Definition::Condition(terms))
            }
        }
    }

    /// The candidate receivers of a property method call: their classes, with their paths where known.
    fn receivers(
        &self,
        call: &PropertyCallRef,
        base: Option<Ty>,
        problems: &mut Vec<Problem>,
    ) -> Vec<(ClassId, Option<Path>)> {
        let db = self.db;
        let base = base.and_then(|ty| ty.as_class(db)).map(|(class, _)| class);
        match &call.receiver {
            None => {
                let around = std::iter::successors(self.class, |class| class.outer(db));
                let of_self = base.map(|class| (class, Some(Path::self_value())));
                of_self.into_iter().chain(around.map(|class| (class, Some(Path::this())))).collect()
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
                class.map(|class| (class, object)).into_iter().collect()
            }
        }
    }

    /// The problem of a call in a constraint that is not a property method call. A call of a value of
    /// function type is no problem.
    fn no_property_call(
        &self,
        call: &PropertyCallRef,
        at: u32,
        base: Option<Ty>,
        receivers: &[(ClassId, Option<Path>)],
    ) -> Option<Problem> {
        let db = self.db;
        let named = |class: ClassId| own_methods(db, class, &call.name).first().copied();
        let inherited =
            |class: &ClassId| named(*class).or_else(|| ancestors(db, *class).iter().copied().find_map(named));
        let (message, note) = match receivers.iter().map(|(class, _)| class).find_map(inherited) {
            Some(_) => (
                format!(
                    "`{}` is no property method with these arguments, so a constraint cannot speak of it",
                    call.name
                ),
                "a method may give another value each time: declare it `property`, if it only speaks of properties",
            ),
            None if receivers.is_empty() => return None,
            None if call.receiver.is_none() && self.value_name(&call.name, base).is_some() => return None,
            None => (
                format!("there is no property method `{}` for this constraint", call.name),
                "a constraint may call property methods: `property name(x:Type):Type = ...`",
            ),
        };
        Some(Problem::new(&constraint_rules::forbidden_term::RULE, at, message).note(note))
    }

    /// The problem of an abstract property method with arguments used as a value: its value is unknown.
    fn unknown_value(&self, call: &PropertyCallRef, at: u32, base: Option<Ty>) -> Option<Problem> {
        let receivers = self.receivers(call, base, &mut Vec::new());
        let mut methods =
            receivers.iter().filter_map(|it| self.property_method(it.0, &call.name, call.args.len()));
        let is_abstract = |method: MethodId| method_item(self.db, method).is_some_and(|item| !item.has_body);
        let method = methods.next().filter(|method| is_abstract(*method))?;
        let message = format!(
            "`{}` is abstract, so nothing is known of its value for these arguments",
            method.name(self.db)
        );
        Some(
            Problem::new(&constraint_rules::forbidden_term::RULE, at, message)
                .note("a constraint may call it as a condition, but not compare what it gives"),
        )
    }

    /// The property method `name` of a class with `arity` formals, own or inherited.
    fn property_method(&self, class: ClassId, name: &str, arity: usize) -> Option<MethodId> {
        let db = self.db;
        let fits = |method: &&MethodId| {
            method_item(db, **method)
                .is_some_and(|item| item.kind == MethodKind::Property && item.params.len() == arity)
        };
        let own = |class: ClassId| own_methods(db, class, name).iter().find(fits).copied();
        own(class).or_else(|| ancestors(db, class).iter().copied().find_map(own))
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

    /// The path `C.this`, or `C.f` for a static field `f`, own or inherited.
    fn qualified(&self, class: ClassId, name: &SmolStr) -> Path {
        if name == "this" && self.class == Some(class) {
            return Path::this();
        }
        let mut around = std::iter::successors(self.class, |class| class.outer(self.db));
        if name == "this" && around.any(|it| it == class) {
            return crate::body::local_class_env::outer_path(self.db, class);
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

    /// The property, field or nullary method `name` of `class`, own or inherited.
    pub(crate) fn declares(&self, class: ClassId, name: &str) -> Option<ValueMember> {
        let db = self.db;
        let own = |class: ClassId| {
            if let Some(field) = own_field(db, class, name) {
                let is_static = field_is_static(db, field);
                return Some(if is_static { ValueMember::Static(field) } else { ValueMember::Field(field) });
            }
            let nullary = |m: &&MethodId| method_item(db, **m).is_some_and(|m| m.params.is_empty());
            own_methods(db, class, name).iter().find(nullary).copied().map(ValueMember::Method)
        };
        own(class).or_else(|| ancestors(db, class).iter().copied().find_map(own))
    }
}

/// A member that may be named as a value.
pub(crate) enum ValueMember {
    Static(FieldId),
    Field(FieldId),
    Method(MethodId),
}

/// The offset that marks a `var` local or formal in paths of [`crate::scope::type_scope::ValueNames`].
pub(crate) const VARIABLE: u32 = u32::MAX - 4;

fn forbidden(text: &str, at: u32) -> Problem {
    let message = format!("`{text}` cannot be part of a constraint");
    Problem::new(&constraint_rules::forbidden_term::RULE, at, message)
        .note("a constraint is made of `==`, `!=`, `&&`, `<:`, `haszero`, `isref` and property methods, which can be decided")
        .note("test the condition in the code and throw an exception, or `assert` it")
}

/// The source text of a written path, for messages.
pub(crate) fn path_text(path: &PathRef) -> SmolStr {
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
