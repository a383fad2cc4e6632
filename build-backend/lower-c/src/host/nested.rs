//! Directives in functions that are defined in functions (GNU C): bodies of such functions are not lowered.

use apg_c_analysis::Parsed;
use apg_c_syntax::Family;
use apg_c_syntax::ast::{self, AstNode};

use crate::unsupported::Unsupported;

/// Directives about devices in functions of functions, which would stay with the C compiler: it knows nothing
/// of the data that the runtime has on devices.
pub(super) fn directives(parsed: &Parsed) -> Vec<Unsupported> {
    if !parsed.program.functions.iter().any(|it| it.is_nested) {
        return Vec::new();
    }
    let root = parsed.syntax.main.syntax();
    let is_nested = |it: &ast::Directive| {
        it.syntax().ancestors().filter(|it| ast::FunctionDef::can_cast(it.kind())).count() > 1
    };
    let is_of_device = |it: &ast::Directive| {
        it.family() == Family::OpenMp && it.name().split_whitespace().any(|it| it == "target")
    };
    let directives = root.descendants().filter_map(ast::Directive::cast);
    let found = directives.filter(|it| is_of_device(it) && is_nested(it));
    let error = |it: ast::Directive| Unsupported {
        range: it.range(),
        message: format!("`{}` is in a function that is defined in another function", it.name()),
        advice: "move the function out of the other one".to_owned(),
    };
    found.map(error).collect()
}
