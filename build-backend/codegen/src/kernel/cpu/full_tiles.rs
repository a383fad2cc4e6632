//! Prints unswitched work-item loops: blocks whose threads all pass a guard run loops without a condition.

use apg_passes::kernel_ir::{Guard, Schedule};
use rustc_hash::FxHashSet;

use super::printer::{Printer, ThreadRange};
use apg_mir::*;
use apg_passes::analysis::locals::collect_locals;

impl Printer<'_, '_> {
    /// Prints the loops for full blocks; the code that follows is for other blocks.
    pub(super) fn print_full_tile(&mut self, range: &ThreadRange<'_>, guard: &Guard, full: &Schedule) {
        self.code.out.open("const auto sides_at_ = [&](const apg_i64 *const t_, apg_i64 *const sides_) {");
        self.print_comparison_sides(guard);
        self.code.out.close("};");
        self.print_coefficients(guard, None);
        let (axes, count) = (self.axis_count(), 2 * guard.comparisons.len());
        let extents: Vec<String> = (0..axes).map(|axis| format!("n{axis}_")).collect();
        self.code.out.line(format!("const apg_i64 extents_[] = {{{}}};", extents.join(", ")));
        self.code.out.open(format!(
            "if (proven_ && apg_whole<{axes}, {count}>(extents_, factors_, strict_, sides_at_)) {{"
        ));
        // A lambda: labels are printed twice.
        self.code.out.open("[&]() __attribute__((always_inline)) {");
        self.code.assumed_conditions.extend(&guard.assumed_conditions);
        self.print_schedule(range, full);
        self.code.assumed_conditions.clear();
        self.code.out.close("}();");
        self.code.out.between("} else {");
        self.code.widened_locals.clear();
    }

    /// Prints the sides of the comparisons for the thread at `t_`.
    pub(super) fn print_comparison_sides(&mut self, guard: &Guard) {
        for axis in 0..self.axis_count() {
            self.code.out.line(format!("const apg_i64 t{axis}_ = t_[{axis}];"));
        }
        self.declare_thread_indices(&ThreadRange::of_block(), "t0_");
        let sides: Vec<&Expr> = guard.comparisons.iter().flat_map(|it| &it.sides).collect();
        let mut compared = FxHashSet::default();
        for side in &sides {
            collect_locals(side, &mut compared);
        }
        self.declare_rematerialized(&compared);
        for (number, side) in sides.iter().enumerate() {
            let text = self.code.expr(side);
            self.code.out.line(format!("sides_[{number}] = (apg_i64)({text});"));
        }
        self.code.widened_locals.clear();
    }

    /// Prints the coefficients of the sides on each axis (and from block to block with `blocks`), and which
    /// comparisons are strict.
    pub(super) fn print_coefficients(&mut self, guard: &Guard, blocks: Option<&[i64]>) {
        let axes = self.axis_count();
        let rows =
            guard.comparisons.iter().flat_map(|it| &it.factors).enumerate().map(|(number, factors)| {
                let mut all: Vec<i64> =
                    (0..axes).map(|axis| factors.get(axis).copied().unwrap_or(0)).collect();
                all.extend(blocks.map(|it| it[number]));
                let all: Vec<String> = all.iter().map(i64::to_string).collect();
                format!("{{{}}}", all.join(", "))
            });
        let rows: Vec<String> = rows.collect();
        let strict: Vec<&str> =
            guard.comparisons.iter().map(|it| if it.strict { "true" } else { "false" }).collect();
        let (count, axes) = (rows.len(), axes + usize::from(blocks.is_some()));
        self.code
            .out
            .line(format!("static constexpr apg_i64 factors_[{count}][{axes}] = {{{}}};", rows.join(", ")));
        self.code.out.line(format!("static constexpr bool strict_[] = {{{}}};", strict.join(", ")));
    }
}
