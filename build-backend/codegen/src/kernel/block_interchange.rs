//! Loop interchange of the block loop and the row loop (Allen and Kennedy, *Optimizing Compilers for Modern
//! Architectures*).
//!
//! Precondition: threads neither synchronise nor share memory, so that the order of blocks is free. A CPU
//! then runs the first rows of a strip of adjacent blocks, then their second rows, and so on: memory is
//! accessed in order, whole cache lines and pages at a time.

use rustc_hash::FxHashSet;

use super::cpu::{Printer, declare_block_indices};
use super::index_set_split::split_by_guards;
use super::regions::{RegionNode, RegionTree, Storage};
use super::unswitch::{
    GuardedBody, MAX_COEFFICIENT, count_widened_values, find_single_guard, is_total, single_value,
};
use super::workitem_loop::ThreadRange;
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// A kernel whose blocks are interchanged with rows.
pub struct BlockInterchange<'a> {
    /// Assignments of block-uniform locals.
    uniform: Vec<&'a Stmt>,
    /// Statements of each thread.
    stmts: Vec<&'a Stmt>,
    /// The guard, evaluated once per strip, with the coefficients of its sides from block to block.
    guard: Option<(GuardedBody<'a>, Vec<i64>)>,
}

/// Whether a kernel's blocks can be interchanged with rows.
pub fn find_block_interchange<'a>(tree: &RegionTree<'a>) -> Option<BlockInterchange<'a>> {
    let kernel = tree.kernel();
    let alone = kernel.shared.is_empty() && !tree.storage.contains(&Storage::ContextArray);
    if !alone || kernel.thread_locals.len() < 2 {
        return None;
    }
    let (mut uniform, mut stmts) = (Vec::new(), Vec::new());
    for node in &tree.nodes {
        match node {
            // It is evaluated for each row of a block, and at each corner.
            RegionNode::Uniform(stmt) if stmts.is_empty() && is_cheap_assignment(stmt) => uniform.push(*stmt),
            RegionNode::Parallel(run) if stmts.is_empty() => stmts = run.clone(),
            _ => return None,
        }
    }
    // Threads with loops have an access order of their own.
    if stmts.is_empty() || stmts.iter().any(|it| scans_memory(it)) || has_long_row_stride(tree, &stmts) {
        return None;
    }
    let Some(guarded) = find_single_guard(tree, &stmts) else {
        return split_by_guards(tree, &stmts).is_none().then_some(BlockInterchange {
            uniform,
            stmts,
            guard: None,
        });
    };
    let is_fixed = |it: &Expr| {
        block_coefficient(tree, &uniform, it) == Some(0) && tree.is_uniform(it, &FxHashSet::default())
    };
    let sides = guarded.comparisons.iter().flat_map(|it| it.sides);
    let coefficients: Option<Vec<i64>> = sides
        .map(|it| {
            block_coefficient(tree, &uniform, it).filter(|grows| {
                grows.abs() <= MAX_COEFFICIENT && count_widened_values(tree, &uniform, &is_fixed, it) < 2
            })
        })
        .collect();
    let stmts = guarded.then.clone();
    split_by_guards(tree, &stmts).is_none().then_some(())?;
    Some(BlockInterchange { uniform, stmts, guard: Some((guarded, coefficients?)) })
}

/// Whether an assignment is total arithmetic.
fn is_cheap_assignment(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Set { value, .. } if is_total(value))
}

/// Whether a statement has a loop, or calls a function that gets a rail.
fn scans_memory(stmt: &Stmt) -> bool {
    let list = std::slice::from_ref(stmt);
    let mut found = false;
    visit_stmts(list, &mut |it| found |= matches!(it.kind, StmtKind::Loop { .. }));
    visit_exprs(list, &mut |it, _| {
        if let ExprKind::Call { args, .. } = &it.kind {
            found |= args.iter().any(super::access_summary::is_rail_like);
        }
    });
    found
}

/// Whether adjacent threads of a row access distant elements: a row through many blocks would then be a
/// column in memory.
fn has_long_row_stride(tree: &RegionTree<'_>, stmts: &[&Stmt]) -> bool {
    let Some(fastest) = tree.kernel().thread_locals.last() else { return true };
    let mut moving = FxHashSet::from_iter([*fastest]);
    let mut values: Vec<(LocalId, &Expr)> =
        tree.rematerialized.iter().map(|it| (it.local, it.value)).collect();
    let mut indices: Vec<&Expr> = Vec::new();
    for stmt in stmts {
        let list = std::slice::from_ref(*stmt);
        visit_stmts(list, &mut |it| match &it.kind {
            StmtKind::Set { local, value } if matches!(value.ty, Ty::I32 | Ty::I64) => {
                values.push((*local, value))
            }
            StmtKind::SetElement { index, .. } => indices.push(index),
            _ => {}
        });
        visit_exprs(list, &mut |it, _| {
            if let ExprKind::Element { index, .. } | ExprKind::Atomic { index, .. } = &it.kind {
                indices.push(index);
            }
        });
    }
    loop {
        let before = moving.len();
        let found: Vec<LocalId> =
            values.iter().filter(|it| depends_on(it.1, &moving)).map(|it| it.0).collect();
        moving.extend(found);
        if moving.len() == before {
            break;
        }
    }
    let values = values.iter().map(|it| it.1);
    values.chain(indices).any(|it| multiplies_any(it, &moving))
}

/// Whether a value is computed from these locals, not counting values loaded from memory.
fn depends_on(expr: &Expr, locals: &FxHashSet<LocalId>) -> bool {
    match &expr.kind {
        ExprKind::Element { .. } => false,
        ExprKind::Local(local) => locals.contains(local),
        kind => walk::children(kind).into_iter().any(|it| depends_on(it, locals)),
    }
}

/// Whether an expression multiplies one of these locals.
fn multiplies_any(expr: &Expr, locals: &FxHashSet<LocalId>) -> bool {
    match &expr.kind {
        ExprKind::Element { .. } => false,
        ExprKind::Operation { operation: Operation::Mul | Operation::Shl, args }
            if args.iter().any(|it| depends_on(it, locals)) =>
        {
            true
        }
        kind => walk::children(kind).into_iter().any(|it| multiplies_any(it, locals)),
    }
}

/// Coefficient of the block index of the fastest axis.
fn block_coefficient(tree: &RegionTree<'_>, uniform: &[&Stmt], expr: &Expr) -> Option<i64> {
    let kernel = tree.kernel();
    let of = |expr: &Expr| block_coefficient(tree, uniform, expr);
    match &expr.kind {
        ExprKind::Int(_) => Some(0),
        ExprKind::Local(local) if kernel.block_locals.last() == Some(local) => Some(1),
        ExprKind::Local(local) => {
            let given = local.index() < kernel.captures.len()
                || kernel.block_locals.contains(local)
                || kernel.thread_locals.contains(local);
            if given {
                return Some(0);
            }
            let derived = tree.rematerialized.iter().find(|it| it.local == *local).map(|it| it.value);
            of(derived.or_else(|| single_value(uniform, *local))?)
        }
        ExprKind::StructField { value, .. } => of(value),
        ExprKind::Length { rail, .. } => of(rail),
        ExprKind::Operation { operation, args } => match (operation, args.as_slice()) {
            (Operation::Convert, [value]) => of(value),
            (Operation::Add, [a, b]) => of(a)?.checked_add(of(b)?),
            (Operation::Sub, [a, b]) => of(a)?.checked_sub(of(b)?),
            (Operation::Mul, [a, b]) => match (super::constant(a), super::constant(b), of(a)?, of(b)?) {
                (_, _, 0, 0) => Some(0),
                (Some(number), _, _, other) | (_, Some(number), other, _) => other.checked_mul(number),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

impl<'k> Printer<'_, '_, 'k> {
    /// Opens the loop over blocks and prints the strips. The body that follows runs blocks `strip_` to
    /// `next_` one by one.
    pub fn open_block_strips(&mut self, interchange: &BlockInterchange<'k>) {
        self.code.out.open("for (apg_i64 strip_ = first_, next_; strip_ < last_; strip_ = next_) {");
        self.code.out.line("next_ = strip_ + 1;");
        self.code.out.open("if constexpr (proven_) {");
        self.code.out.line("const apg_i64 row_ = launch_->blocks[0], x_ = strip_ % row_, y_ = strip_ / row_ % launch_->blocks[1], z_ = strip_ / row_ / launch_->blocks[1];");
        self.code.out.line("(void)y_; (void)z_;");
        self.code.out.line("const apg_i64 left_ = apg_below(last_ - strip_, row_ - x_);");
        match &interchange.guard {
            None => {
                self.code.out.line("const apg_i64 count_ = apg_strip(left_, [](apg_i64) { return true; });")
            }
            Some((guarded, coefficients)) => self.print_strip_length(interchange, guarded, coefficients),
        }
        self.code.out.open("if (count_ > 1) {");
        self.code.out.line("next_ = strip_ + count_;");
        // A lambda: labels are printed twice.
        self.code.out.open("[&]() __attribute__((always_inline)) {");
        for axis in (1..self.axis_count()).rev() {
            self.code.out.line(format!("for (apg_i64 t{axis}_ = 0; t{axis}_ < n{axis}_; ++t{axis}_)"));
        }
        self.code.out.open("for (apg_i64 block_ = strip_; block_ < next_; ++block_) {");
        self.declare_strip_block(interchange);
        let around = self.preload_uniform_elements(&interchange.stmts, &[]);
        let range = ThreadRange::of_block();
        self.open_lane_loop("0", range.count, 1);
        self.print_thread_body(&range, &interchange.stmts);
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
    fn declare_strip_block(&mut self, interchange: &BlockInterchange<'k>) {
        self.code.out.line("const apg_i64 r_ = 0; (void)r_;");
        declare_block_indices(self.code, self.kernel, ["(x_ + (block_ - strip_))", "y_", "z_"]);
        for (index, class) in self.tree.storage.iter().enumerate() {
            if *class == Storage::Uniform {
                self.code.declare(index..index + 1);
            }
        }
        for stmt in &interchange.uniform {
            self.code.stmt(stmt);
        }
    }

    /// Prints the number of adjacent blocks that pass the guard as a whole: the block is one more axis of the
    /// corners.
    fn print_strip_length(
        &mut self,
        interchange: &BlockInterchange<'k>,
        guarded: &GuardedBody<'k>,
        coefficients: &[i64],
    ) {
        let axes = self.axis_count();
        let block = format!("const apg_i64 block_ = strip_ + t_[{axes}];");
        self.code.out.open("const auto sides_at_ = [&](const apg_i64 *const t_, apg_i64 *const sides_) {");
        self.code.out.line(block);
        self.declare_strip_block(interchange);
        self.code.out.open("{");
        self.print_comparison_sides(guarded);
        self.code.out.close("}");
        self.code.out.close("};");
        self.print_coefficients(guarded, Some(coefficients));
        let sides = coefficients.len();
        let extents: Vec<String> = (0..axes).map(|axis| format!("n{axis}_")).collect();
        self.code.out.line(format!(
            "const apg_i64 count_ = apg_strip(left_, [&](const apg_i64 many_) {{ const apg_i64 extents_[] = {{{}, many_}}; return apg_whole<{}, {sides}>(extents_, factors_, strict_, sides_at_); }});",
            extents.join(", "),
            axes + 1
        ));
    }
}
