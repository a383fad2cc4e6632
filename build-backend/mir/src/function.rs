//! Functions: signatures, locals, and what passes may rely on beside the code.

use smol_str::SmolStr;

use crate::{ClassId, FunctionId, Signature, Span, Stmt, Ty};

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// X10 name for traces (`Main.main`), and a readable part of the symbol.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Parameters (first), then locals.
    pub locals: Vec<Local>,
    /// Variables in memory, whose address may be taken. Locals are values and have none.
    pub variables: Vec<Local>,
    /// How many of `locals` are parameters; an instance method's first is its receiver.
    pub params: u32,
    /// Result.
    pub result: Ty,
    /// Code; ends in `Return` on every path unless `result` is `Void`.
    pub body: Vec<Stmt>,
    /// Also needed as device code.
    pub device: bool,
    /// Called by kernels only, so that hosts need no code.
    pub kernel_only: bool,
    /// Whether it may be on the stack several times.
    pub recursion: Recursion,
    /// Objects on the stack, see [`crate::ExprKind::StackAllocate`].
    pub stack_objects: Vec<ClassId>,
    /// Inlining into callers.
    pub inlining: Inlining,
    /// What passes may rely on beside the code.
    pub role: FunctionRole,
}

impl Function {
    /// Its type.
    pub fn signature(&self) -> Signature {
        let params = self.locals.iter().take(self.params as usize).map(|it| it.ty).collect();
        Signature { params, result: self.result, is_variadic: false }
    }
}

/// A declared property of a function that passes may rely on without a look at its code.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum FunctionRole {
    /// None.
    #[default]
    Plain,
    /// Makes an immutable tuple of its parameters, which are of type [`Ty::I64`], and has no other effect.
    Tuple,
    /// As the entry [`crate::entries::CHAR_AT`].
    CharAt,
    /// Computes a value from immutable fields of its parameters, objects that are not null: the same at each
    /// call, without effects and exceptions.
    Property,
    /// Accesses an element of its first parameter, an object. The indices follow, then the value of a store.
    /// An element is accessed without a bounds check by another function for each form of the indices:
    /// parameters of type [`Ty::I64`], of which there is one form only, or one [`FunctionRole::Tuple`] of
    /// any rank.
    Indexing(Vec<Indexing>),
}

/// Functions that together access an element as a function of [`FunctionRole::Indexing`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexing {
    /// Number of indices.
    pub rank: u32,
    /// `(object, low, high, low, high, ...): Bool`, without effects: whether each range is not empty and all
    /// elements at indices within the ranges exist.
    pub covers: FunctionId,
    /// `(object, index, index, ..., value)`: the access to an element that exists.
    pub unchecked: FunctionId,
}

/// Inlining that a declaration requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inlining {
    /// The compiler decides.
    #[default]
    Free,
    /// No inlining (`@NoInline`).
    Never,
    /// No inlining, and calls are unlikely (`@Cold`).
    Cold,
}

/// Stack overflow checks of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recursion {
    /// The strongly connected component of the call graph; 0 for functions on no cycle.
    pub cycle: u32,
    /// Check at the start of the function, since callers outside of generated code may close the cycle.
    /// Otherwise calls within the component check.
    pub checks_at_start: bool,
}

/// A local, or a variable in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Source name, or `$n`.
    pub name: SmolStr,
    /// Type.
    pub ty: Ty,
}
