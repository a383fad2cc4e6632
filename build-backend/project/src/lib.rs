//! A user's program: its files on the disk, the analysis session over them, and the build from sources to a
//! shared object. Shared by the command and the language server.

#![warn(clippy::print_stderr)]

pub mod build;
pub mod c;
mod c_devices;
pub mod compile_commands;
mod findings;
mod load_failure;
pub mod rules;
pub mod session;
pub mod sources;
