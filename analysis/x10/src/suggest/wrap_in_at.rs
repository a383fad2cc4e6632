//! Fix for accesses to objects of other places: an `at` around the code that uses the object.
//!
//! An `at` expression delivers a copy of its value. So one is put only around what delivers a value that
//! has no identity, such as a number. What changes a remote object is put into an `at` statement as a
//! whole: an assignment, a step or a call with an unused value. Everything that then runs at the other
//! place must mean the same there: values and `val`s of values, no `here`, no objects.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, TextRange};

use crate::body::{AssignTarget, Body, Expr, ExprId, ExprKind, LocalKind};
use crate::db::Db;
use crate::diagnostics::{Fix, TextEdit};
use crate::item_tree::items::{field_is_static, field_item, fields, method_item};
use crate::item_tree::source::Item;
use crate::item_tree::{MethodKind, Modifiers, annotation_string};
use crate::rules::render::RenderContext;
use crate::signature::field_type;
use crate::ty::Ty;
use crate::ty::known::Known;
use crate::ty::subst::Substitution;

/// The access to a remote object that an `at` is put around.
struct RemoteAccess<'a> {
    db: &'a dyn Db,
    item: Item,
    body: &'a Body,
    root: SyntaxNode,
    /// A `GlobalRef` or a `GlobalRail`.
    object: ExprId,
    /// The call that reaches for what it refers to.
    access: TextRange,
}

/// The code that is put into an `at`.
struct Wrapped {
    range: TextRange,
    is_statement: bool,
    /// The part that starts with the object and leads to what is read, called or changed.
    path: TextRange,
}

/// The fix that puts the access to `object`, whose home is `home`, into an `at`.
pub(crate) fn at_around(
    cx: &RenderContext<'_>,
    object: ExprId,
    access: TextRange,
    home: &str,
) -> Option<Fix> {
    let (body, root) = (cx.body()?, cx.syntax()?);
    RemoteAccess { db: cx.db, item: cx.item, body, root, object, access }.fix(home)
}

impl RemoteAccess<'_> {
    fn fix(&self, home: &str) -> Option<Fix> {
        let wrapped = self.wrapped()?;
        let starts_path = self.body.expr(self.object).range.start() == wrapped.path.start();
        if !starts_path || !self.is_handle() || !self.means_the_same_there(&wrapped) {
            return None;
        }
        let edit = |at, text: String| TextEdit { file: None, range: TextRange::empty(at), text };
        let go = format!("at ({home})");
        let edits = match wrapped.is_statement {
            true => vec![edit(wrapped.range.start(), format!("{go} "))],
            false => vec![
                edit(wrapped.range.start(), format!("({go} ")),
                edit(wrapped.range.end(), ")".to_owned()),
            ],
        };
        let title = match wrapped.is_statement {
            true => format!("Wrap the statement in `{go}`"),
            false => format!("Wrap in `{go}`"),
        };
        Some(Fix { title, edits })
    }

    /// The longest expression that the access leads to, or the assignment or call that it is part of.
    fn wrapped(&self) -> Option<Wrapped> {
        let mut node = expression_at(&self.root, self.access)?;
        // What may not wait has no `at` in it.
        let is_atomic =
            |it: &SyntaxNode| matches!(it.kind(), SyntaxKind::ATOMIC_STMT | SyntaxKind::WHEN_STMT);
        if node.ancestors().any(|it| is_atomic(&it)) || self.is_atomic_method() {
            return None;
        }
        let mut changes = ast::AssignExpr::can_cast(node.kind());
        let mut path = node.text_range();
        while let Some(around) = node.parent().filter(|_| !changes) {
            match around.kind() {
                SyntaxKind::FIELD_EXPR | SyntaxKind::CALL_EXPR if is_first(&node, &around) => {
                    path = around.text_range();
                }
                SyntaxKind::ASSIGN_EXPR if is_first(&node, &around) => changes = true,
                SyntaxKind::POSTFIX_EXPR => changes = true,
                SyntaxKind::PREFIX_EXPR => changes = is_step(&around),
                _ => break,
            }
            if around.kind() == SyntaxKind::PREFIX_EXPR && !changes {
                break;
            }
            node = around;
        }
        let statement = node.parent().and_then(ast::ExprStmt::cast);
        if changes || statement.is_some() {
            statement?;
            return Some(Wrapped { range: node.text_range(), is_statement: true, path });
        }
        let ty = self.body.exprs.iter().find(|it| it.range == node.text_range())?.ty;
        self.is_value(ty).then(|| Wrapped { range: node.text_range(), is_statement: false, path })
    }

    fn is_atomic_method(&self) -> bool {
        let Item::Method(method) = self.item else { return false };
        method_item(self.db, method).is_some_and(|it| it.modifiers.has(Modifiers::ATOMIC))
    }

    fn is_constructor(&self) -> bool {
        let Item::Method(method) = self.item else { return false };
        method_item(self.db, method).is_some_and(|it| it.kind == MethodKind::Constructor)
    }

    /// Whether an expression names a handle of a remote object in a way that is worth the same when it is
    /// evaluated twice, and at any place: a `val`, or a field of one.
    fn is_handle(&self) -> bool {
        let handles = [Known::GlobalRef, Known::GlobalRail];
        let ty = self.body.expr(self.object).ty;
        handles.iter().any(|it| ty.is_known(self.db, *it)) && self.is_stable_path(self.object)
    }

    fn is_stable_path(&self, expr: ExprId) -> bool {
        match &self.body.expr(expr).kind {
            ExprKind::Coerce { value } => self.is_stable_path(*value),
            ExprKind::Local(local) => !self.body.local(*local).mutable,
            ExprKind::This => !self.is_constructor(),
            ExprKind::Field { object, field } => {
                let is_settled = field_item(self.db, *field)
                    .is_some_and(|it| !it.mutable && !it.modifiers.has(Modifiers::TRANSIENT));
                is_settled && self.is_stable_path(*object)
            }
            ExprKind::StaticField(_) => true,
            _ => false,
        }
    }

    /// Whether all that would run at the other place does there what it does here.
    fn means_the_same_there(&self, wrapped: &Wrapped) -> bool {
        let inside = self.body.exprs.iter().filter(|it| wrapped.range.contains_range(it.range));
        let mut of_path = Vec::new();
        for expr in inside {
            match expr.range.start() <= wrapped.path.start() && !of_value(&expr.kind) {
                true => of_path.push(expr),
                false if !self.is_worth_the_same(expr) && !self.starts_with(expr, self.object) => {
                    return false;
                }
                false => {}
            }
        }
        of_path.into_iter().all(|it| self.is_path_part(it))
    }

    /// Parts of the path itself: what they reach lives there.
    fn is_path_part(&self, expr: &Expr) -> bool {
        let is_temporary = |local| self.body.local(local).kind == LocalKind::Temporary;
        match &expr.kind {
            ExprKind::Local(local) => !self.body.local(*local).mutable || is_temporary(*local),
            ExprKind::Assign { target: AssignTarget::Local(local), .. } => is_temporary(*local),
            ExprKind::Here | ExprKind::Error | ExprKind::At { .. } | ExprKind::Closure(_) => false,
            _ => true,
        }
    }

    /// Operands: values, and what is computed from them.
    fn is_worth_the_same(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Literal(_) => true,
            ExprKind::Local(local) => {
                let local = self.body.local(*local);
                local.kind == LocalKind::Temporary || !local.mutable && self.is_value(local.ty)
            }
            ExprKind::Coerce { .. }
            | ExprKind::Conditional { .. }
            | ExprKind::ShortCircuit { .. }
            | ExprKind::Equal { .. }
            | ExprKind::Concat { .. }
            | ExprKind::Box { .. }
            | ExprKind::Let { .. } => true,
            ExprKind::Call { method, .. } => method_item(self.db, *method).is_some_and(|item| {
                annotation_string(&item.annotations, "Intrinsic").is_some_and(|name| name.starts_with("op."))
            }),
            _ => false,
        }
    }

    /// Whether an expression reads through the same handle, so that it lives at the same place.
    fn starts_with(&self, expr: &Expr, handle: ExprId) -> bool {
        let inner = match &expr.kind {
            ExprKind::Local(_) => return expr.kind == self.body.expr(self.uncoerced(handle)).kind,
            ExprKind::Coerce { value } => value,
            ExprKind::Field { object, .. } => object,
            ExprKind::Call { receiver: Some(receiver), .. } => receiver,
            _ => return false,
        };
        self.starts_with(self.body.expr(*inner), handle)
    }

    fn uncoerced(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Coerce { value } = self.body.expr(expr).kind {
            expr = value;
        }
        expr
    }

    /// Whether copies of a value are as good as the value: numbers, strings, handles, and structs of these.
    fn is_value(&self, ty: Ty) -> bool {
        self.is_value_within(ty, 0)
    }

    fn is_value_within(&self, ty: Ty, depth: u32) -> bool {
        const MAX_STRUCT_DEPTH: u32 = 8;
        const HANDLES: [Known; 5] =
            [Known::String, Known::Place, Known::GlobalRef, Known::GlobalRail, Known::PlaceLocalHandle];
        let (db, ty) = (self.db, ty.base(self.db));
        if ty.primitive(db).is_some() || HANDLES.iter().any(|it| ty.is_known(db, *it)) {
            return true;
        }
        let Some((class, args)) = ty.as_class(db).filter(|_| ty.is_struct(db)) else { return false };
        let own = Substitution::class(db, class, args);
        depth < MAX_STRUCT_DEPTH
            && fields(db, class)
                .iter()
                .filter(|it| !field_is_static(db, **it))
                .all(|it| self.is_value_within(own.apply(db, field_type(db, *it)), depth + 1))
    }
}

/// What computes a value of its operands, where the object may be the first of them.
fn of_value(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Concat { .. } | ExprKind::Conditional { .. } | ExprKind::ShortCircuit { .. })
}

/// The outermost expression of this range.
fn expression_at(root: &SyntaxNode, range: TextRange) -> Option<SyntaxNode> {
    let token = apg_syntax::token_at_offset(root, range.start()).right_biased()?;
    let nodes = token.parent_ancestors().take_while(|it| range.contains_range(it.text_range()));
    nodes.filter(|it| it.text_range() == range && ast::Expr::can_cast(it.kind())).last()
}

/// Whether a node is what another one starts with: the receiver, the callee, the left side.
fn is_first(node: &SyntaxNode, around: &SyntaxNode) -> bool {
    around.first_child().as_ref() == Some(node)
}

/// `++x`, `--x`
fn is_step(node: &SyntaxNode) -> bool {
    node.first_token().is_some_and(|it| matches!(it.text(), "++" | "--"))
}
