//! The `apg` command: one file a sub-command. Exit status 0 is success, 1 an error in the input or the
//! program, 2 misuse of the command (as clap's own).

// Printing goes through `output`: `println!` would panic when nobody reads.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod build;
mod check;
mod clean;
mod completions;
mod debugger;
mod doctor;
mod events;
mod explain;
mod fix;
mod fmt;
mod options;
mod output;
mod places;
mod progress;
mod replace;
mod report;
mod resources;
mod run;
mod stats;

use std::io::Write;
use std::process::ExitCode;

use apg_project::session;
use apg_runtime::base::allocator::{Allocator, End};
use apg_runtime::base::{interrupt, process};
use clap::error::{ContextKind, ContextValue};
use clap::{ColorChoice, Parser, Subcommand};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator::new("apg", End::Exit);

/// X10 for today's GPUs and clusters: check, build and run programs of places, activities and kernels.
#[derive(Debug, Parser)]
#[command(name = "apg", version, max_term_width = 100, arg_required_else_help = true)]
struct Cli {
    /// When errors are coloured: `auto` is on a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Report all errors and warnings, and how to mend them
    Check(check::Check),
    /// Build a program and run it
    Run(run::Run),
    /// Build a program, or print what it is compiled to
    Build(build::Build),
    /// Show the places: hosts and their accelerators
    Places(places::Places),
    /// Print the page of a diagnostic code
    Explain(explain::Explain),
    /// Format source files
    Fmt(fmt::Fmt),
    /// Empty the build cache
    Clean(clean::Clean),
    /// Say what this machine has and what it lacks
    Doctor(doctor::Doctor),
    /// Print what completes this command's words in a shell
    Completions(completions::Completions),
}

/// A command that cannot do what it was asked: printed as "error: ..." with hints below.
#[derive(Debug)]
pub struct Failure {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hints: Vec<String>,
    /// 1 for the input's fault, 2 for misuse.
    pub status: u8,
    /// What was to be printed has no reader.
    nobody_reads: bool,
}

impl Failure {
    /// The input, or the machine, is at fault (exit status 1).
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hints: Vec::new(), status: 1, nobody_reads: false }
    }

    /// The command is at fault (exit status 2).
    pub fn misuse(message: impl Into<String>) -> Self {
        Self { status: 2, ..Self::new(message) }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

/// What a command ends with: the process's exit status, or why it could not do its work.
type Outcome = Result<u8, Failure>;

impl From<session::LoadFailure> for Failure {
    fn from(failure: session::LoadFailure) -> Self {
        Self { hints: failure.hints, ..Self::new(failure.message) }
    }
}

/// Runs the command line of this process; or, if this process is a further place or an executable with a program behind
/// it, that.
fn main() -> ExitCode {
    apg_runtime::base::limits::prepare_allocator();
    interrupt::set(|_| {
        apg_runtime::base::temp_files::remove_unfinished();
        interrupt::Then::End
    });
    let outcome = run::as_place().or_else(run::as_built).or_else(run::as_program);
    let outcome = outcome.unwrap_or_else(|| match command()? {
        Command::Check(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Build(command) => command.run(),
        Command::Places(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::Fmt(command) => command.run(),
        Command::Clean(command) => command.run(),
        Command::Doctor(command) => command.run(),
        Command::Completions(command) => command.run(),
    });
    // What is still buffered counts, too.
    let outcome = outcome.and_then(|status| Ok(std::io::stdout().flush().map(|()| status)?));
    match outcome {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            interrupt::wait_for_end();
            if failure.nobody_reads || print_failure(&failure).is_err() {
                process::end_by(libc::SIGPIPE);
            }
            ExitCode::from(failure.status)
        }
    }
}

/// What the command line says. What is wrong with it clap says itself, but that a program is no command.
fn command() -> Result<Command, Failure> {
    let command = Cli::try_parse().map(|cli| {
        report::set_color(match cli.color {
            ColorChoice::Auto => None,
            ColorChoice::Always => Some(true),
            ColorChoice::Never => Some(false),
        });
        cli.command
    });
    command.map_err(|error| match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if word.ends_with(".x10") => {
            Failure::misuse(format!("`{word}` is not a command of apg"))
                .hint(format!("`apg run {word}` builds and runs it, `apg check {word}` checks it"))
        }
        // Help and the version go to standard output, which may be full.
        _ => match error.print().and_then(|()| std::io::stdout().flush()) {
            Ok(()) => std::process::exit(error.exit_code()),
            Err(unwritten) => unwritten.into(),
        },
    })
}

fn print_failure(failure: &Failure) -> Result<(), Failure> {
    output::remark(format_args!("error: {}", failure.message))?;
    failure.hints.iter().try_for_each(|hint| output::remark(format_args!("  hint: {hint}")))
}
