//! Conditions of `#if` (C17 6.10.1): constant expressions over `intmax_t` and `uintmax_t`.

use super::limits::MAX_CONDITION_DEPTH;
use super::token::Token;
use super::{PreprocessError, Preprocessor, Severity};
use crate::literal;
use crate::syntax_kind::SyntaxKind;

/// A value of a condition: 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    bits: u64,
    is_unsigned: bool,
}

impl Value {
    const ZERO: Value = Value { bits: 0, is_unsigned: false };

    fn of(holds: bool) -> Value {
        Value { bits: u64::from(holds), is_unsigned: false }
    }

    fn holds(self) -> bool {
        self.bits != 0
    }
}

/// The parser of a condition. Errors are a message and the token.
struct Parser<'a> {
    preprocessor: &'a Preprocessor<'a>,
    tokens: &'a [Token],
    position: usize,
    depth: usize,
}

type Result<T> = std::result::Result<T, (Option<Token>, String)>;

impl Preprocessor<'_> {
    /// Whether the condition of `#if` or `#elif` holds.
    pub(super) fn condition(&mut self, directive: Token, tokens: &[Token]) -> bool {
        let before = std::mem::replace(&mut self.in_condition, true);
        let expanded = self.expand_line(tokens.into());
        self.in_condition = before;
        let mut parser = Parser { preprocessor: self, tokens: &expanded, position: 0, depth: 0 };
        let result = parser.conditional(true).and_then(|value| match parser.peek() {
            None => Ok(value),
            Some(extra) => Err((Some(extra), "the condition ends before this".to_string())),
        });
        match result {
            Ok(value) => value.holds(),
            Err((at, message)) => {
                let at = at.unwrap_or(directive);
                let error = PreprocessError::new(Severity::Error, at.span, at.expansion, message);
                self.report(error);
                false
            }
        }
    }
}

impl Parser<'_> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.position).copied()
    }

    fn kind(&self) -> SyntaxKind {
        self.peek().map_or(SyntaxKind::EOF, |it| it.kind)
    }

    fn eat(&mut self, kind: SyntaxKind) -> bool {
        let found = self.kind() == kind;
        self.position += usize::from(found);
        found
    }

    /// `live` is false where the value is not used: division by zero is no error there.
    fn conditional(&mut self, live: bool) -> Result<Value> {
        self.depth += 1;
        if self.depth > MAX_CONDITION_DEPTH {
            return Err((self.peek(), "this condition is nested too deep".to_string()));
        }
        let condition = self.binary(1, live)?;
        let result = if self.eat(SyntaxKind::QUESTION) {
            let then_value = self.comma(live && condition.holds())?;
            if !self.eat(SyntaxKind::COLON) {
                return Err((self.peek(), "`?` lacks its `:`".to_string()));
            }
            let else_value = self.conditional(live && !condition.holds())?;
            let is_unsigned = then_value.is_unsigned || else_value.is_unsigned;
            let chosen = if condition.holds() { then_value } else { else_value };
            Value { is_unsigned, ..chosen }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(result)
    }

    fn comma(&mut self, live: bool) -> Result<Value> {
        let mut value = self.conditional(live)?;
        while self.eat(SyntaxKind::COMMA) {
            value = self.conditional(live)?;
        }
        Ok(value)
    }

    fn binary(&mut self, least: u8, live: bool) -> Result<Value> {
        let mut left = self.unary(live)?;
        loop {
            let operator = self.peek();
            let Some((token, power)) = operator.and_then(|it| Some((it, power(it.kind)?))) else {
                return Ok(left);
            };
            if power < least {
                return Ok(left);
            }
            self.position += 1;
            let right_live = match token.kind {
                SyntaxKind::AMP2 => live && left.holds(),
                SyntaxKind::PIPE2 => live && !left.holds(),
                _ => live,
            };
            let right = self.binary(power + 1, right_live)?;
            left = apply(token, left, right, live)?;
        }
    }

    fn unary(&mut self, live: bool) -> Result<Value> {
        let Some(token) = self.peek() else {
            return Err((self.tokens.last().copied(), "the condition lacks a value".to_string()));
        };
        self.position += 1;
        self.depth += 1;
        if self.depth > MAX_CONDITION_DEPTH {
            return Err((Some(token), "this condition is nested too deep".to_string()));
        }
        let value = match token.kind {
            SyntaxKind::PLUS => self.unary(live)?,
            SyntaxKind::MINUS => {
                let value = self.unary(live)?;
                Value { bits: value.bits.wrapping_neg(), ..value }
            }
            SyntaxKind::TILDE => {
                let value = self.unary(live)?;
                Value { bits: !value.bits, ..value }
            }
            SyntaxKind::BANG => Value::of(!self.unary(live)?.holds()),
            SyntaxKind::L_PAREN => {
                let value = self.comma(live)?;
                if !self.eat(SyntaxKind::R_PAREN) {
                    return Err((Some(token), "this `(` lacks its `)`".to_string()));
                }
                value
            }
            // What is no macro is 0.
            SyntaxKind::IDENT => {
                if self.kind() == SyntaxKind::L_PAREN {
                    let name = self.preprocessor.text(token.text);
                    return Err((Some(token), format!("`{name}` is not a macro that takes arguments")));
                }
                Value::ZERO
            }
            SyntaxKind::PP_NUMBER => {
                let text = self.preprocessor.text(token.text);
                match literal::integer(text) {
                    Some(it) => Value {
                        bits: it.value as u64,
                        is_unsigned: it.is_unsigned || it.value > i64::MAX as u128,
                    },
                    None => {
                        let message = format!("`{text}` is not an integer, as a condition needs");
                        return Err((Some(token), message));
                    }
                }
            }
            SyntaxKind::CHAR => {
                let value = literal::character(self.preprocessor.text(token.text));
                Value { bits: value as u64, is_unsigned: false }
            }
            _ => {
                let text = self.preprocessor.text(token.text);
                return Err((Some(token), format!("`{text}` cannot stand in a condition")));
            }
        };
        self.depth -= 1;
        Ok(value)
    }
}

/// How tight a binary operator binds.
fn power(kind: SyntaxKind) -> Option<u8> {
    use SyntaxKind::*;
    Some(match kind {
        PIPE2 => 1,
        AMP2 => 2,
        PIPE => 3,
        CARET => 4,
        AMP => 5,
        EQ2 | NEQ => 6,
        LT | GT | LTEQ | GTEQ => 7,
        SHL | SHR => 8,
        PLUS | MINUS => 9,
        STAR | SLASH | PERCENT => 10,
        _ => return None,
    })
}

fn apply(operator: Token, left: Value, right: Value, live: bool) -> Result<Value> {
    use SyntaxKind::*;
    let is_unsigned = left.is_unsigned || right.is_unsigned;
    let (a, b) = (left.bits, right.bits);
    let (sa, sb) = (a as i64, b as i64);
    let same = |bits: u64| Value { bits, is_unsigned };
    let shift = |left_shift: bool| {
        let negative = !right.is_unsigned && sb < 0;
        let count = if negative { sb.unsigned_abs() } else { b };
        let bits = match (left_shift != negative, count) {
            (true, 0..64) => a << count,
            (true, _) => 0,
            (false, 0..64) if left.is_unsigned => a >> count,
            (false, _) if left.is_unsigned => 0,
            (false, _) => (sa >> count.min(63)) as u64,
        };
        Value { bits, is_unsigned: left.is_unsigned }
    };
    let less = |x: u64, y: u64| if is_unsigned { x < y } else { (x as i64) < (y as i64) };
    Ok(match operator.kind {
        PIPE2 => Value::of(left.holds() || right.holds()),
        AMP2 => Value::of(left.holds() && right.holds()),
        PIPE => same(a | b),
        CARET => same(a ^ b),
        AMP => same(a & b),
        EQ2 => Value::of(a == b),
        NEQ => Value::of(a != b),
        LT => Value::of(less(a, b)),
        GT => Value::of(less(b, a)),
        LTEQ => Value::of(!less(b, a)),
        GTEQ => Value::of(!less(a, b)),
        SHL => shift(true),
        SHR => shift(false),
        PLUS => same(a.wrapping_add(b)),
        MINUS => same(a.wrapping_sub(b)),
        STAR => same(a.wrapping_mul(b)),
        SLASH | PERCENT if b == 0 => match live {
            true => return Err((Some(operator), "division by zero in a condition".to_string())),
            false => Value::ZERO,
        },
        SLASH if is_unsigned => same(a / b),
        SLASH => same(sa.wrapping_div(sb) as u64),
        PERCENT if is_unsigned => same(a % b),
        _ => same(sa.wrapping_rem(sb) as u64),
    })
}
