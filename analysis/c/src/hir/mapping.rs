//! What directives of XcalableMP name: nodes, templates and arrays, with subscripts (specification 1.4,
//! chapter 4).

use apg_c_syntax::TextRange;
use smol_str::SmolStr;

use super::ids::{ExprId, VariableId};

/// `p(1:4)`, `t[i]`, `a[*][i+1]`; subscripts alone have no name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The name; empty if there is none.
    pub name: SmolStr,
    /// The name, or all of it.
    pub name_range: TextRange,
    /// The object that the name refers to.
    pub variable: Option<VariableId>,
    /// How the subscripts are written; `None` without subscripts.
    pub spelling: Option<Spelling>,
    /// The subscripts as they are written.
    pub subscripts: Vec<Subscript>,
    /// Its position in the directive.
    pub role: Role,
}

/// How subscripts are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Up to version 1.2: `t(1:n)` has a lower and an upper bound, `t(n)` starts at 1, the first axis varies
    /// fastest.
    Parentheses,
    /// From version 1.3 on: `t[0:n]` has a base and a length, `t[n]` starts at 0, the last axis varies
    /// fastest.
    Brackets,
}

/// The position of a reference in a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// In the list after the directive's name, or in a clause.
    Plain,
    /// After `::`: what gets the attributes that are written before.
    Subject,
    /// After `=`: the nodes that others are a part of.
    Source,
}

/// A subscript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscript {
    /// What it is.
    pub kind: SubscriptKind,
    /// Its text without blanks.
    pub text: SmolStr,
    /// Where it is.
    pub range: TextRange,
}

/// What a subscript is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptKind {
    /// `*`
    Star,
    /// `i`, `i + 1`, `block`, `cyclic(2)`.
    Expr(ExprId),
    /// `1:n`, `:n`, `:`.
    Bounds(Option<ExprId>, Option<ExprId>),
    /// Nothing: the parser has reported it.
    Missing,
}

impl Subscript {
    /// Its expressions: the index, or the bounds that are written.
    pub fn values(&self) -> impl Iterator<Item = ExprId> + use<> {
        let values = match self.kind {
            SubscriptKind::Expr(it) => [Some(it), None],
            SubscriptKind::Bounds(low, high) => [low, high],
            SubscriptKind::Star | SubscriptKind::Missing => [None, None],
        };
        values.into_iter().flatten()
    }
}

impl Spelling {
    /// The word for it.
    pub fn text(self) -> &'static str {
        match self {
            Spelling::Parentheses => "parentheses",
            Spelling::Brackets => "brackets",
        }
    }

    /// The first index of an axis that is declared by its size.
    pub fn first_index(self) -> i128 {
        match self {
            Spelling::Parentheses => 1,
            Spelling::Brackets => 0,
        }
    }
}
