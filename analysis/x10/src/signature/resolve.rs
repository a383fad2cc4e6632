//! Lowering of written types ([`TypeRef`]) to [`Ty`].

use crate::scope::problem::counted;
use crate::scope::type_scope::TypeScope;
use smol_str::SmolStr;

use crate::ids::{ClassId, TypedefId};
use crate::item_tree::items::{own_typedefs, properties, top_level_typedefs, type_param_ids, typedef_item};
use crate::item_tree::nesting::all_type_params;
use crate::item_tree::{ConstraintRef, NameSegment, ParamRef, PathRef, TermRef, TypeRef, TypeRefKind};
use crate::rules::{constraint as constraint_rules, r#type as type_rules};
use crate::scope::lookup::Found;
use crate::scope::problem::Problem;
use crate::signature::supertypes::all_supertypes;
use crate::signature::supertypes::enclosing_args;
use crate::ty::function;
use crate::ty::subst::Substitution;
use crate::ty::{Constraint, ConstraintTerm, Path, Ty};

impl TypeScope<'_> {
    /// Resolves a written type; [`Ty::error`] after a problem.
    pub(crate) fn resolve(&self, reference: &TypeRef, problems: &mut Vec<Problem>) -> Ty {
        let db = self.db;
        match &reference.kind {
            TypeRefKind::Named { segments, args } => self.named(reference.at, segments, args, problems),
            TypeRefKind::Function { params, guard, result } => {
                self.function(params, guard.as_ref(), result, problems)
            }
            TypeRefKind::Constrained { base, constraint } => {
                let base = self.resolve(base, problems);
                let constraint = self.value_constraint(constraint, Some(base), problems);
                base.constrained(db, constraint)
            }
            TypeRefKind::Void => Ty::void(db),
            TypeRefKind::Error => Ty::error(db),
        }
    }

    fn function(
        &self,
        params: &[ParamRef],
        guard: Option<&ConstraintRef>,
        result: &TypeRef,
        problems: &mut Vec<Problem>,
    ) -> Ty {
        let outer = self.values;
        let names = |name: &str| match params.iter().position(|p| p.name.as_deref() == Some(name)) {
            Some(index) => Some(function::formal(name, index)),
            // A constraint inside a function type cannot name formals of an enclosing function type.
            None => outer.and_then(|o| o(name)).map(|path| match function::is_formal(&path) {
                true => Path::local(name, u32::MAX),
                false => path,
            }),
        };
        let inner = TypeScope { values: Some(&names), ..self.clone() };
        let types = params.iter().map(|p| inner.resolve_value_type(&p.ty, problems)).collect();
        let guard = guard.map(|guard| inner.function_guard(guard, problems)).unwrap_or_default();
        let result = inner.resolve(result, problems);
        Ty::guarded_function(self.db, types, result, guard)
    }

    /// The guard of a function type or closure: terms about values only.
    pub(crate) fn function_guard(&self, written: &ConstraintRef, problems: &mut Vec<Problem>) -> Constraint {
        let guard = self.guard(written, None, problems);
        if guard.speaks_of_types() {
            let at = written.terms.iter().find_map(TermRef::type_at).unwrap_or_default();
            problems.push(
                Problem::new(
                    &constraint_rules::forbidden_term::RULE,
                    at,
                    "the condition of a function cannot speak of types",
                )
                .note("a function has no type parameters: put the condition on the method or class around"),
            );
        }
        guard.constraint
    }

    /// Resolves a written type where `void` is not allowed.
    pub(crate) fn resolve_value_type(&self, reference: &TypeRef, problems: &mut Vec<Problem>) -> Ty {
        let ty = self.resolve(reference, problems);
        if ty.is_void(self.db) {
            problems.push(
                Problem::new(&type_rules::void_value::RULE, reference.at, "`void` is not a type of values")
                    .note("only the result of a method or function may be `void`"),
            );
            return Ty::error(self.db);
        }
        ty
    }

    fn named(&self, at: u32, segments: &[NameSegment], args: &[PathRef], problems: &mut Vec<Problem>) -> Ty {
        let Some((found, last)) = self.find(segments, args.len(), problems) else {
            return Ty::error(self.db);
        };
        let segment = &segments[last];
        let type_args: Vec<Ty> = segment.args.iter().map(|a| self.resolve_value_type(a, problems)).collect();
        match found {
            Found::Param(ty) => {
                if !type_args.is_empty() || !args.is_empty() {
                    problems.push(wrong_count(at, &segment.name, 0, type_args.len()));
                }
                let problem = self.out_of_reach(at, ty);
                // Report it once for each signature.
                let said = |problem: &Problem| {
                    problems.iter().any(|it| it.diagnostic.message == problem.diagnostic.message)
                };
                let problem = problem.filter(|problem| !said(problem));
                problems.extend(problem);
                ty
            }
            Found::Class(class) => {
                let around = self.arguments_around(class, &segments[..last]);
                self.apply_class(at, class, type_args, around, args, problems)
            }
            Found::Typedefs(typedefs) => self.expand(at, &typedefs, type_args, args, problems),
        }
    }

    /// The problem of naming a class's type parameter in static code, which has no object of that class.
    fn out_of_reach(&self, at: u32, ty: Ty) -> Option<Problem> {
        let db = self.db;
        let param = ty.as_param(db).filter(|param| param.method(db).is_none())?;
        let owner = param.class(db);
        let mut around = std::iter::successors(self.class, |class| class.outer(db));
        let mut is_static = self.is_static;
        let reached = around.find(|class| {
            let is_it = *class == owner;
            is_static |= !is_it && crate::item_tree::nesting::is_static_class(db, *class);
            is_it
        });
        reached.filter(|_| is_static)?;
        let message = format!(
            "`{}` is what an object of `{}` is made for, and static code has none",
            param.name(db),
            owner.name(db)
        );
        Some(
            Problem::new(&type_rules::static_context::RULE, at, message)
                .note("give the static member a type parameter of its own, or leave `static` out"),
        )
    }

    /// The type arguments of an inner class for the type parameters of the classes around it. `qualifier` is
    /// the part of the name before the inner class.
    fn arguments_around(&self, class: ClassId, qualifier: &[NameSegment]) -> Vec<Ty> {
        let db = self.db;
        let found = enclosing_args(db, class, self.class, self.header_of);
        let Some(last) = qualifier.last().filter(|last| !found.is_empty() && !last.args.is_empty()) else {
            return found;
        };
        let qualifier = self.named(last.at, qualifier, &[], &mut Vec::new());
        let (Some((around, args)), Some(outer)) = (qualifier.as_class(db), class.outer(db)) else {
            return found;
        };
        let seen = Substitution::class(db, around, args);
        let outer =
            all_supertypes(db, around).iter().find(|t| t.as_class(db).is_some_and(|(c, _)| c == outer));
        match outer.and_then(|outer| outer.as_class(db)) {
            Some((outer, args)) => {
                let args = seen.apply_all(db, args);
                let params = &all_type_params(db, class)[type_param_ids(db, class).len()..];
                let params: Vec<Ty> = params.iter().map(|p| Ty::param(db, *p)).collect();
                Substitution::class(db, outer, &args).apply_all(db, &params)
            }
            None => found,
        }
    }

    fn apply_class(
        &self,
        at: u32,
        class: ClassId,
        type_args: Vec<Ty>,
        around: Vec<Ty>,
        args: &[PathRef],
        problems: &mut Vec<Problem>,
    ) -> Ty {
        let db = self.db;
        let params = type_param_ids(db, class);
        if params.len() != type_args.len() {
            problems.push(wrong_count(at, class.name(db), params.len(), type_args.len()));
            return Ty::error(db);
        }
        let own = type_args.clone();
        let ty = Ty::class(db, class, type_args.into_iter().chain(around).collect());
        if args.is_empty() {
            return ty;
        }
        // `Region(2)` may use a type definition `Region` declared in the class `Region` or beside it.
        let mut named = own_typedefs(db, class, class.name(db));
        if class.outer(db).is_none() {
            named.extend(top_level_typedefs(db, class.file(db), class.name(db)));
        }
        let properties = properties(db, class);
        let count = own.len();
        let typedef = match properties.len() == args.len() {
            true => self
                .better_typedef(class, &named, count, args)
                .filter(|typedef| !self.expanding.contains(typedef)),
            false => self.best_typedef(&named, count, args),
        };
        if let Some(typedef) = typedef {
            return self.expand(at, &[typedef], own, args, problems);
        }
        if properties.len() != args.len() {
            let message = format!(
                "`{}` has {}, but {} given for them",
                class.name(db),
                counted(properties.len(), "property", "properties"),
                match args.len() {
                    1 => "one value is".to_owned(),
                    more => format!("{more} values are"),
                }
            );
            problems.push(Problem::new(&type_rules::wrong_property_count::RULE, at, message));
            return ty;
        }
        let terms = properties.iter().zip(args).filter_map(|(property, arg)| {
            // The values given for properties are evaluated outside the object: in `Point(rank)`, `rank` is
            // that of the enclosing scope.
            let value = self.value_path(arg, None, problems)?;
            Some(ConstraintTerm::Equal(Path::self_value().field(property.name(db).clone()), value))
        });
        let constraint = Constraint { terms: terms.collect() };
        ty.constrained(db, constraint)
    }

    /// Expands the type definition among `typedefs` that matches the arguments.
    fn expand(
        &self,
        at: u32,
        typedefs: &[TypedefId],
        type_args: Vec<Ty>,
        args: &[PathRef],
        problems: &mut Vec<Problem>,
    ) -> Ty {
        let db = self.db;
        let Some(typedef) = self.best_typedef(typedefs, type_args.len(), args) else {
            let name = typedefs.first().map_or("", |t| t.name(db).as_str());
            let around = typedefs.first().and_then(|t| t.outer(db)).filter(|c| c.name(db) == name);
            if let Some(class) = around {
                let around = self.arguments_around(class, &[]);
                return self.apply_class(at, class, type_args, around, args, problems);
            }
            let message = format!(
                "no type definition `{name}` takes {} type arguments and {} values",
                type_args.len(),
                args.len()
            );
            let problem = Problem::new(&type_rules::wrong_type_arguments::RULE, at, message);
            problems.push(match crate::scope::lookup::type_elsewhere(name).filter(|_| args.is_empty()) {
                Some(ours) => problem
                    .note(format!("did you mean `{ours}`?"))
                    .replace_by(format!("Replace by `{ours}`"), ours),
                None => problem,
            });
            return Ty::error(db);
        };
        if self.expanding.contains(&typedef) {
            let message = format!("the type definition `{}` stands for itself", typedef.name(db));
            problems.push(
                Problem::new(&type_rules::cyclic_typedef::RULE, at, message)
                    .note("a type definition is an abbreviation; what it stands for must not mention it"),
            );
            return Ty::error(db);
        }
        let Some(item) = typedef_item(db, typedef) else { return Ty::error(db) };
        let said = problems.len();
        let paths: Vec<Option<Path>> = args.iter().map(|a| self.value_path(a, None, problems)).collect();
        let is_wrong = problems.len() > said;
        let values = |name: &str| {
            let Some(index) = item.params.iter().position(|p| p.name.as_deref() == Some(name)) else {
                // A type definition in a body may name the locals in scope there.
                return self.values.filter(|_| item.body.is_some()).and_then(|values| values(name));
            };
            // An argument that is not a stable path stands for an unknown value.
            Some(paths[index].clone().unwrap_or_else(|| Path::local(name, u32::MAX - 1)))
        };
        let mut scope = TypeScope::typedef(db, typedef);
        scope.header_of = self.header_of;
        scope.type_params.extend(item.type_params.iter().map(|p| p.name.clone()).zip(type_args));
        scope.expanding = self.expanding.iter().copied().chain([typedef]).collect();
        // Problems inside the definition are reported at the definition; a cycle is reported at each
        // definition in it.
        let mut inner = Vec::new();
        let scope = scope.with_values(&values);
        if let Some(guard) = item.guard.as_ref().filter(|_| !is_wrong) {
            let condition = scope.guard(guard, None, &mut inner);
            let message = format!("the condition of the type definition `{}` is not met", typedef.name(db));
            problems.push(
                Problem::new(&constraint_rules::type_argument::RULE, at, message)
                    .note(format!("it needs {}", condition.display(db)))
                    .unless(condition),
            );
        }
        let ty = scope.resolve(&item.target, &mut inner);
        if !self.expanding.is_empty() {
            let cyclic = inner.iter().find(|p| p.diagnostic.code == type_rules::cyclic_typedef::RULE.code);
            problems.extend(cyclic.map(|p| Problem { at, ..p.clone() }));
        }
        // A value with a reported problem constrains nothing.
        if is_wrong { ty.base(db) } else { ty }
    }

    /// Resolves the class named by `new`, a static member access or a constructor call. The type arguments
    /// are `None` if they are left out.
    pub(crate) fn resolve_class(
        &self,
        reference: &TypeRef,
        problems: &mut Vec<Problem>,
    ) -> Option<(ClassId, Option<Vec<Ty>>)> {
        let db = self.db;
        let (segments, args) = match &reference.kind {
            TypeRefKind::Named { segments, args } => (segments, args),
            _ => {
                let ty = self.resolve(reference, problems);
                return ty.as_class(db).map(|(class, args)| (class, Some(args.to_vec())));
            }
        };
        let (found, last) = self.find(segments, args.len(), problems)?;
        if let Found::Class(class) = found {
            let given = &segments[last].args;
            let around = self.arguments_around(class, &segments[..last]);
            if given.is_empty() {
                return Some((class, type_param_ids(db, class).is_empty().then_some(around)));
            }
            let ty = self.apply_class(
                reference.at,
                class,
                given.iter().map(|a| self.resolve_value_type(a, problems)).collect(),
                around,
                args,
                problems,
            );
            return ty.as_class(db).map(|(class, args)| (class, Some(args.to_vec())));
        }
        let ty = self.resolve(reference, problems);
        if let Some((class, args)) = ty.as_class(db) {
            return Some((class, Some(args.to_vec())));
        }
        if !ty.is_error(db) {
            let message = format!("`{}` is not a class or struct", ty.display(db));
            problems.push(Problem::new(&type_rules::not_a_class::RULE, reference.at, message));
        }
        None
    }
}

fn wrong_count(at: u32, name: &SmolStr, wanted: usize, given: usize) -> Problem {
    let message = match (wanted, given) {
        (0, _) => format!("`{name}` takes no type arguments"),
        (1, 0) => format!("`{name}` needs a type argument"),
        (_, 0) => format!("`{name}` needs {wanted} type arguments"),
        (1, _) => format!("`{name}` takes one type argument, not {given}"),
        _ => format!("`{name}` takes {wanted} type arguments, not {given}"),
    };
    let example = ["T", "U", "V", "W"].iter().take(wanted).copied().collect::<Vec<_>>().join(",");
    let problem = Problem::new(&type_rules::wrong_type_arguments::RULE, at, message);
    match wanted {
        0 => problem.note(format!("write `{name}` alone")),
        _ => problem.note(format!("write `{name}[{example}]` with the types in the brackets")),
    }
}
