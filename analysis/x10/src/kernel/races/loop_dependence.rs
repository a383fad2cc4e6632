//! Loop-carried dependences: whether iterations of a loop may run in parallel (Allen and Kennedy, *Optimizing
//! Compilers for Modern Architectures*, chapter 3).
//!
//!
//! A fix starts activities for the iterations of a loop only if no iteration stores what another one loads or
//! stores: stores target variables of the iteration, or elements with an index that is distinct in each
//! iteration; loads from a rail that is stored to have the same index as the store.

use apg_kernels::iteration::{self, Variation};

use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, LocalId, LocalKind, StmtId, StmtKind};
use crate::kernel::context::{KernelContext, declared_below};
use crate::kernel::device_semantics::{CalleeKind, TypeCategory};
use crate::kernel::lower_expression::{Affine, SymbolContext};

impl KernelContext<'_> {
    /// Whether the iterations of a `for (i in a..b)` are independent.
    pub(crate) fn has_independent_iterations(&self, stmt: StmtId) -> bool {
        let StmtKind::ForIn { local, components, label, body, .. } = &self.stmt(stmt).kind else {
            return false;
        };
        let own = declared_below(self.body, Node::Stmt(*body));
        let axes: Vec<LocalId> = components.iter().copied().chain([*local]).collect();
        let mut stores: Vec<(LocalId, Affine)> = Vec::new();
        let mut loads: Vec<(LocalId, Option<Affine>)> = Vec::new();
        let mut independent = true;
        self.body.walk(Node::Stmt(*body), &mut |node| {
            independent &= match node {
                Node::Stmt(stmt) => match self.stmt(stmt).kind {
                    StmtKind::Break(to) | StmtKind::Continue(to) => to != *label,
                    StmtKind::Return(_) => false,
                    _ => true,
                },
                Node::Expr(expr) => match &self.expr(expr).kind {
                    ExprKind::Assign { target: AssignTarget::Local(local), .. } => own.contains(local),
                    ExprKind::Assign { .. } => false,
                    ExprKind::Call { method, receiver, args, .. } => {
                        let rail = receiver.filter(|it| self.is_rail(*it));
                        match (rail, method.name(self.semantics.db).as_str()) {
                            (Some(rail), "operator()=") => self.named_local(rail).is_some_and(|rail| {
                                let index = args.first().and_then(|it| self.index_of(*it));
                                let is_known = index.is_some();
                                stores.extend(index.filter(|_| !own.contains(&rail)).map(|it| (rail, it)));
                                own.contains(&rail) || is_known
                            }),
                            (Some(rail), "operator()") => {
                                let index = args.first().and_then(|it| self.index_of(*it));
                                self.named_local(rail).is_some_and(|rail| {
                                    loads.push((rail, index));
                                    true
                                })
                            }
                            _ => !self.changes_rails(*method, args),
                        }
                    }
                    ExprKind::ClosureCall { .. } | ExprKind::At { .. } => false,
                    _ => true,
                },
            };
            independent
        });
        let variation = |local: LocalId| match () {
            () if axes.contains(&local) => Variation::Counter,
            () if own.contains(&local) => Variation::Within(self.range_of_axis(local)),
            () => Variation::Fixed,
        };
        independent && iteration::are_independent(&stores, &loads, &variation)
    }

    fn is_rail(&self, expr: ExprId) -> bool {
        matches!(
            self.semantics.category(self.expr(expr).ty),
            TypeCategory::Rail(_) | TypeCategory::GlobalRail(_)
        )
    }

    /// Whether a call may write elements of a rail argument.
    fn changes_rails(&self, method: crate::ids::MethodId, args: &[ExprId]) -> bool {
        let is_symbol =
            matches!(self.semantics.callee_kind(method), CalleeKind::Builtin | CalleeKind::Barrier);
        self.semantics.is_atomic(method) || !is_symbol && args.iter().any(|it| self.is_rail(*it))
    }

    fn index_of(&self, expr: ExprId) -> Option<Affine> {
        // Other `val`s of the kernel are expanded.
        let is_fixed = |local: LocalId| {
            let it = self.local(local);
            !it.mutable && (it.kind == LocalKind::Loop || !self.inner.contains(&local))
        };
        let values = apg_kernels::Values::default();
        self.affine(
            expr,
            &SymbolContext { is_symbol: &is_fixed, is_non_negative: &|_| false, values: &values },
        )
    }

    /// The span of a loop variable with constant bounds.
    fn range_of_axis(&self, axis: LocalId) -> Option<i64> {
        self.body.stmts.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::ForIn { local, iterable, .. } if *local == axis => {
                let ("..", low, high) = self.binary_operator(self.strip_coercions(*iterable))? else {
                    return None;
                };
                self.constant(high)?.checked_sub(self.constant(low)?)
            }
            _ => None,
        })
    }
}
