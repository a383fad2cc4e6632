//! Additions to the generated tree: operators, values of literals, names.

mod decl;
mod expr;
mod literal;
mod operator;
mod stmt;
mod traits;

pub(crate) use self::decl::is_keyword_operator;
pub(crate) use self::literal::{parse_int, split_int};

pub use self::decl::{OperatorKind, ThisOperand};
pub use self::expr::OperatorNameKind;
pub use self::literal::{LiteralKind, LiteralValue, NumericSuffix, unescape_char, unescape_string};
pub use self::operator::{AssignOp, BinaryOp, PostfixOp, PrefixOp};
pub use self::traits::{
    HasAnnotations, HasBody, HasDocComments, HasFormals, HasModifiers, HasName, HasTypeParams,
};
