//! The `apg-lsp` command: the language server of X10 over standard input and output.

use std::io::Write;
use std::net::SocketAddr;
use std::process::ExitCode;

use apg_runtime::base::allocator::{Allocator, End};

// The handler of SIGABRT records what was being analysed.
#[global_allocator]
static ALLOCATOR: Allocator = Allocator::new("apg-lsp", End::Abort);

const USAGE: &str = "The language server of X10 programs (LSP 3.17).

Usage: apg-lsp [--listen ADDRESS]

Options:
      --listen ADDRESS  Serve one client on a loopback address, e.g. 127.0.0.1:9257, instead of
                        standard input and output; for debugging
  -V, --version         Print the version
  -h, --help            Print this help";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let listen = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        // Clients commonly add --stdio.
        [] | ["--stdio"] => None,
        // What the server itself starts.
        [apg_lsp::CHILD_ARGUMENT] => apg_lsp::end_process(apg_lsp::serve_orders()),
        ["--version" | "-V"] => {
            return say(concat!("apg-lsp ", env!("CARGO_PKG_VERSION")));
        }
        ["--help" | "-h"] => {
            return say(USAGE);
        }
        ["--listen", address] => match address.parse::<SocketAddr>() {
            Ok(address) if address.ip().is_loopback() => Some(address),
            _ => {
                return misuse(&format!(
                    "`{address}` is no loopback address with a port, such as 127.0.0.1:9257"
                ));
            }
        },
        _ => return misuse(&format!("unknown arguments: {}", arguments.join(" "))),
    };
    let status = match apg_lsp::serve(listen) {
        Ok(true) => 0,
        // The client went without a word.
        Ok(false) => 1,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "apg-lsp: {error}");
            1
        }
    };
    apg_lsp::end_process(status)
}

/// Prints a line, if anybody reads it.
fn say(text: &str) -> ExitCode {
    let _ = writeln!(std::io::stdout(), "{text}");
    ExitCode::SUCCESS
}

fn misuse(message: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "error: {message}\n\n{USAGE}");
    ExitCode::from(2)
}
