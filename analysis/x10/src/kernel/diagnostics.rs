//! Queries of kernel rules: the kernels of a body, and the violations of an item as diagnostics.

use std::sync::Arc;

use crate::body::Owner;
use crate::db::Db;
use crate::diagnostics::{Diagnostic, Related};
use crate::ids::MethodId;
use crate::item_tree::source::{Item, item_offset, place_diagnostics};
use crate::kernel::device_code::functions::function_summary;
use crate::kernel::device_semantics::DeviceSemantics;
use crate::kernel::fixes::render::FixRenderer;
use crate::kernel::generics::instantiation::instance_violations;
use crate::kernel::shape::recognise::kernels;
use crate::kernel::slot_calls::slot_violations;
use crate::kernel::violation::Violation;

/// Violations in a `@CUDA` function itself, without those of its callees.
#[salsa::tracked]
pub fn function_violations(db: &dyn Db, method: MethodId) -> Arc<Vec<Violation>> {
    if !DeviceSemantics::new(db).is_cuda(method) {
        return Arc::default();
    }
    Arc::new(function_summary(db, method).violations.clone())
}

/// All violations of an item: those of its kernels, of the item as `@CUDA` function, and of instantiations
/// whose type arguments reach kernels elsewhere.
pub(crate) fn kernel_diagnostics(db: &dyn Db, owner: Owner) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for recognised in kernels(db, owner).iter() {
        found.extend(recognised.violations.iter().map(|violation| diagnostic(db, owner, violation)));
    }
    if let Owner::Method(method) = owner {
        found
            .extend(function_violations(db, method).iter().map(|violation| diagnostic(db, owner, violation)));
    }
    found.extend(slot_violations(db, owner).iter().map(|violation| diagnostic(db, owner, violation)));
    for violation in instance_violations(db, owner).iter() {
        let instance = diagnostic(db, owner, violation);
        // A call in a kernel may have been reported already.
        if !found.iter().any(|it| it.code == instance.code && it.range == instance.range) {
            found.push(instance);
        }
    }
    found
}

fn diagnostic(db: &dyn Db, owner: Owner, violation: &Violation) -> Diagnostic {
    let item = Item::from(owner);
    let mut diagnostic = violation.render(db, owner);
    for placed in place_diagnostics(db, item, std::slice::from_ref(&diagnostic)) {
        diagnostic = placed;
    }
    diagnostic.related.extend(violation.related.iter().map(|site| {
        let item = Item::Method(site.method);
        Related {
            file: item.file(db),
            range: site.range + item_offset(db, item),
            message: site.message.clone(),
        }
    }));
    let renderer = FixRenderer::new(db, item);
    diagnostic.fixes.extend(violation.fixes.iter().filter_map(|fix| renderer.render_fix(fix)));
    diagnostic
}
