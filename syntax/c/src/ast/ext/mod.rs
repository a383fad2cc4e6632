//! Additions to the generated tree: operators, values, and directives with their names.

mod directive;
mod expr;

pub use self::directive::ClauseList;
