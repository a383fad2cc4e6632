//! Expressions: the dispatch, literals, and the forms that are neither names, calls nor operators.

pub(crate) mod assign;
pub(crate) mod closure;
pub mod constant;
pub(crate) mod construct;
pub(crate) mod convert;
pub(crate) mod name;
pub(crate) mod operator;

use apg_syntax::TextRange;
use apg_syntax::ast::{self, AstNode, LiteralValue, NumericSuffix};

use crate::body::{ExprId, ExprKind, Literal};
use crate::constraint::Entailment;
use crate::ids::MethodId;
use crate::infer::context::{Infer, range_of};
use crate::infer::expr::convert::ConversionSite;
use crate::infer::expr::name::Resolved;
use crate::item_tree::items::{method_item, own_methods};
use crate::relate::entailment::Question;
use crate::rules::name::unresolved::Unresolved;
use crate::rules::r#type::impossible_cast::ImpossibleCast;
use crate::rules::r#type::literal_range::LiteralRange;
use crate::rules::r#type::missing_type::MissingType;
use crate::rules::r#type::not_a_value::NotAValue;
use crate::rules::r#type::not_enclosing::NotEnclosing;
use crate::rules::r#type::removed::Removed;
use crate::ty::known::Known;
use crate::ty::type_test::TypeTest;
use crate::ty::{Path, Ty};

impl Infer<'_> {
    /// An expression whose value is needed. `expected` is the type around it, a hint only.
    pub(crate) fn value(&mut self, e: Option<&ast::Expr>, around: TextRange, expected: Option<Ty>) -> ExprId {
        let Some(e) = e else { return self.error(around) };
        let id = self.expr(e, expected, true);
        if self.ty(id).is_void(self.db) { self.void_used(range_of(e)) } else { id }
    }

    /// An expression evaluated for its effect; it may be `void`.
    pub(crate) fn effect(&mut self, e: &ast::Expr) -> ExprId {
        self.expr(e, None, false)
    }

    /// An expression whose value is used if it has one.
    pub(crate) fn effect_expecting(&mut self, e: &ast::Expr, expected: Option<Ty>) -> ExprId {
        let used = expected.is_none_or(|ty| !ty.is_void(self.db));
        self.expr(e, expected.filter(|ty| !ty.is_void(self.db)), used)
    }

    fn expr(&mut self, e: &ast::Expr, expected: Option<Ty>, used: bool) -> ExprId {
        let range = range_of(e);
        if self.environment.is_some() {
            return self.error(range);
        }
        match e {
            ast::Expr::Literal(e) => self.literal(e, range),
            ast::Expr::RailExpr(e) => self.rail(e, expected),
            ast::Expr::NameExpr(_) | ast::Expr::FieldExpr(_) => {
                let resolved = self.resolve(e, true);
                self.need_value(resolved, range)
            }
            ast::Expr::CallExpr(call) => self.call(call),
            ast::Expr::NewExpr(e) => self.new_object(e),
            ast::Expr::ThisExpr(e) => self.this(e),
            ast::Expr::HereExpr(_) => {
                let ty = Ty::place(self.db);
                self.alloc(ExprKind::Here, ty, range)
            }
            ast::Expr::ParenExpr(e) => match e.expr() {
                Some(inner) => self.expr(&inner, expected, used),
                None => self.error(range),
            },
            ast::Expr::PrefixExpr(e) => self.prefix(e, expected, used),
            ast::Expr::PostfixExpr(e) => self.postfix_step(e, used),
            ast::Expr::BinExpr(e) => self.binary(e),
            ast::Expr::AssignExpr(e) => self.assign(e, used),
            ast::Expr::ConditionalExpr(e) => self.conditional(e, expected),
            ast::Expr::CastExpr(e) => self.cast(e),
            ast::Expr::InstanceOfExpr(e) => self.instance_of(e),
            ast::Expr::ClosureExpr(e) => self.closure(e, expected),
            ast::Expr::AtExpr(e) => {
                let value = self.at_expr(e, expected);
                self.profile_expr(e, value)
            }
            ast::Expr::AnnotatedExpr(e) => match e.expr() {
                Some(inner) => {
                    let value = self.expr(&inner, expected, used);
                    if e.annotations().any(|it| it.simple_name().is_some_and(|name| name == "FastMath")) {
                        self.body.fast.push(value);
                    }
                    value
                }
                None => self.error(range),
            },
            _ => self.no_value(e),
        }
    }

    /// Forms that have no value.
    fn no_value(&mut self, e: &ast::Expr) -> ExprId {
        let range = range_of(e);
        match e {
            ast::Expr::OperatorExpr(_) => self.removed(range, Removed::OperatorValue),
            ast::Expr::SelfExpr(_) => {
                self.report_at(range, Unresolved::SelfOutside);
                self.error(range)
            }
            ast::Expr::SuperExpr(_) => {
                self.report_at(range, Unresolved::SuperAsValue);
                self.error(range)
            }
            ast::Expr::SubtypeExpr(e) => {
                let (a, b) = e.sub_and_super();
                let test = TypeTest::Subtype(self.tested_type(a), self.tested_type(b));
                self.type_test(test, range)
            }
            ast::Expr::HasZeroExpr(e) => {
                let test = TypeTest::HasZero(self.tested_type(e.ty()));
                self.type_test(test, range)
            }
            ast::Expr::IsRefExpr(e) => {
                let test = TypeTest::IsRef(self.tested_type(e.ty()));
                self.type_test(test, range)
            }
            ast::Expr::FinishExpr(e) => self.collecting_finish(e),
            // The parser has reported that it is a type.
            ast::Expr::TypeExpr(_) => self.error(range),
            _ => {
                self.not_a_value(range);
                self.error(range)
            }
        }
    }

    fn tested_type(&mut self, ty: Option<ast::Type>) -> Ty {
        ty.map_or_else(|| Ty::error(self.db), |ty| self.written_type(&ty))
    }

    /// A condition on types: a constant, unless it depends on type parameters.
    pub(crate) fn type_test(&mut self, test: TypeTest, range: TextRange) -> ExprId {
        let boolean = Ty::boolean(self.db);
        let kind = match test.is_generic(self.db) {
            true => ExprKind::TypeTest(test),
            false => ExprKind::Literal(Literal::Bool(self.context().holds(&test))),
        };
        self.alloc(kind, boolean, range)
    }

    pub(crate) fn not_a_value(&mut self, range: TextRange) {
        self.report_at(range, NotAValue);
    }

    pub(crate) fn need_value(&mut self, resolved: Resolved, range: TextRange) -> ExprId {
        match resolved {
            Resolved::Value(id) => id,
            Resolved::Error => self.error(range),
            Resolved::Type(_) | Resolved::Package(_) => {
                self.not_a_value(range);
                self.error(range)
            }
        }
    }

    fn literal(&mut self, e: &ast::Literal, range: TextRange) -> ExprId {
        let (literal, ty) = match e.value() {
            Some(LiteralValue::Int(Some(value), suffix)) => self.integer(value, suffix, e, range),
            Some(LiteralValue::Float(value, suffix)) => {
                let known = if suffix == NumericSuffix::Float { Known::Float } else { Known::Double };
                (Literal::Float(value.to_bits()), Ty::known(self.db, known))
            }
            Some(LiteralValue::Char(Some(c))) => (Literal::Char(c), Ty::known(self.db, Known::Char)),
            Some(LiteralValue::String(text)) => (Literal::String(text), Ty::string(self.db)),
            Some(LiteralValue::Bool(value)) => (Literal::Bool(value), Ty::boolean(self.db)),
            Some(LiteralValue::Null) => (Literal::Null, Ty::null(self.db)),
            _ => return self.error(range),
        };
        self.alloc(ExprKind::Literal(literal), ty, range)
    }

    fn integer(
        &mut self,
        value: u64,
        suffix: NumericSuffix,
        e: &ast::Literal,
        range: TextRange,
    ) -> (Literal, Ty) {
        let known = match suffix {
            NumericSuffix::Byte => Known::Byte,
            NumericSuffix::Short => Known::Short,
            NumericSuffix::Int => Known::Int,
            NumericSuffix::UByte => Known::UByte,
            NumericSuffix::UShort => Known::UShort,
            NumericSuffix::UInt => Known::UInt,
            NumericSuffix::ULong => Known::ULong,
            _ => Known::Long,
        };
        let bits = suffix.bits();
        let decimal = !e.token().is_some_and(|t| t.text().starts_with('0') && t.text().len() > 1);
        // A decimal literal of a signed type may be the magnitude of the least value, after a minus.
        let limit = match (decimal && !suffix.is_unsigned(), bits) {
            (true, bits) => 1u64 << (bits - 1),
            (false, 64) => u64::MAX,
            (false, bits) => (1u64 << bits) - 1,
        };
        let negated = e.syntax().parent().is_some_and(|parent| {
            ast::PrefixExpr::cast(parent).is_some_and(|p| p.op() == Some(ast::PrefixOp::Minus))
        });
        let too_large = value > limit || (decimal && !suffix.is_unsigned() && value == limit && !negated);
        if too_large {
            self.report_at(range, LiteralRange::Literal { ty: suffix.type_name() });
        }
        let shift = 64 - bits;
        let extended = if suffix.is_unsigned() {
            ((value << shift) >> shift) as i64
        } else {
            ((value << shift) as i64) >> shift
        };
        (Literal::Int(extended), Ty::known(self.db, known))
    }

    /// `[a, b, c]`: a `Rail` of the least common supertype, or of the element type that is expected.
    fn rail(&mut self, e: &ast::RailExpr, expected: Option<Ty>) -> ExprId {
        let range = range_of(e);
        let wanted =
            expected.and_then(|ty| ty.rail_element(self.db)).filter(|ty| !ty.mentions_error(self.db));
        let items: Vec<ast::Expr> = e.exprs().collect();
        let values: Vec<ExprId> =
            items.iter().map(|item| self.value(Some(item), range_of(item), wanted)).collect();
        let types: Vec<Ty> = values.iter().map(|&id| self.ty(id)).collect();
        let context = self.context();
        let fits = |ty: Ty| types.iter().all(|&t| context.convert_directly(t, ty, None).is_some());
        let element = match wanted.filter(|&ty| fits(ty)) {
            Some(ty) => ty,
            None if types.iter().any(|ty| ty.mentions_error(self.db)) => Ty::error(self.db),
            None => match context.lub_all(types.iter().copied()) {
                Some(ty) if ty.is_null(self.db) => Ty::any(self.db),
                Some(ty) => ty,
                None => {
                    self.report_at(range, MissingType::EmptyRail);
                    Ty::error(self.db)
                }
            },
        };
        let items = values.into_iter().map(|id| self.convert(id, element, ConversionSite::Element)).collect();
        let ty = Ty::rail(self.db, element);
        self.alloc(ExprKind::RailLiteral { element, items }, ty, range)
    }

    fn this(&mut self, e: &ast::ThisExpr) -> ExprId {
        let range = range_of(e);
        match e.qualifier() {
            None => self.this_value(range),
            Some(qualifier) => match self.resolve(&qualifier, true) {
                Resolved::Type(ty) => self.outer_this(ty, range),
                Resolved::Error => self.error(range),
                _ => {
                    self.report_at(range, NotEnclosing::NoClass);
                    self.error(range)
                }
            },
        }
    }

    /// `c ? a : b`
    fn conditional(&mut self, e: &ast::ConditionalExpr, expected: Option<Ty>) -> ExprId {
        let range = range_of(e);
        let condition = self.condition(e.condition().as_ref(), range);
        let then = self.supposing(condition, true, |it| it.value(e.then_branch().as_ref(), range, expected));
        let otherwise =
            self.supposing(condition, false, |it| it.value(e.else_branch().as_ref(), range, expected));
        let (a, b) = (self.ty(then), self.ty(otherwise));
        let ty = self.common_type(a, b);
        let ty = self.common_facts(then, otherwise, ty);
        let then = self.convert(then, ty, ConversionSite::Element);
        let otherwise = self.convert(otherwise, ty, ConversionSite::Element);
        self.alloc(ExprKind::Conditional { condition, then, otherwise }, ty, range)
    }

    /// The type of a conditional: the branch type that the other one converts to, else the least common
    /// supertype.
    pub(crate) fn common_type(&self, a: Ty, b: Ty) -> Ty {
        let db = self.db;
        if a.is_error(db) || b.is_error(db) {
            return if a.is_error(db) { b } else { a };
        }
        let context = self.context();
        let numbers = a.primitive(db).is_some() && b.primitive(db).is_some();
        if numbers && a.base(db) != b.base(db) {
            if context.convert(a, b.base(db), None).is_some() {
                return b.base(db);
            }
            if context.convert(b, a.base(db), None).is_some() {
                return a.base(db);
            }
        }
        context.lub(a, b)
    }

    fn instance_of(&mut self, e: &ast::InstanceOfExpr) -> ExprId {
        let range = range_of(e);
        let value = self.value(e.expr().as_ref(), range, None);
        let ty = e.ty().map(|ty| self.written_type(&ty)).unwrap_or_else(|| Ty::error(self.db));
        let found = self.ty(value);
        let wrong = found.is_error(self.db) || ty.is_error(self.db);
        // A test of a `val` of a wider type is no mistake, though its result is known here.
        let path = self.path_of(value).filter(Path::is_literal);
        if !wrong && (!self.may_be(found, ty) || self.is_excluded(value, ty, path.as_ref())) {
            self.report_at(range, ImpossibleCast::NeverInstance { found, ty });
        }
        let boolean = Ty::boolean(self.db);
        self.alloc(ExprKind::InstanceOf { value, ty }, boolean, range)
    }

    fn cast(&mut self, e: &ast::CastExpr) -> ExprId {
        let range = range_of(e);
        let ty = e.ty().map(|ty| self.written_type(&ty)).unwrap_or_else(|| Ty::error(self.db));
        let value = self.value(e.expr().as_ref(), range, Some(ty));
        self.cast_to(value, ty, range)
    }

    /// Whether a cast from `value` to `ty` can succeed.
    pub(crate) fn may_be_cast(&self, value: ExprId, ty: Ty) -> bool {
        let from = self.ty(value);
        self.is_assignable(from, ty)
            || self.context().resolve_conversion(&self.arg(value), ty).is_some()
            || self.may_be(from, ty)
    }

    /// `value as ty`: an upcast, a conversion, or a check at run time.
    pub(crate) fn cast_to(&mut self, value: ExprId, ty: Ty, range: TextRange) -> ExprId {
        let db = self.db;
        let from = self.ty(value);
        if ty.is_error(db) || from.is_error(db) {
            return self.alloc(ExprKind::Coerce { value }, ty, range);
        }
        let path = self.path_of(value);
        let context = self.context();
        if let Some(conversion) = context.convert_directly(from, ty, path.as_ref()) {
            if conversion.checked {
                let value = self.convert(value, ty.base(db), ConversionSite::Cast);
                return self.alloc(ExprKind::Cast { value, checked: true }, ty, range);
            }
            let id = self.convert(value, ty, ConversionSite::Cast);
            if conversion.is_identity() || id == value {
                // The written type replaces the facts about the value.
                return self.alloc(ExprKind::Coerce { value: id }, ty, range);
            }
            return id;
        }
        // Of a wider type only its own constraint counts: the cast tests the other facts about the value.
        let seen = path.filter(|path| path.is_literal() || context.is_subtype(from, ty.base(db)));
        if self.may_be(from, ty) && self.is_excluded(value, ty, seen.as_ref()) {
            self.report_at(range, ImpossibleCast::Excluded { ty });
            return self.alloc(ExprKind::Coerce { value }, ty, range);
        }
        if let Some(call) = self.explicit_conversion(value, ty, range) {
            return call;
        }
        if context.convert_implicitly(from, ty).is_some() {
            return self.convert(value, ty, ConversionSite::Cast);
        }
        if !self.may_be(from, ty) && self.has_odd_conversion(from) {
            return self.error(range);
        }
        if !self.may_be(from, ty) {
            self.report_at(range, ImpossibleCast::NoConversion { value, from, to: ty });
            return self.alloc(ExprKind::Coerce { value }, ty, range);
        }
        let to_value = ty.is_struct(db) || ty.as_param(db).is_some();
        let from_reference = !from.is_struct(db) && from.as_param(db).is_none();
        let checked = ty.constraint(db).is_some();
        if to_value && from_reference {
            let plain = ty.base(db);
            let id = self.alloc(ExprKind::Unbox { value }, plain, range);
            return if checked { self.alloc(ExprKind::Cast { value: id, checked }, ty, range) } else { id };
        }
        self.alloc(ExprKind::Cast { value, checked }, ty, range)
    }

    /// Whether the class of the value declares a conversion of `this`, which is reported at its
    /// declaration. Classes of other files are not read.
    fn has_odd_conversion(&self, from: Ty) -> bool {
        let class = from.base(self.db).as_class(self.db).map(|(class, _)| class);
        class.filter(|class| class.file(self.db) == self.class.file(self.db)).is_some_and(|class| {
            let conversions = own_methods(self.db, class, "operator as").iter();
            let takes_nothing =
                |it: &MethodId| method_item(self.db, *it).is_some_and(|item| item.params.is_empty());
            conversions.chain(own_methods(self.db, class, "operator implicit as")).any(takes_nothing)
        })
    }

    /// Whether facts about the value contradict the constraint of `ty`.
    fn is_excluded(&self, value: ExprId, ty: Ty, path: Option<&Path>) -> bool {
        let Some(wanted) = ty.constraint(self.db) else { return false };
        let given = self.ty(value).constraint(self.db).map_or(&[][..], |given| &given.terms);
        let question = Question { given, self_ty: Some(ty.base(self.db)), value: path };
        self.context().decide(question, &wanted.terms) == Entailment::Refuted
    }

    /// Whether some value of type `a` can also be of type `b`.
    fn may_be(&self, a: Ty, b: Ty) -> bool {
        let db = self.db;
        let context = self.context();
        let (x, y) = (a.base(db), b.base(db));
        if context.is_subtype(x, y) || context.is_subtype(y, x) {
            return true;
        }
        if x.as_param(db).is_some() || y.as_param(db).is_some() {
            return true;
        }
        if x.is_struct(db) || y.is_struct(db) {
            return self.same_class(x, y);
        }
        let open = |ty: Ty| ty.is_interface(db) || ty.as_function(db).is_some();
        open(x) || open(y) || self.same_class(x, y)
    }

    /// Instances of one generic class: their arguments are compared at run time.
    fn same_class(&self, a: Ty, b: Ty) -> bool {
        let class = |ty: Ty| ty.as_class(self.db).map(|(class, args)| (class, args.len()));
        class(a).is_some_and(|(_, args)| args > 0) && class(a) == class(b)
    }
}
