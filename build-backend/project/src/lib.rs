//! A program of the user: its files on the disk, the analysis session over them, and the build from sources
//! to a shared object. What the command and the language server have in common.

pub mod build;
pub mod session;
pub mod sources;
