//! Typed syntax tree: every node of `c.ungram` as a type with accessors of its parts. Any part may be absent
//! in a program with errors. `generated` is made from the grammar, `ext` adds what the grammar cannot
//! express.

mod ext;
mod generated;
mod node;
pub mod support;

pub use self::ext::*;
pub use self::generated::*;
pub use self::node::AstNode;
pub use self::support::AstChildren;
