//! Escape of `this` during construction: a constructor may use `this` only to access fields and call methods
//! that cannot be overridden.

use apg_syntax::TextRange;
use rustc_hash::FxHashSet;

use super::{Object, is_captured_variable, is_this};
use crate::body::walk::Node;
use crate::body::{AssignTarget, Body, ExprId, ExprKind, StmtId, StmtKind};
use crate::db::Db;
use crate::diagnostics::Diagnostic;
use crate::ids::{ClassId, FieldId, MethodId};
use crate::infer::{Owner, owner_body};
use crate::item_tree::items::{class_place, field_item, fields as own_fields, method_item, methods};
use crate::item_tree::source::{Item, item_source};
use crate::item_tree::{ClassPlace, MethodKind, Modifiers, has_annotation};
use crate::rules::flow as rules;
use crate::ty::known::Known;

/// Checks constructors, initialisers and the methods they call; returns those methods.
pub(super) fn check(object: &Object<'_>, found: &mut Vec<(Owner, Diagnostic)>) -> Vec<MethodId> {
    let mut search =
        EscapeAnalysis { object, pending: Vec::new(), reached: Vec::new(), seen: FxHashSet::default() };
    let self_references = self_references(object);
    for field in &self_references {
        let item = field_item(object.db, *field);
        let is_private = item.is_some_and(|item| item.modifiers.has(Modifiers::PRIVATE));
        if !object.is_final && !is_private {
            let at = crate::infer::name_range(object.db, Owner::Field(*field));
            let message =
                format!("`{}` refers to its own object, so it must be private", field.name(object.db));
            let note = "a subclass could read it while the object is being constructed: declare it `private`";
            found.push((Owner::Field(*field), rules::escaping_this::RULE.at(at, message).note(note)));
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
        found: &mut Vec<(Owner, Diagnostic)>,
    ) {
        let Some(root) = body.root else { return };
        let mut walker = Walker { search: self, body, self_references, diagnostics: Vec::new() };
        walker.visit(Node::Stmt(root));
        found.extend(walker.diagnostics.into_iter().map(|diagnostic| (owner, diagnostic)));
    }
}

struct Walker<'a, 's, 'db> {
    search: &'a mut EscapeAnalysis<'s, 'db>,
    body: &'a Body,
    self_references: &'a [FieldId],
    diagnostics: Vec<Diagnostic>,
}

impl Walker<'_, '_, '_> {
    fn visit(&mut self, visit: Node) {
        match visit {
            Node::Expr(id) => self.expr(id),
            Node::Stmt(id) => self.stmt(id),
        }
    }

    fn visit_children(&mut self, visit: Node) {
        for child in self.body.children(visit) {
            self.visit(child);
        }
    }

    fn stmt(&mut self, id: StmtId) {
        match &self.body.stmt(id).kind {
            StmtKind::At { place, body, .. } => {
                self.expr(*place);
                self.report_captured_this(*body, "an `at`", "it would be copied half constructed");
            }
            StmtKind::AtEach { distribution, body, .. } => {
                self.expr(*distribution);
                self.report_captured_this(*body, "an `ateach`", "it would be copied half constructed");
            }
            _ => self.visit_children(Node::Stmt(id)),
        }
    }

    fn expr(&mut self, id: ExprId) {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::This => {
                let message = "`this` gets away before it is constructed";
                let note = "until the constructor has ended, `this` is only there to reach fields and methods that \
                            cannot be overridden: do this after `new`, for example in a static method that makes the object";
                self.report(body.expr(id).range, message.to_owned(), note);
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
                self.report_captured_this(
                    closure.body,
                    "a closure",
                    "it may be called before the object is complete",
                );
            }
            ExprKind::At { place, body, .. } => {
                self.expr(*place);
                self.report_captured_this(*body, "an `at`", "it would be copied half constructed");
            }
            ExprKind::New { args, .. } if is_reference_to_this(self.search.object, body, id) => {
                let message = "`this` gets away before it is constructed";
                let note = "a `GlobalRef` to the object itself is made by the initialiser of a private field: \
                            `private val root = GlobalRef[C](this);`";
                args.iter().for_each(|&arg| self.report(body.expr(arg).range, message.to_owned(), note));
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
    fn report_captured_this(&mut self, code: StmtId, what: &str, why: &str) {
        for at in uses_of_this(self.search.object.db, self.body, code) {
            let message = format!("{what} in a constructor cannot use `this` or its fields: {why}");
            let note = "copy the values that it needs into `val`s of the constructor, and use those";
            self.report(at, message, note);
        }
    }

    /// `new Inner()`, and an anonymous class: both keep a reference to the outer object.
    fn check_inner_object(&mut self, class: ClassId, at: TextRange) {
        let object = self.search.object;
        if class.outer(object.db) != Some(object.class) || crate::members::is_static_class(object.db, class) {
            return;
        }
        let what = match class_place(object.db, class) {
            ClassPlace::Anonymous => "an object of an anonymous class".to_owned(),
            ClassPlace::Member => format!("an object of the inner class `{}`", class.name(object.db)),
            ClassPlace::Local => return,
        };
        let message = format!("{what} keeps `this`, which is not constructed yet");
        let note = "make the class `static` and hand it what it needs, or create the object after this one is complete";
        self.report(at, message, note);
    }

    fn check_self_reference(&mut self, field: FieldId, id: ExprId) {
        if self.self_references.contains(&field) {
            let name = field.name(self.search.object.db);
            let message = format!("`{name}` refers to `this`, which is not constructed yet");
            let note = "a `GlobalRef` to the object itself may be made in a constructor, but not used there";
            self.report(self.body.expr(id).range, message, note);
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
        let name = crate::members::describe_method(db, method);
        if object.own_method(method).is_none() {
            if !marked("NonEscaping") {
                let owner = method.class(db).name(db);
                let message =
                    format!("`{name}` of `{owner}` cannot be called while the object is constructed");
                let note = "nothing is known of what it does with `this`: of inherited and abstract methods only those marked `@NonEscaping` or `@NoThisAccess` can be called";
                self.diagnostics.push(rules::call_in_construction::RULE.at(at, message).note(note));
            }
            return;
        }
        if !object.cannot_be_overridden(item) && !marked("NonEscaping") {
            let message =
                format!("`{name}` can be overridden, so it cannot be called while the object is constructed");
            let note = "a subclass's method would see fields that are not assigned yet: make the method `private` or `final`, or mark it `@NoThisAccess` if it does not use `this`";
            self.diagnostics.push(rules::call_in_construction::RULE.at(at, message).note(note));
            return;
        }
        self.search.reach(method);
    }

    fn report(&mut self, at: TextRange, message: String, note: &str) {
        self.diagnostics.push(rules::escaping_this::RULE.at(at, message).note(note));
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
    body.walk(Node::Stmt(code), &mut |visit| {
        if let Node::Expr(id) = visit
            && matches!(body.expr(id).kind, ExprKind::This)
        {
            found.push(body.expr(id).range);
        }
        !is_captured_variable(db, body, visit)
    });
    found.dedup();
    found
}

/// Checks methods marked `@NonEscaping` or `@NoThisAccess`.
pub(super) fn check_annotated_methods(object: &Object<'_>) -> Vec<(Owner, Diagnostic)> {
    let db = object.db;
    let mut found = Vec::new();
    for method in methods(db, object.class) {
        let Some(item) = method_item(db, *method) else { continue };
        let owner = Owner::Method(*method);
        if has_annotation(&item.annotations, "NoThisAccess") {
            let code = owner_body(db, owner);
            let uses = code.body.root.map(|root| uses_of_this(db, &code.body, root)).unwrap_or_default();
            found.extend(uses.into_iter().map(|at| {
                let message = format!("`{}` is marked `@NoThisAccess` and uses `this`", item.name);
                let note = "hand the values that it needs to it as arguments, or make it `private` or `final` and mark it `@NonEscaping`";
                (owner, rules::no_this_access::RULE.at(at, message).note(note))
            }));
        } else if has_annotation(&item.annotations, "NonEscaping") && !object.cannot_be_overridden(item) {
            let at = crate::infer::name_range(db, owner);
            let message =
                format!("`{}` is marked `@NonEscaping`, so it must be `private` or `final`", item.name);
            let mut diagnostic = rules::non_escaping_method::RULE
                .at(at, message)
                .note("a method of a subclass that overrides it could let `this` get away");
            if let Some(fix) = add_final(db, *method) {
                diagnostic = diagnostic.fix(fix);
            }
            found.push((owner, diagnostic));
        }
    }
    found
}

/// A fix that inserts `final` before `def`.
fn add_final(db: &dyn Db, method: MethodId) -> Option<crate::diagnostics::Fix> {
    use apg_syntax::ast::{self, AstNode};
    let abstract_or_native = method_item(db, method)?.modifiers;
    if abstract_or_native.has(Modifiers::ABSTRACT) {
        return None;
    }
    let visit = item_source(db, Item::Method(method)).as_ref()?.syntax();
    let def = ast::MethodDecl::cast(visit)?.def_token()?;
    let edit = crate::diagnostics::TextEdit {
        file: None,
        range: TextRange::empty(def.text_range().start()),
        text: "final ".to_owned(),
    };
    Some(crate::diagnostics::Fix { title: "Make it `final`".to_owned(), edits: vec![edit] })
}
