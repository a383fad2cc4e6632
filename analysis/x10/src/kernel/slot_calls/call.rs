//! A call of a slot, made in a body or in a function that the body calls.

use apg_syntax::TextRange;

use crate::body::{ExprId, LocalId};
use crate::ids::MethodId;

use super::operand::Operand;
use super::origin::{Side, SlotOrigin};

/// A call of a slot.
pub(super) struct SlotCall {
    /// The expression of the body: the call, or that of the function which makes it.
    pub site: ExprId,
    pub method: MethodId,
    pub name: String,
    pub slot: SlotOrigin,
    pub args: Vec<Operand>,
    /// The kernel around it, by position.
    pub kernel: Option<usize>,
    /// Where a called function makes it.
    pub callee: Option<InCallee>,
}

/// Where a called function makes a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InCallee {
    /// The function, and the range of the call, relative to it.
    pub method: MethodId,
    pub range: TextRange,
    /// Whether a block of a kernel in a function makes it.
    pub is_in_kernel: bool,
    /// Whether the function that the body calls returns the call's result.
    pub is_returned: bool,
    /// Whether that function makes the call whenever it is called.
    pub is_certain: bool,
}

/// The positions of a buffer's arguments: the rail, the first index, the number of elements.
pub(super) type BufferArguments = [usize; 3];

impl SlotCall {
    /// The argument with the rank that is sent to.
    pub(super) fn destination(&self) -> Option<&Operand> {
        let sends = matches!(&*self.name, "send" | "asyncSend" | "sendRecv" | "sendRecvReplace");
        self.args.first().filter(|_| sends)
    }

    /// The argument with the rank that is received from.
    pub(super) fn source(&self) -> Option<&Operand> {
        let position = match &*self.name {
            "recv" | "asyncRecv" => 0,
            "sendRecv" => 4,
            "sendRecvReplace" => 1,
            _ => return None,
        };
        self.args.get(position)
    }

    /// The argument with the root of a collective operation.
    pub(super) fn root(&self) -> Option<&Operand> {
        let has_root = matches!(&*self.name, "broadcast" | "gather" | "scatter" | "reduce");
        self.args.first().filter(|_| has_root)
    }

    pub(super) fn sent(&self) -> Option<BufferArguments> {
        match &*self.name {
            "send" | "asyncSend" | "sendRecv" => Some([1, 2, 3]),
            "sendRecvReplace" => Some([2, 3, 4]),
            _ => None,
        }
    }

    pub(super) fn received(&self) -> Option<BufferArguments> {
        match &*self.name {
            "recv" | "asyncRecv" => Some([1, 2, 3]),
            "sendRecv" => Some([5, 6, 7]),
            "sendRecvReplace" => Some([2, 3, 4]),
            _ => None,
        }
    }

    /// The argument with the tag; `None` is tag 0.
    pub(super) fn tag(&self) -> Option<&Operand> {
        let may_have_tag = matches!(&*self.name, "send" | "asyncSend" | "recv" | "asyncRecv");
        self.args.get(4).filter(|_| may_have_tag)
    }

    fn is_collective(&self) -> bool {
        let names =
            ["barrier", "broadcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce"];
        names.contains(&&*self.name)
    }

    /// Whether all slots of the group take part.
    pub(super) fn is_collective_of_group(&self) -> bool {
        self.is_collective() && !self.slot.is_subgroup
    }

    pub(super) fn is_of(&self, group: LocalId, side: Side) -> bool {
        self.slot.group() == Some(group) && self.slot.side() == Some(side)
    }

    /// Whether its expression makes it whenever that is evaluated.
    pub(super) fn is_certain(&self) -> bool {
        self.callee.as_ref().is_none_or(|it| it.is_certain)
    }

    /// Whether a block of a kernel makes it, not an activity.
    pub(super) fn is_of_block(&self) -> bool {
        self.kernel.is_some() || self.callee.as_ref().is_some_and(|it| it.is_in_kernel)
    }
}
