//! Work-item loops: prints a parallel region as loops over the threads of a block (Jaaskelainen and others,
//! *pocl*, IJPP 2015), or over chunks of threads if the region is fissioned.

use rustc_hash::{FxHashMap, FxHashSet};

use super::printer::{Printer, ThreadRange, context_array};
use crate::code::PreloadedElement;
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;
use apg_passes::kernel::index_set_split::split_by_guards;
use apg_passes::kernel::locals::mentioned_locals;
use apg_passes::kernel::loop_fission::{Fission, split_region};
use apg_passes::kernel::pointer_rotation::{as_copy, count_rotations};
use apg_passes::kernel::unswitch::{find_single_guard, find_uniform_conditions};

impl<'k> Printer<'_, '_, 'k> {
    /// Prints a parallel region, with buffer rotations at its begin.
    pub(super) fn print_parallel_region(&mut self, stmts: &[&'k Stmt]) {
        let (moved, stmts) = stmts.split_at(count_rotations(self.kernel, &self.tree.storage, stmts));
        for (to, from) in moved.iter().filter_map(|it| as_copy(self.kernel, &self.tree.storage, it)) {
            let (to, from) = (context_array(self.code, to), context_array(self.code, from));
            self.code.out.line(format!("apg_exchange({to}, {from});"));
        }
        self.print_workitem_loops(&ThreadRange::of_block(), stmts);
    }

    /// Prints the loops over the threads.
    pub(super) fn print_workitem_loops(&mut self, range: &ThreadRange<'_>, stmts: &[&'k Stmt]) {
        if self.is_unproven {
            return self.print_plain_loops(range, stmts);
        }
        let Some(found) = self.find_fission(range, stmts) else {
            return self.print_scalar_loops(range, stmts);
        };
        self.code.out.open("if constexpr (proven_) {");
        let guarded = Self::may_skip_threads(range).then(|| find_single_guard(self.tree, stmts)).flatten();
        if let Some(guarded) = &guarded {
            self.print_full_tile(range, guarded);
        }
        self.print_chunks(range, stmts, &found);
        if guarded.is_some() {
            self.code.out.close("}");
        }
        self.code.out.between("} else {");
        self.print_plain_loops(range, stmts);
        self.code.out.close("}");
    }

    /// Prints the loops of launches without proven bounds: they are slow anyhow and use the form that is
    /// quick to compile.
    fn print_plain_loops(&mut self, range: &ThreadRange<'_>, stmts: &[&'k Stmt]) {
        self.open_thread_loops(range.count);
        self.print_thread_body(range, stmts);
        self.code.out.close("}");
        self.code.out.close("}");
        self.code.widened_locals.clear();
    }

    /// How a region is fissioned, if it is.
    pub(super) fn find_fission(&self, range: &ThreadRange<'_>, stmts: &[&'k Stmt]) -> Option<Fission<'k>> {
        let continues = range.stride.is_some_and(|(_, label)| {
            let mut found = false;
            for stmt in stmts {
                visit_stmts(std::slice::from_ref(*stmt), &mut |it| {
                    found |= matches!(it.kind, StmtKind::Continue(target) if target == label);
                });
            }
            found
        });
        let wide_enough = self.chunk_threads().is_some();
        (wide_enough && !continues).then(|| split_region(self.tree, stmts)).flatten()
    }

    /// Whether threads may be excluded, and guards evaluated for whole blocks.
    fn may_skip_threads(range: &ThreadRange<'_>) -> bool {
        range.stride.is_none()
    }

    fn print_scalar_loops(&mut self, range: &ThreadRange<'_>, stmts: &[&'k Stmt]) {
        self.code.out.open("{");
        let around = self.preload_uniform_elements(stmts, &[]);
        let may_skip_threads = Self::may_skip_threads(range);
        let cut = may_skip_threads.then(|| split_by_guards(self.tree, stmts)).flatten();
        let guarded = (may_skip_threads && cut.is_none())
            .then(|| {
                find_single_guard(self.tree, stmts).or_else(|| find_uniform_conditions(self.tree, stmts))
            })
            .flatten();
        if let Some(sub_ranges) = &cut {
            // A lambda: labels are printed twice.
            self.code.out.open("if constexpr (proven_) { [&]() __attribute__((always_inline)) {");
            self.print_sub_ranges(range, sub_ranges);
            self.code.out.close("}();");
            self.code.out.between("} else {");
        }
        if let Some(guarded) = &guarded {
            self.print_full_tile(range, guarded);
        }
        self.open_thread_loops(range.count);
        self.print_thread_body(range, stmts);
        self.code.out.close("}");
        self.code.out.close("}");
        if cut.is_some() || guarded.is_some() {
            self.code.out.close("}");
        }
        self.code.out.close("}");
        self.code.preloaded = around;
        self.code.widened_locals.clear();
    }

    /// Prints the body of a work-item loop.
    pub(super) fn print_thread_body(&mut self, range: &ThreadRange<'_>, stmts: &[&'k Stmt]) {
        self.declare_thread_indices(range, "s0_");
        let mentioned = mentioned_locals(stmts);
        self.declare_rematerialized(&mentioned);
        self.declare_private(&mentioned, &|_| true);
        self.print_thread_stmts(range, stmts);
    }

    /// Loads block-uniform elements of read-only captured rails once, in front of a work-item loop. No thread
    /// may reach the access, so nothing out of bounds is loaded; an access that may be out of bounds is
    /// checked where it is. Returns the elements that were preloaded before: the new ones are named in this
    /// scope only.
    pub(super) fn preload_uniform_elements(
        &mut self,
        stmts: &[&'k Stmt],
        uniform: &[LocalId],
    ) -> FxHashMap<ExprId, PreloadedElement> {
        let around = self.code.preloaded.clone();
        let uniform: FxHashSet<LocalId> = uniform.iter().copied().collect();
        let mut found = Vec::new();
        for stmt in stmts {
            visit_exprs(std::slice::from_ref(*stmt), &mut |it, _| {
                if let ExprKind::Element { rail, index, .. } = &it.kind
                    && self.tree.is_uniform(it, &uniform)
                    && self.code.is_inside(index)
                {
                    found.push((rail, &**index, it.ty));
                }
            });
        }
        let mut names: Vec<(String, String)> = Vec::new();
        for (rail, index, ty) in found {
            let ExprKind::Local(local) = rail.kind else { continue };
            let Some(rail) = self.code.local(local).rail else { continue };
            let text = self.code.expr(index);
            let value = format!("apg_ahead({}, {}, (apg_i64)({text}))", rail.data, rail.length);
            let name = match names.iter().find(|it| it.0 == value) {
                Some((_, name)) => name.clone(),
                None => {
                    self.labels += 1;
                    let name = format!("ahead{}_", self.labels);
                    let ty = self.code.ty(ty);
                    self.code.out.line(format!("const {ty} {name} = {value};"));
                    names.push((value, name.clone()));
                    name
                }
            };
            self.code.preloaded.insert(index.id, PreloadedElement { name, when: "proven_" });
        }
        around
    }
}
