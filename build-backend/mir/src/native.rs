//! C++ code of a program (`@Native("c++", ...)`): the only part of MIR for one target language.

use smol_str::SmolStr;

use super::{ClassId, Expr, FileId, LocalId, Span, Ty};

/// A statement in C++.
#[derive(Clone, Debug, PartialEq)]
pub struct NativeCode {
    /// The code.
    pub fragments: Vec<Fragment>,
    /// Variables that the code names, and their values.
    pub variables: Vec<(SmolStr, Expr)>,
    /// Set if the code is an expression whose value, of this type, is the function's result.
    pub result: Option<Ty>,
}

/// A fragment of native code.
#[derive(Clone, Debug, PartialEq)]
pub enum Fragment {
    /// Verbatim text.
    Text(String),
    /// A value of the program.
    Value(Expr),
    /// A type of the program.
    Type(Ty),
    /// The address of the object or struct in this variable.
    Address(LocalId),
    /// The name of a class's own field.
    Field(ClassId, u32),
    /// The line of the `.x10` file of the following text.
    Line(Span),
}

/// C++ files that belong to a source file.
#[derive(Clone, Debug, PartialEq)]
pub struct NativeFile {
    /// The `.x10` file.
    pub file: FileId,
    /// Its folder, which contains the other files.
    pub folder: String,
    /// Headers to include.
    pub includes: Vec<NamedFile>,
    /// Files to compile.
    pub sources: Vec<NamedFile>,
    /// Files that these need.
    pub others: Vec<NamedFile>,
}

/// A C++ file that an annotation names.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedFile {
    /// The name as written.
    pub name: SmolStr,
    /// The line of the annotation.
    pub span: Span,
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

    /// As [`NativeCode::values`], mutable.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let fragments = self.fragments.iter_mut().filter_map(|fragment| match fragment {
            Fragment::Value(value) => Some(value),
            _ => None,
        });
        fragments.chain(self.variables.iter_mut().map(|(_, value)| value))
    }
}
