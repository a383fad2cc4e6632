//! The text form of the kernel IR, for tests of passes and for `--emit kernel-ir`.

use super::*;
use crate::analysis::ranges::{LaunchConditions, LaunchValue};
use apg_mir::text::FragmentPrinter;
use apg_mir::thread_index::WARP_SIZE;
use apg_symbolic::SymExpr;

/// The kernel IR as text; `program` has the names that statements refer to.
pub fn print(program: &Program, ir: &KernelIr) -> String {
    let mut text = IrText::new(program, ir);
    text.kernel(ir, |it| it.launch_conditions(&ir.bounds.launch));
    text.out
}

/// As [`print()`], without launch conditions.
pub fn print_schedule(program: &Program, ir: &KernelIr) -> String {
    let mut text = IrText::new(program, ir);
    text.kernel(ir, |_| {});
    text.out
}

struct IrText<'a> {
    code: FragmentPrinter<'a>,
    out: String,
    depth: usize,
}

impl<'a> IrText<'a> {
    fn new(program: &'a Program, ir: &'a KernelIr) -> IrText<'a> {
        IrText { code: FragmentPrinter::new(program, &ir.kernel), out: String::new(), depth: 0 }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(&FragmentPrinter::indentation(self.depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// A line, and what is in it one level deeper.
    fn block(&mut self, head: &str, body: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        let text = self.code.stmts(stmts, self.depth);
        self.out.push_str(&text);
    }

    /// Statements behind a word, in a block of their own.
    fn marked(&mut self, word: &str, stmts: &[Stmt]) {
        self.block(word, |it| it.stmts(stmts));
    }

    fn locals(&mut self, locals: impl IntoIterator<Item = LocalId>) -> String {
        let names: Vec<String> = locals.into_iter().map(|it| self.code.local(it)).collect();
        names.join(", ")
    }

    fn kernel(&mut self, ir: &KernelIr, conditions: impl FnOnce(&mut Self)) {
        self.block(&format!("kernel {}", ir.kernel.name), |it| {
            it.storage(ir);
            it.shared(&ir.shared);
            it.private_sums(&ir.private_sums);
            conditions(it);
            if let Some(strips) = &ir.strips {
                it.strips(strips);
            }
            it.block("body", |it| it.nodes(&ir.nodes));
            it.widths(ir);
            it.device(&ir.kernel, &ir.device);
        });
    }

    fn storage(&mut self, ir: &KernelIr) {
        for (class, word) in [
            (Storage::Uniform, "uniform"),
            (Storage::Register, "register"),
            (Storage::ContextArray, "context_array"),
        ] {
            let of_class = (0..ir.storage.len()).filter(|it| ir.storage[*it] == class);
            let names = self.locals(of_class.map(|it| LocalId(it as u32)));
            if !names.is_empty() {
                self.line(&format!("{word} {names};"));
            }
        }
        if ir.variables == Storage::ContextArray && !ir.kernel.variables.is_empty() {
            self.line("context_array memory;");
        }
        for derived in &ir.rematerialized {
            let (name, value) = (self.code.local(derived.local), self.code.expr(&derived.value));
            let offset = if derived.has_offset { " + offset" } else { "" };
            self.line(&format!("rematerialized {name} = {value}{offset};"));
        }
    }

    fn shared(&mut self, shared: &SharedPlan) {
        for rail in &shared.rails {
            let mut text = format!("shared {}", self.code.local(rail.local));
            if let Some(length) = rail.block_variable {
                text.push_str(&format!(" block_variable {length}"));
            }
            text.push_str(if rail.is_overwritten { " overwritten" } else { "" });
            text.push_str(if rail.barrier_before { " barrier_before" } else { "" });
            if let Fill::Counted { trip_count, threads, guard } = rail.fill {
                let guard = guard.map_or(String::new(), |length| format!(" below {length}"));
                text.push_str(&format!(" fill {trip_count} times by {threads}{guard}"));
            }
            text.push_str(if rail.has_constant_offset { " constant_offset" } else { "" });
            self.line(&format!("{text};"));
        }
        if shared.barrier_after {
            self.line("barrier_after_initialisation;");
        }
    }

    fn private_sums(&mut self, all: &[PrivateSums]) {
        for sums in all {
            let (rail, count) = (self.code.local(sums.rail), sums.uses.len());
            self.line(&format!("private sums {rail} {} for {count} additions;", sums.length));
        }
    }

    fn launch_conditions(&mut self, launch: &LaunchConditions) {
        let wide = launch.wide.map(|it| ("wide".to_owned(), it));
        let narrow = launch.narrow.map(|it| ("narrow".to_owned(), it));
        let checks = launch.checks.iter().enumerate().map(|(bit, it)| (format!("check {bit}"), *it));
        let all: Vec<(String, SymExpr)> = checks.chain(wide).chain(narrow).collect();
        for (word, condition) in all {
            self.line(&format!("launch {word}: {};", launch.pool.display(condition)));
        }
        for (number, value) in launch.captured.iter().enumerate() {
            let value = self.code.expr(value);
            self.line(&format!("launch {} = {value};", LaunchValue::Captured(number as u32)));
        }
    }

    fn strips(&mut self, strips: &BlockStrips) {
        self.block("strips", |it| {
            if let Some((guard, coefficients)) = &strips.guard {
                it.guard(guard);
                it.line(&format!("per_block {coefficients:?};"));
            }
            it.marked("uniform", &strips.uniform);
            it.loads(&strips.loads);
            it.marked("threads", &strips.stmts);
        });
    }

    fn nodes(&mut self, nodes: &[Node]) {
        nodes.iter().for_each(|it| self.node(it));
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Barrier => self.line("barrier;"),
            Node::Region(region) => self.region(region),
            Node::Uniform(stmt) => self.marked("uniform", std::slice::from_ref(stmt)),
            Node::Offset(stmt) => self.marked("offset", std::slice::from_ref(stmt)),
            Node::Collective(stmt) => self.marked("collective", std::slice::from_ref(stmt)),
            Node::Jump(stmt) => self.stmts(std::slice::from_ref(stmt)),
            Node::GridStride(stride) => self.grid_stride(stride),
            Node::Warps(body) => self.block("warps", |it| it.nodes(body)),
            Node::If(branch) => {
                let condition = self.code.expr(&branch.condition);
                self.block(&format!("if {condition}"), |it| it.nodes(&branch.then));
                if !branch.otherwise.is_empty() {
                    self.block("else", |it| it.nodes(&branch.otherwise));
                }
            }
            Node::Loop(repeat) => self.loop_node(repeat),
            Node::Unrolled(unrolled) => self.unrolled(unrolled),
            Node::Labeled(label, body) => self.block(&format!("L{}:", label.0), |it| it.nodes(body)),
            Node::Switch(switch) => {
                let head = format!("L{}: switch {}", switch.label.0, self.code.expr(&switch.value));
                self.block(&head, |it| {
                    for (values, body) in &switch.cases {
                        let value = |it: &Option<i64>| it.map_or("default".into(), |it| it.to_string());
                        let values: Vec<String> = values.iter().map(value).collect();
                        it.block(&format!("case {}", values.join(", ")), |it| it.nodes(body));
                    }
                });
            }
        }
    }

    fn region(&mut self, region: &Region) {
        let head = if region.prefetches_rows { "region prefetches_rows" } else { "region" };
        self.block(head, |it| {
            for (to, from) in &region.rotations {
                let names = it.locals([*to, *from]);
                it.line(&format!("exchange {names};"));
            }
            it.schedule(&region.schedule);
        });
    }

    fn grid_stride(&mut self, stride: &GridStrideLoop) {
        let (index, start) = (self.code.local(stride.index), self.code.expr(&stride.start));
        let (end, step) = (self.code.expr(&stride.end), self.code.expr(&stride.step));
        let range = if stride.inclusive { "..=" } else { ".." };
        let head = format!("L{}: grid_stride {index} in {start}{range}{end} step {step}", stride.label.0);
        self.block(&head, |it| {
            for stream in &stride.streams {
                let rail = it.code.local(stream.rail);
                let offset = stream.offset.as_ref().map(|offset| format!(" + {}", it.code.expr(offset)));
                it.line(&format!("stream {rail}{};", offset.unwrap_or_default()));
            }
            if let Some(jam) = &stride.jam {
                it.block(&format!("jam {}", jam.count), |it| it.loads(&jam.loads));
            }
            it.schedule(&stride.schedule);
        });
    }

    fn loop_node(&mut self, repeat: &LoopNode) {
        let word = if repeat.post_tested { "do while" } else { "while" };
        let head = format!("L{}: {word} {}", repeat.label.0, self.code.expr(&repeat.condition));
        self.block(&head, |it| {
            if let Some(plan) = &repeat.prefetch {
                it.prefetch(plan);
            }
            it.nodes(&repeat.body);
        });
        if !repeat.update.is_empty() {
            self.block("update", |it| it.nodes(&repeat.update));
        }
    }

    fn unrolled(&mut self, unrolled: &UnrolledLoop) {
        let counter = self.code.local(unrolled.counter);
        let by = if unrolled.by_warps { " by_warps" } else { "" };
        let lanes = match unrolled.lanes.iter().all(|it| *it == WARP_SIZE) {
            true => String::new(),
            false => format!(" lanes {:?}", unrolled.lanes),
        };
        let head = format!("unrolled{by} {counter} in {:?}{lanes} then {}", unrolled.values, unrolled.end);
        self.block(&head, |it| {
            for array in &unrolled.warp_arrays {
                let text = expanded_text(&it.code.local(array.local), array.is_live_in, array.lanes_out > 0);
                let lanes = match array.lanes_out {
                    0 | WARP_SIZE => String::new(),
                    lanes => format!(" lanes {lanes}"),
                };
                it.line(&format!("warp_array {text}{lanes};"));
            }
            it.nodes(&unrolled.body);
        });
        self.block("otherwise", |it| it.loop_node(&unrolled.rolled));
    }

    fn prefetch(&mut self, plan: &PrefetchPlan) {
        let where_ = if plan.between_rows { "between_rows" } else { "at_begin" };
        let head = format!("prefetch {where_} accesses {} line {}", plan.accesses, plan.line_threads);
        self.block(&head, |it| {
            for step in &plan.steps {
                let (name, by) = (it.code.local(step.local), it.code.expr(&step.by));
                let sign = if step.minus { "-" } else { "+" };
                let what = if step.is_offset { "offset " } else { "" };
                it.line(&format!("induction {what}{name} {sign}= {by};"));
            }
            for (local, value) in &plan.recomputed {
                let (name, value) = (it.code.local(*local), it.code.expr(value));
                it.line(&format!("recomputed {name} = {value};"));
            }
            it.candidates(&plan.candidates);
        });
    }

    fn candidates(&mut self, candidates: &[PrefetchCandidate]) {
        for candidate in candidates {
            match candidate {
                PrefetchCandidate::Element { rail, index, per_iteration } => {
                    let (rail, index) = (self.code.local(*rail), self.code.expr(index));
                    let stride = per_iteration.map_or("unknown".into(), |it| it.to_string());
                    self.line(&format!("element {rail}[{index}] per_iteration {stride};"));
                }
                PrefetchCandidate::If(condition, then, otherwise) => {
                    let condition = self.code.expr(condition);
                    self.block(&format!("if {condition}"), |it| it.candidates(then));
                    if !otherwise.is_empty() {
                        self.block("else", |it| it.candidates(otherwise));
                    }
                }
            }
        }
    }

    fn schedule(&mut self, schedule: &Schedule) {
        match schedule {
            Schedule::Threads(stmts) => self.marked("threads", stmts),
            Schedule::SubRanges(ranges) => ranges.iter().for_each(|it| self.sub_range(it)),
            Schedule::Chunks(chunks) => self.chunks(chunks),
            Schedule::Hoisted { loads, body } => {
                self.loads(loads);
                self.schedule(body);
            }
            Schedule::Proven { proven, otherwise } => {
                self.block("proven", |it| it.schedule(proven));
                self.block("otherwise", |it| it.schedule(otherwise));
            }
            Schedule::FullTile { guard, full, partial } => {
                self.block("full_tile", |it| {
                    it.guard(guard);
                    it.schedule(full);
                });
                self.block("partial_tile", |it| it.schedule(partial));
            }
        }
    }

    fn sub_range(&mut self, range: &SubRange) {
        let bounds: Vec<String> = range
            .bounds
            .iter()
            .map(|it| {
                let side = self.code.expr(&it.side);
                let remainder = match it.relation {
                    Relation::Remainder(number) => format!(" % {number}"),
                    _ => String::new(),
                };
                format!("axis{}{remainder} {} {side}", it.axis, it.relation.symbol())
            })
            .collect();
        let bounds = if bounds.is_empty() { String::new() } else { format!(" where {}", bounds.join(", ")) };
        self.marked(&format!("threads{bounds}"), &range.stmts);
    }

    fn guard(&mut self, guard: &Guard) {
        for comparison in &guard.comparisons {
            let [smaller, larger] = [0, 1].map(|side| self.code.expr(&comparison.sides[side]));
            let relation = if comparison.strict { "<" } else { "<=" };
            let [first, second] = &comparison.factors;
            self.line(&format!("guard {smaller} {relation} {larger} coefficients {first:?} {second:?};"));
        }
        if !guard.assumed_conditions.is_empty() {
            self.line(&format!("assumes {} conditions;", guard.assumed_conditions.len()));
        }
    }

    fn loads(&mut self, loads: &[UniformLoad]) {
        for load in loads {
            let (rail, index) = (self.code.local(load.rail), self.code.expr(&load.index));
            self.line(&format!("load {rail}[{index}] for {} accesses;", load.uses.len()));
        }
    }

    fn chunks(&mut self, chunks: &Chunks) {
        let UnrollAndJam { rows, axis } = chunks.jam;
        let head = if rows > 1 { format!("chunks jam {rows} on axis{axis}") } else { "chunks".into() };
        self.block(&head, |it| {
            let uniform = it.locals(chunks.uniform.iter().copied());
            if !uniform.is_empty() {
                it.line(&format!("uniform {uniform};"));
            }
            for local in &chunks.expanded {
                let text = expanded_text(&it.code.local(local.local), local.is_live_in, local.is_live_out);
                it.line(&format!("expanded {text};"));
            }
            it.parts(&chunks.parts);
        });
    }

    fn parts(&mut self, parts: &[ChunkPart]) {
        for part in parts {
            match part {
                ChunkPart::Lanes { stmts, loads, stores } => {
                    self.loads(loads);
                    let stores = self.locals(stores.iter().copied());
                    let head =
                        if stores.is_empty() { "lanes".into() } else { format!("lanes store {stores}") };
                    self.marked(&head, stmts);
                }
                ChunkPart::Uniform(stmt) => self.marked("uniform", std::slice::from_ref(stmt)),
                ChunkPart::Loop(repeat) => self.chunk_loop(repeat),
                ChunkPart::Strided(strided) => self.strided_loop(strided),
                ChunkPart::If(branch) => self.part_branch("if", branch),
                ChunkPart::Masked(branch) => self.part_branch("masked if", branch),
            }
        }
    }

    fn part_branch(&mut self, word: &str, branch: &Branch<ChunkPart>) {
        let condition = self.code.expr(&branch.condition);
        self.block(&format!("{word} {condition}"), |it| it.parts(&branch.then));
        if !branch.otherwise.is_empty() {
            self.block("else", |it| it.parts(&branch.otherwise));
        }
    }

    fn chunk_loop(&mut self, repeat: &ChunkLoop) {
        let word = if repeat.post_tested { "do while" } else { "while" };
        let unroll = repeat.unroll.map(|it| format!(" unroll {it}")).unwrap_or_default();
        let condition = self.code.expr(&repeat.condition);
        self.block(&format!("{word} {condition}{unroll}"), |it| {
            if let Some(tiles) = &repeat.tiles {
                it.tiles(tiles);
            }
            it.parts(&repeat.body);
        });
        self.block("update", |it| it.parts(&repeat.update));
    }

    fn strided_loop(&mut self, strided: &StridedLoop) {
        let counter = self.code.local(strided.counter);
        let (start, end) = (self.code.expr(&strided.start), self.code.expr(&strided.end));
        let relation = if strided.inclusive { "<=" } else { "<" };
        let head = format!("strided {counter} = {start} while {relation} {end} step {}", strided.step);
        self.block(&head, |it| {
            for check in &strided.checks {
                let (rail, index) = (it.code.local(check.rail), it.code.expr(&check.index));
                let threads = if check.of_counter { "first and last" } else { "all" };
                it.line(&format!("check {rail}[{index}] of {threads} threads;"));
            }
            it.parts(&strided.body);
        });
    }

    fn tiles(&mut self, tiles: &StridedLoads) {
        let (counter, end) = (self.code.local(tiles.count.counter), self.code.expr(&tiles.count.end));
        let relation = match tiles.count.ends {
            LoopEnd::Below => "<",
            LoopEnd::UpTo => "<=",
            LoopEnd::At => "!=",
        };
        self.block(&format!("transposed {counter} {relation} {end}"), |it| {
            for row in &tiles.rows {
                let (rail, index) = (it.code.local(row.rail), it.code.expr(&row.index));
                it.line(&format!("load {rail}[{index}] for {} accesses;", row.uses.len()));
            }
            for (local, value) in &tiles.values {
                let (name, value) = (it.code.local(*local), it.code.expr(value));
                it.line(&format!("value {name} = {value};"));
            }
        });
    }

    fn captures(&mut self, kernel: &Kernel, device: &DeviceForm) {
        for (index, aliases) in device.rails.iter().enumerate() {
            let name = self.code.local(LocalId(index as u32));
            let word = match aliases {
                RailAliases::Written => "written",
                RailAliases::ReadOnly => "read_only",
                RailAliases::ReadOnlyIfApart => "read_only_if_apart",
            };
            if !matches!(kernel.captures[index].kind, KernelCaptureKind::Scalar(_)) {
                self.line(&format!("device rail {name} {word};"));
            }
        }
        let derived = self.locals(device.derived_captures.iter().copied());
        if !derived.is_empty() {
            self.line(&format!("device computes {derived};"));
        }
        if device.has_environment_by_value {
            self.line("device environment by_value;");
        }
    }

    /// Integer arithmetic with other widths. Expressions have no names: their numbers are counted.
    fn widths(&mut self, ir: &KernelIr) {
        if !ir.widened.is_empty() {
            self.line(&format!("cpu widens {} values;", ir.widened.len()));
        }
        let narrowed = &ir.device.narrowed;
        if !narrowed.values.is_empty() {
            let mut locals: Vec<LocalId> = narrowed.locals.iter().copied().collect();
            locals.sort_unstable();
            let locals = self.locals(locals);
            let locals = if locals.is_empty() { locals } else { format!(" and {locals}") };
            self.line(&format!("device narrows {} values{locals};", narrowed.values.len()));
        }
        if !ir.device.exact_steps.is_empty() {
            self.line(&format!("device exact_steps {};", ir.device.exact_steps.len()));
        }
    }

    fn device(&mut self, kernel: &Kernel, device: &DeviceForm) {
        self.captures(kernel, device);
        let mut factors: Vec<_> = device.unroll_factors.iter().collect();
        factors.sort_by_key(|it| it.0);
        for (label, factor) in factors {
            let factor = match factor {
                UnrollFactor::Times(times) => times.to_string(),
                UnrollFactor::Full => "fully".to_owned(),
            };
            self.line(&format!("device unroll L{} {factor};", label.0));
        }
        for load in &device.constant_loads {
            let rail = self.code.local(load.rail);
            self.line(&format!("device load {rail}[{}] for {} accesses;", load.index, load.uses.len()));
        }
        let mut loops: Vec<_> = device.pipelined_loops.iter().collect();
        loops.sort_by_key(|it| it.0);
        for (label, pipelined) in loops {
            self.block(&format!("device pipeline L{}", label.0), |it| {
                let counters = it.locals(pipelined.counters.iter().copied());
                it.line(&format!("counters {counters};"));
                for load in &pipelined.elements {
                    let element = it.code.expr(&load.element);
                    it.line(&format!("load {element} for {} accesses;", load.uses.len()));
                }
            });
        }
    }
}

/// A local that has an array, and whether its values are loaded and stored.
fn expanded_text(name: &str, is_live_in: bool, is_live_out: bool) -> String {
    let live_in = if is_live_in { " live_in" } else { "" };
    let live_out = if is_live_out { " live_out" } else { "" };
    format!("{name}{live_in}{live_out}")
}
