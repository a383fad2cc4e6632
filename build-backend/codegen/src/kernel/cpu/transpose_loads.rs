//! Prints loads that are transposed in registers.

use apg_passes::kernel_ir::{ChunkLoop, CountedLoop, LoopEnd, StridedLoad, StridedLoads};
use rustc_hash::FxHashSet;

use super::printer::Printer;
use super::simd_chunks::Chunk;
use crate::code::PreloadedElement;
use apg_mir::*;
use apg_passes::analysis::locals::locals_of;
use apg_passes::kernel_ir::CHUNK_THREADS;

impl Printer<'_, '_> {
    /// Prints the iterations of whole tiles. If `flag` says that a tile precedes, the remainder is a tile
    /// that begins with iterations already executed. The code that follows executes one iteration at a time.
    pub(super) fn print_tiles(
        &mut self,
        chunk: &mut Chunk<'_>,
        tiles: &StridedLoads,
        flag: &str,
        repeat: &ChunkLoop,
    ) {
        let CountedLoop { counter, end, ends } = &tiles.count;
        let (counter, end) = (self.code.local(*counter), self.code.expr(end));
        self.labels += 1;
        let number = self.labels;
        self.code.out.open(format!("if constexpr (full_ == {CHUNK_THREADS}) {{"));
        // A lambda: it has its own labels, and its instance for whole tiles is compiled for their length.
        self.code.out.open(format!(
            "const auto tile{number}_ = [&](const int done_) __attribute__((always_inline)) {{"
        ));
        let around = self.code.preloaded.clone();
        for row in &tiles.rows {
            let name = self.load_tile(chunk, tiles, row);
            let name = format!("{name}[iteration{number}_ * {CHUNK_THREADS} + l_]");
            for access in &row.uses {
                let element = PreloadedElement { name: name.clone(), when: "proven_" };
                self.code.preloaded.insert(*access, element);
            }
        }
        self.code
            .out
            .open(format!("for (int iteration{number}_ = done_; iteration{number}_ < {CHUNK_THREADS}; ++iteration{number}_) {{"));
        self.print_parts(chunk, &repeat.body);
        self.print_parts(chunk, &repeat.update);
        self.code.out.close("}");
        self.code.preloaded = around;
        self.code.out.close("};");
        // Iterations left after this one; a counter that wraps reaches its bound as well.
        let unsigned = if counter.ty == Ty::I32 && *ends == LoopEnd::At { "apg_u32" } else { "apg_u64" };
        let after = if *ends == LoopEnd::UpTo { "" } else { " - 1" };
        let value = |it: &str| format!("({unsigned})(apg_i64)({it})");
        let (end, counter) = (value(&end), value(&counter.text));
        self.code.out.line(format!("const {unsigned} left_ = {end} - {counter}{after};"));
        let last = CHUNK_THREADS - 1;
        self.code.out.line(format!("if (left_ >= {last}) {{ tile{number}_(0); {flag} = true; continue; }}"));
        self.code.out.line(format!("if ({flag}) {{ tile{number}_({last} - (int)left_); continue; }}"));
        self.code.out.close("}");
    }

    /// Prints the loads of a tile; returns its name.
    fn load_tile(&mut self, chunk: &Chunk<'_>, all: &StridedLoads, row: &StridedLoad) -> String {
        let mut locals = locals_of(&row.index);
        for (local, value) in all.values.iter().rev() {
            if locals.contains(local) {
                locals.extend(locals_of(value));
            }
        }
        let data = self.code.local(row.rail).rail.map(|it| it.data).unwrap_or_default();
        let ty = self.code.ty(row.ty);
        self.labels += 1;
        let name = format!("tile{}_", self.labels);
        self.code.out.line(format!("alignas(64) {ty} {name}[{CHUNK_THREADS} * {CHUNK_THREADS}];"));
        self.code.out.line(format!("const {ty} *{name}rows_[{CHUNK_THREADS}];"));
        let guard = chunk.guard.join(" && ");
        let named: Vec<_> = all.values.iter().filter(|it| locals.contains(&it.0)).collect();
        // The expanded element of a local that the iteration assigns holds the value of the iteration before.
        let kept: FxHashSet<LocalId> =
            locals.iter().copied().filter(|it| !named.iter().any(|named| named.0 == *it)).collect();
        self.for_each_chunk_thread(chunk, |printer| {
            printer.declare_rematerialized(&locals);
            printer.declare_expanded(chunk, &kept);
            for (local, value) in named {
                printer.declare_value(*local, value);
            }
            let address = format!("{data} + {} - done_", printer.code.wide_value(&row.index));
            let line = match guard.is_empty() {
                true => format!("{name}rows_[l_] = {address};"),
                false => format!("{name}rows_[l_] = {guard} ? {address} : (const {ty} *)apg_no_row;"),
            };
            printer.code.out.line(line);
        });
        self.code.out.line(format!("apg_transpose({name}rows_, {name});"));
        name
    }

    /// Declares a local with the value that the iteration will assign.
    fn declare_value(&mut self, local: LocalId, value: &Expr) {
        let spelling = self.code.local(local);
        let (ty, text, wide) =
            (self.code.ty(spelling.ty), self.code.expr(value), self.code.wide_value(value));
        self.code.out.line(format!("const {ty} {0} = {text}; const apg_i64 {0}_w = {wide};", spelling.text));
        self.code.widened_locals.insert(local);
    }
}
