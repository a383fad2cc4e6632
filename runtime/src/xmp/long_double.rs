//! `long double` of C on x86-64: the extended format of the x87 unit, of 64 bits of significand (System V ABI
//! for x86-64, section 3.1.2), in 16 bytes of which 10 are used. Other CPUs have other formats, and no
//! arithmetic of these here.

use std::cmp::Ordering;

/// Bytes of a number.
pub(super) const BYTES: usize = 16;

/// Whether this processor computes with the format.
pub(super) const IS_KNOWN: bool = cfg!(target_arch = "x86_64");

/// A number in the extended format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extended([u8; BYTES]);

/// An operation of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Add,
    Subtract,
    Multiply,
}

impl Extended {
    /// From memory; bytes behind the number do not count.
    pub(super) fn from_bytes(bytes: &[u8]) -> Extended {
        let mut number = [0; BYTES];
        number[..10].copy_from_slice(&bytes[..10]);
        Extended(number)
    }

    /// As it is in memory.
    pub(super) fn to_bytes(self) -> [u8; BYTES] {
        self.0
    }

    fn significand(self) -> u64 {
        self.0[..8].try_into().map_or(0, u64::from_le_bytes)
    }

    /// The biased exponent, without the sign.
    fn exponent(self) -> u16 {
        u16::from_le_bytes([self.0[8], self.0[9]]) & 0x7fff
    }

    fn is_negative(self) -> bool {
        self.0[9] & 0x80 != 0
    }

    pub(super) fn is_zero(self) -> bool {
        self.significand() == 0 && self.exponent() == 0
    }

    pub(super) fn is_nan(self) -> bool {
        self.exponent() == 0x7fff && self.significand() << 1 != 0
    }

    /// The order of two numbers; `None` if one is a NaN.
    pub(super) fn compare(self, other: Extended) -> Option<Ordering> {
        if self.is_nan() || other.is_nan() {
            return None;
        }
        if self.is_zero() && other.is_zero() {
            return Some(Ordering::Equal);
        }
        let magnitude = |it: Extended| (it.exponent(), it.significand());
        Some(match (self.is_negative(), other.is_negative()) {
            (false, false) => magnitude(self).cmp(&magnitude(other)),
            (true, true) => magnitude(other).cmp(&magnitude(self)),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        })
    }

    /// The number with the value of a `double`, exactly.
    pub(super) fn from_double(value: f64) -> Extended {
        let bits = value.to_bits();
        let (sign, exponent) = ((bits >> 63) as u16, ((bits >> 52) & 0x7ff) as u16);
        let fraction = bits & ((1 << 52) - 1);
        let (exponent, significand) = match (exponent, fraction) {
            (0, 0) => (0, 0),
            // A subnormal `double` is a normal number here.
            (0, _) => {
                let zeros = fraction.leading_zeros();
                (15372 - zeros as u16, fraction << zeros)
            }
            (0x7ff, _) => (0x7fff, 1 << 63 | fraction << 11),
            _ => (exponent + (16383 - 1023), 1 << 63 | fraction << 11),
        };
        let mut number = [0; BYTES];
        number[..8].copy_from_slice(&significand.to_le_bytes());
        number[8..10].copy_from_slice(&(sign << 15 | exponent).to_le_bytes());
        Extended(number)
    }

    /// The result, rounded as the unit is set.
    #[cfg(target_arch = "x86_64")]
    fn compute(self, operation: Operation, other: Extended) -> Extended {
        let (mut result, right) = (self.0, other.0);
        macro_rules! computed {
            ($instruction:literal) => {
                // SAFETY: it reads 10 bytes of each array and writes 10 of `result`, and leaves the stack of
                // the unit as empty as it was.
                unsafe {
                    std::arch::asm!(
                        "fld tbyte ptr [{left}]",
                        "fld tbyte ptr [{right}]",
                        $instruction,
                        "fstp tbyte ptr [{left}]",
                        left = in(reg) result.as_mut_ptr(),
                        right = in(reg) right.as_ptr(),
                        out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                        out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                        options(nostack),
                    );
                }
            };
        }
        match operation {
            Operation::Add => computed!("faddp st(1), st"),
            Operation::Subtract => computed!("fsubp st(1), st"),
            Operation::Multiply => computed!("fmulp st(1), st"),
        }
        Extended(result)
    }

    /// Never reached: [`IS_KNOWN`] is asked before.
    #[cfg(not(target_arch = "x86_64"))]
    fn compute(self, _: Operation, _: Extended) -> Extended {
        self
    }
}

/// `left = left + right`, or their products; of complex numbers if `is_complex`.
pub(super) fn combine(is_product: bool, is_complex: bool, left: &mut [u8], right: &[u8]) {
    let part = |bytes: &[u8], number: usize| Extended::from_bytes(&bytes[number * BYTES..]);
    let size = if is_complex { 2 * BYTES } else { BYTES };
    for (left, right) in left.chunks_exact_mut(size).zip(right.chunks_exact(size)) {
        let results: Vec<Extended> = match (is_product, is_complex) {
            (true, true) => {
                let (a, b, c, d) = (part(left, 0), part(left, 1), part(right, 0), part(right, 1));
                let product = |x: Extended, y| x.compute(Operation::Multiply, y);
                vec![
                    product(a, c).compute(Operation::Subtract, product(b, d)),
                    product(a, d).compute(Operation::Add, product(b, c)),
                ]
            }
            _ => {
                let operation = if is_product { Operation::Multiply } else { Operation::Add };
                (0..size / BYTES).map(|it| part(left, it).compute(operation, part(right, it))).collect()
            }
        };
        for (to, result) in left.chunks_exact_mut(BYTES).zip(results) {
            to.copy_from_slice(&result.to_bytes());
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    const VALUES: [f64; 10] =
        [0.0, -0.0, 1.0, -2.5, 1e300, -1e-300, f64::MIN_POSITIVE, 5e-324, f64::INFINITY, f64::NEG_INFINITY];

    #[test]
    fn numbers_of_doubles_are_ordered_as_doubles() {
        for a in VALUES {
            for b in VALUES {
                let found = Extended::from_double(a).compare(Extended::from_double(b));
                assert_eq!(found, a.partial_cmp(&b), "{a} {b}");
            }
            assert_eq!(Extended::from_double(a).compare(Extended::from_double(f64::NAN)), None);
        }
    }

    #[test]
    fn sums_and_products_keep_what_a_double_loses() {
        let number = |it: f64| Extended::from_double(it).to_bytes();
        let mut sum = number(1.0);
        combine(false, false, &mut sum, &number(2_f64.powi(-60)));
        combine(false, false, &mut sum, &number(-1.0));
        let is = |bytes: &[u8], value: f64| {
            Extended::from_bytes(bytes).compare(Extended::from_double(value)) == Some(Ordering::Equal)
        };
        assert!(is(&sum, 2_f64.powi(-60)));
        let mut product = number(1e200);
        combine(true, false, &mut product, &number(1e200));
        combine(true, false, &mut product, &number(0.0));
        assert!(is(&product, 0.0), "no overflow to infinity");
        // The smallest `double`, twice, is exact.
        let mut small = number(5e-324);
        combine(false, false, &mut small, &number(5e-324));
        assert!(is(&small, 1e-323));
    }

    #[test]
    fn products_of_complex_numbers() {
        let pair = |a: f64, b: f64| {
            [Extended::from_double(a).to_bytes(), Extended::from_double(b).to_bytes()].concat()
        };
        let mut left = pair(1.0, 2.0);
        combine(true, true, &mut left, &pair(3.0, -4.0));
        assert_eq!(left, pair(11.0, 2.0));
        combine(false, true, &mut left, &pair(-1.0, 0.5));
        assert_eq!(left, pair(10.0, 2.5));
    }
}
