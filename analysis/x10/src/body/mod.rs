//! Typed bodies: what `infer` makes of the code of one method, constructor, field initialiser or
//! closure, and the only form of code that the kernel recogniser, the flow checks and `apg-lower-x10`'s
//! lowering read. Everything that X10 leaves implicit is explicit here: the resolved callee, the
//! type arguments, implicit conversions, `this`, captured variables, the getter and setter of
//! `a(i) += v`.
//!
//! A body is position-independent: ranges are relative to the start of the item that owns it, so an
//! edit elsewhere in the file leaves the query result equal (invariant 3).

pub(crate) mod local_class_env;
pub(crate) mod owner;
pub(crate) mod parents;
pub(crate) mod walk;

use apg_syntax::TextRange;
use smol_str::SmolStr;

pub use owner::Owner;
pub(crate) use owner::enclosing_owner;

use crate::ids::{ClassId, FieldId, MethodId};
use crate::ty::Ty;
use crate::ty::type_test::TypeTest;

/// Index of an expression in [`Body::exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);
/// Index of a statement in [`Body::stmts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StmtId(pub u32);
/// Index of a local variable, formal parameter or compiler temporary in [`Body::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);
/// A jump target: a loop, `switch` or labelled statement, numbered within the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);

/// The typed code of one method, constructor or field initialiser. A body with errors still has a
/// tree: unknown parts are [`ExprKind::Error`] of type `Ty::error`, about which nothing more is said.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Body {
    /// All locals: formals first (in order), then declared ones and temporaries.
    pub locals: Vec<Local>,
    /// All expressions.
    pub exprs: Vec<Expr>,
    /// All statements.
    pub stmts: Vec<Stmt>,
    /// The formals, in order (without `this`).
    pub params: Vec<LocalId>,
    /// The code; `None` for an abstract or native method. An expression body `= e` is a `Return`.
    pub root: Option<StmtId>,
    /// Expressions marked `@FastMath`.
    pub fast: Vec<ExprId>,
}

/// A local variable, formal parameter or temporary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Source name; temporaries start with `$`.
    pub name: SmolStr,
    /// Declared or inferred type.
    pub ty: Ty,
    /// `var`: may be assigned more than once.
    pub mutable: bool,
    /// What kind of declaration introduced it.
    pub kind: LocalKind,
    /// The name in the source, relative to the owning item.
    pub range: TextRange,
}

/// The kind of declaration that introduced a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalKind {
    /// A formal of the method or constructor itself.
    Param,
    /// A formal of a closure.
    ClosureParam,
    /// `val` or `var`.
    Declared,
    /// The variable of a `for` or `ateach`, or a component of its point pattern.
    Loop,
    /// The variable of a `catch`.
    Catch,
    /// Made by desugaring.
    Temporary,
}

/// A typed expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// The operation.
    pub kind: ExprKind,
    /// Its type, with its constraint.
    pub ty: Ty,
    /// Source range relative to the owning item; of the nearest written expression if implicit.
    pub range: TextRange,
}

/// A literal. Integers are the bits of the value, sign-extended; their width is the expression's type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// Byte to ULong.
    Int(i64),
    /// `Float` or `Double`, as the bits of an `f64` (rounded to `f32` first for `Float`).
    Float(u64),
    /// `Boolean`.
    Bool(bool),
    /// `Char`.
    Char(char),
    /// `String`, escapes resolved.
    String(SmolStr),
    /// `null`.
    Null,
}

/// How the code of a call is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dispatch {
    /// Static method, operator or struct method: known now.
    Static,
    /// Instance method of a class or interface, chosen by the receiver's run-time type.
    Virtual,
    /// `super.m()`: known now, though virtual.
    Super,
}

/// Expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum ExprKind {
    /// Could not be resolved; already reported.
    Error,
    /// A literal.
    Literal(Literal),
    /// A local variable.
    Local(LocalId),
    /// `this`.
    This,
    /// `C.this` of an enclosing class.
    Outer(ClassId),
    /// `here`.
    Here,
    /// `e.f`, property or field.
    Field { object: ExprId, field: FieldId },
    /// `C.f`.
    StaticField(FieldId),
    /// A method, operator, conversion or property-method call. Operators on built-in structs are
    /// calls of the class library's `native` operators, like all others.
    Call {
        /// The method.
        method: MethodId,
        /// How it is found.
        dispatch: Dispatch,
        /// The receiver; `None` for a static method.
        receiver: Option<ExprId>,
        /// The declaring class's type arguments, as seen from the receiver's type.
        class_args: Vec<Ty>,
        /// The method's own type arguments.
        type_args: Vec<Ty>,
        /// Arguments, converted to the formals' types.
        args: Vec<ExprId>,
    },
    /// `new C[T](args)`, and a struct's `S[T](args)`. An object of an anonymous class is made by the class's
    /// automatic constructor.
    /// `outer` is the object that an inner class is made through: `o.new C(args)`; else it is at hand.
    New {
        outer: Option<ExprId>,
        class: ClassId,
        class_args: Vec<Ty>,
        constructor: MethodId,
        args: Vec<ExprId>,
    },
    /// `f(args)` for a value of function type.
    ClosureCall { closure: ExprId, args: Vec<ExprId> },
    /// `(x:T) => e`.
    Closure(Box<Closure>),
    /// `[a, b, c]`.
    RailLiteral { element: Ty, items: Vec<ExprId> },
    /// Assignment; its value is the value assigned. `a(i) = v` is a `Call` of the setter.
    Assign { target: AssignTarget, value: ExprId },
    /// `e as T` that may fail at run time, or that a constraint makes a checked one.
    Cast { value: ExprId, checked: bool },
    /// Value kept, static type changed without run-time work (upcast, dropped constraint, `null`).
    Coerce { value: ExprId },
    /// A struct or function value becomes a reference of type `Any` or an interface.
    Box { value: ExprId },
    /// The opposite, with a run-time check.
    Unbox { value: ExprId },
    /// `e instanceof T`.
    InstanceOf { value: ExprId, ty: Ty },
    /// A condition on types that depends on type parameters: known once those are.
    TypeTest(TypeTest),
    /// `c ? a : b`.
    Conditional { condition: ExprId, then: ExprId, otherwise: ExprId },
    /// `a && b` (`is_or` false) and `a || b`.
    ShortCircuit { is_or: bool, left: ExprId, right: ExprId },
    /// `a == b`, `a != b`: value equality of primitives and structs, identity of references.
    Equal { negated: bool, left: ExprId, right: ExprId },
    /// String concatenation of two or more parts, each of any type (`null` prints as "null").
    Concat { parts: Vec<ExprId> },
    /// Statements, then a value: desugared compound assignments and increments.
    Let { stmts: Vec<StmtId>, result: ExprId },
    /// `at (p) { ... e }` as an expression.
    At { place: ExprId, body: StmtId, captures: Vec<Capture> },
}

/// The left side of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum AssignTarget {
    /// A local.
    Local(LocalId),
    /// An instance field.
    Field { object: ExprId, field: FieldId },
    /// A static field (only its own initialisation).
    Static(FieldId),
}

/// A closure literal. Its result is delivered by `Return` statements inside `body`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closure {
    /// Formals.
    pub params: Vec<LocalId>,
    /// Result type, `void` included.
    pub result: Ty,
    /// The code.
    pub body: StmtId,
    /// Variables of enclosing scopes that it uses, in order of first use.
    pub captures: Vec<Capture>,
}

/// A variable of an enclosing scope used inside a closure, `async` or `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The captured variable.
    pub what: Captured,
    /// `var` shared with the enclosing activity (only `async` at the same place may); else a copy.
    pub by_reference: bool,
}

/// The captured thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Captured {
    /// A local.
    Local(LocalId),
    /// `this` of the enclosing instance method.
    This,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// The operation.
    pub kind: StmtKind,
    /// Source range relative to the owning item.
    pub range: TextRange,
    /// `@CUDA`, `@Unroll(4)`, ... in source order.
    pub annotations: Vec<Annotation>,
}

/// A use of an annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// The annotation interface; `None` if unresolved.
    pub class: Option<ClassId>,
    /// Its name as written, last component.
    pub name: SmolStr,
    /// Arguments.
    pub args: Vec<ExprId>,
    /// Its range.
    pub range: TextRange,
}

/// How a `for (x in e)` iterates; decides how it is lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum Iteration {
    /// `IntRange`: ascending by one, both ends included. The variable is an `Int`.
    IntRange,
    /// `LongRange`, likewise with `Long`.
    LongRange,
    /// `Rail[T]`: its elements.
    Rail,
    /// Any `Iterable[T]`: the three methods to call.
    Iterable { iterator: MethodId, has_next: MethodId, next: MethodId, iterator_ty: Ty },
}

/// Whether an `async` or `finish` is clocked.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Clocked {
    /// Not.
    #[default]
    No,
    /// `clocked async` / `clocked finish`: the implicit clock.
    Implicit,
    /// `async clocked (c, d)`.
    Clocks(Vec<ExprId>),
}

/// Statements.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum StmtKind {
    /// Did not parse or resolve; already reported.
    Error,
    /// `;`
    Empty,
    /// `{ ... }`
    Block(Vec<StmtId>),
    /// `val`/`var`; without `init`, definite assignment guarantees one before use.
    Let { local: LocalId, init: Option<ExprId> },
    /// An expression for its effect.
    Expr(ExprId),
    /// `this(...)` or `super(...)` at the start of a constructor; an omitted `super()` is written out.
    /// The initialisers of fields run after it, and after `property(...)`.
    /// `outer` is that of `o.super(...)`.
    ConstructorCall {
        is_super: bool,
        outer: Option<ExprId>,
        class_args: Vec<Ty>,
        constructor: MethodId,
        args: Vec<ExprId>,
    },
    /// `property(a, b)`: sets the properties, in declaration order.
    Property { fields: Vec<FieldId>, values: Vec<ExprId> },
    /// `if`.
    If { condition: ExprId, then: StmtId, otherwise: Option<StmtId> },
    /// `while`.
    While { label: LabelId, condition: ExprId, body: StmtId },
    /// `do ... while`.
    DoWhile { label: LabelId, body: StmtId, condition: ExprId },
    /// `for (init; condition; update)`.
    For { label: LabelId, init: Vec<StmtId>, condition: Option<ExprId>, update: Vec<ExprId>, body: StmtId },
    /// `for (x in e)`. `local` is the element; `components` take a point apart (`[i, j]`).
    ForIn {
        label: LabelId,
        local: LocalId,
        components: Vec<LocalId>,
        iterable: ExprId,
        iteration: Iteration,
        body: StmtId,
    },
    /// `switch`; each case: its constants (`None` is `default`) and statements, which fall through.
    Switch { label: LabelId, value: ExprId, cases: Vec<(Vec<Option<Literal>>, Vec<StmtId>)> },
    /// A labelled statement that is not a loop.
    Labeled { label: LabelId, body: StmtId },
    /// `break`, target resolved.
    Break(LabelId),
    /// `continue`, target resolved.
    Continue(LabelId),
    /// `return`, from the closest method, closure or `at` expression.
    Return(Option<ExprId>),
    /// `throw`.
    Throw(ExprId),
    /// `try`.
    Try { body: StmtId, catches: Vec<(LocalId, StmtId)>, finally: Option<StmtId> },
    /// `assert c : m`.
    Assert { condition: ExprId, message: Option<ExprId> },
    /// `async S`.
    Async { clocked: Clocked, body: StmtId, captures: Vec<Capture> },
    /// `finish S`.
    Finish { clocked: Clocked, body: StmtId },
    /// `at (p) S`.
    At { place: ExprId, body: StmtId, captures: Vec<Capture> },
    /// `ateach (p in d) S`.
    AtEach {
        clocked: Clocked,
        local: Option<LocalId>,
        distribution: ExprId,
        body: StmtId,
        captures: Vec<Capture>,
    },
    /// `atomic S`.
    Atomic(StmtId),
    /// `when (c) S or (d) T`.
    When(Vec<(ExprId, StmtId)>),
}

impl Body {
    /// Gives back the memory that was reserved for more: bodies are many and stay.
    pub(crate) fn shrink(&mut self) {
        self.locals.shrink_to_fit();
        self.exprs.shrink_to_fit();
        self.stmts.shrink_to_fit();
        self.params.shrink_to_fit();
    }

    /// The expression `id`.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }
    /// The statement `id`.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }
    /// The local `id`.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }
}
