//! Lost writes: changes of captured copies in an `at` that nothing in the `at` reads.
//!
//!
//! Reported are only certain changes: assignments to fields or elements, and mutating methods of library
//! containers. Any other use of the object in the `at`, or of an object that may alias or reach it, counts as
//! a read.

use apg_syntax::TextRange;

use super::FlowContext;
use crate::body::parents::Parents;
use crate::body::walk::Node;
use crate::body::{AssignTarget, Body, Capture, Captured, ExprId, ExprKind, LocalId, StmtId, StmtKind};
use crate::db::Db;
use crate::ids::{ClassId, FieldId};
use crate::item_tree::Modifiers;
use crate::item_tree::items::{class_head, field_item, package};
use crate::relate::Context;
use crate::rules::Problem;
use crate::rules::place::lost_write::LostWrite;
use crate::ty::Ty;
use crate::ty::known::Known;

/// Library containers whose elements are copied with them.
const COPIED_CONTAINERS: &[&str] = &[
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
/// Mutating methods of containers. Those with a result count only where it is unused.
const MUTATING_METHODS: &[&str] = &[
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
/// Containers whose size never changes.
const FIXED_SIZE_CONTAINERS: &[&str] = &["Rail", "Array_1", "Array_2", "Array_3", "Array_4"];
/// Members that reveal only the size.
const SIZE_METHODS: &[&str] = &["size", "range", "numElems_1", "numElems_2", "numElems_3", "indices"];
/// Values, and types that refer to objects without copying them.
const OPAQUE_TYPES: &[Known] = &[
    Known::String,
    Known::Place,
    Known::GlobalRef,
    Known::GlobalRail,
    Known::PlaceLocalHandle,
    Known::Clock,
];

/// The effect of one use on a captured object.
enum Effect {
    /// The expression writes the object of type `of`, reached from the capture.
    Write { by: ExprId, of: Ty },
    /// Neither a write nor a read of contents.
    None,
    /// The object, or an object reachable from it, is read.
    Read,
}

/// A use of a captured variable.
struct CapturedUse {
    root: Captured,
    at: Effect,
    /// Range of the use.
    range: TextRange,
    /// Whether it is in a nested `at`.
    is_in_nested_at: bool,
}

/// The problems of one body.
pub(super) fn check(context: &FlowContext<'_>, body: &Body) -> Vec<Problem> {
    let goes = |stmt: &StmtKind| matches!(stmt, StmtKind::At { .. } | StmtKind::AtEach { .. });
    let has_at = body.stmts.iter().any(|stmt| goes(&stmt.kind))
        || body.exprs.iter().any(|expr| matches!(expr.kind, ExprKind::At { .. }));
    if !has_at {
        return Vec::new();
    }
    let search = LostWriteAnalysis { db: context.db, body, parents: Parents::of(body) };
    let Some(root) = body.root else { return Vec::new() };
    let mut problems = Vec::new();
    body.walk(Node::Stmt(root), &mut |node| {
        if let Some((code, captures)) = search.remote_code(node) {
            problems.extend(search.lost_writes(code, captures));
        }
        true
    });
    problems
}

struct LostWriteAnalysis<'a> {
    db: &'a dyn Db,
    body: &'a Body,
    parents: Parents,
}

impl<'a> LostWriteAnalysis<'a> {
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

    fn lost_writes(&self, code: StmtId, captures: &[Capture]) -> Vec<Problem> {
        if self.has_errors(code) {
            return Vec::new();
        }
        let uses_of_captures = self.uses_of_captures(code, captures);
        let mut problems = Vec::new();
        for capture in captures {
            let own = || uses_of_captures.iter().filter(|it| it.root == capture.what);
            let writes: Vec<(ExprId, Ty, TextRange)> = own()
                .filter_map(|it| match it.at {
                    Effect::Write { by, of } => Some((by, of, it.range)),
                    _ => None,
                })
                .collect();
            // `a(i) += 1` reads what it changes, at one source range.
            let part_of_change = |found: &CapturedUse| writes.iter().any(|(.., range)| *range == found.range);
            let is_read = uses_of_captures.iter().filter(|it| matches!(it.at, Effect::Read)).any(|it| {
                if it.root == capture.what {
                    return !part_of_change(it);
                }
                writes.iter().any(|(_, of, _)| self.may_alias_or_reach(it.root, capture.what, *of))
            });
            if !is_read {
                let shallow = |write: ExprId| {
                    own().any(|it| {
                        !it.is_in_nested_at && matches!(it.at, Effect::Write { by, .. } if by == write)
                    })
                };
                let reported = writes.iter().map(|it| it.0).filter(|it| shallow(*it));
                problems.extend(reported.map(|write| {
                    Problem::new(self.body.expr(write).range, LostWrite { root: capture.what })
                }));
            }
        }
        problems
    }

    /// Whether `other` may alias or reach the object of type `changed` that `root` is or reaches.
    fn may_alias_or_reach(&self, other: Captured, root: Captured, changed: Ty) -> bool {
        let (Captured::Local(other), Captured::Local(root)) = (other, root) else { return true };
        let ty = self.body.local(other).ty;
        // Two objects created here are distinct, but may share contents.
        if self.is_fresh_object(other) && self.is_fresh_object(root) && self.container(ty).is_some() {
            return self.arguments(ty).iter().any(|part| self.may_reach(*part, changed));
        }
        self.may_reach(ty, changed)
    }

    /// Whether `local` holds a new object that has no other name.
    fn is_fresh_object(&self, local: LocalId) -> bool {
        let mut made = false;
        let Some(root) = self.body.root else { return false };
        self.body.walk(Node::Stmt(root), &mut |node| {
            if let Node::Stmt(id) = node
                && let StmtKind::Let { local: it, init: Some(init) } = self.body.stmt(id).kind
                && it == local
            {
                made = matches!(self.body.expr(self.strip_coercions(init)).kind, ExprKind::New { .. });
            }
            !made
        });
        made && !self.body.local(local).mutable
    }

    fn strip_coercions(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Coerce { value } = self.body.expr(id).kind {
            id = value;
        }
        id
    }

    /// Whether `code` has type errors, so that its uses are unknown.
    fn has_errors(&self, code: StmtId) -> bool {
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

    /// All uses of captures in `code`.
    fn uses_of_captures(&self, code: StmtId, captures: &[Capture]) -> Vec<CapturedUse> {
        let mut uses_of_captures = Vec::new();
        self.body.walk(Node::Stmt(code), &mut |node| {
            let Node::Expr(id) = node else { return true };
            let root = match self.body.expr(id).kind {
                ExprKind::Local(local) => Captured::Local(local),
                // An outer object is reached from `this`.
                ExprKind::This | ExprKind::Outer(_) => Captured::This,
                _ => return true,
            };
            if captures.iter().any(|it| it.what == root) {
                let (is_in_nested_at, is_closure) = self.enclosing_code(id, code);
                let expr = self.body.expr(id);
                // A closure may run at any time.
                let at = if is_closure { Effect::Read } else { self.effect_at(id) };
                let range = expr.range;
                uses_of_captures.push(CapturedUse { root, at, range, is_in_nested_at });
            }
            true
        });
        uses_of_captures
    }

    /// Whether an `at` or a closure is between `id` and `code`.
    fn enclosing_code(&self, id: ExprId, code: StmtId) -> (bool, bool) {
        let (mut is_in_nested_at, mut is_closure) = (false, false);
        for node in self.parents.ancestors(Node::Expr(id)).take_while(|node| *node != Node::Stmt(code)) {
            is_in_nested_at |= self.remote_code(node).is_some();
            is_closure |=
                matches!(node, Node::Expr(id) if matches!(self.body.expr(id).kind, ExprKind::Closure(_)));
        }
        (is_in_nested_at, is_closure)
    }

    /// The effect on the object at the end of the access path from `root`: `x`, `x.f`, `x.f.g`.
    fn effect_at(&self, root: ExprId) -> Effect {
        let mut id = root;
        loop {
            let ty = self.body.expr(id).ty;
            let Some(Node::Expr(parent)) = self.parents.parent(Node::Expr(id)) else {
                return Effect::Read;
            };
            // `x.f` may refer to another object by now, of another size.
            let has_size = self.strip_coercions(id) == root && self.has_fixed_size(ty);
            match &self.body.expr(parent).kind {
                ExprKind::Coerce { .. } => id = parent,
                ExprKind::Field { field, .. }
                    if SIZE_METHODS.contains(&field.name(self.db).as_str()) && has_size =>
                {
                    return Effect::None;
                }
                ExprKind::Field { field, .. } if self.is_copied(ty) && !self.is_transient(*field) => {
                    id = parent
                }
                ExprKind::Assign { target: AssignTarget::Field { object, .. }, .. }
                    if *object == id
                        && self.is_copied(ty)
                        && !ty.is_struct(self.db)
                        && self.is_statement(parent) =>
                {
                    return Effect::Write { by: parent, of: ty };
                }
                ExprKind::Call { receiver: Some(receiver), method, .. } if *receiver == id => {
                    let method = method.name(self.db);
                    return match self.container(ty).is_some() {
                        true if MUTATING_METHODS.contains(&method.as_str()) && self.is_statement(parent) => {
                            Effect::Write { by: parent, of: ty }
                        }
                        true if SIZE_METHODS.contains(&method.as_str()) && has_size => Effect::None,
                        _ => Effect::Read,
                    };
                }
                _ => return Effect::Read,
            }
        }
    }

    fn class(&self, ty: Ty) -> Option<ClassId> {
        ty.base(self.db).as_class(self.db).map(|(class, _)| class)
    }

    fn arguments(&self, ty: Ty) -> &'a [Ty] {
        ty.base(self.db).as_class(self.db).map_or(&[], |(_, args)| args)
    }

    /// The class of a container.
    fn container(&self, ty: Ty) -> Option<ClassId> {
        self.class(ty).filter(|class| {
            let place = package(self.db, class.file(self.db));
            COPIED_CONTAINERS.contains(&class.name(self.db).as_str())
                && ["x10.lang", "x10.util", "x10.array", "x10.util.concurrent"].contains(&place.as_str())
        })
    }

    fn has_fixed_size(&self, ty: Ty) -> bool {
        self.container(ty).is_some_and(|class| FIXED_SIZE_CONTAINERS.contains(&class.name(self.db).as_str()))
    }

    /// Whether objects of type `ty` are copied field by field. An abstract class says nothing about its
    /// subclasses.
    fn is_copied(&self, ty: Ty) -> bool {
        let (db, ty) = (self.db, ty.base(self.db));
        let Some(class) = self.class(ty) else { return false };
        let is_abstract =
            class_head(db, class).as_ref().is_none_or(|head| head.modifiers.has(Modifiers::ABSTRACT));
        let own_way = Ty::known(db, Known::CustomSerialization);
        self.container(ty).is_some()
            || !ty.is_interface(db) && !is_abstract && !Context::global(db).is_subtype(ty, own_way)
    }

    /// Whether each place has its own value of a field.
    fn is_transient(&self, field: FieldId) -> bool {
        field_item(self.db, field).is_none_or(|item| item.modifiers.has(Modifiers::TRANSIENT))
    }

    /// Whether the value of `id` is unused.
    fn is_statement(&self, id: ExprId) -> bool {
        let mut node = Node::Expr(id);
        while let Some(parent) = self.parents.parent(node) {
            match parent {
                Node::Stmt(stmt) => return matches!(self.body.stmt(stmt).kind, StmtKind::Expr(_)),
                Node::Expr(enclosing_code) => match &self.body.expr(enclosing_code).kind {
                    ExprKind::Let { result, .. } if node == Node::Expr(*result) => node = parent,
                    _ => return false,
                },
            }
        }
        false
    }

    /// Whether an object of type `changed` may be reached from a value of type `ty`. User classes may have
    /// subclasses, so they may reach anything.
    fn may_reach(&self, ty: Ty, changed: Ty) -> bool {
        let (db, ty) = (self.db, ty.base(self.db));
        if ty.primitive(db).is_some() || OPAQUE_TYPES.iter().any(|known| ty.is_known(db, *known)) {
            return false;
        }
        let context = Context::global(db);
        let is_same = || {
            let changed = changed.base(db);
            self.class(ty) == self.class(changed)
                || context.is_subtype(ty, changed)
                || context.is_subtype(changed, ty)
        };
        self.container(ty).is_none()
            || is_same()
            || self.arguments(ty).iter().any(|part| self.may_reach(*part, changed))
    }
}
