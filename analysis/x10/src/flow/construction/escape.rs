//! Escape of `this` during construction: a constructor may use `this` only to access fields and call methods
//! that cannot be overridden.

use apg_syntax::TextRange;
use rustc_hash::FxHashSet;

use super::{Object, is_captured_variable, is_this};
use crate::body::Owner;
use crate::body::walk::Node;
use crate::body::{AssignTarget, Body, ExprId, ExprKind, StmtId, StmtKind};
use crate::db::Db;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::infer::owner_body;
use crate::item_tree::items::{class_place, field_item, fields as own_fields, method_item, methods};
use crate::item_tree::{ClassPlace, MethodKind, Modifiers, has_annotation};
use crate::rules::Problem;
use crate::rules::flow::call_in_construction::CallInConstruction;
use crate::rules::flow::escaping_this::{CapturingCode, EscapingThis};
use crate::rules::flow::no_this_access::NoThisAccess;
use crate::rules::flow::non_escaping_method::NonEscapingMethod;
use crate::ty::known::Known;

/// Checks constructors, initialisers and the methods they call; returns those methods.
pub(super) fn check(object: &Object<'_>, found: &mut Vec<(Owner, Problem)>) -> Vec<MethodId> {
    let mut search =
        EscapeAnalysis { object, pending: Vec::new(), reached: Vec::new(), seen: FxHashSet::default() };
    let self_references = self_references(object);
    for field in &self_references {
        let item = field_item(object.db, *field);
        let is_private = item.is_some_and(|item| item.modifiers.has(Modifiers::PRIVATE));
        if !object.is_final && !is_private {
            let at = crate::infer::name_range(object.db, Owner::Field(*field));
            found.push((Owner::Field(*field), Problem::new(at, EscapingThis::PublicReference(*field))));
        }
    }
    for (field, code) in &object.initializers {
        if !self_references.contains(field) {
            search.code(Owner::Field(*field), &code.body, &self_references, found);
        }
    }
    for (method, code) in &object.constructors {
        search.code(Owner::Method(*method), &code.body, &self_references, found);
    }
    for method in methods(object.db, object.class) {
        let item = method_item(object.db, *method);
        let non_escaping = item.is_some_and(|item| {
            has_annotation(&item.annotations, "NonEscaping")
                && !has_annotation(&item.annotations, "NoThisAccess")
        });
        if non_escaping {
            search.reach(*method);
        }
    }
    while let Some(method) = search.pending.pop() {
        if let Some((_, code)) = object.own_method(method) {
            search.reached.push(method);
            search.code(Owner::Method(method), &code.body, &self_references, found);
        }
    }
    search.reached
}

/// Fields that hold a `GlobalRef` to their own object: initialised as in `private val root =
/// GlobalRef[C](this);`, or marked `@NonEscaping`. They are allowed, since they cannot be read before the
/// object is complete.
fn self_references(object: &Object<'_>) -> Vec<FieldId> {
    let is_reference = |body: &Body| {
        let StmtKind::Return(Some(value)) = body.stmt(body.root?).kind else { return None };
        is_reference_to_this(object, body, value).then_some(())
    };
    let made = object.initializers.iter().filter(|(_, code)| is_reference(&code.body).is_some());
    let mut all: Vec<FieldId> = made.map(|(field, _)| *field).collect();
    let marked = |field: &&FieldId| {
        field_item(object.db, **field).is_some_and(|item| has_annotation(&item.annotations, "NonEscaping"))
    };
    for field in own_fields(object.db, object.class).iter().filter(marked) {
        if !all.contains(field) {
            all.push(*field);
        }
    }
    all
}

fn is_reference_to_this(object: &Object<'_>, body: &Body, value: ExprId) -> bool {
    match &body.expr(value).kind {
        ExprKind::New { class, args, .. } => {
            crate::ty::known::known_class(object.db, Known::GlobalRef) == Some(*class)
                && matches!(args[..], [only] if is_this(body, only))
        }
        ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => {
            is_reference_to_this(object, body, *value)
        }
        _ => false,
    }
}

struct EscapeAnalysis<'a, 'db> {
    object: &'a Object<'db>,
    pending: Vec<MethodId>,
    reached: Vec<MethodId>,
    seen: FxHashSet<MethodId>,
}

impl EscapeAnalysis<'_, '_> {
    fn reach(&mut self, method: MethodId) {
        if self.seen.insert(method) {
            self.pending.push(method);
        }
    }

    fn code(
        &mut self,
        owner: Owner,
        body: &Body,
        self_references: &[FieldId],
        found: &mut Vec<(Owner, Problem)>,
    ) {
        let Some(root) = body.root else { return };
        let mut walker = Walker { search: self, body, self_references, problems: Vec::new() };
        walker.visit(Node::Stmt(root));
        found.extend(walker.problems.into_iter().map(|problem| (owner, problem)));
    }
}

struct Walker<'a, 's, 'db> {
    search: &'a mut EscapeAnalysis<'s, 'db>,
    body: &'a Body,
    self_references: &'a [FieldId],
    problems: Vec<Problem>,
}

impl Walker<'_, '_, '_> {
    fn visit(&mut self, node: Node) {
        match node {
            Node::Expr(id) => self.expr(id),
            Node::Stmt(id) => self.stmt(id),
        }
    }

    fn visit_children(&mut self, node: Node) {
        for child in self.body.children(node) {
            self.visit(child);
        }
    }

    fn stmt(&mut self, id: StmtId) {
        match &self.body.stmt(id).kind {
            StmtKind::At { place, body, .. } => {
                self.expr(*place);
                self.report_captured_this(*body, CapturingCode::At);
            }
            StmtKind::AtEach { distribution, body, .. } => {
                self.expr(*distribution);
                self.report_captured_this(*body, CapturingCode::AtEach);
            }
            _ => self.visit_children(Node::Stmt(id)),
        }
    }

    fn expr(&mut self, id: ExprId) {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::This => {
                self.report(body.expr(id).range, EscapingThis::Value);
            }
            ExprKind::Field { object, field } if is_this(body, *object) => {
                self.check_self_reference(*field, id)
            }
            ExprKind::Assign { target: AssignTarget::Field { object, field }, value }
                if is_this(body, *object) =>
            {
                let makes_reference = self.self_references.contains(field)
                    && is_reference_to_this(self.search.object, body, *value);
                if !makes_reference {
                    self.expr(*value);
                }
            }
            ExprKind::Call { method, receiver: Some(receiver), args, .. }
                if is_this(body, unboxed(body, *receiver)) =>
            {
                self.call(*method, body.expr(id).range);
                args.iter().for_each(|&arg| self.expr(arg));
            }
            ExprKind::Closure(closure) => {
                self.report_captured_this(closure.body, CapturingCode::Closure);
            }
            ExprKind::At { place, body, .. } => {
                self.expr(*place);
                self.report_captured_this(*body, CapturingCode::At);
            }
            ExprKind::New { args, .. } if is_reference_to_this(self.search.object, body, id) => {
                args.iter().for_each(|&arg| self.report(body.expr(arg).range, EscapingThis::GlobalRef));
            }
            ExprKind::New { outer, class, args, .. } => {
                match outer {
                    Some(outer) => self.expr(*outer),
                    None => self.check_inner_object(*class, body.expr(id).range),
                }
                args.iter().for_each(|&arg| self.expr(arg));
            }
            _ => self.visit_children(Node::Expr(id)),
        }
    }

    /// Code that may run elsewhere or later must not use the object.
    fn report_captured_this(&mut self, code: StmtId, by: CapturingCode) {
        for at in uses_of_this(self.search.object.db, self.body, code) {
            self.report(at, EscapingThis::Captured(by));
        }
    }

    /// `new Inner()`, and an anonymous class: both keep a reference to the outer object.
    fn check_inner_object(&mut self, class: ClassId, at: TextRange) {
        let object = self.search.object;
        if class.outer(object.db) != Some(object.class)
            || crate::item_tree::nesting::is_static_class(object.db, class)
        {
            return;
        }
        if class_place(object.db, class) != ClassPlace::Local {
            self.report(at, EscapingThis::InnerObject(class));
        }
    }

    fn check_self_reference(&mut self, field: FieldId, id: ExprId) {
        if self.self_references.contains(&field) {
            self.report(self.body.expr(id).range, EscapingThis::ReferenceRead(field));
        }
    }

    fn call(&mut self, method: MethodId, at: TextRange) {
        let object = self.search.object;
        let db = object.db;
        let Some(item) = method_item(db, method) else { return };
        let marked = |name: &str| has_annotation(&item.annotations, name);
        if item.kind == MethodKind::Property || marked("NoThisAccess") {
            return;
        }
        if object.own_method(method).is_none() {
            if !marked("NonEscaping") {
                self.problems.push(Problem::new(at, CallInConstruction::Inherited(method)));
            }
            return;
        }
        if !object.cannot_be_overridden(item) && !marked("NonEscaping") {
            self.problems.push(Problem::new(at, CallInConstruction::Overridable(method)));
            return;
        }
        self.search.reach(method);
    }

    fn report(&mut self, at: TextRange, data: EscapingThis) {
        self.problems.push(Problem::new(at, data));
    }
}

/// A struct is boxed for calls of inherited interface methods.
fn unboxed(body: &Body, receiver: ExprId) -> ExprId {
    match body.expr(receiver).kind {
        ExprKind::Box { value } => value,
        _ => receiver,
    }
}

/// The uses of `this` in code.
fn uses_of_this(db: &dyn Db, body: &Body, code: StmtId) -> Vec<TextRange> {
    let mut found = Vec::new();
    body.walk(Node::Stmt(code), &mut |node| {
        if let Node::Expr(id) = node
            && matches!(body.expr(id).kind, ExprKind::This)
        {
            found.push(body.expr(id).range);
        }
        !is_captured_variable(db, body, node)
    });
    found.dedup();
    found
}

/// Checks methods marked `@NonEscaping` or `@NoThisAccess`.
pub(super) fn check_annotated_methods(object: &Object<'_>) -> Vec<(Owner, Problem)> {
    let db = object.db;
    let mut found = Vec::new();
    for method in methods(db, object.class) {
        let Some(item) = method_item(db, *method) else { continue };
        let owner = Owner::Method(*method);
        if has_annotation(&item.annotations, "NoThisAccess") {
            let code = owner_body(db, owner);
            let uses = code.body.root.map(|root| uses_of_this(db, &code.body, root)).unwrap_or_default();
            let data = NoThisAccess::UsesThis(*method);
            found.extend(uses.into_iter().map(|at| (owner, Problem::new(at, data.clone()))));
        } else if has_annotation(&item.annotations, "NonEscaping") && !object.cannot_be_overridden(item) {
            let at = crate::infer::name_range(db, owner);
            found.push((owner, Problem::new(at, NonEscapingMethod { method: *method })));
        }
    }
    found
}
