//! Rows read as columns. Where each thread of a chunk goes through elements of its own, one after the other (a row of a matrix, the coordinates of a
//! point), what the threads read in a turn lies far apart, and a vector of it is gathered element by element. What they read in several turns is a
//! tile, and a line of memory in each of its rows: it is read as it lies and transposed in registers, and each turn then has its vector. A thread
//! adds up in the order that the program says.

use rustc_hash::FxHashSet;

use super::super::code::PreloadedElement;
use super::access_stride::factor;
use super::access_summary::{Usage, is_rail_like};
use super::cpu::Printer;
use super::grid_stride::bound;
use super::loop_fission::{Part, has_loop};
use super::regions::Plan;
use super::rematerialize::is_step;
use super::simd_chunks::{CHUNK, Chunk};
use super::unswitch::is_total;
use apg_mir::walk::{children, operands, visit_expr, visit_exprs, visit_stmts};
use apg_mir::*;

/// Elements of a captured rail, of which a thread reads the next in each turn of a loop.
struct Row<'k> {
    rail: LocalId,
    index: &'k Expr,
    ty: Ty,
}

/// How a loop counts its turns, one at a time.
struct Count<'k> {
    counter: LocalId,
    end: &'k Expr,
    ends: Ends,
}

/// When a loop ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// The counter stays below its end,
    Below,
    /// or at most reaches it,
    UpTo,
    /// or is asked at the end of a turn whether it is there.
    There,
}

/// A loop whose threads read such rows.
pub(super) struct Rows<'k> {
    count: Count<'k>,
    rows: Vec<Row<'k>>,
    /// Values of locals that a turn assigns, of which indices are made.
    values: Vec<(LocalId, &'k Expr)>,
}

impl<'k> Printer<'_, '_, 'k> {
    /// The rows that the threads of a chunk read in a loop, if what they read may be read some turns before.
    pub(super) fn rows_read(
        &self,
        chunk: &Chunk<'_>,
        stmt: &'k Stmt,
        parts: &[Part<'k>],
    ) -> Option<Rows<'k>> {
        let StmtKind::Loop { body, update, .. } = &stmt.kind else { return None };
        if self.chunk() != Some(CHUNK) || chunk.threads() != CHUNK || stores(self.plan, body) {
            return None;
        }
        // The turns are printed twice, with all loops in them: around loops that would double at each level.
        if parts.iter().any(has_loop) {
            return None;
        }
        let count = count(stmt)?;
        let mut assigned = assigned(body);
        if assigned.contains(&count.counter) {
            return None;
        }
        assigned.extend(self::assigned(update));
        let is_fixed = is_total(count.end) && !mentions_any(count.end, &assigned);
        let is_short = super::constant(count.end).is_some_and(|it| it < CHUNK);
        if !is_fixed || is_short || !chunk.uniform.contains(&count.counter) {
            return None;
        }
        let mut found = Rows { count, rows: Vec::new(), values: Vec::new() };
        for part in parts {
            match part {
                Part::Lanes(stmts) => {
                    stmts.iter().for_each(|it| self.rows_of(chunk, it, &assigned, &mut found))
                }
                Part::Uniform(stmt) => found.name(self.plan, stmt, &assigned),
                _ => {}
            }
        }
        (!found.rows.is_empty()).then_some(found)
    }

    /// What a statement of a turn reads of rows, whatever else is so.
    fn rows_of(
        &self,
        chunk: &Chunk<'_>,
        stmt: &'k Stmt,
        assigned: &FxHashSet<LocalId>,
        found: &mut Rows<'k>,
    ) {
        let kernel = self.kernel;
        let uniform: FxHashSet<LocalId> = chunk.uniform.iter().copied().collect();
        let (usage, fastest) = (Usage::of(kernel), kernel.thread_locals.last().copied());
        let mut read = |expr: &'k Expr| {
            let ExprKind::Element { rail, index, .. } = &expr.kind else { return };
            let (ExprKind::Local(rail), Some(fastest)) = (&rail.kind, fastest) else { return };
            let is_captured = rail.index() < kernel.captures.len() && usage.is_only_read(*rail);
            let is_exact = self.code.wide.contains(&std::ptr::from_ref(&**index));
            let apart = factor(self.plan, &uniform, fastest, index);
            if is_captured
                && is_exact
                && is_number(expr.ty)
                && self.code.is_inside(index)
                && apart.is_none_or(|it| it.abs() > 1)
                && found.growth(index, assigned) == Some(1)
            {
                found.rows.push(Row { rail: *rail, index, ty: expr.ty });
            }
        };
        if let StmtKind::Set { .. } | StmtKind::SetElement { .. } | StmtKind::If { .. } = stmt.kind {
            operands(&stmt.kind).into_iter().for_each(|it| always(it, &mut read));
        }
        found.name(self.plan, stmt, assigned);
    }

    /// Turns of a loop whose rows are read as tiles. For the last ones, if `flag` says that there were others, the tile begins with turns that are done.
    /// What stands after it is done one turn at a time.
    pub(super) fn tiles(
        &mut self,
        chunk: &mut Chunk<'_>,
        (rows, flag): (&Rows<'k>, &str),
        body: &[Part<'k>],
        update: &[Part<'k>],
    ) {
        let Count { counter, end, ends } = rows.count;
        let (counter, end) = (self.code.local(counter), self.code.expr(end));
        self.labels += 1;
        let number = self.labels;
        self.code.out.open(format!("if constexpr (full_ == {CHUNK}) {{"));
        // Its own labels, which are printed twice; and what is done for a whole tile is compiled for its length.
        self.code.out.open(format!(
            "const auto tile{number}_ = [&](const int done_) __attribute__((always_inline)) {{"
        ));
        let around = self.code.preloaded.clone();
        let mut names: Vec<(String, String)> = Vec::new();
        for row in &rows.rows {
            let name = self.tile(chunk, rows, row, &mut names);
            let name = format!("{name}[turn{number}_ * {CHUNK} + l_]");
            self.code
                .preloaded
                .insert(std::ptr::from_ref(row.index), PreloadedElement { name, when: "proven_" });
        }
        self.code
            .out
            .open(format!("for (int turn{number}_ = done_; turn{number}_ < {CHUNK}; ++turn{number}_) {{"));
        self.parts(chunk, body);
        self.parts(chunk, update);
        self.code.out.close("}");
        self.code.preloaded = around;
        self.code.out.close("};");
        // What is left after this turn; a counter that wraps comes to its end as well.
        let unsigned = if counter.ty == Ty::I32 && ends == Ends::There { "apg_u32" } else { "apg_u64" };
        let after = if ends == Ends::UpTo { "" } else { " - 1" };
        let value = |it: &str| format!("({unsigned})(apg_i64)({it})");
        let (end, counter) = (value(&end), value(&counter.text));
        self.code.out.line(format!("const {unsigned} left_ = {end} - {counter}{after};"));
        let last = CHUNK - 1;
        self.code.out.line(format!("if (left_ >= {last}) {{ tile{number}_(0); {flag} = true; continue; }}"));
        self.code.out.line(format!("if ({flag}) {{ tile{number}_({last} - (int)left_); continue; }}"));
        self.code.out.close("}");
    }

    /// Reads a tile, if that has not been done; its name.
    fn tile(
        &mut self,
        chunk: &Chunk<'_>,
        all: &Rows<'k>,
        row: &Row<'k>,
        names: &mut Vec<(String, String)>,
    ) -> String {
        let mut locals = locals(row.index);
        for (local, value) in all.values.iter().rev() {
            if locals.contains(local) {
                locals.extend(self::locals(value));
            }
        }
        let data = self.code.local(row.rail).rail.map(|it| it.data).unwrap_or_default();
        let ty = self.code.ty(row.ty);
        let index = self.code.wide_value(row.index);
        let address = format!("{data} + {index} - done_");
        if let Some((_, name)) = names.iter().find(|it| it.0 == address) {
            return name.clone();
        }
        self.labels += 1;
        let name = format!("tile{}_", self.labels);
        self.code.out.line(format!("alignas(64) {ty} {name}[{CHUNK} * {CHUNK}];"));
        self.code.out.line(format!("const {ty} *{name}rows_[{CHUNK}];"));
        let guard = chunk.guard.join(" && ");
        let named: Vec<_> = all.values.iter().filter(|it| locals.contains(&it.0)).collect();
        // What an array has of a local that the turn assigns is the value of the turn before.
        let kept: FxHashSet<LocalId> =
            locals.iter().copied().filter(|it| !named.iter().any(|named| named.0 == *it)).collect();
        self.each(chunk, |printer| {
            printer.declare_derived(&locals);
            printer.declare_arrays(chunk, &kept);
            for (local, value) in named {
                printer.declare_value(*local, value);
            }
            // With what is declared here the text is another one.
            let address = format!("{data} + {} - done_", printer.code.wide_value(row.index));
            let line = match guard.is_empty() {
                true => format!("{name}rows_[l_] = {address};"),
                false => format!("{name}rows_[l_] = {guard} ? {address} : (const {ty} *)apg_no_row;"),
            };
            printer.code.out.line(line);
        });
        self.code.out.line(format!("apg_transpose({name}rows_, {name});"));
        names.push((address, name.clone()));
        name
    }

    /// Declares a local that has its value before the turn that assigns it.
    fn declare_value(&mut self, local: LocalId, value: &Expr) {
        let place = self.code.local(local);
        let (ty, text, wide) = (self.code.ty(place.ty), self.code.expr(value), self.code.wide_value(value));
        self.code.out.line(format!("const {ty} {0} = {text}; const apg_i64 {0}_w = {wide};", place.text));
        self.code.widened_locals.insert(local);
    }
}

impl<'k> Rows<'k> {
    /// Keeps the value of a local that has no other.
    fn name(&mut self, plan: &Plan<'k>, stmt: &'k Stmt, assigned: &FxHashSet<LocalId>) {
        if let StmtKind::Set { local, value } = &stmt.kind
            && matches!(value.ty, Ty::I32 | Ty::I64)
            && plan.is_assigned_once(*local)
            && self.growth(value, assigned).is_some()
        {
            self.values.push((*local, value));
        }
    }

    /// What an index grows by when the counter is one more, if all else that it is made of stays as it is.
    fn growth(&self, expr: &Expr, assigned: &FxHashSet<LocalId>) -> Option<i64> {
        let of = |expr: &Expr| self.growth(expr, assigned);
        match &expr.kind {
            ExprKind::Int(_) => Some(0),
            ExprKind::Local(local) if *local == self.count.counter => Some(1),
            ExprKind::Local(local) => match self.values.iter().find(|it| it.0 == *local) {
                Some((_, value)) => of(value),
                None => (!assigned.contains(local)).then_some(0),
            },
            ExprKind::Operation { operation, args } => match (operation, args.as_slice()) {
                (Operation::Convert, [value]) => of(value),
                (Operation::Add, [a, b]) => of(a)?.checked_add(of(b)?),
                (Operation::Sub, [a, b]) => of(a)?.checked_sub(of(b)?),
                (Operation::Mul, [a, b]) => match (super::constant(a), super::constant(b), of(a)?, of(b)?) {
                    (_, _, 0, 0) => Some(0),
                    (Some(number), _, _, grows) | (_, Some(number), grows, _) => grows.checked_mul(number),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }
}

/// How a loop counts, if that is by one.
fn count(stmt: &Stmt) -> Option<Count<'_>> {
    let StmtKind::Loop { condition, update, post_tested, .. } = &stmt.kind else { return None };
    let (counter, end, ends) = match (post_tested, &condition.kind) {
        (false, _) => bound(condition).map(|it| (it.0, it.1, if it.2 { Ends::UpTo } else { Ends::Below }))?,
        (true, ExprKind::Operation { operation: Operation::Ne, args }) => match args.as_slice() {
            [Expr { kind: ExprKind::Local(counter), .. }, end] => (*counter, end, Ends::There),
            _ => return None,
        },
        _ => return None,
    };
    let [Stmt { kind: StmtKind::Set { local, value }, .. }] = update.as_slice() else { return None };
    let (by, minus) = is_step(value, counter)?;
    let is_one = *local == counter && !minus && super::constant(by) == Some(1);
    (is_one && matches!(value.ty, Ty::I32 | Ty::I64)).then_some(Count { counter, end, ends })
}

/// Whether statements store to memory that may be that of a captured rail: two may be the same.
fn stores(plan: &Plan<'_>, body: &[Stmt]) -> bool {
    let is_own = |rail: &Expr| matches!(rail.kind, ExprKind::Local(local) if local.index() >= plan.kernel().captures.len());
    let mut found = false;
    visit_stmts(body, &mut |it| {
        found |= matches!(&it.kind, StmtKind::SetElement { rail, .. } if !is_own(rail));
    });
    visit_exprs(body, &mut |it, _| {
        found |= match &it.kind {
            ExprKind::Atomic { rail, .. } => !is_own(rail),
            ExprKind::Call { args, .. } => args.iter().any(is_rail_like),
            // A fence: what others store is to be seen behind it.
            ExprKind::Runtime { .. } => true,
            _ => false,
        }
    });
    found
}

fn assigned(body: &[Stmt]) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    visit_stmts(body, &mut |it| {
        if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } = &it.kind {
            found.insert(*local);
        }
    });
    found
}

fn mentions_any(expr: &Expr, all: &FxHashSet<LocalId>) -> bool {
    !locals(expr).is_disjoint(all)
}

/// Locals that an expression mentions.
fn locals(expr: &Expr) -> FxHashSet<LocalId> {
    let mut found = FxHashSet::default();
    visit_expr(expr, None, &mut |it, _| {
        if let ExprKind::Local(local) = it.kind {
            found.insert(local);
        }
    });
    found
}

/// Calls `f` with all parts of an expression that are evaluated whenever it is.
fn always<'k>(expr: &'k Expr, f: &mut dyn FnMut(&'k Expr)) {
    f(expr);
    match &expr.kind {
        ExprKind::And(first, _) | ExprKind::Or(first, _) => always(first, f),
        ExprKind::Select { condition, .. } => always(condition, f),
        kind => children(kind).into_iter().for_each(|it| always(it, f)),
    }
}

/// Numbers of which a line of memory has at most as many as a tile is wide.
fn is_number(ty: Ty) -> bool {
    matches!(ty, Ty::I32 | Ty::U32 | Ty::F32 | Ty::I64 | Ty::U64 | Ty::F64)
}
