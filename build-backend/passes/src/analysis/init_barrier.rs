//! Elision of the barrier after the initialisation of shared arrays.
//!
//! No barrier is needed if initial values are plain arithmetic and, up to the program's first barrier, each
//! thread accesses only elements that it initialised itself. The device compiler then sees an initial value
//! and the store that overwrites it together, and removes the first.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::affine::{Term, affine_form};
use crate::analysis::constants::constant_value;
use crate::analysis::init_effects::InitEffects;
use apg_mir::walk::{bodies, operands, visit_expr, visit_stmts};
use apg_mir::*;
use apg_symbolic::Affine;
use apg_symbolic::affine::Ring;

/// Upper limit of stores per thread and array in front of the first barrier that are considered.
const MAX_STORES_PER_THREAD: i64 = 64;

/// Whether the threads must synchronise after initialisation.
pub fn needs_barrier(kernel: &Kernel) -> bool {
    if !kernel.shared.iter().all(|it| InitEffects::of(kernel, &it.init).is_own()) {
        return true;
    }
    InitScan::of(kernel).scan_list(&kernel.body) == BarrierScan::OtherElements
}

/// Shared arrays that the threads overwrite completely before any element is read: their initial values are
/// dead.
pub(crate) fn overwritten_rails(kernel: &Kernel) -> FxHashSet<LocalId> {
    let mut start = InitScan::of(kernel);
    let mut threads = kernel.host.threads.iter().map(constant_value);
    let threads = threads.try_fold(1_i64, |all, it| all.checked_mul(it?));
    let Some(threads) = threads.filter(|it| *it > 0) else { return FxHashSet::default() };
    if start.scan_list(&kernel.body) != BarrierScan::Barrier {
        return FxHashSet::default();
    }
    let (stored, _) = start.stored_elements(&kernel.body);
    let lengths = kernel.host.shared_lengths.iter().map(constant_value);
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

/// The accesses of statements before the first barrier.
#[derive(PartialEq, Eq)]
enum BarrierScan {
    /// They access the thread's own elements at most, and their end is reached.
    OwnElements,
    /// They reach a barrier with all threads.
    Barrier,
    /// They may access elements that another thread initialised.
    OtherElements,
}

impl BarrierScan {
    /// Of statements that may be skipped or left early.
    fn if_conditional(self) -> BarrierScan {
        if self == BarrierScan::OtherElements { self } else { BarrierScan::OwnElements }
    }

    /// Of two alternatives.
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
    /// Number of assignments of each local.
    assigned: FxHashMap<LocalId, usize>,
    /// Affine values of the locals that are assigned once. Memoisation keeps chains of `b = a + a` from
    /// exponential time.
    values: FxHashMap<LocalId, Option<ThreadForm>>,
}

/// An affine form over thread indices by axis, the fastest axis first.
type ThreadForm = Affine<usize>;

/// Limit of the constant and the coefficients of a form: an index of at most 2^10 threads does not wrap.
const MAX_MAGNITUDE: i64 = 1 << 20;

/// The ring of integers whose sums and products stay small enough for an index not to wrap.
struct SmallIntegers;

impl SmallIntegers {
    fn limit(value: i64) -> Option<i64> {
        (-MAX_MAGNITUDE..MAX_MAGNITUDE).contains(&value).then_some(value)
    }
}

impl Ring for SmallIntegers {
    type Element = i64;

    fn integer(&mut self, value: i64) -> i64 {
        value
    }

    fn is_zero(&self, value: &i64) -> bool {
        *value == 0
    }

    fn add(&mut self, a: &i64, b: &i64) -> Option<i64> {
        SmallIntegers::limit(a.checked_add(*b)?)
    }

    fn mul(&mut self, a: &i64, b: &i64) -> Option<i64> {
        SmallIntegers::limit(a.checked_mul(*b)?)
    }
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

    /// Elements of shared arrays that every thread stores to before the first barrier, as array and offset
    /// from the thread's rank; and whether the statements' end is reached without a barrier. Precondition:
    /// `scan_list` has visited the statements.
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
                // It may be skipped or left early; after a barrier inside of it, other threads read.
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

    /// Whether a statement only stores to an element that its own thread initialised.
    fn stores_own(&self, stmt: &Stmt) -> bool {
        let StmtKind::SetElement { rail, index, value, .. } = &stmt.kind else { return false };
        self.is_shared(rail) && self.is_own(index) && !self.touches(index) && !self.touches(value)
    }

    fn is_shared(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Local(local) if self.kernel.shared.iter().any(|it| it.local == local))
    }

    /// Whether an expression uses shared arrays other than their lengths. Functions can access only the
    /// arrays that they get.
    fn touches(&self, expr: &Expr) -> bool {
        let mut found = false;
        visit_expr(expr, None, &mut |it, around| {
            let is_length = matches!(around.map(|it| &it.kind), Some(ExprKind::Length { .. }));
            found |= self.is_shared(it) && !is_length;
        });
        found
    }

    /// Whether this thread initialised the element: its rank plus a multiple of the block size.
    fn is_own(&self, index: &Expr) -> bool {
        let Some(found) = self.linear(index) else { return false };
        let mut size = Some(1_i64);
        let extents = self.kernel.host.threads.iter().rev().map(constant_value);
        for (axis, extent) in extents.enumerate() {
            // Distance of adjacent threads of this axis, if it has more than one.
            match (size, extent) {
                (_, Some(1)) => {}
                (Some(size), _) if found.coefficient(&axis) == size => {}
                _ => return false,
            }
            size = size.zip(extent).and_then(|(a, b)| a.checked_mul(b));
        }
        let has_other_axes = found.terms().any(|it| *it.0 >= self.kernel.host.threads.len());
        let whole = found.constant == 0 || size.is_some_and(|it| it > 0 && found.constant % it == 0);
        whole && found.constant >= 0 && !has_other_axes
    }

    fn linear(&self, expr: &Expr) -> Option<ThreadForm> {
        affine_form(expr, &mut SmallIntegers, &|it| {
            if !matches!(it.ty, Ty::I32 | Ty::I64) {
                return Term::Unknown;
            }
            if let Some(value) = constant_value(it) {
                return Term::of(SmallIntegers::limit(value).map(Affine::from_constant));
            }
            let ExprKind::Local(local) = &it.kind else { return Term::Compound };
            match self.kernel.thread_locals.iter().rev().position(|it| it == local) {
                Some(axis) => Term::of((!self.assigned.contains_key(local)).then(|| Affine::symbol(axis))),
                None => Term::of(self.values.get(local).cloned().flatten()),
            }
        })
    }
}
