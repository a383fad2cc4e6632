//! Values of literals.

use smol_str::SmolStr;

use crate::ast::generated::nodes::Literal;
use crate::ast::node::AstNode;
use crate::syntax_kind::SyntaxKind;
use crate::syntax_node::SyntaxToken;

/// What a literal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LiteralKind {
    /// `1`, `0x1Fun`
    Int,
    /// `1.0`, `1e3f`
    Float,
    /// `'c'`
    Char,
    /// `"s"`
    String,
    /// `true`, `false`
    Bool,
    /// `null`
    Null,
}

/// The type that a number's suffix gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "X10's type of the same name")]
pub enum NumericSuffix {
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
}

impl NumericSuffix {
    /// `Int`, `ULong`, ...: the simple name of the type in `x10.lang`.
    pub fn type_name(self) -> &'static str {
        match self {
            NumericSuffix::Byte => "Byte",
            NumericSuffix::Short => "Short",
            NumericSuffix::Int => "Int",
            NumericSuffix::Long => "Long",
            NumericSuffix::UByte => "UByte",
            NumericSuffix::UShort => "UShort",
            NumericSuffix::UInt => "UInt",
            NumericSuffix::ULong => "ULong",
            NumericSuffix::Float => "Float",
            NumericSuffix::Double => "Double",
        }
    }

    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            NumericSuffix::Byte | NumericSuffix::UByte => 8,
            NumericSuffix::Short | NumericSuffix::UShort => 16,
            NumericSuffix::Int | NumericSuffix::UInt | NumericSuffix::Float => 32,
            NumericSuffix::Long | NumericSuffix::ULong | NumericSuffix::Double => 64,
        }
    }

    /// Whether it is one of the four unsigned types.
    pub fn is_unsigned(self) -> bool {
        use NumericSuffix::*;
        matches!(self, UByte | UShort | UInt | ULong)
    }
}

/// The value of a literal.
#[derive(Clone, Debug, PartialEq)]
pub enum LiteralValue {
    /// An integer: the magnitude as written (a sign is an operator) and its type. `None` if it has more
    /// than 64 bits or a digit that its radix lacks; validation reports that.
    Int(Option<u64>, NumericSuffix),
    /// A `Float` (rounded to one) or `Double`.
    Float(f64, NumericSuffix),
    /// A character; `None` if malformed, which the lexer reported.
    Char(Option<char>),
    /// A string, escapes resolved; malformed escapes are left out.
    String(SmolStr),
    /// `true`, `false`
    Bool(bool),
    /// `null`
    Null,
}

impl Literal {
    /// The token.
    pub fn token(&self) -> Option<SyntaxToken> {
        self.syntax()
            .children_with_tokens()
            .filter_map(|it| it.into_token())
            .find(|it| it.kind().is_literal())
    }

    /// What it is.
    pub fn kind(&self) -> Option<LiteralKind> {
        Some(match self.token()?.kind() {
            SyntaxKind::INT_NUMBER => LiteralKind::Int,
            SyntaxKind::FLOAT_NUMBER => LiteralKind::Float,
            SyntaxKind::CHAR => LiteralKind::Char,
            SyntaxKind::STRING => LiteralKind::String,
            SyntaxKind::TRUE_KW | SyntaxKind::FALSE_KW => LiteralKind::Bool,
            _ => LiteralKind::Null,
        })
    }

    /// Its value.
    pub fn value(&self) -> Option<LiteralValue> {
        let token = self.token()?;
        let text = token.text();
        Some(match token.kind() {
            SyntaxKind::INT_NUMBER => {
                let (digits, suffix) = split_int(text);
                LiteralValue::Int(parse_int(digits), suffix)
            }
            SyntaxKind::FLOAT_NUMBER => {
                let (value, suffix) = parse_float(text);
                LiteralValue::Float(value, suffix)
            }
            SyntaxKind::CHAR => LiteralValue::Char(unescape_char(text)),
            SyntaxKind::STRING => LiteralValue::String(unescape_string(text)),
            SyntaxKind::TRUE_KW => LiteralValue::Bool(true),
            SyntaxKind::FALSE_KW => LiteralValue::Bool(false),
            _ => LiteralValue::Null,
        })
    }
}

/// Digits (with prefix) and type of an integer literal.
pub(crate) fn split_int(text: &str) -> (&str, NumericSuffix) {
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let is_suffix = |c: char| {
        matches!(c.to_ascii_lowercase(), 'u' | 'n' | 'l' | 's' | 'y') && !(is_hex && c.is_ascii_hexdigit())
    };
    // `?` belongs to a suffix in one oddity of X10's lexer: `1?u` is an unsigned long.
    let digits = text.trim_end_matches(|c| is_suffix(c) || c == '?');
    let suffix = text[digits.len()..].to_ascii_lowercase();
    let unsigned = suffix.contains('u');
    let kind = match (suffix.trim_matches(['u', '?']), unsigned) {
        ("n", false) => NumericSuffix::Int,
        ("n", true) => NumericSuffix::UInt,
        ("s", false) => NumericSuffix::Short,
        ("s", true) => NumericSuffix::UShort,
        ("y", false) => NumericSuffix::Byte,
        ("y", true) => NumericSuffix::UByte,
        (_, false) => NumericSuffix::Long,
        (_, true) => NumericSuffix::ULong,
    };
    (digits, kind)
}

/// The value of the digits of an integer literal; `None` if it does not fit 64 bits or has a wrong digit.
pub(crate) fn parse_int(digits: &str) -> Option<u64> {
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    let mut value: u64 = 0;
    let mut any = false;
    for c in digits.chars().filter(|&c| c != '_') {
        value = value.checked_mul(u64::from(radix))?.checked_add(u64::from(c.to_digit(radix)?))?;
        any = true;
    }
    any.then_some(value)
}

fn parse_float(text: &str) -> (f64, NumericSuffix) {
    let digits = text.trim_end_matches(['f', 'F', 'd', 'D']);
    let is_float = text.ends_with(['f', 'F']);
    let digits: String = digits.chars().filter(|&c| c != '_').collect();
    if is_float {
        // Parsed as a float at once: rounding a double to a float rounds twice.
        (f64::from(digits.parse::<f32>().unwrap_or(0.0)), NumericSuffix::Float)
    } else {
        (digits.parse().unwrap_or(0.0), NumericSuffix::Double)
    }
}

/// The character of a literal in single quotes.
pub fn unescape_char(text: &str) -> Option<char> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut found = None;
    for c in unescape(inner) {
        if found.replace(c?).is_some() {
            return None;
        }
    }
    found
}

/// The text of a literal in double quotes (or the part that there is of it).
pub fn unescape_string(text: &str) -> SmolStr {
    let inner = text.strip_prefix('"').unwrap_or(text);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if !inner.contains('\\') {
        return SmolStr::new(inner);
    }
    unescape(inner).flatten().collect()
}

/// The characters of the inside of a literal; `None` for a malformed escape. A pair of `\u` surrogates is
/// one character, as it is in X10's own (UTF-16) compiler.
fn unescape(text: &str) -> impl Iterator<Item = Option<char>> + '_ {
    let mut chars = text.chars().peekable();
    std::iter::from_fn(move || {
        let c = chars.next()?;
        if c != '\\' {
            return Some(Some(c));
        }
        let Some(c) = chars.next() else { return Some(None) };
        Some(match c {
            'b' => Some('\u{8}'),
            't' => Some('\t'),
            'n' => Some('\n'),
            'f' => Some('\u{c}'),
            'r' => Some('\r'),
            '"' | '\'' | '\\' | '`' => Some(c),
            '0'..='7' => {
                let mut value = c.to_digit(8).unwrap_or(0);
                let more = if c <= '3' { 2 } else { 1 };
                for _ in 0..more {
                    let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)) else { break };
                    value = value * 8 + digit;
                    chars.next();
                }
                char::from_u32(value)
            }
            'u' => {
                let high = hex4(&mut chars);
                match high {
                    Some(high @ 0xD800..=0xDBFF) => {
                        let mut ahead = chars.clone();
                        let low = (ahead.next() == Some('\\') && ahead.next() == Some('u'))
                            .then(|| hex4(&mut ahead))
                            .flatten()
                            .filter(|low| (0xDC00..=0xDFFF).contains(low));
                        low.and_then(|low| {
                            chars = ahead;
                            char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
                        })
                    }
                    other => other.and_then(char::from_u32),
                }
            }
            _ => None,
        })
    })
}

fn hex4(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<u32> {
    let mut value = 0;
    for _ in 0..4 {
        value = value * 16 + chars.peek()?.to_digit(16)?;
        chars.next();
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        use NumericSuffix::*;
        for (text, value, suffix) in [
            ("0", 0, Long),
            ("12n", 12, Int),
            ("0x1Fl", 31, Long),
            ("0xFFun", 255, UInt),
            ("0xFFy", 255, Byte),
            ("1_000u", 1000, ULong),
            ("017s", 15, Short),
            ("0b101nu", 5, UInt),
            ("7?u", 7, ULong),
            ("1yu", 1, UByte),
            ("1US", 1, UShort),
        ] {
            let (digits, found) = split_int(text);
            assert_eq!((parse_int(digits), found), (Some(value), suffix), "{text}");
        }
        assert_eq!(parse_int("18446744073709551616"), None);
        assert_eq!(parse_int("09"), None);
    }

    #[test]
    fn floats() {
        assert_eq!(parse_float("1_0.5e1"), (105.0, NumericSuffix::Double));
        assert_eq!(parse_float("1.f"), (1.0, NumericSuffix::Float));
        assert_eq!(parse_float(".5d"), (0.5, NumericSuffix::Double));
        assert_eq!(parse_float("0.1f").0, f64::from(0.1f32));
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape_string(r#""a\n\u0041\101\\""#), "a\nAA\\");
        assert_eq!(unescape_string(r#""\ud83d\ude00""#), "😀");
        assert_eq!(unescape_string(r#""x\ud83dy""#), "xy");
        assert_eq!(unescape_char("'\\''"), Some('\''));
        assert_eq!(unescape_char("'\\477'"), None);
        assert_eq!(unescape_char("'\\0'"), Some('\0'));
    }
}
