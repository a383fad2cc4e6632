//! Operations on machine types, with their names and symbols: the class library refers to them as
//! `@Intrinsic("op.NAME")`.

use std::ops::RangeInclusive;

/// Operations on machine types; X10's semantics (integers wrap, shifts are masked, division by zero raises
/// ArithmeticException on the host, conversions saturate).
#[allow(missing_docs, reason = "the names are those of the operations")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Two operands of one type.
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    UShr,
    /// One operand.
    Neg,
    Not,
    BitNot,
    /// Comparison, result `Bool`. On references identity; on structs field by field.
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// To the expression's type.
    Convert,
    /// Same bits, other type (`Float.toIntBits`).
    Bitcast,
    /// Mathematical functions; on the device the native one of the operand's width.
    Sqrt,
    Cbrt,
    Exp,
    Log,
    Log10,
    Pow,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    /// More mathematical functions.
    Floor,
    Ceil,
    Round,
    Abs,
    Min,
    Max,
    Fma,
    Hypot,
    Expm1,
    Log1p,
    Rsqrt,
    Erf,
    Erfc,
    /// The value of a texture, a struct, at one to three coordinates.
    Texture,
    /// Faster and less precise, on `F32` in kernels.
    FastDiv,
    FastSqrt,
    FastRsqrt,
    FastExp,
    FastLog,
    FastLog10,
    FastPow,
    FastSin,
    FastCos,
    FastTan,
}

macro_rules! names {
    ($($variant:ident = $name:literal),* $(,)?) => {
        impl Operation {
            /// The operation called `name` in the class library (`add`, `bit_not`, `sqrt`, ...).
            pub fn from_name(name: &str) -> Option<Operation> {
                match name { $($name => Some(Operation::$variant),)* _ => None }
            }
            /// Its name in the class library.
            pub fn name(self) -> &'static str {
                match self { $(Operation::$variant => $name,)* }
            }
        }
        #[cfg(test)]
        const ALL: &[Operation] = &[$(Operation::$variant),*];
    };
}

names! {
    Add = "add", Sub = "sub", Mul = "mul", Div = "div", Rem = "rem", And = "and", Or = "or", Xor = "xor",
    Shl = "shl", Shr = "shr", UShr = "ushr", Neg = "neg", Not = "not", BitNot = "bit_not",
    Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge", Convert = "convert", Bitcast = "bitcast",
    Sqrt = "sqrt", Cbrt = "cbrt", Exp = "exp", Log = "log", Log10 = "log10", Pow = "pow", Sin = "sin", Cos = "cos",
    Tan = "tan", Asin = "asin", Acos = "acos", Atan = "atan", Atan2 = "atan2", Sinh = "sinh", Cosh = "cosh",
    Tanh = "tanh", Floor = "floor", Ceil = "ceil", Round = "round", Abs = "abs", Min = "min", Max = "max",
    Fma = "fma", Hypot = "hypot", Expm1 = "expm1", Log1p = "log1p", Rsqrt = "rsqrt", Erf = "erf",
    Erfc = "erfc", Texture = "texture", FastDiv = "fast_div", FastSqrt = "fast_sqrt", FastRsqrt = "fast_rsqrt",
    FastExp = "fast_exp", FastLog = "fast_log", FastLog10 = "fast_log10", FastPow = "fast_pow",
    FastSin = "fast_sin", FastCos = "fast_cos", FastTan = "fast_tan",
}

/// Operations with infix symbols.
const SYMBOLS: &[(Operation, &str)] = &[
    (Operation::Add, "+"),
    (Operation::Sub, "-"),
    (Operation::Mul, "*"),
    (Operation::Div, "/"),
    (Operation::Rem, "%"),
    (Operation::And, "&"),
    (Operation::Or, "|"),
    (Operation::Xor, "^"),
    (Operation::Shl, "<<"),
    (Operation::Shr, ">>"),
    (Operation::UShr, ">>>"),
    (Operation::Eq, "=="),
    (Operation::Ne, "!="),
    (Operation::Lt, "<"),
    (Operation::Le, "<="),
    (Operation::Gt, ">"),
    (Operation::Ge, ">="),
];

/// Precise operations and their fast versions.
const FAST: &[(Operation, Operation)] = &[
    (Operation::Div, Operation::FastDiv),
    (Operation::Sqrt, Operation::FastSqrt),
    (Operation::Rsqrt, Operation::FastRsqrt),
    (Operation::Exp, Operation::FastExp),
    (Operation::Log, Operation::FastLog),
    (Operation::Log10, Operation::FastLog10),
    (Operation::Pow, Operation::FastPow),
    (Operation::Sin, Operation::FastSin),
    (Operation::Cos, Operation::FastCos),
    (Operation::Tan, Operation::FastTan),
];

impl Operation {
    /// The fast version, if there is one.
    pub fn fast(self) -> Operation {
        FAST.iter().find(|it| it.0 == self).map_or(self, |it| it.1)
    }

    /// The precise version.
    pub fn exact(self) -> Operation {
        FAST.iter().find(|it| it.1 == self).map_or(self, |it| it.0)
    }

    /// The infix symbol in MIR text.
    pub fn symbol(self) -> Option<&'static str> {
        SYMBOLS.iter().find(|it| it.0 == self).map(|it| it.1)
    }

    /// The operation with this infix symbol in MIR text.
    pub fn from_symbol(symbol: &str) -> Option<Operation> {
        SYMBOLS.iter().find(|it| it.1 == symbol).map(|it| it.0)
    }

    /// How many operands it takes.
    pub fn arity(self) -> RangeInclusive<usize> {
        match self {
            _ if SYMBOLS.iter().any(|it| it.0 == self) => 2..=2,
            Operation::Pow
            | Operation::FastPow
            | Operation::Atan2
            | Operation::Hypot
            | Operation::Min
            | Operation::Max
            | Operation::FastDiv => 2..=2,
            Operation::Fma => 3..=3,
            Operation::Texture => 2..=4,
            _ => 1..=1,
        }
    }

    /// Whether its result is a `Bool` whatever its operands are.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Operation::Eq | Operation::Ne | Operation::Lt | Operation::Le | Operation::Gt | Operation::Ge
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_operation() {
        for &operation in ALL {
            assert_eq!(Operation::from_name(operation.name()), Some(operation));
        }
        assert_eq!(Operation::from_name("no_such_operation"), None);
    }
}
