//! Integer and Boolean expressions of a kernel, and their symbolic values in a scope (symbolic evaluation:
//! Cheatham, Holloway and Townley, IEEE TSE 1979).

use std::cell::Cell;
use std::rc::Rc;

use crate::condition::Condition;
use crate::index::{self, Index, Operator};
use crate::{Values, Variable};

/// Maximum number of nodes visited for one value, including those of definitions it refers to.
const MAX_VISITED: u32 = 200;

/// An integer expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr<V> {
    /// A number.
    Constant(i64),
    /// A variable; and its value, if that is a constant of the program.
    Variable(V, Option<i64>),
    /// A binary operation.
    Binary(Operator, Box<Expr<V>>, Box<Expr<V>>),
    /// One of two values.
    Select(Box<Test<V>>, Box<Expr<V>>, Box<Expr<V>>),
    /// A value of which nothing is known.
    Unknown,
}

/// A Boolean expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test<V> {
    /// A truth value.
    Literal(bool),
    /// A variable.
    Variable(V),
    /// The first value is less than the second.
    Less(Expr<V>, Expr<V>),
    /// Both values are equal.
    Equal(Expr<V>, Expr<V>),
    /// All hold.
    All(Vec<Test<V>>),
    /// It does not hold.
    Not(Box<Test<V>>),
    /// A truth value of which nothing is known.
    Unknown,
}

impl<V: Copy> Expr<V> {
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
            Expr::Constant(_) | Expr::Unknown => {}
        }
    }
}

impl<V: Copy> Test<V> {
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
            Test::Literal(_) | Test::Unknown => {}
        }
    }

    /// The test that holds where this one does not.
    #[must_use]
    pub fn negated(self) -> Test<V> {
        match self {
            Test::Not(it) => *it,
            it => Test::Not(Box::new(it)),
        }
    }

    /// A test that holds if one of some tests does.
    pub fn any(tests: Vec<Test<V>>) -> Test<V> {
        Test::All(tests.into_iter().map(Test::negated).collect()).negated()
    }
}

/// The definitions of variables that are assigned once.
pub trait Definitions<V> {
    /// The integer that defines a variable.
    fn integer(&self, variable: V) -> Option<Rc<Expr<V>>>;
    /// The truth value that defines a variable.
    fn test(&self, variable: V) -> Option<Rc<Test<V>>>;
}

/// The variables that values may contain at a point of the code.
pub struct Scope<'s, V> {
    /// Whether a variable may be a symbol of the value.
    pub is_symbol: &'s dyn Fn(V) -> bool,
    /// Whether a symbol is never negative.
    pub is_non_negative: &'s dyn Fn(V) -> bool,
    /// Known values of variables at this point.
    pub values: &'s Values<V>,
    /// Definitions, which replace variables that are no symbols.
    pub definitions: &'s dyn Definitions<V>,
}

impl<V: Variable> Scope<'_, V> {
    /// The value of an integer expression; `None` if it is not known.
    pub fn index(&self, expr: &Expr<V>) -> Option<Index<V>> {
        Evaluator { scope: self, fuel: Cell::new(MAX_VISITED) }.integer(expr, self.values)
    }

    /// The condition that a Boolean expression stands for; `None` if it is not known.
    pub fn condition(&self, test: &Test<V>) -> Option<Condition<V>> {
        Evaluator { scope: self, fuel: Cell::new(MAX_VISITED) }.condition(test, self.values)
    }
}

struct Evaluator<'e, 's, V> {
    scope: &'e Scope<'s, V>,
    /// Number of nodes that may still be visited.
    fuel: Cell<u32>,
}

impl<V: Variable> Evaluator<'_, '_, V> {
    fn integer(&self, expr: &Expr<V>, values: &Values<V>) -> Option<Index<V>> {
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
            Expr::Unknown => None,
        }
    }

    fn condition(&self, test: &Test<V>, values: &Values<V>) -> Option<Condition<V>> {
        self.fuel.set(self.fuel.get().checked_sub(1)?);
        let of = |expr: &Expr<V>| self.integer(expr, values);
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
            Test::Unknown => None,
        }
    }
}
