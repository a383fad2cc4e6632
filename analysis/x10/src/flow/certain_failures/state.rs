//! The abstract state at a point: what is known of variables.

use std::rc::Rc;

use salsa::plumbing::AsId;

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
    values: Rc<Values>,
}

/// What is known of each symbol, in the order of [`position_key`]: they are few, and are copied and compared
/// more often than they are looked up.
type Values = Vec<(Symbol, Value)>;

/// The place of a symbol among others.
fn position_key(symbol: Symbol) -> (u8, u64) {
    let kind = match symbol {
        Symbol::Value(_) => 0,
        Symbol::Size(_) => 2,
        Symbol::Length(_) => 4,
    };
    match symbol.variable() {
        Variable::Local(local) => (kind, local.0.into()),
        Variable::Field(field) => (kind + 1, field.as_id().as_bits()),
    }
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
        self.find(symbol).ok().map(|it| &self.values[it].1)
    }

    /// The index of a symbol, or, if nothing is known of it, the index to insert it at.
    fn find(&self, symbol: Symbol) -> Result<usize, usize> {
        let key = position_key(symbol);
        self.values.binary_search_by(|it| position_key(it.0).cmp(&key))
    }

    /// Whether anything is known of a variable, or relative to it.
    pub(super) fn knows(&self, variable: Variable) -> bool {
        let is_it = |symbol: Symbol| symbol.variable() == variable;
        self.values.iter().any(|(symbol, value)| is_it(*symbol) || value.mentions(&is_it))
    }

    /// Notes what is known of a variable that keeps its value.
    pub(super) fn set(&mut self, symbol: Symbol, value: Value) {
        match (self.find(symbol), value) {
            (Ok(index), Value::Unknown) => {
                Rc::make_mut(&mut self.values).remove(index);
            }
            (Err(_), Value::Unknown) => {}
            (Ok(index), value) if self.values[index].1 == value => {}
            (Ok(index), value) => Rc::make_mut(&mut self.values)[index].1 = value,
            (Err(index), value) => Rc::make_mut(&mut self.values).insert(index, (symbol, value)),
        }
    }

    /// A variable gets another value: what was known of it, and of values relative to it, is gone.
    pub(super) fn forget(&mut self, variable: Variable) {
        if !self.knows(variable) {
            return;
        }
        let is_gone = |symbol: Symbol| symbol.variable() == variable;
        let values = Rc::make_mut(&mut self.values);
        values.retain(|(symbol, _)| !is_gone(*symbol));
        for (_, value) in values.iter_mut().filter(|(_, it)| it.mentions(&is_gone)) {
            *value = value.without(&is_gone);
        }
    }

    /// Forgets the fields of `this`, which is another object from here on.
    pub(super) fn forget_fields(&mut self) {
        let fields: Vec<Variable> = self
            .values
            .iter()
            .map(|(symbol, _)| symbol.variable())
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
        let mut others = other.values.iter().peekable();
        values.retain_mut(|(symbol, value)| {
            let key = position_key(*symbol);
            while others.next_if(|it| position_key(it.0) < key).is_some() {}
            let Some((_, theirs)) = others.next_if(|it| it.0 == *symbol) else { return false };
            if value != theirs {
                *value = value.join(theirs, &|before, joined| widened(*symbol, before, joined));
            }
            *value != Value::Unknown
        });
    }
}
