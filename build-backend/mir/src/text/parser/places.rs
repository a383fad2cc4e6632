//! Parsing of places.

use std::sync::Arc;

use super::bodies::BodyParser;
use super::cursor::{Cursor, Parsed};
use crate::*;

impl BodyParser<'_, '_> {
    /// A place behind `load` or `store`, which may be `volatile`.
    pub(super) fn accessed_place(&mut self) -> Parsed<Place> {
        let is_volatile = self.cursor.eat_word("volatile");
        Ok(Place { is_volatile, ..self.place()? })
    }

    /// `%variable`, `global @g`, `(*POINTER)` or `(PLACE)`, with `.field` and `[INDEX]` behind it.
    pub(super) fn place(&mut self) -> Parsed<Place> {
        let mut place = self.place_root()?;
        let mut parts = 0;
        loop {
            place = if self.cursor.eat(".") {
                self.member(place)?
            } else if self.cursor.eat("[") {
                self.indexed(place)?
            } else {
                break;
            };
            // Parts nest as operands do.
            self.cursor.enter()?;
            parts += 1;
        }
        (0..parts).for_each(|_| self.cursor.leave());
        Ok(place)
    }

    fn place_root(&mut self) -> Parsed<Place> {
        if self.cursor.eat("(") {
            self.cursor.enter()?;
            let place = if self.cursor.eat("*") { self.deref()? } else { self.place()? };
            self.cursor.leave();
            self.cursor.expect(")")?;
            return Ok(place);
        }
        if self.cursor.eat_word("global") {
            let global = self.symbols.global(&mut self.cursor)?;
            let ty = self.program.globals[global.index()].ty;
            return Ok(Place::new(ty, PlaceKind::Global(global)));
        }
        let offset = self.cursor.offset();
        let name = self.cursor.local()?;
        if let Some(index) = self.variable_names.find(name) {
            let ty = self.variables[index as usize].ty;
            return Ok(Place::new(ty, PlaceKind::Variable(VariableId(index))));
        }
        let text = &name.text;
        if self.names.find(name).is_some() {
            let message = format!(
                "`%{text}` is a local, which is in no memory: declare it in `memory [...]`, or write `(*%{text})` for what it points to"
            );
            return self.cursor.error_at(offset, message);
        }
        let message =
            format!("a variable named `%{text}` is not declared: add it to `memory [...]` in front of `var`");
        self.cursor.error_at(offset, message)
    }

    fn deref(&mut self) -> Parsed<Place> {
        let offset = self.cursor.offset();
        let pointer = self.full_expr()?;
        let pointee = self.symbols.types.borrow().pointer(pointer.ty).map(|it| it.pointee);
        match pointee {
            Some(ty) => Ok(Place::new(ty, PlaceKind::Deref(Box::new(pointer)))),
            None => self.cursor.error_at(offset, "this is no pointer: only pointers point to a place"),
        }
    }

    fn member(&mut self, base: Place) -> Parsed<Place> {
        let Ty::Struct(id) = base.ty else {
            return self.cursor.error("only structs and unions have fields");
        };
        let item = &self.program.structs[id.index()];
        let field = self.field_in(&item.fields, &item.name)?;
        let ty = item.fields[field as usize].ty;
        Ok(Place::new(ty, PlaceKind::Field { base: Box::new(base), field }))
    }

    fn indexed(&mut self, base: Place) -> Parsed<Place> {
        let element = self.symbols.types.borrow().array(base.ty).map(|it| it.element);
        let Some(ty) = element else {
            return self
                .cursor
                .error("only arrays have elements: write `(*offset(POINTER, INDEX))` for a pointer");
        };
        let index = Box::new(self.full_expr()?);
        self.cursor.expect("]")?;
        Ok(Place::new(ty, PlaceKind::Index { base: Box::new(base), index }))
    }

    pub(super) fn bytes(&mut self) -> Parsed<Arc<[u8]>> {
        bytes(&mut self.cursor)
    }
}

/// Bytes in a string, in which each character up to `\u{ff}` is one.
pub(super) fn bytes(cursor: &mut Cursor<'_>) -> Parsed<Arc<[u8]>> {
    let offset = cursor.offset();
    let text = cursor.string("a string of bytes")?;
    match text.chars().map(|it| u8::try_from(u32::from(it))).collect::<Result<Vec<u8>, _>>() {
        Ok(bytes) => Ok(bytes.into()),
        Err(_) => cursor
            .error_at(offset, "a byte is a character up to `\\u{ff}`: write one character for each byte"),
    }
}
