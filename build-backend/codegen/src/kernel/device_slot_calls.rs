//! Calls of slots in the CUDA form of a kernel: blocks of one launch exchange messages in the memory of their
//! device (`apg_slot_table.h`) or of another that reaches it (`apg_slot_peers.h`), or post a request in the
//! mailbox of the launch and wait for the answer (`apg_mailbox.h`).

use crate::code::Code;
use crate::metadata::slot;
use apg_mir::*;
use apg_runtime::slots::request::{Call, Parts};

/// Device code of calls: through the host, through the memory of the device, and the choice between them.
pub(super) const SLOTS_PRELUDE: &str = concat!(
    include_str!("../include/apg_memory_order.h"),
    include_str!("../include/apg_mailbox.h"),
    include_str!("../include/apg_slot_peers.h"),
    include_str!("../include/apg_slot_table.h"),
    include_str!("../include/apg_slots.h")
);
/// Operands of a buffer: an array, an index and a number of elements.
const BUFFER_OPERANDS: usize = 3;
/// Operands of a call that say how many parts it sends.
const RANK: usize = 1;
const PARTNER: usize = 2;
const MEMBERS: usize = 7;

/// The type of the elements of a captured or shared array of a kernel.
pub(crate) fn rail_element(kernel: &Kernel, rail: LocalId) -> Option<Ty> {
    let shared = kernel.shared.iter().find(|it| it.local == rail).map(|it| it.element);
    let captured = kernel.captures.get(rail.index()).and_then(|capture| match capture.kind {
        KernelCaptureKind::Scalar(_) => None,
        KernelCaptureKind::Buffer { element }
        | KernelCaptureKind::ConstantBuffer { element }
        | KernelCaptureKind::GlobalBuffer { element } => Some(element),
    });
    shared.or(captured)
}

/// Declares what a thread knows of the calls of its block.
pub(super) fn declare_call_counter(code: &mut Code<'_>) {
    code.out.line("apg_slot_calls calls_ = {};");
}

impl Code<'_> {
    /// A call of the block's slot as an expression.
    pub(crate) fn device_slot_call(&mut self, call: usize, args: &[Expr]) -> String {
        let (numbers, buffers) = args.split_at(CollectiveOp::SLOT_NUMBERS.min(args.len()));
        let numbers: Vec<String> = numbers.iter().map(|it| self.expr(it)).collect();
        let buffers: Vec<String> = buffers
            .chunks_exact(BUFFER_OPERANDS)
            .map(|it| self.device_slot_buffer(&it[0], &it[1], &it[2]))
            .collect();
        let parts = match Call::from_number(call as i32).map_or(Parts::None, Call::sent_parts) {
            Parts::None => "0".to_owned(),
            Parts::One => "1".to_owned(),
            Parts::OneAtRoot => format!("{} == {}", numbers[PARTNER], numbers[RANK]),
            Parts::AllAtRoot => {
                format!("{} == {} ? {} : 0", numbers[PARTNER], numbers[RANK], numbers[MEMBERS])
            }
            Parts::All => numbers[MEMBERS].clone(),
        };
        format!(
            "apg_slot_message(shared_.mailbox, calls_, {parts}, apg_slot_request{{{}, apg_block_number(), {{{}}}, {call}, {}, {}, {}}})",
            numbers.join(", "),
            buffers.join(", "),
            buffers.len(),
            self.span.file.0,
            self.span.line()
        )
    }

    /// An initializer of a buffer.
    fn device_slot_buffer(&mut self, rail: &Expr, index: &Expr, count: &Expr) -> String {
        let (index, count) = (self.expr(index), self.expr(count));
        let found = match rail.kind {
            ExprKind::Local(local) => self.local(local).rail.zip(self.slot_elements.get(&local).copied()),
            _ => None,
        };
        let Some((spelling, element)) = found else {
            return self.fail("a buffer of a slot is a captured or shared rail of the kernel".to_owned());
        };
        let ty = self.ty(element);
        format!(
            "{{(void *){}, {}, {index}, {count}, (apg_u32)sizeof({ty}), {}}}",
            spelling.data,
            spelling.length,
            slot(element)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes of elements are an enumeration of both headers.
    #[test]
    fn codes_of_elements_are_those_of_the_runtime() {
        let names = |text: &str| -> Vec<String> {
            let start = text.find("APG_BOOL, APG_I8").expect("the enumeration");
            let end = start + text[start..].find('}').expect("its end");
            text[start..end].split(',').map(|it| it.trim().to_owned()).collect()
        };
        assert_eq!(names(SLOTS_PRELUDE), names(apg_runtime::abi::HEADER));
    }
}
