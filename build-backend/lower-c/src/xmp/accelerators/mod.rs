//! Regions that accelerators execute: compute constructs of OpenACC (XcalableACC 1.0, chapter 3), and loops
//! with `acc` (Lee, Tran, Odajima, Boku and Sato, "An Extension of XcalableMP PGAS Language for Multi-node
//! GPU Clusters", 2011).
//!
//! They become `target` regions of OpenMP. What the host alone knows, the bounds of a node's iterations and
//! the layout of its blocks, is in scalars that are declared in front of a region.

mod data;
mod nests;
mod pragma;
mod sides;

use std::ops::Range;

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{Directive, DirectiveId, ExprKind, Program, StmtId, VariableId};
use apg_c_analysis::xmp::Model;
use apg_c_syntax::Family;

pub(super) use self::nests::Place;
use super::Unit;
use super::arrays::array_name;
use crate::unsupported::{Lowered, unsupported};

/// A region that an accelerator executes.
pub(super) struct Region {
    /// Its directive.
    pub(super) directive: DirectiveId,
    /// What it is about.
    pub(super) body: StmtId,
    /// The range of `body`.
    range: Range<usize>,
    /// The global arrays that it names.
    arrays: Vec<VariableId>,
    /// For each of its loops whether the node has iterations, as an expression.
    pub(super) conditions: Vec<(StmtId, String)>,
    /// What its loops need done in front of it, and behind it.
    pub(super) before: String,
    pub(super) behind: String,
}

/// The regions of a file, in the order of the source.
pub(super) fn regions(hir: &Program, model: &Model) -> Vec<Region> {
    let mut found: Vec<Region> = Vec::new();
    for directive in hir.directive_ids() {
        let of = hir.directive(directive);
        let Some(body) = of.body else { continue };
        let range: Range<usize> = hir.stmt(body).range.into();
        let is_inside = |it: &Region| it.range.contains(&Range::from(of.range).start);
        // With a compute construct inside, `acc` says where a reduction takes place.
        let is_region = of.is_compute() || of.is_accelerated_loop() && !contains_compute(hir, body);
        if !is_region || found.iter().any(is_inside) {
            continue;
        }
        let arrays = named_arrays(hir, model, body);
        let (before, behind, conditions) = (String::new(), String::new(), Vec::new());
        found.push(Region { directive, body, range, arrays, conditions, before, behind });
    }
    found
}

fn contains_compute(hir: &Program, body: StmtId) -> bool {
    let mut found = false;
    hir.walk_stmt(body, &mut |node| {
        if let Node::Directive(id) = node {
            found |= hir.directive(id).is_compute();
        }
        true
    });
    found
}

fn named_arrays(hir: &Program, model: &Model, body: StmtId) -> Vec<VariableId> {
    let mut found = Vec::new();
    hir.walk_stmt(body, &mut |node| {
        if let Node::Expr(id) = node
            && let ExprKind::Variable(variable) = hir.expr(id).kind
            && model.array(variable).is_some()
            && !found.contains(&variable)
        {
            found.push(variable);
        }
        true
    });
    found
}

impl Unit<'_> {
    /// The number of the region that contains an offset.
    pub(super) fn region_at(&self, offset: usize) -> Option<usize> {
        self.regions.iter().position(|it| it.range.contains(&offset))
    }

    /// The number of the region that a directive begins.
    pub(super) fn region_of(&self, of: &Directive) -> Option<usize> {
        self.regions.iter().position(|it| self.hir.directive(it.directive).range == of.range)
    }

    /// Whether a region's directive is one of XcalableMP.
    fn is_xcalablemp(&self, region: usize) -> bool {
        self.hir.directive(self.regions[region].directive).family == Family::XcalableMp
    }

    /// A directive of OpenACC, but for the compute constructs.
    pub(super) fn openacc(&mut self, of: &Directive) -> Lowered<()> {
        if of.is_compute() {
            return Ok(());
        }
        match of.name.as_str() {
            "data" => self.data_construct(of),
            "enter data" | "exit data" | "update" => self.stand_alone_data(of),
            "host_data" => self.host_data(of),
            "declare" => self.declare_data(of),
            "atomic" => {
                let clauses: Vec<&str> = of.clauses.iter().map(|it| it.name.as_str()).collect();
                self.edits.replace(of.range.into(), format!("\n#pragma omp atomic {}\n", clauses.join(" ")));
                Ok(())
            }
            // All that they would wait for has been done; the device is that of the node.
            "wait" | "init" | "shutdown" | "set" => {
                self.remove(of);
                Ok(())
            }
            // Edited with their regions.
            "loop" if self.region_at(Self::range(of.range).start).is_some() => Ok(()),
            "loop" | "routine" | "cache" => {
                self.edits.replace(of.range.into(), "");
                Ok(())
            }
            other => {
                let message = format!("`acc {other}` is not supported");
                unsupported(of.name_range, message, "write `data`, `update` and `parallel loop`")
            }
        }
    }

    /// Puts `target` regions in place of compute constructs.
    pub(super) fn edit_regions(&mut self) {
        for region in 0..self.regions.len() {
            if self.is_xcalablemp(region) {
                continue;
            }
            let (id, body) = (self.regions[region].directive, self.regions[region].body);
            match self.region_start(region) {
                Ok(start) => {
                    self.edits.replace(self.hir.directive(id).range.into(), start);
                    let end = self.region_end(region);
                    self.edits.insert_behind(Self::range(self.hir.stmt(body).range), end);
                }
                Err(error) => self.errors.push(error),
            }
        }
        // Directives of loops that have no pragma of their own.
        for of in self.hir.directive_ids().map(|it| self.hir.directive(it)) {
            let range = Self::range(of.range);
            let is_loop = of.family != Family::OpenMp && of.name == "loop";
            if is_loop && self.region_at(range.start).is_some() && self.edits.replacement(&range).is_none() {
                self.edits.replace(range, "");
            }
        }
    }

    /// What stands behind a region.
    pub(super) fn region_end(&self, region: usize) -> String {
        format!(" {}}}", self.regions[region].behind)
    }

    /// What precedes a region: declarations and its pragma, which may be that of a loop inside.
    pub(super) fn region_start(&mut self, region: usize) -> Lowered<String> {
        let mut start = format!("{{ {}", self.regions[region].before);
        let (maps, pragma) = self.region_pragma(region)?;
        let arrays = &self.regions[region].arrays;
        let others = maps.variables.iter().filter(|it| !arrays.contains(it));
        arrays.iter().chain(others).for_each(|it| start.push_str(&self.block_declarations(*it)));
        arrays.iter().for_each(|it| start.push_str(&self.layout_declarations(*it)));
        Ok(format!("{start}{}{pragma}", maps.checks))
    }

    /// The block of an array and its number of elements, as variables.
    pub(super) fn block_declarations(&self, variable: VariableId) -> String {
        let Some(array) = self.model.array(variable) else { return String::new() };
        let name = &self.hir.variable(variable).name;
        let element = match self.needs_cast(array) {
            true => format!("{name}{}", "[0]".repeat(array.axes.len())),
            false => format!("{name}[0]"),
        };
        let ty = format!("__typeof__(&{element})");
        format!(
            "{ty} {block} __attribute__((unused)) = ({ty}){name}; \
             const long apg_n_{name} __attribute__((unused)) = apg_xmp_elements(&{descriptor}); ",
            block = block_name(name),
            descriptor = array_name(name),
        )
    }

    /// The layout of an array's block as scalars.
    fn layout_declarations(&self, variable: VariableId) -> String {
        let Some(array) = self.model.array(variable) else { return String::new() };
        let name = &self.hir.variable(variable).name;
        let descriptor = array_name(name);
        let rank = array.axes.len();
        let mut scalars = vec![format!("{} = {descriptor}.origin", origin_name(name))];
        for axis in 0..rank {
            if axis + 1 < rank {
                scalars.push(format!("{} = {descriptor}.stride[{axis}]", stride_name(name, axis)));
            }
            if !self.is_linear(array, axis) {
                for part in ["offset", "width", "cycle"] {
                    scalars.push(format!("apg_{part}{axis}_{name} = {descriptor}.axis[{axis}].{part}"));
                }
            }
        }
        let unused = "__attribute__((unused))";
        let scalars: Vec<String> =
            scalars.into_iter().map(|it| it.replacen(" =", &format!(" {unused} ="), 1)).collect();
        format!("const long {}; ", scalars.join(", "))
    }
}

/// The name of an array's block in regions of accelerators.
pub(super) fn block_name(name: &str) -> String {
    format!("apg_d_{name}")
}

/// The name of the origin of an array's block in regions of accelerators.
pub(super) fn origin_name(name: &str) -> String {
    format!("apg_o_{name}")
}

/// The name of the distance of elements along an axis in regions of accelerators.
pub(super) fn stride_name(name: &str, axis: usize) -> String {
    format!("apg_s{axis}_{name}")
}

/// Where an index of an axis that is cyclic is, in regions of accelerators.
pub(super) fn cyclic_place(name: &str, axis: usize, index: &str) -> String {
    let at = format!("(({index}) + apg_offset{axis}_{name})");
    format!("({at} / apg_cycle{axis}_{name} * apg_width{axis}_{name} + {at} % apg_width{axis}_{name})")
}
