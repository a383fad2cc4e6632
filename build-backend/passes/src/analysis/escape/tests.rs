//! Summaries against executions of random programs on small heaps.

use std::fmt::Write;

use apg_mir::text;
use proptest::prelude::*;

use super::analyze_escapes;

/// Number of functions of a program; each has two parameters.
const FUNCTIONS: usize = 3;
/// Number of locals of a function: the parameters and copies of them.
const LOCALS: usize = 4;
/// Upper limit of statements that an execution runs.
const MAX_STATEMENTS: u32 = 200;

/// A statement; numbers are locals, or a function.
#[derive(Clone, Debug)]
enum Step {
    Copy(usize, usize),
    Load(usize, usize),
    Store(usize, usize),
    Keep(usize),
    Call(usize, usize, [usize; 2]),
    Return(usize),
}

type Body = Vec<Step>;

fn step() -> impl Strategy<Value = Step> {
    let local = || 0..LOCALS;
    prop_oneof![
        4 => (local(), local()).prop_map(|(to, from)| Step::Copy(to, from)),
        3 => (local(), local()).prop_map(|(to, object)| Step::Load(to, object)),
        1 => (local(), local()).prop_map(|(object, value)| Step::Store(object, value)),
        1 => local().prop_map(Step::Keep),
        3 => (local(), 0..FUNCTIONS, [local(), local()]).prop_map(|(to, f, args)| Step::Call(to, f, args)),
        1 => local().prop_map(Step::Return),
    ]
}

fn print(bodies: &[Body]) -> String {
    let mut out = String::from(
        "class @Any { }
        class @Node extends @Any { field next: ref @Node; }
        static @kept: ref @Node init @none;
        function @none(): ref @Node { return null:ref @Node; }\n",
    );
    for (number, body) in bodies.iter().enumerate() {
        let mut text = String::from("%l2 = %l0; %l3 = %l1;\n");
        for step in body {
            // Writing to a string cannot fail.
            let _ = match step {
                Step::Copy(to, from) => writeln!(text, "%l{to} = %l{from};"),
                Step::Load(to, object) => writeln!(text, "%l{to} = %l{object}.next;"),
                Step::Store(object, value) => writeln!(text, "%l{object}.next = %l{value};"),
                Step::Keep(value) => writeln!(text, "static @kept = %l{value};"),
                Step::Call(to, f, [a, b]) => writeln!(text, "%l{to} = @f{f}(%l{a}, %l{b});"),
                Step::Return(value) => writeln!(text, "return %l{value};"),
            };
        }
        let _ = writeln!(
            out,
            "function @f{number}(%l0: ref @Node, %l1: ref @Node): ref @Node {{
                var [%l2: ref @Node, %l3: ref @Node];
                {text} return null:ref @Node;
            }}"
        );
    }
    out
}

/// An execution. Objects are numbers; the first two are the arguments of the function that is called first.
struct Machine<'a> {
    bodies: &'a [Body],
    /// The field of each object.
    next: Vec<Option<usize>>,
    /// Whether each object was stored.
    is_kept: Vec<bool>,
    statements: u32,
}

impl Machine<'_> {
    /// Runs a function; `None` if the execution ends: by an exception, or because it is too long.
    fn call(&mut self, function: usize, args: [Option<usize>; 2]) -> Option<Option<usize>> {
        let mut locals = [args[0], args[1], args[0], args[1]];
        for step in &self.bodies[function] {
            self.statements += 1;
            if self.statements > MAX_STATEMENTS {
                return None;
            }
            match *step {
                Step::Copy(to, from) => locals[to] = locals[from],
                Step::Load(to, object) => locals[to] = self.next[locals[object]?],
                Step::Store(object, value) => {
                    let object = locals[object]?;
                    self.next[object] = locals[value];
                    self.keep(locals[value]);
                }
                Step::Keep(value) => self.keep(locals[value]),
                Step::Call(to, f, [a, b]) => locals[to] = self.call(f, [locals[a], locals[b]])?,
                Step::Return(value) => return Some(locals[value]),
            }
        }
        Some(None)
    }

    fn keep(&mut self, value: Option<usize>) {
        if let Some(object) = value {
            self.is_kept[object] = true;
        }
    }
}

proptest! {
    #[test]
    fn what_an_execution_keeps_escapes(
        bodies in prop::collection::vec(prop::collection::vec(step(), 0..6), FUNCTIONS),
    ) {
        let source = print(&bodies);
        let program = text::parse(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
        let summary = analyze_escapes(&program);
        for number in 0..FUNCTIONS {
            // The field of each argument refers to another object.
            let next = vec![Some(2), Some(3), None, None];
            let mut machine = Machine { bodies: &bodies, next, is_kept: vec![false; 4], statements: 0 };
            if let Some(result) = machine.call(number, [Some(0), Some(1)]) {
                machine.keep(result);
            }
            let name = format!("f{number}");
            let function = program.functions.iter().position(|it| it.name == name).expect("it is declared");
            for parameter in 0..2 {
                prop_assert!(
                    summary.params[function][parameter] || !machine.is_kept[parameter],
                    "parameter {parameter} of {name}\n{source}"
                );
            }
        }
    }
}
