//! The members of a class piece by piece: which of them there is something to say about. After an edit the pieces in which nobody
//! typed are known to hold at one look each, so that a class of a thousand methods is not asked a thousand times.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::db::Db;
use crate::flow::unjoined_read_problems;
use crate::ids::ClassId;
use crate::infer::{Owner, owner_body};
use crate::item_tree::items::{fields, methods};
use crate::kernel::{function_violations, instance_violations, kernels};

/// So many members make a piece.
const MEMBERS_PER_CHUNK: usize = 16;

/// How many pieces a class has.
pub(super) fn count(db: &dyn Db, class: ClassId) -> usize {
    (fields(db, class).len() + methods(db, class).len()).div_ceil(MEMBERS_PER_CHUNK)
}

/// The members of a piece that something is wrong with, or that cannot be looked at.
#[salsa::tracked]
pub(super) fn members_with_problems(db: &dyn Db, class: ClassId, chunk: usize) -> Vec<Owner> {
    let fields = fields(db, class).iter().copied().map(Owner::Field);
    let members = fields.chain(methods(db, class).iter().copied().map(Owner::Method));
    members
        .skip(chunk * MEMBERS_PER_CHUNK)
        .take(MEMBERS_PER_CHUNK)
        .filter(|owner| may_have_problems(db, *owner))
        .collect()
}

/// Whether something is wrong, or the analysis fails.
fn may_have_problems(db: &dyn Db, owner: Owner) -> bool {
    match catch_unwind(AssertUnwindSafe(|| has_problems(db, owner))) {
        Ok(found) => found,
        Err(payload) if payload.is::<salsa::Cancelled>() => std::panic::resume_unwind(payload),
        Err(_) => {
            // What it failed at is not known, nor when that will be another: it is tried again after each edit.
            db.report_untracked_read();
            true
        }
    }
}

fn has_problems(db: &dyn Db, owner: Owner) -> bool {
    if !super::signature_problems(db, owner).is_empty() {
        return true;
    }
    if !super::has_code(db, owner) {
        return false;
    }
    let in_method = |owner| match owner {
        Owner::Method(method) => {
            !function_violations(db, method).is_empty()
                || super::overrides::inferred_result_problem(db, method).is_some()
        }
        Owner::Field(_) => false,
    };
    !owner_body(db, owner).problems.is_empty()
        || !unjoined_read_problems(db, owner).is_empty()
        || kernels(db, owner).iter().any(|kernel| !kernel.violations.is_empty())
        || !instance_violations(db, owner).is_empty()
        || in_method(owner)
}
