//! The text form of the MIR of whole programs: printed, read and printed again.

mod programs;

use apg_mir::text::{SpanDetail, parse, print};
use apg_mir::{Function, Program};
use apg_passes::pipeline::Pipeline;

/// The declarations of a program as data, one by one.
fn declarations(program: &Program) -> Vec<String> {
    let functions = program.functions.iter().map(|it| format!("{it:?}"));
    let without_functions = Program { functions: Vec::<Function>::new(), ..program.clone() };
    // The order of a hash table has no meaning.
    let mut versions: Vec<_> = without_functions.closure_versions.iter().collect();
    versions.sort();
    let versions = format!("{versions:?}");
    let rest = Program { closure_versions: Default::default(), ..without_functions.clone() };
    functions.chain([versions, format!("{rest:?}")]).collect()
}

/// Reads a text. The error has the line that it is about.
fn read(text: &str) -> Result<Program, String> {
    let line = |number: u32| text.lines().nth(number as usize - 1).unwrap_or_default();
    parse(text).map_err(|error| format!("{error}\n{}", line(error.line)))
}

/// Reads what is printed of a program, and compares.
fn round_trip(mut program: Program) -> Result<(), String> {
    program.assign_ids();
    let text = print(&program, SpanDetail::All);
    let again = read(&text)?;
    if let Some((before, after)) =
        text.lines().zip(print(&again, SpanDetail::All).lines()).find(|(before, after)| before != after)
    {
        return Err(format!("printed again differently:\n{before}\n{after}"));
    }
    for (before, after) in declarations(&program).iter().zip(declarations(&again)) {
        if *before != after {
            return Err(format!("read as something else:\n{before}\n{after}"));
        }
    }
    let bare = print(&program, SpanDetail::Statements);
    let again = read(&bare)?;
    if print(&again, SpanDetail::Statements) != bare {
        return Err("printed again differently without spans of expressions".into());
    }
    Ok(())
}

#[test]
fn programs_are_read_as_they_are_printed() {
    let mut lowering = programs::Lowering::new();
    let mut failures = Vec::new();
    for path in programs::all() {
        let name = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        let mut check = |what: &str, result: Result<(), String>| {
            if let Err(message) = result {
                failures.push(format!("{name}, {what}: {message}"));
            }
        };
        match lowering.mir(&path) {
            Ok(lowered) => {
                let mut optimized = lowered.clone();
                Pipeline { optimize: true, debug: false }.run(&mut optimized);
                check("lowered", round_trip(lowered));
                check("optimised", round_trip(optimized));
            }
            Err(message) => check("lowering", Err(message)),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
