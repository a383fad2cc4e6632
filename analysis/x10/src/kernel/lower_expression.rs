//! Lowering of expressions to those of the kernel model (`apg-kernels`), and their affine forms.

use std::rc::Rc;

use apg_kernels::index::Operator;
use apg_kernels::{Definitions, IntegerType, Scope, Spread, Values};
use apg_symbolic::BinaryOp;

use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, Literal, LocalId};
use crate::ids::MethodId;
use crate::kernel::context::KernelContext;
use crate::kernel::device_code::functions;
use crate::kernel::device_semantics::{CalleeKind, TypeCategory};
use crate::ty::known::Known;

/// The affine form of an integer over local variables.
pub(crate) type Affine = apg_kernels::Index<LocalId>;

/// An expression of the kernel model.
pub(super) type Expr = apg_kernels::Expr<LocalId, ExprId>;
/// A Boolean expression of the kernel model.
pub(super) type Test = apg_kernels::Test<LocalId, ExprId>;

/// Deepest nesting of expressions that are lowered.
const MAX_DEPTH: u32 = 300;

/// The variables that affine forms may contain at a point of the code.
pub(crate) struct SymbolContext<'f> {
    /// Whether a variable may be a symbol of the form.
    pub is_symbol: &'f dyn Fn(LocalId) -> bool,
    /// Whether a symbol is never negative.
    pub is_non_negative: &'f dyn Fn(LocalId) -> bool,
    /// Known values of variables at this point.
    pub values: &'f Values<LocalId>,
}

/// What is known of the threads that execute an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadContext {
    /// Which threads agree on `this`.
    pub this: Spread,
    /// Whether all warps of a block are known to have 32 threads.
    pub has_whole_warps: bool,
}

impl KernelContext<'_> {
    /// The affine form of an integer expression over the known symbols. `val`s that are no symbols are
    /// expanded.
    pub(crate) fn affine(&self, expr: ExprId, known: &SymbolContext) -> Option<Affine> {
        let SymbolContext { is_symbol, is_non_negative, values } = *known;
        Scope { is_symbol, is_non_negative, values, definitions: self }.index(&self.lower_integer(expr))
    }

    /// An integer expression; of types of fewer than 32 bits, which may truncate, nothing is known.
    pub(super) fn lower_integer(&self, expr: ExprId) -> Expr {
        Lowering { context: self, depth: MAX_DEPTH, threads: None }.value(expr)
    }

    /// An expression that threads evaluate, with all that it is computed from.
    pub(super) fn lower_value(&self, expr: ExprId, threads: ThreadContext) -> Expr {
        Lowering { context: self, depth: MAX_DEPTH, threads: Some(threads) }.value(expr)
    }

    /// A Boolean expression that threads evaluate.
    pub(super) fn lower_test(&self, expr: ExprId, threads: ThreadContext) -> Test {
        Lowering { context: self, depth: MAX_DEPTH, threads: Some(threads) }.test(expr)
    }
}

/// `val`s are defined by their initialisers.
impl Definitions<LocalId, ExprId> for KernelContext<'_> {
    fn integer(&self, local: LocalId) -> Option<Rc<Expr>> {
        if self.local(local).mutable {
            return None;
        }
        Some(Rc::new(self.lower_integer(self.initialiser(local)?)))
    }

    fn test(&self, local: LocalId) -> Option<Rc<Test>> {
        if self.local(local).mutable || !self.inner.contains(&local) {
            return None;
        }
        let lowering = Lowering { context: self, depth: MAX_DEPTH, threads: None };
        Some(Rc::new(lowering.test(self.initialiser(local)?)))
    }
}

#[derive(Clone, Copy)]
struct Lowering<'d, 'a> {
    context: &'d KernelContext<'a>,
    /// How much deeper expressions may be nested.
    depth: u32,
    /// The threads that execute the expression. `None`: only the values of integers are of interest.
    threads: Option<ThreadContext>,
}

impl Lowering<'_, '_> {
    fn deeper(self) -> Option<Self> {
        Some(Self { depth: self.depth.checked_sub(1)?, ..self })
    }

    fn value(self, expr: ExprId) -> Expr {
        let Some(deeper) = self.deeper() else { return Expr::Unknown };
        let Some(threads) = self.threads else { return deeper.known_value(expr).unwrap_or(Expr::Unknown) };
        let value = deeper.known_value(expr).unwrap_or_else(|| deeper.thread_value(expr, threads));
        match self.primitive(expr).filter(|it| it.is_unsigned()) {
            Some(ty) => Expr::Convert(integer_type(ty), Box::new(value)),
            None => value,
        }
    }

    /// A value that is an integer; with threads, any value of a known form.
    fn known_value(self, expr: ExprId) -> Option<Expr> {
        let context = self.context;
        Some(match &context.expr(expr).kind {
            ExprKind::Literal(Literal::Int(value)) => Expr::Constant(*value),
            ExprKind::Local(local) => Expr::Variable(*local, context.constant(expr)),
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => self.converted(expr, *value)?,
            ExprKind::Let { result, .. } => self.value(*result),
            ExprKind::StaticField(_) => Expr::Constant(context.constant(expr)?),
            ExprKind::Conditional { condition, then, otherwise } => {
                let (then, otherwise) = (self.value(*then), self.value(*otherwise));
                Expr::Select(Box::new(self.test(*condition)), Box::new(then), Box::new(otherwise))
            }
            ExprKind::Call { .. } => self.number_operation(expr)?,
            _ => return None,
        })
    }

    /// What an expression of another form is computed from.
    fn thread_value(self, expr: ExprId, threads: ThreadContext) -> Expr {
        let context = self.context;
        let semantics = context.semantics;
        match &context.expr(expr).kind {
            ExprKind::This => Expr::Opaque(threads.this),
            ExprKind::Assign { value, .. } => self.value(*value),
            ExprKind::Call { method, receiver, args, .. } => {
                if let Some(value) = self.thread_operation(*method, args, threads) {
                    return value;
                }
                if let Some(test) = self.known_test(expr) {
                    return Expr::Truth(Box::new(test));
                }
                let mut operands: Vec<Expr> = receiver.iter().chain(args).map(|it| self.value(*it)).collect();
                let is_element = method.name(semantics.db) == "operator()"
                    && !semantics.is_class(method.class(semantics.db), "x10.util.Slots");
                if is_element && operands.len() == 2 {
                    return Expr::Load(operands);
                }
                if !semantics.is_pure(*method) {
                    operands.push(Expr::Opaque(Spread::Uniform));
                }
                Expr::Function(operands)
            }
            // An object that a thread allocates is private to it.
            ExprKind::New { .. }
                if !matches!(semantics.category(context.expr(expr).ty), TypeCategory::Plain) =>
            {
                Expr::Unknown
            }
            ExprKind::Field { object, field } => {
                let value = Expr::Function(vec![self.value(*object)]);
                match field.name(semantics.db) == "size" && self.is_rail(*object) {
                    true => Expr::Natural(Box::new(value)),
                    false => value,
                }
            }
            _ => match self.known_test(expr) {
                Some(test) => Expr::Truth(Box::new(test)),
                None => self.function(expr),
            },
        }
    }

    /// An unknown function of the parts of an expression.
    fn function(self, expr: ExprId) -> Expr {
        let parts = self.context.body.children(Node::Expr(expr));
        let operand = |it| match it {
            Node::Expr(part) => Some(self.value(part)),
            Node::Stmt(_) => None,
        };
        Expr::Function(parts.into_iter().filter_map(operand).collect())
    }

    /// The result of a collective operation, of an atomic update, of a function that executes such ones, or
    /// the index of a thread; `None` for other methods.
    fn thread_operation(self, method: MethodId, args: &[ExprId], threads: ThreadContext) -> Option<Expr> {
        let semantics = self.context.semantics;
        let kind = semantics.callee_kind(method);
        match kind {
            CalleeKind::Barrier => return Some(Expr::Opaque(Spread::Uniform)),
            CalleeKind::Collective | CalleeKind::ThreadIndex => {}
            _ if semantics.is_atomic(method) => return Some(Expr::Unknown),
            // The block receives one status.
            CalleeKind::Function if semantics.is_slot_call(method) => {
                return Some(Expr::Opaque(Spread::Uniform));
            }
            CalleeKind::Function if functions::requires_thread_context(semantics.db, method) => {
                return Some(Expr::Unknown);
            }
            _ => return None,
        }
        // Lane 0 of a warp always exists. Another lane may not, and then each thread keeps its own value.
        let is_first_lane = || args.get(1).and_then(|lane| self.context.constant(*lane)) == Some(0);
        let value = Expr::Opaque(match semantics.thread_operation(method) {
            Some("rank") => Spread::Rank,
            Some("grid_index") if threads.has_whole_warps => Spread::Rank,
            Some("shuffle") if is_first_lane() => Spread::Warp,
            _ if semantics.is_block_uniform(method) => Spread::Uniform,
            _ if semantics.is_warp_uniform(method) => Spread::Warp,
            _ => Spread::Varying,
        });
        Some(match kind {
            CalleeKind::ThreadIndex => Expr::Natural(Box::new(value)),
            _ => value,
        })
    }

    /// An arithmetic operation on numbers.
    fn number_operation(self, expr: ExprId) -> Option<Expr> {
        let semantics = self.context.semantics;
        let ExprKind::Call { method, receiver, args, .. } = &self.context.expr(expr).kind else {
            return None;
        };
        let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
        let binary = |op: Operator, left: Expr, right: ExprId| {
            Expr::Binary(op, Box::new(left), Box::new(self.value(right)))
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
            return Some(arithmetic(op, self.value(a), b));
        }
        let op = name.strip_prefix("operator").filter(|_| semantics.is_pure(*method))?.trim();
        let ty = self.primitive(expr)?;
        if !operands.iter().all(|it| self.primitive(*it).is_some()) {
            return None;
        }
        match (op, &operands[..]) {
            // Differences of unsigned numbers may wrap.
            ("-" | "~", _) if ty.is_unsigned() => None,
            ("-", [a]) => Some(arithmetic(BinaryOp::Sub, Expr::Constant(0), *a)),
            ("~", [a]) => Some(arithmetic(BinaryOp::Sub, Expr::Constant(-1), *a)),
            (op, [a, b]) => {
                let value = binary(binary_operator(op)?, self.value(*a), *b);
                let rounds = self.threads.is_some() && ["/", "%"].contains(&op);
                Some(if rounds { Expr::Located(expr, Box::new(value)) } else { value })
            }
            ("!", _) => None,
            // Conversions between number types, and `+a`.
            (_, [a]) => self.converted(expr, *a),
            _ => None,
        }
    }

    /// A conversion to the type of `expr`. Of types of fewer than 32 bits, which may truncate, values are not
    /// known.
    fn converted(self, expr: ExprId, value: ExprId) -> Option<Expr> {
        let ty = self.primitive(expr).filter(|it| it.is_integer())?;
        let ty = integer_type(ty);
        match self.threads {
            None => ty.is_wide().then(|| self.value(value)),
            Some(_) => Some(Expr::Convert(ty, Box::new(self.value(value)))),
        }
    }

    fn primitive(self, expr: ExprId) -> Option<Known> {
        self.context.expr(expr).ty.primitive(self.context.semantics.db)
    }

    fn is_rail(self, expr: ExprId) -> bool {
        matches!(
            self.context.semantics.category(self.context.expr(expr).ty),
            TypeCategory::Rail(_) | TypeCategory::GlobalRail(_) | TypeCategory::ConstantRail(_)
        )
    }

    fn test(self, expr: ExprId) -> Test {
        let Some(deeper) = self.deeper() else { return Test::Unknown };
        match (deeper.known_test(expr), self.threads) {
            (Some(test), _) => test,
            (None, Some(_)) => Test::Function(vec![deeper.value(expr)]),
            (None, None) => Test::Unknown,
        }
    }

    fn known_test(self, expr: ExprId) -> Option<Test> {
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
                let equal = Test::Equal(self.value(*left), self.value(*right));
                if *negated { equal.negated() } else { equal }
            }
            ExprKind::Local(local) if self.primitive(expr) == Some(Known::Boolean) => Test::Variable(*local),
            ExprKind::Call { method, receiver, args, .. } if context.semantics.is_pure(*method) => {
                let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
                let name = method.name(context.semantics.db);
                let op = name.strip_prefix("operator")?.trim();
                if !operands.iter().all(|it| self.primitive(*it).is_some()) {
                    return None;
                }
                let less = |left, right| Test::Less(self.value(left), self.value(right));
                match (op, &operands[..]) {
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

/// An integer type of X10 in the model.
fn integer_type(ty: Known) -> IntegerType {
    IntegerType { bits: 8 * ty.size().unwrap_or(8), is_signed: !ty.is_unsigned() }
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
