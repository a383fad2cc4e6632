//! Initialisers of objects in memory (C17 6.7.9).

use apg_c_analysis::hir::{ExprId, ExprKind, Program, Type};
use apg_c_analysis::initializers::{self, Assignment, Step};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, Place, PlaceKind, Ty};

use crate::body::{Body, int};
use crate::conversion::zero;
use crate::literal::string_bytes;
use crate::lvalue::Lvalue;
use crate::unsupported::{Lowered, unsupported};

impl Body<'_, '_> {
    /// Stores the value of an initialiser, and zeros in parts that it has no values for.
    pub(crate) fn fill(&mut self, place: &Place, ty: &Type, value: ExprId, range: TextRange) -> Lowered<()> {
        let hir = self.unit.hir;
        if matches!(ty, Type::Array(..))
            && let Some(text) = self.initial_text(value)
        {
            return self.fill_text(place, &text, range);
        }
        if !initializers::is_braced(hir, value) {
            let value = self.value(value)?;
            let value = match matches!(ty, Type::Array(..)) {
                true if value.ty != place.ty => {
                    let message = "an array is initialised with a value that is no list";
                    return unsupported(range, message, "write the values of its elements in braces");
                }
                _ => self.convert(value, ty, range)?,
            };
            self.store(place.clone(), value);
            return Ok(());
        }
        if !matches!(ty, Type::Array(..) | Type::Record(_)) {
            return match &hir.expr(value).kind {
                ExprKind::List(values) if !values.is_empty() => self.fill(place, ty, values[0], range),
                _ => {
                    self.fill_zero(place);
                    Ok(())
                }
            };
        }
        let Some(found) = initializers::assignments(hir, ty, value) else {
            let message = "a designator of this initialiser names no member or element";
            return unsupported(range, message, "name a member, or write a constant index of the array");
        };
        let elements = self.unit.program.types.array(place.ty).map(|it| (it.element, it.length));
        match elements.filter(|_| are_first_elements(&found)) {
            Some((element, length)) if found.len() as u64 != length => {
                self.count(found.len() as i64, length as i64, |it, index| {
                    it.fill_zero(&element_of(place, element, index));
                });
            }
            Some(_) => {}
            None => self.fill_zero(place),
        }
        found.iter().try_for_each(|it| self.assignment(place, ty, it, range))
    }

    /// Stores a value in the part, or the elements, that it is for.
    fn assignment(&mut self, object: &Place, ty: &Type, of: &Assignment, range: TextRange) -> Lowered<()> {
        let Some((last_step, before)) = of.path.split_last() else { return Ok(()) };
        let mut part = object.clone();
        let mut around = ty.clone();
        for step in before {
            (part, around) = self.part(&part, &around, *step, range)?;
        }
        let (Some(last), Step::Element(first)) = (of.last, *last_step) else {
            if let (Step::Member(field), Type::Record(record)) = (*last_step, &around) {
                return match self.member_of(part, (*record, field), range)? {
                    Lvalue::Place(part) => self.fill(&part, &of.ty, of.value, range),
                    bits => {
                        let value = self.value(single_value(self.unit.hir, of.value))?;
                        let value = self.convert_to(value, bits.ty(), range)?;
                        self.store_into(&bits, value);
                        Ok(())
                    }
                };
            }
            let (part, _) = self.part(&part, &around, *last_step, range)?;
            return self.fill(&part, &of.ty, of.value, range);
        };
        let element = self.unit.ty(&of.ty, range)?;
        if matches!(element, Ty::Array(_)) || initializers::is_braced(self.unit.hir, of.value) {
            let mut result = Ok(());
            self.count(first as i64, last as i64 + 1, |it, index| {
                result = it.fill(&element_of(&part, element, index), &of.ty, of.value, range);
            });
            return result;
        }
        // The value is computed once.
        let value = self.value(of.value)?;
        let value = self.convert(value, &of.ty, range)?;
        let value = self.temporary(value);
        self.count(first as i64, last as i64 + 1, |it, index| {
            it.store(element_of(&part, element, index), value.clone());
        });
        Ok(())
    }

    /// The part of an object that a step leads to, and its type.
    fn part(&mut self, of: &Place, ty: &Type, step: Step, range: TextRange) -> Lowered<(Place, Type)> {
        match (step, ty) {
            (Step::Element(index), Type::Array(element, _)) => {
                let inner = self.unit.ty(element, range)?;
                let index = int(Ty::I64, index as i64);
                Ok((element_of(of, inner, index), (**element).clone()))
            }
            (Step::Member(field), Type::Record(record)) => {
                let fields = &self.unit.hir.record(*record).fields;
                let ty = fields.as_ref().and_then(|it| it.get(field as usize)).map(|it| it.ty.clone());
                match self.member_of(of.clone(), (*record, field), range)? {
                    Lvalue::Place(part) => Ok((part, ty.unwrap_or_default())),
                    _ => unsupported(range, "a bit-field has no parts", "write a value of the type"),
                }
            }
            _ => unsupported(range, "this initialiser does not fit its type", "write a value of the type"),
        }
    }

    /// Stores zeros in an object.
    pub(crate) fn fill_zero(&mut self, place: &Place) {
        match self.unit.program.types.array(place.ty).map(|it| (it.element, it.length)) {
            Some((element, length)) => self.count(0, length as i64, |it, index| {
                it.fill_zero(&element_of(place, element, index));
            }),
            None => {
                let value = match place.ty {
                    Ty::Struct(_) => Expr::new(place.ty, mir::ExprKind::Zero),
                    ty => zero(ty),
                };
                self.store(place.clone(), value);
            }
        }
    }

    /// The string that an array is initialised with, in braces or not (C17 6.7.9, paragraph 14).
    fn initial_text(&self, value: ExprId) -> Option<Vec<u8>> {
        let hir = self.unit.hir;
        let single = match &hir.expr(value).kind {
            ExprKind::List(values) if initializers::is_braced(hir, value) => match values[..] {
                [single] => single,
                _ => return None,
            },
            _ => value,
        };
        let is_string = hir.expr(single).kind == ExprKind::String;
        string_bytes(&self.unit.expanded_text(hir.expr(single).range)).filter(|_| is_string)
    }

    /// Stores the bytes of a string, and zeros behind it.
    fn fill_text(&mut self, place: &Place, text: &[u8], range: TextRange) -> Lowered<()> {
        let Some(array) = self.unit.program.types.array(place.ty) else {
            return unsupported(range, "this string has no array of known length", "write the length");
        };
        let (element, length) = (array.element, array.length);
        if !matches!(element, Ty::I8 | Ty::U8) {
            return unsupported(range, "this string is no array of `char`", "write the values in braces");
        }
        for (index, byte) in text.iter().take(length as usize).enumerate() {
            let value = if element == Ty::I8 { i64::from(*byte as i8) } else { i64::from(*byte) };
            self.store(element_of(place, element, int(Ty::I64, index as i64)), int(element, value));
        }
        if (text.len() as u64) < length {
            self.count(text.len() as i64, length as i64, |it, index| {
                it.store(element_of(place, element, index), int(element, 0));
            });
        }
        Ok(())
    }
}

/// The value of a scalar, which may be in braces.
fn single_value(hir: &Program, value: ExprId) -> ExprId {
    match &hir.expr(value).kind {
        ExprKind::List(values) if initializers::is_braced(hir, value) => {
            values.first().map_or(value, |it| single_value(hir, *it))
        }
        _ => value,
    }
}

/// Whether values are for the first elements of an array, one for each, in order.
fn are_first_elements(found: &[Assignment]) -> bool {
    let is_at =
        |(index, it): (usize, &Assignment)| it.last.is_none() && it.path == [Step::Element(index as u64)];
    found.iter().enumerate().all(is_at)
}

/// An element of an array.
pub(crate) fn element_of(array: &Place, element: Ty, index: Expr) -> Place {
    let (base, index) = (Box::new(array.clone()), Box::new(index));
    Place::new(element, PlaceKind::Index { base, index })
}
