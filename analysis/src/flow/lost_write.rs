//! Changes of objects that an `at` captured, where nothing in the `at` uses them: they are made to copies, and lost.
//!
//! Sure is only what is written out: an assignment to a field or an element, or a call that changes a container of the library.
//! Whatever else is done with the object in the `at` (it is read, returned, passed on), or with another one that may
//! lead to it, counts as a use of what was changed.

use apg_syntax::TextRange;

use super::Facts;
use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{AssignTarget, Body, Capture, Captured, ExprId, ExprKind, StmtId, StmtKind};
use crate::db::Db;
use crate::diagnostics::{Diagnostic, place as rules};
use crate::ids::ClassId;
use crate::item_tree::items::{class_head, fields, package};
use crate::scope::signature::field_type;
use crate::ty::Ty;
use crate::ty::context::Context;
use crate::ty::known::Known;

/// How deep types are looked into for objects that they may lead to.
const DEPTH: usize = 3;
/// Containers of the library whose elements are copied with them.
const CONTAINERS: &[&str] = &[
    "Rail",
    "Cell",
    "Array_1",
    "Array_2",
    "Array_3",
    "Array_4",
    "ArrayList",
    "GrowableRail",
    "RailBuilder",
    "Stack",
    "HashMap",
    "HashSet",
    "StringBuilder",
    "AtomicBoolean",
    "AtomicInteger",
    "AtomicLong",
    "AtomicDouble",
    "AtomicFloat",
];
/// Their methods that change them. Those that have a value count only where nothing takes it.
const CHANGES: &[&str] = &[
    "operator()=",
    "add",
    "addAll",
    "put",
    "set",
    "insert",
    "remove",
    "removeAt",
    "clear",
    "push",
    "pop",
    "append",
    "incrementAndGet",
    "decrementAndGet",
    "getAndIncrement",
    "getAndDecrement",
    "addAndGet",
    "getAndAdd",
    "getAndSet",
    "fill",
];
/// What tells nothing of their elements.
const SIZES: &[&str] = &["size", "range", "numElems_1", "numElems_2", "numElems_3", "indices"];

/// What is done to an object at one place.
enum Use {
    /// This expression changes it.
    Change(ExprId),
    /// Nothing that shows what it holds.
    Harmless,
    /// It, or a part of this type, is used.
    Read(Ty),
}

/// A use of something captured.
struct Found {
    root: Captured,
    at: Use,
    /// Where the object is written.
    range: TextRange,
    /// In code that an `at` within this one runs.
    is_deeper: bool,
}

/// The warnings of one body.
pub(super) fn check(facts: &Facts<'_>, body: &Body) -> Vec<Diagnostic> {
    let goes = |stmt: &StmtKind| matches!(stmt, StmtKind::At { .. } | StmtKind::AtEach { .. });
    let has_at = body.stmts.iter().any(|stmt| goes(&stmt.kind))
        || body.exprs.iter().any(|expr| matches!(expr.kind, ExprKind::At { .. }));
    if !has_at {
        return Vec::new();
    }
    let search = Search { db: facts.db, body, class: facts.class, parents: Parents::of(body) };
    let Some(root) = body.root else { return Vec::new() };
    let mut diagnostics = Vec::new();
    body.walk(Node::Stmt(root), &mut |node| {
        if let Some((code, captures)) = search.remote_code(node) {
            diagnostics.extend(search.lost(code, captures));
        }
        true
    });
    diagnostics
}

struct Search<'a> {
    db: &'a dyn Db,
    body: &'a Body,
    /// That of `this`.
    class: ClassId,
    parents: Parents,
}

impl<'a> Search<'a> {
    /// The code that `node` runs on copies. Kernels have rules of their own.
    fn remote_code(&self, node: Node) -> Option<(StmtId, &'a [Capture])> {
        let is_kernel = |id: StmtId| self.body.stmt(id).annotations.iter().any(|it| it.name == "CUDA");
        match node {
            Node::Stmt(id) => match &self.body.stmt(id).kind {
                StmtKind::At { body, captures, .. } | StmtKind::AtEach { body, captures, .. } => {
                    (!is_kernel(id) && !is_kernel(*body)).then_some((*body, captures))
                }
                _ => None,
            },
            Node::Expr(id) => match &self.body.expr(id).kind {
                ExprKind::At { body, captures, .. } => Some((*body, captures)),
                _ => None,
            },
        }
    }

    fn lost(&self, code: StmtId, captures: &[Capture]) -> Vec<Diagnostic> {
        if self.is_unknown(code) {
            return Vec::new();
        }
        let uses = self.uses(code, captures);
        let mut diagnostics = Vec::new();
        for capture in captures {
            let own = || uses.iter().filter(|it| it.root == capture.what);
            let changes: Vec<(ExprId, TextRange)> = own()
                .filter_map(|it| match it.at {
                    Use::Change(change) => Some((change, it.range)),
                    _ => None,
                })
                .collect();
            let root = self.class_of(capture.what);
            // `a(i) += 1` reads what it changes: the object is written once.
            let part_of_change = |found: &Found| changes.iter().any(|(_, range)| *range == found.range);
            let is_used = uses.iter().any(|it| match it.at {
                Use::Read(_) if it.root == capture.what => !part_of_change(it),
                Use::Read(ty) => !self.leads_nowhere(ty, root, DEPTH),
                _ => false,
            });
            if !is_used {
                let shallow = |change: ExprId| {
                    own().any(|it| !it.is_deeper && matches!(it.at, Use::Change(c) if c == change))
                };
                let shown = changes.iter().map(|it| it.0).filter(|it| shallow(*it));
                diagnostics.extend(shown.map(|change| self.report(change, capture.what)));
            }
        }
        diagnostics
    }

    fn class_of(&self, what: Captured) -> Option<ClassId> {
        match what {
            Captured::Local(local) => {
                self.body.local(local).ty.base(self.db).as_class(self.db).map(|(class, _)| class)
            }
            Captured::This => Some(self.class),
        }
    }

    fn report(&self, change: ExprId, root: Captured) -> Diagnostic {
        let name = match root {
            Captured::Local(local) => self.body.local(local).name.as_str(),
            Captured::This => "this",
        };
        rules::lost_write::RULE
            .at(self.body.expr(change).range, format!("this changes a copy of `{name}`, which is lost when the `at` ends"))
            .note(format!("an `at` works on copies of what it captures: `{name}` outside of it stays as it is"))
            .note(format!(
                "deliver the value as the result, `val v = at (p) e`, or make `val g = GlobalRef({name})` before the `at` and go back in it: `at (g) {{ ... g() ... }}`"
            ))
    }

    /// Whether `code` has an error: what it uses there is not known.
    fn is_unknown(&self, code: StmtId) -> bool {
        let mut unknown = false;
        self.body.walk(Node::Stmt(code), &mut |node| {
            unknown |= match node {
                Node::Expr(id) => matches!(self.body.expr(id).kind, ExprKind::Error),
                Node::Stmt(id) => matches!(self.body.stmt(id).kind, StmtKind::Error),
            };
            !unknown
        });
        unknown
    }

    /// All uses of what is captured in `code`.
    fn uses(&self, code: StmtId, captures: &[Capture]) -> Vec<Found> {
        let mut uses = Vec::new();
        self.body.walk(Node::Stmt(code), &mut |node| {
            let Node::Expr(id) = node else { return true };
            let root = match self.body.expr(id).kind {
                ExprKind::Local(local) => Captured::Local(local),
                // An outer object is reached from `this`.
                ExprKind::This | ExprKind::Outer(_) => Captured::This,
                _ => return true,
            };
            if captures.iter().any(|it| it.what == root) {
                let (is_deeper, is_closure) = self.around(id, code);
                let expr = self.body.expr(id);
                // A closure may run at any time.
                let at = if is_closure { Use::Read(expr.ty) } else { self.use_of(id) };
                let range = expr.range;
                uses.push(Found { root, at, range, is_deeper });
            }
            true
        });
        uses
    }

    /// Whether an `at` or a closure is between `id` and `code`.
    fn around(&self, id: ExprId, code: StmtId) -> (bool, bool) {
        let (mut is_deeper, mut is_closure) = (false, false);
        for node in self.parents.ancestors(Node::Expr(id)).take_while(|node| *node != Node::Stmt(code)) {
            is_deeper |= self.remote_code(node).is_some();
            is_closure |=
                matches!(node, Node::Expr(id) if matches!(self.body.expr(id).kind, ExprKind::Closure(_)));
        }
        (is_deeper, is_closure)
    }

    /// What is done with the object that the path from `id` leads to: `x`, `x.f`, `x.f.g`.
    fn use_of(&self, mut id: ExprId) -> Use {
        loop {
            let expr = self.body.expr(id);
            let Some(Node::Expr(parent)) = self.parents.parent(Node::Expr(id)) else {
                return Use::Read(expr.ty);
            };
            match &self.body.expr(parent).kind {
                ExprKind::Coerce { .. } => id = parent,
                ExprKind::Field { field, .. } if SIZES.contains(&field.name(self.db).as_str()) => {
                    return Use::Harmless;
                }
                ExprKind::Field { .. } => id = parent,
                ExprKind::Assign { target: AssignTarget::Field { object, .. }, .. }
                    if *object == id && self.is_copied(expr.ty) && self.is_statement(parent) =>
                {
                    return Use::Change(parent);
                }
                ExprKind::Call { receiver: Some(receiver), method, .. } if *receiver == id => {
                    return self.call(parent, expr.ty, method.name(self.db));
                }
                _ => return Use::Read(expr.ty),
            }
        }
    }

    /// A call of a method of an object of type `ty`.
    fn call(&self, call: ExprId, ty: Ty, method: &str) -> Use {
        let library = ty.base(self.db).as_class(self.db).is_some_and(|(class, _)| self.is_container(class));
        match library {
            true if CHANGES.contains(&method) && self.is_statement(call) => Use::Change(call),
            true if SIZES.contains(&method) => Use::Harmless,
            // An element.
            true if method == "operator()" => Use::Read(self.body.expr(call).ty),
            _ => Use::Read(ty),
        }
    }

    fn is_container(&self, class: ClassId) -> bool {
        let place = package(self.db, class.file(self.db));
        CONTAINERS.contains(&class.name(self.db).as_str())
            && ["x10.lang", "x10.util", "x10.array", "x10.util.concurrent"].contains(&place.as_str())
    }

    /// Whether objects of type `ty` are copied field by field.
    fn is_copied(&self, ty: Ty) -> bool {
        let (db, ty) = (self.db, ty.base(self.db));
        let own_way = Ty::known(db, Known::CustomSerialization);
        ty.as_class(db).is_some() && !ty.is_struct(db) && !Context::global(db).is_subtype(ty, own_way)
    }

    /// Whether nothing takes the value of `id`.
    fn is_statement(&self, id: ExprId) -> bool {
        let mut node = Node::Expr(id);
        while let Some(parent) = self.parents.parent(node) {
            match parent {
                Node::Stmt(stmt) => return matches!(self.body.stmt(stmt).kind, StmtKind::Expr(_)),
                Node::Expr(around) => match &self.body.expr(around).kind {
                    ExprKind::Let { result, .. } if node == Node::Expr(*result) => node = parent,
                    _ => return false,
                },
            }
        }
        false
    }

    /// Whether no object of the class `root`, nor one of which nothing is known, can be reached from a value of type `ty`. Another
    /// value of that class itself is hardly the same one.
    fn leads_nowhere(&self, ty: Ty, root: Option<ClassId>, depth: usize) -> bool {
        let db = self.db;
        let ty = ty.base(db);
        const CLOSED: &[Known] = &[
            Known::String,
            Known::Place,
            Known::GlobalRef,
            Known::GlobalRail,
            Known::PlaceLocalHandle,
            Known::Clock,
        ];
        if ty.primitive(db).is_some() || CLOSED.iter().any(|known| ty.is_known(db, *known)) {
            return true;
        }
        let Some((class, args)) = ty.as_class(db) else { return false };
        if depth == 0 || ty.is_interface(db) || depth < DEPTH && Some(class) == root {
            return false;
        }
        let part = |ty: Ty| self.leads_nowhere(ty, root, depth - 1);
        if self.is_container(class) {
            return args.iter().all(|arg| part(*arg));
        }
        let extends = class_head(db, class).as_ref().is_none_or(|head| head.extends.is_some());
        !extends && fields(db, class).iter().all(|field| part(field_type(db, *field)))
    }
}
