//! The program point at which a question about types is asked. It determines what is accessible and which
//! facts hold.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::constraint::facts::Facts;
use crate::db::Db;
use crate::ids::{ClassId, MethodId};
use crate::signature::{class_header, method_signature};
use crate::ty::guard::Guard;
use crate::ty::{ConstraintTerm, Path, PathRoot, Ty};

/// A program point.
#[derive(Clone)]
pub struct Context<'db> {
    /// The database.
    pub db: &'db dyn Db,
    /// The innermost class.
    pub class: Option<ClassId>,
    /// The method. Its guard and the bounds of its type parameters hold.
    pub method: Option<MethodId>,
    /// The facts about values here, besides guards: conditions that hold on this path, and types of
    /// variables.
    pub facts: Arc<Facts>,
    /// The types of the locals and formals that occur in facts and constraints.
    pub typed: Arc<FxHashMap<PathRoot, Ty>>,
    /// The path of the current place in the facts. Guards of signatures name the place of the call as `here`.
    pub here: Option<Path>,
    /// Whether `this` is under construction: the facts about all objects of its class are not established
    /// yet.
    pub is_making: bool,
}

impl<'db> Context<'db> {
    /// The context outside all classes.
    pub fn global(db: &'db dyn Db) -> Context<'db> {
        Context {
            db,
            class: None,
            method: None,
            facts: Arc::default(),
            typed: Arc::default(),
            here: None,
            is_making: false,
        }
    }
    /// The context inside a class, outside its methods.
    pub fn class(db: &'db dyn Db, class: ClassId) -> Context<'db> {
        Context { class: Some(class), ..Context::global(db) }
    }
    /// The context inside a method.
    pub fn method(db: &'db dyn Db, method: MethodId) -> Context<'db> {
        Context { class: Some(method.class(db)), method: Some(method), ..Context::global(db) }
    }

    /// The guards in force: those of the method, the class, and the classes around it.
    pub fn guards(&self) -> Vec<&'db Guard> {
        let mut guards = Vec::new();
        if let Some(method) = self.method {
            guards.push(&method_signature(self.db, method).guard);
        }
        let mut class = self.class;
        while let Some(inner) = class {
            guards.push(&class_header(self.db, inner).guard);
            class = inner.outer(self.db);
        }
        guards
    }

    /// The guards in force for types: also those of the methods around local and anonymous classes.
    fn type_guards(&self) -> Vec<&'db Guard> {
        let mut guards = self.guards();
        for class in std::iter::successors(self.class, |c| c.outer(self.db)) {
            let method = crate::item_tree::nesting::enclosing_method(self.db, class);
            guards.extend(method.map(|method| &method_signature(self.db, method).guard));
        }
        guards
    }

    /// The known upper bounds of the type parameter `ty`.
    pub fn upper_bounds(&self, ty: Ty) -> Vec<Ty> {
        let mut bounds = Vec::new();
        for guard in self.type_guards() {
            bounds.extend(guard.subtypes.iter().filter(|(lower, _)| *lower == ty).map(|(_, upper)| *upper));
            bounds.extend(guard.same.iter().filter(|(a, _)| *a == ty).map(|(_, b)| *b));
            bounds.extend(guard.same.iter().filter(|(_, b)| *b == ty).map(|(a, _)| *a));
        }
        bounds
    }

    /// The known lower bounds of the type parameter `ty`.
    pub fn lower_bounds(&self, ty: Ty) -> Vec<Ty> {
        let mut bounds = Vec::new();
        for guard in self.type_guards() {
            bounds.extend(guard.subtypes.iter().filter(|(_, upper)| *upper == ty).map(|(lower, _)| *lower));
            bounds.extend(guard.same.iter().filter(|(a, _)| *a == ty).map(|(_, b)| *b));
            bounds.extend(guard.same.iter().filter(|(_, b)| *b == ty).map(|(a, _)| *a));
        }
        bounds
    }

    /// Whether a guard in force says `ty haszero`.
    pub fn assumes_zero(&self, ty: Ty) -> bool {
        self.type_guards().iter().any(|g| g.has_zero.contains(&ty))
    }

    /// Whether a guard in force says `ty isref`.
    pub fn assumes_ref(&self, ty: Ty) -> bool {
        self.type_guards().iter().any(|g| g.is_ref.contains(&ty))
    }

    /// All that is known of values here: the facts, the definition of `here`, and the facts about `this`.
    pub fn known_terms(&self) -> Vec<ConstraintTerm> {
        let mut terms = self.facts.terms().to_vec();
        terms.extend(self.known_of(&PathRoot::Here));
        terms.extend(self.known_of(&PathRoot::This));
        terms
    }

    /// The facts about `root` besides [`Context::facts`].
    pub fn known_of(&self, root: &PathRoot) -> Vec<ConstraintTerm> {
        let here = self.here.as_ref();
        match root {
            // A method's guard names formals by index. The facts of its body hold the guard with the formals'
            // names.
            PathRoot::This => self.class.map_or_else(Vec::new, |class| self.facts_of_this(class)),
            PathRoot::Here => {
                here.map(|here| ConstraintTerm::Equal(Path::here(), here.clone())).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The facts about `this` as an object of `class`; during construction, as an object of its superclass.
    pub fn facts_of_this(&self, class: ClassId) -> Vec<ConstraintTerm> {
        let known = match self.is_making && self.class == Some(class) {
            true => crate::signature::supertypes::superclass(self.db, class)
                .and_then(|ty| ty.as_class(self.db))
                .map(|it| it.0),
            false => Some(class),
        };
        known.map_or_else(Vec::new, |class| crate::signature::property::class_facts(self.db, class).clone())
    }
}
