//! The `apg` command.

fn main() -> std::process::ExitCode {
    apg_build::cli::main()
}
