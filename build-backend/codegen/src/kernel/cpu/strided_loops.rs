//! Prints strided loops of chunks: the first threads of a chunk execute an iteration together.

use super::printer::Printer;
use super::simd_chunks::{Chunk, StridedLanes};
use apg_mir::*;
use apg_passes::analysis::locals::locals_of;
use apg_passes::kernel_ir::{LaneCheck, StridedLoop};

/// Number of the active threads of an iteration.
const ACTIVE: &str = "active_";
/// Whether a thread is active.
const IS_ACTIVE: &str = "l_ < active_";

impl Printer<'_, '_> {
    /// Prints a strided loop. An iteration whose checks succeed has a version for all threads of a chunk, and
    /// one for some, as a loop over all threads with masks: its number of iterations is a constant as well.
    pub(super) fn print_strided(&mut self, chunk: &mut Chunk<'_>, strided: &StridedLoop) {
        self.code.at(strided.span);
        let start = self.value_in_thread(&strided.start, "c0_");
        let end = self.value_in_thread(&strided.end, "c0_");
        let past = if strided.inclusive { " + 1" } else { "" };
        self.code.out.open("{");
        self.code.out.line(format!("const apg_i64 end_ = (apg_i64)({end}){past};"));
        self.code.out.open(format!(
            "for (apg_i64 first_ = (apg_i64)({start}); first_ < end_; first_ += {}) {{",
            strided.step
        ));
        self.code
            .out
            .line(format!("const int {ACTIVE} = end_ - first_ < lanes_ ? (int)(end_ - first_) : lanes_;"));
        self.print_lane_checks(chunk, strided);
        self.code.out.open("if (fits_) {");
        self.code.checked.extend(strided.checks.iter().map(|it| it.index.id));
        self.code.out.open(format!("if (full_ && {ACTIVE} == full_) {{"));
        self.print_strided_body(chunk, strided, StridedLanes::all(strided.counter, "full_"));
        self.code.out.between("} else {");
        self.print_strided_body(chunk, strided, StridedLanes::masked(strided.counter));
        self.code.out.close("}");
        self.code.checked.clear();
        self.code.out.between("} else {");
        self.print_strided_body(chunk, strided, StridedLanes::all(strided.counter, ACTIVE));
        self.code.out.close("}");
        self.code.out.close("}");
        self.code.out.close("}");
    }

    fn print_strided_body(&mut self, chunk: &mut Chunk<'_>, strided: &StridedLoop, lanes: StridedLanes) {
        let around = chunk.strided.replace(lanes);
        chunk.guard.extend(lanes.is_masked.then(|| IS_ACTIVE.to_owned()));
        self.print_parts(chunk, &strided.body);
        if lanes.is_masked {
            chunk.guard.pop();
        }
        chunk.strided = around;
    }

    /// Prints `fits_`: whether the indices of an iteration are inside of their arrays.
    fn print_lane_checks(&mut self, chunk: &mut Chunk<'_>, strided: &StridedLoop) {
        self.code.out.line("bool fits_ = true;");
        for check in &strided.checks {
            let Some(rail) = self.code.local(check.rail).rail else { continue };
            if check.of_counter {
                self.code.out.line(format!(
                    "fits_ = fits_ && (apg_u64)first_ < (apg_u64){0} && (apg_u64)(first_ + {ACTIVE} - 1) < (apg_u64){0};",
                    rail.length
                ));
            } else {
                self.print_gathered_check(chunk, strided, check, &rail.length);
            }
            self.code.checked.insert(check.index.id);
        }
        self.code.checked.clear();
    }

    /// Prints the check of an index of each thread.
    fn print_gathered_check(
        &mut self,
        chunk: &mut Chunk<'_>,
        strided: &StridedLoop,
        check: &LaneCheck,
        length: &str,
    ) {
        self.code.out.open("if (fits_) {");
        self.code.out.line("int outside_ = 0;");
        let narrow = narrow_index(&check.index);
        let (index, unsigned) = match narrow {
            Some(index) => (index, "apg_u32"),
            None => (&check.index, "apg_u64"),
        };
        // No index of 32 bits that is negative passes as an unsigned number.
        let limit = match narrow {
            Some(_) => format!("(apg_u64){length} < 0x80000000ul ? (apg_u32){length} : 0x80000000u"),
            None => format!("(apg_u64){length}"),
        };
        self.code.out.line(format!("const {unsigned} limit_ = {limit};"));
        let around = chunk.strided.replace(StridedLanes::masked(strided.counter));
        self.for_each_chunk_thread(chunk, |printer| {
            let mentioned = locals_of(index);
            printer.declare_rematerialized(&mentioned);
            printer.declare_expanded(chunk, &mentioned);
            let index = printer.code.expr(index);
            printer.code.out.line(format!("if ({IS_ACTIVE}) outside_ |= ({unsigned})({index}) >= limit_;"));
        });
        chunk.strided = around;
        self.code.out.line("fits_ = outside_ == 0;");
        self.code.out.close("}");
    }

    /// Declares the counter of a thread of an iteration.
    pub(super) fn declare_lane_counter(&mut self, counter: LocalId) {
        let spelling = self.code.local(counter);
        let ty = self.code.ty(spelling.ty);
        self.code.out.line(format!("const apg_i64 {}_w = first_ + l_;", spelling.text));
        self.code.out.line(format!("const {ty} {0} = ({ty}){0}_w; (void){0};", spelling.text));
        self.code.widened_locals.insert(counter);
    }
}

/// An index of 32 bits that is extended with its sign: the comparison with as many bits takes half as many
/// vectors.
fn narrow_index(index: &Expr) -> Option<&Expr> {
    match &index.kind {
        ExprKind::Operation { operation: Operation::Convert, args } if index.ty == Ty::I64 => {
            args.first().filter(|it| it.ty == Ty::I32)
        }
        _ => Some(index).filter(|it| it.ty == Ty::I32),
    }
}
