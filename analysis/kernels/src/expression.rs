//! Integer and Boolean expressions of a kernel, and their symbolic values in a scope (symbolic evaluation:
//! Cheatham, Holloway and Townley, IEEE TSE 1979).

use std::cell::Cell;
use std::rc::Rc;

use crate::condition::Condition;
use crate::index::{self, Index, Operator};
use crate::{Values, Variable};

/// Maximum number of nodes visited for one value, including those of definitions it refers to.
const MAX_VISITED: u32 = 200;

/// An expression of a thread. `V` names variables, `S` sites of the source. Integers have values in a scope;
/// of others only is known what they are computed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr<V, S> {
    /// A number.
    Constant(i64),
    /// A variable; and its value, if that is a constant of the program.
    Variable(V, Option<i64>),
    /// A binary operation on numbers.
    Binary(Operator, Box<Expr<V, S>>, Box<Expr<V, S>>),
    /// One of two values.
    Select(Box<Test<V, S>>, Box<Expr<V, S>>, Box<Expr<V, S>>),
    /// A conversion to an integer type.
    Convert(IntegerType, Box<Expr<V, S>>),
    /// A number that is known not to be negative.
    Natural(Box<Expr<V, S>>),
    /// A truth value.
    Truth(Box<Test<V, S>>),
    /// An element in memory, found by these values: an array and an index.
    Load(Vec<Expr<V, S>>),
    /// The result of an unknown function of these values, the same in all threads that call it with the same
    /// values.
    Function(Vec<Expr<V, S>>),
    /// A value of which only is known which threads agree on it.
    Opaque(Spread),
    /// An expression that results refer to by its site.
    Located(S, Box<Expr<V, S>>),
    /// A value of which nothing is known.
    Unknown,
}

/// How a value is spread over the threads of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// All threads of a block have the same one.
    Uniform,
    /// All threads of a warp have the same one.
    Warp,
    /// The rank of the thread in its block, or its remainder by a multiple of the size of a warp.
    Rank,
    /// Any value in any thread.
    Varying,
}

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerType {
    /// The number of bits of a value.
    pub bits: u32,
    /// Whether values may be negative.
    pub is_signed: bool,
}

impl IntegerType {
    /// Whether it holds the indices of elements, of which overflow is not considered.
    pub fn is_wide(self) -> bool {
        self.bits >= 32
    }
}

/// A Boolean expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test<V, S> {
    /// A truth value.
    Literal(bool),
    /// A variable.
    Variable(V),
    /// The first value is less than the second.
    Less(Expr<V, S>, Expr<V, S>),
    /// Both values are equal.
    Equal(Expr<V, S>, Expr<V, S>),
    /// All hold.
    All(Vec<Test<V, S>>),
    /// It does not hold.
    Not(Box<Test<V, S>>),
    /// The result of an unknown function of these values.
    Function(Vec<Expr<V, S>>),
    /// A truth value of which nothing is known.
    Unknown,
}

impl<V: Copy, S> Expr<V, S> {
    /// Calls `visit` for all variables.
    pub fn for_each_variable(&self, visit: &mut dyn FnMut(V)) {
        match self {
            Expr::Variable(variable, _) => visit(*variable),
            Expr::Binary(_, left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
            Expr::Select(test, then, otherwise) => {
                test.for_each_variable(visit);
                then.for_each_variable(visit);
                otherwise.for_each_variable(visit);
            }
            Expr::Convert(_, it) | Expr::Natural(it) | Expr::Located(_, it) => it.for_each_variable(visit),
            Expr::Truth(it) => it.for_each_variable(visit),
            Expr::Load(all) | Expr::Function(all) => all.iter().for_each(|it| it.for_each_variable(visit)),
            Expr::Constant(_) | Expr::Opaque(_) | Expr::Unknown => {}
        }
    }

    /// Whether the value is computed from variables, without memory and operations of which nothing is known.
    pub(crate) fn is_computed(&self) -> bool {
        match self {
            Expr::Constant(_) | Expr::Variable(..) => true,
            Expr::Binary(_, left, right) => left.is_computed() && right.is_computed(),
            Expr::Select(test, then, otherwise) => {
                test.is_computed() && then.is_computed() && otherwise.is_computed()
            }
            Expr::Convert(_, it) | Expr::Natural(it) | Expr::Located(_, it) => it.is_computed(),
            Expr::Truth(it) => it.is_computed(),
            Expr::Function(all) => all.iter().all(Expr::is_computed),
            Expr::Load(_) | Expr::Opaque(_) | Expr::Unknown => false,
        }
    }
}

impl<V: Copy, S> Test<V, S> {
    /// Calls `visit` for all variables.
    pub fn for_each_variable(&self, visit: &mut dyn FnMut(V)) {
        match self {
            Test::Variable(variable) => visit(*variable),
            Test::Less(left, right) | Test::Equal(left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
            Test::All(all) => all.iter().for_each(|it| it.for_each_variable(visit)),
            Test::Not(it) => it.for_each_variable(visit),
            Test::Function(all) => all.iter().for_each(|it| it.for_each_variable(visit)),
            Test::Literal(_) | Test::Unknown => {}
        }
    }

    /// Whether the value is computed from variables, without memory and operations of which nothing is known.
    pub(crate) fn is_computed(&self) -> bool {
        match self {
            Test::Literal(_) | Test::Variable(_) => true,
            Test::Less(left, right) | Test::Equal(left, right) => left.is_computed() && right.is_computed(),
            Test::All(all) => all.iter().all(Test::is_computed),
            Test::Not(it) => it.is_computed(),
            Test::Function(all) => all.iter().all(Expr::is_computed),
            Test::Unknown => false,
        }
    }

    /// The test that holds where this one does not.
    #[must_use]
    pub fn negated(self) -> Test<V, S> {
        match self {
            Test::Not(it) => *it,
            it => Test::Not(Box::new(it)),
        }
    }

    /// A test that holds if one of some tests does.
    pub fn any(tests: Vec<Test<V, S>>) -> Test<V, S> {
        Test::All(tests.into_iter().map(Test::negated).collect()).negated()
    }
}

/// The definitions of variables that are assigned once.
pub trait Definitions<V, S> {
    /// The integer that defines a variable.
    fn integer(&self, variable: V) -> Option<Rc<Expr<V, S>>>;
    /// The truth value that defines a variable.
    fn test(&self, variable: V) -> Option<Rc<Test<V, S>>>;
}

/// The variables that values may contain at a point of the code.
pub struct Scope<'s, V, S> {
    /// Whether a variable may be a symbol of the value.
    pub is_symbol: &'s dyn Fn(V) -> bool,
    /// Whether a symbol is never negative.
    pub is_non_negative: &'s dyn Fn(V) -> bool,
    /// Known values of variables at this point.
    pub values: &'s Values<V>,
    /// Definitions, which replace variables that are no symbols.
    pub definitions: &'s dyn Definitions<V, S>,
}

impl<V: Variable, S> Scope<'_, V, S> {
    /// The value of an integer expression; `None` if it is not known.
    pub fn index(&self, expr: &Expr<V, S>) -> Option<Index<V>> {
        Evaluator { scope: self, fuel: Cell::new(MAX_VISITED) }.integer(expr, self.values)
    }

    /// The condition that a Boolean expression stands for; `None` if it is not known.
    pub fn condition(&self, test: &Test<V, S>) -> Option<Condition<V>> {
        Evaluator { scope: self, fuel: Cell::new(MAX_VISITED) }.condition(test, self.values)
    }
}

struct Evaluator<'e, 's, V, S> {
    scope: &'e Scope<'s, V, S>,
    /// Number of nodes that may still be visited.
    fuel: Cell<u32>,
}

impl<V: Variable, S> Evaluator<'_, '_, V, S> {
    fn integer(&self, expr: &Expr<V, S>, values: &Values<V>) -> Option<Index<V>> {
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        match expr {
            Expr::Constant(value) => Some(Index::from_constant(*value)),
            Expr::Variable(variable, constant) => {
                if let Some(value) = values.get(variable) {
                    return Some(value.clone());
                }
                if (self.scope.is_symbol)(*variable) {
                    return Some(constant.map_or_else(|| index::variable(*variable), Index::from_constant));
                }
                // Variables may have had other values at the definition.
                self.integer(&*self.scope.definitions.integer(*variable)?, &Values::default())
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.integer(left, values)?, self.integer(right, values)?);
                index::binary(*op, left, right, self.scope.is_non_negative)
            }
            Expr::Select(test, then, otherwise) => {
                let condition = self.condition(test, values)?;
                match condition.evaluate(&|_| None) {
                    Some(true) => self.integer(then, values),
                    Some(false) => self.integer(otherwise, values),
                    None => {
                        let (then, otherwise) =
                            (self.integer(then, values)?, self.integer(otherwise, values)?);
                        Some(index::select(condition, then, otherwise))
                    }
                }
            }
            Expr::Convert(ty, it) => self.integer(it, values).filter(|_| ty.is_wide()),
            Expr::Natural(it) | Expr::Located(_, it) => self.integer(it, values),
            Expr::Truth(_) | Expr::Load(_) | Expr::Function(_) | Expr::Opaque(_) | Expr::Unknown => None,
        }
    }

    fn condition(&self, test: &Test<V, S>, values: &Values<V>) -> Option<Condition<V>> {
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        let of = |expr: &Expr<V, S>| self.integer(expr, values);
        match test {
            Test::Literal(value) => Some(Condition::Literal(*value)),
            Test::Variable(variable) => {
                self.condition(&*self.scope.definitions.test(*variable)?, &Values::default())
            }
            Test::Less(left, right) => Some(Condition::Less(of(left)?, of(right)?)),
            Test::Equal(left, right) => Some(Condition::Equal(of(left)?, of(right)?)),
            Test::All(all) => {
                let all: Option<Vec<_>> = all.iter().map(|it| self.condition(it, values)).collect();
                all.map(Condition::All)
            }
            Test::Not(it) => self.condition(it, values).map(Condition::negated),
            Test::Function(_) | Test::Unknown => None,
        }
    }
}
