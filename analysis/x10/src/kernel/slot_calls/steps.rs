//! What code does with slots, in order: the calls that it makes, and the conditions that decide them, over
//! the parameters of a function or the index of a block.

use apg_kernels::condition::Condition;
use apg_kernels::{Scope, Spread, Values};

use crate::body::walk::Node;
use crate::body::{AssignTarget, ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::ids::MethodId;
use crate::kernel::device_code::functions;
use crate::kernel::lower_expression::ThreadContext;

use super::SlotAnalysis;
use super::operand::argument;
use super::summary::Callee;

/// Most steps, with those of called functions. Nothing is known of longer code.
const MAX_STEPS: usize = 1024;

/// A part of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A call of a slot, by its position among all calls.
    Call(usize),
    /// Two ways; the condition is over the symbols.
    Choice { condition: Option<Condition<LocalId>>, then: Vec<Step>, otherwise: Vec<Step> },
    /// A loop that is entered for certain, or never, by all who agree on these symbols.
    Loop { symbols: Vec<LocalId>, body: Vec<Step> },
    /// The code of a called function.
    Function(Vec<Step>),
    /// The end of the function.
    Return,
    /// What follows is not known.
    Unknown,
}

impl Step {
    /// The number of steps in it.
    fn size(&self) -> usize {
        let of = |steps: &[Step]| steps.iter().map(Step::size).sum::<usize>();
        1 + match self {
            Step::Choice { then, otherwise, .. } => of(then) + of(otherwise),
            Step::Loop { body: steps, .. } | Step::Function(steps) => of(steps),
            Step::Call(_) | Step::Return | Step::Unknown => 0,
        }
    }
}

/// Collects the steps of code.
pub(super) struct StepCollector<'t, 'a> {
    pub analysis: &'t SlotAnalysis<'a>,
    /// The variables that conditions are over.
    pub is_symbol: &'t dyn Fn(LocalId) -> bool,
    /// Whether the code is that of a function, which `return` ends.
    pub is_function: bool,
}

impl StepCollector<'_, '_> {
    pub(super) fn steps(&self, stmt: StmtId) -> Vec<Step> {
        let mut steps = Vec::new();
        self.stmt(stmt, &mut steps);
        if steps.iter().map(Step::size).sum::<usize>() > MAX_STEPS {
            return vec![Step::Unknown];
        }
        steps
    }

    fn stmt(&self, stmt: StmtId, steps: &mut Vec<Step>) {
        if !self.concerns_slots(Node::Stmt(stmt)) {
            return;
        }
        match &self.analysis.context.stmt(stmt).kind {
            StmtKind::Block(stmts) => stmts.iter().for_each(|it| self.stmt(*it, steps)),
            StmtKind::Expr(expr) => self.expr(*expr, steps),
            StmtKind::Let { init, .. } => init.iter().for_each(|it| self.expr(*it, steps)),
            StmtKind::If { condition, then, otherwise } if !self.concerns_slots(Node::Expr(*condition)) => {
                steps.push(Step::Choice {
                    condition: self.condition(*condition),
                    then: self.steps(*then),
                    otherwise: otherwise.map_or_else(Vec::new, |it| self.steps(it)),
                });
            }
            StmtKind::For { init, condition, update, body, .. } => {
                let parts = init.iter().map(|it| Node::Stmt(*it));
                let parts = parts.chain(condition.iter().chain(update).map(|it| Node::Expr(*it)));
                steps.push(self.repeated(parts.collect(), *body));
            }
            StmtKind::ForIn { iterable: control, body, .. }
            | StmtKind::While { condition: control, body, .. } => {
                steps.push(self.repeated(vec![Node::Expr(*control)], *body));
            }
            StmtKind::Return(value) if self.is_function => {
                value.iter().for_each(|it| self.expr(*it, steps));
                steps.push(Step::Return);
            }
            _ => steps.push(Step::Unknown),
        }
    }

    fn repeated(&self, control: Vec<Node>, body: StmtId) -> Step {
        // A variable of before the loop decides who enters, and what it was assigned is not known here.
        let mut own = Vec::new();
        control.iter().for_each(|it| self.collect_declared(*it, &mut own));
        let context = &self.analysis.context;
        let is_variable = |local: LocalId| context.local(local).mutable && !own.contains(&local);
        let depends_on_one = |it: &Node| !self.analysis.sources(*it, &is_variable).is_empty();
        if control.iter().any(|it| self.concerns_slots(*it) || depends_on_one(it)) {
            return Step::Unknown;
        }
        let symbols = control.into_iter().flat_map(|it| self.analysis.sources(it, self.is_symbol)).collect();
        Step::Loop { symbols, body: self.steps(body) }
    }

    fn collect_declared(&self, node: Node, declared: &mut Vec<LocalId>) {
        let context = &self.analysis.context;
        context.body.walk(node, &mut |node| {
            if let Node::Stmt(stmt) = node
                && let StmtKind::Let { local, .. } = context.stmt(stmt).kind
            {
                declared.push(local);
            }
            true
        });
    }

    fn expr(&self, expr: ExprId, steps: &mut Vec<Step>) {
        if !self.concerns_slots(Node::Expr(expr)) {
            return;
        }
        let context = &self.analysis.context;
        match &context.expr(expr).kind {
            ExprKind::Conditional { .. } | ExprKind::ShortCircuit { .. } | ExprKind::Let { .. } => {
                steps.push(Step::Unknown);
            }
            ExprKind::Assign { target: AssignTarget::Local(_), value } => self.expr(*value, steps),
            kind => {
                for child in context.body.children(Node::Expr(expr)) {
                    match child {
                        Node::Expr(child) => self.expr(child, steps),
                        Node::Stmt(_) => steps.push(Step::Unknown),
                    }
                }
                if let Some(callee) = self.analysis.callees.iter().find(|it| it.site == expr) {
                    steps.push(Step::Function(self.steps_of(callee, &callee.summary.steps)));
                } else if let Some(position) = self.analysis.own_call(expr) {
                    steps.push(Step::Call(position));
                } else if matches!(kind, ExprKind::Call { method, .. } if self.is_communicating(*method)) {
                    steps.push(Step::Unknown);
                }
            }
        }
    }

    /// Steps of a called function, over the symbols of this code.
    fn steps_of(&self, callee: &Callee, steps: &[Step]) -> Vec<Step> {
        let of = |parameter| argument(&callee.arguments, parameter);
        let form = |parameter| self.analysis.form(of(parameter)?, self.is_symbol);
        let step = |step: &Step| match step {
            Step::Call(position) => Step::Call(callee.first_call + position),
            Step::Choice { condition, then, otherwise } => Step::Choice {
                condition: condition.as_ref().and_then(|it| it.replace(&form)),
                then: self.steps_of(callee, then),
                otherwise: self.steps_of(callee, otherwise),
            },
            Step::Loop { symbols, body } => {
                let arguments = symbols.iter().filter_map(|it| of(*it));
                let symbols = self.analysis.sources_of(arguments, self.is_symbol);
                Step::Loop { symbols, body: self.steps_of(callee, body) }
            }
            Step::Function(steps) => Step::Function(self.steps_of(callee, steps)),
            Step::Return => Step::Return,
            Step::Unknown => Step::Unknown,
        };
        steps.iter().map(step).collect()
    }

    fn condition(&self, condition: ExprId) -> Option<Condition<LocalId>> {
        let context = &self.analysis.context;
        let threads = ThreadContext { this: Spread::Uniform, has_whole_warps: false };
        let scope = Scope {
            is_symbol: self.is_symbol,
            is_non_negative: &|_| false,
            values: &Values::default(),
            definitions: context,
        };
        scope.condition(&context.lower_test(condition, threads))
    }

    fn is_communicating(&self, method: MethodId) -> bool {
        let semantics = self.analysis.context.semantics;
        semantics.is_cuda(method) && functions::synchronizes_block(semantics.db, method)
    }

    /// Whether something makes calls of slots, or leaves the code around it.
    fn concerns_slots(&self, node: Node) -> bool {
        let context = &self.analysis.context;
        let mut found = false;
        context.body.walk(node, &mut |node| {
            found |= match node {
                Node::Stmt(stmt) => matches!(
                    context.stmt(stmt).kind,
                    StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_)
                ),
                Node::Expr(expr) => match context.expr(expr).kind {
                    ExprKind::Call { method, .. } => {
                        context.semantics.is_slot_call(method)
                            || self.analysis.callees.iter().any(|it| it.site == expr)
                            || self.is_communicating(method)
                    }
                    _ => false,
                },
            };
            !found
        });
        found
    }
}
