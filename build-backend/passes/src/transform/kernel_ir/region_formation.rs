//! Work-item loop formation: the parallel regions of a kernel's body (Stratton and others, *MCUDA*, LCPC
//! 2008; Jaaskelainen and others, *pocl*, IJPP 2015).
//!
//! A barrier means that all threads of the block have executed what precedes it. The body is therefore
//! divided into *parallel regions* without barriers, each executed for all threads in a loop. Branches and
//! loops that contain a barrier are executed by all threads alike and stay outside of the regions (deep
//! fission).
//!
//! The *storage* of a local follows from its uses. A local of one region is a register. A local that is
//! live across a barrier has a context array with an element per thread. A uniform local is computed once per
//! block. A rematerialised local is recomputed in each region from indices and uniform values, so that the
//! C++ compiler sees its value.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::access_summary::{AccessSummary, is_only_indexed};
use crate::analysis::constants::constant_value;
use crate::analysis::induction_step::as_step;
use crate::analysis::jumps::has_outer_jump;
use crate::analysis::kernel_ir::def_use::{DefUse, LocalUse};
use crate::analysis::ranges::{Bounds, analyse_kernel};
use crate::analysis::uniformity::{Uniformity, is_predefined_uniform};
use crate::analysis::warp_regions::{is_assigned_in, retain_warp_private, synchronises_warps_only};
use crate::kernel_ir::{
    Branch, DeviceForm, GridStrideLoop, KernelIr, LoopNode, Node, PrivateRail, Region, Rematerialized,
    Schedule, SharedPlan, Storage, SwitchNode,
};
use crate::transform::kernel_ir::grid_stride::{StrideContext, recognise_grid_stride};
use crate::transform::kernel_ir::rematerialize::{find_rematerializable, is_rematerializable};
use apg_mir::walk::{accesses_places, bodies, has_goto, visit_exprs, visit_stmts};
use apg_mir::*;

/// Forms the regions of a kernel's body.
pub(crate) fn form_regions(program: &Program, kernel: &Kernel) -> KernelIr {
    let mut builder = RegionBuilder {
        kernel,
        accesses: AccessSummary::of(kernel),
        split: FxHashSet::default(),
        uniformity: Uniformity::default(),
        outer_assignments: FxHashMap::default(),
        warps: Vec::new(),
        rematerialized: Vec::new(),
        has_goto: has_goto(&kernel.body),
    };
    builder.find_split_labels();
    // Uniformity and warp regions depend on each other: iterates to a fixpoint.
    loop {
        builder.find_uniform();
        if !builder.find_warp_regions(&kernel.body) {
            break;
        }
    }
    let Uniformity { uniform, assignments } = &builder.uniformity;
    // With `goto`, a definition in front of a use need not be executed before it.
    if !builder.has_goto {
        builder.rematerialized = find_rematerializable(kernel, uniform, assignments);
    }
    let nodes = builder.nodes(&kernel.body);
    let storage = builder.classify_locals(&nodes);
    let spilled = |it: LocalId| storage.get(it.index()) == Some(&Storage::ContextArray);
    let has_offsets = !builder.has_goto && builder.find_offsets(&spilled);
    let nodes = if has_offsets { builder.nodes(&kernel.body) } else { nodes };
    let storage = builder.classify_locals(&nodes);
    let is_one_region = matches!(nodes.as_slice(), [] | [Node::Region(_)]);
    KernelIr {
        kernel: kernel.clone(),
        nodes,
        storage,
        variables: if is_one_region { Storage::Register } else { Storage::ContextArray },
        has_unstructured_code: builder.has_goto || accesses_places(&kernel.body),
        rematerialized: builder.rematerialized,
        private_rails: private_rails(kernel),
        accesses: builder.accesses,
        uniformity: builder.uniformity,
        shared: SharedPlan::default(),
        private_sums: Vec::new(),
        strips: None,
        device: DeviceForm::default(),
        bounds: if builder.has_goto { Bounds::default() } else { analyse_kernel(kernel) },
        widened: FxHashSet::default(),
        environment_bytes: max_environment_bytes(program, kernel),
        unchecked: program.unchecked,
        communicates: communicates(kernel),
    }
}

/// Whether a kernel makes calls of slots. Functions that do are inlined.
fn communicates(kernel: &Kernel) -> bool {
    let mut found = false;
    visit_exprs(&kernel.body, &mut |it, _| {
        found |= matches!(it.kind, ExprKind::Collective { operation, .. } if operation.slot_call().is_some());
    });
    found
}

/// Upper bound of the bytes of a kernel's environment, padding included.
fn max_environment_bytes(program: &Program, kernel: &Kernel) -> usize {
    let sizes = kernel.captures.iter().map(|capture| match capture.kind {
        KernelCaptureKind::Scalar(ty) => max_value_bytes(program, ty),
        KernelCaptureKind::Buffer { .. } | KernelCaptureKind::ConstantBuffer { .. } => 16,
        KernelCaptureKind::GlobalBuffer { .. } => 24,
    });
    sizes.sum()
}

/// Upper bound of the bytes of a value, padding included.
fn max_value_bytes(program: &Program, ty: Ty) -> usize {
    match ty {
        Ty::Struct(id) if let Some(layout) = &program.structs[id.index()].layout => layout.size.size as usize,
        Ty::Struct(id) => {
            program.structs[id.index()].fields.iter().map(|it| max_value_bytes(program, it.ty)).sum()
        }
        _ => 8,
    }
}

/// The arrays that a thread allocates, if their lengths are constants.
fn private_rails(kernel: &Kernel) -> FxHashMap<LocalId, PrivateRail> {
    let mut found = FxHashMap::default();
    visit_stmts(&kernel.body, &mut |stmt| {
        if let StmtKind::Set { local, value } = &stmt.kind
            && let ExprKind::AllocateRail { length, .. } = &value.kind
            && let Some(length @ 0..) = constant_value(length)
        {
            let is_interleaved = is_only_indexed(kernel, *local);
            found.insert(*local, PrivateRail { length, is_interleaved });
        }
    });
    found
}

struct RegionBuilder<'a> {
    kernel: &'a Kernel,
    accesses: AccessSummary,
    /// Labels of constructs outside of regions.
    split: FxHashSet<LabelId>,
    uniformity: Uniformity,
    /// Number of assignments outside of divergent branches.
    outer_assignments: FxHashMap<LocalId, usize>,
    /// Statements that each warp executes by itself.
    warps: Vec<&'a Stmt>,
    rematerialized: Vec<Rematerialized>,
    /// Control flow is not structured: no local is known to be uniform.
    has_goto: bool,
}

impl<'a> RegionBuilder<'a> {
    /// Whether a statement stays outside of regions: it contains a barrier, or a jump to a construct outside.
    fn is_split(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Barrier => true,
            StmtKind::Set { value: Expr { kind: ExprKind::Collective { .. }, .. }, .. } => true,
            StmtKind::Break(label) | StmtKind::Continue(label) => self.split.contains(label),
            kind => bodies(kind).into_iter().flatten().any(|it| self.is_split(it)),
        }
    }

    fn find_split_labels(&mut self) {
        loop {
            let mut found = Vec::new();
            visit_stmts(&self.kernel.body, &mut |stmt| {
                if let StmtKind::Loop { label, .. }
                | StmtKind::Switch { label, .. }
                | StmtKind::Labeled { label, .. } = &stmt.kind
                    && !self.split.contains(label)
                    && self.is_split(stmt)
                {
                    found.push(*label);
                }
            });
            if found.is_empty() {
                return;
            }
            self.split.extend(found);
        }
    }

    /// Uniformity analysis of the locals that are assigned only outside of divergent branches.
    fn find_uniform(&mut self) {
        let mut outer_assignments = FxHashMap::default();
        self.count_outer_assignments(&self.kernel.body, &mut outer_assignments);
        self.outer_assignments = outer_assignments.clone();
        retain_warp_private(self.kernel, &self.warps, &mut outer_assignments);
        let assignments = &mut self.uniformity.assignments;
        assignments.clear();
        visit_stmts(&self.kernel.body, &mut |stmt| match &stmt.kind {
            StmtKind::Set { local, .. } => *assignments.entry(*local).or_default() += 1,
            // A partial assignment: such locals are not considered.
            StmtKind::SetStructField { local, .. } => *assignments.entry(*local).or_default() += 1000,
            _ => {}
        });
        let counts = &self.uniformity.assignments;
        let candidates = outer_assignments.iter().filter(|(local, count)| counts.get(local) == Some(count));
        let candidates = candidates.map(|it| *it.0).filter(|_| !self.has_goto).collect();
        self.uniformity.uniform = Uniformity::find_uniform(self.kernel, &self.accesses, candidates);
    }

    /// Finds statements that synchronise warps, not blocks, under conditions that may differ between warps.
    /// Returns whether there are new ones.
    fn find_warp_regions(&mut self, body: &'a [Stmt]) -> bool {
        let before = self.warps.len();
        for stmt in body.iter().filter(|it| self.is_split(it)).collect::<Vec<_>>() {
            let is_list = matches!(stmt.kind, StmtKind::Block(_));
            if !is_list && self.can_run_by_warp(stmt) {
                if !self.is_warp_region(stmt) {
                    self.warps.push(stmt);
                }
                continue;
            }
            for body in bodies(&stmt.kind) {
                self.find_warp_regions(body);
            }
        }
        self.warps.len() > before
    }

    fn is_warp_region(&self, stmt: &Stmt) -> bool {
        self.warps.iter().any(|it| std::ptr::eq(*it, stmt))
    }

    fn can_run_by_warp(&self, stmt: &Stmt) -> bool {
        synchronises_warps_only(stmt)
            && !has_outer_jump(&[std::slice::from_ref(stmt)], None)
            && self.diverges_between_warps(stmt)
    }

    /// Whether the warps of a block may take different ways to a synchronisation.
    fn diverges_between_warps(&self, stmt: &Stmt) -> bool {
        let decides = match &stmt.kind {
            _ if !self.is_split(stmt) => return false,
            StmtKind::If { condition, .. } | StmtKind::Loop { condition, .. } => Some(condition),
            StmtKind::Switch { value, .. } => Some(value),
            _ => None,
        };
        decides.is_some_and(|it| !self.is_uniform(it))
            || bodies(&stmt.kind).into_iter().flatten().any(|it| self.diverges_between_warps(it))
    }

    /// Finds locals in context arrays that change only by uniform steps: they are rematerialised from their
    /// initial value and an offset. Returns whether there are any.
    fn find_offsets(&mut self, spilled: &dyn Fn(LocalId) -> bool) -> bool {
        let before = self.rematerialized.len();
        let mut locals = Vec::new();
        visit_stmts(&self.kernel.body, &mut |stmt| {
            if let StmtKind::Set { local, .. } = &stmt.kind
                && !locals.contains(local)
            {
                locals.push(*local);
            }
        });
        for local in locals {
            let ty = self.kernel.locals[local.index()].ty;
            if !spilled(local)
                || is_assigned_in(&self.warps, local)
                || !matches!(ty, Ty::I32 | Ty::I64)
                || self.uniformity.assignments.get(&local) != self.outer_assignments.get(&local)
            {
                continue;
            }
            let (mut first, mut others, mut steps) = (Vec::new(), 0, 0);
            visit_stmts(&self.kernel.body, &mut |stmt| {
                if let StmtKind::Set { local: id, value } = &stmt.kind
                    && *id == local
                {
                    match as_step(value, local) {
                        Some((by, _)) if self.is_uniform(by) => steps += 1,
                        Some(_) => others += 1,
                        None => first.push(value),
                    }
                }
            });
            let ([value], 0, 1..) = (first.as_slice(), others, steps) else { continue };
            let Uniformity { uniform, assignments } = &self.uniformity;
            if is_rematerializable(value, self.kernel, uniform, assignments, &self.rematerialized) {
                let value = (*value).clone();
                self.rematerialized.push(Rematerialized { local, value, has_offset: true });
            }
        }
        self.rematerialized.len() > before
    }

    fn rematerialized_with_offset(&self, local: LocalId) -> Option<bool> {
        self.rematerialized.iter().find(|it| it.local == local).map(|it| it.has_offset)
    }

    /// Counts assignments outside of divergent branches.
    fn count_outer_assignments(&self, body: &[Stmt], counts: &mut FxHashMap<LocalId, usize>) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Set { local, .. } => *counts.entry(*local).or_default() += 1,
                StmtKind::Block(body) => self.count_outer_assignments(body, counts),
                kind if self.is_split(stmt) => {
                    for body in bodies(kind) {
                        self.count_outer_assignments(body, counts);
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether an expression has the same value in every thread of a block, and no effect.
    fn is_uniform(&self, expr: &Expr) -> bool {
        self.uniformity.is_uniform(self.kernel, &self.accesses, expr, &FxHashSet::default())
    }

    /// Forms the nodes of statements.
    fn nodes(&self, body: &'a [Stmt]) -> Vec<Node> {
        self.nodes_for(body, false)
    }

    /// Forms the nodes of statements that a block, or a warp by itself, executes.
    fn nodes_for(&self, body: &'a [Stmt], in_warp: bool) -> Vec<Node> {
        let mut nodes = Vec::new();
        self.add_nodes(body, in_warp, &mut nodes);
        nodes
    }

    fn add_nodes(&self, body: &'a [Stmt], in_warp: bool, nodes: &mut Vec<Node>) {
        let inner = |body| self.nodes_for(body, in_warp);
        for stmt in body {
            match &stmt.kind {
                StmtKind::Barrier => nodes.push(Node::Barrier),
                StmtKind::Set { value: Expr { kind: ExprKind::Collective { .. }, .. }, .. } => {
                    nodes.push(Node::Collective(stmt.clone()));
                }
                StmtKind::Set { local, .. } if self.uniformity.uniform.contains(local) => {
                    self.add_uniform(stmt, *local, nodes)
                }
                StmtKind::Set { local, .. }
                    if let Some(has_offset) = self.rematerialized_with_offset(*local) =>
                {
                    if has_offset {
                        nodes.push(Node::Offset(stmt.clone()));
                    }
                }
                StmtKind::Loop { .. } if !in_warp && let Some(found) = self.grid_stride(stmt, nodes) => {
                    nodes.push(Node::GridStride(found))
                }
                // Blocks declare nothing of their own.
                StmtKind::Block(body) => self.add_nodes(body, in_warp, nodes),
                _ if !self.is_split(stmt) => match nodes.last_mut() {
                    Some(Node::Region(Region { schedule: Schedule::Threads(run), .. })) => {
                        run.push(stmt.clone())
                    }
                    _ => nodes.push(Node::Region(Region::new(vec![stmt.clone()]))),
                },
                _ if !in_warp && self.is_warp_region(stmt) => {
                    nodes.push(Node::Warps(self.nodes_for(std::slice::from_ref(stmt), true)));
                }
                StmtKind::If { condition, then, otherwise } => nodes.push(Node::If(Branch {
                    span: stmt.span,
                    condition: condition.clone(),
                    then: inner(then),
                    otherwise: inner(otherwise),
                })),
                StmtKind::Loop { label, condition, body, update, post_tested, .. } => {
                    nodes.push(Node::Loop(LoopNode {
                        source: stmt.id,
                        span: stmt.span,
                        label: *label,
                        condition: condition.clone(),
                        post_tested: *post_tested,
                        body: inner(body),
                        update: inner(update),
                        prefetch: None,
                    }));
                }
                StmtKind::Labeled { label, body } => nodes.push(Node::Labeled(*label, inner(body))),
                StmtKind::Switch { label, value, cases } => nodes.push(Node::Switch(SwitchNode {
                    span: stmt.span,
                    label: *label,
                    value: value.clone(),
                    cases: cases.iter().map(|(values, body)| (values.clone(), inner(body))).collect(),
                })),
                _ => nodes.push(Node::Jump(stmt.clone())),
            }
        }
    }

    /// Recognises a grid-stride loop whose counter is set in the region before it; that assignment becomes
    /// part of the loop.
    fn grid_stride(&self, stmt: &Stmt, nodes: &mut Vec<Node>) -> Option<GridStrideLoop> {
        if self.has_goto {
            return None;
        }
        let Some(Node::Region(Region { schedule: Schedule::Threads(run), .. })) = nodes.last_mut() else {
            return None;
        };
        let known = self.rematerialized.iter().filter(|it| !it.has_offset);
        let mut values: FxHashMap<LocalId, &Expr> = known.map(|it| (it.local, &it.value)).collect();
        for stmt in run.iter() {
            if let StmtKind::Set { local, value } = &stmt.kind
                && self.uniformity.assignments.get(local) == Some(&1)
            {
                values.insert(*local, value);
            }
        }
        let first = |index: LocalId| {
            let is_set = |it: &&Stmt| matches!(&it.kind, StmtKind::Set { local, .. } if *local == index);
            let mut found = run.iter().filter(is_set);
            match (found.next().map(|it| &it.kind), found.next()) {
                (Some(StmtKind::Set { value, .. }), None) => Some(value),
                _ => None,
            }
        };
        let context = StrideContext {
            threads: &self.kernel.thread_locals,
            is_uniform: &|it| self.is_uniform(it),
            values: &values,
            first: &first,
            body: &self.kernel.body,
        };
        let found = recognise_grid_stride(stmt, &context)
            .filter(|it| self.uniformity.assignments.get(&it.index) == Some(&2))?;
        run.retain(|it| !matches!(&it.kind, StmtKind::Set { local, .. } if *local == found.index));
        if run.is_empty() {
            nodes.pop();
        }
        Some(found)
    }

    /// The only assignment of a local moves in front of the current region; one of several ends the region.
    fn add_uniform(&self, stmt: &Stmt, local: LocalId, nodes: &mut Vec<Node>) {
        let only = self.uniformity.assignments.get(&local) == Some(&1);
        let at = match nodes.last() {
            Some(Node::Region(_)) if only => nodes.len() - 1,
            _ => nodes.len(),
        };
        nodes.insert(at, Node::Uniform(stmt.clone()));
    }

    fn classify_locals(&self, nodes: &[Node]) -> Vec<Storage> {
        let mut uses = DefUse::default();
        uses.collect(nodes, false);
        let kernel = self.kernel;
        (0..kernel.locals.len())
            .map(|index| {
                let local = LocalId(index as u32);
                let is_shared = kernel.shared.iter().any(|it| it.local == local);
                if is_predefined_uniform(kernel, local) || kernel.thread_locals.contains(&local) || is_shared
                {
                    return Storage::Predefined;
                }
                if self.uniformity.uniform.contains(&local) {
                    return Storage::Uniform;
                }
                if self.rematerialized_with_offset(local).is_some() {
                    return Storage::Rematerialized;
                }
                match uses.by_local.get(&local) {
                    None => Storage::Unused,
                    Some(LocalUse::Single { carried: false, .. }) => Storage::Register,
                    Some(_) => Storage::ContextArray,
                }
            })
            .collect()
    }
}

/// Sets `found` to the only statement besides definitions of rematerialised locals; `None` if there are
/// several.
pub(super) fn single_stmt<'a>(ir: &KernelIr, stmt: &'a Stmt, found: &mut Option<&'a Stmt>) -> Option<()> {
    match &stmt.kind {
        StmtKind::Block(body) => body.iter().try_for_each(|it| single_stmt(ir, it, found)),
        StmtKind::Set { local, .. }
            if ir.rematerialized.iter().any(|it| it.local == *local && !it.has_offset) =>
        {
            Some(())
        }
        _ => found.replace(stmt).is_none().then_some(()),
    }
}
