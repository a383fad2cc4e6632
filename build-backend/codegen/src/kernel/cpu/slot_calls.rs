//! Calls of slots in the CPU form of a kernel: the block makes the call once, and its activity waits.

use super::printer::Printer;
use crate::kernel::device_slot_calls::rail_element;
use crate::metadata::slot;
use apg_mir::*;

/// Operands of a buffer: an array, an index and a number of elements.
const BUFFER_OPERANDS: usize = 3;

impl Printer<'_, '_> {
    /// Prints a call of a slot, whose result is the value of `local`.
    pub(super) fn print_slot_call(&mut self, call: usize, args: &[Expr], local: LocalId) {
        let (numbers, buffers) = args.split_at(CollectiveOp::SLOT_NUMBERS.min(args.len()));
        let numbers: Vec<String> = numbers.iter().map(|it| self.uniform_value(it)).collect();
        let buffers: Vec<String> = buffers
            .chunks_exact(BUFFER_OPERANDS)
            .map(|it| self.slot_buffer(&it[0], &it[1], &it[2]))
            .collect();
        let count = buffers.len();
        let target = self.code.local(local);
        let result = match &target.array {
            // The result is a value of each thread: all have the same.
            Some(array) => format!(
                "{{ const apg_i64 all_ = apg_slot_message(call_); for (apg_i64 t_ = 0; t_ < threads_; ++t_) {}[t_] = all_; }}",
                array.name
            ),
            None => format!("{} = apg_slot_message(call_);", target.text),
        };
        let (file, line) = (self.code.span.file.0, self.code.span.line());
        self.code.out.line(format!(
            "{{ const apg_slot_request call_ = {{{}, block_, {{{}}}, {call}, {count}, {file}, {line}}}; {result} }}",
            numbers.join(", "),
            buffers.join(", ")
        ));
    }

    /// An initializer of a buffer.
    fn slot_buffer(&mut self, rail: &Expr, index: &Expr, count: &Expr) -> String {
        let (index, count) = (self.uniform_value(index), self.uniform_value(count));
        let found = match rail.kind {
            ExprKind::Local(local) => self.code.local(local).rail.zip(rail_element(&self.ir.kernel, local)),
            _ => None,
        };
        let Some((spelling, element)) = found else {
            return self
                .code
                .fail("a buffer of a slot is a captured or shared rail of the kernel".to_owned());
        };
        let ty = self.code.ty(element);
        format!(
            "{{(void *){}, {}, {index}, {count}, sizeof({ty}), {}}}",
            spelling.data,
            spelling.length,
            slot(element)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_calls_are_those_of_the_runtime() {
        let names = apg_runtime::slots::request::Call::ALL.map(|it| format!("slot_{}", it.1));
        assert_eq!(CollectiveOp::SLOT_CALLS.map(str::to_owned), names);
    }
}
