//! Prints strips of adjacent blocks whose block loop and row loop are interchanged.

use super::printer::{Printer, ThreadRange, declare_block_indices};
use apg_passes::kernel_ir::{BlockStrips, Guard, Storage};

impl Printer<'_, '_> {
    /// Opens the loop over blocks and prints the strips. The body that follows runs blocks `strip_` to
    /// `next_` one by one.
    pub(super) fn open_block_strips(&mut self, strips: &BlockStrips) {
        self.code.out.open("for (apg_i64 strip_ = first_, next_; strip_ < last_; strip_ = next_) {");
        self.code.out.line("next_ = strip_ + 1;");
        self.code.out.open("if constexpr (proven_) {");
        self.code.out.line("const apg_i64 row_ = launch_->blocks[0], x_ = strip_ % row_, y_ = strip_ / row_ % launch_->blocks[1], z_ = strip_ / row_ / launch_->blocks[1];");
        self.code.out.line("(void)y_; (void)z_;");
        self.code.out.line("const apg_i64 left_ = apg_below(last_ - strip_, row_ - x_);");
        match &strips.guard {
            None => {
                self.code.out.line("const apg_i64 count_ = apg_strip(left_, [](apg_i64) { return true; });")
            }
            Some((guard, coefficients)) => self.print_strip_length(strips, guard, coefficients),
        }
        self.code.out.open("if (count_ > 1) {");
        self.code.out.line("next_ = strip_ + count_;");
        // A lambda: labels are printed twice.
        self.code.out.open("[&]() __attribute__((always_inline)) {");
        for axis in (1..self.axis_count()).rev() {
            self.code.out.line(format!("for (apg_i64 t{axis}_ = 0; t{axis}_ < n{axis}_; ++t{axis}_)"));
        }
        self.code.out.open("for (apg_i64 block_ = strip_; block_ < next_; ++block_) {");
        self.declare_strip_block(strips);
        let around = self.declare_uniform_loads(&strips.loads);
        let range = ThreadRange::of_block();
        self.open_lane_loop("0", range.count, 1);
        self.print_thread_body(&range, &strips.stmts);
        self.code.out.close("}");
        self.code.preloaded = around;
        self.code.widened_locals.clear();
        self.code.out.close("}");
        self.code.out.close("}();");
        self.code.out.line("continue;");
        self.code.out.close("}");
        self.code.out.close("}");
    }

    /// Declares the block-uniform values of block `block_`.
    fn declare_strip_block(&mut self, strips: &BlockStrips) {
        self.code.out.line("const apg_i64 r_ = 0; (void)r_;");
        declare_block_indices(self.code, &self.ir.kernel, ["(x_ + (block_ - strip_))", "y_", "z_"]);
        for (index, class) in self.ir.storage.iter().enumerate() {
            if *class == Storage::Uniform {
                self.code.declare(index..index + 1);
            }
        }
        for stmt in &strips.uniform {
            self.code.stmt(stmt);
        }
    }

    /// Prints the number of adjacent blocks that pass the guard as a whole: the block is one more axis of the
    /// corners.
    fn print_strip_length(&mut self, strips: &BlockStrips, guard: &Guard, coefficients: &[i64]) {
        let axes = self.axis_count();
        let block = format!("const apg_i64 block_ = strip_ + t_[{axes}];");
        self.code.out.open("const auto sides_at_ = [&](const apg_i64 *const t_, apg_i64 *const sides_) {");
        self.code.out.line(block);
        self.declare_strip_block(strips);
        self.code.out.open("{");
        self.print_comparison_sides(guard);
        self.code.out.close("}");
        self.code.out.close("};");
        self.print_coefficients(guard, Some(coefficients));
        let sides = coefficients.len();
        let extents: Vec<String> = (0..axes).map(|axis| format!("n{axis}_")).collect();
        self.code.out.line(format!(
            "const apg_i64 count_ = apg_strip(left_, [&](const apg_i64 many_) {{ const apg_i64 extents_[] = {{{}, many_}}; return apg_whole<{}, {sides}>(extents_, factors_, strict_, sides_at_); }});",
            extents.join(", "),
            axes + 1
        ));
    }
}
