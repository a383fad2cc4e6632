//! The `main` function of a program.

use apg_c_syntax::TextRange;

use crate::Parsed;

/// The range of the `main` function's name, where it is defined.
pub fn main_function(parsed: &Parsed) -> Option<TextRange> {
    let mut functions = parsed.program.functions.iter();
    let main = functions.find(|it| it.name == "main" && it.body.is_some())?;
    parsed.spelled(main.range?)
}
