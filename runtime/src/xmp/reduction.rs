//! Reductions: operators on elements of C's types, with the locations of extreme values (XcalableMP 1.4,
//! sections 5.4.1 and 5.7.4).

use std::cmp::Ordering;

use super::error::{Result, XmpError};
use super::long_double::{self, Extended};
use crate::layout::slot;
use crate::slots::reduction::{Operation, combine};

/// The operator of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`; `-` is combined as `+`.
    Sum,
    /// `*`
    Product,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `max` and `min`, `firstmax` and the like: whether it is the greatest value, and which of equal ones.
    Extreme {
        /// The greatest value, not the least.
        is_max: bool,
        /// Of equal values the last one.
        is_last: bool,
    },
}

impl Operator {
    /// By its number in `apg_xmp.h`.
    pub fn from_number(number: i32) -> Option<Operator> {
        use Operator::*;
        let extreme = |is_max, is_last| Extreme { is_max, is_last };
        let all = [
            Sum,
            Product,
            BitAnd,
            BitOr,
            BitXor,
            And,
            Or,
            extreme(true, false),
            extreme(false, false),
            extreme(true, false),
            extreme(false, false),
            extreme(true, true),
            extreme(false, true),
            Sum,
        ];
        all.get(usize::try_from(number).ok()?).copied()
    }

    fn name(self) -> &'static str {
        match self {
            Operator::Sum => "+",
            Operator::Product => "*",
            Operator::BitAnd => "&",
            Operator::BitOr => "|",
            Operator::BitXor => "^",
            Operator::And => "&&",
            Operator::Or => "||",
            Operator::Extreme { is_max: true, .. } => "max",
            Operator::Extreme { is_max: false, .. } => "min",
        }
    }
}

/// A type of C (`APG_XMP_INT`, ...).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// It is moved, and not computed with.
    Bytes,
    /// `_Bool`
    Bool,
    /// A number of one of the runtime's own codes ([`slot`]).
    Number(u8),
    /// `long double`
    LongDouble,
    /// Two numbers of that code.
    Complex(u8),
    /// `long double _Complex`
    LongDoubleComplex,
}

impl Element {
    /// By its number in `apg_xmp.h`.
    pub fn from_number(number: i32) -> Option<Element> {
        use Element::*;
        // Codes of slots: signed integers from 1 on, unsigned ones from 5 on.
        let all = [
            Bytes,
            Bool,
            Number(1),
            Number(5),
            Number(2),
            Number(6),
            Number(slot::I32),
            Number(7),
            Number(slot::I64),
            Number(8),
            Number(slot::F32),
            Number(slot::F64),
            LongDouble,
            Complex(slot::F32),
            Complex(slot::F64),
            LongDoubleComplex,
        ];
        all.get(usize::try_from(number).ok()?).copied()
    }

    fn is_integer(self) -> bool {
        matches!(self, Element::Bool | Element::Number(1..=8))
    }
}

/// Elements with a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Their type.
    pub element: Element,
    /// Bytes of one.
    pub bytes: usize,
    /// How many.
    pub count: usize,
}

impl Shape {
    /// Bytes of all.
    pub fn total(&self) -> usize {
        self.bytes * self.count
    }
}

/// A variable of a reduction, and the locations of its value. In memory they follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The variable.
    pub value: Shape,
    /// Variables with the location of the value: of as many elements, or of any number for a single value.
    pub locations: Vec<Shape>,
}

impl Variable {
    /// Bytes of the variable and its locations.
    pub fn total(&self) -> usize {
        self.value.total() + self.locations.iter().map(Shape::total).sum::<usize>()
    }

    /// Refuses what an operator has no meaning for.
    ///
    /// # Errors
    /// The words for the user.
    pub fn check(&self, operator: Operator) -> Result<()> {
        use Element::*;
        let is_extreme = matches!(operator, Operator::Extreme { .. });
        let is_bitwise = matches!(operator, Operator::BitAnd | Operator::BitOr | Operator::BitXor);
        let has_meaning = match self.value.element {
            Bytes => false,
            Bool => true,
            Number(slot::F32 | slot::F64) | LongDouble => !is_bitwise,
            Number(_) => true,
            Complex(_) | LongDoubleComplex => matches!(operator, Operator::Sum | Operator::Product),
        };
        let is_long_double = matches!(self.value.element, LongDouble | LongDoubleComplex);
        if is_long_double && !long_double::IS_KNOWN {
            return Err(XmpError::new("elements of type `long double` are not reduced on this CPU")
                .hint("reduce a `double`"));
        }
        if !has_meaning {
            return Err(XmpError::new(format!(
                "`{}` has no meaning for the type of a variable",
                operator.name()
            )));
        }
        if !self.locations.is_empty() && !is_extreme {
            return Err(XmpError::new(format!(
                "`{}` has no locations: `max` and `min` have them",
                operator.name()
            )));
        }
        match self.locations.iter().find(|it| self.value.count != 1 && it.count != self.value.count) {
            Some(location) => Err(XmpError::new(format!(
                "a location of {} elements stands with a variable of {}",
                location.count, self.value.count
            ))),
            None => Ok(()),
        }
    }

    /// Writes the identity of the operator over the variable.
    pub fn set_identity(&self, operator: Operator, bytes: &mut [u8]) {
        let identity = identity(operator, self.value.element, self.value.bytes);
        for element in bytes[..self.value.total()].chunks_exact_mut(self.value.bytes) {
            element.copy_from_slice(&identity);
        }
    }

    /// `left = left op right`; `left` is of earlier nodes.
    pub fn combine(&self, operator: Operator, left: &mut [u8], right: &[u8]) {
        let size = self.value.total();
        if let Operator::Extreme { is_max, is_last } = operator {
            return self.combine_extreme(is_max, is_last, left, right);
        }
        let (left, right) = (&mut left[..size], &right[..size]);
        match (operator, self.value.element) {
            (Operator::And | Operator::Or, element) => {
                for (left, right) in
                    left.chunks_exact_mut(self.value.bytes).zip(right.chunks_exact(self.value.bytes))
                {
                    let (a, b) = (is_true(left, element), is_true(right, element));
                    let value = if operator == Operator::And { a && b } else { a || b };
                    left.copy_from_slice(&number(f64::from(u8::from(value)), element, self.value.bytes));
                }
            }
            (Operator::Sum | Operator::Product, Element::Bool) => {
                let is_sum = operator == Operator::Sum;
                left.iter_mut().zip(right).for_each(|(a, b)| *a = if is_sum { *a | b } else { *a & b });
            }
            (operator, Element::LongDouble | Element::LongDoubleComplex) => {
                let is_complex = self.value.element == Element::LongDoubleComplex;
                long_double::combine(operator == Operator::Product, is_complex, left, right);
            }
            (Operator::Product, Element::Complex(code)) => multiply_complex(left, right, code),
            (_, element) => {
                let code = match element {
                    Element::Number(code) | Element::Complex(code) => code,
                    _ => slot::BOOL,
                };
                let operation = match operator {
                    Operator::Sum => Operation::Add,
                    Operator::Product => Operation::Multiply,
                    Operator::BitAnd => Operation::And,
                    Operator::BitOr => Operation::Or,
                    _ => Operation::Xor,
                };
                let is_known = combine(left, right, code, operation);
                debug_assert!(is_known, "checked in front");
            }
        }
    }

    fn combine_extreme(&self, is_max: bool, is_last: bool, left: &mut [u8], right: &[u8]) {
        let bytes = self.value.bytes;
        let wanted = if is_max { Ordering::Greater } else { Ordering::Less };
        for index in 0..self.value.count {
            let own = index * bytes..(index + 1) * bytes;
            let of_right = compare(&right[own.clone()], &left[own.clone()], self.value.element);
            let takes_right = match of_right {
                Some(Ordering::Equal) => match self.compare_locations(index, right, left) {
                    Ordering::Equal => is_last,
                    order => (order == Ordering::Greater) == is_last,
                },
                Some(order) => order == wanted,
                // A NaN is kept.
                None => is_nan(&right[own.clone()], self.value.element),
            };
            if takes_right {
                left[own.clone()].copy_from_slice(&right[own]);
                for range in self.location_ranges(index) {
                    left[range.1.clone()].copy_from_slice(&right[range.1]);
                }
            }
        }
    }

    /// Where the locations of an element are.
    fn location_ranges(&self, index: usize) -> Vec<(Shape, std::ops::Range<usize>)> {
        let mut start = self.value.total();
        let mut ranges = Vec::new();
        for location in &self.locations {
            let own = match self.value.count {
                1 => start..start + location.total(),
                _ => start + index * location.bytes..start + (index + 1) * location.bytes,
            };
            ranges.push((*location, own));
            start += location.total();
        }
        ranges
    }

    /// The order of the locations of an element; equal where they are no integers.
    fn compare_locations(&self, index: usize, a: &[u8], b: &[u8]) -> Ordering {
        for (shape, range) in self.location_ranges(index) {
            if !shape.element.is_integer() {
                return Ordering::Equal;
            }
            let elements = a[range.clone()].chunks_exact(shape.bytes).zip(b[range].chunks_exact(shape.bytes));
            for (a, b) in elements {
                match compare(a, b, shape.element) {
                    Some(Ordering::Equal) | None => {}
                    Some(order) => return order,
                }
            }
        }
        Ordering::Equal
    }
}

/// A number of any type.
#[derive(Clone, Copy)]
enum Value {
    Integer(i128),
    Float(f64),
    Extended(Extended),
}

fn value(bytes: &[u8], element: Element) -> Value {
    if element == Element::LongDouble && bytes.len() >= long_double::BYTES {
        return Value::Extended(Extended::from_bytes(bytes));
    }
    let mut wide = [0_u8; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    let unsigned = i128::from_le_bytes(wide);
    match element {
        Element::Number(slot::F64) => Value::Float(f64::from_bits(unsigned as u64)),
        Element::Number(slot::F32) => Value::Float(f64::from(f32::from_bits(unsigned as u32))),
        Element::Number(1..=4) => {
            let unused = 128 - 8 * bytes.len() as u32;
            Value::Integer((unsigned << unused) >> unused)
        }
        _ => Value::Integer(unsigned),
    }
}

/// The order of two numbers of a type; `None` if one is a NaN.
pub fn compare(a: &[u8], b: &[u8], element: Element) -> Option<Ordering> {
    match (value(a, element), value(b, element)) {
        (Value::Integer(a), Value::Integer(b)) => Some(a.cmp(&b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b),
        (Value::Extended(a), Value::Extended(b)) => a.compare(b),
        _ => None,
    }
}

/// The total order of two numbers of a type: NaNs are equal, and behind all others.
pub fn compare_totally(a: &[u8], b: &[u8], element: Element) -> Ordering {
    compare(a, b, element).unwrap_or_else(|| is_nan(a, element).cmp(&is_nan(b, element)))
}

fn is_nan(bytes: &[u8], element: Element) -> bool {
    match value(bytes, element) {
        Value::Integer(_) => false,
        Value::Float(it) => it.is_nan(),
        Value::Extended(it) => it.is_nan(),
    }
}

fn is_true(bytes: &[u8], element: Element) -> bool {
    match value(bytes, element) {
        Value::Integer(it) => it != 0,
        Value::Float(it) => it != 0.0,
        Value::Extended(it) => !it.is_zero(),
    }
}

/// A small number in the representation of a type.
fn number(value: f64, element: Element, bytes: usize) -> Vec<u8> {
    match element {
        Element::Number(slot::F64) => value.to_ne_bytes().to_vec(),
        Element::Number(slot::F32) => (value as f32).to_ne_bytes().to_vec(),
        Element::LongDouble => Extended::from_double(value).to_bytes().to_vec(),
        Element::LongDoubleComplex => [value, 0.0].map(|it| Extended::from_double(it).to_bytes()).concat(),
        Element::Complex(slot::F64) => [value.to_ne_bytes(), 0_f64.to_ne_bytes()].concat(),
        Element::Complex(_) => [(value as f32).to_ne_bytes(), 0_f32.to_ne_bytes()].concat(),
        _ => (value as i128).to_le_bytes()[..bytes].to_vec(),
    }
}

/// The identity of an operator.
fn identity(operator: Operator, element: Element, bytes: usize) -> Vec<u8> {
    let bits = 8 * bytes as u32;
    let integer = |it: i128| it.to_le_bytes()[..bytes].to_vec();
    match operator {
        Operator::Product | Operator::And => number(1.0, element, bytes),
        Operator::BitAnd if element == Element::Bool => number(1.0, element, bytes),
        Operator::BitAnd => vec![0xff; bytes],
        Operator::Extreme { is_max, .. } => match element {
            Element::Number(slot::F32 | slot::F64) | Element::LongDouble => {
                number(if is_max { f64::NEG_INFINITY } else { f64::INFINITY }, element, bytes)
            }
            Element::Number(1..=4) if is_max => integer(-1_i128 << (bits - 1)),
            Element::Number(1..=4) => integer((1_i128 << (bits - 1)) - 1),
            _ if is_max => integer(0),
            Element::Bool => integer(1),
            _ => vec![0xff; bytes],
        },
        _ => number(0.0, element, bytes),
    }
}

fn multiply_complex(left: &mut [u8], right: &[u8], code: u8) {
    let half = if code == slot::F64 { 8 } else { 4 };
    let part = |bytes: &[u8]| match value(bytes, Element::Number(code)) {
        Value::Float(it) => it,
        Value::Integer(it) => it as f64,
        Value::Extended(_) => f64::NAN,
    };
    for (left, right) in left.chunks_exact_mut(2 * half).zip(right.chunks_exact(2 * half)) {
        let (a, b) = (part(&left[..half]), part(&left[half..]));
        let (c, d) = (part(&right[..half]), part(&right[half..]));
        left[..half].copy_from_slice(&number(a * c - b * d, Element::Number(code), half));
        left[half..].copy_from_slice(&number(a * d + b * c, Element::Number(code), half));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(element: Element, bytes: usize) -> Shape {
        Shape { element, bytes, count: 1 }
    }

    fn int() -> Shape {
        shape(Element::Number(slot::I32), 4)
    }

    #[test]
    fn nan_is_behind_all_numbers_in_a_total_order() {
        let values = [f64::NAN, 1.0, f64::INFINITY, f64::NAN, -3.0].map(f64::to_ne_bytes);
        let mut sorted = values;
        sorted.sort_by(|a, b| compare_totally(a, b, Element::Number(slot::F64)));
        let numbers = sorted.map(f64::from_ne_bytes);
        assert_eq!(numbers[..3], [-3.0, 1.0, f64::INFINITY]);
        assert!(numbers[3..].iter().all(|it| it.is_nan()));
    }

    #[test]
    fn identity_changes_no_value() {
        let numbers = [
            (1, 1),
            (2, 2),
            (slot::I32, 4),
            (slot::I64, 8),
            (5, 1),
            (6, 2),
            (7, 4),
            (8, 8),
            (slot::F32, 4),
            (slot::F64, 8),
        ];
        let elements = numbers.map(|(code, bytes)| shape(Element::Number(code), bytes)).into_iter().chain([
            shape(Element::Bool, 1),
            shape(Element::Complex(slot::F32), 8),
            shape(Element::Complex(slot::F64), 16),
        ]);
        let mut checked = 0;
        for value in elements {
            for operator in (0..14).filter_map(Operator::from_number) {
                let variable = Variable { value, locations: Vec::new() };
                if variable.check(operator).is_err() {
                    continue;
                }
                let one = number(1.0, value.element, value.bytes);
                let mut left = vec![0; value.bytes];
                variable.set_identity(operator, &mut left);
                variable.combine(operator, &mut left, &one);
                assert_eq!(left, one, "{operator:?} {value:?}");
                checked += 1;
            }
        }
        assert_eq!(checked, 8 * 14 + 2 * 11 + 14 + 2 * 3);
    }

    #[test]
    fn extreme_takes_the_first_or_last_location_of_equal_values() {
        let variable =
            Variable { value: shape(Element::Number(slot::F64), 8), locations: vec![int(), int()] };
        let found = |value: f64, i: i32, j: i32| {
            [&value.to_ne_bytes()[..], &i.to_ne_bytes(), &j.to_ne_bytes()].concat()
        };
        let all = |number: i32, list: &[Vec<u8>]| {
            let mut left = list[0].clone();
            list[1..].iter().for_each(|it| {
                variable.combine(Operator::from_number(number).expect("known"), &mut left, it)
            });
            left
        };
        let list = [found(2.0, 4, 1), found(3.0, 5, 9), found(3.0, 5, 2), found(1.0, 0, 0)];
        assert_eq!(all(9, &list), found(3.0, 5, 2));
        assert_eq!(all(11, &list), found(3.0, 5, 9));
        assert_eq!(all(10, &list), found(1.0, 0, 0));
        assert_eq!(all(7, &[found(1.0, 0, 0), found(f64::NAN, 1, 1)])[8..], found(0.0, 1, 1)[8..]);
    }

    #[test]
    fn logical_and_complex_operators() {
        let flags = Variable { value: Shape { count: 2, ..int() }, locations: Vec::new() };
        let two = |a: i32, b: i32| [a.to_ne_bytes(), b.to_ne_bytes()].concat();
        let mut left = two(7, 0);
        flags.combine(Operator::And, &mut left, &two(2, 1));
        assert_eq!(left, two(1, 0));
        let complex = Variable { value: shape(Element::Complex(slot::F64), 16), locations: Vec::new() };
        let pair = |a: f64, b: f64| [a.to_ne_bytes(), b.to_ne_bytes()].concat();
        let mut left = pair(1.0, 2.0);
        complex.combine(Operator::Product, &mut left, &pair(3.0, -1.0));
        assert_eq!(left, pair(5.0, 5.0));
        let mut left = pair(1.0, 2.0);
        complex.combine(Operator::Sum, &mut left, &pair(3.0, -1.0));
        assert_eq!(left, pair(4.0, 1.0));
    }

    #[test]
    fn operators_without_meaning_are_refused() {
        let text = |value, operator, locations| {
            Variable { value, locations }.check(operator).expect_err("refused").message
        };
        assert_eq!(
            text(shape(Element::Number(slot::F64), 8), Operator::BitAnd, vec![]),
            "`&` has no meaning for the type of a variable"
        );
        assert_eq!(
            text(int(), Operator::Sum, vec![int()]),
            "`+` has no locations: `max` and `min` have them"
        );
        let three = Shape { count: 3, ..int() };
        assert_eq!(
            text(three, Operator::Extreme { is_max: true, is_last: false }, vec![int()]),
            "a location of 1 elements stands with a variable of 3"
        );
    }
}
