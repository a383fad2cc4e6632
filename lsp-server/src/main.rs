//! The `apg-lsp` command: the language server of X10 over standard input and output.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use apg_runtime::base::allocator::{Allocator, End};

// On out of memory it aborts: the handler of SIGABRT records which text was being analysed.
#[global_allocator]
static ALLOCATOR: Allocator = Allocator::new("apg-lsp", End::Abort);

const USAGE: &str = "The language server of X10 programs (LSP 3.17).

Usage: apg-lsp [--listen ADDRESS] [--log-file FILE]

Options:
      --listen ADDRESS  Serve one client on a loopback address, e.g. 127.0.0.1:9257, instead of
                        standard input and output; for debugging
      --log-file FILE   Write the log there instead of the user's folder for states; an empty name
                        is no file. APG_LOG filters the log, e.g. APG_LOG=apg_lsp=debug
  -V, --version         Print the version
  -h, --help            Print this help";

/// The command line.
enum Command {
    Serve {
        listen: Option<SocketAddr>,
        log_file: Option<PathBuf>,
    },
    Print(&'static str),
    /// The child that compiles kernels.
    CompileKernels,
}

fn main() -> ExitCode {
    let (listen, log_file) = match parse_arguments(std::env::args().skip(1)) {
        Ok(Command::Serve { listen, log_file }) => (listen, log_file),
        Ok(Command::Print(text)) => {
            // Nobody reads a closed standard output.
            let _ = writeln!(std::io::stdout(), "{text}");
            return ExitCode::SUCCESS;
        }
        Ok(Command::CompileKernels) => apg_lsp::end_process(apg_lsp::serve_compiler()),
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "error: {message}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let log_file = match log_file {
        Some(path) => Some(path).filter(|path| !path.as_os_str().is_empty()),
        None => apg_lsp::default_log_file(),
    };
    let log_file = apg_lsp::start_logging(log_file);
    let status = match apg_lsp::serve(listen, log_file) {
        Ok(true) => 0,
        // The client ended the session without `shutdown`.
        Ok(false) => 1,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "apg-lsp: {error}");
            1
        }
    };
    apg_lsp::end_process(status)
}

fn parse_arguments(mut arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let (mut listen, mut log_file) = (None, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Many clients add it.
            "--stdio" => {}
            apg_lsp::CHILD_ARGUMENT => return Ok(Command::CompileKernels),
            "--version" | "-V" => return Ok(Command::Print(concat!("apg-lsp ", env!("CARGO_PKG_VERSION")))),
            "--help" | "-h" => return Ok(Command::Print(USAGE)),
            "--listen" => listen = Some(parse_address(&arguments.next().unwrap_or_default())?),
            "--log-file" => {
                log_file = Some(arguments.next().ok_or("`--log-file` needs the name of a file")?.into());
            }
            unknown => return Err(format!("unknown argument: {unknown}")),
        }
    }
    Ok(Command::Serve { listen, log_file })
}

fn parse_address(address: &str) -> Result<SocketAddr, String> {
    let parsed = address.parse::<SocketAddr>().ok().filter(|address| address.ip().is_loopback());
    parsed.ok_or_else(|| format!("`{address}` is no loopback address with a port, such as 127.0.0.1:9257"))
}
