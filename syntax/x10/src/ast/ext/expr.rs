//! Additions to expressions.

use smol_str::SmolStr;

use crate::ast::ext::operator::{AssignOp, BinaryOp, PostfixOp, PrefixOp};
use crate::ast::generated::enums::*;
use crate::ast::generated::nodes::*;
use crate::ast::node::AstNode;
use crate::ast::support::{AstChildren, child, children};
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::{SyntaxElement, SyntaxToken};

/// The first token of `node` for which `f` has an answer, with it.
fn operator<T>(node: &impl AstNode, f: impl Fn(SyntaxKind) -> Option<T>) -> Option<(SyntaxToken, T)> {
    node.syntax().children_with_tokens().filter_map(SyntaxElement::into_token).find_map(|it| {
        let op = f(it.kind())?;
        Some((it, op))
    })
}

/// The child before the operator token, and the one after it.
fn operand<N: AstNode>(node: &impl AstNode, op: Option<SyntaxToken>, right: bool) -> Option<N> {
    let Some(op) = op else { return if right { None } else { child(node.syntax()) } };
    node.syntax()
        .children()
        .filter(|it| (it.text_range().start() >= op.text_range().end()) == right)
        .find_map(N::cast)
}

macro_rules! operators {
    ($($node:ident: $op:ident, $operand:ident, $f:expr;)*) => { $(
        impl $node {
            /// The operator.
            pub fn op(&self) -> Option<$op> {
                operator(self, $f).map(|it| it.1)
            }
            /// Its token.
            pub fn op_token(&self) -> Option<SyntaxToken> {
                operator(self, $f).map(|it| it.0)
            }
        }
    )* };
}

operators! {
    PrefixExpr: PrefixOp, Expr, PrefixOp::from_kind;
    PostfixExpr: PostfixOp, Expr, PostfixOp::from_kind;
    BinExpr: BinaryOp, Expr, BinaryOp::from_kind;
    AssignExpr: AssignOp, Expr, AssignOp::from_kind;
    SubtypeExpr: SyntaxKind, Type, |it| matches!(it, T![<:] | T![:>]).then_some(it);
}

macro_rules! two_sides {
    ($($node:ident: $operand:ident;)*) => { $(
        impl $node {
            /// The operand before the operator.
            pub fn lhs(&self) -> Option<$operand> {
                operand(self, self.op_token(), false)
            }
            /// The operand after the operator.
            pub fn rhs(&self) -> Option<$operand> {
                operand(self, self.op_token(), true)
            }
        }
    )* };
}

two_sides! {
    BinExpr: Expr;
    AssignExpr: Expr;
    SubtypeExpr: Type;
}

impl SubtypeExpr {
    /// The subtype and the supertype, whichever way round they are written.
    pub fn sub_and_super(&self) -> (Option<Type>, Option<Type>) {
        match self.op() {
            Some(T![:>]) => (self.rhs(), self.lhs()),
            _ => (self.lhs(), self.rhs()),
        }
    }
}

impl CallExpr {
    /// The name of the method, and the expression it is selected from: `m(x)`, `e.m(x)`.
    /// `None` if the callee is another expression, whose value is applied.
    pub fn method(&self) -> Option<(Option<Expr>, NameRef)> {
        match self.callee()? {
            Expr::NameExpr(it) => Some((None, it.name_ref()?)),
            Expr::FieldExpr(it) => Some((it.receiver(), it.name_ref()?)),
            _ => None,
        }
    }
    /// The arguments.
    pub fn args(&self) -> impl Iterator<Item = Expr> {
        self.arg_list().into_iter().flat_map(|it| it.exprs())
    }
    /// The type arguments.
    pub fn type_args(&self) -> impl Iterator<Item = Type> {
        self.type_arg_list().into_iter().flat_map(|it| it.types())
    }
}

impl NamedType {
    /// `a.b.C` if no part but the last has arguments or a constraint and it does not start with an
    /// expression.
    pub fn qualified_name(&self) -> Option<Vec<NameRef>> {
        let mut names = vec![self.name_ref()?];
        if self.base().is_some() {
            return None;
        }
        let mut here = self.qualifier();
        while let Some(ty) = here {
            if ty.base().is_some()
                || ty.type_arg_list().is_some()
                || ty.arg_list().is_some()
                || ty.constraint().is_some()
            {
                return None;
            }
            names.push(ty.name_ref()?);
            here = ty.qualifier();
        }
        names.reverse();
        Some(names)
    }
    /// The type arguments.
    pub fn type_args(&self) -> impl Iterator<Item = Type> {
        self.type_arg_list().into_iter().flat_map(|it| it.types())
    }
}

impl Expr {
    /// The names of `a.b.c`, if it is nothing else: a possibly qualified name.
    pub fn as_path(&self) -> Option<Vec<NameRef>> {
        let mut names = Vec::new();
        let mut here = self.clone();
        loop {
            match here {
                Expr::NameExpr(it) => {
                    names.push(it.name_ref()?);
                    names.reverse();
                    return Some(names);
                }
                Expr::FieldExpr(it) => {
                    names.push(it.name_ref()?);
                    here = it.receiver()?;
                }
                _ => return None,
            }
        }
    }
    /// The expression without the parentheses around it.
    pub fn without_parens(&self) -> Expr {
        let mut here = self.clone();
        while let Expr::ParenExpr(it) = &here {
            match it.expr() {
                Some(inner) => here = inner,
                None => break,
            }
        }
        here
    }
}

/// What an [`OperatorName`] names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperatorNameKind {
    /// `operator+`: unary or binary, by the number of arguments.
    Operator(SyntaxKind),
    /// `operator()`
    Apply,
    /// `operator()=`
    Set,
    /// `operator as [T]`
    ExplicitConversion(Option<Type>),
    /// `operator [T]`
    ImplicitConversion(Option<Type>),
    /// `operator async`
    Keyword(SyntaxKind),
}

impl OperatorName {
    /// What it names; `None` in a broken tree.
    pub fn kind(&self) -> Option<OperatorNameKind> {
        let ty = || self.type_arg_list().and_then(|it| it.types().next());
        if self.as_token().is_some() {
            return Some(OperatorNameKind::ExplicitConversion(ty()));
        }
        let tokens = self.syntax().children_with_tokens().filter_map(SyntaxElement::into_token);
        let mut kinds = tokens.map(|it| it.kind()).filter(|it| !it.is_trivia());
        match kinds.find(|it| !matches!(it, T!['('] | T![')'])) {
            Some(T![=]) => Some(OperatorNameKind::Set),
            Some(kind) if kind.is_keyword() => Some(OperatorNameKind::Keyword(kind)),
            Some(kind) => Some(OperatorNameKind::Operator(kind)),
            None if self.type_arg_list().is_some() => Some(OperatorNameKind::ImplicitConversion(ty())),
            None if self.l_paren_token().is_some() => Some(OperatorNameKind::Apply),
            None => None,
        }
    }

    /// The name of the method: as [`OperatorDecl::method_name`].
    pub fn method_name(&self) -> Option<SmolStr> {
        Some(match self.kind()? {
            OperatorNameKind::Operator(kind) => smol_str::format_smolstr!("operator{}", kind.text()?),
            OperatorNameKind::Apply => SmolStr::new_static("operator()"),
            OperatorNameKind::Set => SmolStr::new_static("operator()="),
            OperatorNameKind::ExplicitConversion(_) => SmolStr::new_static("operator as"),
            OperatorNameKind::ImplicitConversion(_) => SmolStr::new_static("operator implicit as"),
            OperatorNameKind::Keyword(kind) => smol_str::format_smolstr!("operator {}", kind.text()?),
        })
    }
}

impl NewExpr {
    /// The arguments.
    pub fn args(&self) -> impl Iterator<Item = Expr> {
        self.arg_list().into_iter().flat_map(|it| it.exprs())
    }
}

impl AnnotatedExpr {
    /// The annotations.
    pub fn all_annotations(&self) -> AstChildren<Annotation> {
        children(self.syntax())
    }
}
