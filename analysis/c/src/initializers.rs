//! Initialisers in braces (C17 6.7.9): which object each value is for.

use crate::hir::{Designator, ExprId, ExprKind, Length, Program, Record, Type};

/// A part of an array, struct or union.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A member, by its position; those of anonymous structs have a step of their own.
    Member(u32),
    /// An element.
    Element(u64),
}

/// A value, and the object that it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The steps from the initialised object to its part.
    pub path: Vec<Step>,
    /// The last of the elements that have the value, if the path ends with the first of several.
    pub last: Option<u64>,
    /// The type of the part.
    pub ty: Type,
    /// The value: an expression, a string for an array of `char`, or a list for the part.
    pub value: ExprId,
}

/// The most values that a range of elements has.
const MAX_RANGE: u64 = 1 << 24;

/// The most steps to a part.
const MAX_DEPTH: usize = 64;

/// Whether an expression is a list in braces that has no type of its own.
pub fn is_braced(program: &Program, value: ExprId) -> bool {
    let of = program.expr(value);
    matches!(of.kind, ExprKind::List(_) | ExprKind::Designated(_)) && of.ty == Type::Unknown
}

/// The values of a list in braces for an array, struct or union, in the order in which they are stored: the
/// later of two for one object counts. `None` if a designator names nothing.
pub fn assignments(program: &Program, ty: &Type, list: ExprId) -> Option<Vec<Assignment>> {
    let items = match &program.expr(list).kind {
        ExprKind::List(values) => values.iter().map(|it| (&[][..], *it)).collect(),
        ExprKind::Designated(values) => values.iter().map(|it| (&it.0[..], it.1)).collect(),
        _ => return None,
    };
    let mut reader = Reader { program, items, at: 0, found: Vec::new() };
    reader.parts(ty, &mut Vec::new(), 0, true)?;
    Some(reader.found)
}

/// The number of elements of an array whose length follows from its initialiser.
pub fn element_count(program: &Program, ty: &Type, value: ExprId) -> Option<u64> {
    if let (ExprKind::String, Type::Array(_, Length::Constant(length))) =
        (&program.expr(value).kind, &program.expr(value).ty)
    {
        return Some(*length);
    }
    if let ExprKind::List(values) = &program.expr(value).kind
        && let [only] = values[..]
        && program.expr(only).kind == ExprKind::String
        && matches!(ty.element(), Some(Type::Integer { .. }))
    {
        return element_count(program, ty, only);
    }
    let found = is_braced(program, value).then(|| assignments(program, ty, value)).flatten()?;
    let ends = found.iter().map(|it| match (it.path.first(), it.last) {
        (Some(Step::Element(_)), Some(last)) if it.path.len() == 1 => last.checked_add(1),
        (Some(Step::Element(index)), _) => index.checked_add(1),
        _ => Some(0),
    });
    ends.reduce(|a, b| Some(a?.max(b?))).unwrap_or(Some(0))
}

struct Reader<'p> {
    program: &'p Program,
    items: Vec<(&'p [Designator], ExprId)>,
    /// The next item.
    at: usize,
    found: Vec<Assignment>,
}

impl<'p> Reader<'p> {
    /// Reads values for the parts of an object from the part `next` on. A list with braces of its own is read
    /// to its end, and may have designators; without, what is left is for others.
    fn parts(&mut self, ty: &Type, path: &mut Vec<Step>, mut next: u64, is_braced: bool) -> Option<()> {
        while let Some((designators, value)) = self.items.get(self.at).copied() {
            if !designators.is_empty() {
                if !is_braced {
                    return Some(());
                }
                next = self.designated(ty, path, designators, value)?;
                continue;
            }
            let Some((step, part)) = self.part(ty, next) else {
                if !is_braced {
                    return Some(());
                }
                // More values than parts: compilers warn of it, and ignore them.
                self.at += 1;
                continue;
            };
            path.push(step);
            self.part_value(&part, path, value)?;
            path.pop();
            next = next.checked_add(1)?;
        }
        Some(())
    }

    /// Reads the value of a part: one expression, or as many as the part takes.
    fn part_value(&mut self, ty: &Type, path: &mut Vec<Step>, value: ExprId) -> Option<()> {
        // A wrong program may have a struct that contains itself.
        if path.len() > MAX_DEPTH {
            return None;
        }
        let of = self.program.expr(value);
        let is_whole = match ty {
            Type::Array(element, _) => {
                let is_text = of.kind == ExprKind::String && matches!(**element, Type::Integer { .. });
                is_text || matches!(of.ty, Type::Array(..)) && of.kind != ExprKind::String
            }
            Type::Record(_) => of.ty == *ty || of.ty == Type::Unknown && !is_braced(self.program, value),
            _ => true,
        };
        if is_whole || is_braced(self.program, value) || self.part(ty, 0).is_none() {
            self.at += 1;
            self.found.push(Assignment { path: path.clone(), last: None, ty: ty.clone(), value });
            return Some(());
        }
        self.parts(ty, path, 0, false)
    }

    /// Reads a value with designators, and those that follow it inside of the same part; the number of the
    /// part that comes next.
    fn designated(
        &mut self,
        ty: &Type,
        path: &mut Vec<Step>,
        designators: &'p [Designator],
        value: ExprId,
    ) -> Option<u64> {
        let depth = path.len();
        // The object in which each step is taken, and the number of the part.
        let mut taken: Vec<(Type, u64)> = Vec::new();
        let (mut inner, mut last) = (ty.clone(), None);
        for (position, designator) in designators.iter().enumerate() {
            let is_last = position + 1 == designators.len();
            match designator {
                Designator::Field(name) => {
                    let Type::Record(record) = inner else { return None };
                    for (of, index) in self.program.member_path(record, name)? {
                        let field = self.program.record(of).fields.as_ref()?.get(index as usize)?;
                        taken.push((Type::Record(of), part_number(self.program.record(of), index)));
                        path.push(Step::Member(index));
                        inner = field.ty.clone();
                    }
                }
                Designator::Element(index) | Designator::Elements(index, _) => {
                    let Type::Array(element, length) = inner.clone() else { return None };
                    let first = u64::try_from(self.program.constant(*index)?).ok()?;
                    if let Designator::Elements(_, end) = designator {
                        let end = u64::try_from(self.program.constant(*end)?).ok()?;
                        if !is_last || end < first || end - first > MAX_RANGE {
                            return None;
                        }
                        last = Some(end);
                    }
                    if matches!(length, Length::Constant(length) if last.unwrap_or(first) >= length) {
                        return None;
                    }
                    taken.push((inner, last.unwrap_or(first)));
                    path.push(Step::Element(first));
                    inner = (*element).clone();
                }
            }
        }
        match last {
            Some(_) => {
                self.at += 1;
                self.found.push(Assignment { path: path.clone(), last, ty: inner, value });
            }
            None => {
                self.items[self.at].0 = &[];
                self.part_value(&inner, path, value)?;
            }
        }
        while taken.len() > 1 {
            let (of, number) = taken.pop()?;
            path.pop();
            self.parts(&of, path, number.checked_add(1)?, false)?;
        }
        path.truncate(depth);
        taken.pop()?.1.checked_add(1)
    }

    /// A part that a value without a designator can be for; of a union the first member only.
    fn part(&self, ty: &Type, number: u64) -> Option<(Step, Type)> {
        match ty {
            Type::Array(element, Length::Constant(length)) => {
                (number < *length).then(|| (Step::Element(number), (**element).clone()))
            }
            Type::Array(element, _) => Some((Step::Element(number), (**element).clone())),
            Type::Record(id) => {
                let record = self.program.record(*id);
                let named = record.fields.as_ref()?.iter().enumerate().filter(|it| is_initialized(it.1));
                let (index, field) = named
                    .take(if record.is_union { 1 } else { usize::MAX })
                    .nth(usize::try_from(number).ok()?)?;
                Some((Step::Member(index as u32), field.ty.clone()))
            }
            _ => None,
        }
    }
}

/// A bit-field without a name has no value.
fn is_initialized(field: &crate::hir::Field) -> bool {
    field.name.is_some() || field.bits.is_none()
}

/// The number of a member among those that have values; of a union what follows it is none.
fn part_number(record: &Record, index: u32) -> u64 {
    let before = record.fields.iter().flatten().take(index as usize).filter(|it| is_initialized(it));
    if record.is_union { u64::from(u32::MAX) } else { before.count() as u64 }
}
