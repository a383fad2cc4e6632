//! Objects that one thread of a region has, and whose addresses it gives to functions of the host: the host
//! gets a copy, so that the call tells where such an object is and how large.

use apg_c_analysis::hir::{BinaryOp, ExprId, ExprKind, Program, Type};
use apg_c_syntax::TextRange;
use apg_mir::{Expr, Operation, Ty};

use crate::body::{Body, int, operation};
use crate::lvalue::Lvalue;
use crate::unsupported::Lowered;

/// The operand is a text: its characters up to its end are copied (`APG_TEAM_TEXT`).
const TEXT: i64 = 1 << 62;

/// The object has pointers, which may lead into objects of the thread (`APG_TEAM_POINTERS`).
const POINTERS: i64 = 1 << 61;

/// The most words of an object at file scope that the runtime looks at in front of a region.
const MAX_WORDS: u64 = 256;

/// The object that a pointer leads into.
enum Object {
    /// That of a variable.
    Variable(ExprId),
    /// A compound literal, which the pointer is the address of.
    Literal(ExprId),
}

impl Body<'_, '_> {
    /// What the host gets of the object that an operand of this value points into: the address of the object,
    /// and its size with [`TEXT`] and [`POINTERS`]; 0 for what is not known.
    pub(super) fn lent(
        &mut self,
        (name, index): (&str, usize),
        argument: ExprId,
        value: &Expr,
        range: TextRange,
    ) -> Lowered<(Expr, Expr)> {
        let hir = self.unit.hir;
        let text = if reads_text(name, index) && is_text(&hir.expr(argument).ty) { TEXT } else { 0 };
        let nothing = (int(Ty::U64, 0), int(Ty::U64, text));
        let Some(object) = pointed_object(hir, argument) else { return Ok(nothing) };
        let (Object::Variable(expr) | Object::Literal(expr)) = object;
        let ty = &hir.expr(expr).ty;
        let Some(bytes) = hir.size_of(ty).filter(|it| *it < POINTERS as u64) else { return Ok(nothing) };
        let address = match object {
            Object::Literal(_) => value.clone(),
            Object::Variable(_) => {
                let Lvalue::Place(place) = self.lvalue(expr)? else { return Ok(nothing) };
                let address = self.address_of(place);
                operation(Ty::U64, Operation::Convert, vec![address])
            }
        };
        let pointers = if has_pointers(hir, ty) { POINTERS } else { 0 };
        Ok((self.convert_to(address, Ty::U64, range)?, int(Ty::U64, text | pointers | bytes as i64)))
    }
}

/// Whether a function only reads the text of an operand, counted from 0.
fn reads_text(name: &str, index: usize) -> bool {
    match name {
        "printf" | "puts" | "perror" | "atoi" | "atol" | "atoll" | "atof" | "fopen" | "getenv" | "remove"
        | "strcmp" | "strcasecmp" | "strcoll" | "strlen" | "strdup" | "strspn" | "strcspn" => true,
        "fprintf" | "dprintf" | "sprintf" | "strcpy" | "strcat" | "strstr" | "strpbrk" | "strtok" => {
            index >= 1
        }
        "snprintf" => index >= 2,
        "fputs" | "sscanf" => index == 0,
        _ => false,
    }
}

/// Whether the result of a function leads into the object that its first operand leads into.
fn gives_first_operand(name: &str) -> bool {
    matches!(
        name,
        "fgets"
            | "memchr"
            | "memcpy"
            | "memmove"
            | "memset"
            | "strcat"
            | "strchr"
            | "strcpy"
            | "strncat"
            | "strncpy"
            | "strpbrk"
            | "strrchr"
            | "strstr"
    )
}

fn is_text(ty: &Type) -> bool {
    matches!(ty, Type::Pointer(of) | Type::Array(of, _) if matches!(**of, Type::Integer { bytes: 1, .. }))
}

/// The object that the value of an expression points into, if the expression spells it.
fn pointed_object(hir: &Program, id: ExprId) -> Option<Object> {
    let expr = hir.expr(id);
    if let Type::Array(..) = expr.ty {
        return designated_object(hir, id);
    }
    match &expr.kind {
        ExprKind::AddressOf(operand) => designated_object(hir, *operand),
        ExprKind::Cast(operand) => pointed_object(hir, *operand),
        ExprKind::Call(callee, arguments) if hir.callee_name(*callee).is_some_and(gives_first_operand) => {
            pointed_object(hir, *arguments.first()?).filter(is_variable)
        }
        ExprKind::Binary(BinaryOp::Add, left, right) => {
            pointed_object(hir, *left).or_else(|| pointed_object(hir, *right)).filter(is_variable)
        }
        ExprKind::Binary(BinaryOp::Subtract, left, _) => pointed_object(hir, *left).filter(is_variable),
        _ => None,
    }
}

/// The object that an lvalue is, or is a part of.
fn designated_object(hir: &Program, id: ExprId) -> Option<Object> {
    match &hir.expr(id).kind {
        // Of an object at file scope a thread may have one of its own.
        ExprKind::Variable(_) => Some(Object::Variable(id)),
        ExprKind::List(_) => Some(Object::Literal(id)),
        ExprKind::Member { base, is_arrow: false, .. } => designated_object(hir, *base).filter(is_variable),
        ExprKind::Member { base, is_arrow: true, .. } | ExprKind::Dereference(base) => {
            pointed_object(hir, *base).filter(is_variable)
        }
        ExprKind::Index(base, _) => pointed_object(hir, *base).filter(is_variable),
        _ => None,
    }
}

fn is_variable(object: &Object) -> bool {
    matches!(object, Object::Variable(_))
}

/// The words of an object that the runtime looks at for pointers: all of an object with some, up to a number.
pub(super) fn pointer_words(hir: &Program, ty: &Type) -> u64 {
    match has_pointers(hir, ty) {
        true => (hir.size_of(ty).unwrap_or(0) / 8).min(MAX_WORDS),
        false => 0,
    }
}

fn has_pointers(hir: &Program, ty: &Type) -> bool {
    match ty {
        Type::Pointer(_) => true,
        Type::Array(element, _) => has_pointers(hir, element),
        Type::Record(id) => hir.record(*id).fields.iter().flatten().any(|field| has_pointers(hir, &field.ty)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_those_that_functions_only_read() {
        assert!(reads_text("fprintf", 2) && reads_text("printf", 1) && reads_text("snprintf", 2));
        assert!(!reads_text("sprintf", 0) && !reads_text("snprintf", 0) && !reads_text("strcpy", 0));
        assert!(reads_text("strcmp", 1) && reads_text("strcpy", 1) && !reads_text("strncmp", 0));
    }
}
