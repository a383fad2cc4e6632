//! Whether the threads of a block have to meet between filling shared rails with their initial values and the program's own code. They
//! need not where initial values are arithmetic, and a thread touches only what it has filled itself until the program's first barrier; a device's compiler then sees
//! an initial value and what is stored over it together, and leaves the first away.

use rustc_hash::{FxHashMap, FxHashSet};

use super::shared_init::InitEffects;
use apg_mir::walk::{bodies, operands, visit_expr, visit_stmts};
use apg_mir::*;

/// So many elements of a rail each thread stores to, one by one, in front of the first barrier; nobody writes more.
const MAX_STORES_PER_THREAD: i64 = 64;

/// The threads must meet.
pub fn needs_barrier(kernel: &Kernel) -> bool {
    if !kernel.shared.iter().all(|it| InitEffects::of(kernel, &it.init).is_own()) {
        return true;
    }
    InitScan::of(kernel).scan_list(&kernel.body) == BarrierScan::OtherElements
}

/// Shared rails all of whose elements the threads store to before any is read: their initial values are never seen.
pub fn overwritten_rails(kernel: &Kernel) -> FxHashSet<LocalId> {
    let mut start = InitScan::of(kernel);
    let mut threads = kernel.host.threads.iter().map(super::constant);
    let threads = threads.try_fold(1_i64, |all, it| all.checked_mul(it?));
    let Some(threads) = threads.filter(|it| *it > 0) else { return FxHashSet::default() };
    if start.scan_list(&kernel.body) != BarrierScan::Barrier {
        return FxHashSet::default();
    }
    let (stored, _) = start.stored_elements(&kernel.body);
    let lengths = kernel.host.shared_lengths.iter().map(super::constant);
    let rails = kernel.shared.iter().zip(lengths).filter(|(rail, length)| {
        let is_plain = match &rail.init {
            SharedInit::Zero => true,
            SharedInit::Value(value) => {
                matches!(value.kind, ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zero)
            }
            _ => false,
        };
        let all =
            |length: i64| (0..length).step_by(threads as usize).all(|it| stored.contains(&(rail.local, it)));
        is_plain
            && length.is_some_and(|it| it % threads == 0 && it / threads <= MAX_STORES_PER_THREAD && all(it))
    });
    rails.map(|it| it.0.local).collect()
}

/// What statements do before the first barrier.
#[derive(PartialEq, Eq)]
enum BarrierScan {
    /// Nothing that matters; their end is reached.
    OwnElements,
    /// There is a barrier, to which all threads come.
    Barrier,
    /// They may touch what another thread has filled.
    OtherElements,
}

impl BarrierScan {
    /// Of what may be left out, or left in the middle.
    fn if_conditional(self) -> BarrierScan {
        if self == BarrierScan::OtherElements { self } else { BarrierScan::OwnElements }
    }

    /// Of two of these.
    fn and(self, other: BarrierScan) -> BarrierScan {
        if self == BarrierScan::OtherElements { self } else { other }
    }
}

fn has_barrier(stmt: &Stmt) -> bool {
    let mut found = false;
    visit_stmts(std::slice::from_ref(stmt), &mut |it| found |= matches!(it.kind, StmtKind::Barrier));
    found
}

struct InitScan<'a> {
    kernel: &'a Kernel,
    /// How often locals are assigned.
    assigned: FxHashMap<LocalId, usize>,
    /// What those are that are assigned once, by now. Found once for each: a chain of `b = a + a` is not gone through twice at each step.
    values: FxHashMap<LocalId, Option<ThreadLinear>>,
}

/// `constant + sum of factors * thread indices`, the fastest axis first.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct ThreadLinear {
    constant: i64,
    axes: [i64; 3],
}

impl<'a> InitScan<'a> {
    fn of(kernel: &'a Kernel) -> InitScan<'a> {
        let mut assigned: FxHashMap<LocalId, usize> = FxHashMap::default();
        visit_stmts(&kernel.body, &mut |stmt| {
            if let StmtKind::Set { local, .. } | StmtKind::SetStructField { local, .. } = &stmt.kind {
                *assigned.entry(*local).or_default() += 1;
            }
        });
        InitScan { kernel, assigned, values: FxHashMap::default() }
    }

    /// What every thread stores to of shared rails up to the first barrier: the rail, and what is added to the thread's number in the block. And whether
    /// the end of the statements is reached without one. Only after `list`, which has found the values of locals.
    fn stored_elements(&self, stmts: &[Stmt]) -> (FxHashSet<(LocalId, i64)>, bool) {
        let mut found = FxHashSet::default();
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Barrier => return (found, false),
                StmtKind::Block(inner) => {
                    let (more, continues) = self.stored_elements(inner);
                    found.extend(more);
                    if !continues {
                        return (found, false);
                    }
                }
                StmtKind::If { then, otherwise, .. } => {
                    let (first, second) = (self.stored_elements(then), self.stored_elements(otherwise));
                    found.extend(first.0.intersection(&second.0));
                    if !first.1 || !second.1 {
                        return (found, false);
                    }
                }
                StmtKind::SetElement { rail, index, .. } if self.is_own(index) => {
                    if let (ExprKind::Local(local), Some(at)) = (&rail.kind, self.linear(index)) {
                        found.insert((*local, at.constant));
                    }
                }
                StmtKind::Set { .. } | StmtKind::SetElement { .. } | StmtKind::Expr(_) => {}
                // It may be left in the middle, or not be gone through at all; behind a barrier in it, others read.
                StmtKind::Loop { .. } | StmtKind::Labeled { .. } | StmtKind::Switch { .. }
                    if !has_barrier(stmt) => {}
                _ => return (found, false),
            }
        }
        (found, true)
    }

    fn scan_list(&mut self, stmts: &[Stmt]) -> BarrierScan {
        for stmt in stmts {
            let seen = self.scan_stmt(stmt);
            if seen != BarrierScan::OwnElements {
                return seen;
            }
        }
        BarrierScan::OwnElements
    }

    fn scan_stmt(&mut self, stmt: &Stmt) -> BarrierScan {
        if operands(&stmt.kind).into_iter().any(|it| self.touches(it)) && !self.stores_own(stmt) {
            return BarrierScan::OtherElements;
        }
        match &stmt.kind {
            StmtKind::Barrier => BarrierScan::Barrier,
            StmtKind::Block(inner) => self.scan_list(inner),
            StmtKind::Labeled { body, .. } => self.scan_list(body).if_conditional(),
            StmtKind::If { then, otherwise, .. } => match (self.scan_list(then), self.scan_list(otherwise)) {
                (BarrierScan::Barrier, BarrierScan::Barrier) => BarrierScan::Barrier,
                (a, b) => a.if_conditional().and(b.if_conditional()),
            },
            StmtKind::Loop { body, update, .. } => {
                self.scan_list(body).if_conditional().and(self.scan_list(update).if_conditional())
            }
            StmtKind::Set { local, value } => {
                if self.assigned.get(local) == Some(&1) {
                    self.values.insert(*local, self.linear(value));
                }
                BarrierScan::OwnElements
            }
            kind => match bodies(kind).into_iter().all(|it| it.is_empty()) {
                true => BarrierScan::OwnElements,
                false => BarrierScan::OtherElements,
            },
        }
    }

    /// Whether a statement stores to an element that its own thread has filled, and has nothing else to do with shared rails.
    fn stores_own(&self, stmt: &Stmt) -> bool {
        let StmtKind::SetElement { rail, index, value, .. } = &stmt.kind else { return false };
        self.is_shared(rail) && self.is_own(index) && !self.touches(index) && !self.touches(value)
    }

    fn is_shared(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Local(local) if self.kernel.shared.iter().any(|it| it.local == local))
    }

    /// Whether an expression has to do with shared rails but for their lengths. Functions know those that they are given.
    fn touches(&self, expr: &Expr) -> bool {
        let mut found = false;
        visit_expr(expr, None, &mut |it, around| {
            let is_length = matches!(around.map(|it| &it.kind), Some(ExprKind::Length { .. }));
            found |= self.is_shared(it) && !is_length;
        });
        found
    }

    /// Whether this thread fills the element: its number in the block, or a whole number of blocks on from there.
    fn is_own(&self, index: &Expr) -> bool {
        let Some(found) = self.linear(index) else { return false };
        let (mut expected, mut size) = (ThreadLinear::default(), Some(1_i64));
        let extents = self.kernel.host.threads.iter().rev().map(super::constant);
        for (axis, extent) in extents.enumerate() {
            // Threads of this axis are so far apart, if there is more than one.
            match (size, extent) {
                (_, Some(1)) => expected.axes[axis] = found.axes[axis],
                (Some(size), _) => expected.axes[axis] = size,
                (None, _) => return false,
            }
            size = size.zip(extent).and_then(|(a, b)| a.checked_mul(b));
        }
        let whole = found.constant == 0 || size.is_some_and(|it| it > 0 && found.constant % it == 0);
        whole && found.constant >= 0 && found.axes == expected.axes
    }

    fn linear(&self, expr: &Expr) -> Option<ThreadLinear> {
        let small = |it: i64| (-(1 << 20)..1 << 20).contains(&it).then_some(it);
        if !matches!(expr.ty, Ty::I32 | Ty::I64) {
            return None;
        }
        if let Some(value) = super::constant(expr) {
            return Some(ThreadLinear { constant: small(value)?, ..ThreadLinear::default() });
        }
        match &expr.kind {
            ExprKind::Local(local) => {
                if let Some(axis) = self.kernel.thread_locals.iter().rev().position(|it| it == local) {
                    let mut found = ThreadLinear::default();
                    found.axes[axis] = 1;
                    return (!self.assigned.contains_key(local)).then_some(found);
                }
                *self.values.get(local)?
            }
            ExprKind::Operation { operation, args } => {
                let a = self.linear(args.first()?)?;
                let b = || self.linear(args.get(1)?);
                let (other, factor) = match operation {
                    Operation::Convert => return Some(a),
                    Operation::Add => (b()?, 1),
                    Operation::Sub => (b()?, -1),
                    Operation::Mul => {
                        let b = b()?;
                        let (factor, other) = if a.axes == [0; 3] { (a, b) } else { (b, a) };
                        (factor.axes == [0; 3]).then_some(())?;
                        return other.times(factor.constant).plus(&ThreadLinear::default(), 0);
                    }
                    _ => return None,
                };
                a.plus(&other, factor)
            }
            _ => None,
        }
    }
}

impl ThreadLinear {
    fn times(self, factor: i64) -> ThreadLinear {
        ThreadLinear { constant: self.constant * factor, axes: self.axes.map(|it| it * factor) }
    }

    /// None if it is too large to be the number of an element without wrapping.
    fn plus(self, other: &ThreadLinear, factor: i64) -> Option<ThreadLinear> {
        let mut sum = self;
        sum.constant += factor * other.constant;
        for (a, b) in sum.axes.iter_mut().zip(other.axes) {
            *a += factor * b;
        }
        let small = |it: &i64| (-(1 << 20)..1 << 20).contains(it);
        (small(&sum.constant) && sum.axes.iter().all(small)).then_some(sum)
    }
}
