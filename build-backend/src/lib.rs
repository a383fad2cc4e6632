//! Back end: lowering, code generation, building and running.
pub mod build;
pub mod cli;
pub mod driver;
pub mod emit;
pub mod lower;
pub mod mir;
pub mod optimise;
pub mod project;
pub mod regular_file;
pub mod report;
pub mod resources;
mod threads;
