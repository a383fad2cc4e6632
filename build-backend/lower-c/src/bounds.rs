//! Checks of bounds in regions (`--checks all`). An index of an array is compared with the number of its
//! elements. For a pointer the runtime gives the ranges of the device's memory: if the pointer leads into
//! one, so must the element (Jones and Kelly, *Backwards-Compatible Bounds Checking for Arrays and Pointers
//! in C Programs*, AADEBUG 1997). A pointer in front of a mapped section leads into none, or another one, so
//! an element in any range is accepted.

use apg_c_analysis::hir::{BinaryOp, ExprId, ExprKind, Length, Type};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, LocalId, Operation, Place, PlaceKind, Ty};

use crate::body::{Body, Role, binary, int, local_value, operation};
use crate::ending::Ending;
use crate::sources::ReachedObject;
use crate::unit::{Unit, declared_function};
use crate::unsupported::Lowered;

/// The words behind the first two of the end of the program: the index, and the least and the greatest one,
/// 64 bits each.
const DETAILS: i64 = 2;

impl Body<'_, '_> {
    /// Checks an index of an array that has this type; one behind the last element if only its address is
    /// taken.
    pub(crate) fn check_index(
        &mut self,
        (base, of): (ExprId, &Type),
        index: Expr,
        is_address: bool,
    ) -> Lowered<Expr> {
        let Type::Array(_, Length::Constant(length)) = of else { return Ok(index) };
        let Ok(length) = i64::try_from(*length) else { return Ok(index) };
        // The last member of a struct may stand for an array of another size (C17 6.7.2.1, paragraph 18).
        let is_member = matches!(self.unit.hir.expr(base).kind, ExprKind::Member { .. });
        if !self.unit.sources.checks || is_member && length <= 1 {
            return Ok(index);
        }
        let most = if is_address { length } else { length - 1 };
        if matches!(index.kind, mir::ExprKind::Int(value) if (0..=most).contains(&value)) {
            return Ok(index);
        }
        let index = self.temporary(index);
        let wide = operation(Ty::I64, Operation::Convert, vec![index.clone()]);
        let wide = if index.ty == Ty::I64 { index.clone() } else { wide };
        let unsigned = operation(Ty::U64, Operation::Convert, vec![wide.clone()]);
        let condition = binary(Ty::Bool, Operation::Gt, unsigned, int(Ty::U64, most));
        let range = self.unit.hir.expr(base).range;
        let details = [wide, int(Ty::I64, 0), int(Ty::I64, length - 1)];
        let (then, ()) = self.nested(|it| it.fail(details, base, range))?;
        self.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
        Ok(index)
    }

    /// The pointer and the number of elements of `p + n`, if elements are checked.
    pub(crate) fn checked_sum(&self, pointer: ExprId) -> Option<(ExprId, ExprId)> {
        let hir = self.unit.hir;
        let ExprKind::Binary(BinaryOp::Add, left, right) = hir.expr(pointer).kind else { return None };
        let is_sum = hir.expr(left).ty.element().is_some() && hir.expr(right).ty.is_integer();
        (self.unit.sources.checks && is_sum).then_some((left, right))
    }

    /// Checks the element at an index behind a pointer: all of it, or where only a member is used, which may
    /// be all that is mapped, its first byte.
    pub(crate) fn check_element(
        &mut self,
        base: ExprId,
        pointer: Expr,
        index: Expr,
        is_whole: bool,
        range: TextRange,
    ) -> Lowered<(Expr, Expr)> {
        // Threads of a team use the host's memory, whose ranges are not known.
        if !self.unit.sources.checks || self.unit.tables.is_some() {
            return Ok((pointer, index));
        }
        let Some(pointee) = self.unit.program.types.pointer(pointer.ty).map(|it| it.pointee) else {
            return Ok((pointer, index));
        };
        if matches!(pointee, Ty::Void | Ty::Function(_)) {
            return Ok((pointer, index));
        }
        let (pointer, index) = (self.temporary(pointer), self.temporary(index));
        let count = operation(Ty::I64, Operation::Convert, vec![index.clone()]);
        let count = if index.ty == Ty::I64 { index.clone() } else { count };
        let moved = operation(pointer.ty, Operation::Offset, vec![pointer.clone(), index.clone()]);
        let next = operation(pointer.ty, Operation::Offset, vec![pointer.clone(), int(Ty::I64, 1)]);
        let address = |it: Expr| operation(Ty::I64, Operation::Convert, vec![it]);
        let (start, moved, next) = (address(pointer.clone()), address(moved), address(next));
        let size = binary(Ty::I64, Operation::Sub, next, start.clone());
        let bytes = if is_whole { size.clone() } else { int(Ty::I64, 1) };
        let message = self.message(base, range);
        let ranges = self.object_address(ReachedObject::Ranges, range)?;
        let ending = self.object_address(ReachedObject::Ending, range)?;
        let function = self.unit.range_check(range);
        let args = vec![ranges, ending, start, moved, size, bytes, count, int(Ty::I32, message)];
        let call = Expr::new(Ty::Void, mir::ExprKind::Call { function, args });
        self.push(mir::StmtKind::Expr(call));
        Ok((pointer, index))
    }

    /// The number of the words that name an expression and its place.
    fn message(&mut self, base: ExprId, range: TextRange) -> i64 {
        let path = self.unit.sources.file(self.unit.file).path.display().to_string();
        let text = path + &self.line_text(base, range);
        self.unit.message_number(text)
    }

    /// The line of an element and the expression behind which it is: what follows the name of the file.
    fn line_text(&mut self, base: ExprId, range: TextRange) -> String {
        let line = self.unit.span(range).line();
        let name = self.unit.written_text(self.unit.hir.expr(base).range);
        format!(":{line}: `{name}`")
    }

    /// Ends the program, if nothing else has done so: the index, and the least and the greatest one.
    fn fail(&mut self, details: [Expr; 3], base: ExprId, range: TextRange) -> Lowered<()> {
        if self.unit.tables.is_some() {
            let text = self.line_text(base, range);
            return self.fail_on_host(details, &text);
        }
        let message = self.message(base, range);
        let words = self.object_address(ReachedObject::Ending, range)?;
        self.store_failure(&words, int(Ty::I32, message), details)
    }

    /// Writes a failure, and ends the thread.
    fn store_failure(&mut self, words: &Expr, message: Expr, details: [Expr; 3]) -> Lowered<()> {
        let wide = self.unit.program.types.pointer_to(Ty::I64, mir::AddressSpace::Generic);
        let behind = operation(words.ty, Operation::Offset, vec![words.clone(), int(Ty::I64, DETAILS)]);
        let behind = operation(wide, Operation::Convert, vec![behind]);
        self.request_end(words, Ending::Bounds, |it| {
            let second = operation(words.ty, Operation::Offset, vec![words.clone(), int(Ty::I64, 1)]);
            it.store(Place::new(Ty::I32, PlaceKind::Deref(Box::new(second))), message);
            for (number, value) in details.into_iter().enumerate() {
                let at =
                    operation(wide, Operation::Offset, vec![behind.clone(), int(Ty::I64, number as i64)]);
                it.store(Place::new(Ty::I64, PlaceKind::Deref(Box::new(at))), value);
            }
            Ok(())
        })
    }
}

impl Unit<'_> {
    /// The number of a message with which code ends the program.
    pub(crate) fn message_number(&mut self, text: String) -> i64 {
        let known = self.messages.iter().position(|it| *it == text);
        known.unwrap_or_else(|| {
            self.messages.push(text);
            self.messages.len() - 1
        }) as i64
    }

    /// The function that checks an element behind a pointer: parameters are the ranges (how many, and the
    /// first and the last address of each), the end of the program, the addresses of the pointer and of the
    /// element, the element's size, the bytes of it that are used, its index, and the number of a message.
    fn range_check(&mut self, range: TextRange) -> mir::FunctionId {
        if let Some(known) = self.range_check {
            return known;
        }
        let span = self.span(range);
        let mut function = declared_function("check_range".to_owned(), span);
        function.result = Ty::Void;
        let mut body = Body::new(self, Role::Function(Type::Void), span);
        let mut pointer = |ty| body.unit.program.types.pointer_to(ty, mir::AddressSpace::Generic);
        let (long, int_pointer) = (pointer(Ty::I64), pointer(Ty::I32));
        let parameters = [
            ("ranges", long),
            ("ending", int_pointer),
            ("start", Ty::I64),
            ("element", Ty::I64),
            ("size", Ty::I64),
            ("bytes", Ty::I64),
            ("index", Ty::I64),
            ("message", Ty::I32),
        ];
        let parameters = parameters.map(|(name, ty)| (body.local(name, ty), ty));
        function.params = parameters.len() as u32;
        body.check_ranges(parameters);
        (function.locals, function.variables, function.body) = (body.locals, body.variables, body.stmts);
        let id = mir::FunctionId(self.program.functions.len() as u32);
        self.program.functions.push(function);
        self.range_check = Some(id);
        id
    }
}

impl Body<'_, '_> {
    /// The code of [`Unit::range_check`].
    fn check_ranges(&mut self, parameters: [(LocalId, Ty); 8]) {
        let [ranges, ending, start, element, size, bytes, index, message] =
            parameters.map(|(local, ty)| local_value(local, ty));
        let (at, first, last) =
            (self.local("at", Ty::I64), self.local("first", Ty::I64), self.local("last", Ty::I64));
        let [own_first, own_last, own] = ["own_first", "own_last", "own"].map(|it| self.local(it, Ty::I64));
        let long = |it| local_value(it, Ty::I64);
        let word = |position: Expr| {
            let moved = operation(ranges.ty, Operation::Offset, vec![ranges.clone(), position]);
            Expr::new(
                Ty::I64,
                mir::ExprKind::Load(Box::new(Place::new(Ty::I64, PlaceKind::Deref(Box::new(moved))))),
            )
        };
        for local in [at, own_first, own_last, own] {
            self.set(local, int(Ty::I64, 0));
        }
        let sum = |a: Expr, b: Expr| binary(Ty::I64, Operation::Add, a, b);
        let count = self.temporary(word(int(Ty::I64, 0)));
        let label = self.label();
        let end = sum(element.clone(), bytes);
        let inside = |from: Expr, to: Expr| {
            let parts = [
                binary(Ty::Bool, Operation::Ge, from, long(first)),
                binary(Ty::Bool, Operation::Le, to, long(last)),
            ];
            let [a, b] = parts;
            (a, b)
        };
        let (condition, body) = (
            binary(Ty::Bool, Operation::Lt, long(at), count),
            self.nested(|it| {
                let place = binary(Ty::I64, Operation::Mul, long(at), int(Ty::I64, 2));
                let place = it.temporary(place);
                it.set(first, word(sum(place.clone(), int(Ty::I64, 1))));
                it.set(last, word(sum(place, int(Ty::I64, 2))));
                let (a, b) = inside(element.clone(), end.clone());
                it.when(a, |it| it.when(b, |it| it.push(mir::StmtKind::Return(None))));
                let (a, b) = inside(start.clone(), sum(start.clone(), int(Ty::I64, 1)));
                it.when(a, |it| {
                    it.when(b, |it| {
                        it.set(own, int(Ty::I64, 1));
                        it.set(own_first, long(first));
                        it.set(own_last, long(last));
                    })
                });
                Ok(())
            }),
        );
        let update = self.nested(|it| {
            it.set(at, sum(long(at), int(Ty::I64, 1)));
            Ok(())
        });
        let (Ok((body, ())), Ok((update, ()))) = (body, update) else { return };
        self.push(mir::StmtKind::Loop { label, condition, body, update, unroll: None, post_tested: false });
        let elements = |from: Expr, to: Expr| {
            let distance = binary(Ty::I64, Operation::Sub, to, from);
            binary(Ty::I64, Operation::DivUndefined, distance, size.clone())
        };
        let before = elements(long(own_first), start.clone());
        let least = operation(Ty::I64, Operation::Neg, vec![before]);
        let most = binary(Ty::I64, Operation::Sub, elements(start, long(own_last)), int(Ty::I64, 1));
        self.when(binary(Ty::Bool, Operation::Ne, long(own), int(Ty::I64, 0)), |it| {
            let _ = it.store_failure(&ending, message, [index, least, most]);
        });
    }

    /// Statements under a condition.
    fn when(&mut self, condition: Expr, statements: impl FnOnce(&mut Self)) {
        let nested = self.nested(|it| {
            statements(it);
            Ok(())
        });
        if let Ok((then, ())) = nested {
            self.push(mir::StmtKind::If { condition, then, otherwise: Vec::new() });
        }
    }
}
