//! Chunks of class members with problems. After an edit, salsa revalidates one query for each unchanged chunk
//! instead of several for each member, so that large classes stay cheap.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::body::Owner;
use crate::db::Db;
use crate::flow::{flow_problems, unjoined_read_problems};
use crate::ids::ClassId;
use crate::infer::owner_body;
use crate::item_tree::items::{fields, methods};
use crate::kernel::{function_violations, instance_violations, kernels, slot_violations};

/// Number of members in a chunk.
const MEMBERS_PER_CHUNK: usize = 16;

/// The number of chunks of a class.
pub(super) fn count(db: &dyn Db, class: ClassId) -> usize {
    (fields(db, class).len() + methods(db, class).len()).div_ceil(MEMBERS_PER_CHUNK)
}

/// The members of a chunk that have problems, or whose analysis fails.
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

/// Whether a member has problems, or its analysis fails.
fn may_have_problems(db: &dyn Db, owner: Owner) -> bool {
    match catch_unwind(AssertUnwindSafe(|| has_problems(db, owner))) {
        Ok(found) => found,
        Err(payload) if payload.is::<salsa::Cancelled>() => std::panic::resume_unwind(payload),
        Err(_) => {
            // The inputs of a failed analysis are unknown, so it is repeated after each edit.
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
        || !flow_problems(db, owner).is_empty()
        || !unjoined_read_problems(db, owner).is_empty()
        || kernels(db, owner).iter().any(|kernel| !kernel.violations.is_empty())
        || !instance_violations(db, owner).is_empty()
        || !slot_violations(db, owner).is_empty()
        || in_method(owner)
}
