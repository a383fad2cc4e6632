//! Operators of symbolic expressions and their values on 64-bit integers.

use crate::integer::{floor_div, floor_mod};

/// A binary operation on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient rounded towards negative infinity.
    FloorDiv,
    /// Remainder of [`BinaryOp::FloorDiv`].
    FloorMod,
    /// Quotient rounded towards zero.
    TruncDiv,
    /// Remainder of [`BinaryOp::TruncDiv`], which has the sign of the dividend.
    TruncRem,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Bitwise conjunction.
    And,
    /// Bitwise disjunction.
    Or,
    /// Bitwise exclusive disjunction.
    Xor,
    /// Left shift, which is multiplication by a power of two.
    Shl,
    /// Arithmetic right shift, which rounds towards negative infinity.
    Shr,
}

impl BinaryOp {
    /// The value of the operation; `None` on overflow, for division by zero, and for shifts by a number that
    /// is not in `0..=62`.
    pub fn apply(self, a: i64, b: i64) -> Option<i64> {
        let count = || u32::try_from(b).ok().filter(|it| *it <= 62);
        match self {
            BinaryOp::Add => a.checked_add(b),
            BinaryOp::Sub => a.checked_sub(b),
            BinaryOp::Mul => a.checked_mul(b),
            BinaryOp::FloorDiv => floor_div(a, b),
            BinaryOp::FloorMod => floor_mod(a, b),
            BinaryOp::TruncDiv => a.checked_div(b),
            BinaryOp::TruncRem => a.checked_rem(b),
            BinaryOp::Min => Some(a.min(b)),
            BinaryOp::Max => Some(a.max(b)),
            BinaryOp::And => Some(a & b),
            BinaryOp::Or => Some(a | b),
            BinaryOp::Xor => Some(a ^ b),
            BinaryOp::Shl => a.checked_mul(1 << count()?),
            BinaryOp::Shr => Some(a >> count()?),
        }
    }

    /// The operator, or the name of the function.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::FloorDiv => "floordiv",
            BinaryOp::FloorMod => "mod",
            BinaryOp::TruncDiv => "/",
            BinaryOp::TruncRem => "%",
            BinaryOp::Min => "min",
            BinaryOp::Max => "max",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
        }
    }
}

/// A comparison of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Comparison {
    /// `a < b`.
    Less,
    /// `a <= b`.
    LessEqual,
    /// `a > b`.
    Greater,
    /// `a >= b`.
    GreaterEqual,
    /// `a == b`.
    Equal,
    /// `a != b`.
    NotEqual,
}

impl Comparison {
    /// Whether the comparison holds.
    pub fn holds<T: Ord>(self, a: T, b: T) -> bool {
        match self {
            Comparison::Less => a < b,
            Comparison::LessEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterEqual => a >= b,
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b,
        }
    }

    /// The comparison that holds where this one does not.
    pub fn negated(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::GreaterEqual,
            Comparison::LessEqual => Comparison::Greater,
            Comparison::Greater => Comparison::LessEqual,
            Comparison::GreaterEqual => Comparison::Less,
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
        }
    }

    /// The comparison with its operands exchanged.
    #[must_use]
    pub fn mirrored(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessEqual => Comparison::GreaterEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterEqual => Comparison::LessEqual,
            Comparison::Equal | Comparison::NotEqual => self,
        }
    }

    /// The comparison that an operator of C stands for.
    pub fn from_symbol(symbol: &str) -> Option<Comparison> {
        Some(match symbol {
            "<" => Comparison::Less,
            "<=" => Comparison::LessEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterEqual,
            "==" => Comparison::Equal,
            "!=" => Comparison::NotEqual,
            _ => return None,
        })
    }

    /// Whether the comparison holds for equal operands.
    pub fn is_reflexive(self) -> bool {
        self.holds(0, 0)
    }

    /// The operator of C.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
        }
    }
}
