//! Programs as trees: what is printed as X10 and evaluated here.

use crate::values::{Binary, Type, Unary, Value};

/// A local variable: its number in the function, which its name shows.
pub(crate) type Local = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrayKind {
    Rail,
    RailOfRails,
    Array2,
    Array3,
}

impl ArrayKind {
    pub(crate) fn rank(self) -> usize {
        match self {
            ArrayKind::Rail => 1,
            ArrayKind::RailOfRails | ArrayKind::Array2 => 2,
            ArrayKind::Array3 => 3,
        }
    }
}

/// Ways in which a value comes back as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detour {
    /// A generic method.
    Method,
    /// A generic class, through the interface that it implements.
    Interface,
    /// A struct that overloads operators.
    Operator,
    List,
    Map,
    /// An object of this place, from another.
    GlobalRef,
    /// What one activity writes and another waits for.
    When,
    /// An array over a region that does not start at zero.
    Region,
    /// An object that every place has.
    PlaceLocal,
    /// A closure that is called at once, by itself or by a generic method.
    Closure,
    Passed,
    Rails,
    /// An activity of its own at this place.
    Activity,
    /// Another place, which sees copies of all objects.
    At,
}

impl Detour {
    pub(crate) const ALL: [Detour; 14] = [
        Detour::Method,
        Detour::Interface,
        Detour::Operator,
        Detour::List,
        Detour::Map,
        Detour::GlobalRef,
        Detour::When,
        Detour::Region,
        Detour::PlaceLocal,
        Detour::Closure,
        Detour::Passed,
        Detour::Rails,
        Detour::Activity,
        Detour::At,
    ];

    /// Whether the value is computed in a body of its own, which may not use what others assign.
    pub(crate) fn captures(self) -> bool {
        matches!(
            self,
            Detour::PlaceLocal
                | Detour::Closure
                | Detour::Passed
                | Detour::Rails
                | Detour::Activity
                | Detour::At
        )
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Literal(Value),
    Local(Local),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Convert(Type, Box<Expr>),
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    Element(Element),
    Size(Local),
    /// A function of the program.
    Call(usize, Vec<Expr>),
    /// A method, by its number in the class: of the object that a variable has.
    Invoke(Local, usize, Vec<Expr>),
    /// The method that this one overrides.
    Super(usize, Vec<Expr>),
    Field(Local, usize),
    /// A closure that a variable has.
    Apply(Local, Vec<Expr>),
    Detour(Detour, Type, Box<Expr>),
}

#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub array: Local,
    pub kind: ArrayKind,
    pub indices: Vec<Expr>,
}

/// How a loop counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `for (i in low..high)`
    Range,
    /// `for (var i = low; i OP high; i += step)`
    For,
    While,
    DoWhile,
}

#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub form: Form,
    pub local: Local,
    pub ty: Type,
    pub from: Expr,
    pub to: Expr,
    pub comparison: Binary,
    pub step: i64,
    /// `@Unroll(n)`, which changes nothing that can be seen.
    pub unroll: Option<i64>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub value: i64,
    pub body: Vec<Stmt>,
    /// Whether the next case is gone on with.
    pub falls: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    Declare(Local, Type, bool, Expr),
    /// A closure of one expression.
    Closure(Local, Vec<(Local, Type)>, Type, Expr),
    /// An object of the second class in a variable of the first.
    Object(Local, usize, usize, Vec<Expr>),
    Assign(Local, Option<Binary>, Expr),
    Store(Element, Option<Binary>, Expr),
    SetField(Local, usize, Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    Loop(Box<Loop>),
    /// Out of the loop that counts this variable, or to its next iteration.
    Break(Local),
    Continue(Local),
    /// The lowest bits of a value choose a case; the last is the default.
    Switch(Expr, i64, Vec<Case>),
    /// Body, handlers of ArithmeticException, of any exception, and what comes at last.
    Try(Vec<Stmt>, Option<Vec<Stmt>>, Vec<Stmt>, Vec<Stmt>),
    Throw,
    Return(Expr),
    /// `count` activities add to a variable.
    Parallel {
        target: Local,
        ty: Type,
        local: Local,
        count: i64,
        value: Expr,
    },
    /// Each of `count` clocked activities writes its element, waits for all, and adds another's to a
    /// variable.
    Clocked {
        target: Local,
        ty: Type,
        local: Local,
        rail: Local,
        count: i64,
        value: Expr,
        other: i64,
    },
    /// A barrier of a kernel.
    Advance,
    /// A loop of all threads of a block together: barriers are among its statements.
    Rounds(Box<Loop>),
}

#[derive(Clone, Debug)]
pub(crate) enum Parameter {
    Plain(Type),
    Array(ArrayKind, Type),
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: String,
    /// The class whose method it is; its first variable is then the object.
    pub class: Option<usize>,
    pub parameters: Vec<(Local, Parameter)>,
    pub ret: Type,
    pub body: Vec<Stmt>,
    /// How many variables it has.
    pub locals: usize,
    pub kernel: Option<Kernel>,
    /// Whether kernels may call it.
    pub device: bool,
}

/// What a function whose body each thread of a kernel runs has besides.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub blocks: i64,
    pub threads: i64,
    pub block: Local,
    pub thread: Local,
    /// A rail private to each thread, and a rail shared by the threads of a block.
    pub own: (Local, Type, i64),
    pub shared: (Local, Type),
}

#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub name: String,
    pub parent: Option<usize>,
    /// With the inherited ones, which come first.
    pub fields: Vec<Type>,
    pub inherited: usize,
    /// The function that each method is here, by the method's number.
    pub methods: Vec<usize>,
}

/// A call of a function with what it is given.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub function: usize,
    pub arguments: Vec<Argument>,
    /// What it prints.
    pub prints: String,
}

#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Plain(Value),
    Array(ArrayKind, Type, Vec<i64>),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub name: String,
    pub functions: Vec<Function>,
    pub classes: Vec<Class>,
    pub calls: Vec<Call>,
}
