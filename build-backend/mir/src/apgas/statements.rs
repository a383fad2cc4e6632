//! Parts of statements of activities.

use crate::{Expr, Stmt};

/// A guard of a `when`.
#[derive(Clone, Debug, PartialEq)]
pub struct WhenBranch {
    /// Run before the guard's value is read, each time.
    pub setup: Vec<Stmt>,
    /// The guard.
    pub condition: Expr,
    /// Code.
    pub body: Vec<Stmt>,
}

/// Clocks of a new activity.
#[derive(Clone, Debug, PartialEq)]
pub enum Clocks {
    /// None.
    None,
    /// None, and no finish waits for the activity.
    Uncounted,
    /// The innermost clocked finish's.
    Implicit,
    /// These.
    Listed(Vec<Expr>),
}
