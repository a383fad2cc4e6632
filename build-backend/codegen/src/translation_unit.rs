//! Translation units of C++, as the toolchain compiles them.

use std::path::PathBuf;

/// Content of a unit, which decides how it is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    /// Functions.
    Code,
    /// CPU forms of kernels: always optimised.
    Kernels,
    /// Data, and the entries through which the runtime calls the program.
    Tables,
    /// C++ code that the user wrote.
    Native,
}

/// A C++ source file.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Its name in messages and progress: a few letters, no slash.
    pub name: String,
    /// The kind of code in it.
    pub kind: UnitKind,
    /// The source.
    pub text: String,
    /// Files of the user that it includes.
    pub includes: Vec<PathBuf>,
}
