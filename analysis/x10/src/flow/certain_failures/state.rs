//! The abstract state at a point: what is known of variables.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::integer_types::Interval;
use super::value::Value;
use crate::rules::values::{Symbol, Variable};

/// What is known at a point. Copies share their contents until they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// Whether execution can get here.
    pub(super) live: bool,
    /// Whether the iteration under analysis gets here for certain, if none of its statements fails earlier.
    pub(super) is_certain: bool,
    /// Whether code that was called may have thrown an exception.
    pub(super) may_have_left: bool,
    values: Rc<FxHashMap<Symbol, Value>>,
}

impl State {
    /// The state at the start of a body.
    pub(super) fn start() -> State {
        State { live: true, is_certain: true, may_have_left: false, values: Rc::default() }
    }

    /// The state of an unreachable point; the neutral element of [`State::join`].
    pub(super) fn dead() -> State {
        State { live: false, ..State::start() }
    }

    /// The same, reached for certain or not.
    pub(super) fn with_certainty(self, is_certain: bool) -> State {
        State { is_certain, ..self }
    }

    /// What is known of a variable, or of its length.
    pub(super) fn get(&self, symbol: Symbol) -> Option<&Value> {
        self.values.get(&symbol)
    }

    /// Notes what is known of a variable that keeps its value.
    pub(super) fn set(&mut self, symbol: Symbol, value: Value) {
        if value == Value::Unknown {
            if self.values.contains_key(&symbol) {
                Rc::make_mut(&mut self.values).remove(&symbol);
            }
        } else if self.values.get(&symbol) != Some(&value) {
            Rc::make_mut(&mut self.values).insert(symbol, value);
        }
    }

    /// A variable gets another value: what was known of it, and of values relative to it, is gone.
    pub(super) fn forget(&mut self, variable: Variable) {
        let is_gone = |symbol: Symbol| match symbol {
            Symbol::Value(it) | Symbol::Size(it) | Symbol::Length(it) => it == variable,
        };
        let concerns = |(symbol, value): (&Symbol, &Value)| is_gone(*symbol) || value.mentions(&is_gone);
        if !self.values.iter().any(concerns) {
            return;
        }
        let values = Rc::make_mut(&mut self.values);
        values.retain(|symbol, _| !is_gone(*symbol));
        for value in values.values_mut().filter(|it| it.mentions(&is_gone)) {
            *value = value.without(&is_gone);
        }
    }

    /// Forgets the fields of `this`, which is another object from here on.
    pub(super) fn forget_fields(&mut self) {
        let fields: Vec<Variable> = self
            .values
            .keys()
            .map(|symbol| match symbol {
                Symbol::Value(it) | Symbol::Size(it) | Symbol::Length(it) => *it,
            })
            .filter(|it| matches!(it, Variable::Field(_)))
            .collect();
        fields.into_iter().for_each(|field| self.forget(field));
    }

    /// Joins the states of two paths.
    pub(super) fn join(&mut self, other: &State) {
        self.join_with(other, &|_, _, joined| joined);
    }

    /// Joins with a state after a further iteration. `widened` gets the symbol, its interval before and that
    /// of both.
    pub(super) fn join_with(
        &mut self,
        other: &State,
        widened: &dyn Fn(Symbol, Interval, Interval) -> Interval,
    ) {
        if !other.live {
            return;
        }
        if !self.live {
            *self = other.clone();
            return;
        }
        self.is_certain &= other.is_certain;
        self.may_have_left |= other.may_have_left;
        if Rc::ptr_eq(&self.values, &other.values) {
            return;
        }
        let values = Rc::make_mut(&mut self.values);
        values.retain(|symbol, value| {
            let Some(theirs) = other.values.get(symbol) else { return false };
            *value = value.join(theirs, &|before, joined| widened(*symbol, before, joined));
            *value != Value::Unknown
        });
    }
}
