//! Formats standard input to standard output.

use std::io::Read as _;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("standard input is UTF-8");
    match apg_syntax::formatted(&text) {
        Ok(formatted) => print!("{formatted}"),
        Err(error) => {
            eprintln!("not formatted: {}", error.message);
            std::process::exit(1);
        }
    }
}
