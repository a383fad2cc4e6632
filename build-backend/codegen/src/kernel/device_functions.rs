//! Prints the functions that kernels call.

use crate::code::{Code, Target};
use apg_mir::*;
use apg_passes::analysis::ranges::analyse_function;

/// Prints the functions that the kernels call, directly or indirectly, with prototypes in front.
pub(super) fn print_device_functions(code: &mut Code<'_>, storage: &str) -> String {
    let mut done: Vec<FunctionId> = Vec::new();
    let (mut bodies, mut constants) = (String::new(), String::new());
    loop {
        print_bodies(code, storage, &mut done, &mut bodies);
        // Constants name further functions.
        if code.target == Target::Cuda {
            constants = code.device_constants();
        }
        if code.used.device_functions.iter().all(|it| done.contains(it)) {
            break;
        }
    }
    done.sort();
    for id in done {
        let prototype = code.prototype(id);
        code.out.line(format!("{storage}{prototype};"));
    }
    let prototypes = code.out.take();
    prototypes + &constants + &bodies
}

/// Prints the functions that are used, and not printed yet.
fn print_bodies(code: &mut Code<'_>, storage: &str, done: &mut Vec<FunctionId>, bodies: &mut String) {
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
}
