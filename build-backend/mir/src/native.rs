//! Code in C++ that a program brings along (`@Native("c++", ...)`): the one fragment of MIR that is for one target alone.

use smol_str::SmolStr;

use super::{ClassId, Expr, FileId, LocalId, Position, Ty};

/// A statement in C++.
#[derive(Clone, Debug)]
pub struct NativeCode {
    /// The code.
    pub fragments: Vec<Fragment>,
    /// Variables that the code names, and what they are.
    pub variables: Vec<(SmolStr, Expr)>,
    /// The code is an expression, and its value of this type the function's result.
    pub result: Option<Ty>,
}

/// A piece of native code.
#[derive(Clone, Debug)]
pub enum Fragment {
    /// As it stands.
    Text(String),
    /// A value of the program.
    Value(Expr),
    /// A type of the program.
    Type(Ty),
    /// The address of the object or struct in this variable.
    Address(LocalId),
    /// The name of a class's own field.
    Field(ClassId, u32),
    /// What follows is written in this line of the `.x10` file.
    Line(Position),
}

/// What a source file says of the C++ code that belongs to it.
#[derive(Clone, Debug)]
pub struct NativeFile {
    /// The `.x10` file.
    pub file: FileId,
    /// Its folder, in which the others lie.
    pub folder: String,
    /// Headers to include.
    pub includes: Vec<NamedFile>,
    /// Files to compile.
    pub sources: Vec<NamedFile>,
    /// Files that those need.
    pub others: Vec<NamedFile>,
}

/// A C++ file that an annotation names.
#[derive(Clone, Debug)]
pub struct NamedFile {
    /// The name as written.
    pub name: SmolStr,
    /// The line of the annotation.
    pub position: Position,
}

impl NativeCode {
    /// The values of the program in it.
    pub fn values(&self) -> impl Iterator<Item = &Expr> {
        let fragments = self.fragments.iter().filter_map(|fragment| match fragment {
            Fragment::Value(value) => Some(value),
            _ => None,
        });
        fragments.chain(self.variables.iter().map(|(_, value)| value))
    }

    /// The same, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let fragments = self.fragments.iter_mut().filter_map(|fragment| match fragment {
            Fragment::Value(value) => Some(value),
            _ => None,
        });
        fragments.chain(self.variables.iter_mut().map(|(_, value)| value))
    }
}
