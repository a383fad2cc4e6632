//! Induction variables of a loop that all threads of a block execute together, and the addresses that later
//! iterations touch (Aho, Lam, Sethi and Ullman, *Compilers*, 9.1).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::constants::constant_value;
use crate::analysis::expressions::scalar_bytes;
use crate::analysis::induction_step::as_step;
use crate::kernel_ir::{InductionStep, KernelIr, Node, PrefetchCandidate, Storage};
use apg_mir::walk::{operands, visit_expr, visit_stmts};
use apg_mir::*;

/// Smaller strides between iterations are foreseen by hardware prefetchers: bytes of a page.
const MIN_UNPREDICTED_STRIDE_BYTES: i64 = 4096;

/// The induction variables of a loop.
pub(crate) struct LoopInductions<'p> {
    ir: &'p KernelIr,
    /// The basic induction variables.
    pub(crate) steps: Vec<InductionStep>,
    /// Block-uniform locals that the body computes from the inductions, in an order in which they can be
    /// computed.
    pub(crate) recomputed: Vec<(LocalId, Expr)>,
    /// Locals that the loop assigns otherwise: their values in later iterations are unknown.
    assigned: FxHashSet<LocalId>,
    /// Memoised evolutions of locals. Memoisation keeps chains of `b = a + a` from exponential time.
    evolutions: FxHashMap<LocalId, Evolution>,
}

/// How a value changes with the iteration and the thread.
#[derive(Clone, Copy)]
struct Evolution {
    /// It can be computed for a later iteration: it raises nothing and reads no memory.
    is_computable: bool,
    /// Change per iteration, if that is a constant.
    per_iteration: Option<i64>,
    /// Difference between adjacent threads of a row, if that is a constant.
    per_thread: Option<i64>,
}

impl Evolution {
    const UNKNOWN: Evolution = Evolution { is_computable: false, per_iteration: None, per_thread: None };
    const INVARIANT: Evolution =
        Evolution { is_computable: true, per_iteration: Some(0), per_thread: Some(0) };

    fn is_invariant(self) -> bool {
        (self.per_iteration, self.per_thread) == (Some(0), Some(0))
    }

    /// Evolution of a non-linear operation: invariant where both operands are.
    fn combine(self, other: Evolution) -> Evolution {
        let none = |a, b| ((a, b) == (0, 0)).then_some(0);
        self.combine_with(other, none)
    }

    /// Evolution of two values whose changes are combined by `add`.
    fn combine_with(self, other: Evolution, add: fn(i64, i64) -> Option<i64>) -> Evolution {
        let both = |a: Option<i64>, b: Option<i64>| add(a?, b?);
        Evolution {
            is_computable: self.is_computable && other.is_computable,
            per_iteration: both(self.per_iteration, other.per_iteration),
            per_thread: both(self.per_thread, other.per_thread),
        }
    }
}

/// Locals that are assigned after everything else in an iteration.
fn last_assignments(stmt: &Stmt) -> FxHashSet<LocalId> {
    fn at_end(body: &[Stmt], found: &mut FxHashSet<LocalId>) {
        for stmt in body.iter().rev() {
            match &stmt.kind {
                StmtKind::Set { local, .. } => found.insert(*local),
                StmtKind::Block(body) => return at_end(body, found),
                _ => return,
            };
        }
    }
    let mut found = FxHashSet::default();
    if let StmtKind::Loop { body, update, .. } = &stmt.kind {
        at_end(update, &mut found);
        at_end(body, &mut found);
    }
    found
}

/// Element type of a captured rail.
fn element_type(ir: &KernelIr, rail: LocalId) -> Option<Ty> {
    match ir.kernel.captures.get(rail.index())?.kind {
        KernelCaptureKind::Scalar(_) => None,
        KernelCaptureKind::Rail { element }
        | KernelCaptureKind::ConstantRail { element }
        | KernelCaptureKind::GlobalRail { element } => Some(element),
    }
}

impl<'p> LoopInductions<'p> {
    /// The induction variables of a loop.
    pub(crate) fn of(ir: &'p KernelIr, stmt: &Stmt) -> Self {
        let mut sets: Vec<(LocalId, &Expr)> = Vec::new();
        let mut times: FxHashMap<LocalId, usize> = FxHashMap::default();
        visit_stmts(std::slice::from_ref(stmt), &mut |it| match &it.kind {
            StmtKind::Set { local, value } => {
                sets.push((*local, value));
                *times.entry(*local).or_default() += 1;
            }
            StmtKind::SetStructField { local, .. } => *times.entry(*local).or_default() += 2,
            _ => {}
        });
        let assigned = times.keys().copied().collect();
        let mut inductions = LoopInductions {
            ir,
            steps: Vec::new(),
            recomputed: Vec::new(),
            assigned,
            evolutions: FxHashMap::default(),
        };
        let offsets: FxHashSet<LocalId> =
            ir.rematerialized.iter().filter(|it| it.has_offset).map(|it| it.local).collect();
        let is_uniform = |it: LocalId| ir.storage[it.index()] == Storage::Uniform;
        let last = last_assignments(stmt);
        for (local, value) in &sets {
            if let Some((by, minus)) = as_step(value, *local)
                && times[local] == 1
                && (offsets.contains(local) || is_uniform(*local) && last.contains(local))
                && inductions.evolution(by).is_computable
                && inductions.evolution(by).is_invariant()
            {
                inductions.steps.push(InductionStep {
                    local: *local,
                    by: by.clone(),
                    minus,
                    is_offset: offsets.contains(local),
                });
            }
        }
        for step in &inductions.steps {
            let per_iteration =
                constant_value(&step.by).and_then(|it| if step.minus { it.checked_neg() } else { Some(it) });
            inductions
                .evolutions
                .insert(step.local, Evolution { is_computable: true, per_iteration, per_thread: Some(0) });
        }
        for (local, value) in &sets {
            if is_uniform(*local) && !inductions.evolutions.contains_key(local) && ir.is_assigned_once(*local)
            {
                let found = inductions.evolution(value);
                if found.is_computable {
                    inductions.evolutions.insert(*local, found);
                    inductions.recomputed.push((*local, (*value).clone()));
                }
            }
        }
        // In dependence order.
        for derived in &ir.rematerialized {
            let offset = match (derived.has_offset, inductions.evolutions.get(&derived.local)) {
                (true, Some(step)) => *step,
                (true, None) if times.contains_key(&derived.local) => Evolution::UNKNOWN,
                _ => Evolution::INVARIANT,
            };
            let found = inductions.evolution(&derived.value).combine_with(offset, i64::checked_add);
            inductions.evolutions.insert(derived.local, found);
        }
        inductions
    }

    /// Evolution of a local whose definition has been visited.
    fn local_evolution(&self, local: LocalId) -> Evolution {
        if let Some(found) = self.evolutions.get(&local) {
            return *found;
        }
        let is_invariant = matches!(self.ir.storage[local.index()], Storage::Predefined | Storage::Uniform)
            && !self.assigned.contains(&local);
        match is_invariant {
            true => Evolution {
                per_thread: Some(i64::from(self.fastest_axis() == Some(local))),
                ..Evolution::INVARIANT
            },
            false => Evolution::UNKNOWN,
        }
    }

    fn evolution(&self, expr: &Expr) -> Evolution {
        use Operation as O;
        if !matches!(expr.ty, Ty::I32 | Ty::I64 | Ty::Bool) {
            return Evolution::UNKNOWN;
        }
        match &expr.kind {
            ExprKind::Int(_) => Evolution::INVARIANT,
            ExprKind::Local(local) => self.local_evolution(*local),
            ExprKind::Operation { operation, args } => match (operation, args.as_slice()) {
                (O::Convert, [value]) => self.evolution(value),
                (O::Add, [a, b]) => self.evolution(a).combine_with(self.evolution(b), i64::checked_add),
                (O::Sub, [a, b]) => self.evolution(a).combine_with(self.evolution(b), i64::checked_sub),
                (O::Mul, [a, b]) => {
                    let (first, second) = (self.evolution(a), self.evolution(b));
                    let (changing, factor) = if first.is_invariant() { (second, a) } else { (first, b) };
                    let times = |it: Option<i64>| match it? {
                        0 => Some(0),
                        it => it.checked_mul(constant_value(factor)?),
                    };
                    Evolution {
                        is_computable: first.is_computable && second.is_computable,
                        per_iteration: times(changing.per_iteration)
                            .filter(|_| first.is_invariant() || second.is_invariant()),
                        // A product of values that are equal within a row is equal within the row, however it
                        // changes per iteration.
                        per_thread: match (first.per_thread, second.per_thread) {
                            (Some(0), Some(0)) => Some(0),
                            _ => times(changing.per_thread)
                                .filter(|_| first.is_invariant() || second.is_invariant()),
                        },
                    }
                }
                (operation, all) => {
                    let is_cheap = matches!(operation, O::Neg | O::Not | O::Shl | O::Shr | O::And | O::Or)
                        || matches!(operation, O::Xor | O::Eq | O::Ne | O::Lt | O::Le | O::Gt | O::Ge)
                        || matches!(operation, O::Min | O::Max);
                    let all = all.iter().map(|it| self.evolution(it));
                    if is_cheap {
                        all.fold(Evolution::INVARIANT, Evolution::combine)
                    } else {
                        Evolution::UNKNOWN
                    }
                }
            },
            ExprKind::And(a, b) | ExprKind::Or(a, b) => self.evolution(a).combine(self.evolution(b)),
            _ => Evolution::UNKNOWN,
        }
    }

    /// Element size of a captured rail of scalars.
    pub(crate) fn element_bytes(&self, rail: LocalId) -> Option<i64> {
        element_type(self.ir, rail).and_then(scalar_bytes)
    }

    /// Thread index of the fastest axis.
    fn fastest_axis(&self) -> Option<LocalId> {
        self.ir.kernel.thread_locals.last().copied()
    }

    /// Collects the accesses of later iterations.
    pub(crate) fn collect_candidates(&self, nodes: &[Node], candidates: &mut Vec<PrefetchCandidate>) {
        for node in nodes {
            match node {
                Node::Region(region) => {
                    region.stmts().iter().for_each(|it| self.collect_from_stmt(it, candidates))
                }
                Node::If(branch) => {
                    let (mut first, mut second) = (Vec::new(), Vec::new());
                    self.collect_candidates(&branch.then, &mut first);
                    self.collect_candidates(&branch.otherwise, &mut second);
                    self.collect_from_branch(&branch.condition, first, second, candidates);
                }
                _ => {}
            }
        }
    }

    fn collect_from_stmt(&self, stmt: &Stmt, candidates: &mut Vec<PrefetchCandidate>) {
        match &stmt.kind {
            StmtKind::Block(body) => body.iter().for_each(|it| self.collect_from_stmt(it, candidates)),
            StmtKind::If { then, otherwise, condition } => {
                self.collect_reads(condition, candidates);
                let (mut first, mut second) = (Vec::new(), Vec::new());
                then.iter().for_each(|it| self.collect_from_stmt(it, &mut first));
                otherwise.iter().for_each(|it| self.collect_from_stmt(it, &mut second));
                self.collect_from_branch(condition, first, second, candidates);
            }
            // Inner loops are long enough for the hardware prefetcher.
            StmtKind::Loop { .. } => {}
            kind => {
                for operand in operands(kind) {
                    self.collect_reads(operand, candidates);
                }
                if let StmtKind::SetElement { rail, index, .. } = kind {
                    candidates.extend(self.element_candidate(rail, index));
                }
            }
        }
    }

    /// Accesses under a condition. A condition that diverges within a row does not restrict the row.
    fn collect_from_branch(
        &self,
        condition: &Expr,
        then: Vec<PrefetchCandidate>,
        otherwise: Vec<PrefetchCandidate>,
        candidates: &mut Vec<PrefetchCandidate>,
    ) {
        if then.is_empty() && otherwise.is_empty() {
            return;
        }
        let found = self.evolution(condition);
        if found.is_computable && found.per_thread == Some(0) {
            candidates.push(PrefetchCandidate::If(condition.clone(), then, otherwise));
        } else {
            candidates.extend(then);
            candidates.extend(otherwise);
        }
    }

    fn collect_reads(&self, expr: &Expr, candidates: &mut Vec<PrefetchCandidate>) {
        visit_expr(expr, None, &mut |it, _| {
            if let ExprKind::Element { rail, index, .. } = &it.kind {
                candidates.extend(self.element_candidate(rail, index));
            }
        });
    }

    fn element_candidate(&self, rail: &Expr, index: &Expr) -> Option<PrefetchCandidate> {
        let ExprKind::Local(rail) = rail.kind else { return None };
        let bytes = self.element_bytes(rail)?;
        let Evolution { is_computable, per_iteration, per_thread } = self.evolution(index);
        let is_far = per_iteration
            .is_none_or(|it| it.saturating_mul(bytes).saturating_abs() >= MIN_UNPREDICTED_STRIDE_BYTES);
        let is_row = matches!(per_thread, Some(-1 | 1));
        (is_computable && is_far && is_row).then_some(PrefetchCandidate::Element {
            rail,
            index: index.clone(),
            per_iteration,
        })
    }
}
