//! Verifier of MIR: what every pass may rely on and has to leave behind.
//!
//! The rules are those that the documentation of the nodes states: types of operands and results, locals that
//! are in range and assigned before they are read, labels that exist, unique identities, arguments of calls,
//! slots of tables, and what only kernels may contain.

mod body;
mod expr;
mod flow;
mod goto_regions;
mod memory;
mod operation;
mod tables;

use std::fmt;

use super::*;

/// A rule of MIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// An index names an item of the program.
    KnownItem,
    /// A local is one of its function.
    KnownLocal,
    /// A local is assigned before it is read.
    AssignedLocal,
    /// A jump leads to an enclosing statement with its label, and labels are unique.
    KnownLabel,
    /// Identities are assigned and unique.
    UniqueId,
    /// A span names a file of the program and does not end before it starts.
    ValidSpan,
    /// Number of operands or arguments.
    OperandCount,
    /// Types of operands, and of stored or returned values.
    OperandType,
    /// The type of an expression.
    ResultType,
    /// A field or slot exists.
    KnownSlot,
    /// Superclasses precede their subclasses, and no struct contains itself.
    AcyclicTypes,
    /// Only kernels and device functions contain code of threads.
    KernelCode,
    /// A collective operation is the value of an assignment.
    CollectivePosition,
    /// Values, parameters and results are of a type that has values.
    ValueType,
    /// What is in memory has a size, and no references.
    MemoryType,
    /// Fields are inside of their struct, and those of structs do not overlap.
    Layout,
    /// The first value of a global is one of its type.
    Initializer,
    /// The type of a place is that of what is there.
    PlaceType,
    /// Constant memory is not stored into.
    ConstantStore,
    /// A `goto` does not enter or leave code with exceptions or activities around it, and in a kernel passes
    /// no barrier.
    GotoScope,
    /// A function with a result returns on every path.
    ReturnOnEveryPath,
    /// Without classes there are no objects, activities and runtime entries.
    ObjectHeap,
    /// A runtime entry exists.
    KnownEntry,
}

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifyError {
    /// The rule.
    pub rule: Rule,
    /// The function, kernel or type.
    pub item: String,
    /// The source of the code.
    pub span: Option<Span>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in `{}`", self.item)?;
        if let Some(span) = self.span {
            write!(f, ", file {}, {}:{}", span.file.0, span.start.line, span.start.column)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Parameters and result of a runtime entry; references are [`Ty::Any`].
#[derive(Clone, Debug, PartialEq)]
pub struct EntrySignature {
    /// Types of the parameters.
    pub params: Vec<Ty>,
    /// Type of the result.
    pub result: Ty,
}

/// The runtime entries by name.
pub type Entries<'e> = &'e dyn Fn(&str) -> Option<EntrySignature>;

/// Checks a program against all rules but that of runtime entries. The errors are in the order of the
/// program.
pub fn verify(program: &Program) -> Result<(), Vec<VerifyError>> {
    check(program, None)
}

/// Checks a program against all rules. [`entries::JOIN`] and [`entries::APPEND`], which take any number of
/// operands, need no entry.
pub fn verify_with_entries(program: &Program, entries: Entries<'_>) -> Result<(), Vec<VerifyError>> {
    check(program, Some(entries))
}

/// Checks a program in debug builds, where a violation is a defect of the compiler.
///
/// # Panics
///
/// If the program is invalid; the message names `producer`, the pass that made it so.
pub fn debug_assert_valid(program: &Program, producer: &str) {
    if cfg!(debug_assertions) {
        assert_valid(verify(program), producer);
    }
}

/// As [`debug_assert_valid`], with the rule of runtime entries.
///
/// # Panics
///
/// If the program is invalid.
pub fn debug_assert_valid_with_entries(program: &Program, entries: Entries<'_>, producer: &str) {
    if cfg!(debug_assertions) {
        assert_valid(verify_with_entries(program, entries), producer);
    }
}

fn assert_valid(result: Result<(), Vec<VerifyError>>, producer: &str) {
    if let Err(errors) = result {
        let shown: Vec<String> = errors.iter().take(MAX_SHOWN_ERRORS).map(VerifyError::to_string).collect();
        panic!("`{producer}` made invalid MIR, {} errors:\n{}", errors.len(), shown.join("\n"));
    }
}

/// Upper limit of the errors in a message.
const MAX_SHOWN_ERRORS: usize = 20;

fn check(program: &Program, entries: Option<Entries<'_>>) -> Result<(), Vec<VerifyError>> {
    let mut verifier = Verifier { program, entries, slots: Vec::new(), errors: Vec::new() };
    verifier.check_tables();
    // Bodies refer to the tables.
    if verifier.errors.is_empty() {
        verifier.count_slots();
        verifier.check_bodies();
    }
    if verifier.errors.is_empty() { Ok(()) } else { Err(verifier.errors) }
}

#[cfg(test)]
mod tests;

struct Verifier<'p> {
    program: &'p Program,
    entries: Option<Entries<'p>>,
    /// For each class the number of slots in the longest table of the class and its subclasses: classes that
    /// are never instantiated have none.
    slots: Vec<usize>,
    errors: Vec<VerifyError>,
}

impl Verifier<'_> {
    fn report(&mut self, rule: Rule, item: &str, span: Option<Span>, message: String) {
        self.errors.push(VerifyError { rule, item: item.to_owned(), span, message });
    }

    /// Whether a type refers to items that exist.
    fn is_known(&self, ty: Ty) -> bool {
        match ty {
            Ty::Ref(class) => class.index() < self.program.classes.len(),
            Ty::Struct(id) => id.index() < self.program.structs.len(),
            Ty::Pointer(_) => self.program.types.pointer(ty).is_some(),
            Ty::Array(_) => self.program.types.array(ty).is_some(),
            Ty::Function(id) => self.program.types.signature(id).is_some(),
            _ => true,
        }
    }
}

/// Whether the value is a reference to a heap object.
fn is_reference(ty: Ty) -> bool {
    matches!(ty, Ty::Ref(_) | Ty::Any)
}

/// Whether a value of type `from` can be used as one of type `to`. References have one representation.
fn is_compatible(from: Ty, to: Ty) -> bool {
    from == to || is_reference(from) && is_reference(to)
}
