//! Induction variables of a loop that all threads of a block execute together, and the addresses that later
//! iterations touch (Aho, Lam, Sethi and Ullman, *Compilers*, 9.1).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::constants::constant_value;
use crate::analysis::expressions::scalar_bytes;
use crate::analysis::induction_step::as_step;
use crate::kernel_ir::{InductionStep, KernelIr, Node, PrefetchCandidate, Storage};
use apg_mir::walk::{operands, visit_expr, visit_stmts};
use apg_mir::*;
use apg_symbolic::LinearForm;

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

/// What a value may change with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Dimension {
    /// The iteration of the loop.
    Iteration,
    /// The thread of a row.
    Thread,
}

/// How a value changes with the iteration and the thread.
#[derive(Clone)]
struct Evolution {
    /// It can be computed for a later iteration: it raises nothing and reads no memory.
    is_computable: bool,
    form: LinearForm<Dimension>,
}

impl Evolution {
    fn unknown() -> Evolution {
        let form = LinearForm::unknown_in([Dimension::Iteration, Dimension::Thread]);
        Evolution { is_computable: false, form }
    }

    fn invariant(value: Option<i64>) -> Evolution {
        Evolution { is_computable: true, form: LinearForm::invariant(value) }
    }

    /// Evolution of the value that an operation computes from two values.
    fn combine(
        &self,
        other: &Evolution,
        operation: fn(&LinearForm<Dimension>, &LinearForm<Dimension>) -> LinearForm<Dimension>,
    ) -> Evolution {
        Evolution {
            is_computable: self.is_computable && other.is_computable,
            form: operation(&self.form, &other.form),
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

/// Element type of a captured array.
fn element_type(ir: &KernelIr, rail: LocalId) -> Option<Ty> {
    match ir.kernel.captures.get(rail.index())?.kind {
        KernelCaptureKind::Scalar(_) => None,
        KernelCaptureKind::Buffer { element }
        | KernelCaptureKind::ConstantBuffer { element }
        | KernelCaptureKind::GlobalBuffer { element } => Some(element),
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
                && let change = inductions.evolution(by)
                && change.is_computable
                && change.form.is_invariant()
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
            let change = LinearForm::invariant(per_iteration);
            let form = LinearForm::variable(Dimension::Iteration).times(&change);
            let form = form.plus(&LinearForm::invariant(None));
            inductions.evolutions.insert(step.local, Evolution { is_computable: true, form });
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
                (true, Some(step)) => step.clone(),
                (true, None) if times.contains_key(&derived.local) => Evolution::unknown(),
                _ => Evolution::invariant(None),
            };
            let found = inductions.evolution(&derived.value).combine(&offset, LinearForm::plus);
            inductions.evolutions.insert(derived.local, found);
        }
        inductions
    }

    /// Evolution of a local whose definition has been visited.
    fn local_evolution(&self, local: LocalId) -> Evolution {
        if let Some(found) = self.evolutions.get(&local) {
            return found.clone();
        }
        let is_invariant = matches!(self.ir.storage[local.index()], Storage::Predefined | Storage::Uniform)
            && !self.assigned.contains(&local);
        match is_invariant {
            true if self.fastest_axis() == Some(local) => {
                Evolution { is_computable: true, form: LinearForm::variable(Dimension::Thread) }
            }
            true => Evolution::invariant(None),
            false => Evolution::unknown(),
        }
    }

    fn evolution(&self, expr: &Expr) -> Evolution {
        use Operation as O;
        if !matches!(expr.ty, Ty::I32 | Ty::I64 | Ty::Bool) {
            return Evolution::unknown();
        }
        match &expr.kind {
            ExprKind::Int(value) => Evolution::invariant(Some(*value)),
            ExprKind::Local(local) => self.local_evolution(*local),
            ExprKind::Operation { operation, args } => match (operation, args.as_slice()) {
                (O::Convert, [value]) => self.evolution(value),
                (O::Add, [a, b]) => self.evolution(a).combine(&self.evolution(b), LinearForm::plus),
                (O::Sub, [a, b]) => self.evolution(a).combine(&self.evolution(b), LinearForm::minus),
                (O::Mul, [a, b]) => self.evolution(a).combine(&self.evolution(b), LinearForm::times),
                (operation, all) => {
                    let is_cheap = matches!(operation, O::Neg | O::Not | O::Shl | O::Shr | O::And | O::Or)
                        || matches!(operation, O::Xor | O::Eq | O::Ne | O::Lt | O::Le | O::Gt | O::Ge)
                        || matches!(operation, O::Min | O::Max);
                    let all = all.iter().map(|it| self.evolution(it));
                    if is_cheap {
                        all.fold(Evolution::invariant(None), |found, it| {
                            found.combine(&it, LinearForm::combine)
                        })
                    } else {
                        Evolution::unknown()
                    }
                }
            },
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.evolution(a).combine(&self.evolution(b), LinearForm::combine)
            }
            _ => Evolution::unknown(),
        }
    }

    /// Element size of a captured array of scalars.
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
        if found.is_computable && found.form.slope(&Dimension::Thread) == Some(0) {
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
        let Evolution { is_computable, form } = self.evolution(index);
        let per_iteration = form.slope(&Dimension::Iteration);
        let is_far = per_iteration
            .is_none_or(|it| it.saturating_mul(bytes).saturating_abs() >= MIN_UNPREDICTED_STRIDE_BYTES);
        let is_row = matches!(form.slope(&Dimension::Thread), Some(-1 | 1));
        (is_computable && is_far && is_row).then_some(PrefetchCandidate::Element {
            rail,
            index: index.clone(),
            per_iteration,
        })
    }
}
