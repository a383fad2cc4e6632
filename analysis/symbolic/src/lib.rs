//! Symbolic analyses that compilers of any language share: affine forms, value ranges and dependence
//! tests.
//!
//! Nothing here knows a source language, an intermediate representation or a query system. A client names its
//! unknowns by a symbol type of its own, translates its expressions, and asks.
//!
//! | module | domain | reference |
//! |---|---|---|
//! | [`affine`] | linear combinations of symbols | Feautrier 1991 |
//! | [`slope`] | affine forms with unknown coefficients | Bachmann, Wang and Zima 1994 |
//! | [`expression`] | hash-consed integer and Boolean expressions | Ershov 1958 |
//! | [`interval`] | intervals | Cousot and Cousot 1977 |
//! | [`congruence`] | residue classes | Granger 1989 |
//! | [`value_range`] | reduced product of both | Cousot and Cousot 1979 |
//! | [`dependence`] | whether two accesses touch one element | Banerjee 1988, Pugh 1991 |

pub mod affine;
pub mod congruence;
pub mod dependence;
pub mod expression;
pub mod integer;
pub mod interval;
pub mod operator;
pub mod slope;
pub mod symbolic_range;
pub mod value_range;

pub use affine::Affine;
pub use congruence::Congruence;
pub use dependence::{Dependence, System};
pub use expression::{ExprPool, SymExpr};
pub use interval::Interval;
pub use operator::{BinaryOp, Comparison};
pub use slope::{LinearForm, Slope};
pub use symbolic_range::SymRange;
pub use value_range::ValueRange;
