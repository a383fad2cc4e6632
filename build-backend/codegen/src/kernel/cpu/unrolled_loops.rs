//! Prints collective loops that are fully unrolled.

use super::printer::Printer;
use crate::code::{LocalSpelling, ThreadIndexing};
use apg_mir::thread_index::WARP_SIZE;
use apg_passes::kernel_ir::{UnrolledLoop, WarpArray};

impl Printer<'_, '_> {
    /// Prints all iterations of a loop.
    pub(super) fn print_unrolled_loop(&mut self, unrolled: &UnrolledLoop) {
        self.code.out.open("if constexpr (proven_) {");
        let counter = self.code.local(unrolled.counter).text;
        match unrolled.by_warps {
            true => self.print_iterations_by_warp(unrolled, &counter),
            false => self.print_iterations(unrolled, &counter),
        }
        self.code.out.line(format!("{counter} = {};", unrolled.end));
        self.code.out.between("} else {");
        self.print_loop_node(&unrolled.rolled);
        self.code.out.close("}");
    }

    fn print_iterations(&mut self, unrolled: &UnrolledLoop, counter: &str) {
        for (value, lanes) in unrolled.values.iter().zip(&unrolled.lanes) {
            self.code.out.line(format!("{counter} = {value};"));
            // A lambda: labels are printed once per iteration.
            self.code.out.open("[&]() __attribute__((always_inline)) {");
            if unrolled.by_warps && *lanes < WARP_SIZE {
                self.code.out.line(format!("const apg_i64 lanes_ = {lanes};"));
                self.has_inactive_lanes = true;
            }
            self.print_nodes(&unrolled.body);
            self.has_inactive_lanes = false;
            self.code.out.close("}();");
        }
    }

    /// Prints all iterations for one warp after the other. Values of its threads are in arrays of the warp
    /// meanwhile.
    fn print_iterations_by_warp(&mut self, unrolled: &UnrolledLoop, counter: &str) {
        let around = std::mem::replace(&mut self.in_warp, true);
        if around {
            self.code.out.open("{");
        } else {
            self.code.out.open("for (apg_i64 base_ = 0; base_ < threads_; base_ += 32) {");
            self.code.out.line("const apg_i64 lanes_ = 32;");
        }
        let arrays: Vec<_> =
            unrolled.warp_arrays.iter().map(|it| (it, self.declare_warp_array(it))).collect();
        self.print_iterations(unrolled, counter);
        for (array, spelling) in arrays {
            let inner = std::mem::replace(&mut self.code.locals[array.local.index()], spelling);
            if array.lanes_out > 0 {
                let outer = self.code.local(array.local).text;
                self.print_for_each_lane(array.lanes_out, &format!("{outer} = {};", inner.text));
            }
        }
        self.in_warp = around;
        self.code.out.close("}");
    }

    fn print_for_each_lane(&mut self, lanes: i64, line: &str) {
        let head = format!("for (apg_i64 lane_ = 0; lane_ < {lanes}; ++lane_)");
        self.code.out.line(format!("{head} {{ const apg_i64 r_ = base_ + lane_; {line} }}"));
    }

    /// Declares an array of the warp. Returns the former spelling of the local.
    fn declare_warp_array(&mut self, array: &WarpArray) -> LocalSpelling {
        let spelling = self.code.local(array.local);
        self.labels += 1;
        let name = format!("of_warp{}_", self.labels);
        let ty = self.code.ty(spelling.ty);
        self.code.out.line(format!("alignas(64) {ty} {name}[32];"));
        self.code.locals[array.local.index()].set_array(name, ThreadIndexing::Warp);
        if array.is_live_in {
            let inner = self.code.local(array.local).text;
            self.print_for_each_lane(WARP_SIZE, &format!("{inner} = {};", spelling.text));
        }
        spelling
    }
}
