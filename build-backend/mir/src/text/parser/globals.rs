//! Parsing of globals and external functions.

use super::cursor::{Cursor, Parsed};
use super::items::ItemParser;
use super::places::bytes;
use super::symbols::Symbols;
use crate::text::lexer::TokenKind;
use crate::text::types::field_named;
use crate::*;

impl ItemParser<'_, '_> {
    /// `@name(TYPE, ...): TYPE;`
    pub(super) fn external(&mut self) -> Parsed<()> {
        let name = self.cursor.global("an external function")?;
        let signature = self.symbols.signature(&mut self.cursor)?;
        self.program.externals.push(External { name: name.text.to_string(), signature });
        self.cursor.expect(";")
    }

    /// `@name: TYPE constant threadprivate`, in front of its first value.
    pub(super) fn global_header(&mut self) -> Parsed<()> {
        let name = self.cursor.global("a global")?;
        self.cursor.expect(":")?;
        let ty = self.symbols.ty(&mut self.cursor)?;
        let is_constant = self.cursor.eat_word("constant");
        let is_thread_private = self.cursor.eat_word("threadprivate");
        self.global_values.push(self.cursor.index());
        let (name, init) = (name.text.to_string(), Initializer::Zero);
        self.program.globals.push(Global { name, ty, is_constant, is_thread_private, init });
        Ok(())
    }

    /// ` = VALUE;`, which may name what is declared below.
    pub(super) fn global_value(&self, mut cursor: Cursor<'_>, ty: Ty) -> Parsed<Initializer> {
        let mut init = Initializer::Zero;
        if cursor.eat("=") {
            let parser = InitializerParser { symbols: self.symbols, program: &self.program };
            init = parser.initializer(&mut cursor, ty)?;
        }
        cursor.expect(";")?;
        Ok(init)
    }
}

struct InitializerParser<'p> {
    symbols: &'p Symbols,
    program: &'p Program,
}

impl InitializerParser<'_> {
    fn initializer(&self, cursor: &mut Cursor<'_>, ty: Ty) -> Parsed<Initializer> {
        match cursor.peek() {
            TokenKind::Punctuation("{") => self.list(cursor, ty),
            TokenKind::Punctuation(".") => self.member(cursor, ty),
            TokenKind::Float(_) => {
                let TokenKind::Float(value) = *cursor.peek() else { return cursor.expected("a number") };
                cursor.advance();
                Ok(Initializer::Float(value))
            }
            TokenKind::Punctuation("-") if matches!(cursor.peek_second(), TokenKind::Float(_)) => {
                cursor.advance();
                let TokenKind::Float(value) = *cursor.peek() else { return cursor.expected("a number") };
                cursor.advance();
                Ok(Initializer::Float(-value))
            }
            TokenKind::Integer(_) | TokenKind::Punctuation("-") => cursor.integer().map(Initializer::Int),
            TokenKind::Word(word) => {
                let offset = cursor.offset();
                cursor.advance();
                match word.as_str() {
                    "zero" => Ok(Initializer::Zero),
                    "true" | "false" => Ok(Initializer::Int(i64::from(word == "true"))),
                    "bytes" => bytes(cursor).map(Initializer::Bytes),
                    "float" => float_bits(cursor).map(Initializer::Float),
                    "function" => self.symbols.function(cursor).map(Initializer::Function),
                    "external" => self.symbols.external(cursor).map(Initializer::External),
                    "address" => {
                        let global = self.symbols.global(cursor)?;
                        let bytes = if cursor.eat("+") { cursor.integer()? } else { 0 };
                        Ok(Initializer::Address { global, bytes })
                    }
                    _ => cursor.error_at(offset, NO_INITIALIZER),
                }
            }
            _ => cursor.error(NO_INITIALIZER),
        }
    }

    /// `{ VALUE, VALUE }`
    fn list(&self, cursor: &mut Cursor<'_>, ty: Ty) -> Parsed<Initializer> {
        cursor.enter()?;
        cursor.advance();
        let mut values = Vec::new();
        cursor.list("}", &mut |cursor| {
            let offset = cursor.offset();
            let Some(part) = self.part(ty, values.len()) else {
                return cursor
                    .error_at(offset, "there are no more fields or elements that could have this value");
            };
            values.push(self.initializer(cursor, part)?);
            Ok(())
        })?;
        cursor.leave();
        Ok(Initializer::List(values))
    }

    /// The type of a field or element.
    fn part(&self, ty: Ty, index: usize) -> Option<Ty> {
        match ty {
            Ty::Struct(id) => self.program.structs[id.index()].fields.get(index).map(|it| it.ty),
            _ => {
                let array = self.symbols.types.borrow().array(ty)?;
                ((index as u64) < array.length).then_some(array.element)
            }
        }
    }

    /// `.field = VALUE`
    fn member(&self, cursor: &mut Cursor<'_>, ty: Ty) -> Parsed<Initializer> {
        cursor.enter()?;
        cursor.advance();
        let offset = cursor.offset();
        let name = cursor.member_name()?;
        let fields: &[Field] = match ty {
            Ty::Struct(id) => &self.program.structs[id.index()].fields,
            _ => &[],
        };
        let Some(field) = field_named(fields, &name) else {
            return cursor.error_at(offset, format!("there is no field named `{}` here", name.text));
        };
        cursor.expect("=")?;
        let value = Box::new(self.initializer(cursor, fields[field as usize].ty)?);
        cursor.leave();
        Ok(Initializer::Member { field, value })
    }
}

const NO_INITIALIZER: &str = "a first value is a number, `zero`, `bytes \"...\"`, `address @global + BYTES`, `function @f`, \
                              `external @f`, `{ VALUE, ... }` or `.field = VALUE`";

/// `(0x7ff0000000000000)`: infinities, and what is no number.
pub(super) fn float_bits(cursor: &mut Cursor<'_>) -> Parsed<f64> {
    cursor.expect("(")?;
    let TokenKind::Integer(bits) = *cursor.peek() else {
        return cursor.expected("the bits of a number of 64 bits");
    };
    cursor.advance();
    cursor.expect(")")?;
    Ok(f64::from_bits(bits))
}
