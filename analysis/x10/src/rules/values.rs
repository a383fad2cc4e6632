//! Values that an abstract interpretation of code finds, and their words.

use apg_syntax::TextRange;

use super::render::RenderContext;
use crate::body::LocalId;
use crate::diagnostics::Diagnostic;
use crate::ids::FieldId;

/// A variable or field of `this`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// A local.
    Local(LocalId),
    /// A field of `this`.
    Field(FieldId),
}

/// An integer that has one unknown value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// The value of a variable.
    Value(Variable),
    /// The number of elements of a rail.
    Size(Variable),
    /// The length of a string.
    Length(Variable),
}

/// What is known of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// It has this value.
    Exactly(i128),
    /// It is between two values, both included.
    Between(i128, i128),
    /// It is `symbol + offset`.
    Offset(Symbol, i64),
    /// It is `symbol + offset` or greater.
    AtLeastOffset(Symbol, i64),
}

/// Which executions of a point a statement about values holds for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// All of them.
    Always,
    /// Those of one iteration of each of these loops, outermost first.
    Iterations(Vec<Iteration>),
}

/// One iteration of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// Variables of the loop and their values.
    pub variables: Vec<(LocalId, Amount)>,
    /// Which one.
    pub kind: IterationKind,
    /// The last value of the variable as written, in a range from a first to a last one.
    pub last: Option<TextRange>,
}

/// Which iteration of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IterationKind {
    /// The first.
    First,
    /// The last.
    Last,
    /// That of one activity of a loop of activities: a thread of a kernel, or a block.
    Activity,
}

impl Variable {
    /// The name.
    pub fn name(self, cx: &RenderContext<'_>) -> String {
        match self {
            Variable::Local(local) => cx.local_name(local).to_owned(),
            Variable::Field(field) => field.name(cx.db).to_string(),
        }
    }
}

impl Symbol {
    /// The variable that it is of.
    pub fn variable(self) -> Variable {
        match self {
            Symbol::Value(it) | Symbol::Size(it) | Symbol::Length(it) => it,
        }
    }

    /// As an expression.
    pub fn show(self, cx: &RenderContext<'_>) -> String {
        match self {
            Symbol::Value(variable) => variable.name(cx),
            Symbol::Size(variable) => format!("{}.size", variable.name(cx)),
            Symbol::Length(variable) => format!("{}.length()", variable.name(cx)),
        }
    }

    /// `symbol + offset`.
    pub fn show_sum(self, offset: i64, cx: &RenderContext<'_>) -> String {
        let symbol = self.show(cx);
        match offset {
            0 => symbol,
            1.. => format!("{symbol} + {offset}"),
            _ => format!("{symbol} - {}", offset.unsigned_abs()),
        }
    }
}

impl Amount {
    /// As a noun: `10`, `at least 10`, `` `n + 1` ``.
    pub fn show(self, cx: &RenderContext<'_>) -> String {
        match self {
            Amount::Exactly(value) => value.to_string(),
            Amount::Between(low, high) if high == i128::from(i64::MAX) || high == i128::from(i32::MAX) => {
                format!("at least {low}")
            }
            Amount::Between(low, high) if low == i128::from(i64::MIN) || low == i128::from(i32::MIN) => {
                format!("at most {high}")
            }
            Amount::Between(low, high) => format!("between {low} and {high}"),
            Amount::Offset(symbol, offset) => format!("`{}`", symbol.show_sum(offset, cx)),
            Amount::AtLeastOffset(symbol, offset) => {
                format!("at least `{}`", symbol.show_sum(offset, cx))
            }
        }
    }
}

impl Occasion {
    /// The end of a message: ` in the last iteration, where `i` is 10`; empty for all executions.
    pub fn show(&self, cx: &RenderContext<'_>) -> String {
        let Occasion::Iterations(iterations) = self else { return String::new() };
        let values: Vec<String> = iterations
            .iter()
            .flat_map(|it| &it.variables)
            .map(|(local, amount)| format!("`{}` is {}", cx.local_name(*local), amount.show(cx)))
            .collect();
        let kind = iterations.last().map_or(IterationKind::First, |it| it.kind);
        let place = match kind {
            IterationKind::First => " in the first iteration",
            IterationKind::Last => " in the last iteration",
            IterationKind::Activity => " in the activity",
        };
        match (&values[..], kind) {
            ([], _) => place.to_owned(),
            (_, IterationKind::Activity) => format!(" where {}", values.join(" and ")),
            _ => format!("{place}, where {}", values.join(" and ")),
        }
    }
}

/// Adds where a value comes from to a diagnostic, unless it is the place of the diagnostic itself.
pub fn with_origin(
    diagnostic: Diagnostic,
    origin: Option<TextRange>,
    words: &str,
    cx: &RenderContext<'_>,
) -> Diagnostic {
    match origin.filter(|origin| !diagnostic.range.contains_range(*origin)) {
        Some(origin) => diagnostic.related(cx.related(origin, words)),
        None => diagnostic,
    }
}
