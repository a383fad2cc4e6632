//! Unary and binary operators.

use apg_syntax::TextRange;
use apg_syntax::ast::{self, BinaryOp, PrefixOp};

use crate::body::{ExprId, ExprKind, Literal};
use crate::infer::context::{Infer, range_of};
use crate::infer::expr::convert::ConversionSite;
use crate::infer::expr::name::Resolved;
use crate::relate::subtype::erase;
use crate::rules::name::unresolved::Unresolved;
use crate::rules::r#type::incomparable::Incomparable;
use crate::rules::r#type::no_operator::NoOperator;
use crate::rules::r#type::text_identity::TextIdentity;
use crate::ty::Ty;
use crate::ty::known::Known;
use crate::ty::type_test::{TypeTest, mentions_param};

impl Infer<'_> {
    /// A chain `a + b + c` is nested to the left and may be long: it is typed without recursion.
    pub(crate) fn binary(&mut self, e: &ast::BinExpr) -> ExprId {
        let mut chain = vec![e.clone()];
        let mut first = e.lhs();
        while let Some(ast::Expr::BinExpr(inner)) = first {
            first = inner.lhs();
            chain.push(inner);
        }
        let around = range_of(e);
        let mut left = None;
        let mut is_closure = false;
        for e in chain.iter().rev() {
            let range = range_of(e);
            let op = e.op().filter(|_| !is_closure);
            is_closure |=
                left.is_none() && op.is_some_and(|op| self.arrow_closure(first.as_ref(), op, range));
            let Some(op) = op.filter(|_| !is_closure) else {
                left = Some(self.error(range));
                continue;
            };
            let done = left.take();
            left = Some(match op {
                BinaryOp::AndAnd | BinaryOp::OrOr => {
                    let boolean = Ty::boolean(self.db);
                    let a = done.unwrap_or_else(|| self.value(first.as_ref(), range, Some(boolean)));
                    if !self.context().methods_named(self.ty(a), &format!("operator{}", op.text())).is_empty()
                        && self.ty(a).primitive(self.db).is_none()
                    {
                        // A class's own operator: both operands are evaluated.
                        let b = self.value(e.rhs().as_ref(), range, None);
                        self.binary_values(op, a, b, range)
                    } else {
                        let left = self.convert(a, boolean, ConversionSite::Condition);
                        let is_or = op == BinaryOp::OrOr;
                        let right =
                            self.supposing(left, !is_or, |infer| infer.condition(e.rhs().as_ref(), range));
                        self.alloc(ExprKind::ShortCircuit { is_or, left, right }, boolean, range)
                    }
                }
                BinaryOp::Eq | BinaryOp::Ne
                    if done.is_none()
                        && first.as_ref().is_some_and(|e| self.names_type(e))
                        && e.rhs().is_some_and(|e| self.names_type(&e)) =>
                {
                    let test = TypeTest::Same(
                        self.type_operand(first.as_ref()),
                        self.type_operand(e.rhs().as_ref()),
                    );
                    let same = self.type_test(test, range);
                    match op {
                        BinaryOp::Eq => same,
                        _ => self.unary_operator("!", same, range).unwrap_or(same),
                    }
                }
                _ => {
                    let a = done.unwrap_or_else(|| self.value(first.as_ref(), range, None));
                    let a = if self.ty(a).is_void(self.db) { self.void_used(self.range(a)) } else { a };
                    let b = self.value(e.rhs().as_ref(), range, None);
                    self.binary_values(op, a, b, range)
                }
            });
        }
        left.unwrap_or_else(|| self.error(around))
    }

    /// Whether `x -> e` without an `x` is a closure as other languages write it; then reports the whole.
    fn arrow_closure(&mut self, formal: Option<&ast::Expr>, op: BinaryOp, range: TextRange) -> bool {
        let Some(ast::Expr::NameExpr(name)) = formal.map(ast::Expr::without_parens) else { return false };
        let Some(name) = name.name_ref().map(|name| name.text()).filter(|_| op.text() == "->") else {
            return false;
        };
        let is_local = self.scopes.local(&name).is_some();
        if is_local || self.resolve_quietly(&name, range).is_some() || self.may_inherit() {
            return false;
        }
        self.report_at(range, Unresolved::ArrowClosure { name });
        true
    }

    fn type_operand(&mut self, e: Option<&ast::Expr>) -> Ty {
        match e.map(|e| self.resolve(&e.without_parens(), true)) {
            Some(Resolved::Type(ty)) => ty,
            _ => Ty::error(self.db),
        }
    }

    /// Whether an operand can only be a type.
    fn names_type(&self, e: &ast::Expr) -> bool {
        match &e.without_parens() {
            ast::Expr::TypeExpr(_) => true,
            ast::Expr::NameExpr(name) => name.name_ref().is_some_and(|name| self.only_type(&name.text())),
            _ => false,
        }
    }

    /// `left op right` for values.
    pub(crate) fn binary_values(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        range: TextRange,
    ) -> ExprId {
        match op {
            BinaryOp::Eq | BinaryOp::Ne => return self.equality(op == BinaryOp::Ne, left, right, range),
            BinaryOp::Add if self.is_string(self.ty(left)) || self.is_string(self.ty(right)) => {
                return self.concat(left, right, range);
            }
            _ => {}
        }
        if self.is_error(left) || self.is_error(right) || self.is_bounded_by_unknown(left, right) {
            return self.error(range);
        }
        let failure = match self.binary_operator(op.text(), left, right, range) {
            Ok(call) => return call,
            Err(failure) => failure,
        };
        if [left, right].iter().any(|it| self.context().is_open(self.ty(*it))) {
            return self.error(range);
        }
        let problem =
            NoOperator::Binary { op, left, right, failure, compares: self.compares(op, left, right) };
        self.report_at(range, problem);
        self.error(range)
    }

    /// Whether values that `op` should compare have no such operator but implement `Comparable`.
    fn compares(&self, op: BinaryOp, left: ExprId, right: ExprId) -> bool {
        if !matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge) {
            return false;
        }
        let ty = self.ty(left).base(self.db);
        let supertypes = self.context().supertypes(ty).into_owned();
        let other = self.ty(right).base(self.db);
        supertypes.iter().filter(|it| it.is_known(self.db, Known::Comparable)).any(|it| {
            it.as_class(self.db).is_some_and(|(_, args)| args.iter().any(|arg| self.is_subtype(other, *arg)))
        })
    }

    /// Whether an operand's type has an unknown bound, which may have any operator.
    fn is_bounded_by_unknown(&self, left: ExprId, right: ExprId) -> bool {
        let unknown = |id: ExprId| {
            let ty = self.ty(id).base(self.db);
            ty.as_param(self.db).is_some()
                && self.context().upper_bounds(ty).iter().any(|bound| bound.mentions_error(self.db))
        };
        unknown(left) || unknown(right)
    }

    /// String concatenation; operands of a concatenation on the left are joined.
    fn concat(&mut self, left: ExprId, right: ExprId, range: TextRange) -> ExprId {
        let mut parts = match &self.body.expr(left).kind {
            ExprKind::Concat { parts } => parts.clone(),
            _ => vec![left],
        };
        parts.push(right);
        let ty = Ty::string(self.db);
        self.alloc(ExprKind::Concat { parts }, ty, range)
    }

    fn equality(&mut self, negated: bool, left: ExprId, right: ExprId, range: TextRange) -> ExprId {
        let db = self.db;
        let boolean = Ty::boolean(db);
        let (a, b) = (self.ty(left).base(db), self.ty(right).base(db));
        self.check_text_identity(negated, left, right, range);
        if a.is_error(db) || b.is_error(db) {
            return self.alloc(ExprKind::Equal { negated, left, right }, boolean, range);
        }
        let context = self.context();
        let (left, right) = if a == b {
            (left, right)
        } else if context.convert_directly(a, b, None).is_some() {
            (self.convert(left, b, ConversionSite::Argument), right)
        } else if context.convert_directly(b, a, None).is_some() {
            (left, self.convert(right, a, ConversionSite::Argument))
        } else {
            if !self.both_references(a, b) {
                self.never_equal(left, right, range);
            }
            (left, right)
        };
        self.alloc(ExprKind::Equal { negated, left, right }, boolean, range)
    }

    /// Reports `==` of two strings, one of them a literal or concatenation: it compares identity, not
    /// characters.
    fn check_text_identity(&mut self, negated: bool, left: ExprId, right: ExprId, range: TextRange) {
        let is_written = |id: ExprId| match &self.body.expr(id).kind {
            ExprKind::Literal(literal) => matches!(literal, crate::body::Literal::String(_)),
            ExprKind::Concat { .. } => true,
            _ => false,
        };
        let are_strings =
            self.is_string(self.ty(left).base(self.db)) && self.is_string(self.ty(right).base(self.db));
        if !are_strings || !(is_written(left) || is_written(right)) {
            return;
        }
        // A literal is not null.
        let (receiver, argument) = if is_written(left) { (left, right) } else { (right, left) };
        self.report_at(range, TextIdentity { negated, receiver, argument });
    }

    fn never_equal(&mut self, left: ExprId, right: ExprId, range: TextRange) {
        self.report_at(range, Incomparable { left, right });
    }

    /// Whether two types are of one class, with type arguments that may turn out to be the same.
    fn may_be_same(&self, a: Ty, b: Ty) -> bool {
        let db = self.db;
        let (Some((class, x)), Some((other, y))) = (a.as_class(db), b.as_class(db)) else {
            return a.as_class(db).is_none() && b.as_class(db).is_none();
        };
        let open = |ty: Ty| mentions_param(db, ty) || ty.mentions_error(db);
        let context = self.context();
        let alike =
            |(x, y): (&Ty, &Ty)| open(*x) || open(*y) || context.is_same(erase(db, *x), erase(db, *y));
        class == other && x.iter().zip(y).all(alike)
    }

    /// Whether both are references, one of which could be an instance of the other's type.
    fn both_references(&self, a: Ty, b: Ty) -> bool {
        let db = self.db;
        let reference = |ty: Ty| !ty.is_struct(db) || ty.as_param(db).is_some();
        let open = |ty: Ty| ty.is_interface(db) || ty.as_param(db).is_some() || ty.as_function(db).is_some();
        let same = self.may_be_same(a, b);
        (reference(a) && reference(b) && (open(a) || open(b) || same))
            || (open(a) && a.as_function(db).is_none() && self.is_subtype(b, a))
            || (a.as_param(db).is_some() || b.as_param(db).is_some())
    }

    pub(crate) fn prefix(&mut self, e: &ast::PrefixExpr, expected: Option<Ty>, used: bool) -> ExprId {
        let range = range_of(e);
        let Some(op) = e.op() else { return self.error(range) };
        if matches!(op, PrefixOp::Increment | PrefixOp::Decrement) {
            return self.prefix_step(e, op == PrefixOp::Increment, used);
        }
        let operand = self.value(e.expr().as_ref(), range, expected);
        if self.is_error(operand) {
            return operand;
        }
        // The literal takes the sign in: -9223372036854775808 has no positive counterpart.
        if op == PrefixOp::Minus
            && matches!(e.expr(), Some(ast::Expr::Literal(_)))
            && let Some(folded) = self.negated(operand)
        {
            let ty = self.ty(operand);
            return self.alloc(ExprKind::Literal(folded), ty, range);
        }
        if let Some(call) = self.unary_operator(op.text(), operand, range) {
            return call;
        }
        if self.context().is_open(self.ty(operand)) {
            return self.error(range);
        }
        self.report_at(range, NoOperator::Prefix { op: op.text(), ty: self.ty(operand) });
        self.error(range)
    }

    fn negated(&self, operand: ExprId) -> Option<Literal> {
        let known = self.ty(operand).primitive(self.db)?;
        match &self.body.expr(operand).kind {
            ExprKind::Literal(Literal::Int(value)) if !known.is_unsigned() => {
                let shift = 64 - 8 * known.size()?;
                Some(Literal::Int((value.wrapping_neg() << shift) >> shift))
            }
            ExprKind::Literal(Literal::Float(bits)) => {
                Some(Literal::Float((-f64::from_bits(*bits)).to_bits()))
            }
            _ => None,
        }
    }
}
