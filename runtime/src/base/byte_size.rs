//! Numbers of bytes as users write them: `512M`, `8G`.

/// A number of bytes, with K, M, G or T (powers of 1,024) behind it.
///
/// # Errors
/// When the text is no size, or a size that does not fit into memory; in words for the user.
pub fn parse(text: &str) -> Result<usize, String> {
    let wrong =
        || format!("`{text}` is no size; write a number, perhaps with K, M, G or T behind it, such as 512M");
    let (digits, shift) = match text.to_ascii_uppercase().chars().last() {
        Some(unit) if unit.is_ascii_alphabetic() => {
            let shift = "KMGT".find(unit).ok_or_else(wrong)? * 10 + 10;
            (&text[..text.len() - 1], shift)
        }
        _ => (text, 0),
    };
    let number: usize = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).filter(|size| *size <= isize::MAX as usize).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn units_are_powers_of_1024() {
        assert_eq!(parse("512"), Ok(512));
        assert_eq!(parse("3k"), Ok(3072));
        assert_eq!(parse("2G"), Ok(2 << 30));
        for wrong in ["", "G", "2X", "-1", "9999999T", "1é"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
