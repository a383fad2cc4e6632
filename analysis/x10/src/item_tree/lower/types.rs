//! Lowering of types and constraints from the syntax tree to [`TypeRef`].

use apg_syntax::ast::{self, AstNode, BinaryOp, Expr, HasName, LiteralValue, PrefixOp};
use apg_syntax::{SyntaxNode, TextRange};
use smol_str::{SmolStr, format_smolstr};

use crate::item_tree::{
    ConstraintRef, NameSegment, ParamRef, PathRef, PathRefRoot, PropertyCallRef, TermRef, TypeRef,
    TypeRefKind,
};

/// Lowers the types of one item. Each node takes the next index into `ranges`, so lowering the same
/// item again gives the same indices.
#[derive(Default)]
pub(crate) struct TypeLowering {
    /// The ranges, by index.
    pub ranges: Vec<TextRange>,
}

impl TypeLowering {
    /// The index of `range`.
    pub(crate) fn mark(&mut self, range: TextRange) -> u32 {
        self.ranges.push(range);
        self.ranges.len() as u32 - 1
    }

    /// A type, or the error type where there is none.
    pub(crate) fn ty_or_error(&mut self, ty: Option<ast::Type>, around: &SyntaxNode) -> TypeRef {
        match ty {
            Some(ty) => self.ty(&ty),
            None => TypeRef { at: self.mark(around.text_range()), kind: TypeRefKind::Error },
        }
    }

    /// A type.
    pub(crate) fn ty(&mut self, ty: &ast::Type) -> TypeRef {
        match ty {
            ast::Type::NamedType(named) => self.named(named),
            ast::Type::FunctionType(function) => self.function(function),
            ast::Type::VoidType(_) => {
                TypeRef { at: self.mark(ty.syntax().text_range()), kind: TypeRefKind::Void }
            }
            ast::Type::AnnotatedType(annotated) => self.ty_or_error(annotated.ty(), ty.syntax()),
            ast::Type::ParenType(paren) => self.ty_or_error(paren.ty(), ty.syntax()),
        }
    }

    /// `a.b.C[T](args){c}`.
    pub(crate) fn named(&mut self, named: &ast::NamedType) -> TypeRef {
        let at = self.mark(named.syntax().text_range());
        let mut parts = vec![named.clone()];
        while let Some(qualifier) = parts.last().and_then(ast::NamedType::qualifier) {
            parts.push(qualifier);
        }
        parts.reverse();
        let mut segments = Vec::new();
        let mut args = Vec::new();
        let mut constraint = ConstraintRef::default();
        for part in &parts {
            let name = part.name_ref();
            let range = name.as_ref().map_or(part.syntax().text_range(), |n| n.syntax().text_range());
            let segment_at = self.mark(range);
            let type_args = part.type_args().map(|t| self.ty(&t)).collect();
            let name = name.map(|n| n.text()).unwrap_or_default();
            segments.push(NameSegment { name, args: type_args, at: segment_at });
            if let Some(list) = part.arg_list() {
                args = list.exprs().map(|e| self.path(&e)).collect();
            }
        }
        // The constraint of a qualifier (`A{c}.X`) does not apply to this type and is dropped.
        if let Some(list) = named.constraint() {
            constraint = self.constraint(list.exprs());
        }
        if segments.iter().any(|s| s.name.is_empty()) {
            return TypeRef { at, kind: TypeRefKind::Error };
        }
        let base = TypeRef { at, kind: TypeRefKind::Named { segments, args } };
        if constraint.terms.is_empty() {
            return base;
        }
        TypeRef { at, kind: TypeRefKind::Constrained { base: Box::new(base), constraint } }
    }

    fn function(&mut self, function: &ast::FunctionType) -> TypeRef {
        let at = self.mark(function.syntax().text_range());
        let formals: Vec<_> = function.formal_list().into_iter().flat_map(|l| l.formals()).collect();
        let params = formals
            .iter()
            .map(|formal| ParamRef {
                name: formal.name_text(),
                ty: self.ty_or_error(formal.ty(), formal.syntax()),
            })
            .collect();
        let guard = function.guard().map(|guard| self.constraint(guard.exprs()));
        let result = Box::new(self.ty_or_error(function.result(), function.syntax()));
        TypeRef { at, kind: TypeRefKind::Function { params, guard, result } }
    }

    /// The conjunction of some expressions.
    pub(crate) fn constraint(&mut self, exprs: impl Iterator<Item = Expr>) -> ConstraintRef {
        let mut terms = Vec::new();
        exprs.for_each(|e| self.term(&e, &mut terms));
        ConstraintRef { terms }
    }

    fn term(&mut self, expr: &Expr, terms: &mut Vec<TermRef>) {
        let expr = expr.without_parens();
        match &expr {
            Expr::BinExpr(binary) => match (binary.op(), binary.lhs(), binary.rhs()) {
                (Some(BinaryOp::AndAnd), Some(a), Some(b)) => {
                    self.term(&a, terms);
                    self.term(&b, terms);
                }
                (Some(BinaryOp::Eq), Some(Expr::TypeExpr(a)), Some(b)) => {
                    let (a, b) = (self.ty_or_error(a.ty(), a.syntax()), self.type_of_expr(&b));
                    terms.push(TermRef::SameType(a, b));
                }
                (Some(BinaryOp::Eq), Some(a), Some(Expr::TypeExpr(b))) => {
                    let (a, b) = (self.type_of_expr(&a), self.ty_or_error(b.ty(), b.syntax()));
                    terms.push(TermRef::SameType(a, b));
                }
                (Some(BinaryOp::Eq), Some(a), Some(b)) => {
                    terms.push(TermRef::Equal(self.path(&a), self.path(&b)));
                }
                (Some(BinaryOp::Ne), Some(a), Some(b)) => {
                    terms.push(TermRef::NotEqual(self.path(&a), self.path(&b)));
                }
                (Some(_), Some(_), Some(_)) => {
                    let at = self.mark(expr.syntax().text_range());
                    terms.push(TermRef::Forbidden(text_of(expr.syntax()), at));
                }
                _ => terms.push(TermRef::Opaque(text_of(expr.syntax()))),
            },
            Expr::SubtypeExpr(subtype) => {
                let (sub, sup) = subtype.sub_and_super();
                let sub = self.ty_or_error(sub, subtype.syntax());
                let sup = self.ty_or_error(sup, subtype.syntax());
                terms.push(TermRef::Subtype(sub, sup));
            }
            Expr::HasZeroExpr(e) => terms.push(TermRef::HasZero(self.ty_or_error(e.ty(), e.syntax()))),
            Expr::IsRefExpr(e) => terms.push(TermRef::IsRef(self.ty_or_error(e.ty(), e.syntax()))),
            Expr::Literal(literal) if literal.value() == Some(LiteralValue::Bool(true)) => {}
            _ => {
                let path = self.path(&expr);
                match path.root {
                    PathRefRoot::Other(text) => terms.push(TermRef::Opaque(text)),
                    PathRefRoot::Operator(text) => terms.push(TermRef::Forbidden(text, path.at)),
                    _ => terms.push(TermRef::Holds(path)),
                }
            }
        }
    }

    fn type_of_expr(&mut self, expr: &Expr) -> TypeRef {
        if let Expr::TypeExpr(ty) = expr {
            return self.ty_or_error(ty.ty(), expr.syntax());
        }
        let at = self.mark(expr.syntax().text_range());
        let Some(names) = expr.as_path() else { return TypeRef { at, kind: TypeRefKind::Error } };
        let segments = names
            .iter()
            .map(|n| NameSegment { name: n.text(), args: Vec::new(), at: self.mark(n.syntax().text_range()) })
            .collect();
        TypeRef { at, kind: TypeRefKind::Named { segments, args: Vec::new() } }
    }

    /// A path or literal.
    pub(crate) fn path(&mut self, expr: &Expr) -> PathRef {
        let at = self.mark(expr.syntax().text_range());
        let (root, fields) = path_parts(expr, at).unwrap_or_else(|| {
            let text = text_of(expr.syntax());
            let root = match expr.without_parens() {
                Expr::BinExpr(_)
                | Expr::PrefixExpr(_)
                | Expr::ConditionalExpr(_)
                | Expr::NewExpr(_)
                | Expr::ClosureExpr(_)
                | Expr::RailExpr(_)
                | Expr::AtExpr(_) => PathRefRoot::Operator(text),
                _ => PathRefRoot::Other(text),
            };
            (root, Vec::new())
        });
        PathRef { root, fields, at }
    }
}

/// Root and fields of an expression that is a path or literal; `at` is the index of its range.
pub(crate) fn path_parts(expr: &Expr, at: u32) -> Option<(PathRefRoot, Vec<SmolStr>)> {
    Some(match expr {
        Expr::Literal(literal) => (PathRefRoot::Literal(literal_text(literal, false)?), Vec::new()),
        Expr::PrefixExpr(prefix) if prefix.op() == Some(PrefixOp::Minus) => {
            match prefix.expr()?.without_parens() {
                Expr::Literal(literal) => (PathRefRoot::Literal(literal_text(&literal, true)?), Vec::new()),
                _ => return None,
            }
        }
        Expr::ThisExpr(this) => match this.qualifier() {
            None => (PathRefRoot::This, Vec::new()),
            Some(class) => {
                let (root, mut fields) = path_parts(&class, at)?;
                fields.push(SmolStr::new_static("this"));
                (root, fields)
            }
        },
        Expr::SelfExpr(_) => (PathRefRoot::SelfValue, Vec::new()),
        Expr::HereExpr(_) => (PathRefRoot::Here, Vec::new()),
        Expr::NameExpr(name) => (PathRefRoot::Name(name.name_ref()?.text()), Vec::new()),
        Expr::ParenExpr(parens) => path_parts(&parens.expr()?, at)?,
        Expr::FieldExpr(field) => {
            let (root, mut fields) = path_parts(&field.receiver()?, at)?;
            fields.push(field.name_ref()?.text());
            (root, fields)
        }
        // A nullary property method is a property with parentheses.
        Expr::CallExpr(call) if call.args().next().is_none() && call.type_arg_list().is_none() => {
            match call.callee()? {
                callee @ (Expr::FieldExpr(_) | Expr::NameExpr(_)) => path_parts(&callee, at)?,
                _ => return None,
            }
        }
        Expr::CallExpr(call) if call.type_arg_list().is_none() => {
            (PathRefRoot::Call(std::sync::Arc::new(property_call(call, at)?)), Vec::new())
        }
        _ => return None,
    })
}

/// A call `a.m(x)` or `m(x)`, which may be one of a property method.
fn property_call(call: &ast::CallExpr, at: u32) -> Option<PropertyCallRef> {
    let path = |expr: Expr| {
        let (root, fields) = path_parts(&expr, at)?;
        Some(PathRef { root, fields, at })
    };
    let (receiver, name) = match call.callee()? {
        Expr::NameExpr(name) => (None, name.name_ref()?.text()),
        Expr::FieldExpr(field) => (Some(path(field.receiver()?)?), field.name_ref()?.text()),
        _ => return None,
    };
    let args = call.args().map(path).collect::<Option<Vec<_>>>()?;
    Some(PropertyCallRef { receiver, name, args, text: text_of(call.syntax()) })
}

/// The canonical spelling of a literal: `0x10n` and `16` are both `16`.
pub(crate) fn literal_text(literal: &ast::Literal, negative: bool) -> Option<SmolStr> {
    let sign = if negative { "-" } else { "" };
    Some(match literal.value()? {
        LiteralValue::Int(value, suffix) => {
            let value = value?;
            let shift = 64 - suffix.bits();
            // A signed literal with its highest bit set is negative: `0x80y` is, `0xFFn` is not.
            let number = (value << shift) as i64 >> shift;
            match suffix.is_unsigned() {
                true => format_smolstr!("{sign}{value}"),
                false if negative => format_smolstr!("{}", number.wrapping_neg()),
                false => format_smolstr!("{number}"),
            }
        }
        LiteralValue::Float(value, _) => format_smolstr!("{sign}{value:?}"),
        LiteralValue::Char(c) => format_smolstr!("{:?}", c?),
        LiteralValue::String(text) => format_smolstr!("{text:?}"),
        LiteralValue::Bool(value) => format_smolstr!("{value}"),
        LiteralValue::Null => SmolStr::new_static("null"),
    })
}

/// The text of a node without comments, with a space only where two words would join.
pub(crate) fn text_of(node: &SyntaxNode) -> SmolStr {
    let mut text = String::new();
    let tokens = node.descendants_with_tokens().filter_map(|e| e.into_token());
    for token in tokens.filter(|t| !t.kind().is_trivia()) {
        let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        if word(text.chars().last()) && word(token.text().chars().next()) {
            text.push(' ');
        }
        text.push_str(token.text());
    }
    SmolStr::from(text)
}
