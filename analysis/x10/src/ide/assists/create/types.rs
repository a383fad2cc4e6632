//! Types of created declarations: those that the surrounding code determines and that can be written at the
//! destination.

use apg_syntax::ast::{self, AstNode};
use apg_syntax::{SyntaxKind, SyntaxNode, T, TextRange};

use super::Home;
use crate::body::Owner;
use crate::db::Db;
use crate::ide::assists::AssistContext;
use crate::ide::expected::expected_type;
use crate::ide::receiver::value_type;
use crate::ide::spans::owner_at;
use crate::ids::{ClassId, TypeParamId};
use crate::inputs::parse;
use crate::item_tree::ClassPlace;
use crate::item_tree::items::{class_head, method_type_param_ids, type_param_ids};
use crate::ty::known::Known;
use crate::ty::{Ty, TyKind};

/// The destination of a declaration.
pub(super) struct Target<'db> {
    ctx: AssistContext<'db>,
    /// The type parameters in scope there, including the declaration's own.
    params: Vec<TypeParamId>,
}

impl<'db> Target<'db> {
    /// The destination of a member. A method gets the type parameters of its caller.
    pub(super) fn member(ctx: &AssistContext<'db>, home: &Home, is_method: bool) -> Option<Self> {
        let db = ctx.db;
        let open = home.body(ctx)?.children_with_tokens().find(|it| it.kind() == T!['{'])?;
        let mut params = match home.is_static {
            true => Vec::new(),
            false => type_param_ids(db, home.class).clone(),
        };
        if let Some(Owner::Method(method)) = owner_at(db, ctx.file, ctx.range)
            && is_method
            && home.is_around
        {
            params.extend(method_type_param_ids(db, method));
        }
        let (file, range) = (home.class.file(db), TextRange::empty(open.text_range().end()));
        Some(Self { ctx: AssistContext { db, file, root: parse(db, file).syntax(), range }, params })
    }

    /// The destination of a top-level class in this file.
    pub(super) fn top_level(ctx: &AssistContext<'db>, range: TextRange) -> Self {
        let ctx = AssistContext { db: ctx.db, file: ctx.file, root: ctx.root.clone(), range };
        Self { ctx, params: Vec::new() }
    }

    /// A type as written at the destination; `None` if it is not in scope there.
    pub(super) fn spelled(&self, db: &dyn Db, ty: Ty) -> Option<String> {
        self.knows(db, ty.base(db)).then(|| self.ctx.spelled(ty))?
    }

    /// Whether a type and all its type arguments are in scope and without constraints, which are not written.
    fn knows(&self, db: &dyn Db, ty: Ty) -> bool {
        match ty.kind(db) {
            TyKind::Param(param) => self.params.contains(param),
            TyKind::Class { class, args } => {
                let mut around = std::iter::successors(Some(*class), |class: &ClassId| class.outer(db));
                let is_member =
                    |class| class_head(db, class).as_ref().is_some_and(|it| it.place == ClassPlace::Member);
                around.all(is_member) && args.iter().all(|arg| self.knows(db, *arg))
            }
            TyKind::Function { params, result, guard } => {
                let knows = |ty: &Ty| self.knows(db, *ty);
                guard.terms.is_empty() && params.iter().all(knows) && (result.is_void(db) || knows(result))
            }
            TyKind::Constrained { .. } | TyKind::Null | TyKind::Void | TyKind::Error => false,
        }
    }
}

/// The requirement of the surrounding code on an expression.
pub(super) enum Wanted {
    /// No value is required.
    Nothing,
    /// A value of any type.
    Anything,
    /// A value of this type.
    Ty(Ty),
}

impl Wanted {
    /// The requirement to have the type `ty` of a value; any type for `null`.
    pub(super) fn value(db: &dyn Db, ty: Ty) -> Self {
        if ty.is_null(db) { Self::Anything } else { Self::Ty(ty) }
    }
}

/// The requirement of the surrounding code on an expression; `None` if it is unknown.
pub(super) fn wanted(ctx: &AssistContext<'_>, e: &SyntaxNode) -> Option<Wanted> {
    use SyntaxKind::*;
    let around = e.parent()?;
    match around.kind() {
        // Without the `;` it may be the result of a closure.
        EXPR_STMT => around.last_token().filter(|it| it.kind() == T![;]).map(|_| Wanted::Nothing),
        PAREN_EXPR => wanted(ctx, &around).filter(|it| !matches!(it, Wanted::Nothing)),
        CONDITIONAL_EXPR if around.children().find_map(ast::Expr::cast)?.syntax() == e => {
            Some(Wanted::Ty(Ty::boolean(ctx.db)))
        }
        CONDITIONAL_EXPR => wanted(ctx, &around).filter(|it| !matches!(it, Wanted::Nothing)),
        BIN_EXPR => operand(ctx, e, &around).map(Wanted::Ty),
        DECLARATOR => {
            let declarator = ast::Declarator::cast(around)?;
            declarator.name()?;
            match declarator.ty() {
                Some(_) => expected(ctx, e),
                None => Some(Wanted::Anything),
            }
        }
        // An assignment to an element passes the value as an argument.
        ASSIGN_EXPR => {
            let lhs = ast::AssignExpr::cast(around)?.lhs()?;
            matches!(lhs, ast::Expr::NameExpr(_) | ast::Expr::FieldExpr(_)).then(|| expected(ctx, e))?
        }
        RETURN_STMT if is_value_of_expression(e) => None,
        RETURN_STMT | EXPR_BODY | ARG_LIST | IF_STMT | WHILE_STMT | DO_STMT | WHEN_STMT | AT_STMT
        | AT_EXPR => expected(ctx, e),
        _ => None,
    }
}

fn expected(ctx: &AssistContext<'_>, e: &SyntaxNode) -> Option<Wanted> {
    expected_type(ctx.db, ctx.file, e.text_range().start()).map(Wanted::Ty)
}

/// Whether a `return` belongs to a closure or another expression, not to the enclosing method.
fn is_value_of_expression(e: &SyntaxNode) -> bool {
    let inside = e.ancestors().take_while(|node| node.kind() != SyntaxKind::CLASS_BODY);
    let kinds = [SyntaxKind::CLOSURE_EXPR, SyntaxKind::AT_EXPR, SyntaxKind::FINISH_EXPR];
    inside.into_iter().any(|node| kinds.contains(&node.kind()))
}

/// The type of an operand by that of the other one: most operators take two operands of one type.
fn operand(ctx: &AssistContext<'_>, e: &SyntaxNode, around: &SyntaxNode) -> Option<Ty> {
    let db = ctx.db;
    let op = operator(around)?;
    if matches!(op.as_str(), "&&" | "||") {
        return Some(Ty::boolean(db));
    }
    let other = around.children().filter(|child| child != e).find_map(ast::Expr::cast)?;
    let ty = value_type(db, ctx.file, &other)?.base(db);
    let is_number = ty.primitive(db).is_some_and(|it| !matches!(it, Known::Boolean | Known::Char));
    let is_right = match op.as_str() {
        "==" | "!=" => !ty.is_null(db),
        "+" => is_number || ty == Ty::string(db),
        "-" | "*" | "/" | "%" | "<" | "<=" | ">" | ">=" => is_number,
        _ => false,
    };
    is_right.then_some(ty)
}

/// Whether an assignment stores its value unchanged.
pub(super) fn is_plain(assignment: &ast::AssignExpr) -> bool {
    operator(assignment.syntax()).is_some_and(|op| op == "=")
}

fn operator(e: &SyntaxNode) -> Option<String> {
    let tokens = e.children_with_tokens().filter_map(|it| it.into_token());
    let op = tokens.filter(|it| !it.kind().is_trivia()).map(|it| it.text().to_owned()).collect::<String>();
    Some(op).filter(|op| !op.is_empty())
}
