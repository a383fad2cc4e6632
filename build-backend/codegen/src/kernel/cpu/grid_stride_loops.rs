//! Prints grid-stride loops: all threads of a block execute an iteration together.

use super::printer::{Printer, ThreadRange};
use apg_passes::kernel_ir::{GridStrideLoop, JammedIterations};

impl Printer<'_, '_> {
    /// Prints a grid-stride loop.
    pub(super) fn print_grid_stride(&mut self, stride: &GridStrideLoop) {
        let start = self.uniform_value(&stride.start);
        let (end, step) = (self.code.expr(&stride.end), self.code.expr(&stride.step));
        let past = if stride.inclusive { " + 1" } else { "" };
        self.code.out.open("{");
        self.code
            .out
            .line(format!("const apg_i64 start_ = (apg_i64)({start}), end_ = (apg_i64)({end}){past};"));
        self.code.out.line(format!("const apg_i64 step_ = (apg_i64)({step});"));
        self.code.out.open("for (apg_i64 at_ = start_; at_ < end_; at_ += step_) {");
        let range = ThreadRange { count: "active_", stride: Some((stride.index, stride.label)) };
        if let Some(jam) = &stride.jam {
            self.print_jammed_iterations(stride, jam, &range);
        }
        self.code.out.line("const apg_i64 active_ = end_ - at_ < n0_ ? end_ - at_ : n0_;");
        for (data, by) in self.streams(stride) {
            self.code.out.line(format!("apg_prefetch_stream({data}, at_ + step_{by}, active_, step_);"));
        }
        self.print_schedule(&range, &stride.schedule);
        self.code.out.close("}");
        self.code.out.close("}");
    }

    /// Captured arrays that the loop reads sequentially: address of the first element, and what is added to
    /// the counter.
    fn streams(&mut self, stride: &GridStrideLoop) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for stream in &stride.streams {
            let by = stream.offset.as_ref().map(|it| format!(" + {}", self.code.wide_value(it)));
            let rail = self.code.local(stream.rail).rail;
            found.extend(rail.map(|it| (it.data, by.unwrap_or_default())));
        }
        found
    }

    /// Prints several iterations together while enough are left.
    fn print_jammed_iterations(
        &mut self,
        stride: &GridStrideLoop,
        jam: &JammedIterations,
        range: &ThreadRange<'_>,
    ) {
        let count = jam.count;
        self.code.out.open("if constexpr (proven_) {");
        self.code.out.open(format!(
            "if (step_ > 0 && step_ < (apg_i64)1 << 60 && end_ - at_ - n0_ >= {} * step_) {{",
            count - 1
        ));
        for (data, by) in self.streams(stride) {
            self.code.out.line(format!(
                "apg_prefetch_stream({data}, at_ + {count} * step_{by}, n0_, step_, {count});"
            ));
        }
        self.code.out.line("const apg_i64 first_at_ = at_;");
        let around = self.declare_uniform_loads(&jam.loads);
        self.open_thread_loops("n0_");
        for number in 0..count {
            self.code.out.open("{");
            self.code.out.line(format!("const apg_i64 at_ = first_at_ + {number} * step_;"));
            self.print_thread_body(range, stride.schedule.stmts());
            self.code.out.close("}");
            self.code.widened_locals.clear();
        }
        self.code.out.close("}");
        self.code.out.close("}");
        self.code.preloaded = around;
        self.code.out.line(format!("at_ += {} * step_;", count - 1));
        self.code.out.line("continue;");
        self.code.out.close("}");
        self.code.out.close("}");
    }
}
