//! Entailment of constraints: queries to the solver, extended by what the types of the mentioned paths imply.
//! These are the facts of classes, the constraints of the declared types of properties, and the definitions
//! of property methods.

use crate::signature::property::Definition;
use rustc_hash::FxHashSet;

use crate::constraint::{Entailment, Solver};
use crate::relate::Context;
use crate::ty::{ConstraintTerm, Named, Path, PathRoot, Ty};

/// Maximum length of an examined path: a class may have a property of its own type.
const MAX_FIELDS: usize = 6;
/// Maximum number of paths examined for one question.
const MAX_PATHS: usize = 256;
/// Maximum depth of property methods that expand to property methods; a cycle exceeds it.
const MAX_EXPANSIONS: usize = 16;

/// The premises of a query.
#[derive(Clone, Copy, Default)]
pub struct Question<'a> {
    /// The terms known besides the context's facts, over `self`.
    pub given: &'a [ConstraintTerm],
    /// The type of `self`.
    pub self_ty: Option<Ty>,
    /// The path that `self` equals.
    pub value: Option<&'a Path>,
}

impl Context<'_> {
    /// Whether the premises entail all terms of `goal`.
    pub fn decide(&self, question: Question<'_>, goal: &[ConstraintTerm]) -> Entailment {
        if goal.is_empty() {
            return Entailment::Proved;
        }
        if self.is_null_allowed(question, goal) {
            return Entailment::Proved;
        }
        let mut asked = Asked::new(self, question, goal);
        let solver = &mut asked.solver;
        asked.goal.iter().map(|term| solver.decide(term)).fold(Entailment::Proved, Entailment::and)
    }

    /// `null` satisfies every constraint that does not exclude it: it has no properties.
    fn is_null_allowed(&self, question: Question<'_>, goal: &[ConstraintTerm]) -> bool {
        let null = Path::literal("null");
        let own = |term: &ConstraintTerm| match term {
            ConstraintTerm::Equal(a, b) => {
                *a == Path::self_value() && *b == null || *b == Path::self_value() && *a == null
            }
            _ => false,
        };
        let is_null = question.value == Some(&null) || question.given.iter().any(own);
        is_null && !self.contradicts(question, goal)
    }

    /// Whether the terms contradict each other or the premises.
    pub fn contradicts(&self, question: Question<'_>, terms: &[ConstraintTerm]) -> bool {
        let mut asked = Asked::new(self, question, terms);
        for term in &asked.goal {
            asked.solver.assume(term);
        }
        asked.solver.is_inconsistent()
    }

    /// The facts that are relevant to `goal`.
    pub fn relevant(&self, question: Question<'_>, goal: &[ConstraintTerm]) -> Vec<ConstraintTerm> {
        Asked::new(self, question, goal).facts
    }

    /// The declared type of a path, constraints aside.
    pub fn type_of_path(&self, path: &Path, self_ty: Option<Ty>) -> Option<Ty> {
        let mut ty = self.type_of_root(&path.root, self_ty)?;
        for field in &path.fields {
            ty = self.member_type(ty, field)?;
        }
        Some(ty)
    }

    fn type_of_root(&self, root: &PathRoot, self_ty: Option<Ty>) -> Option<Ty> {
        match root {
            PathRoot::SelfValue => self_ty,
            PathRoot::This => {
                self.typed.get(root).copied().or_else(|| Some(Ty::this_type(self.db, self.class?)))
            }
            PathRoot::Here => Some(Ty::place(self.db)),
            PathRoot::Local { .. } => self.typed.get(root).copied(),
            PathRoot::Static { what, .. } => self.typed.get(root).copied().or_else(|| match *what {
                Named::Around(class) => Some(Ty::this_type(self.db, class)),
                Named::Field(field) => crate::signature::field_signature(self.db, field).ty,
                Named::Captured(_) | Named::Nothing => None,
            }),
            PathRoot::Literal(_) => None,
        }
    }

    fn member_type(&self, ty: Ty, name: &str) -> Option<Ty> {
        let db = self.db;
        if let Some((field, owner)) = self.find_field(ty, name) {
            let (class, args) = owner.as_class(db)?;
            let declared = crate::signature::field_signature(db, field).ty?;
            return Some(crate::ty::subst::Substitution::class(db, class, args).apply(db, declared));
        }
        let method = self.find_property_method(ty, name)?;
        let declared = crate::signature::method_signature(db, method.method).result?;
        let (class, args) = method.owner.as_class(db)?;
        Some(crate::ty::subst::Substitution::class(db, class, args).apply(db, declared))
    }

    /// The definition of the property method `name` of a value of type `ty`, over `this`.
    fn definition(&self, ty: Ty, name: &str) -> Option<Definition> {
        if self.find_field(ty, name).is_some() {
            return None;
        }
        let method = self.find_property_method(ty, name)?;
        crate::signature::property::definition(self.db, method.method).clone()
    }

    /// Expands the property methods in a path. If the last one is defined as a condition, also returns that
    /// condition, over the rest of the path.
    fn expanded(&self, path: &Path, self_ty: Option<Ty>) -> (Path, Option<Vec<ConstraintTerm>>) {
        let mut path = path.clone();
        let mut at = 0;
        let mut expansions = 0;
        while at < path.fields.len() && expansions < MAX_EXPANSIONS {
            let object = Path { root: path.root.clone(), fields: path.fields[..at].to_vec() };
            let name = path.fields[at].clone();
            let found = self.type_of_path(&object, self_ty).and_then(|ty| self.definition(ty, &name));
            match found {
                None => at += 1,
                Some(Definition::Path(stands_for)) => {
                    expansions += 1;
                    let rest = path.fields.split_off(at + 1);
                    // The definition may itself contain property methods: start over.
                    path = stands_for.at_root(&PathRoot::This, &object).with_fields(&rest);
                    at = 0;
                }
                Some(Definition::Condition(terms)) if at + 1 == path.fields.len() => {
                    let terms = terms.iter().map(|term| term.at_root(&PathRoot::This, &object)).collect();
                    return (path, Some(terms));
                }
                Some(Definition::Condition(_)) => at += 1,
            }
        }
        (path, None)
    }

    /// Expands the property methods in a term, as far as their definitions are known.
    pub fn meaning(&self, term: &ConstraintTerm, self_ty: Option<Ty>) -> Vec<ConstraintTerm> {
        self.expanded_term(term, self_ty, 0)
    }

    /// As [`Context::meaning`], `depth` expansions deep.
    fn expanded_term(&self, term: &ConstraintTerm, self_ty: Option<Ty>, depth: usize) -> Vec<ConstraintTerm> {
        let truth = Path::literal("true");
        let condition = match term {
            ConstraintTerm::Holds(path) => Some(path),
            ConstraintTerm::Equal(path, other) | ConstraintTerm::Equal(other, path) if *other == truth => {
                Some(path)
            }
            _ => None,
        };
        if let Some(path) = condition.filter(|_| depth < MAX_EXPANSIONS)
            && let (_, Some(terms)) = self.expanded(path, self_ty)
        {
            return terms.iter().flat_map(|term| self.expanded_term(term, self_ty, depth + 1)).collect();
        }
        term.map(|path| Some(self.expanded(path, self_ty).0)).into_iter().collect()
    }
}

/// A solver loaded with the facts relevant to a goal.
struct Asked<'a, 'db> {
    context: &'a Context<'db>,
    self_ty: Option<Ty>,
    solver: Solver,
    goal: Vec<ConstraintTerm>,
    facts: Vec<ConstraintTerm>,
    seen: FxHashSet<Path>,
}

impl<'a, 'db> Asked<'a, 'db> {
    fn new(context: &'a Context<'db>, question: Question<'_>, goal: &[ConstraintTerm]) -> Asked<'a, 'db> {
        let mut asked = Asked {
            context,
            self_ty: question.self_ty,
            solver: Solver::default(),
            goal: Vec::new(),
            facts: Vec::new(),
            seen: FxHashSet::default(),
        };
        let mut roots = FxHashSet::default();
        let mut facts: Vec<ConstraintTerm> = Vec::new();
        for term in goal {
            let terms = context.expanded_term(term, question.self_ty, 0);
            roots.extend(terms.iter().flat_map(ConstraintTerm::paths).map(|path| path.root.clone()));
            asked.goal.extend(terms);
        }
        for term in question.given {
            facts.extend(context.expanded_term(term, question.self_ty, 0));
        }
        if let Some(value) = question.value {
            let is_value = ConstraintTerm::Equal(Path::self_value(), value.clone());
            facts.extend(context.expanded_term(&is_value, question.self_ty, 0));
        }
        roots.extend(facts.iter().flat_map(ConstraintTerm::paths).map(|path| path.root.clone()));
        asked.add_relevant(roots, &mut facts);
        for fact in &facts {
            asked.assume(fact);
        }
        for term in asked.goal.clone() {
            term.paths().for_each(|path| asked.look_at(path));
        }
        asked.facts.extend(facts);
        asked
    }

    /// Adds the facts that mention one of `roots` or are transitively connected to them.
    fn add_relevant(&mut self, roots: FxHashSet<PathRoot>, facts: &mut Vec<ConstraintTerm>) {
        let known = self.context.facts.clone();
        let mut taken = FxHashSet::default();
        let mut pending: Vec<PathRoot> = roots.iter().cloned().collect();
        let mut roots = roots;
        let opaque = known.terms().iter().filter(|term| matches!(term, ConstraintTerm::Opaque(_)));
        facts.extend(opaque.cloned());
        while let Some(root) = pending.pop() {
            // A literal connects no facts: equality with the same literal is a fact about each value.
            if matches!(root, PathRoot::Literal(_)) {
                continue;
            }
            let mut found = self.context.known_of(&root);
            let new = known.about(&root).iter().filter(|index| taken.insert(**index));
            found.extend(new.map(|&index| known.terms()[index as usize].clone()));
            for term in found {
                let terms = self.context.expanded_term(&term, self.self_ty, 0);
                for path in terms.iter().flat_map(ConstraintTerm::paths) {
                    if roots.insert(path.root.clone()) {
                        pending.push(path.root.clone());
                    }
                }
                facts.extend(terms);
            }
        }
    }

    fn assume(&mut self, term: &ConstraintTerm) {
        self.solver.assume(term);
        term.paths().for_each(|path| self.look_at(path));
    }

    /// Assumes what the types of a path and of its prefixes imply.
    fn look_at(&mut self, path: &Path) {
        let mut ty = self.context.type_of_root(&path.root, self.self_ty);
        for length in 0..=path.fields.len().min(MAX_FIELDS) {
            let part = Path { root: path.root.clone(), fields: path.fields[..length].to_vec() };
            if length > 0 {
                ty = ty.and_then(|ty| self.context.member_type(ty, &path.fields[length - 1]));
            }
            let Some(known) = ty else { return };
            if self.seen.len() < MAX_PATHS && self.seen.insert(part.clone()) {
                self.look_at_value(&part, known);
            }
        }
    }

    fn look_at_value(&mut self, path: &Path, ty: Ty) {
        let db = self.context.db;
        if ty.is_struct(db) {
            self.solver.assume(&ConstraintTerm::NotEqual(path.clone(), Path::literal("null")));
        }
        // The constraint of a member's declared type is over the object that has the member.
        if let Some(constraint) = ty.constraint(db)
            && let Some((_, object)) = path.fields.split_last()
        {
            let object = Path { root: path.root.clone(), fields: object.to_vec() };
            for term in &constraint.terms {
                self.add(&term.at_root(&PathRoot::This, &object).at_root(&PathRoot::SelfValue, path));
            }
        }
        let Some((class, _)) = ty.as_class(db) else { return };
        let facts = match path.root == PathRoot::This && path.is_root() {
            true => self.context.facts_of_this(class),
            false => crate::signature::property::class_facts(db, class).clone(),
        };
        for term in facts {
            self.add(&term.at_root(&PathRoot::This, path));
        }
    }

    fn add(&mut self, term: &ConstraintTerm) {
        for term in self.context.expanded_term(term, self.self_ty, 0) {
            self.assume(&term);
        }
    }
}
