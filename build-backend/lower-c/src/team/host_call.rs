//! Calls of functions that stay on the host, such as those of the C library: the operands are put in words of
//! memory, from which a function at the end of the file takes them.

use apg_c_analysis::hir::{ExprId, ExprKind, Type};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, Expr, Operation, Place, PlaceKind, Ty};

use super::routines::is_of_device;
use crate::body::{Body, int, operation};
use crate::conversion::{is_float, is_integer};
use crate::library::is_mathematical;
use crate::literal::quoted;
use crate::tables::FILE_NAME;
use crate::unsupported::{Lowered, unsupported};

impl Body<'_, '_> {
    /// A call of a function that is not defined in the file: a routine of OpenMP, a mathematical function, or
    /// one of the host.
    pub(crate) fn team_call(
        &mut self,
        callee: ExprId,
        arguments: &[ExprId],
        result: &Type,
        range: TextRange,
    ) -> Lowered<Expr> {
        let Some(name) = self.unit.hir.callee_name(callee) else {
            return unsupported(range, "this calls no function by its name", "call one by its name");
        };
        let is_routine = is_of_device(name);
        if !is_routine && !is_mathematical(name) {
            return self.host_call(callee, name, arguments, result, range);
        }
        self.check_lock(name, arguments)?;
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.value(*argument)?);
        }
        match is_routine {
            true => self.routine(name, &values, range),
            false => self.library_call(name, values, range),
        }
    }

    /// The address of a string, given by its text.
    pub(crate) fn text_object(&mut self, text: String) -> Expr {
        let index = self.unit.tables.as_mut().map_or(0, |it| it.object(format!("(void *)({text})")));
        self.table_object(index)
    }

    /// A call of a function of the host.
    fn host_call(
        &mut self,
        callee: ExprId,
        name: &str,
        arguments: &[ExprId],
        result: &Type,
        range: TextRange,
    ) -> Lowered<Expr> {
        let hir = self.unit.hir;
        if !matches!(hir.expr(callee).kind, ExprKind::Function(_)) {
            let message = format!("`{name}` is not declared");
            return unsupported(range, message, "declare it, or include the header that does");
        }
        if self.unit.with_openmp.is_some_and(|it| it.contains(name)) {
            let message = format!("`{name}` of another file uses OpenMP, which binds to this region");
            return unsupported(range, message, "define it in this file");
        }
        let words = arguments.len() as u64 + 1;
        if words > mir::team::CALL_WORDS {
            let message = format!("the call has more than {} operands", mir::team::CALL_WORDS - 1);
            return unsupported(range, message, "pass less at a time, or call it outside of the region");
        }
        // The operands, the objects that they point into, and the sizes of these.
        let ty = self.unit.program.types.array_of(Ty::U64, words * 3);
        let memory = self.memory("operands", ty);
        let word = |index: usize| {
            let base = Box::new(Place::new(ty, PlaceKind::Variable(memory)));
            Place::new(Ty::U64, PlaceKind::Index { base, index: Box::new(int(Ty::I64, index as i64)) })
        };
        let mut operands = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            if hir.expr(*argument).kind == ExprKind::String {
                operands.push(self.unit.expanded_text(hir.expr(*argument).range));
                self.store(word(index + 1), int(Ty::U64, 0));
                continue;
            }
            let value = self.value(*argument)?;
            let (value, text) = self.operand(value, &hir.expr(*argument).ty, index + 1, range)?;
            let value = self.temporary(value);
            let (object, size) = self.lent((name, index), *argument, &value, range)?;
            for (part, value) in (0..).zip([value, object, size]) {
                self.store(word(part * words as usize + index + 1), value);
            }
            operands.push(text);
        }
        let call = format!("{name}({})", operands.join(", "));
        let effect = match result {
            Type::Void => call,
            Type::Float(4 | 8) => format!("apg_w_[0].number = {call}"),
            Type::Pointer(_) | Type::Bool | Type::Integer { bytes: 1..=8, .. } => {
                format!("apg_w_[0].bits = (unsigned long)({call})")
            }
            _ => {
                let message = format!("the result of `{name}` is no number and no pointer");
                return unsupported(range, message, "call it outside of the region");
            }
        };
        let function = self.host_function(&effect);
        let address = self.address_of(Place::new(ty, PlaceKind::Variable(memory)));
        let address = operation(Ty::I64, Operation::Convert, vec![address]);
        self.call_entry("team_host_call", vec![function, address, int(Ty::I32, words as i64)]);
        let wide = Expr::new(Ty::U64, mir::ExprKind::Load(Box::new(word(0))));
        let value = match result {
            Type::Void => return Ok(int(Ty::I32, 0)),
            Type::Float(_) => operation(Ty::F64, Operation::Bitcast, vec![wide]),
            _ => wide,
        };
        let value = self.convert(value, result, range)?;
        Ok(self.temporary(value))
    }

    /// Ends the program on the host: an index, and the least and the greatest one; `what` follows the name
    /// of the file in the message.
    pub(crate) fn fail_on_host(&mut self, details: [Expr; 3], what: &str) -> Lowered<()> {
        let ty = self.unit.program.types.array_of(Ty::U64, 12);
        let memory = self.memory("operands", ty);
        for (index, value) in (1..).zip(details) {
            let base = Box::new(Place::new(ty, PlaceKind::Variable(memory)));
            let index = Box::new(int(Ty::I64, index));
            let word = Place::new(Ty::U64, PlaceKind::Index { base, index });
            self.store(word, operation(Ty::U64, Operation::Convert, vec![value]));
        }
        // No operand leads into an object of the thread.
        for index in 5..12 {
            let base = Box::new(Place::new(ty, PlaceKind::Variable(memory)));
            let word = Place::new(Ty::U64, PlaceKind::Index { base, index: Box::new(int(Ty::I64, index)) });
            self.store(word, int(Ty::U64, 0));
        }
        let words = [1, 2, 3].map(|it| format!("(long)apg_w_[{it}].bits")).join(", ");
        let function =
            self.host_function(&format!("apg_check_failed({FILE_NAME} {}, {words})", quoted(what)));
        let address = self.address_of(Place::new(ty, PlaceKind::Variable(memory)));
        let address = operation(Ty::I64, Operation::Convert, vec![address]);
        self.call_entry("team_host_call", vec![function, address, int(Ty::I32, 4)]);
        Ok(())
    }

    /// A value as a word, and the operand of C that it is.
    fn operand(&mut self, value: Expr, ty: &Type, index: usize, range: TextRange) -> Lowered<(Expr, String)> {
        let bits = |cast: &str| format!("({cast})apg_w_[{index}].bits");
        if is_float(value.ty) {
            let value = self.convert_to(value, Ty::F64, range)?;
            return Ok((
                operation(Ty::U64, Operation::Bitcast, vec![value]),
                format!("apg_w_[{index}].number"),
            ));
        }
        if is_integer(value.ty) {
            let cast = match (value.ty, ty) {
                (Ty::I64, _) => "long",
                (Ty::U64, _) => "unsigned long",
                (Ty::U32, _) => "unsigned",
                _ => "int",
            };
            return Ok((self.convert_to(value, Ty::U64, range)?, bits(cast)));
        }
        if matches!(value.ty, Ty::Pointer(_)) {
            // Compilers compare strings with the formats of `printf`; another pointer converts by itself.
            let cast = match ty {
                Type::Pointer(of) | Type::Array(of, _)
                    if matches!(**of, Type::Integer { bytes: 1, is_signed: true }) =>
                {
                    "char *"
                }
                _ => "void *",
            };
            return Ok((self.convert_to(value, Ty::U64, range)?, bits(cast)));
        }
        unsupported(
            range,
            "an operand is no number and no pointer",
            "call the function outside of the region",
        )
    }

    /// The address of a function of the host with this effect.
    pub(crate) fn host_function(&mut self, effect: &str) -> Expr {
        let Some(tables) = &mut self.unit.tables else { return int(Ty::I64, 0) };
        let text = format!("(union apg_word *apg_w_) {{ (void)apg_w_; {effect}; }}");
        let known = tables.definitions.iter().find_map(|it| {
            let (head, body) = it.split_once('(')?;
            (format!("({body}") == text).then(|| head.rsplit(' ').next().unwrap_or_default().to_owned())
        });
        let name = known.unwrap_or_else(|| {
            let name = format!("apg_call{}_", tables.definitions.len());
            tables.definitions.push(format!("static void {name}{text}"));
            name
        });
        let index = tables.object(format!("(void *){name}"));
        self.table_object(index)
    }
}
