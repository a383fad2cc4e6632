//! Order of constructor calls: `this(...)` or `super(...)`, code that leads to `property(...)`, the rest.
//!
//! Before `property(...)`, or before `super(...)` in a class without properties, `this` cannot be used.

use apg_syntax::TextRange;
use rustc_hash::FxHashMap;

use super::fields::MethodEffects;
use super::{Object, is_captured_variable, is_this};
use crate::body::Owner;
use crate::body::walk::Node;
use crate::body::{AssignTarget, Body, ExprId, ExprKind, StmtId, StmtKind};
use crate::ids::MethodId;
use crate::item_tree::items::{method_item, properties};
use crate::item_tree::{MethodKind, has_annotation};
use crate::rules::flow::property_call::PropertyCall;
use crate::rules::flow::this_too_early::{EarlyUse, RequiredCall, ThisTooEarly};
use crate::rules::{Problem, r#type as type_rules};

/// Checks all explicit constructors.
pub(super) fn check(object: &Object<'_>, effects: &MethodEffects, found: &mut Vec<(Owner, Problem)>) {
    report_constructor_cycles(object, found);
    let has_properties = !properties(object.db, object.class).is_empty();
    for (method, code) in &object.constructors {
        let is_automatic =
            method_item(object.db, *method).is_some_and(|item| item.kind == MethodKind::AutomaticConstructor);
        let Some(root) = code.body.root.filter(|_| !is_automatic) else { continue };
        let body = &code.body;
        // A missing `property(...)` is reported separately.
        let sets = |stmt: &crate::body::Stmt| {
            matches!(stmt.kind, StmtKind::Property { .. } | StmtKind::ConstructorCall { is_super: false, .. })
        };
        let has_properties = has_properties && body.stmts.iter().any(sets);
        let calls_first = body.stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::ConstructorCall { .. }));
        let state = if calls_first { State::Start } else { State::Super };
        let mut walker = Walker { object, effects, body, has_properties, state, problems: Vec::new() };
        walker.stmt(root);
        found.extend(walker.problems.into_iter().map(|it| (Owner::Method(*method), it)));
    }
}

/// For each constructor, the constructor called by its `this(...)`.
fn called_constructors(object: &Object<'_>) -> FxHashMap<MethodId, (MethodId, TextRange)> {
    let calls = object.constructors.iter().filter_map(|(method, code)| {
        let call = code.body.stmts.iter().find_map(|stmt| match stmt.kind {
            StmtKind::ConstructorCall { is_super: false, constructor, .. } => Some((constructor, stmt.range)),
            _ => None,
        });
        Some((*method, call?))
    });
    calls.collect()
}

/// Reports constructors that call each other in a cycle.
fn report_constructor_cycles(object: &Object<'_>, found: &mut Vec<(Owner, Problem)>) {
    let called_constructors = called_constructors(object);
    // Each cycle is reported once.
    let mut reported = Vec::new();
    for (method, _) in &object.constructors {
        let Some((mut next, range)) = called_constructors.get(method).copied() else { continue };
        let mut cycle = vec![next];
        // No path is longer than the number of constructors.
        for _ in 0..called_constructors.len() {
            if next == *method && !reported.contains(method) {
                reported.append(&mut cycle);
                let diagnostic = type_rules::constructor_call::RULE
                    .at(range, "this constructor comes back to itself, so that no object is ever made")
                    .note("one of the constructors that call each other by `this(...)` has to make the object itself");
                found.push((Owner::Method(*method), diagnostic.into()));
                break;
            }
            let Some((after, _)) = called_constructors.get(&next) else { break };
            next = *after;
            cycle.push(next);
        }
    }
}

/// Progress of a constructor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before `this(...)` or `super(...)`.
    Start,
    /// After `super(...)`.
    Super,
    /// After `property(...)`.
    Properties,
    /// After `this(...)`: the object is complete.
    Complete,
}

struct Walker<'a, 'db> {
    object: &'a Object<'db>,
    effects: &'a MethodEffects,
    body: &'a Body,
    has_properties: bool,
    state: State,
    problems: Vec<Problem>,
}

impl Walker<'_, '_> {
    fn may_use_this(&self) -> bool {
        match self.state {
            State::Start => false,
            State::Super => !self.has_properties,
            State::Properties | State::Complete => true,
        }
    }

    fn visit_children(&mut self, node: Node) {
        for child in self.body.children(node) {
            match child {
                Node::Expr(id) => self.expr(id),
                Node::Stmt(id) => self.stmt(id),
            }
        }
    }

    fn stmt(&mut self, id: StmtId) {
        let stmt = self.body.stmt(id);
        match &stmt.kind {
            StmtKind::ConstructorCall { is_super, .. } => {
                self.visit_children(Node::Stmt(id));
                self.state = if *is_super { State::Super } else { State::Complete };
            }
            StmtKind::Property { .. } => {
                self.visit_children(Node::Stmt(id));
                match self.state {
                    State::Start => {}
                    State::Super => self.state = State::Properties,
                    State::Properties => {
                        self.problems.push(Problem::new(stmt.range, PropertyCall::Twice));
                    }
                    State::Complete => {
                        self.problems.push(Problem::new(stmt.range, PropertyCall::AfterThis));
                    }
                }
            }
            // Captures are checked by the escape analysis.
            StmtKind::At { place, .. } => self.expr(*place),
            StmtKind::AtEach { distribution, .. } => self.expr(*distribution),
            _ => self.visit_children(Node::Stmt(id)),
        }
    }

    fn expr(&mut self, id: ExprId) {
        let body = self.body;
        if self.may_use_this() || is_captured_variable(self.object.db, body, Node::Expr(id)) {
            return;
        }
        match &body.expr(id).kind {
            ExprKind::Closure(_) => {}
            ExprKind::At { place, .. } => self.expr(*place),
            ExprKind::This => self.report(body.expr(id).range, EarlyUse::This),
            ExprKind::Coerce { value } if is_this(body, *value) => {
                // The superclass part of the object is complete.
                if self.state == State::Start {
                    self.report(body.expr(id).range, EarlyUse::Super);
                }
            }
            ExprKind::Field { object, .. } if is_this(body, *object) => {
                if matches!(body.expr(*object).kind, ExprKind::This) || self.state == State::Start {
                    let is_this = matches!(body.expr(*object).kind, ExprKind::This);
                    self.report(body.expr(id).range, if is_this { EarlyUse::This } else { EarlyUse::Super });
                }
            }
            ExprKind::Assign { target: AssignTarget::Field { object, .. }, value } => {
                let (object, value) = (*object, *value);
                if is_this(body, object) {
                    self.report(body.expr(id).range, EarlyUse::This);
                } else {
                    self.expr(object);
                }
                self.expr(value);
            }
            ExprKind::Call { method, receiver: Some(receiver), args, .. } if is_this(body, *receiver) => {
                if !self.ignores_fields(*method) {
                    self.report(body.expr(id).range, EarlyUse::Call(*method));
                }
                args.iter().for_each(|&arg| self.expr(arg));
            }
            _ => self.visit_children(Node::Expr(id)),
        }
    }

    /// Whether a method neither reads nor assigns fields.
    fn ignores_fields(&self, method: crate::ids::MethodId) -> bool {
        let Some(item) = method_item(self.object.db, method) else { return true };
        if item.kind == MethodKind::Property {
            return false;
        }
        has_annotation(&item.annotations, "NoThisAccess")
            // Other invalid calls are reported separately.
            || self.effects.get(&method).is_none_or(|effects| effects.is_empty())
    }

    fn report(&mut self, at: TextRange, used: EarlyUse) {
        let required = match used != EarlyUse::Super && self.has_properties {
            true => RequiredCall::Property,
            false => RequiredCall::Super,
        };
        self.problems.push(Problem::new(at, ThisTooEarly { used, required }));
    }
}
