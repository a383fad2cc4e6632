//! Integer division and greatest common divisors (Knuth, *The Art of Computer Programming*, 1.2.4 and 4.5.2).

/// Greatest common divisor by Euclid's algorithm; `gcd(0, b)` is `b`.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Quotient rounded towards negative infinity; `None` for division by zero and on overflow.
pub fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    let is_inexact = a % b != 0;
    Some(if is_inexact && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// Quotient rounded towards positive infinity; `None` for division by zero and on overflow.
pub fn ceil_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    let is_inexact = a % b != 0;
    Some(if is_inexact && (a < 0) == (b < 0) { quotient + 1 } else { quotient })
}

/// Remainder of [`floor_div`], which has the sign of the divisor.
pub fn floor_mod(a: i64, b: i64) -> Option<i64> {
    let remainder = a.checked_rem(b)?;
    Some(if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder })
}
