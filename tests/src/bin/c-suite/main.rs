//! Public suites of C programs with OpenMP through apg and through the system's C compiler.

use std::process::ExitCode;

use apg_tests::c_suite::Options;
use clap::Parser;

/// Run a suite of C programs with OpenMP through apg and through the system's C compiler
#[derive(Parser)]
struct CommandLine {
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    match CommandLine::parse().options.run() {
        Ok(is_as_good) => ExitCode::from(u8::from(!is_as_good)),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
