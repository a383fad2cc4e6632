//! The `apg` command.
//!
//! Exit status 0 is success, 1 an error in the input or the program, 2 misuse of the command, as with clap.

// Commands print with `output`: `println!` panics when the reader has closed the pipe.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod atomic_write;
mod c_command_line;
mod commands;
mod debugger;
mod exit;
mod failure;
mod logging;
mod options;
mod output;
mod progress;
mod report;
mod run_events;

use std::io::Write;
use std::process::ExitCode;

use apg_runtime::base::allocator::{Allocator, End};
use apg_runtime::base::{interrupt, limits};
use clap::error::{ContextKind, ContextValue};
use clap::{ColorChoice, CommandFactory, Parser, Subcommand};
use failure::{Failure, Outcome};

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
    /// Report all errors and warnings, and how to fix them
    Check(commands::check::Check),
    /// Build a program and run it
    Run(Box<commands::run::Run>),
    /// Build a program, or print what it is compiled to
    Build(Box<commands::build::Build>),
    /// Show the places: hosts and their accelerators
    Places(commands::places::Places),
    /// List the programs on a remote machine
    Jobs(commands::remote::Jobs),
    /// Follow a program on a remote machine
    Attach(commands::remote::Attach),
    /// End a program on a remote machine
    Stop(commands::remote::Stop),
    /// Print the page of a diagnostic code
    Explain(commands::explain::Explain),
    /// Format source files
    Fmt(commands::fmt::Fmt),
    /// Empty the build cache
    Clean(commands::clean::Clean),
    /// Say what this machine has and what it lacks
    Doctor(commands::doctor::Doctor),
    /// Print what completes this command's words in a shell
    Completions(commands::completions::Completions),
}

/// Runs a further place, the agent of a host, a built program or a single-file program if this process was
/// started as one; else the command line.
fn main() -> ExitCode {
    limits::prepare_allocator();
    limits::prepare_stack();
    ALLOCATOR.end_at_threads_without_stack();
    logging::start();
    if let Some(outcome) = commands::c_devices::run_as_c_program() {
        return finish(outcome);
    }
    interrupt::catch(exit::end_by);
    interrupt::set(|_| {
        apg_runtime::base::temp_files::remove_unfinished();
        interrupt::Then::End
    });
    let outcome = commands::run::run_as_place()
        .or_else(commands::run::run_as_agent)
        .or_else(commands::remote::run_as_agent)
        .or_else(commands::completions::run_as_completer)
        .or_else(commands::run::run_as_built)
        .or_else(commands::run::run_as_program);
    let outcome = outcome.unwrap_or_else(|| match command()? {
        Command::Check(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Build(command) => command.run(),
        Command::Places(command) => command.run(),
        Command::Jobs(command) => command.run(),
        Command::Attach(command) => command.run(),
        Command::Stop(command) => command.run(),
        Command::Explain(command) => command.run(),
        Command::Fmt(command) => command.run(),
        Command::Clean(command) => command.run(),
        Command::Doctor(command) => command.run(),
        Command::Completions(command) => command.run(),
    });
    finish(outcome)
}

/// The status of the process; a failure is printed.
fn finish(outcome: Outcome) -> ExitCode {
    // Errors of buffered output count as well.
    let outcome = outcome.and_then(|status| Ok(std::io::stdout().flush().map(|()| status)?));
    match outcome {
        Ok(status) => ExitCode::from(status),
        Err(mut failure) => {
            interrupt::wait_for_end();
            if failure.is_broken_pipe || failure.print().is_err() {
                exit::end_by(libc::SIGPIPE);
            }
            ExitCode::from(failure.status)
        }
    }
}

/// An error of the command line, with the command that a mistyped one resembles: clap compares by Jaro's
/// distance, which finds no exchanged letters in short words.
fn suggest_command(mut error: clap::Error) -> clap::Error {
    let has_suggestion = error.get(ContextKind::SuggestedSubcommand).is_some();
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && !has_suggestion
    {
        let commands = Cli::command();
        let names = commands.get_subcommands().map(clap::Command::get_name);
        let meant = apg_source::closest(word, names).map(|name| ContextValue::Strings(vec![name.to_owned()]));
        meant.and_then(|meant| error.insert(ContextKind::SuggestedSubcommand, meant));
    }
    error
}

/// Parses the command line. clap reports errors, except for a program in the place of a command.
fn command() -> Result<Command, Failure> {
    let (line, c_options) = c_command_line::separate(std::env::args_os().collect())?;
    let command = Cli::try_parse_from(line).map(|cli| {
        report::set_color(match cli.color {
            ColorChoice::Auto => None,
            ColorChoice::Always => Some(true),
            ColorChoice::Never => Some(false),
        });
        match cli.command {
            Command::Check(command) => Command::Check(command.with_c_options(c_options)),
            Command::Run(command) => Command::Run(Box::new(command.with_c_options(c_options))),
            Command::Build(command) => Command::Build(Box::new(command.with_c_options(c_options))),
            other => other,
        }
    });
    command.map_err(suggest_command).map_err(|error| match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if word.ends_with(".x10") || word.ends_with(".c") => {
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
