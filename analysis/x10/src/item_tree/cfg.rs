//! Declarations and statements that are for other back ends: `@Ifdef` and `@Ifndef` take them out of the
//! program.

use apg_syntax::ast::{self, HasAnnotations};

/// The macros that are defined: programs become C++.
const MACROS: &[&str] = &["__CPP__"];

/// Whether `@Ifdef` or `@Ifndef` takes a declaration or statement out of the program: one of the macros of
/// `@Ifndef` is defined, or none of those of `@Ifdef`.
pub fn is_left_out(node: &impl HasAnnotations) -> bool {
    let mut wanted = false;
    let mut found = false;
    for annotation in node.annotations() {
        let is_ifdef = match annotation.simple_name().as_deref() {
            Some("Ifdef") => true,
            Some("Ifndef") => false,
            _ => continue,
        };
        let args = annotation.arg_list().into_iter().flat_map(|list| list.exprs());
        let defined = args.into_iter().any(|arg| match arg {
            ast::Expr::Literal(literal) => matches!(
                literal.value(),
                Some(ast::LiteralValue::String(text)) if MACROS.contains(&text.as_str())
            ),
            _ => false,
        });
        match (is_ifdef, defined) {
            (false, true) => return true,
            (false, false) => {}
            (true, _) => {
                wanted = true;
                found |= defined;
            }
        }
    }
    wanted && !found
}
