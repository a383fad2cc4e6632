//! Conditional compilation: `@Ifdef` and `@Ifndef` exclude declarations and statements that are for other
//! back ends.

use apg_syntax::ast::{self, HasAnnotations};

/// The defined macros. `__CPP__` because programs are compiled to C++.
const MACROS: &[&str] = &["__CPP__"];

/// Whether `@Ifdef` or `@Ifndef` excludes a declaration or statement: a macro of an `@Ifndef` is defined, or
/// there are `@Ifdef`s and none of their macros is defined.
pub(crate) fn is_left_out(node: &impl HasAnnotations) -> bool {
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
