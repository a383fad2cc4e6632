//! Explanation why a struct has no device representation: a field of it refers to an object.

use smol_str::SmolStr;

use crate::diagnostics::article;
use crate::rules::render::RenderContext;
use crate::ty::Ty;

/// How device memory is filled with constants: a note of several rules.
pub(crate) const CONSTANT_RAIL_NOTE: &str = "constant memory is filled from a rail of the host, at the start of the kernel: `val rail = new Rail[T](n, init);` \
                                             before it, and `async at (p) @CUDA { val c = CUDAConstantRail(rail); finish for (block in ...) ... }`";

/// The first field of a struct, nested ones included, that refers to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectReference {
    /// The struct.
    pub ty: Ty,
    /// The fields that lead to it.
    pub path: Vec<SmolStr>,
    /// Its type.
    pub field_type: Ty,
}

impl ObjectReference {
    /// The explanation.
    pub(crate) fn note(&self, cx: &RenderContext<'_>) -> String {
        let (shown, held) = (cx.show_base(self.ty), cx.show_base(self.field_type));
        format!(
            "the struct `{shown}` refers to an object: its field `{}` is {}. Keep that in a `val` of its own, and in the struct what is left",
            self.path.join("."),
            article(&held)
        )
    }
}
