//! The `apg` command.

use apg_runtime::base::allocator::{Allocator, End};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator::new("apg", End::Exit);

fn main() -> std::process::ExitCode {
    apg_build::cli::main()
}
