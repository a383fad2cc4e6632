//! Lowering of expressions to those of the kernel model (`apg-kernels`), and their affine forms.

use std::rc::Rc;

use apg_kernels::index::Operator;
use apg_kernels::{Definitions, Expr, Scope, Test, Values};
use apg_symbolic::BinaryOp;

use crate::body::{ExprId, ExprKind, Literal, LocalId};
use crate::kernel::context::KernelContext;

/// The affine form of an integer over local variables.
pub(crate) type Affine = apg_kernels::Index<LocalId>;

/// Deepest nesting of expressions that are lowered.
const MAX_DEPTH: u32 = 200;

/// The variables that affine forms may contain at a point of the code.
pub(crate) struct SymbolContext<'f> {
    /// Whether a variable may be a symbol of the form.
    pub is_symbol: &'f dyn Fn(LocalId) -> bool,
    /// Whether a symbol is never negative.
    pub is_non_negative: &'f dyn Fn(LocalId) -> bool,
    /// Known values of variables at this point.
    pub values: &'f Values<LocalId>,
}

impl KernelContext<'_> {
    /// The affine form of an integer expression over the known symbols. `val`s that are no symbols are
    /// expanded.
    pub(crate) fn affine(&self, expr: ExprId, known: &SymbolContext) -> Option<Affine> {
        let SymbolContext { is_symbol, is_non_negative, values } = *known;
        Scope { is_symbol, is_non_negative, values, definitions: self }.index(&self.lower_integer(expr))
    }

    /// An integer expression; of types of fewer than 32 bits, which may truncate, nothing is known.
    pub(super) fn lower_integer(&self, expr: ExprId) -> Expr<LocalId> {
        Lowering { context: self, depth: MAX_DEPTH }.integer(expr)
    }

    /// A Boolean expression.
    pub(super) fn lower_test(&self, expr: ExprId) -> Test<LocalId> {
        Lowering { context: self, depth: MAX_DEPTH }.test(expr)
    }
}

/// `val`s are defined by their initialisers.
impl Definitions<LocalId> for KernelContext<'_> {
    fn integer(&self, local: LocalId) -> Option<Rc<Expr<LocalId>>> {
        if self.local(local).mutable {
            return None;
        }
        Some(Rc::new(self.lower_integer(self.initialiser(local)?)))
    }

    fn test(&self, local: LocalId) -> Option<Rc<Test<LocalId>>> {
        if self.local(local).mutable || !self.inner.contains(&local) {
            return None;
        }
        Some(Rc::new(self.lower_test(self.initialiser(local)?)))
    }
}

#[derive(Clone, Copy)]
struct Lowering<'d, 'a> {
    context: &'d KernelContext<'a>,
    /// How much deeper expressions may be nested.
    depth: u32,
}

impl Lowering<'_, '_> {
    fn deeper(self) -> Option<Self> {
        Some(Self { depth: self.depth.checked_sub(1)?, ..self })
    }

    fn integer(self, expr: ExprId) -> Expr<LocalId> {
        self.deeper().and_then(|it| it.known_integer(expr)).unwrap_or(Expr::Unknown)
    }

    fn known_integer(self, expr: ExprId) -> Option<Expr<LocalId>> {
        let context = self.context;
        Some(match &context.expr(expr).kind {
            ExprKind::Literal(Literal::Int(value)) => Expr::Constant(*value),
            ExprKind::Local(local) => Expr::Variable(*local, context.constant(expr)),
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => {
                self.converted(expr, self.integer(*value))?
            }
            ExprKind::Let { result, .. } => self.integer(*result),
            ExprKind::StaticField(_) => Expr::Constant(context.constant(expr)?),
            ExprKind::Conditional { condition, then, otherwise } => {
                let (then, otherwise) = (self.integer(*then), self.integer(*otherwise));
                Expr::Select(Box::new(self.test(*condition)), Box::new(then), Box::new(otherwise))
            }
            ExprKind::Call { .. } => self.call(expr)?,
            _ => return None,
        })
    }

    fn call(self, expr: ExprId) -> Option<Expr<LocalId>> {
        let semantics = self.context.semantics;
        let ExprKind::Call { method, receiver, args, .. } = &self.context.expr(expr).kind else {
            return None;
        };
        let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        let binary = |op: Operator, left: Expr<LocalId>, right: ExprId| {
            Expr::Binary(op, Box::new(left), Box::new(self.integer(right)))
        };
        let arithmetic = |op, left, right| binary(Operator::Arithmetic(op), left, right);
        let name = method.name(semantics.db);
        if semantics.is_class(method.class(semantics.db), "x10.lang.Math") {
            let op = match name.as_str() {
                "min" => BinaryOp::Min,
                "max" => BinaryOp::Max,
                _ => return None,
            };
            let [a, b] = operands[..] else { return None };
            return Some(arithmetic(op, self.integer(a), b));
        }
        let op = name.strip_prefix("operator").filter(|_| semantics.is_pure(*method))?.trim();
        let ty = self.context.expr(expr).ty.primitive(semantics.db)?;
        match (op, &operands[..]) {
            ("-" | "~", _) if ty.is_unsigned() => None,
            ("-", [a]) => Some(arithmetic(BinaryOp::Sub, Expr::Constant(0), *a)),
            ("~", [a]) => Some(arithmetic(BinaryOp::Sub, Expr::Constant(-1), *a)),
            (op, [a, b]) => Some(binary(binary_operator(op)?, self.integer(*a), *b)),
            ("!", _) => None,
            // Conversions between integer types, and `+a`.
            (_, [a]) => self.converted(expr, self.integer(*a)),
            _ => None,
        }
    }

    /// A conversion to the type of `expr`; `None` for types of fewer than 32 bits, which may truncate.
    fn converted(self, expr: ExprId, value: Expr<LocalId>) -> Option<Expr<LocalId>> {
        let ty = self.context.expr(expr).ty.primitive(self.context.semantics.db)?;
        (ty.is_integer() && ty.size().is_some_and(|it| it >= 4)).then_some(value)
    }

    fn test(self, expr: ExprId) -> Test<LocalId> {
        self.deeper().and_then(|it| it.known_test(expr)).unwrap_or(Test::Unknown)
    }

    fn known_test(self, expr: ExprId) -> Option<Test<LocalId>> {
        let context = self.context;
        let expr = context.strip_coercions(expr);
        Some(match &context.expr(expr).kind {
            ExprKind::Literal(Literal::Bool(value)) => Test::Literal(*value),
            ExprKind::ShortCircuit { left, right, is_or: false } => {
                Test::All(vec![self.test(*left), self.test(*right)])
            }
            ExprKind::ShortCircuit { left, right, is_or: true } => {
                Test::any(vec![self.test(*left), self.test(*right)])
            }
            ExprKind::Equal { left, right, negated } => {
                let equal = Test::Equal(self.integer(*left), self.integer(*right));
                if *negated { equal.negated() } else { equal }
            }
            ExprKind::Local(local) => Test::Variable(*local),
            ExprKind::Call { method, receiver, args, .. } if context.semantics.is_pure(*method) => {
                let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
                let name = method.name(context.semantics.db);
                let less = |left, right| Test::Less(self.integer(left), self.integer(right));
                match (name.strip_prefix("operator")?.trim(), &operands[..]) {
                    ("!", [it]) => self.test(*it).negated(),
                    ("<", [left, right]) => less(*left, *right),
                    (">", [left, right]) => less(*right, *left),
                    ("<=", [left, right]) => less(*right, *left).negated(),
                    (">=", [left, right]) => less(*left, *right).negated(),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }
}

fn binary_operator(op: &str) -> Option<Operator> {
    Some(Operator::Arithmetic(match op {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::TruncDiv,
        "%" => BinaryOp::TruncRem,
        "&" => BinaryOp::And,
        "|" => BinaryOp::Or,
        "^" => BinaryOp::Xor,
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        ">>>" => return Some(Operator::UnsignedShr),
        _ => return None,
    }))
}
