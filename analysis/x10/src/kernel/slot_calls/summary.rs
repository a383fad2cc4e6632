//! Summaries of functions: the calls of slots that a static function makes for its caller, in terms of its
//! parameters, and elements of rails that it accesses (Sharir and Pnueli, 1981, the functional approach).
//!
//! A summary says what each caller may see in its own body, so that a change of a function that changes
//! none of its calls leaves the results of callers as they are.

use std::sync::Arc;

use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, LocalId, Owner, StmtId, StmtKind};
use crate::db::Db;
use crate::ids::MethodId;
use crate::kernel::context::KernelContext;
use crate::kernel::device_code::functions;
use crate::kernel::device_semantics::DeviceSemantics;
use crate::kernel::shape::recognise::kernels;

use super::SlotAnalysis;
use super::call::{InCallee, SlotCall};
use super::operand::{Arguments, Operand, ParameterValue, argument};
use super::origin::{Side, SlotOrigin, SlotsOrigin};
use super::steps::{Step, StepCollector};

/// Most calls of a summary, and most accesses. Nothing is known of functions with more.
const MAX_ENTRIES: usize = 256;

/// What a function does for its caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::kernel) struct SlotSummary {
    /// Its parameters, in order.
    pub(super) parameters: Vec<LocalId>,
    /// All calls that it makes, whether they are executed or not.
    pub(super) calls: Vec<SummaryCall>,
    /// How it makes them; conditions are over its parameters.
    pub(super) steps: Vec<Step>,
    /// Elements that it accesses whenever it is called.
    pub(super) accesses: Vec<SummaryAccess>,
    /// Whether all calls of groups and slots that are passed to it are known.
    pub(super) is_closed: bool,
}

/// A call of a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SummaryCall {
    method: MethodId,
    slot: SummarySlot,
    args: Vec<ParameterValue>,
    place: InCallee,
}

/// Where a slot comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SummarySlot {
    /// The parameter that it is.
    slot: Option<LocalId>,
    /// The parameter with the slots of its place.
    slots: Option<LocalId>,
    /// Which of the slots of its place they are.
    side: Option<Side>,
    /// The parameter with its group.
    group: Option<LocalId>,
    /// Its number among the slots.
    index: Option<ParameterValue>,
    is_subgroup: bool,
}

/// An access to an element of a rail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SummaryAccess {
    /// The parameter with the rail.
    pub rail: LocalId,
    pub index: ParameterValue,
    pub is_store: bool,
}

/// A call of a function of which a summary is known.
pub(super) struct Callee {
    pub site: ExprId,
    pub summary: Arc<SlotSummary>,
    pub arguments: Arguments,
    /// The position of its first call among all calls.
    pub first_call: usize,
}

/// The summary of a static function.
#[salsa::tracked(cycle_result = unknown_function)]
pub(in crate::kernel) fn slot_summary(db: &dyn Db, method: MethodId) -> Arc<SlotSummary> {
    let semantics = DeviceSemantics::new(db);
    let result = semantics.body(method);
    let body = &result.body;
    let Some(root) = body.root.filter(|_| !result.has_errors()) else { return unknown() };
    let parents = Parents::of(body);
    let recognised = kernels(db, Owner::Method(method));
    let context = KernelContext::new(&semantics, body, &parents, root);
    let analysis = SlotAnalysis::new(context, recognised, root);
    let accesses = analysis.certain_accesses(root);
    if analysis.calls.len() > MAX_ENTRIES || accesses.len() > MAX_ENTRIES {
        return unknown();
    }
    let is_symbol = |local| analysis.is_parameter(local);
    let collector = StepCollector { analysis: &analysis, is_symbol: &is_symbol, is_function: true };
    let steps = collector.steps(root);
    let call = |(position, it)| analysis.summary_call(method, it, certain_calls(&steps).contains(&position));
    Arc::new(SlotSummary {
        parameters: body.params.clone(),
        calls: analysis.calls.iter().enumerate().map(call).collect(),
        steps: steps.clone(),
        accesses,
        is_closed: analysis.is_closed,
    })
}

/// Nothing is known of functions that call themselves.
fn unknown_function(_db: &dyn Db, _id: salsa::Id, _method: MethodId) -> Arc<SlotSummary> {
    unknown()
}

fn unknown() -> Arc<SlotSummary> {
    Arc::new(SlotSummary {
        parameters: Vec::new(),
        calls: Vec::new(),
        steps: vec![Step::Unknown],
        accesses: Vec::new(),
        is_closed: false,
    })
}

impl SlotAnalysis<'_> {
    /// The function whose summary says what a call does: it is static, and gets a slot or a group, or
    /// synchronises the block.
    pub(super) fn summarised(&self, expr: ExprId) -> Option<(MethodId, &[ExprId])> {
        let context = &self.context;
        let ExprKind::Call { method, receiver: None, args, .. } = &context.expr(expr).kind else {
            return None;
        };
        let semantics = context.semantics;
        let gets_slot = || args.iter().any(|it| self.is_slot_type(*it));
        let synchronizes =
            || semantics.is_cuda(*method) && functions::synchronizes_block(semantics.db, *method);
        (semantics.is_static(*method) && (gets_slot() || synchronizes())).then_some((*method, args))
    }

    /// The function that an expression calls, with its summary.
    pub(super) fn callee(&self, site: ExprId, method: MethodId, args: &[ExprId]) -> Callee {
        let summary = slot_summary(self.context.semantics.db, method).clone();
        let arguments = summary.parameters.iter().copied().zip(args.iter().copied()).collect();
        Callee { site, summary, arguments, first_call: self.calls.len() }
    }

    /// The calls of slots that a called function makes, as calls of this body.
    pub(super) fn calls_of(&self, callee: &Callee) -> Vec<SlotCall> {
        let db = self.context.semantics.db;
        let operand = |value: &ParameterValue| Operand::OfCallee {
            value: value.clone(),
            arguments: callee.arguments.clone(),
        };
        let call = |call: &SummaryCall| SlotCall {
            site: callee.site,
            method: call.method,
            name: call.method.name(db).to_string(),
            slot: self.origin_of_callee(&call.slot, &callee.arguments),
            args: call.args.iter().map(operand).collect(),
            kernel: self.kernel_around(callee.site),
            callee: Some(call.place.clone()),
        };
        callee.summary.calls.iter().map(call).collect()
    }

    fn origin_of_callee(&self, slot: &SummarySlot, arguments: &Arguments) -> SlotOrigin {
        let of = |parameter: Option<LocalId>| argument(arguments, parameter?);
        if let Some(expr) = of(slot.slot) {
            let mut origin = self.slot_origin(expr);
            origin.is_subgroup |= slot.is_subgroup;
            return origin;
        }
        let slots = match of(slot.slots) {
            Some(expr) => self.slots_origin(expr),
            None => {
                let group = of(slot.group).and_then(|it| self.group_variable(it));
                SlotsOrigin { variable: None, side: slot.side.filter(|_| group.is_some()), group }
            }
        };
        let index = slot.index.clone();
        let index = index.map(|value| Operand::OfCallee { value, arguments: arguments.clone() });
        SlotOrigin { variables: Vec::new(), slots, index, is_subgroup: slot.is_subgroup }
    }

    fn summary_call(&self, method: MethodId, call: &SlotCall, is_certain: bool) -> SummaryCall {
        let range = self.context.expr(call.site).range;
        let (method_of, range) = call.callee.as_ref().map_or((method, range), |it| (it.method, it.range));
        let is_result = call.callee.as_ref().is_none_or(|it| it.is_returned);
        SummaryCall {
            method: call.method,
            slot: self.summary_slot(&call.slot),
            args: call.args.iter().map(|it| self.parameter_value(it, Some(&call.slot))).collect(),
            place: InCallee {
                method: method_of,
                range,
                is_in_kernel: call.is_of_block(),
                is_returned: is_result && self.is_returned(call.site),
                is_certain,
            },
        }
    }

    fn summary_slot(&self, origin: &SlotOrigin) -> SummarySlot {
        let parameter = |local: Option<LocalId>| local.filter(|it| self.is_parameter(*it));
        SummarySlot {
            slot: parameter(origin.variables.last().copied()),
            slots: parameter(origin.slots.variable),
            side: origin.side(),
            group: parameter(origin.group()),
            index: origin.index.as_ref().map(|it| self.parameter_value(it, None)),
            is_subgroup: origin.is_subgroup,
        }
    }

    /// Whether the function returns the value of an expression.
    fn is_returned(&self, expr: ExprId) -> bool {
        self.context.body.stmts.iter().any(|it| {
            let StmtKind::Return(Some(value)) = it.kind else { return false };
            let value = self.context.strip_coercions(value);
            match self.context.expr(value).kind {
                ExprKind::Local(local) => self.definition(local) == Some(expr),
                _ => value == expr,
            }
        })
    }

    /// Accesses to elements of rails that are parameters, by statements at the beginning of a function.
    fn certain_accesses(&self, root: StmtId) -> Vec<SummaryAccess> {
        let mut found = Vec::new();
        for stmt in self.context.flat_statements(root) {
            match self.context.stmt(stmt).kind {
                StmtKind::Expr(_) | StmtKind::Let { .. } | StmtKind::Return(_) => {}
                _ => break,
            }
            self.for_each_access(Node::Stmt(stmt), &mut |access| {
                let rail = access.rail.filter(|it| self.is_parameter(*it));
                let index = self.parameter_value(&access.index, None);
                found.extend(rail.map(|rail| SummaryAccess { rail, index, is_store: access.is_store }));
            });
        }
        found
    }
}

/// Calls that are made whenever the code runs, by position.
fn certain_calls(steps: &[Step]) -> Vec<usize> {
    let mut found = Vec::new();
    for step in steps {
        match step {
            Step::Call(position) => found.push(*position),
            Step::Function(steps) => {
                found.extend(certain_calls(steps));
                if !steps.iter().all(|it| matches!(it, Step::Call(_) | Step::Return)) {
                    break;
                }
            }
            _ => break,
        }
    }
    found
}
