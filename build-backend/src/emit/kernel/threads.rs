//! Prints what every thread of a block does: a loop over the threads, or, for a run that is taken apart, loops over the threads of a
//! chunk at a time.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::code::{Ahead, RailText, Scope};
use super::clip::guarded;
use super::cpu::{Printer, array};
use super::cut::pieces;
use super::fission::{Fission, Part, fission};
use super::plan::{Class, always_assigned, mentioned};
use super::rotate::{copy, rotations};
use super::stride::Stride;
use super::usage::is_indexed;
use crate::mir::walk::{visit_exprs, visit_stmts};
use crate::mir::*;

/// Threads of a chunk: as many as there are 32-bit numbers in the widest vectors.
const CHUNK: i64 = 16;
/// A longer rail on a thread's stack stays where it is while a chunk works on it.
const LONGEST_COPY: i64 = 64;

/// How the threads of a run are counted.
pub(super) struct Turn<'s> {
    /// How many on the fastest axis take part.
    pub(super) count: &'s str,
    /// The counter of a loop that all step through together, and its label.
    stride: Option<(LocalId, LabelId)>,
}

impl Turn<'_> {
    /// All of a block.
    pub(super) fn of_block() -> Self {
        Turn { count: "n0_", stride: None }
    }
}

impl<'k> Printer<'_, '_, 'k> {
    /// A loop that all threads step through together.
    pub fn stride(&mut self, stride: &Stride<'k>) {
        let start = self.common(&stride.start);
        let (end, step) = (self.code.expr(stride.end), self.code.expr(stride.step));
        let past = if stride.inclusive { " + 1" } else { "" };
        self.code.out.open("{");
        self.code
            .out
            .line(format!("const apg_i64 start_ = (apg_i64)({start}), end_ = (apg_i64)({end}){past};"));
        self.code.out.line(format!("const apg_i64 step_ = (apg_i64)({step});"));
        self.code.out.open("for (apg_i64 at_ = start_; at_ < end_; at_ += step_) {");
        self.code.out.line("const apg_i64 turn_ = end_ - at_ < n0_ ? end_ - at_ : n0_;");
        for (data, by) in self.streams(stride) {
            self.code.out.line(format!("apg_soon({data}, at_ + step_{by}, turn_, step_);"));
        }
        let body: Vec<&Stmt> = stride.body.iter().collect();
        let turn = Turn { count: "turn_", stride: Some((stride.index, stride.label)) };
        self.threads(&turn, &body);
        self.code.out.close("}");
        self.code.out.close("}");
    }

    /// Statements for every thread of the block.
    pub fn run(&mut self, stmts: &[&'k Stmt]) {
        let (moved, stmts) = stmts.split_at(rotations(self.kernel, &self.plan.classes, stmts));
        for (to, from) in moved.iter().filter_map(|it| copy(self.kernel, &self.plan.classes, it)) {
            let (to, from) = (array(self.code, to), array(self.code, from));
            self.code.out.line(format!("apg_exchange({to}, {from});"));
        }
        self.threads(&Turn::of_block(), stmts);
        let mut returns = false;
        for stmt in stmts {
            visit_stmts(std::slice::from_ref(*stmt), &mut |it| {
                returns |= matches!(it.kind, StmtKind::Return(_));
            });
        }
        if self.plan.exits && returns {
            self.code.out.line("while (one_ < threads_ && ended_[one_]) ++one_;");
            self.code.out.line("if (one_ == threads_) goto block_end_;");
        }
    }

    /// The loops over the threads.
    fn threads(&mut self, turn: &Turn<'_>, stmts: &[&'k Stmt]) {
        let Some(found) = self.taken_apart(turn, stmts) else { return self.one_by_one(turn, stmts) };
        // A launch that the host does not find right is slow anyhow: it takes the form that is quick to compile.
        self.code.out.open("if constexpr (proven_) {");
        let guarded = self.may_cut(turn).then(|| guarded(self.plan, stmts)).flatten();
        if let Some(guarded) = &guarded {
            self.whole_block(turn, guarded);
        }
        self.chunks(turn, stmts, &found);
        if guarded.is_some() {
            self.code.out.close("}");
        }
        self.code.out.between("} else {");
        self.one_by_one(turn, stmts);
        self.code.out.close("}");
    }

    /// How a run is taken apart, if it is.
    pub(super) fn taken_apart(&self, turn: &Turn<'_>, stmts: &[&'k Stmt]) -> Option<Fission<'k>> {
        let continues = turn.stride.is_some_and(|(_, label)| {
            let mut found = false;
            for stmt in stmts {
                visit_stmts(std::slice::from_ref(*stmt), &mut |it| {
                    found |= matches!(it.kind, StmtKind::Continue(target) if target == label);
                });
            }
            found
        });
        let wide_enough = self.chunk().is_some();
        (wide_enough && !continues).then(|| fission(self.plan, stmts)).flatten()
    }

    /// Whether threads may be left out, and blocks asked as a whole.
    fn may_cut(&self, turn: &Turn<'_>) -> bool {
        turn.stride.is_none() && !self.plan.exits
    }

    fn one_by_one(&mut self, turn: &Turn<'_>, stmts: &[&'k Stmt]) {
        self.code.out.open("{");
        let around = self.read_ahead(stmts, &[]);
        let may_cut = self.may_cut(turn);
        let cut = may_cut.then(|| pieces(self.plan, stmts)).flatten();
        let guarded = (may_cut && cut.is_none()).then(|| guarded(self.plan, stmts)).flatten();
        if let Some(pieces) = &cut {
            // A function of its own, for labels are printed twice.
            self.code.out.open("if constexpr (proven_) { [&]() __attribute__((always_inline)) {");
            self.pieces(turn, pieces);
            self.code.out.close("}();");
            self.code.out.between("} else {");
        }
        if let Some(guarded) = &guarded {
            self.whole_block(turn, guarded);
        }
        self.rows(turn.count);
        let ended = if self.plan.exits { "ended_[r_] = true; " } else { "" };
        self.each_thread(turn, stmts, ended);
        self.code.out.close("}");
        self.code.out.close("}");
        if cut.is_some() || guarded.is_some() {
            self.code.out.close("}");
        }
        self.code.out.close("}");
        self.code.ahead = around;
        self.code.twins.clear();
    }

    /// What stands in a loop over threads.
    pub(super) fn each_thread(&mut self, turn: &Turn<'_>, stmts: &[&'k Stmt], ended: &str) {
        self.indices(turn);
        if self.plan.exits {
            self.code.out.line("if (ended_[r_]) continue;");
        }
        let mentioned = mentioned(stmts);
        self.declare_derived(&mentioned);
        self.declare_private(&mentioned, &|_| true);
        self.lane(turn, stmts, ended);
    }

    /// The heads of the loops over all threads; two scopes are open after them.
    pub(super) fn rows(&mut self, count: &str) {
        self.rows_of_block();
        self.lanes_pragma();
        self.code.out.open(format!("for (apg_i64 t0_ = 0; t0_ < {count}; ++t0_) {{"));
    }

    /// The heads of the loops over the rows of a block, and what a row begins with.
    pub(super) fn rows_of_block(&mut self) {
        for axis in (1..self.axes()).rev() {
            self.code.out.line(format!("for (apg_i64 t{axis}_ = 0; t{axis}_ < n{axis}_; ++t{axis}_)"));
        }
        self.code.out.open("{");
        if !self.row_begins.is_empty() {
            self.code.out.line(&self.row_begins);
        }
    }

    /// Reads elements that are the same for all threads once, in front of the loop over them: of rails that are this kernel's own and never
    /// stored to. A thread may not come to reading them, so nothing is read outside of the rail; what may be outside of it when a thread comes to it
    /// is left where it stands, and checked there. The result is what was read ahead before: what is read here has names in this scope only.
    pub(super) fn read_ahead(
        &mut self,
        stmts: &[&'k Stmt],
        uniform: &[LocalId],
    ) -> FxHashMap<*const Expr, Ahead> {
        let around = self.code.ahead.clone();
        let uniform: FxHashSet<LocalId> = uniform.iter().copied().collect();
        let mut found = Vec::new();
        for stmt in stmts {
            visit_exprs(std::slice::from_ref(*stmt), &mut |it, _| {
                if let ExprKind::Element { rail, index, .. } = &it.kind
                    && self.plan.is_uniform(it, &uniform)
                    && self.code.is_inside(index)
                {
                    found.push((rail, &**index, it.ty));
                }
            });
        }
        let mut names: Vec<(String, String)> = Vec::new();
        for (rail, index, ty) in found {
            let ExprKind::Local(local) = rail.kind else { continue };
            let Some(rail) = self.code.local(local).rail else { continue };
            let text = self.code.expr(index);
            let value = format!("apg_ahead({}, {}, (apg_i64)({text}))", rail.data, rail.length);
            let name = match names.iter().find(|it| it.0 == value) {
                Some((_, name)) => name.clone(),
                None => {
                    self.labels += 1;
                    let name = format!("ahead{}_", self.labels);
                    let ty = self.code.ty(ty);
                    self.code.out.line(format!("const {ty} {name} = {value};"));
                    names.push((value, name.clone()));
                    name
                }
            };
            self.code.ahead.insert(std::ptr::from_ref(index), Ahead { name, when: "proven_" });
        }
        around
    }

    pub(super) fn axes(&self) -> usize {
        self.kernel.thread_locals.len().clamp(1, 3)
    }

    /// How many threads make a chunk; none if the fastest axis has too few.
    pub(super) fn chunk(&self) -> Option<i64> {
        match self.kernel.host.threads.last().map(super::constant) {
            Some(Some(extent)) if extent < 4 => None,
            Some(Some(extent)) if extent < CHUNK => Some(extent),
            Some(Some(extent)) if extent % CHUNK != 0 && extent % (CHUNK / 2) == 0 => Some(CHUNK / 2),
            // As many as the host has it: one.
            Some(None) if self.kernel.auto_threads.is_some() => None,
            _ => Some(CHUNK),
        }
    }

    /// Declares the rank of a thread and its indices.
    pub(super) fn indices(&mut self, turn: &Turn<'_>) {
        let rank = match self.axes() {
            1 => "t0_",
            2 => "t1_ * n0_ + t0_",
            _ => "(t2_ * n1_ + t1_) * n0_ + t0_",
        };
        self.code.out.line(format!("const apg_i64 r_ = {rank}; (void)r_;"));
        let count = self.kernel.thread_locals.len();
        let mut all: Vec<(LocalId, String)> = Vec::new();
        for (position, local) in self.kernel.thread_locals.iter().enumerate() {
            all.push((*local, format!("t{}_", count - 1 - position)));
        }
        if let Some((index, _)) = turn.stride {
            all.push((index, "(at_ + t0_)".into()));
        }
        for (local, value) in all {
            let place = self.code.local(local);
            let ty = self.code.ty(place.ty);
            self.code.out.line(format!("const {ty} {} = ({ty}){value};", place.text));
            if place.ty == Ty::I32 {
                self.code.twins.insert(local);
                self.code.out.line(format!("const apg_i64 {}_w = {value};", place.text));
            }
        }
    }

    /// Declarations of the derived locals that are needed for others; with their forms of 64 bits where indices are printed.
    pub fn derived(&mut self, mentioned: &FxHashSet<LocalId>, twins: bool) -> Vec<String> {
        let mut lines = Vec::new();
        for derived in self.plan.needed(mentioned) {
            let place = self.code.local(derived.local);
            let ty = self.code.ty(place.ty);
            let value = self.code.expr(derived.value);
            let offset = if derived.has_offset { format!(" + {}_u", place.text) } else { String::new() };
            lines.push(format!("const {ty} {} = ({ty})({value}{offset});", place.text));
            if twins && matches!(place.ty, Ty::I32 | Ty::I64) {
                let wide = self.code.wide_value(derived.value);
                lines.push(format!("const apg_i64 {}_w = {wide}{offset};", place.text));
                self.code.twins.insert(derived.local);
            }
        }
        lines
    }

    pub(super) fn declare_derived(&mut self, mentioned: &FxHashSet<LocalId>) {
        for line in self.derived(mentioned, true) {
            self.code.out.line(line);
        }
    }

    /// Declares variables of one loop over threads.
    pub(super) fn declare_private(
        &mut self,
        mentioned: &FxHashSet<LocalId>,
        filter: &dyn Fn(LocalId) -> bool,
    ) {
        for (index, class) in self.plan.classes.iter().enumerate() {
            let local = LocalId(index as u32);
            if *class != Class::Private || !mentioned.contains(&local) || !filter(local) {
                continue;
            }
            self.code.declare(index..index + 1);
            let place = self.code.local(local);
            if matches!(place.ty, Ty::I32 | Ty::I64) && place.stack.is_none() {
                self.code.out.line(format!("apg_i64 {}_w;", place.text));
                self.code.twins.insert(local);
            }
        }
    }

    /// What one thread does, up to where it may jump.
    pub(super) fn lane(&mut self, turn: &Turn<'_>, stmts: &[&'k Stmt], ended: &str) {
        self.labels += 1;
        let label = format!("end{}_", self.labels);
        self.code.scopes.push(Scope::Threads { label: label.clone(), ended: ended.to_owned(), used: false });
        if let Some((_, label)) = turn.stride {
            let scope = Scope::Breakable { label, is_loop: true, break_used: false, continue_used: false };
            self.code.scopes.push(scope);
        }
        for stmt in stmts {
            self.code.stmt(stmt);
        }
        if let Some((_, label)) = turn.stride
            && let Some(Scope::Breakable { continue_used: true, .. }) = self.code.scopes.pop()
        {
            self.code.out.line(format!("n{}: ;", label.0));
        }
        if let Some(Scope::Threads { used: true, .. }) = self.code.scopes.pop() {
            self.code.out.line(format!("{label}: ;"));
        }
    }

    /// A run that is taken apart.
    pub(super) fn chunks(&mut self, turn: &Turn<'_>, stmts: &[&'k Stmt], found: &Fission<'k>) {
        self.labels += 1;
        let number = self.labels;
        self.rows_of_block();
        self.code.out.open(format!(
            "const auto chunk{number}_ = [&]<int full_>(const apg_i64 c0_, const int rest_) __attribute__((always_inline)) {{"
        ));
        self.code.out.line("const int lanes_ = full_ ? full_ : rest_;");
        for local in &found.uniform {
            self.code.declare(local.index()..local.index() + 1);
        }
        let mut chunk =
            Chunk { turn, arrays: Vec::new(), uniform: &found.uniform, guard: Vec::new(), ends: found.ends };
        if found.ends {
            self.code.out.line(format!("bool live_[{CHUNK}];"));
            let live = if self.plan.exits { "!ended_[r_]" } else { "true" };
            self.each(&chunk, |printer| printer.code.out.line(format!("live_[l_] = {live};")));
            chunk.guard.push("live_[l_]".to_owned());
        } else if self.plan.exits {
            chunk.guard.push("!ended_[r_]".to_owned());
        }
        for local in &found.arrays {
            self.enter(&mut chunk, *local, stmts);
        }
        self.parts(&mut chunk, &found.parts);
        self.leave(&chunk, stmts);
        self.code.out.close("};");
        let size = self.chunk().unwrap_or(CHUNK);
        let count = turn.count;
        self.code.out.line("apg_i64 c0_ = 0;");
        self.code.out.line(format!(
            "for (; c0_ + {size} <= {count}; c0_ += {size}) chunk{number}_.template operator()<{size}>(c0_, 0);"
        ));
        let extent = self.kernel.host.threads.last().and_then(super::constant);
        if turn.stride.is_none() && extent.is_some_and(|it| it % size == 0) {
            self.code.out.close("}");
            return;
        }
        self.code.out.line(format!(
            "if (c0_ < {count}) chunk{number}_.template operator()<0>(c0_, (int)({count} - c0_));"
        ));
        self.code.out.close("}");
    }

    /// In front of a loop over threads: what they do does not depend on each other. And the loop stays one until it has been
    /// vectorised: compilers unroll short loops of known length first, and then find nothing to vectorise.
    pub(super) fn lanes_pragma(&mut self) {
        self.code.out.line("#pragma GCC ivdep");
        self.code.out.line("#pragma GCC unroll 1");
    }

    /// A loop over the threads of a chunk.
    fn each(&mut self, chunk: &Chunk<'_>, body: impl FnOnce(&mut Self)) {
        self.lanes_pragma();
        self.code.out.open("for (int l_ = 0; l_ < lanes_; ++l_) {");
        self.code.out.line("const apg_i64 t0_ = c0_ + l_;");
        self.indices(chunk.turn);
        body(self);
        self.code.out.close("}");
        self.code.twins.clear();
    }

    /// Makes an array of a local, with the values of the threads if it comes from outside.
    fn enter(&mut self, chunk: &mut Chunk<'_>, local: LocalId, stmts: &[&Stmt]) {
        let place = self.code.local(local);
        let spilled = self.plan.classes[local.index()] == Class::Spilled;
        let name = place.text.trim_end_matches("_[r_]").to_owned();
        if let Some((element, length)) = place.stack {
            if spilled && (length > LONGEST_COPY || !is_indexed(self.kernel, local)) {
                return;
            }
            let ty = self.code.ty(element);
            self.code.out.line(format!("{ty} {name}_a[{}];", length.max(1) * CHUNK));
            let lane = is_indexed(self.kernel, local).then(|| (CHUNK.to_string(), "l_".to_owned()));
            let data =
                if lane.is_some() { format!("{name}_a") } else { format!("({name}_a + l_ * {length})") };
            let rail = RailText { data, length: format!("{length}LL"), lane };
            if let (true, Some(from)) = (spilled, &place.rail) {
                let line = format!("{} = {};", rail.element("i_"), from.element("i_"));
                self.elements(chunk, length, line);
            }
            self.code.locals[local.index()].rail = Some(rail);
        } else {
            let ty = self.code.ty(place.ty);
            self.code.out.line(format!("{ty} {name}_a[{CHUNK}];"));
            if spilled && !always_assigned(stmts.iter().copied(), local) {
                self.each(chunk, |printer| printer.code.out.line(format!("{name}_a[l_] = {};", place.text)));
            }
            self.code.locals[local.index()].text = name;
        }
        chunk.arrays.push((local, place));
    }

    fn elements(&mut self, chunk: &Chunk<'_>, length: i64, line: String) {
        self.code.out.open(format!("for (int i_ = 0; i_ < {length}; ++i_) {{"));
        self.each(chunk, |printer| printer.code.out.line(line));
        self.code.out.close("}");
    }

    /// Gives the values of arrays back.
    fn leave(&mut self, chunk: &Chunk<'_>, stmts: &[&Stmt]) {
        for (local, outer) in &chunk.arrays {
            let inner = std::mem::replace(&mut self.code.locals[local.index()], outer.clone());
            if self.plan.classes[local.index()] != Class::Spilled || !is_assigned(stmts, *local) {
                continue;
            }
            match (outer.stack, &outer.rail, &inner.rail) {
                (Some((_, length)), Some(to), Some(from)) => {
                    let line = format!("{} = {};", to.element("i_"), from.element("i_"));
                    self.elements(chunk, length, line);
                }
                _ => self.each(chunk, |printer| {
                    printer.code.out.line(format!("{} = {}_a[l_];", outer.text, inner.text));
                }),
            }
        }
    }

    fn parts(&mut self, chunk: &mut Chunk<'_>, parts: &[Part<'k>]) {
        for part in parts {
            match part {
                Part::Lanes(stmts) => self.lanes(chunk, stmts),
                Part::Uniform(stmt) => self.code.stmt(stmt),
                Part::If(stmt, then, otherwise) => {
                    let StmtKind::If { condition, .. } = &stmt.kind else { continue };
                    self.code.at(stmt.position);
                    let condition = self.code.expr(condition);
                    self.code.out.open(format!("if ({condition}) {{"));
                    self.parts(chunk, then);
                    if !otherwise.is_empty() {
                        self.code.out.between("} else {");
                        self.parts(chunk, otherwise);
                    }
                    self.code.out.close("}");
                }
                Part::Loop(stmt, body, update) => self.turns(chunk, stmt, body, update),
                Part::Masked(stmt, then, otherwise) => self.masked(chunk, stmt, then, otherwise),
            }
        }
    }

    fn turns(&mut self, chunk: &mut Chunk<'_>, stmt: &Stmt, body: &[Part<'k>], update: &[Part<'k>]) {
        let StmtKind::Loop { condition, unroll, test_last, .. } = &stmt.kind else { return };
        self.code.at(stmt.position);
        let condition = self.code.expr(condition);
        if let Some(count) = unroll {
            self.code.out.line(format!("#pragma GCC unroll {count}"));
        }
        self.code.out.open(if *test_last { "do {".to_owned() } else { format!("while ({condition}) {{") });
        self.parts(chunk, body);
        self.parts(chunk, update);
        self.code.out.close(if *test_last { format!("}} while ({condition});") } else { "}".to_owned() });
    }

    /// Statements for each thread of a chunk. Values come from arrays and go back there, whether the thread takes part or not, so
    /// that nothing but the statements depends on that.
    fn lanes(&mut self, chunk: &Chunk<'_>, stmts: &[&'k Stmt]) {
        let mentioned = mentioned(stmts);
        let around = self.read_ahead(stmts, chunk.uniform);
        self.each(chunk, |printer| {
            printer.declare_derived(&mentioned);
            printer.declare_private(&mentioned, &|it| {
                !chunk.uniform.contains(&it) && !chunk.arrays.iter().any(|(array, _)| *array == it)
            });
            let used: Vec<LocalId> =
                chunk.arrays.iter().map(|it| it.0).filter(|it| mentioned.contains(it)).collect();
            for local in &used {
                let place = printer.code.local(*local);
                if place.stack.is_none() {
                    let ty = printer.code.ty(place.ty);
                    printer.code.out.line(format!("{ty} {0} = {0}_a[l_];", place.text));
                }
            }
            let guard = chunk.guard.join(" && ");
            printer.code.out.open(if guard.is_empty() { "{".into() } else { format!("if ({guard}) {{") });
            let ended = match (chunk.ends, printer.plan.exits) {
                (true, true) => "live_[l_] = false; ended_[r_] = true; ",
                (true, false) => "live_[l_] = false; ",
                _ => "",
            };
            printer.lane(chunk.turn, stmts, ended);
            printer.code.out.close("}");
            for local in &used {
                let place = printer.code.local(*local);
                if place.stack.is_none() && is_assigned(stmts, *local) {
                    printer.code.out.line(format!("{0}_a[l_] = {0};", place.text));
                }
            }
        });
        self.code.ahead = around;
    }

    /// A branch that each thread takes for itself.
    fn masked(&mut self, chunk: &mut Chunk<'_>, stmt: &'k Stmt, then: &[Part<'k>], otherwise: &[Part<'k>]) {
        let StmtKind::If { condition, .. } = &stmt.kind else { return };
        self.labels += 1;
        let number = self.labels;
        let guard = if chunk.guard.is_empty() { "true".to_owned() } else { chunk.guard.join(" && ") };
        self.code.out.line(format!("bool mask{number}_[{CHUNK}], rest{number}_[{CHUNK}];"));
        self.code.out.line(format!("bool some{number}_ = false, others{number}_ = false;"));
        let mut mentioned = FxHashSet::default();
        walk::visit_expr(condition, None, &mut |it, _| {
            if let ExprKind::Local(local) = it.kind {
                mentioned.insert(local);
            }
        });
        let arrays: Vec<LocalId> =
            chunk.arrays.iter().map(|it| it.0).filter(|it| mentioned.contains(it)).collect();
        self.each(chunk, |printer| {
            printer.declare_derived(&mentioned);
            for local in arrays {
                let place = printer.code.local(local);
                if place.stack.is_none() {
                    let ty = printer.code.ty(place.ty);
                    printer.code.out.line(format!("const {ty} {0} = {0}_a[l_];", place.text));
                }
            }
            printer.code.at(stmt.position);
            let condition = printer.code.expr(condition);
            printer.code.out.line(format!("const bool in_ = {guard}, on_ = in_ && {condition};"));
            printer.code.out.line(format!("mask{number}_[l_] = on_; rest{number}_[l_] = in_ && !on_;"));
            printer.code.out.line(format!("some{number}_ |= on_; others{number}_ |= in_ && !on_;"));
        });
        for (name, any, parts) in [("mask", "some", then), ("rest", "others", otherwise)] {
            if parts.is_empty() {
                continue;
            }
            self.code.out.open(format!("if ({any}{number}_) {{"));
            chunk.guard.push(format!("{name}{number}_[l_]"));
            self.parts(chunk, parts);
            chunk.guard.pop();
            self.code.out.close("}");
        }
    }
}

/// What holds where parts of a run are printed.
struct Chunk<'s> {
    turn: &'s Turn<'s>,
    /// Locals with an array, as they were before.
    arrays: Vec<(LocalId, super::super::code::Place)>,
    /// Locals with one value for all.
    uniform: &'s [LocalId],
    /// Which threads take part.
    guard: Vec<String>,
    /// A thread may end.
    ends: bool,
}

fn is_assigned(stmts: &[&Stmt], local: LocalId) -> bool {
    let mut found = false;
    for stmt in stmts {
        let list = std::slice::from_ref(*stmt);
        visit_stmts(list, &mut |it| {
            found |= match &it.kind {
                StmtKind::Set { local: id, .. } | StmtKind::SetStructField { local: id, .. } => *id == local,
                StmtKind::SetElement { rail, .. } => matches!(rail.kind, ExprKind::Local(id) if id == local),
                _ => false,
            };
        });
        visit_exprs(list, &mut |it, _| {
            found |= matches!(&it.kind, ExprKind::Atomic { rail, .. } if matches!(rail.kind, ExprKind::Local(id) if id == local));
        });
    }
    found
}
