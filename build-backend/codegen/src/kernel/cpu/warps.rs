//! Prints warp regions: a loop over the warps of a block, with loops over the lanes of a warp inside.

use super::printer::{Printer, ThreadRange};
use apg_mir::thread_index::WARP_SIZE;
use apg_mir::*;
use apg_passes::analysis::constants::constant_value;
use apg_passes::analysis::locals::mentioned_locals;
use apg_passes::kernel_ir::Node;

impl Printer<'_, '_> {
    /// Prints a loop over the warps of the block.
    pub(super) fn print_warps(&mut self, body: &[Node]) {
        let threads = self.ir.kernel.host.threads.iter().map(constant_value);
        let known = threads.into_iter().try_fold(1i64, |all, it| all.checked_mul(it?.max(0)));
        let lanes = match known {
            Some(threads) if threads % WARP_SIZE == 0 => "32",
            _ => "threads_ - base_ < 32 ? threads_ - base_ : 32",
        };
        self.code.out.open("for (apg_i64 base_ = 0; base_ < threads_; base_ += 32) {");
        self.code.out.line(format!("const apg_i64 lanes_ = {lanes};"));
        self.in_warp = true;
        self.print_nodes(body);
        self.in_warp = false;
        self.code.out.close("}");
    }

    /// Prints a parallel region inside of a warp region.
    pub(super) fn print_warp_region(&mut self, stmts: &[Stmt]) {
        self.print_lane_pragmas();
        // Counted from 0, so that the compiler knows the trip count.
        self.code.out.open("for (apg_i64 lane_ = 0; lane_ < lanes_; ++lane_) {");
        self.code.out.line("const apg_i64 r_ = base_ + lane_;");
        for local in self.ir.kernel.thread_locals.clone() {
            let spelling = self.code.local(local);
            let (ty, index) = (self.code.ty(spelling.ty), self.rank_to_index(local));
            self.code.out.line(format!("const {ty} {} = ({ty})({index});", spelling.text));
            if spelling.ty == Ty::I32 {
                self.code.widened_locals.insert(local);
                self.code.out.line(format!("const apg_i64 {}_w = {index};", spelling.text));
            }
        }
        let mentioned = mentioned_locals(stmts);
        self.declare_rematerialized(&mentioned);
        self.declare_private(&mentioned, &|_| true);
        self.print_thread_stmts(&ThreadRange::of_block(), stmts);
        self.code.out.close("}");
        self.code.widened_locals.clear();
    }
}
