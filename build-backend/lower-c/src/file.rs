//! Lowering of a file: its regions, then the functions that they reach.

use std::collections::BTreeSet;

use apg_c_analysis::hir::DirectiveId;
use apg_mir as mir;

use crate::region;
use crate::sources::{FileNumber, ReachedObject, Source, Sources};
use crate::statement::lower_function;
use crate::unit::Unit;
use crate::unsupported::Unsupported;

/// The `target` regions of a file, each of them on a device or on the host.
#[derive(Clone, Debug, Default)]
pub struct PlacedRegions {
    /// A kernel for each region that has a device form, in the order of the source, and no `main`.
    pub program: mir::Program,
    /// The regions that have none.
    pub on_host: Vec<HostRegion>,
    /// What regions and the functions which they call reach outside of themselves, but for what regions name.
    pub objects: BTreeSet<ReachedObject>,
    /// Messages with which they end the program.
    pub messages: Vec<String>,
    /// They write to the standard output.
    pub print: bool,
}

/// A region that has no device form.
#[derive(Clone, Debug)]
pub struct HostRegion {
    /// Its directive.
    pub directive: DirectiveId,
    /// What it does that a device does not.
    pub reasons: Vec<Unsupported>,
}

/// Lowers the `target` regions of a file of a program. The result has a kernel for each, in the order of the
/// source, and no `main`.
///
/// # Errors
/// Everything in regions and in the functions that they call that has no device form.
pub fn lower(files: &[Source<'_>], file: FileNumber) -> Result<mir::Program, Vec<Unsupported>> {
    let sources = Sources::with_library(files, false);
    lower_regions(&sources, file, &region::regions(sources.hir(file))).map(|it| it.program)
}

/// Lowers the `target` regions of a file that have a device form; the others are left to the host. With
/// `checks` they check bounds.
pub fn place_regions(files: &[Source<'_>], file: FileNumber, checks: bool) -> PlacedRegions {
    let sources = Sources::with_library(files, checks);
    let mut regions = region::regions(sources.hir(file));
    let mut on_host = Vec::new();
    if let Ok(placed) = lower_regions(&sources, file, &regions) {
        return placed;
    }
    // A function that has no device form concerns the regions that reach it only.
    regions.retain(|directive| match lower_regions(&sources, file, &[*directive]) {
        Ok(_) => true,
        Err(reasons) => {
            on_host.push(HostRegion { directive: *directive, reasons });
            false
        }
    });
    match lower_regions(&sources, file, &regions) {
        Ok(placed) => PlacedRegions { on_host, ..placed },
        Err(reasons) => {
            let rest =
                regions.into_iter().map(|directive| HostRegion { directive, reasons: reasons.clone() });
            on_host.extend(rest);
            PlacedRegions { on_host, ..PlacedRegions::default() }
        }
    }
}

fn lower_regions(
    sources: &Sources<'_>,
    file: FileNumber,
    regions: &[DirectiveId],
) -> Result<PlacedRegions, Vec<Unsupported>> {
    let mut unit = Unit::new(sources, file);
    let mut objects = BTreeSet::new();
    for directive in regions {
        match region::lower(&mut unit, *directive) {
            Ok(reached) => objects.extend(reached),
            Err(error) => unit.report(error),
        }
    }
    unit.lower_functions(lower_function);
    if !unit.errors.is_empty() {
        unit.errors.sort_by_key(|it| it.range.start());
        unit.errors.dedup();
        return Err(unit.errors);
    }
    unit.program.assign_ids();
    mir::verify::debug_assert_valid(&unit.program, "lowering of C");
    Ok(PlacedRegions {
        program: unit.program,
        on_host: Vec::new(),
        objects,
        messages: unit.messages,
        print: unit.prints,
    })
}
