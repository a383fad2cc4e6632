//! Access paths of fields and elements (`x.f`, `x(i).f`, `g()(j)`), and whether two of them overlap.
//!
//!
//! A `val` that aliases an object, and a `GlobalRail` or `GlobalRef` of one, stands for that object.

use apg_syntax::TextRange;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::index_sets::IndexSet;
use crate::body::walk::Node;
use crate::body::{Body, ExprId, ExprKind, LocalId, LocalKind, StmtId, StmtKind};
use crate::db::Db;
use crate::ids::FieldId;
use crate::item_tree::items::field_is_mutable;
use crate::kernel::{Affine, KernelContext};
use crate::ty::Ty;
use crate::ty::known::Known;

/// A path to a field or to elements.
#[derive(Clone, Debug)]
pub(super) struct AccessPath {
    pub root: PathRoot,
    /// The name of the object in the code, for messages.
    pub name: SmolStr,
    /// The steps, the last one first.
    pub steps: Vec<PathStep>,
    /// Whether the path denotes the same object at other places, not a copy.
    pub is_global: bool,
}

/// The start of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathRoot {
    Local(LocalId),
    This,
    Static(FieldId),
}

#[derive(Clone, Debug)]
pub(super) enum PathStep {
    Field(FieldId),
    /// The elements with these indices; without indices, the value of a cell or reference.
    Elements(Vec<IndexSet>),
    /// All elements of an array of any rank.
    AllElements,
}

impl AccessPath {
    /// Whether the root or an index is a variable that satisfies `predicate`.
    pub(super) fn uses(&self, predicate: &dyn Fn(LocalId) -> bool) -> bool {
        let root = matches!(self.root, PathRoot::Local(local) if predicate(local));
        root || self.steps.iter().any(|step| match step {
            PathStep::Elements(indices) => indices.iter().any(|it| it.uses(predicate)),
            PathStep::Field(_) | PathStep::AllElements => false,
        })
    }
}

/// Builds paths of expressions in one statement. Loop variables of the statement stand for all their values.
pub(super) struct AccessPaths<'a> {
    pub db: &'a dyn Db,
    pub body: &'a Body,
    pub context: &'a KernelContext<'a>,
    pub stmt: TextRange,
    pub no_values: FxHashMap<LocalId, Affine>,
}

impl<'a> AccessPaths<'a> {
    pub(super) fn new(
        db: &'a dyn Db,
        body: &'a Body,
        context: &'a KernelContext<'a>,
        stmt: StmtId,
    ) -> AccessPaths<'a> {
        AccessPaths { db, body, context, stmt: body.stmt(stmt).range, no_values: FxHashMap::default() }
    }

    /// `object.field`
    pub(super) fn field(&self, object: ExprId, field: FieldId) -> Option<AccessPath> {
        let mut path = self.path(object, vec![PathStep::Field(field)])?;
        if path.name.is_empty() {
            path.name = field.name(self.db).as_str().into();
        }
        Some(path)
    }

    /// `object(indices)`
    pub(super) fn elements(&self, object: ExprId, indices: &[ExprId], in_kernel: bool) -> Option<AccessPath> {
        self.path(object, vec![self.at(indices, in_kernel)])
    }

    /// All elements of a rail.
    pub(super) fn all(&self, rail: ExprId) -> Option<AccessPath> {
        self.path(rail, vec![PathStep::Elements(vec![IndexSet::All])])
    }

    /// `count` elements of `rail` from the index `at` on.
    pub(super) fn copied_elements(&self, rail: ExprId, at: ExprId, count: ExprId) -> Option<AccessPath> {
        let mut path = self.path(rail, Vec::new())?;
        let is_size = match &self.body.expr(self.strip_temporaries(count)).kind {
            ExprKind::Field { object, field } => {
                let of = self.path(*object, Vec::new());
                field.name(self.db) == "size" && of.is_some_and(|it| self.overlap(&it, &path))
            }
            _ => false,
        };
        let index = match is_size && self.affine(at, false).is_some_and(|it| it.as_constant() == Some(&0)) {
            true => IndexSet::All,
            false => self.element_range(at, count, self.size_of(rail).as_ref()),
        };
        path.steps.insert(0, PathStep::Elements(vec![index]));
        Some(path)
    }

    /// The length that a rail is allocated with.
    fn size_of(&self, rail: ExprId) -> Option<Affine> {
        let mut rail = self.strip_temporaries(rail);
        for _ in 0..self.body.locals.len() {
            rail = match &self.body.expr(rail).kind {
                ExprKind::Local(local) if !self.body.local(*local).mutable => {
                    self.strip_temporaries(self.context.initialiser(*local)?)
                }
                ExprKind::New { args, .. } if self.is_global_object(rail) => {
                    self.strip_temporaries(*args.first()?)
                }
                ExprKind::New { args, .. } => return self.affine(*args.first()?, false),
                ExprKind::Call { method, args, .. }
                    if ["makeGlobalRail", "allocate"].contains(&method.name(self.db).as_str()) =>
                {
                    return self.affine(*args.get(1)?, false);
                }
                _ => return None,
            };
        }
        None
    }

    /// The path to `object`, followed by `steps` (the last one first).
    pub(super) fn path(&self, mut object: ExprId, steps: Vec<PathStep>) -> Option<AccessPath> {
        let mut path = AccessPath { root: PathRoot::This, name: SmolStr::default(), steps, is_global: false };
        let mut is_named = false;
        // Each step goes to an earlier expression or to another variable, so that the loop ends.
        for _ in 0..self.body.exprs.len() {
            object = self.strip_temporaries(object);
            let ty = self.body.expr(object).ty;
            if ty.is_known(self.db, Known::PlaceLocalHandle) {
                // Each place has an object of its own.
                return None;
            }
            path.is_global |= self.is_global(ty);
            let around = object;
            object = match &self.body.expr(object).kind {
                ExprKind::Field { object, field } => {
                    if !is_named {
                        path.name = field.name(self.db).as_str().into();
                    }
                    path.steps.push(PathStep::Field(*field));
                    *object
                }
                ExprKind::Call { receiver: Some(receiver), method, args, .. }
                    if method.name(self.db) == "operator()" =>
                {
                    let is_rail = self.body.expr(*receiver).ty.global_rail_element(self.db).is_some();
                    if !(is_rail && args.is_empty()) {
                        path.steps.push(self.at(args, false));
                    }
                    *receiver
                }
                ExprKind::New { args, .. } if self.is_global_object(object) => {
                    let [object] = args[..] else { return None };
                    path.is_global = true;
                    if self.body.expr(around).ty.is_known(self.db, Known::GlobalRef)
                        && !matches!(path.steps.pop(), Some(PathStep::Elements(it)) if it.is_empty())
                    {
                        return None;
                    }
                    object
                }
                ExprKind::Local(local) => {
                    if !std::mem::replace(&mut is_named, true) {
                        path.name = self.body.local(*local).name.clone();
                    }
                    match self.aliased_expr(*local) {
                        Some(other) => other,
                        None => return Some(AccessPath { root: PathRoot::Local(*local), ..path }),
                    }
                }
                ExprKind::This => {
                    return Some(path);
                }
                ExprKind::Cast { value, .. } => *value,
                ExprKind::StaticField(field) => {
                    if !is_named {
                        path.name = field.name(self.db).as_str().into();
                    }
                    return Some(AccessPath { root: PathRoot::Static(*field), ..path });
                }
                _ => return None,
            };
        }
        None
    }

    /// The expression that a `val` is an alias of.
    fn aliased_expr(&self, local: LocalId) -> Option<ExprId> {
        let declared = self.body.local(local);
        if declared.mutable || declared.kind != LocalKind::Declared {
            return None;
        }
        let init = self.context.initialiser(local)?;
        self.is_stable(init).then_some(init)
    }

    /// Whether an expression denotes the same object at any time.
    fn is_stable(&self, id: ExprId) -> bool {
        let id = self.strip_temporaries(id);
        match &self.body.expr(id).kind {
            ExprKind::Local(local) => !self.body.local(*local).mutable,
            ExprKind::This | ExprKind::StaticField(_) => true,
            ExprKind::Cast { value, .. } => self.is_stable(*value),
            ExprKind::Field { object, field } => {
                !field_is_mutable(self.db, *field) && self.is_stable(*object)
            }
            ExprKind::New { args, .. } if self.is_global_object(id) => {
                matches!(args[..], [object] if self.is_stable(object))
            }
            ExprKind::Call { receiver: Some(receiver), method, args, .. } => {
                let global = self.is_global(self.body.expr(*receiver).ty);
                global && args.is_empty() && method.name(self.db) == "operator()" && self.is_stable(*receiver)
            }
            _ => false,
        }
    }

    fn is_global(&self, ty: Ty) -> bool {
        ty.is_known(self.db, Known::GlobalRef) || ty.global_rail_element(self.db).is_some()
    }

    /// Whether an expression makes a `GlobalRail` or `GlobalRef` of an object.
    fn is_global_object(&self, id: ExprId) -> bool {
        let expr = self.body.expr(id);
        let ExprKind::New { class, args, .. } = &expr.kind else { return false };
        let is_array = self.context.semantics.is_class(*class, "x10.regionarray.RemoteArray");
        args.len() == 1 && (is_array || self.is_global(expr.ty))
    }

    /// The expression without coercions; a temporary of desugaring (`x().f += 1` evaluates `x()` once) is
    /// replaced by its value.
    pub(super) fn strip_temporaries(&self, mut id: ExprId) -> ExprId {
        loop {
            id = match &self.body.expr(id).kind {
                ExprKind::Coerce { value } => *value,
                ExprKind::Local(local) if self.is_temporary(*local) => match self.context.initialiser(*local)
                {
                    Some(init) => init,
                    None => return id,
                },
                _ => return id,
            };
        }
    }

    pub(super) fn is_temporary(&self, local: LocalId) -> bool {
        self.body.local(local).kind == LocalKind::Temporary
    }

    fn at(&self, indices: &[ExprId], in_kernel: bool) -> PathStep {
        PathStep::Elements(indices.iter().map(|it| self.index(*it, in_kernel)).collect())
    }

    /// Whether a variable is declared in the statement.
    pub(super) fn is_inner(&self, local: LocalId) -> bool {
        self.stmt.contains_range(self.body.local(local).range)
    }

    /// Whether an expression uses such a variable, directly or through `val`s.
    pub(super) fn uses(&self, id: ExprId, predicate: &dyn Fn(LocalId) -> bool) -> bool {
        let mut open = vec![id];
        let mut seen: Vec<LocalId> = Vec::new();
        let mut found = false;
        while let Some(id) = open.pop() {
            self.body.walk(Node::Expr(id), &mut |node| {
                if let Node::Expr(id) = node
                    && let ExprKind::Local(local) = self.body.expr(id).kind
                    && !seen.contains(&local)
                {
                    seen.push(local);
                    found |= predicate(local);
                    open.extend(self.initialisers(local));
                }
                !found
            });
        }
        found
    }

    fn initialisers(&self, local: LocalId) -> impl Iterator<Item = ExprId> {
        self.body.stmts.iter().filter_map(move |it| match it.kind {
            StmtKind::Let { local: it, init } if it == local => init,
            _ => None,
        })
    }

    /// Whether two paths are certainly the same field, or have an element in common.
    pub(super) fn overlap(&self, a: &AccessPath, b: &AccessPath) -> bool {
        let steps = || a.steps.iter().zip(&b.steps);
        a.root == b.root
            && a.steps.len() == b.steps.len()
            && steps().all(|pair| match pair {
                (PathStep::Field(a), PathStep::Field(b)) => a == b,
                (PathStep::AllElements, PathStep::AllElements | PathStep::Elements(_))
                | (PathStep::Elements(_), PathStep::AllElements) => true,
                (PathStep::Elements(a), PathStep::Elements(b)) => {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.may_overlap(a, b))
                }
                _ => false,
            })
    }

    /// Whether two expressions have the same value, given that no assignment is between them.
    pub(super) fn is_same_value(&self, a: ExprId, b: ExprId) -> bool {
        let (a, b) = (self.strip_temporaries(a), self.strip_temporaries(b));
        let all = |a: &[ExprId], b: &[ExprId]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.is_same_value(*a, *b))
        };
        match (&self.body.expr(a).kind, &self.body.expr(b).kind) {
            (ExprKind::Literal(a), ExprKind::Literal(b)) => a == b,
            (ExprKind::Local(a), ExprKind::Local(b)) => a == b && !self.body.local(*a).mutable,
            (ExprKind::This, ExprKind::This) => true,
            (ExprKind::Field { object: a, field: f }, ExprKind::Field { object: b, field: g }) => {
                f == g && self.is_same_value(*a, *b)
            }
            (
                ExprKind::Call { receiver: a, method: f, args: of_a, .. },
                ExprKind::Call { receiver: b, method: g, args: of_b, .. },
            ) => f == g && all(a.as_slice(), b.as_slice()) && all(of_a, of_b),
            _ => false,
        }
    }
}
