//! Symbolic integer and Boolean expressions with hash-consing (Ershov, *On programming of arithmetic
//! operations*, CACM 1958; Filliâtre and Conchon, *Type-safe modular hash-consing*, ML 2006).
//!
//! A pool holds each distinct expression once, so that equality is equality of numbers and shared parts are
//! evaluated and printed once. Expressions are simplified as they are built. Truth values are the integers 0
//! and 1. An expression has no value where a part of it overflows 64 bits or divides by zero.

use std::fmt::{self, Write};
use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::affine::Ring;
use crate::operator::{BinaryOp, Comparison};

/// Number of a node in its [`ExprPool`]. Operands have smaller numbers than the nodes that use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// Position of the node in the order of creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An expression of an [`ExprPool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymExpr {
    /// A constant.
    Const(i64),
    /// A node of the pool.
    Node(NodeId),
}

impl SymExpr {
    /// The truth value that always holds.
    pub const TRUE: SymExpr = SymExpr::Const(1);
    /// The truth value that never holds.
    pub const FALSE: SymExpr = SymExpr::Const(0);

    /// The value of a constant.
    pub fn as_constant(self) -> Option<i64> {
        match self {
            SymExpr::Const(value) => Some(value),
            SymExpr::Node(_) => None,
        }
    }
}

/// An expression that is not a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node<S> {
    /// An unknown.
    Symbol(S),
    /// An operation on integers.
    Binary(BinaryOp, [SymExpr; 2]),
    /// The smallest `2^k - 1` that is at least the operand, which is not negative.
    AllOnes(SymExpr),
    /// A comparison.
    Compare(Comparison, [SymExpr; 2]),
    /// Negation of a truth value.
    Not(SymExpr),
    /// Conjunction of at least two truth values.
    All(Box<[SymExpr]>),
    /// Disjunction of at least two truth values.
    Any(Box<[SymExpr]>),
}

impl<S> Node<S> {
    /// The operands.
    pub fn operands(&self) -> &[SymExpr] {
        match self {
            Node::Symbol(_) => &[],
            Node::Binary(_, both) | Node::Compare(_, both) => both,
            Node::AllOnes(a) | Node::Not(a) => std::slice::from_ref(a),
            Node::All(all) | Node::Any(all) => all,
        }
    }
}

/// All distinct expressions over symbols `S` that were built.
#[derive(Clone, Debug)]
pub struct ExprPool<S> {
    nodes: Vec<Node<S>>,
    numbers: FxHashMap<Node<S>, NodeId>,
}

impl<S> Default for ExprPool<S> {
    fn default() -> ExprPool<S> {
        ExprPool { nodes: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<S: Clone + Eq + Hash> ExprPool<S> {
    /// The node with a number.
    pub fn node(&self, id: NodeId) -> &Node<S> {
        &self.nodes[id.index()]
    }

    fn intern(&mut self, node: Node<S>) -> SymExpr {
        let next = NodeId(self.nodes.len() as u32);
        let id = *self.numbers.entry(node).or_insert_with_key(|node| {
            self.nodes.push(node.clone());
            next
        });
        SymExpr::Node(id)
    }

    /// An unknown.
    pub fn symbol(&mut self, symbol: S) -> SymExpr {
        self.intern(Node::Symbol(symbol))
    }

    /// An operation on integers, simplified.
    pub fn binary(&mut self, op: BinaryOp, a: SymExpr, b: SymExpr) -> SymExpr {
        if let (SymExpr::Const(a), SymExpr::Const(b)) = (a, b)
            && let Some(value) = op.apply(a, b)
        {
            return SymExpr::Const(value);
        }
        match simplify_binary(op, a, b) {
            Some(simpler) => simpler,
            None => self.intern(Node::Binary(op, [a, b])),
        }
    }

    /// `a + b`.
    pub fn add(&mut self, a: SymExpr, b: SymExpr) -> SymExpr {
        self.binary(BinaryOp::Add, a, b)
    }

    /// `a - b`.
    pub fn sub(&mut self, a: SymExpr, b: SymExpr) -> SymExpr {
        self.binary(BinaryOp::Sub, a, b)
    }

    /// `a * b`.
    pub fn mul(&mut self, a: SymExpr, b: SymExpr) -> SymExpr {
        self.binary(BinaryOp::Mul, a, b)
    }

    /// `a / b` rounded towards negative infinity.
    pub fn floor_div(&mut self, a: SymExpr, b: SymExpr) -> SymExpr {
        self.binary(BinaryOp::FloorDiv, a, b)
    }

    /// Minimum.
    pub fn min(&mut self, a: SymExpr, b: SymExpr) -> SymExpr {
        self.binary(BinaryOp::Min, a, b)
    }

    /// Maximum.
    pub fn max(&mut self, a: SymExpr, b: SymExpr) -> SymExpr {
        self.binary(BinaryOp::Max, a, b)
    }

    /// The smallest `2^k - 1` that is at least `a`, which is not negative.
    pub fn all_ones(&mut self, a: SymExpr) -> SymExpr {
        match a.as_constant().and_then(all_ones) {
            Some(value) => SymExpr::Const(value),
            None => self.intern(Node::AllOnes(a)),
        }
    }

    /// A comparison, simplified.
    pub fn compare(&mut self, comparison: Comparison, a: SymExpr, b: SymExpr) -> SymExpr {
        match (a, b) {
            (SymExpr::Const(a), SymExpr::Const(b)) => SymExpr::Const(i64::from(comparison.holds(a, b))),
            _ if a == b => SymExpr::Const(i64::from(comparison.is_reflexive())),
            _ => self.intern(Node::Compare(comparison, [a, b])),
        }
    }

    /// Negation of a truth value.
    pub fn not(&mut self, a: SymExpr) -> SymExpr {
        match a {
            SymExpr::Const(value) => SymExpr::Const(i64::from(value == 0)),
            SymExpr::Node(id) => match *self.node(id) {
                Node::Not(inner) => inner,
                Node::Compare(comparison, [a, b]) => self.compare(comparison.negated(), a, b),
                _ => self.intern(Node::Not(a)),
            },
        }
    }

    /// Conjunction of truth values; true without any.
    pub fn all(&mut self, parts: impl IntoIterator<Item = SymExpr>) -> SymExpr {
        let found = self.flatten(parts, SymExpr::FALSE, |node| match node {
            Node::All(inner) => Some(inner),
            _ => None,
        });
        self.join(found, SymExpr::FALSE, Node::All)
    }

    /// Disjunction of truth values; false without any.
    pub fn any(&mut self, parts: impl IntoIterator<Item = SymExpr>) -> SymExpr {
        let found = self.flatten(parts, SymExpr::TRUE, |node| match node {
            Node::Any(inner) => Some(inner),
            _ => None,
        });
        self.join(found, SymExpr::TRUE, Node::Any)
    }

    /// `b` where `a` holds.
    pub fn implies(&mut self, a: SymExpr, b: SymExpr) -> SymExpr {
        let not = self.not(a);
        self.any([not, b])
    }

    /// The distinct parts of a conjunction or disjunction without neutral ones; `None` if a part absorbs all.
    fn flatten(
        &self,
        parts: impl IntoIterator<Item = SymExpr>,
        absorbing: SymExpr,
        nested: impl Fn(&Node<S>) -> Option<&[SymExpr]>,
    ) -> Option<Vec<SymExpr>> {
        let mut found: Vec<SymExpr> = Vec::new();
        let mut seen = FxHashSet::default();
        for part in parts {
            let SymExpr::Node(id) = part else {
                if part == absorbing {
                    return None;
                }
                continue;
            };
            let inner = nested(self.node(id)).unwrap_or(std::slice::from_ref(&part));
            found.extend(inner.iter().filter(|it| seen.insert(**it)));
        }
        Some(found)
    }

    fn join(
        &mut self,
        found: Option<Vec<SymExpr>>,
        absorbing: SymExpr,
        node: fn(Box<[SymExpr]>) -> Node<S>,
    ) -> SymExpr {
        match found.as_deref() {
            None => absorbing,
            Some([]) => SymExpr::Const(i64::from(absorbing == SymExpr::FALSE)),
            Some([only]) => *only,
            Some(all) => self.intern(node(all.into())),
        }
    }

    /// The nodes that expressions consist of, operands before the nodes that use them.
    pub fn reachable(&self, roots: impl IntoIterator<Item = SymExpr>) -> Vec<NodeId> {
        let mut pending: Vec<SymExpr> = roots.into_iter().collect();
        let mut found = FxHashSet::default();
        while let Some(next) = pending.pop() {
            if let SymExpr::Node(id) = next
                && found.insert(id)
            {
                pending.extend(self.node(id).operands());
            }
        }
        let mut found: Vec<NodeId> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    /// The value for given values of symbols; `None` if an unknown value decides it, and where a part that
    /// decides it overflows or divides by zero.
    pub fn evaluate(&self, expr: SymExpr, value_of: &dyn Fn(&S) -> Option<i64>) -> Option<i64> {
        let mut values: FxHashMap<NodeId, Option<i64>> = FxHashMap::default();
        for id in self.reachable([expr]) {
            let of = |expr: &SymExpr| match expr {
                SymExpr::Const(value) => Some(*value),
                SymExpr::Node(id) => values.get(id).copied().flatten(),
            };
            let truth = |all: &[SymExpr], absorbing: bool| {
                let parts: Vec<Option<bool>> = all.iter().map(|it| of(it).map(|it| it != 0)).collect();
                let is_absorbed = parts.contains(&Some(absorbing));
                let is_known = is_absorbed || !parts.contains(&None);
                is_known.then_some(i64::from(is_absorbed == absorbing))
            };
            let value = match self.node(id) {
                Node::Symbol(symbol) => value_of(symbol),
                Node::Binary(op, [a, b]) => of(a).zip(of(b)).and_then(|(a, b)| op.apply(a, b)),
                Node::AllOnes(a) => of(a).and_then(all_ones),
                Node::Compare(op, [a, b]) => of(a).zip(of(b)).map(|(a, b)| i64::from(op.holds(a, b))),
                Node::Not(a) => of(a).map(|it| i64::from(it == 0)),
                Node::All(all) => truth(all, false),
                Node::Any(all) => truth(all, true),
            };
            values.insert(id, value);
        }
        match expr {
            SymExpr::Const(value) => Some(value),
            SymExpr::Node(id) => values.get(&id).copied().flatten(),
        }
    }

    /// Text of an expression, for tests and dumps.
    pub fn display(&self, expr: SymExpr) -> String
    where
        S: fmt::Display,
    {
        let mut text = String::new();
        // Writing to a string cannot fail.
        _ = self.write(expr, &mut text);
        text
    }

    fn write(&self, expr: SymExpr, out: &mut String) -> fmt::Result
    where
        S: fmt::Display,
    {
        let SymExpr::Node(id) = expr else {
            return write!(out, "{}", expr.as_constant().unwrap_or_default());
        };
        let (separator, parts) = match self.node(id) {
            Node::Symbol(symbol) => return write!(out, "{symbol}"),
            Node::Binary(op, both) => (op.symbol(), both.as_slice()),
            Node::Compare(op, both) => (op.symbol(), both.as_slice()),
            Node::All(all) => ("&&", &**all),
            Node::Any(all) => ("||", &**all),
            Node::Not(a) | Node::AllOnes(a) => {
                out.push_str(if matches!(self.node(id), Node::Not(_)) { "!(" } else { "ones(" });
                self.write(*a, out)?;
                out.push(')');
                return Ok(());
            }
        };
        out.push('(');
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                write!(out, " {separator} ")?;
            }
            self.write(*part, out)?;
        }
        out.push(')');
        Ok(())
    }
}

/// The smallest `2^k - 1` that is at least a non-negative number; `None` for others and on overflow.
fn all_ones(value: i64) -> Option<i64> {
    let next = u64::try_from(value).ok()?.checked_add(1)?.checked_next_power_of_two()?;
    i64::try_from(next - 1).ok()
}

/// Algebraic identities.
fn simplify_binary(op: BinaryOp, a: SymExpr, b: SymExpr) -> Option<SymExpr> {
    const ZERO: SymExpr = SymExpr::Const(0);
    const ONE: SymExpr = SymExpr::Const(1);
    Some(match op {
        BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor if a == ZERO => b,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr
            if b == ZERO =>
        {
            a
        }
        BinaryOp::Sub | BinaryOp::Xor if a == b => ZERO,
        BinaryOp::Mul | BinaryOp::And if a == ZERO || b == ZERO => ZERO,
        BinaryOp::Mul if a == ONE => b,
        BinaryOp::Mul | BinaryOp::FloorDiv | BinaryOp::TruncDiv if b == ONE => a,
        BinaryOp::FloorMod | BinaryOp::TruncRem if b == ONE => ZERO,
        BinaryOp::Min | BinaryOp::Max | BinaryOp::And | BinaryOp::Or if a == b => a,
        _ => return None,
    })
}

/// Coefficients that are expressions: arithmetic that overflows has no value, rather than no expression.
impl<S: Clone + Eq + Hash> Ring for ExprPool<S> {
    type Element = SymExpr;

    fn integer(&mut self, value: i64) -> SymExpr {
        SymExpr::Const(value)
    }

    fn is_zero(&self, value: &SymExpr) -> bool {
        *value == SymExpr::Const(0)
    }

    fn add(&mut self, a: &SymExpr, b: &SymExpr) -> Option<SymExpr> {
        Some(ExprPool::add(self, *a, *b))
    }

    fn mul(&mut self, a: &SymExpr, b: &SymExpr) -> Option<SymExpr> {
        Some(ExprPool::mul(self, *a, *b))
    }
}
