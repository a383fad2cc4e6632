//! Flow analyses of typed bodies: definite assignment and reachability, captured variables, checked
//! exceptions, object construction, blocking operations, lost writes, unjoined reads and operations that fail
//! for certain.

mod blocking;
mod captures;
mod certain_failures;
pub(crate) mod construction;
mod definite_assignment;
mod device_place;
mod exceptions;
mod lost_write;
mod unjoined_reads;

use std::sync::Arc;

use apg_syntax::TextRange;

use crate::body::Owner;
use crate::body::{Body, StmtId};
use crate::db::Db;
use crate::ids::FieldId;
use crate::infer::{name_range, owner_body};
use crate::item_tree::MethodKind;
use crate::item_tree::items::{field_is_mutable, method_item};
use crate::rules::Problem;

pub(crate) use exceptions::is_checked as is_checked_exception;
pub(crate) use unjoined_reads::unjoined_read_problems;

/// The owner of a body, as flow analyses need it.
pub(crate) struct FlowContext<'a> {
    /// The database.
    pub db: &'a dyn Db,
    /// Whether every path must return a value.
    pub needs_value: bool,
    /// The range of the owner's name.
    pub name: TextRange,
    /// In a constructor, the fields of its object: [`construction`] checks their assignments.
    pub is_constructed: &'a dyn Fn(FieldId) -> bool,
    /// Whether a field may be assigned only once.
    pub is_val: &'a dyn Fn(FieldId) -> bool,
}

/// Whether a statement can complete normally (Java Language Specification, 14.22).
pub(crate) fn completes(db: &dyn Db, owner: Owner, body: &Body, stmt: StmtId) -> bool {
    let context = FlowContext {
        db,
        needs_value: false,
        name: TextRange::default(),
        is_constructed: &|_| false,
        is_val: &|_| false,
    };
    definite_assignment::AssignmentWalker::new(&context, owner, body).completes(stmt)
}

/// The problems that flow analyses find in a body, relative to its owner. Typing does not depend on them.
#[salsa::tracked]
pub(crate) fn flow_problems(db: &dyn Db, owner: Owner) -> Arc<Vec<Problem>> {
    let typed = owner_body(db, owner);
    // Code with type errors would be misjudged.
    if typed.has_errors() && typed.body.root.is_none() {
        return Arc::default();
    }
    let (class, is_constructor, is_method) = match owner {
        Owner::Method(method) => {
            let kind = method_item(db, method).map(|item| item.kind);
            (method.class(db), kind.is_some_and(MethodKind::is_constructor), true)
        }
        Owner::Field(field) => (field.class(db), false, false),
    };
    let has_value = !typed.result.is_void(db) && !typed.result.is_error(db);
    let context = FlowContext {
        db,
        needs_value: is_method && !is_constructor && has_value,
        name: name_range(db, owner),
        is_constructed: &|field| is_constructor && field.class(db) == class,
        is_val: &|field| !field_is_mutable(db, field),
    };
    let mut problems = check(&context, owner, &typed.body);
    problems.shrink_to_fit();
    Arc::new(problems)
}

/// All problems of one body.
fn check(context: &FlowContext<'_>, owner: Owner, body: &Body) -> Vec<Problem> {
    let mut assignment = definite_assignment::AssignmentWalker::new(context, owner, body);
    let _ = assignment.run();
    let mut captures = captures::CaptureWalker::new(body);
    captures.run();
    let mut problems = assignment.problems;
    problems.append(&mut captures.problems);
    problems.append(&mut exceptions::check(context.db, owner, body));
    problems.append(&mut lost_write::check(context, body));
    problems.append(&mut blocking::check(context, body));
    problems.append(&mut device_place::check(context, body));
    problems.append(&mut certain_failures::check(context, owner, body));
    problems
}
