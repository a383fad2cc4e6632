//! Work-item loops: prints how the threads of a block execute a parallel region (Jaaskelainen and others,
//! *pocl*, IJPP 2015).

use apg_passes::kernel_ir::{Region, Schedule, Storage, UniformLoad};
use rustc_hash::FxHashMap;

use super::printer::{Printer, ThreadRange, context_array};
use crate::code::PreloadedElement;
use apg_mir::*;
use apg_passes::analysis::locals::mentioned_locals;

impl Printer<'_, '_> {
    /// Prints a parallel region, with buffer rotations at its begin.
    pub(super) fn print_region(&mut self, region: &Region) {
        for (to, from) in &region.rotations {
            let (to, from) = (context_array(self.code, *to), context_array(self.code, *from));
            self.code.out.line(format!("apg_exchange({to}, {from});"));
        }
        if region.prefetches_rows {
            self.row_prologue = self.row_prefetch.clone();
        }
        self.print_schedule(&ThreadRange::of_block(), &region.schedule);
        self.row_prologue.clear();
    }

    /// Prints the loops over the threads.
    pub(super) fn print_schedule(&mut self, range: &ThreadRange<'_>, schedule: &Schedule) {
        match schedule {
            Schedule::Threads(stmts) => {
                self.open_thread_loops(range.count);
                self.print_thread_body(range, stmts);
                self.code.out.close("}");
                self.code.out.close("}");
                self.code.widened_locals.clear();
            }
            Schedule::SubRanges(sub_ranges) => self.print_sub_ranges(range, sub_ranges),
            Schedule::Chunks(chunks) => self.print_chunks(range, chunks),
            Schedule::Hoisted { loads, body } => {
                self.code.out.open("{");
                let around = self.declare_uniform_loads(loads);
                self.print_schedule(range, body);
                self.code.out.close("}");
                self.code.preloaded = around;
            }
            Schedule::Proven { proven, otherwise } => {
                // A lambda: labels are printed twice. Chunks are a lambda.
                let (begin, end) = match **proven {
                    Schedule::SubRanges(_) => (" [&]() __attribute__((always_inline)) {", "}();"),
                    _ => ("", ""),
                };
                self.code.out.open(format!("if constexpr (proven_) {{{begin}"));
                self.print_schedule(range, proven);
                if !end.is_empty() {
                    self.code.out.close(end);
                }
                self.code.out.between("} else {");
                self.print_schedule(range, otherwise);
                self.code.out.close("}");
            }
            Schedule::FullTile { guard, full, partial } => {
                self.print_full_tile(range, guard, full);
                self.print_schedule(range, partial);
                self.code.out.close("}");
            }
        }
    }

    /// Prints the body of a work-item loop.
    pub(super) fn print_thread_body(&mut self, range: &ThreadRange<'_>, stmts: &[Stmt]) {
        self.declare_thread_indices(range, "s0_");
        let mentioned = mentioned_locals(stmts);
        self.declare_rematerialized(&mentioned);
        self.declare_private(&mentioned, &|_| true);
        if self.ir.variables == Storage::Register {
            self.code.declare_variables(&self.ir.kernel.variables);
        }
        self.print_thread_stmts(range, stmts);
    }

    /// Prints loads in front of loops. Returns the elements that were preloaded before: the new ones are
    /// named in this scope only.
    pub(super) fn declare_uniform_loads(
        &mut self,
        loads: &[UniformLoad],
    ) -> FxHashMap<ExprId, PreloadedElement> {
        let around = self.code.preloaded.clone();
        for load in loads {
            let Some(rail) = self.code.local(load.rail).rail else { continue };
            let index = self.code.expr(&load.index);
            self.labels += 1;
            let name = format!("ahead{}_", self.labels);
            let ty = self.code.ty(load.ty);
            self.code.out.line(format!(
                "const {ty} {name} = apg_ahead({}, {}, (apg_i64)({index}));",
                rail.data, rail.length
            ));
            for access in &load.uses {
                let element = PreloadedElement { name: name.clone(), when: "proven_" };
                self.code.preloaded.insert(*access, element);
            }
        }
        around
    }
}
