//! Prints chunks of threads, vectors that execute a fissioned region together.

use apg_passes::kernel_ir::{Branch, ChunkLoop, ChunkPart, Chunks, ExpandedLocal, UniformLoad, UnrollAndJam};
use rustc_hash::FxHashSet;

use super::printer::{Printer, ThreadRange};
use crate::code::{LocalSpelling, RailSpelling};
use crate::names;
use apg_mir::*;
use apg_passes::analysis::constants::constant_value;
use apg_passes::analysis::locals::mentioned_locals;
use apg_passes::kernel_ir::{CHUNK_THREADS, chunk_threads};

impl Printer<'_, '_> {
    /// Prints a fissioned region.
    pub(super) fn print_chunks(&mut self, range: &ThreadRange<'_>, chunks: &Chunks) {
        self.labels += 1;
        let number = self.labels;
        let jam = chunks.jam;
        match jam {
            UnrollAndJam { rows: 2.., axis: 1 } => self.open_jammed_rows(jam.rows),
            _ => self.open_row_loops(),
        }
        self.code.out.open(format!(
            "const auto chunk{number}_ = [&]<int full_>(const apg_i64 c0_, const int rest_) __attribute__((always_inline)) {{"
        ));
        self.code.out.line("const int lanes_ = full_ ? full_ : rest_;");
        for local in &chunks.uniform {
            self.code.declare(local.index()..local.index() + 1);
        }
        let (expanded, guard) = (Vec::new(), Vec::new());
        let mut chunk = Chunk {
            range,
            expanded,
            uniform: &chunks.uniform,
            guard,
            jam,
            is_aligned: chunks.is_aligned,
            strided: None,
        };
        for expanded in &chunks.expanded {
            self.expand_local(&mut chunk, *expanded);
        }
        self.print_parts(&mut chunk, &chunks.parts);
        self.store_expanded(&chunk);
        self.code.out.close("};");
        self.call_chunks(range, number, jam);
        self.code.out.close("}");
    }

    /// Prints the calls for all chunks of a row.
    fn call_chunks(&mut self, range: &ThreadRange<'_>, number: u32, jam: UnrollAndJam) {
        let size = self.chunk_threads();
        let step = if jam.axis == 0 { size * jam.rows } else { size };
        let count = range.count;
        self.code.out.line("apg_i64 c0_ = 0;");
        self.code.out.line(format!(
            "for (; c0_ + {step} <= {count}; c0_ += {step}) chunk{number}_.template operator()<{size}>(c0_, 0);"
        ));
        let extent = self.ir.kernel.host.threads.last().and_then(constant_value);
        if range.stride.is_some() || extent.is_none_or(|it| it % step != 0) {
            self.code.out.line(format!(
                "if (c0_ < {count}) chunk{number}_.template operator()<0>(c0_, (int)({count} - c0_));"
            ));
        }
    }

    /// Threads of a vector.
    fn chunk_threads(&self) -> i64 {
        chunk_threads(&self.ir.kernel).unwrap_or(CHUNK_THREADS)
    }

    /// Opens the loops over the jammed rows of a block, with what a row begins with.
    fn open_jammed_rows(&mut self, rows: i64) {
        for axis in (2..self.axis_count()).rev() {
            self.code.out.line(format!("for (apg_i64 t{axis}_ = 0; t{axis}_ < n{axis}_; ++t{axis}_)"));
        }
        self.code.out.open(format!("for (apg_i64 q_ = 0; q_ < n1_; q_ += {rows}) {{"));
        if !self.row_prologue.is_empty() {
            self.code.out.line(format!("for (apg_i64 t1_ = q_; t1_ < q_ + {rows}; ++t1_)"));
            self.code.out.line(&self.row_prologue);
        }
    }

    /// Prints a loop over the threads of a chunk.
    pub(super) fn for_each_chunk_thread(&mut self, chunk: &Chunk<'_>, body: impl FnOnce(&mut Self)) {
        let UnrollAndJam { rows, axis } = chunk.jam;
        if rows > 1 {
            self.code.out.line(format!("#pragma GCC unroll {rows}"));
            self.code.out.line(format!("for (int j_ = 0; j_ < {rows}; ++j_)"));
        }
        self.print_lane_pragmas();
        let lanes = chunk.strided.map_or("lanes_", |it| it.lanes);
        self.code.out.open(format!("for (int l_ = 0; l_ < {lanes}; ++l_) {{"));
        let size = self.chunk_threads();
        self.code.out.line(match (rows, axis) {
            (1, _) => "const int e_ = l_; const apg_i64 t0_ = c0_ + l_;".to_owned(),
            (_, 0) => {
                format!(
                    "const int e_ = j_ * {CHUNK_THREADS} + l_; const apg_i64 t0_ = c0_ + j_ * {size} + l_;"
                )
            }
            _ => format!(
                "const int e_ = j_ * {CHUNK_THREADS} + l_; const apg_i64 t0_ = c0_ + l_, t1_ = q_ + j_;"
            ),
        });
        self.declare_thread_indices(chunk.range, "t0_");
        if let Some(strided) = chunk.strided {
            self.declare_lane_counter(strided.counter);
        }
        body(self);
        self.code.out.close("}");
        self.code.widened_locals.clear();
    }

    /// Expands a local to an array, initialised with the threads' values if it is live-in.
    fn expand_local(&mut self, chunk: &mut Chunk<'_>, expanded: ExpandedLocal) {
        let local = expanded.local;
        let spelling = self.code.local(local);
        let all = chunk.threads();
        let name = names::local(local.index(), &self.ir.kernel.locals[local.index()].name);
        if let Some((element, length)) = spelling.stack {
            let ty = self.code.ty(element);
            self.code.out.line(format!("{ty} {name}_a[{}];", length.max(1) * all));
            let is_interleaved = self.ir.private_rails.get(&local).is_some_and(|it| it.is_interleaved);
            let lane = is_interleaved.then(|| (all.to_string(), "e_".to_owned()));
            let data =
                if lane.is_some() { format!("{name}_a") } else { format!("({name}_a + e_ * {length})") };
            let rail = RailSpelling { data, length: format!("{length}LL"), lane };
            if let (true, Some(from)) = (expanded.is_live_in, &spelling.rail) {
                let line = format!("{} = {};", rail.element("i_"), from.element("i_"));
                self.copy_elements(chunk, length, line);
            }
            self.code.locals[local.index()].rail = Some(rail);
        } else {
            let ty = self.code.ty(spelling.ty);
            // Inactive lanes copy it uninitialised, which is undefined for a `bool`.
            let first = if spelling.ty == Ty::Bool { " = {}" } else { "" };
            self.code.out.line(format!("{ty} {name}_a[{all}]{first};"));
            if expanded.is_live_in {
                self.for_each_chunk_thread(chunk, |printer| {
                    printer.code.out.line(format!("{name}_a[e_] = {};", spelling.text))
                });
            }
            self.code.locals[local.index()].set_variable(name);
        }
        chunk.expanded.push((expanded, spelling));
    }

    fn copy_elements(&mut self, chunk: &Chunk<'_>, length: i64, line: String) {
        self.code.out.open(format!("for (int i_ = 0; i_ < {length}; ++i_) {{"));
        self.for_each_chunk_thread(chunk, |printer| printer.code.out.line(line));
        self.code.out.close("}");
    }

    /// Stores expanded values back to their context arrays.
    fn store_expanded(&mut self, chunk: &Chunk<'_>) {
        for (expanded, outer) in &chunk.expanded {
            let inner = std::mem::replace(&mut self.code.locals[expanded.local.index()], outer.clone());
            if !expanded.is_live_out {
                continue;
            }
            match (outer.stack, &outer.rail, &inner.rail) {
                (Some((_, length)), Some(to), Some(from)) => {
                    let line = format!("{} = {};", to.element("i_"), from.element("i_"));
                    self.copy_elements(chunk, length, line);
                }
                _ => self.for_each_chunk_thread(chunk, |printer| {
                    printer.code.out.line(format!("{} = {}_a[e_];", outer.text, inner.text));
                }),
            }
        }
    }

    pub(super) fn print_parts(&mut self, chunk: &mut Chunk<'_>, parts: &[ChunkPart]) {
        for part in parts {
            match part {
                ChunkPart::Lanes { stmts, loads, stores } => self.print_lanes(chunk, stmts, loads, stores),
                ChunkPart::Uniform(stmt) => self.code.stmt(stmt),
                ChunkPart::If(branch) => {
                    self.code.at(branch.span);
                    let condition = match chunk.is_aligned {
                        true => self.value_in_thread(&branch.condition, "c0_"),
                        false => self.code.expr(&branch.condition),
                    };
                    self.code.out.open(format!("if ({condition}) {{"));
                    self.print_parts(chunk, &branch.then);
                    if !branch.otherwise.is_empty() {
                        self.code.out.between("} else {");
                        self.print_parts(chunk, &branch.otherwise);
                    }
                    self.code.out.close("}");
                }
                ChunkPart::Loop(repeat) => self.print_loop(chunk, repeat),
                ChunkPart::Strided(strided) => self.print_strided(chunk, strided),
                ChunkPart::Masked(branch) => self.print_masked(chunk, branch),
            }
        }
    }

    fn print_loop(&mut self, chunk: &mut Chunk<'_>, repeat: &ChunkLoop) {
        let ChunkLoop { unroll, post_tested, body, update, .. } = repeat;
        self.code.at(repeat.span);
        let condition = self.code.expr(&repeat.condition);
        self.labels += 1;
        let flag = format!("tiled{}_", self.labels);
        if repeat.tiles.is_some() {
            self.code.out.line(format!("bool {flag} = false; (void){flag};"));
        }
        if let Some(count) = unroll {
            self.code.out.line(format!("#pragma GCC unroll {count}"));
        }
        self.code.out.open(if *post_tested { "do {".to_owned() } else { format!("while ({condition}) {{") });
        if let Some(tiles) = &repeat.tiles {
            self.print_tiles(chunk, tiles, &flag, repeat);
        }
        self.print_parts(chunk, body);
        self.print_parts(chunk, update);
        self.code.out.close(if *post_tested { format!("}} while ({condition});") } else { "}".to_owned() });
    }

    /// Prints statements for each thread of a chunk. Expanded values are loaded and stored whether the thread
    /// is active or not, so that only the statements are masked.
    fn print_lanes(&mut self, chunk: &Chunk<'_>, stmts: &[Stmt], loads: &[UniformLoad], stores: &[LocalId]) {
        let mentioned = mentioned_locals(stmts);
        let around = self.declare_uniform_loads(loads);
        // A store of what was loaded is removed by compilers, so that the others become masked stores, from
        // which the next iteration's vector loads cannot be forwarded. Another array keeps them whole.
        let is_double_buffered = !stores.is_empty() && chunk.strided.is_some_and(|it| it.is_masked);
        let target = if is_double_buffered { "next_a" } else { "a" };
        if is_double_buffered {
            self.code.out.open("{");
            for local in stores {
                let spelling = self.code.local(*local);
                let ty = self.code.ty(spelling.ty);
                self.code.out.line(format!("{ty} {}_{target}[{}];", spelling.text, chunk.threads()));
            }
        }
        self.for_each_chunk_thread(chunk, |printer| {
            printer.declare_rematerialized(&mentioned);
            printer.declare_private(&mentioned, &|it| {
                !chunk.uniform.contains(&it)
                    && !chunk.expanded.iter().any(|(array, _)| array.local == it)
                    && chunk.strided.is_none_or(|strided| strided.counter != it)
            });
            let used: Vec<LocalId> =
                chunk.expanded.iter().map(|it| it.0.local).filter(|it| mentioned.contains(it)).collect();
            for local in &used {
                let spelling = printer.code.local(*local);
                if spelling.stack.is_none() {
                    let ty = printer.code.ty(spelling.ty);
                    printer.code.out.line(format!("{ty} {0} = {0}_a[e_];", spelling.text));
                }
            }
            let guard = chunk.guard.join(" && ");
            printer.code.out.open(if guard.is_empty() { "{".into() } else { format!("if ({guard}) {{") });
            printer.print_thread_stmts(chunk.range, stmts);
            printer.code.out.close("}");
            for local in stores {
                let name = printer.code.local(*local).text;
                printer.code.out.line(format!("{name}_{target}[e_] = {name};"));
            }
        });
        if is_double_buffered {
            self.for_each_chunk_thread(chunk, |printer| {
                for local in stores {
                    let name = printer.code.local(*local).text;
                    printer.code.out.line(format!("{name}_a[e_] = {name}_{target}[e_];"));
                }
            });
            self.code.out.close("}");
        }
        self.code.preloaded = around;
    }

    /// Declares constants for the expanded locals that are mentioned.
    pub(super) fn declare_expanded(&mut self, chunk: &Chunk<'_>, mentioned: &FxHashSet<LocalId>) {
        for (expanded, _) in chunk.expanded.iter().filter(|it| mentioned.contains(&it.0.local)) {
            let spelling = self.code.local(expanded.local);
            if spelling.stack.is_none() {
                let ty = self.code.ty(spelling.ty);
                self.code.out.line(format!("const {ty} {0} = {0}_a[e_];", spelling.text));
            }
        }
    }

    /// Prints a divergent branch with masks.
    fn print_masked(&mut self, chunk: &mut Chunk<'_>, branch: &Branch<ChunkPart>) {
        let Branch { condition, then, otherwise, .. } = branch;
        self.labels += 1;
        let number = self.labels;
        let guard = if chunk.guard.is_empty() { "true".to_owned() } else { chunk.guard.join(" && ") };
        let all = chunk.threads();
        self.code.out.line(format!("bool mask{number}_[{all}], rest{number}_[{all}];"));
        self.code.out.line(format!("bool some{number}_ = false, others{number}_ = false;"));
        let mut mentioned = FxHashSet::default();
        walk::visit_expr(condition, None, &mut |it, _| {
            if let ExprKind::Local(local) = it.kind {
                mentioned.insert(local);
            }
        });
        self.for_each_chunk_thread(chunk, |printer| {
            printer.declare_rematerialized(&mentioned);
            printer.declare_expanded(chunk, &mentioned);
            printer.code.at(branch.span);
            let condition = printer.code.expr(condition);
            printer.code.out.line(format!("const bool in_ = {guard}, on_ = in_ && {condition};"));
            printer.code.out.line(format!("mask{number}_[e_] = on_; rest{number}_[e_] = in_ && !on_;"));
            printer.code.out.line(format!("some{number}_ |= on_; others{number}_ |= in_ && !on_;"));
        });
        for (name, any, parts) in [("mask", "some", then), ("rest", "others", otherwise)] {
            if parts.is_empty() {
                continue;
            }
            self.code.out.open(format!("if ({any}{number}_) {{"));
            chunk.guard.push(format!("{name}{number}_[e_]"));
            self.print_parts(chunk, parts);
            chunk.guard.pop();
            self.code.out.close("}");
        }
    }
}

/// The context in which parts of a region are printed.
pub(super) struct Chunk<'s> {
    range: &'s ThreadRange<'s>,
    /// Expanded locals with their former spelling.
    expanded: Vec<(ExpandedLocal, LocalSpelling)>,
    /// Locals with one value for all threads.
    uniform: &'s [LocalId],
    /// Conditions for a thread to be active.
    pub(super) guard: Vec<String>,
    jam: UnrollAndJam,
    is_aligned: bool,
    /// The strided loop around.
    pub(super) strided: Option<StridedLanes>,
}

/// The threads that execute an iteration of a strided loop.
#[derive(Clone, Copy)]
pub(super) struct StridedLanes {
    pub(super) counter: LocalId,
    /// Number of iterations of a loop over them.
    pub(super) lanes: &'static str,
    /// Some of these iterations are those of inactive threads.
    pub(super) is_masked: bool,
}

impl StridedLanes {
    /// Threads that are all active.
    pub(super) fn all(counter: LocalId, lanes: &'static str) -> StridedLanes {
        StridedLanes { counter, lanes, is_masked: false }
    }

    /// All threads of a chunk, some of them inactive.
    pub(super) fn masked(counter: LocalId) -> StridedLanes {
        StridedLanes { counter, lanes: "lanes_", is_masked: true }
    }
}

impl Chunk<'_> {
    pub(super) fn threads(&self) -> i64 {
        CHUNK_THREADS * self.jam.rows
    }
}
