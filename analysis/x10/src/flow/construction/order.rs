//! Order of constructor calls: `this(...)` or `super(...)`, code that leads to `property(...)`, the rest.
//!
//! Before `property(...)`, or before `super(...)` in a class without properties, `this` cannot be used.

use apg_syntax::TextRange;
use rustc_hash::FxHashMap;

use super::fields::MethodEffects;
use super::{Object, is_captured_variable, is_this};
use crate::body::walk::Node;
use crate::body::{AssignTarget, Body, ExprId, ExprKind, StmtId, StmtKind};
use crate::diagnostics::Diagnostic;
use crate::ids::MethodId;
use crate::infer::Owner;
use crate::item_tree::items::{method_item, properties};
use crate::item_tree::{MethodKind, has_annotation};
use crate::rules::{flow as rules, r#type as type_rules};

/// Checks all explicit constructors.
pub(super) fn check(object: &Object<'_>, effects: &MethodEffects, found: &mut Vec<(Owner, Diagnostic)>) {
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
        let mut walker = Walker { object, effects, body, has_properties, state, diagnostics: Vec::new() };
        walker.stmt(root);
        found.extend(walker.diagnostics.into_iter().map(|it| (Owner::Method(*method), it)));
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
fn report_constructor_cycles(object: &Object<'_>, found: &mut Vec<(Owner, Diagnostic)>) {
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
                found.push((Owner::Method(*method), diagnostic));
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
    diagnostics: Vec<Diagnostic>,
}

impl Walker<'_, '_> {
    fn may_use_this(&self) -> bool {
        match self.state {
            State::Start => false,
            State::Super => !self.has_properties,
            State::Properties | State::Complete => true,
        }
    }

    fn visit_children(&mut self, visit: Node) {
        for child in self.body.children(visit) {
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
                        let note = "the properties have their values already: remove one of the calls";
                        self.report_property_call(stmt.range, "`property(...)` is called twice", note);
                    }
                    State::Complete => {
                        let note =
                            "the constructor that `this(...)` calls has set the properties: remove this call";
                        self.report_property_call(
                            stmt.range,
                            "`property(...)` cannot come after `this(...)`",
                            note,
                        );
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
            ExprKind::This => self.report_too_early(body.expr(id).range, false),
            ExprKind::Coerce { value } if is_this(body, *value) => {
                // The superclass part of the object is complete.
                if self.state == State::Start {
                    self.report_too_early(body.expr(id).range, true);
                }
            }
            ExprKind::Field { object, .. } if is_this(body, *object) => {
                if matches!(body.expr(*object).kind, ExprKind::This) || self.state == State::Start {
                    self.report_too_early(
                        body.expr(id).range,
                        !matches!(body.expr(*object).kind, ExprKind::This),
                    );
                }
            }
            ExprKind::Assign { target: AssignTarget::Field { object, .. }, value } => {
                let (object, value) = (*object, *value);
                if is_this(body, object) {
                    self.report_too_early(body.expr(id).range, false);
                } else {
                    self.expr(object);
                }
                self.expr(value);
            }
            ExprKind::Call { method, receiver: Some(receiver), args, .. } if is_this(body, *receiver) => {
                if !self.ignores_fields(*method) {
                    let range = body.expr(id).range;
                    let before = self.required_call();
                    let name = method.name(self.object.db);
                    let message = format!("`{name}` cannot be called before {before}");
                    let note = "until then only methods can be called that neither read nor assign fields, or that are marked `@NoThisAccess`";
                    self.diagnostics.push(rules::this_too_early::RULE.at(range, message).note(note));
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

    fn required_call(&self) -> &'static str {
        if self.has_properties { "`property(...)`" } else { "`super(...)`" }
    }

    fn report_too_early(&mut self, at: TextRange, is_super: bool) {
        let (word, before) =
            if is_super { ("super", "`super(...)`") } else { ("this", self.required_call()) };
        let message = format!("`{word}` cannot be used before {before}");
        let note = "there are no fields yet: compute the values in `val`s of the constructor, and use those";
        self.diagnostics.push(rules::this_too_early::RULE.at(at, message).note(note));
    }

    fn report_property_call(&mut self, at: TextRange, message: &str, note: &str) {
        self.diagnostics.push(rules::property_call::RULE.at(at, message).note(note));
    }
}
