//! Lowering of a file: its regions, then the functions that they reach.

use std::path::Path;

use apg_c_analysis::Parsed;
use apg_mir as mir;

use crate::unit::Unit;
use crate::unsupported::Unsupported;
use crate::{region, statement};

/// Lowers the `target` regions of a file. The program has a kernel for each, in the order of the source, and
/// no `main`.
///
/// # Errors
/// Everything in regions and in the functions that they call that has no device form.
pub fn lower(parsed: &Parsed, path: &Path) -> Result<mir::Program, Vec<Unsupported>> {
    let mut unit = Unit::new(parsed, path);
    for directive in unit.hir.directive_ids() {
        if region::is_region(unit.hir, directive)
            && let Err(error) = region::lower(&mut unit, directive)
        {
            unit.report(error);
        }
    }
    while let Some((function, id)) = unit.next_function() {
        match statement::lower_function(&mut unit, function) {
            Ok(lowered) => unit.program.functions[id.index()] = lowered,
            Err(error) => unit.report(error),
        }
    }
    if !unit.errors.is_empty() {
        unit.errors.sort_by_key(|it| it.range.start());
        unit.errors.dedup();
        return Err(unit.errors);
    }
    unit.program.assign_ids();
    mir::verify::debug_assert_valid(&unit.program, "lowering of C");
    Ok(unit.program)
}
