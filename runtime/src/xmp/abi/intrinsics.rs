//! Intrinsic functions.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use super::declare::array_state;
use super::run;
use crate::xmp::error::{Result, XmpError};
use crate::xmp::intrinsics::{self, View};
use crate::xmp::layout::{self, list};

/// The array of a descriptor.
///
/// # Safety
/// A descriptor of the program, or null.
unsafe fn view(descriptor: *mut c_void) -> Result<View> {
    let array = descriptor.cast::<layout::Array>();
    // SAFETY: the caller's.
    unsafe {
        let state = array_state(array)?;
        let declaration = Arc::clone(&state.placed()?.declaration);
        Ok(View { declaration, element: state.element, memory: (*array).address.cast() })
    }
}

/// `which` is one of `APG_XMP_TRANSPOSE` and so on; the arrays are the arguments in their order.
pub(super) extern "C" fn intrinsic(which: c_int, descriptors: *const *mut c_void, count: c_int) {
    run(std::ptr::null(), |node| {
        // SAFETY: a list of descriptors of the program.
        unsafe {
            let descriptors = list(descriptors, count.max(0) as usize);
            let last_is_null = descriptors.last().is_some_and(|it| it.is_null());
            let given = &descriptors[..descriptors.len() - usize::from(last_is_null)];
            let views = given.iter().map(|it| view(*it)).collect::<Result<Vec<_>>>()?;
            match (which, &views[..]) {
                (0, [to, from]) => intrinsics::transpose(node, to, from),
                (1, [x, a, b]) => intrinsics::multiply_matrices(node, x, a, b),
                (2, [from, to]) => intrinsics::sort(node, from, to, true),
                (3, [from, to]) => intrinsics::sort(node, from, to, false),
                (4, [x, a, indices @ ..]) => intrinsics::gather(node, x, a, indices),
                (5, [x, a, indices @ ..]) => intrinsics::scatter(node, x, a, indices),
                (6, [v, a, mask @ ..]) => intrinsics::pack(node, v, a, mask.first()),
                (7, [a, v, mask @ ..]) => intrinsics::unpack(node, a, v, mask.first()),
                _ => Err(XmpError::new("an intrinsic function is called without its arrays")),
            }
        }
    });
}
