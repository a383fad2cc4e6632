//! Operations on machine types, with their names and symbols, and what happens where a result does not exist.

use std::ops::RangeInclusive;

/// What happens where an operation on integers has no result: it overflows, its divisor is zero, its shift
/// count is not less than the width, or the integer is not one of the type that it is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithmeticRules {
    /// There always is one: of sums, differences and products modulo a power of two, of shifts by the count
    /// modulo the width, of conversions the nearest integer of the type, and zero for what is not a number.
    Wrapping,
    /// A division by zero raises an exception; the least integer divided by -1 is itself.
    Raising,
    /// The program ends.
    Trapping,
    /// The program does not do this (C17, 3.4.3): code generation relies on it. A shift to the left may lose
    /// bits.
    Undefined,
}

/// Operations on machine types. Their names say what happens where a result does not exist: see
/// [`Operation::rules`].
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
    /// Two operands, without a result in the cases of [`ArithmeticRules::Undefined`].
    AddUndefined,
    SubUndefined,
    MulUndefined,
    DivUndefined,
    RemUndefined,
    ShlUndefined,
    ShrUndefined,
    /// Two operands; the program ends where the result does not exist.
    AddTrapping,
    SubTrapping,
    MulTrapping,
    /// One operand; as the operations on two.
    NegUndefined,
    NegTrapping,
    ConvertUndefined,
    /// A pointer and a number of elements (C17, 6.5.6): the pointer that is moved over these elements.
    /// Outside of the array, and of the position behind its last element, the result is undefined.
    Offset,
    /// Two pointers into an array: the number of elements from the second to the first, an `I64`.
    Distance,
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
    /// Same bits, other type.
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
            /// The operation called `name` in MIR text (`add`, `bit_not`, `sqrt`, ...).
            pub fn from_name(name: &str) -> Option<Operation> {
                match name { $($name => Some(Operation::$variant),)* _ => None }
            }
            /// Its name in MIR text.
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
    AddUndefined = "add_undefined", SubUndefined = "sub_undefined", MulUndefined = "mul_undefined",
    DivUndefined = "div_undefined", RemUndefined = "rem_undefined", ShlUndefined = "shl_undefined",
    ShrUndefined = "shr_undefined", AddTrapping = "add_trapping", SubTrapping = "sub_trapping",
    MulTrapping = "mul_trapping", NegUndefined = "neg_undefined", NegTrapping = "neg_trapping",
    ConvertUndefined = "convert_undefined", Offset = "offset", Distance = "distance",
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

/// Operations that wrap, raise or saturate, and those on the same numbers with other rules.
const RULES: &[(Operation, Operation, ArithmeticRules)] = &[
    (Operation::Add, Operation::AddUndefined, ArithmeticRules::Undefined),
    (Operation::Sub, Operation::SubUndefined, ArithmeticRules::Undefined),
    (Operation::Mul, Operation::MulUndefined, ArithmeticRules::Undefined),
    (Operation::Div, Operation::DivUndefined, ArithmeticRules::Undefined),
    (Operation::Rem, Operation::RemUndefined, ArithmeticRules::Undefined),
    (Operation::Shl, Operation::ShlUndefined, ArithmeticRules::Undefined),
    (Operation::Shr, Operation::ShrUndefined, ArithmeticRules::Undefined),
    (Operation::Neg, Operation::NegUndefined, ArithmeticRules::Undefined),
    (Operation::Convert, Operation::ConvertUndefined, ArithmeticRules::Undefined),
    (Operation::Add, Operation::AddTrapping, ArithmeticRules::Trapping),
    (Operation::Sub, Operation::SubTrapping, ArithmeticRules::Trapping),
    (Operation::Mul, Operation::MulTrapping, ArithmeticRules::Trapping),
    (Operation::Neg, Operation::NegTrapping, ArithmeticRules::Trapping),
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

    /// What happens where the result of this operation on integers does not exist.
    pub fn rules(self) -> ArithmeticRules {
        match self {
            Operation::Div | Operation::Rem => ArithmeticRules::Raising,
            Operation::Offset | Operation::Distance => ArithmeticRules::Undefined,
            _ => RULES.iter().find(|it| it.1 == self).map_or(ArithmeticRules::Wrapping, |it| it.2),
        }
    }

    /// Whether it may be evaluated only where the program does: it has no result for some operands.
    pub fn may_fail(self) -> bool {
        self.rules() != ArithmeticRules::Wrapping
    }

    /// The operation on the same numbers that wraps, raises or saturates.
    pub fn wrapping(self) -> Operation {
        RULES.iter().find(|it| it.1 == self).map_or(self, |it| it.0)
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
            _ if SYMBOLS.iter().any(|it| it.0 == self.wrapping()) => 2..=2,
            Operation::Pow
            | Operation::FastPow
            | Operation::Atan2
            | Operation::Hypot
            | Operation::Min
            | Operation::Max
            | Operation::Offset
            | Operation::Distance
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

    #[test]
    fn operations_with_rules_take_as_many_operands_as_those_that_wrap() {
        for &(wrapping, other, rules) in RULES {
            assert_eq!(other.wrapping(), wrapping);
            assert_eq!(other.rules(), rules);
            assert_eq!(other.arity(), wrapping.arity(), "{}", other.name());
            assert!(other.name().starts_with(wrapping.name()));
        }
        assert_eq!(Operation::Div.rules(), ArithmeticRules::Raising);
    }
}
