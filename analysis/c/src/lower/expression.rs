//! Expressions and their types (C17 6.5).

use std::sync::Arc;

use apg_c_syntax::ast::{self, AstNode};
use apg_c_syntax::{SyntaxKind, TextRange, literal};
use smol_str::SmolStr;

use super::{Lowerer, MAX_DEPTH, range};
use crate::hir::{BinaryOp, Entity, ExprId, ExprKind, Length, StmtId, StmtKind, Type, UnaryOp};

impl Lowerer {
    /// An expression; an unknown one if it is missing.
    pub(super) fn expr(&mut self, expr: Option<ast::Expr>) -> ExprId {
        let Some(expr) = expr else {
            return self.add_expr(ExprKind::Other(Vec::new()), Type::Unknown, TextRange::default());
        };
        // The innermost in parentheses, so that their depth costs no stack.
        let range = range(&expr);
        let expr = without_parentheses(expr);
        self.depth += 1;
        let (kind, ty) = if self.depth > MAX_DEPTH { unknown() } else { self.expr_kind(&expr) };
        self.depth -= 1;
        self.add_expr(kind, ty, range)
    }

    /// The type of a block as an expression: that of its last statement, if that is an expression.
    fn block_type(&self, block: StmtId) -> Type {
        let StmtKind::Block(stmts) = &self.program.stmt(block).kind else { return Type::Unknown };
        match stmts.last().map(|it| &self.program.stmt(*it).kind) {
            Some(StmtKind::Expr(value)) => self.ty(*value).clone().decayed(),
            _ => Type::Void,
        }
    }

    fn expr_kind(&mut self, expr: &ast::Expr) -> (ExprKind, Type) {
        match expr {
            ast::Expr::NameExpr(it) => self.name(it),
            ast::Expr::Literal(it) => constant(it),
            ast::Expr::StringLiteral(it) => {
                let length = Length::Constant(it.units().len() as u64 + 1);
                let character = Type::Integer { bytes: 1, is_signed: true };
                (ExprKind::String, Type::Array(Arc::new(character), length))
            }
            ast::Expr::StmtExpr(it) => match it.compound_stmt() {
                Some(block) => {
                    let block = self.block(&block);
                    (ExprKind::Block(block), self.block_type(block))
                }
                None => unknown(),
            },
            ast::Expr::CompoundLiteral(it) => {
                let ty = it.type_name().map_or(Type::Unknown, |it| self.type_name(&it));
                let values = it.init_list().map(|it| self.init_list(&it));
                (ExprKind::List(values.into_iter().collect()), ty)
            }
            ast::Expr::CallExpr(it) => self.call(it),
            ast::Expr::IndexExpr(it) => {
                let base = self.expr(it.base());
                let index = self.expr(it.index());
                // `3[a]` is `a[3]`.
                let (base, index) = match self.ty(base).element() {
                    None if self.ty(index).element().is_some() => (index, base),
                    _ => (base, index),
                };
                let ty = self.ty(base).element().cloned().unwrap_or(Type::Unknown);
                (ExprKind::Index(base, index), ty)
            }
            ast::Expr::SectionExpr(it) => {
                let base = self.expr(it.expr());
                let subscript = it.subscript();
                let mut bound = |bound: Option<ast::Expr>| bound.map(|it| self.expr(Some(it)));
                let low = bound(subscript.as_ref().and_then(ast::Subscript::lower));
                let length = bound(subscript.as_ref().and_then(ast::Subscript::extent));
                let ty = self.ty(base).element().cloned().unwrap_or(Type::Unknown);
                (ExprKind::Section(base, low, length), ty)
            }
            ast::Expr::MemberExpr(it) => {
                let base = self.expr(it.expr());
                let is_arrow = it.arrow_token().is_some();
                let field = it.name_ref().map(|it| SmolStr::new(it.text())).unwrap_or_default();
                let of = self.ty(base);
                let record = if is_arrow { of.element().cloned().unwrap_or(Type::Unknown) } else { of };
                let ty = self.program.field_type(&record, &field).unwrap_or(Type::Unknown);
                (ExprKind::Member { base, field, is_arrow }, ty)
            }
            ast::Expr::PostfixExpr(it) => {
                let target = self.expr(it.expr());
                let is_decrement = it.minus2_token().is_some();
                (ExprKind::Increment { target, is_decrement, is_postfix: true }, self.ty(target))
            }
            ast::Expr::PrefixExpr(it) => self.prefix(it),
            ast::Expr::CastExpr(it) => {
                let ty = it.type_name().map_or(Type::Unknown, |it| self.type_name(&it));
                (ExprKind::Cast(self.expr(it.expr())), ty)
            }
            ast::Expr::BinExpr(it) => self.binary(it),
            ast::Expr::AssignExpr(it) => {
                let op = it.op_token().and_then(|it| compound(it.kind()));
                let target = self.expr(it.lhs());
                let value = self.expr(it.rhs());
                (ExprKind::Assign(op, target, value), self.ty(target))
            }
            ast::Expr::CondExpr(it) => {
                let condition = self.expr(it.condition());
                let then = it.then_value().map(|it| self.expr(Some(it)));
                let otherwise = self.expr(it.else_value());
                let ty = match (self.ty(then.unwrap_or(condition)), self.ty(otherwise)) {
                    (a, b) if a.is_arithmetic() && b.is_arithmetic() => converted(&a, &b),
                    (a, _) if a != Type::INT && a != Type::Unknown => a.decayed(),
                    (_, b) => b.decayed(),
                };
                (ExprKind::Conditional(condition, then, otherwise), ty)
            }
            ast::Expr::CommaExpr(it) => {
                let (first, second) = (self.expr(it.lhs()), self.expr(it.rhs()));
                (ExprKind::Comma(first, second), self.ty(second))
            }
            ast::Expr::ExtensionExpr(it) => {
                let inner = self.expr(it.expr());
                (ExprKind::Cast(inner), self.ty(inner))
            }
            ast::Expr::SizeofExpr(it) => {
                let ty = match (it.type_name(), it.expr()) {
                    (Some(name), _) => self.type_name(&name),
                    (None, operand) => self.unevaluated(operand),
                };
                let size = self.program.size_of(&ty);
                (size.map_or(ExprKind::Unevaluated, |it| ExprKind::Integer(it.into())), Type::SIZE)
            }
            ast::Expr::AlignofExpr(_) | ast::Expr::OffsetofExpr(_) => (ExprKind::Unevaluated, Type::SIZE),
            ast::Expr::TypesCompatibleExpr(_) => (ExprKind::Unevaluated, Type::INT),
            ast::Expr::VaArgExpr(it) => {
                let list = self.expr(it.expr());
                let ty = it.type_name().map_or(Type::Unknown, |it| self.type_name(&it));
                (ExprKind::Other(vec![list]), ty)
            }
            ast::Expr::CoarrayExpr(it) => {
                let base = self.expr(it.expr());
                let image = self.expr(it.image());
                (ExprKind::Coindexed(base, image), self.ty(base))
            }
            ast::Expr::GenericExpr(it) => self.generic(it),
            ast::Expr::ChooseExpr(_) | ast::Expr::LabelAddressExpr(_) | ast::Expr::ParenExpr(_) => {
                let operands: Vec<_> = expr.syntax().children().filter_map(ast::Expr::cast).collect();
                let operands = operands.into_iter().map(|it| self.expr(Some(it))).collect();
                (ExprKind::Other(operands), Type::Unknown)
            }
        }
    }

    /// `_Generic` (C17 6.5.1.1): the expression for the type, where types of the same size are not confused;
    /// else all of them, as something that is not understood.
    fn generic(&mut self, generic: &ast::GenericExpr) -> (ExprKind, Type) {
        let wanted = self.unevaluated(generic.expr()).decayed();
        let associations: Vec<_> = generic.generic_associations().collect();
        let mut chosen = None;
        for association in &associations {
            match association.type_name() {
                Some(name) if self.type_name(&name) == wanted => {
                    chosen = Some(association);
                    break;
                }
                Some(_) => {}
                None => chosen = chosen.or(Some(association)),
            }
        }
        match chosen.filter(|_| is_one_type(&wanted)) {
            Some(association) => {
                let value = self.expr(association.expr());
                (ExprKind::Cast(value), self.ty(value))
            }
            None => {
                let values: Vec<_> = associations.iter().map(|it| self.expr(it.expr())).collect();
                (ExprKind::Other(values), Type::Unknown)
            }
        }
    }

    /// The type of an operand that is not evaluated.
    fn unevaluated(&mut self, operand: Option<ast::Expr>) -> Type {
        let operand = self.expr(operand);
        self.ty(operand)
    }

    fn name(&self, name: &ast::NameExpr) -> (ExprKind, Type) {
        let text = name.name_ref().map(|it| it.text()).unwrap_or_default();

        match self.lookup(&text) {
            Some(Entity::Variable(it)) => (ExprKind::Variable(*it), self.program.variable(*it).ty.clone()),
            Some(Entity::Function(it)) => {
                let result = self.program.function(*it).result.clone();
                (ExprKind::Function(*it), Type::Function(Arc::new(result)))
            }
            Some(Entity::Constant(value)) => (ExprKind::Integer(*value), Type::INT),
            Some(Entity::Typedef(_)) | None => (ExprKind::Unresolved(text.into()), Type::Unknown),
        }
    }

    fn call(&mut self, call: &ast::CallExpr) -> (ExprKind, Type) {
        let callee = self.expr(call.callee());
        let arguments: Vec<_> = call.argument_list().iter().flat_map(|it| it.arguments()).collect();
        let arguments = arguments.into_iter().map(|it| self.expr(Some(it))).collect();
        let result = match self.ty(callee) {
            Type::Function(result) => (*result).clone(),
            Type::Pointer(to) => match &*to {
                Type::Function(result) => (**result).clone(),
                _ => Type::Unknown,
            },
            _ => Type::Unknown,
        };
        (ExprKind::Call(callee, arguments), result)
    }

    fn prefix(&mut self, prefix: &ast::PrefixExpr) -> (ExprKind, Type) {
        let operator = prefix.op_token().map(|it| it.kind());
        let operand = self.expr(prefix.expr());
        let ty = self.ty(operand);
        match operator {
            Some(kind @ (SyntaxKind::PLUS2 | SyntaxKind::MINUS2)) => {
                let is_decrement = kind == SyntaxKind::MINUS2;
                (ExprKind::Increment { target: operand, is_decrement, is_postfix: false }, ty)
            }
            Some(SyntaxKind::AMP) => (ExprKind::AddressOf(operand), ty.pointer()),
            Some(SyntaxKind::STAR) => {
                let element = ty.element().cloned().unwrap_or(Type::Unknown);
                (ExprKind::Dereference(operand), element)
            }
            Some(SyntaxKind::PLUS) => (ExprKind::Unary(UnaryOp::Plus, operand), promoted(&ty)),
            Some(SyntaxKind::MINUS) => (ExprKind::Unary(UnaryOp::Minus, operand), promoted(&ty)),
            Some(SyntaxKind::TILDE) => (ExprKind::Unary(UnaryOp::Complement, operand), promoted(&ty)),
            Some(SyntaxKind::BANG) => (ExprKind::Unary(UnaryOp::Not, operand), Type::INT),
            _ => (ExprKind::Other(vec![operand]), Type::Unknown),
        }
    }

    fn binary(&mut self, expr: &ast::BinExpr) -> (ExprKind, Type) {
        let operator = expr.op_token().and_then(|it| operator(it.kind()));
        let (left, right) = (self.expr(expr.lhs()), self.expr(expr.rhs()));
        let Some(op) = operator else { return (ExprKind::Other(vec![left, right]), Type::Unknown) };
        let (a, b) = (self.ty(left), self.ty(right));
        let ty = match op {
            _ if op.is_condition() => Type::INT,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => promoted(&a),
            _ if a.is_arithmetic() && b.is_arithmetic() => converted(&a, &b),
            BinaryOp::Add if a.element().is_some() => a.decayed(),
            BinaryOp::Add if b.element().is_some() => b.decayed(),
            BinaryOp::Subtract if a.element().is_some() && b.element().is_some() => {
                Type::Integer { bytes: 8, is_signed: true }
            }
            BinaryOp::Subtract if a.element().is_some() => a.decayed(),
            _ => Type::Unknown,
        };
        (ExprKind::Binary(op, left, right), ty)
    }
}

/// Whether no two types of C are this one: `char` is not `signed char`, `long` not `long long`.
fn is_one_type(ty: &Type) -> bool {
    match ty {
        Type::Integer { bytes, .. } => matches!(bytes, 2 | 4),
        Type::Pointer(to) => is_one_type(to),
        Type::Bool | Type::Float(_) | Type::Record(_) | Type::Void => true,
        _ => false,
    }
}

fn unknown() -> (ExprKind, Type) {
    (ExprKind::Other(Vec::new()), Type::Unknown)
}

fn without_parentheses(mut expr: ast::Expr) -> ast::Expr {
    while let ast::Expr::ParenExpr(paren) = &expr {
        match paren.expr() {
            Some(inner) => expr = inner,
            None => break,
        }
    }
    expr
}

fn constant(literal: &ast::Literal) -> (ExprKind, Type) {
    let Some(token) = literal.token() else { return unknown() };
    match token.kind() {
        SyntaxKind::INT_NUMBER => {
            let Some(constant) = literal::integer(token.text()) else { return unknown() };
            let is_signed = !constant.is_unsigned;
            let fits = |bits: u32| constant.value < 1 << (bits - u32::from(is_signed));
            let bytes = if constant.longs == 0 && fits(32) { 4 } else { 8 };
            (ExprKind::Integer(constant.value as i128), Type::Integer { bytes, is_signed })
        }
        SyntaxKind::CHAR => (ExprKind::Integer(literal.integer().unwrap_or(0)), Type::INT),
        _ => {
            let text = token.text();
            let bytes = if text.ends_with(['f', 'F']) && !text.starts_with("0x") {
                4
            } else if text.ends_with(['l', 'L', 'q', 'Q']) {
                16
            } else {
                8
            };
            let value = literal::floating(text).map_or(0.0, |it| it.0);
            (ExprKind::Float(value.to_bits()), Type::Float(bytes))
        }
    }
}

fn operator(kind: SyntaxKind) -> Option<BinaryOp> {
    use SyntaxKind::*;
    Some(match kind {
        PLUS => BinaryOp::Add,
        MINUS => BinaryOp::Subtract,
        STAR => BinaryOp::Multiply,
        SLASH => BinaryOp::Divide,
        PERCENT => BinaryOp::Remainder,
        SHL => BinaryOp::ShiftLeft,
        SHR => BinaryOp::ShiftRight,
        LT => BinaryOp::Less,
        GT => BinaryOp::Greater,
        LTEQ => BinaryOp::LessEqual,
        GTEQ => BinaryOp::GreaterEqual,
        EQ2 => BinaryOp::Equal,
        NEQ => BinaryOp::NotEqual,
        AMP => BinaryOp::BitAnd,
        PIPE => BinaryOp::BitOr,
        CARET => BinaryOp::BitXor,
        AMP2 => BinaryOp::And,
        PIPE2 => BinaryOp::Or,
        _ => return None,
    })
}

fn compound(kind: SyntaxKind) -> Option<BinaryOp> {
    use SyntaxKind::*;
    operator(match kind {
        PLUSEQ => PLUS,
        MINUSEQ => MINUS,
        STAREQ => STAR,
        SLASHEQ => SLASH,
        PERCENTEQ => PERCENT,
        AMPEQ => AMP,
        PIPEEQ => PIPE,
        CARETEQ => CARET,
        SHLEQ => SHL,
        SHREQ => SHR,
        _ => return None,
    })
}

/// The integer promotions (C17 6.3.1.1).
fn promoted(ty: &Type) -> Type {
    match ty {
        Type::Bool | Type::Integer { bytes: 1 | 2, .. } => Type::INT,
        it => it.clone(),
    }
}

/// The usual arithmetic conversions (C17 6.3.1.8).
fn converted(a: &Type, b: &Type) -> Type {
    match (promoted(a), promoted(b)) {
        (Type::Complex(a), Type::Complex(b) | Type::Float(b)) | (Type::Float(a), Type::Complex(b)) => {
            Type::Complex(a.max(b))
        }
        (it @ Type::Complex(_), _) | (_, it @ Type::Complex(_)) => it,
        (Type::Float(a), Type::Float(b)) => Type::Float(a.max(b)),
        (it @ Type::Float(_), _) | (_, it @ Type::Float(_)) => it,
        (Type::Integer { bytes: a, is_signed: x }, Type::Integer { bytes: b, is_signed: y }) => {
            let is_signed = match a.cmp(&b) {
                std::cmp::Ordering::Less => y,
                std::cmp::Ordering::Greater => x,
                std::cmp::Ordering::Equal => x && y,
            };
            Type::Integer { bytes: a.max(b), is_signed }
        }
        _ => Type::Unknown,
    }
}
