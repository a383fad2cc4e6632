//! The numbers of X10 and what its operators make of them.

use std::fmt;

/// A type of plain values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Byte,
    Short,
    Int,
    Long,
    UByte,
    UShort,
    UInt,
    ULong,
    Float,
    Double,
    Boolean,
}

impl Type {
    pub(crate) const ALL: [Type; 13] = [
        Type::Int,
        Type::Long,
        Type::Int,
        Type::Long,
        Type::UInt,
        Type::ULong,
        Type::Byte,
        Type::Short,
        Type::UByte,
        Type::UShort,
        Type::Double,
        Type::Float,
        Type::Boolean,
    ];

    /// Its bits and whether it has a sign, if it is of integers.
    pub(crate) fn integer(self) -> Option<(u32, bool)> {
        Some(match self {
            Type::Byte => (8, true),
            Type::Short => (16, true),
            Type::Int => (32, true),
            Type::Long => (64, true),
            Type::UByte => (8, false),
            Type::UShort => (16, false),
            Type::UInt => (32, false),
            Type::ULong => (64, false),
            Type::Float | Type::Double | Type::Boolean => return None,
        })
    }

    pub(crate) fn is_floating(self) -> bool {
        matches!(self, Type::Float | Type::Double)
    }

    /// The smallest and the largest integer.
    pub(crate) fn range(self) -> (i128, i128) {
        match self.integer() {
            Some((bits, true)) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Some((bits, false)) => (0, (1 << bits) - 1),
            None => (0, 0),
        }
    }

    /// An integer cut to the type's bits.
    pub(crate) fn wrap(self, value: i128) -> Value {
        let (bits, signed) = self.integer().unwrap_or((64, true));
        let low = value & ((1 << bits) - 1);
        let negative = signed && low >> (bits - 1) != 0;
        Value::Integer(self, if negative { low - (1 << bits) } else { low })
    }

    fn suffix(self) -> &'static str {
        match self {
            Type::Byte => "y",
            Type::Short => "s",
            Type::Int => "n",
            Type::UByte => "uy",
            Type::UShort => "us",
            Type::UInt => "un",
            Type::ULong => "u",
            Type::Float => "f",
            Type::Long | Type::Double | Type::Boolean => "",
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{self:?}")
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Integer(Type, i128),
    Float(f32),
    Double(f64),
    Boolean(bool),
}

/// As a literal of X10.
impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Value::Integer(ty, value) if value < 0 && value == ty.range().0 => write!(out, "{ty}.MIN_VALUE"),
            Value::Integer(ty, value) if value < 0 => write!(out, "({value}{})", ty.suffix()),
            Value::Integer(ty, value) => write!(out, "{value}{}", ty.suffix()),
            Value::Float(value) if value < 0.0 => write!(out, "({value:?}f)"),
            Value::Float(value) => write!(out, "{value:?}f"),
            Value::Double(value) if value < 0.0 => write!(out, "({value:?})"),
            Value::Double(value) => write!(out, "{value:?}"),
            Value::Boolean(value) => write!(out, "{value}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Minus,
    Not,
    Complement,
    Abs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftUnsigned,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    /// `&&`, which may leave out its right side.
    AndThen,
    OrElse,
    Min,
    Max,
}

impl Binary {
    pub(crate) const COMPARISONS: [Binary; 6] = [
        Binary::Less,
        Binary::LessEqual,
        Binary::Greater,
        Binary::GreaterEqual,
        Binary::Equal,
        Binary::NotEqual,
    ];

    pub(crate) fn text(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Remainder => "%",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::ShiftLeft => "<<",
            Binary::ShiftRight => ">>",
            Binary::ShiftUnsigned => ">>>",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
            Binary::Equal => "==",
            Binary::NotEqual => "!=",
            Binary::AndThen => "&&",
            Binary::OrElse => "||",
            Binary::Min => "Math.min",
            Binary::Max => "Math.max",
        }
    }
}

impl Value {
    pub(crate) fn integer(self) -> i128 {
        match self {
            Value::Integer(_, value) => value,
            Value::Boolean(value) => i128::from(value),
            Value::Float(value) => value as i128,
            Value::Double(value) => value as i128,
        }
    }

    pub(crate) fn is_true(self) -> bool {
        self == Value::Boolean(true)
    }

    /// `value as TYPE`: integers are cut, floating-point values saturate.
    pub(crate) fn convert(self, to: Type) -> Value {
        match (self, to) {
            (Value::Integer(_, value), Type::Float) => Value::Float(value as f32),
            (Value::Integer(_, value), Type::Double) => Value::Double(value as f64),
            (Value::Integer(_, value), _) => to.wrap(value),
            (Value::Double(value), Type::Float) => Value::Float(value as f32),
            (Value::Float(value), Type::Double) => Value::Double(f64::from(value)),
            (Value::Float(value), _) if !to.is_floating() => Value::Double(f64::from(value)).convert(to),
            (Value::Double(value), Type::Long) => to.wrap(i128::from(value as i64)),
            (Value::Double(value), _) if !to.is_floating() => to.wrap(i128::from(value as i32)),
            _ => self,
        }
    }

    pub(crate) fn unary(self, operator: Unary) -> Value {
        match (operator, self) {
            (Unary::Minus, Value::Integer(ty, value)) => ty.wrap(-value),
            (Unary::Complement, Value::Integer(ty, value)) => ty.wrap(!value),
            (Unary::Abs, Value::Integer(ty, value)) => ty.wrap(value.abs()),
            (Unary::Minus, Value::Float(value)) => Value::Float(-value),
            (Unary::Minus, Value::Double(value)) => Value::Double(-value),
            (Unary::Abs, Value::Float(value)) => Value::Float(value.abs()),
            (Unary::Abs, Value::Double(value)) => Value::Double(value.abs()),
            (Unary::Not, Value::Boolean(value)) => Value::Boolean(!value),
            _ => self,
        }
    }

    /// The operator's value, `None` for an integer division by zero.
    pub(crate) fn binary(self, operator: Binary, other: Value) -> Option<Value> {
        Some(match (self, other) {
            (Value::Integer(ty, a), Value::Integer(_, b)) => return integers(operator, ty, a, b),
            (Value::Float(a), Value::Float(b)) => match floating(operator, a, b) {
                Some(value) => Value::Float(value),
                None => Value::Boolean(compare(operator, &a, &b)),
            },
            (Value::Double(a), Value::Double(b)) => match floating(operator, a, b) {
                Some(value) => Value::Double(value),
                None => Value::Boolean(compare(operator, &a, &b)),
            },
            (Value::Boolean(a), Value::Boolean(b)) => Value::Boolean(match operator {
                Binary::And | Binary::AndThen => a & b,
                Binary::Or | Binary::OrElse => a | b,
                Binary::Xor => a ^ b,
                _ => compare(operator, &a, &b),
            }),
            _ => unreachable!("{operator:?} of {self:?} and {other:?}"),
        })
    }
}

fn integers(operator: Binary, ty: Type, a: i128, b: i128) -> Option<Value> {
    let bits = ty.integer().map_or(64, |(bits, _)| bits);
    let count = (b & i128::from(bits - 1)) as u32;
    Some(ty.wrap(match operator {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        // Two of 64 bits without a sign fit into 128 only without one.
        Binary::Multiply => a.wrapping_mul(b),
        Binary::Divide => a.checked_div(b)?,
        Binary::Remainder => a.checked_rem(b)?,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::ShiftLeft => a << count,
        Binary::ShiftRight => a >> count,
        Binary::ShiftUnsigned => (a & ((1 << bits) - 1)) >> count,
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
        _ => return Some(Value::Boolean(compare(operator, &a, &b))),
    }))
}

fn floating<T>(operator: Binary, a: T, b: T) -> Option<T>
where
    T: std::ops::Add<Output = T>
        + std::ops::Sub<Output = T>
        + std::ops::Mul<Output = T>
        + std::ops::Div<Output = T>,
{
    Some(match operator {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide => a / b,
        _ => return None,
    })
}

fn compare<T: PartialOrd>(operator: Binary, a: &T, b: &T) -> bool {
    match operator {
        Binary::Less => a < b,
        Binary::LessEqual => a <= b,
        Binary::Greater => a > b,
        Binary::GreaterEqual => a >= b,
        Binary::Equal => a == b,
        Binary::NotEqual => a != b,
        _ => unreachable!("{operator:?} compares nothing"),
    }
}
