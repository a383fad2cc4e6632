//! Prints a parallel region that is split by guards: for each row, one loop for each sub-range of the
//! threads.

use super::printer::{Printer, ThreadRange};
use apg_passes::kernel_ir::{AxisBound, Relation, SubRange};

impl Printer<'_, '_> {
    /// Prints the loops over the threads of a block: for each row, one sub-range after the other.
    pub(super) fn print_sub_ranges(&mut self, range: &ThreadRange<'_>, sub_ranges: &[SubRange]) {
        self.open_row_loops();
        for sub_range in sub_ranges {
            self.print_sub_range(range, sub_range);
        }
        self.code.out.close("}");
    }

    fn print_sub_range(&mut self, range: &ThreadRange<'_>, sub_range: &SubRange) {
        let (mut rows, mut limits) = (Vec::new(), Vec::new());
        let (mut begin, mut step) = ("begin_".to_owned(), 1);
        for AxisBound { axis, relation, side } in &sub_range.bounds {
            let side = self.code.expr(side);
            match (axis, relation) {
                (0, Relation::Below) => limits.push(format!("end_ = apg_below(end_, {side});")),
                (0, Relation::UpTo) => limits.push(format!("end_ = apg_up_to(end_, {side});")),
                (0, Relation::From) => limits.push(format!("begin_ = apg_from(begin_, {side});")),
                (0, Relation::Above) => limits.push(format!("begin_ = apg_above(begin_, end_, {side});")),
                (0, Relation::Is) => {
                    limits.push(format!("begin_ = apg_from(begin_, {side}); end_ = apg_up_to(end_, {side});"))
                }
                // Starts at the remainder itself, whatever the other bounds are.
                (0, Relation::Remainder(number)) => (begin, step) = (side, *number),
                (axis, Relation::Remainder(number)) => rows.push(format!("t{axis}_ % {number} == {side}")),
                (axis, _) => rows.push(format!("t{axis}_ {} (apg_i64)({side})", relation.symbol())),
            }
        }
        self.code.out.open(if rows.is_empty() {
            "{".into()
        } else {
            format!("if ({}) {{", rows.join(" && "))
        });
        self.code.out.line(format!("apg_i64 begin_ = 0, end_ = {}; (void)begin_;", range.count));
        for limit in limits {
            self.code.out.line(limit);
        }
        self.open_lane_loop(&begin, "end_", step);
        self.print_thread_body(range, &sub_range.stmts);
        self.code.out.close("}");
        self.code.out.close("}");
        self.code.widened_locals.clear();
    }
}
