//! Lowering of a file: its regions, then the functions that they reach.

use std::path::Path;

use apg_c_analysis::Parsed;
use apg_c_analysis::hir::DirectiveId;
use apg_mir as mir;

use crate::unit::Unit;
use crate::unsupported::Unsupported;
use crate::{region, statement};

/// The `target` regions of a file, each of them on a device or on the host.
#[derive(Clone, Debug, Default)]
pub struct PlacedRegions {
    /// A kernel for each region that has a device form, in the order of the source, and no `main`.
    pub program: mir::Program,
    /// The regions that have none.
    pub on_host: Vec<HostRegion>,
}

/// A region that has no device form.
#[derive(Clone, Debug)]
pub struct HostRegion {
    /// Its directive.
    pub directive: DirectiveId,
    /// What it does that a device does not.
    pub reasons: Vec<Unsupported>,
}

/// Lowers the `target` regions of a file. The program has a kernel for each, in the order of the source, and
/// no `main`.
///
/// # Errors
/// Everything in regions and in the functions that they call that has no device form.
pub fn lower(parsed: &Parsed, path: &Path) -> Result<mir::Program, Vec<Unsupported>> {
    lower_regions(parsed, path, &region::regions(&parsed.program))
}

/// Lowers the `target` regions of a file that have a device form; the others are left to the host.
pub fn place_regions(parsed: &Parsed, path: &Path) -> PlacedRegions {
    let mut regions = region::regions(&parsed.program);
    let mut on_host = Vec::new();
    if let Ok(program) = lower_regions(parsed, path, &regions) {
        return PlacedRegions { program, on_host };
    }
    // A function that has no device form concerns the regions that reach it only.
    regions.retain(|directive| match lower_regions(parsed, path, &[*directive]) {
        Ok(_) => true,
        Err(reasons) => {
            on_host.push(HostRegion { directive: *directive, reasons });
            false
        }
    });
    match lower_regions(parsed, path, &regions) {
        Ok(program) => PlacedRegions { program, on_host },
        Err(reasons) => {
            let rest =
                regions.into_iter().map(|directive| HostRegion { directive, reasons: reasons.clone() });
            on_host.extend(rest);
            PlacedRegions { program: mir::Program::default(), on_host }
        }
    }
}

fn lower_regions(
    parsed: &Parsed,
    path: &Path,
    regions: &[DirectiveId],
) -> Result<mir::Program, Vec<Unsupported>> {
    let mut unit = Unit::new(parsed, path);
    for directive in regions {
        if let Err(error) = region::lower(&mut unit, *directive) {
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
