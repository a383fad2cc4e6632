//! Prints the functions that kernels call.

use crate::code::Code;
use apg_mir::*;
use apg_passes::analysis::ranges::analyse_function;

/// Prints the functions that the kernels call, directly or indirectly, with prototypes in front.
pub(super) fn print_device_functions(code: &mut Code<'_>, storage: &str) -> String {
    let mut done: Vec<FunctionId> = Vec::new();
    let mut bodies = String::new();
    while let Some(id) = code.used.device_functions.iter().copied().find(|it| !done.contains(it)) {
        done.push(id);
        let function = &code.program.functions[id.index()];
        code.forget_expressions();
        if !code.program.unchecked && !walk::has_goto(&function.body) {
            code.check_elimination = analyse_function(function).check_elimination;
        }
        code.function(id, storage);
        bodies.push_str(&code.out.take());
    }
    done.sort();
    for id in done {
        let prototype = code.prototype(id);
        code.out.line(format!("{storage}{prototype};"));
    }
    let prototypes = code.out.take();
    prototypes + &bodies
}
