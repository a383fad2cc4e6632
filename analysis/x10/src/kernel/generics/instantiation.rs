//! Instantiations of generic code that runs on devices: type arguments must meet the requirements of that
//! code.
//!
//! Type arguments that still contain type parameters are checked where those are instantiated.

use std::sync::Arc;

use apg_syntax::TextRange;

use crate::body::{Owner, StmtId};
use crate::db::Db;
use crate::ids::{FileOrigin, MethodId, SourceFile};
use crate::inputs::{Project, split_inputs};
use crate::item_tree::Import;
use crate::item_tree::items::imports;
use crate::item_tree::source::Item;
use crate::kernel::device_semantics::{CalleeKind, DeviceSemantics};
use crate::kernel::fixes::template::FixTemplate;
use crate::kernel::generics::bound_requirements::UnmetRequirement;
use crate::kernel::generics::instance::Instance;
use crate::kernel::generics::requirements::{ExecutionSpace, calls, device_code, requirement_summary};
use crate::kernel::violation::Violation;
use crate::rules::cuda;
use crate::rules::cuda::generic_call::GenericCall;

/// Whether a file may contain kernels, which need an import. For a file that is being edited only the
/// skeleton is consulted.
#[salsa::tracked(returns(copy))]
fn mentions_kernels(db: &dyn Db, file: SourceFile) -> bool {
    if split_inputs(db, file).is_some() {
        let of_compiler = |it: &Import| it.path == "x10.compiler" || it.path.starts_with("x10.compiler.CUDA");
        return imports(db, file).iter().any(of_compiler);
    }
    ["import x10.compiler.CUDA", "import x10.compiler.*"].iter().any(|it| file.text(db).contains(it))
}

/// Whether any user file may contain kernels: other programs skip these checks.
#[salsa::tracked(returns(copy))]
fn has_kernels(db: &dyn Db) -> bool {
    let project = Project::get(db);
    let files = project.files(db).values().chain(project.roots(db).iter());
    files.into_iter().any(|file| mentions_kernels(db, *file))
}

/// Violations at calls whose type arguments do not meet the requirements of device code.
pub(crate) fn instance_violations(db: &dyn Db, owner: Owner) -> Arc<Vec<Violation>> {
    if Item::from(owner).file(db).origin(db) != FileOrigin::User || !has_kernels(db) {
        return Arc::default();
    }
    violations_of_instantiations(db, owner).clone()
}

#[salsa::tracked]
fn violations_of_instantiations(db: &dyn Db, owner: Owner) -> Arc<Vec<Violation>> {
    let semantics = DeviceSemantics::new(db);
    let body = &semantics.body_of(owner).body;
    let at = body.root.unwrap_or(StmtId(0));
    let is_function = matches!(owner, Owner::Method(it) if semantics.callee_kind(it) == CalleeKind::Function);
    let device = device_code(db, owner, body);
    let calls = calls(body, |node| if is_function { ExecutionSpace::Device } else { device.space(node) });
    let violations = calls.filter_map(|(space, instance, range)| {
        let (unmet, by) = unmet_requirement(&semantics, space, &instance)?;
        Some(violation(&semantics, (at, range), instance.method, by, unmet))
    });
    Arc::new(violations.collect())
}

/// The unmet requirement of an instantiated call, and the method that has the requirement.
fn unmet_requirement(
    semantics: &DeviceSemantics,
    space: ExecutionSpace,
    instance: &Instance,
) -> Option<(UnmetRequirement, MethodId)> {
    if !instance.is_generic() {
        return None;
    }
    let requirement_summary = requirement_summary(semantics.db, instance.method, space);
    if requirement_summary.is_empty() {
        return None;
    }
    let types = instance.types(semantics.db);
    semantics.first_unmet(
        requirement_summary.iter().map(|(requirement, by)| (requirement.apply(semantics, &types), *by)),
    )
}

fn violation(
    semantics: &DeviceSemantics,
    (at, range): (StmtId, TextRange),
    called: MethodId,
    by: MethodId,
    unmet: UnmetRequirement,
) -> Violation {
    let generic = |data: GenericCall| Violation::new(at, range, data);
    match unmet {
        UnmetRequirement::NotStorable(ty) => {
            let required_by = (called != by).then_some(by);
            generic(GenericCall::Storage { method: called, ty, required_by })
        }
        UnmetRequirement::NotAnnotated(ty, method) => {
            generic(GenericCall::Unannotated { caller: by, method, ty })
                .fix(semantics.is_user_code(method).then_some(FixTemplate::Annotate(method)))
        }
        UnmetRequirement::Invalid(method, first) => {
            let reason = first.render(semantics.db, Owner::Method(method)).message;
            let data = cuda::bad_callee::BadCallee { method, through: Some(by), reason: reason.clone() };
            Violation::new(at, range, data).related(method, first.range(), reason)
        }
        UnmetRequirement::ThreadDependent(method) => {
            generic(GenericCall::ThreadDependent { caller: by, method })
        }
        UnmetRequirement::WritesCapture(method) => generic(GenericCall::WritesCapture { caller: by, method }),
        UnmetRequirement::Recursive(method) => {
            Violation::new(at, range, cuda::recursion::Recursion { method })
        }
    }
}
