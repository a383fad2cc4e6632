//! `apg-mir`: reads MIR text, verifies it, runs passes on it, and prints the result
//! (docs/contributing/mir.md). The result
//! is the kernel IR of each kernel if the last pass transforms that (docs/contributing/kernel-ir.md).

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use apg_mir::Program;
use apg_mir::text::{self, SpanDetail};
use apg_mir::verify::verify;
use apg_passes::kernel_ir;
use apg_passes::pipeline::{PASSES, Pass, Purpose, Stage, form_kernel};
use clap::builder::PossibleValuesParser;
use clap::{ArgAction, Parser, ValueEnum};

/// Read MIR text, run passes on it, and print the result
#[derive(Debug, Parser)]
#[command(name = "apg-mir", version)]
struct Arguments {
    /// The file to read [default: standard input]
    file: Option<PathBuf>,

    /// A pass to run; may be given several times, in the order given. Passes over the kernel IR follow those
    /// over MIR, and the kernel IR is printed then
    #[arg(long = "pass", value_name = "NAME", value_parser = pass_names())]
    passes: Vec<String>,

    /// Print the names of all passes, in the order of the pipeline
    #[arg(long, conflicts_with_all = ["file", "passes"])]
    list: bool,

    /// Check the program against the rules of MIR, before and after each pass, which relies on them
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    verify: bool,

    /// The source positions to print
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    spans: Spans,
}

/// The source positions to print.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Spans {
    /// None
    None,
    /// Those of declarations and statements
    #[default]
    Statements,
    /// Those of expressions, too
    All,
}

fn pass_names() -> PossibleValuesParser {
    // A pass may have several places in the pipeline.
    let is_first = |index: usize| PASSES[..index].iter().all(|it| it.name != PASSES[index].name);
    PossibleValuesParser::new((0..PASSES.len()).filter(|it| is_first(*it)).map(|it| PASSES[it].name))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let output = if arguments.list { Ok(list()) } else { run(&arguments) };
    let written = output.and_then(|text| {
        let written = std::io::stdout().lock().write_all(text.as_bytes());
        match written {
            // A reader that closed the pipe has seen enough.
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(format!("error: standard output: {error}"))
            }
            _ => Ok(()),
        }
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // Without a standard error the exit status has to do.
            let _ = writeln!(std::io::stderr(), "{message}");
            ExitCode::from(1)
        }
    }
}

/// The passes, their purpose, and the representation that they transform.
fn list() -> String {
    let row = |pass: &Pass| {
        let purpose = match pass.purpose {
            Purpose::Correctness => "correctness",
            Purpose::Speed => "speed",
        };
        let stage = match pass.stage() {
            Stage::Mir => "mir",
            Stage::KernelIr => "kernel-ir",
        };
        format!("{:<28}{purpose:<13}{stage}\n", pass.name)
    };
    PASSES.iter().map(row).collect()
}

/// The text after the passes. The error says where in the file it is.
fn run(arguments: &Arguments) -> Result<String, String> {
    let name = arguments.file.as_deref().map_or("<stdin>".into(), |it| it.display().to_string());
    let source = read(arguments.file.as_deref()).map_err(|error| format!("error: {name}: {error}"))?;
    let mut program = text::parse(&source).map_err(|error| format!("{name}:{error}"))?;
    if arguments.verify {
        violations(&program, &name)?;
    }
    let passes: Vec<&Pass> = arguments.passes.iter().filter_map(|name| Pass::from_name(name)).collect();
    let count = passes.iter().take_while(|it| it.stage() == Stage::Mir).count();
    let (of_mir, of_kernels) = passes.split_at(count);
    if let Some(late) = of_kernels.iter().find(|it| it.stage() == Stage::Mir) {
        return Err(format!(
            "error: pass `{}` transforms MIR and cannot follow `{}`, which transforms the kernel IR; name it first",
            late.name, of_kernels[0].name
        ));
    }
    for pass in of_mir {
        pass.run(&mut program);
        if arguments.verify {
            violations(&program, &format!("{name}, after {}", pass.name))?;
        }
    }
    if !of_kernels.is_empty() {
        program.assign_ids();
        let mut text = String::new();
        for kernel in &program.kernels {
            let mut ir = form_kernel(&program, kernel);
            of_kernels.iter().for_each(|pass| pass.run_on_kernel(&mut ir));
            text.push_str(&kernel_ir::text::print(&program, &ir));
        }
        return Ok(text);
    }
    let spans = match arguments.spans {
        Spans::None => SpanDetail::None,
        Spans::Statements => SpanDetail::Statements,
        Spans::All => SpanDetail::All,
    };
    Ok(text::print(&program, spans))
}

/// The violations of the rules of MIR, one a line.
fn violations(program: &Program, name: &str) -> Result<(), String> {
    let lines = |errors: Vec<apg_mir::verify::VerifyError>| {
        errors.iter().map(|error| format!("{name}: {error}")).collect::<Vec<_>>().join("\n")
    };
    verify(program).map_err(lines)
}

fn read(file: Option<&Path>) -> std::io::Result<String> {
    match file {
        Some(file) => std::fs::read_to_string(file),
        None => {
            let mut text = String::new();
            std::io::stdin().lock().read_to_string(&mut text)?;
            Ok(text)
        }
    }
}
