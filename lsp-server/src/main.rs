//! The `apg-lsp` command: the language server of X10 over standard input and output.

use std::net::SocketAddr;
use std::process::ExitCode;

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
        ["--version" | "-V"] => {
            println!("apg-lsp {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        ["--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
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
    match apg_lsp::serve(listen) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("apg-lsp: {error}");
            ExitCode::FAILURE
        }
    }
}

fn misuse(message: &str) -> ExitCode {
    eprintln!("error: {message}\n\n{USAGE}");
    ExitCode::from(2)
}
