//! Statements: structured control flow, and `goto`.

use crate::*;

/// A statement, with its identity and its source. Two statements are equal if they do the same: their
/// identities and spans do not count.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its identity.
    pub id: StmtId,
    /// The source of it.
    pub span: Span,
    /// The statement.
    pub kind: StmtKind,
}

impl PartialEq for Stmt {
    fn eq(&self, other: &Stmt) -> bool {
        self.kind == other.kind
    }
}

impl Stmt {
    /// A statement that is not numbered yet.
    pub fn new(span: Span, kind: StmtKind) -> Stmt {
        Stmt { id: StmtId::UNASSIGNED, span, kind }
    }
}

/// Statements.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum StmtKind {
    /// `local = value`; the first one in a block also declares it.
    Set { local: LocalId, value: Expr },
    /// Store into a field; `object` is null-checked if `checked`.
    SetField { object: Expr, class: ClassId, field: u32, value: Expr, checked: bool },
    /// Store into a field of a struct held in a local (constructors).
    SetStructField { local: LocalId, field: u32, value: Expr },
    /// Store into a rail: null and bounds checks if `checked`.
    SetElement { rail: Expr, element: Ty, index: Expr, value: Expr, checked: bool },
    /// First value of a static (runtime-internal).
    SetStatic { field: StaticId, value: Expr },
    /// Store into memory.
    Store { place: Place, value: Expr },
    /// Evaluate for its effect.
    Expr(Expr),
    /// A scope.
    Block(Vec<Stmt>),
    /// A scope that is printed as a function, because the enclosing function would be too long. No jump
    /// leaves it.
    Outlined(Vec<Stmt>),
    /// A branch.
    If { condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt> },
    /// `label: while (condition) { body; continue-target: update }`.
    Loop {
        label: LabelId,
        condition: Expr,
        body: Vec<Stmt>,
        update: Vec<Stmt>,
        unroll: Option<u32>,
        post_tested: bool,
    },
    /// Cases with fall-through; `None` is the default. Left by `Break(label)`.
    Switch { label: LabelId, value: Expr, cases: Vec<(Vec<Option<i64>>, Vec<Stmt>)> },
    /// Left by `Break(label)`.
    Labeled { label: LabelId, body: Vec<Stmt> },
    /// Out of the loop, switch or block.
    Break(LabelId),
    /// To the update of the loop.
    Continue(LabelId),
    /// To the statement `Target` with the label, anywhere in the function.
    Goto(LabelId),
    /// A target of `Goto`.
    Target(LabelId),
    /// From the function.
    Return(Option<Expr>),
    /// Raise an exception object.
    Throw(Expr),
    /// Catches are tried in order: class tests, the local that receives it, the code. `finally` runs on every
    /// way out.
    Try { body: Vec<Stmt>, catches: Vec<Catch>, finally: Vec<Stmt> },
    /// Start `closure` (no parameters, void) as an activity here, in the scope of the innermost finish.
    Async { closure: Expr, clocks: Clocks },
    /// Start a copy of `closure` as an activity at `place`; `place` is a place's id (`I64`), here and below.
    /// Failures of sending are raised by this activity if `raise_at_sender`, else by the new one.
    AsyncAt { place: Expr, closure: Expr, clocks: Clocks, raise_at_sender: bool },
    /// Run a copy of `closure` at `place` and wait.
    At { place: Expr, closure: Expr },
    /// Wait for all activities started inside.
    Finish { body: Vec<Stmt>, clocked: bool },
    /// Mutual exclusion at this place.
    Atomic(Vec<Stmt>),
    /// Wait until a guard holds, then run its code atomically. Each guard is statements and a value.
    When(Vec<WhenBranch>),
    /// Run a kernel at `place` (an accelerator of this host, or this host) and wait for it; `captures` in the
    /// order of [`Kernel::captures`]. Lowering has already routed execution to the host of `place`. With
    /// `fallback_activity` the launch is asynchronous in the scope of the innermost finish; at a place
    /// without a device that closure, which launches and waits, is started instead. `captures_stable`: the
    /// activity does not write to captured arrays before the kernel ends.
    Launch {
        place: Expr,
        kernel: KernelId,
        captures: Vec<Expr>,
        fallback_activity: Option<Expr>,
        captures_stable: bool,
    },
    /// `Clock.advanceAll()` inside a kernel.
    Barrier,
    /// C++ code of the program.
    Native(native::NativeCode),
}

/// A `catch`.
#[derive(Clone, Debug, PartialEq)]
pub struct Catch {
    /// Caught class and its subclasses.
    pub class: ClassId,
    /// Receives the exception.
    pub local: LocalId,
    /// Handler.
    pub body: Vec<Stmt>,
}
