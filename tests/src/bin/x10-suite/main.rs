//! X10's own files through the tools of this repository: `x10-suite COMMAND`, with `APG_X10_HOME` set to a
//! checkout of x10-lang/x10 (`programs` takes any folder). Each command has a file of its own.

mod front;
mod library;
mod programs;
mod samples;
mod syntax;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Run X10's own files through apg and say what does not match
#[derive(Parser)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Front(front::Front),
    Library(library::Library),
    Programs(programs::Programs),
    Run(apg_tests::x10_suite::run::Options),
    Samples(samples::Samples),
    Syntax(syntax::Syntax),
}

fn main() -> ExitCode {
    let options = Options::parse();
    if let Command::Programs(programs) = options.command {
        return ExitCode::from(u8::from(!programs.run()));
    }
    let Some(home) = apg_tests::x10_suite::home() else {
        eprintln!("set APG_X10_HOME to a checkout of x10-lang/x10");
        return ExitCode::from(2);
    };
    let all_right = match options.command {
        Command::Front(front) => front.run(&home),
        Command::Library(library) => library.run(&home),
        Command::Programs(programs) => programs.run(),
        Command::Run(run) => run.run(&home),
        Command::Samples(samples) => samples.run(&home),
        Command::Syntax(syntax) => syntax.run(&home),
    };
    ExitCode::from(u8::from(!all_right))
}

/// Says on standard error how far the work is, while people look at it.
fn progress(all: usize) -> impl Fn() + Sync {
    use std::io::IsTerminal;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let (done, shown) = (AtomicUsize::new(0), std::io::stderr().is_terminal());
    move || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if shown {
            let end = if done == all { "\r        \r" } else { "" };
            eprint!("\r{done} of {all}{end}");
        }
    }
}
