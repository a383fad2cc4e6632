//! Element-wise combination of two ranges of elements: the operations of reductions (MPI standard,
//! "Predefined Reduction Operations"). Integers wrap; a floating minimum or maximum with a NaN is NaN.

use crate::layout::slot;

/// Operation of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Sum.
    Add,
    /// Product.
    Multiply,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Greatest.
    Max,
    /// Least.
    Min,
}

impl Operation {
    /// By its number in `x10.util.Team`.
    pub fn from_number(number: i32) -> Option<Operation> {
        use Operation::*;
        const NUMBERS: [(i32, Operation); 7] =
            [(0, Add), (1, Multiply), (3, And), (4, Or), (5, Xor), (6, Max), (7, Min)];
        NUMBERS.iter().find(|(known, _)| *known == number).map(|(_, operation)| *operation)
    }
}

macro_rules! combine_as {
    ($ty:ty, $left:expr, $right:expr, $apply:expr) => {{
        const SIZE: usize = size_of::<$ty>();
        for (left, right) in $left.chunks_exact_mut(SIZE).zip($right.chunks_exact(SIZE)) {
            let mut bytes = [0_u8; SIZE];
            bytes.copy_from_slice(left);
            let a = <$ty>::from_ne_bytes(bytes);
            bytes.copy_from_slice(right);
            let apply: fn($ty, $ty) -> $ty = $apply;
            left.copy_from_slice(&apply(a, <$ty>::from_ne_bytes(bytes)).to_ne_bytes());
        }
        true
    }};
}

macro_rules! integers {
    ($ty:ty, $left:expr, $right:expr, $operation:expr) => {
        match $operation {
            Operation::Add => combine_as!($ty, $left, $right, |a, b| a.wrapping_add(b)),
            Operation::Multiply => combine_as!($ty, $left, $right, |a, b| a.wrapping_mul(b)),
            Operation::And => combine_as!($ty, $left, $right, |a, b| a & b),
            Operation::Or => combine_as!($ty, $left, $right, |a, b| a | b),
            Operation::Xor => combine_as!($ty, $left, $right, |a, b| a ^ b),
            Operation::Max => combine_as!($ty, $left, $right, |a, b| a.max(b)),
            Operation::Min => combine_as!($ty, $left, $right, |a, b| a.min(b)),
        }
    };
}

macro_rules! floats {
    ($ty:ty, $left:expr, $right:expr, $operation:expr) => {
        match $operation {
            Operation::Add => combine_as!($ty, $left, $right, |a, b| a + b),
            Operation::Multiply => combine_as!($ty, $left, $right, |a, b| a * b),
            Operation::Max => combine_as!($ty, $left, $right, |a, b| if a.is_nan() || a > b { a } else { b }),
            Operation::Min => combine_as!($ty, $left, $right, |a, b| if a.is_nan() || a < b { a } else { b }),
            Operation::And | Operation::Or | Operation::Xor => false,
        }
    };
}

/// `left = left op right`, element by element, of elements with that code ([`slot`]). False if the
/// operation has no meaning for them.
pub fn combine(left: &mut [u8], right: &[u8], element: u8, operation: Operation) -> bool {
    let bitwise = matches!(operation, Operation::And | Operation::Or | Operation::Xor);
    match element {
        slot::BOOL if bitwise => integers!(u8, left, right, operation),
        1 => integers!(i8, left, right, operation),
        2 => integers!(i16, left, right, operation),
        slot::I32 => integers!(i32, left, right, operation),
        slot::I64 => integers!(i64, left, right, operation),
        5 => integers!(u8, left, right, operation),
        6 => integers!(u16, left, right, operation),
        7 => integers!(u32, left, right, operation),
        8 => integers!(u64, left, right, operation),
        slot::F32 => floats!(f32, left, right, operation),
        slot::F64 => floats!(f64, left, right, operation),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_by_number_as_the_library_has_them() {
        let all: Vec<_> = (0..8).filter_map(Operation::from_number).collect();
        use Operation::*;
        assert_eq!(all, [Add, Multiply, And, Or, Xor, Max, Min]);
        assert_eq!([-1, 2, 8].map(Operation::from_number), [None; 3]);
    }

    #[test]
    fn elements_are_combined_in_their_type() {
        let mut left = [i32::MAX.to_ne_bytes(), 5_i32.to_ne_bytes()].concat();
        let right = [1_i32.to_ne_bytes(), (-7_i32).to_ne_bytes()].concat();
        assert!(combine(&mut left, &right, slot::I32, Operation::Add));
        assert_eq!(left, [i32::MIN.to_ne_bytes(), (-2_i32).to_ne_bytes()].concat());
        let mut left = 0.5_f64.to_ne_bytes();
        assert!(combine(&mut left, &4.0_f64.to_ne_bytes(), slot::F64, Operation::Multiply));
        assert_eq!(left, 2.0_f64.to_ne_bytes());
        let mut nan = f32::NAN.to_ne_bytes();
        assert!(combine(&mut nan, &1.0_f32.to_ne_bytes(), slot::F32, Operation::Max));
        assert!(f32::from_ne_bytes(nan).is_nan());
        let mut flag = [1_u8];
        assert!(combine(&mut flag, &[0], slot::BOOL, Operation::And));
        assert_eq!(flag, [0]);
    }
}
