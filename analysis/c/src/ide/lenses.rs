//! Code lenses: what can be done with a program and its regions.

use apg_c_syntax::{Family, TextRange};

use super::{main_function, transfer_plans};
use crate::Parsed;
use crate::hir::{Construct, Directive, DirectiveId};

/// A line above which something can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lens {
    /// The name of the function or directive.
    pub range: TextRange,
    /// What can be done.
    pub kind: LensKind,
}

/// What can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LensKind {
    /// The program runs.
    Run {
        /// It has regions that can be on a device.
        has_regions: bool,
        /// All of them are `parallel` regions: nothing of it is for devices by itself.
        has_parallel_alone: bool,
        /// It has XcalableMP directives: it can run at several places.
        is_distributed: bool,
    },
    /// A region has device code, unless it does what no device does.
    ShowCuda,
    /// A construct moves data.
    ShowTransfers,
}

/// The lenses of a file, in the order of the source; none of a file without directives.
pub fn lenses(parsed: &Parsed) -> Vec<Lens> {
    let directives = &parsed.program.directives;
    let mut found = Vec::new();
    if directives.is_empty() {
        return found;
    }
    let is_distributed = directives.iter().any(|it| it.family == Family::XcalableMp);
    let ids = parsed.program.directive_ids();
    let regions = ids.filter(|it| !is_distributed && is_region(parsed, *it));
    let regions: Vec<&Directive> = regions.map(|it| parsed.program.directive(it)).collect();
    if let Some(range) = main_function(parsed) {
        let has_parallel_alone = regions.iter().all(|it| !it.has(Construct::Target));
        let kind = LensKind::Run { has_regions: !regions.is_empty(), has_parallel_alone, is_distributed };
        found.push(Lens { range, kind });
    }
    let ranges = regions.into_iter().filter_map(|it| parsed.spelled(it.name_range));
    found.extend(ranges.map(|range| Lens { range, kind: LensKind::ShowCuda }));
    let plans = transfer_plans(parsed).into_iter();
    found.extend(plans.map(|it| Lens { range: it.range, kind: LensKind::ShowTransfers }));
    found.sort_by_key(|it| it.range.start());
    found
}

/// Whether a directive begins a region that can be on a device: `target`, or the outermost `parallel`.
fn is_region(parsed: &Parsed, id: DirectiveId) -> bool {
    let begins_one =
        |it: &Directive| it.body.is_some() && (it.has(Construct::Target) || it.has(Construct::Parallel));
    let directive = parsed.program.directive(id);
    let mut around = directive.parent;
    while let Some(next) = around.map(|it| parsed.program.directive(it)) {
        if begins_one(next) {
            return false;
        }
        around = next.parent;
    }
    begins_one(directive)
}
