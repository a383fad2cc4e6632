//! Functions of the C library with effects: output (C17 7.21.6), memory (7.22.3) and copies of bytes
//! (7.24.2). Device code of CUDA has some of them, too (*CUDA C++ Programming Guide*, "Formatted Output",
//! "Dynamic Global Memory Allocation and Operations"); others are made of these.

use apg_c_analysis::hir::{ExprId, ExprKind};
use apg_c_syntax::TextRange;
use apg_mir::{self as mir, AddressSpace, Expr, Operation, Signature, Ty};

use crate::body::{Body, binary, int};
use crate::conversion::{is_float, is_integer};
use crate::device_library::CHARACTER_CLASSES;
use crate::literal::string_bytes;
use crate::sources::ends_program;
use crate::unsupported::{Lowered, unsupported};

/// Functions that have a device form.
const FUNCTIONS: [&str; 10] =
    ["printf", "puts", "putchar", "fprintf", "fflush", "malloc", "calloc", "free", "memcpy", "memset"];

/// Most operands of `printf` on a device, with the format (*CUDA C++ Programming Guide*, "Formatted Output").
const MAX_OPERANDS: usize = 32;

/// Whether a function of the C library has a device form that may have effects.
pub(crate) fn has_effects(name: &str) -> bool {
    FUNCTIONS.contains(&library_name(name)) || ends_program(name)
}

/// The name without the prefix by which headers call functions of the compiler.
fn library_name(name: &str) -> &str {
    name.strip_prefix("__builtin_").unwrap_or(name)
}

impl Body<'_, '_> {
    /// A call of a function of the C library whose value, if it has one, is used if `is_used`.
    pub(crate) fn c_library_call(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        is_used: bool,
        range: TextRange,
    ) -> Lowered<Expr> {
        if ends_program(name) {
            self.end_program(name, arguments, range)?;
            return Ok(int(Ty::I32, 0));
        }
        let name = library_name(name);
        match (name, arguments) {
            ("malloc", [size]) => {
                let size = self.size(*size)?;
                self.allocate(size)
            }
            ("calloc", [count, size]) => self.allocate_zeros(*count, *size, range),
            ("free", [memory]) => {
                let memory = self.address_operand(*memory, range)?;
                self.call_c("free", vec![memory], Ty::Void)
            }
            ("memcpy", [to, from, size]) => {
                let (to, from) = (self.address_operand(*to, range)?, self.address_operand(*from, range)?);
                let size = self.size(*size)?;
                let ty = to.ty;
                self.call_c("memcpy", vec![to, from, size], ty)
            }
            ("memset", [to, value, size]) => {
                let to = self.address_operand(*to, range)?;
                let value = self.value(*value)?;
                let value = self.convert_to(value, Ty::I32, range)?;
                let size = self.size(*size)?;
                let ty = to.ty;
                self.call_c("memset", vec![to, value, size], ty)
            }
            ("fflush", [_]) => Ok(int(Ty::I32, 0)),
            ("printf", [format, values @ ..]) => self.print(*format, values, is_used, range),
            ("fprintf", [stream, format, values @ ..]) if self.is_standard_output(*stream) => {
                self.print(*format, values, is_used, range)
            }
            ("fprintf", _) => {
                let message = "a device writes to the standard output only";
                unsupported(range, message, "write `printf`, or call it outside of the region")
            }
            ("puts", [text]) => {
                let text = self.value(*text)?;
                self.print_values(b"%s\n", vec![text], range)
            }
            ("putchar", [character]) => {
                let character = self.value(*character)?;
                let character = self.temporary(character);
                self.print_values(b"%c", vec![character.clone()], range)?;
                Ok(character)
            }
            _ => {
                let message = format!("`{name}` does not take {} arguments", arguments.len());
                unsupported(range, message, "include the header that declares it")
            }
        }
    }

    fn is_standard_output(&self, stream: ExprId) -> bool {
        let hir = self.unit.hir;
        match &hir.expr(stream).kind {
            ExprKind::Variable(it) => hir.variable(*it).name == "stdout",
            _ => false,
        }
    }

    /// A number of bytes or elements.
    fn size(&mut self, size: ExprId) -> Lowered<Expr> {
        let range = self.unit.hir.expr(size).range;
        let size = self.value(size)?;
        let size = self.convert_to(size, Ty::U64, range)?;
        Ok(self.temporary(size))
    }

    /// The classes of a character, which the macros of `<ctype.h>` look up in a table of the host.
    pub(crate) fn character_classes(&mut self, character: ExprId, range: TextRange) -> Lowered<Expr> {
        let Some(function) = self.unit.sources.library_function(CHARACTER_CLASSES) else {
            return unsupported(range, "this table is the host's", "compare the character itself");
        };
        let value = self.value(character)?;
        let value = self.convert_argument(function, 0, value, range)?;
        let call = self.call_with(function, vec![value], range)?;
        Ok(self.temporary(call))
    }

    fn bytes_pointer(&mut self) -> Ty {
        self.unit.program.types.pointer_to(Ty::I8, AddressSpace::Generic)
    }

    fn address_operand(&mut self, operand: ExprId, range: TextRange) -> Lowered<Expr> {
        let value = self.value(operand)?;
        let ty = self.bytes_pointer();
        self.convert_to(value, ty, range)
    }

    fn allocate(&mut self, bytes: Expr) -> Lowered<Expr> {
        let ty = self.bytes_pointer();
        self.call_c("malloc", vec![bytes], ty)
    }

    /// `calloc` (C17 7.22.3.2): null if the bytes are more than a number says.
    fn allocate_zeros(&mut self, count: ExprId, size: ExprId, range: TextRange) -> Lowered<Expr> {
        let (count, size) = (self.size(count)?, self.size(size)?);
        let most = || int(Ty::U64, -1);
        let is_some = binary(Ty::Bool, Operation::Ne, size.clone(), int(Ty::U64, 0));
        let limit = binary(Ty::U64, Operation::DivUndefined, most(), size.clone());
        let is_more = binary(Ty::Bool, Operation::Gt, count.clone(), limit);
        let is_too_much = mir::ExprKind::And(Box::new(is_some), Box::new(is_more));
        // No device has as many bytes.
        let bytes = mir::ExprKind::Select {
            condition: Box::new(Expr::new(Ty::Bool, is_too_much)),
            then: Box::new(most()),
            otherwise: Box::new(binary(Ty::U64, Operation::Mul, count, size)),
        };
        let bytes = self.temporary(Expr::new(Ty::U64, bytes));
        let memory = self.allocate(bytes.clone())?;
        let is_there = self.convert_to(memory.clone(), Ty::Bool, range)?;
        let (then, ()) = self.nested(|it| {
            it.call_c("memset", vec![memory.clone(), int(Ty::I32, 0), bytes], memory.ty)?;
            Ok(())
        })?;
        self.push(mir::StmtKind::If { condition: is_there, then, otherwise: Vec::new() });
        Ok(memory)
    }

    fn print(&mut self, format: ExprId, values: &[ExprId], is_used: bool, range: TextRange) -> Lowered<Expr> {
        if is_used {
            let message = "a device does not know how many characters it has written";
            return unsupported(range, message, "do not use the result of `printf` in the region");
        }
        let hir = self.unit.hir;
        let text = match hir.expr(format).kind {
            ExprKind::String => string_bytes(&self.unit.expanded_text(hir.expr(format).range)),
            _ => None,
        };
        let mut operands = Vec::new();
        for value in values {
            operands.push(self.value(*value)?);
        }
        match text {
            Some(text) => self.print_values(&plain_sizes(&text), operands, range),
            None => {
                let message = "the format of this output is no string";
                unsupported(range, message, "write it as a string, with `%s` for what differs")
            }
        }
    }

    /// Writes values as the default argument promotions make them (C17 6.5.2.2, paragraph 6).
    fn print_values(&mut self, format: &[u8], values: Vec<Expr>, range: TextRange) -> Lowered<Expr> {
        if values.len() >= MAX_OPERANDS {
            let message = format!("a device writes {} values at a time at most", MAX_OPERANDS - 1);
            return unsupported(range, message, "write some of them in a call of its own");
        }
        let ty = self.bytes_pointer();
        let mut args = vec![Expr::new(ty, mir::ExprKind::Bytes(format.into()))];
        for value in values {
            let promoted = match value.ty {
                Ty::F32 => Ty::F64,
                Ty::Bool | Ty::I8 | Ty::I16 | Ty::U8 | Ty::U16 => Ty::I32,
                ty if is_integer(ty) || is_float(ty) || matches!(ty, Ty::Pointer(_)) => ty,
                _ => {
                    return unsupported(
                        range,
                        "this writes what is no number and no pointer",
                        "write its members",
                    );
                }
            };
            args.push(self.convert_to(value, promoted, range)?);
        }
        self.unit.prints = true;
        self.call_external("printf", vec![ty], true, args, Ty::I32)
    }

    /// A call of a function with as many parameters as operands.
    pub(crate) fn call_c(&mut self, name: &str, args: Vec<Expr>, result: Ty) -> Lowered<Expr> {
        let params = args.iter().map(|it| it.ty).collect();
        self.call_external(name, params, false, args, result)
    }

    fn call_external(
        &mut self,
        name: &str,
        params: Vec<Ty>,
        is_variadic: bool,
        args: Vec<Expr>,
        result: Ty,
    ) -> Lowered<Expr> {
        let program = &mut self.unit.program;
        let signature = program.types.function(Signature { params, result, is_variadic });
        let index = program.externals.iter().position(|it| it.name == name).unwrap_or_else(|| {
            program.externals.push(mir::External { name: name.to_owned(), signature });
            program.externals.len() - 1
        });
        let to_function = program.types.pointer_to(Ty::Function(signature), AddressSpace::Generic);
        let callee = mir::ExprKind::ExternalAddress(mir::ExternalId(index as u32));
        let callee = Box::new(Expr::new(to_function, callee));
        let call = Expr::new(result, mir::ExprKind::CallPointer { callee, args });
        if result == Ty::Void {
            self.push(mir::StmtKind::Expr(call));
            return Ok(int(Ty::I32, 0));
        }
        Ok(self.temporary(call))
    }
}

/// A format with `l` for the sizes `z`, `j` and `t`, which are the same here and which devices do not know.
fn plain_sizes(format: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(format.len());
    let mut is_conversion = false;
    for byte in format {
        let is_size = is_conversion && matches!(byte, b'z' | b'j' | b't');
        plain.push(if is_size { b'l' } else { *byte });
        is_conversion = match byte {
            b'%' => !is_conversion,
            b'0'..=b'9' | b'-' | b'+' | b' ' | b'#' | b'.' | b'*' | b'\'' => is_conversion,
            _ => false,
        };
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::plain_sizes;

    #[test]
    fn sizes_of_the_host_are_long() {
        assert_eq!(plain_sizes(b"%zu %-5jd 5%% z %td%s"), b"%lu %-5ld 5%% z %ld%s");
    }
}
