//! Code lenses: what can be done with a program and its regions.

use apg_c_syntax::{Family, TextRange};

use super::communication::communication_plans;
use super::main_function::main_function;
use super::transfers::transfer_plans;
use crate::Parsed;
use crate::hir::{Construct, Directive, DirectiveId, Program};

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
    /// A directive of XcalableMP moves data between nodes.
    ShowCommunication,
}

/// The lenses of a file, in the order of the source; none of a file without directives.
pub fn lenses(parsed: &Parsed) -> Vec<Lens> {
    let directives = &parsed.program.directives;
    let mut found = Vec::new();
    if directives.is_empty() {
        return found;
    }
    let is_distributed = directives.iter().any(|it| it.family == Family::XcalableMp);
    let begins_region = if is_distributed { begins_distributed_region } else { begins_region };
    let ids = parsed.program.directive_ids();
    let regions = ids.filter(|it| is_outermost(&parsed.program, *it, begins_region));
    let regions: Vec<&Directive> = regions.map(|it| parsed.program.directive(it)).collect();
    if let Some(range) = main_function(parsed) {
        let has_parallel_alone = !is_distributed && regions.iter().all(|it| !it.has(Construct::Target));
        let kind = LensKind::Run { has_regions: !regions.is_empty(), has_parallel_alone, is_distributed };
        found.push(Lens { range, kind });
    }
    let ranges = regions.into_iter().filter_map(|it| parsed.spelled(it.name_range));
    found.extend(ranges.map(|range| Lens { range, kind: LensKind::ShowCuda }));
    let plans = transfer_plans(parsed).into_iter();
    found.extend(plans.map(|it| Lens { range: it.range, kind: LensKind::ShowTransfers }));
    let plans = communication_plans(parsed).into_iter();
    found.extend(plans.map(|it| Lens { range: it.range, kind: LensKind::ShowCommunication }));
    found.sort_by_key(|it| it.range.start());
    found
}

/// Whether a directive does what `begins` says, and none around it does.
fn is_outermost(program: &Program, id: DirectiveId, begins: fn(&Program, DirectiveId) -> bool) -> bool {
    let mut around = program.directive(id).parent;
    while let Some(next) = around {
        if begins(program, next) {
            return false;
        }
        around = program.directive(next).parent;
    }
    begins(program, id)
}

/// Whether a directive begins a region that can be on a device: `target`, or `parallel`.
fn begins_region(program: &Program, id: DirectiveId) -> bool {
    let it = program.directive(id);
    let is_region = it.has(Construct::Target) || it.has(Construct::Parallel);
    it.family == Family::OpenMp && it.body.is_some() && is_region
}

/// Whether a directive of a program with XcalableMP begins a region of an accelerator: `target`, a compute
/// construct of OpenACC, or a loop with `acc` that has none inside.
fn begins_distributed_region(program: &Program, id: DirectiveId) -> bool {
    let it = program.directive(id);
    it.body.is_some()
        && (it.has(Construct::Target)
            || it.is_compute()
            || it.is_accelerated_loop() && !contains_compute(program, id))
}

fn contains_compute(program: &Program, id: DirectiveId) -> bool {
    let parent = |it: &DirectiveId| program.directive(*it).parent;
    program.directive_ids().filter(|it| program.directive(*it).is_compute()).any(|it| {
        let mut around = std::iter::successors(parent(&it), parent);
        around.any(|it| it == id)
    })
}
