//! Type inference: from the syntax tree of a method, constructor or field initialiser to its typed body
//! ([`crate::body::Body`]) and its problems.
//!
//! [`body`] reads the declaration's own text and the signatures of what it uses, never another body
//! (but for the result of a method that declares none), and all its ranges are relative to the
//! declaration: an edit elsewhere leaves it as it is.

mod body;
mod call;
mod constraint;
mod context;
pub(crate) mod expr;
pub(crate) mod local_class_env;
mod narrowing;
mod scopes;
mod stmt;
pub(crate) mod suggest;
mod type_lower;

pub use expr::constant;

use std::sync::Arc;

use crate::body::local_class_env::LocalClassEnv;
use crate::body::{Body, Owner};
use crate::db::{Db, RootDatabase};
use crate::ids::{ClassId, FieldId, MethodId};
use crate::item_tree::items::{field_item, method_item};
use crate::rules::Problem;
use crate::rules::r#type::recursive_result::RecursiveResult;
use crate::ty::{Constraint, Ty};

/// A typed body and its problems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyResult {
    /// The code. That of a field initialiser is a `Return` of the value.
    pub body: Body,
    /// All problems of typing; ranges are relative to the owner's declaration. Flow analyses and kernel
    /// rules have queries of their own.
    pub problems: Vec<Problem>,
    /// The result type, declared or inferred, as callers see it.
    pub result: Ty,
    /// The guard inferred for a method marked `@InferGuard`, over its formals.
    pub required: Constraint,
}

impl BodyResult {
    /// Whether a problem keeps the code from being compiled.
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error)
    }
}

/// The range of an owner's name, relative to its declaration.
pub(crate) fn name_range(db: &dyn Db, owner: Owner) -> apg_syntax::TextRange {
    body::name_range(db, owner)
}

/// The typed code of a method, operator or constructor. `root` is `None` if it has none.
pub fn body(db: &dyn Db, method: MethodId) -> Arc<BodyResult> {
    owner_body(db, Owner::Method(method)).clone()
}

/// The typed initialiser of a field; `None` if it has none.
pub fn field_init_body(db: &dyn Db, field: FieldId) -> Option<Arc<BodyResult>> {
    let has_initializer = field_item(db, field).is_some_and(|item| item.has_initializer);
    has_initializer.then(|| owner_body(db, Owner::Field(field)).clone())
}

/// The typed body of a method, constructor or field initialiser. A recursive body without a declared result
/// type is typed by fixpoint iteration; the results of its other `return`s are the first approximation.
#[salsa::tracked(lru = 0, cycle_fn = iterate_typing, cycle_initial = untyped_body)]
pub fn owner_body(db: &dyn Db, owner: Owner) -> Arc<BodyResult> {
    Arc::new(body::infer(db, owner))
}

/// Limits the number of cached typed bodies. Only for databases without edits: after an edit, salsa takes an
/// evicted value of a fixpoint query for a failed one (decision 28).
pub(crate) fn keep_bodies(db: &mut RootDatabase, count: usize) {
    owner_body::set_lru_capacity(db, count);
}

fn untyped_body(db: &dyn Db, _id: salsa::Id, _owner: Owner) -> Arc<BodyResult> {
    Arc::new(BodyResult {
        body: Body::default(),
        problems: Vec::new(),
        result: Ty::error(db),
        required: Constraint::default(),
    })
}

/// Maximum number of fixpoint iterations of a body; types that still grow are reported as recursive.
const MAX_FIXPOINT_ITERATIONS: u32 = 8;

fn iterate_typing(
    db: &dyn Db,
    cycle: &salsa::Cycle,
    _last: &Arc<BodyResult>,
    found: Arc<BodyResult>,
    owner: Owner,
) -> Arc<BodyResult> {
    let unknown = found.result.mentions_error(db) && !found.has_errors();
    if unknown || cycle.iteration() > MAX_FIXPOINT_ITERATIONS { recursive_body(db, owner) } else { found }
}

/// The body of an owner whose inferred result type depends on itself.
fn recursive_body(db: &dyn Db, owner: Owner) -> Arc<BodyResult> {
    let (name, is_field) = match owner {
        Owner::Method(method) => (method.name(db).clone(), false),
        Owner::Field(field) => (field.name(db).clone(), true),
    };
    let problem = Problem::new(body::name_range(db, owner), RecursiveResult { name, is_field });
    Arc::new(BodyResult {
        body: Body::default(),
        problems: vec![problem],
        result: Ty::error(db),
        required: Constraint::default(),
    })
}

/// Fixpoint of inferred guards: terms are added until no guard grows.
#[salsa::tracked(cycle_fn = grown_guard, cycle_initial = no_guard)]
fn required_guard(db: &dyn Db, method: MethodId) -> Constraint {
    body::infer(db, Owner::Method(method)).required
}

fn no_guard(_db: &dyn Db, _id: salsa::Id, _method: MethodId) -> Constraint {
    Constraint::default()
}

fn grown_guard(
    _db: &dyn Db,
    _cycle: &salsa::Cycle,
    last: &Constraint,
    found: Constraint,
    _method: MethodId,
) -> Constraint {
    let mut grown = last.clone();
    for term in found.terms {
        if !grown.terms.contains(&term) {
            grown.terms.push(term);
        }
    }
    grown
}

/// The inferred result type of a method, as callers see it.
pub(crate) fn inferred_result(db: &dyn Db, method: MethodId) -> Ty {
    if *returns_nothing(db, method) { Ty::void(db) } else { owner_body(db, Owner::Method(method)).result }
}

/// Whether no `return` of a method's block has a value. Then the result is `void` without typing the body,
/// which may be recursive.
#[salsa::tracked]
fn returns_nothing(db: &dyn Db, method: MethodId) -> bool {
    body::returns_nothing(db, method)
}

/// Whether the method declares its result, so that callers do not need its body.
pub(crate) fn declares_result(db: &dyn Db, method: MethodId) -> bool {
    method_item(db, method).is_some_and(|item| item.result.is_some() || !item.has_body)
}

#[salsa::db]
impl Db for RootDatabase {
    fn inferred_result(&self, method: MethodId) -> Ty {
        inferred_result(self, method)
    }

    fn inferred_field_type(&self, field: FieldId) -> Ty {
        owner_body(self, Owner::Field(field)).result
    }

    fn inferred_guard(&self, method: MethodId) -> Constraint {
        required_guard(self, method).clone()
    }

    fn local_class_env(&self, class: ClassId) -> Arc<LocalClassEnv> {
        local_class_env::local_class_env(self, class).clone()
    }
}
