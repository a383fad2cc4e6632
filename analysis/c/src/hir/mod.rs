//! Typed high-level intermediate representation of a translation unit: names are resolved, types are known
//! where they can be, directives have their constructs and clauses.
//!
//! Ranges are of the tree of the main file ([`apg_c_syntax::ParsedUnit::main`]).

mod context;
mod directive;
mod ids;
mod mapping;
pub(crate) mod shift;
mod types;
pub mod visit;

use apg_c_syntax::TextRange;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

pub use self::context::{FunctionVariant, Selector, Trait};
pub use self::directive::{
    Clause, Construct, Directive, HostDirective, Item, Mapper, Metadirective, Modifier,
};
pub use self::ids::{DirectiveId, ExprId, FunctionId, RecordId, StmtId, VariableId};
pub use self::mapping::{Mapping, Role, Spelling, Subscript, SubscriptKind};
pub use self::types::{Field, Length, Members, Record, Type};

/// A translation unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// All variables: of file scope, parameters, and local ones.
    pub variables: Vec<Variable>,
    /// All functions, declared or defined.
    pub functions: Vec<Function>,
    /// All structs and unions.
    pub records: Vec<Record>,
    /// All expressions.
    pub exprs: Vec<Expr>,
    /// All statements.
    pub stmts: Vec<Stmt>,
    /// All directives, in the order of the source.
    pub directives: Vec<Directive>,
    /// What `declare mapper` directives declare, those in functions too.
    pub mappers: Vec<Mapper>,
    /// The variables that `threadprivate` directives name, those in headers too.
    pub threadprivate: FxHashSet<VariableId>,
    /// The variables that `declare target` directives name or enclose, those in headers too.
    pub declare_target: FxHashSet<VariableId>,
    /// The variants that `declare variant` directives give functions, those in headers too.
    pub variants: Vec<FunctionVariant>,
    /// How many `declare target` of headers in front of all other code have no end there.
    pub open_declare_targets: u32,
    /// The nodes and templates that directives of headers declare.
    pub header_mappings: FxHashSet<SmolStr>,
    /// What the names of file scope are.
    pub names: FxHashMap<SmolStr, Entity>,
    /// The tags of file scope.
    pub tags: FxHashMap<SmolStr, Type>,
}

/// What an ordinary name refers to (C17 6.2.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entity {
    /// An object.
    Variable(VariableId),
    /// A function.
    Function(FunctionId),
    /// A name of a type.
    Typedef(Type),
    /// A constant of an enumeration.
    Constant(i128),
}

/// Where an object lives (C17 6.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Declared at file scope.
    Global,
    /// `static` in a function.
    StaticLocal,
    /// `_Thread_local`.
    ThreadLocal,
    /// A local object.
    Automatic,
    /// A parameter.
    Parameter,
}

/// An object that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: SmolStr,
    /// The type.
    pub ty: Type,
    /// Where it lives.
    pub storage: Storage,
    /// `const`, of an array its elements: never assigned. What a pointer points to does not count.
    pub is_const: bool,
    /// `volatile` or `_Atomic`: each access reads or stores memory.
    pub is_volatile: bool,
    /// `_Atomic`, of an array or pointer the elements: each access is indivisible (C17 6.7.3).
    pub is_atomic: bool,
    /// The name in the declaration; `None` in headers.
    pub range: Option<TextRange>,
    /// The function that declares it.
    pub function: Option<FunctionId>,
    /// What it is initialised with.
    pub initializer: Option<ExprId>,
}

impl Variable {
    /// Every thread sees the same object, unless a clause says otherwise.
    pub fn has_static_storage(&self) -> bool {
        matches!(self.storage, Storage::Global | Storage::StaticLocal)
    }
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name.
    pub name: SmolStr,
    /// What it returns.
    pub result: Type,
    /// `static`: other files do not see it (C17 6.2.2).
    pub is_static: bool,
    /// The main file declares it, not only a header.
    pub is_declared_here: bool,
    /// GNU: a function in a function, whose body is not here.
    pub is_nested: bool,
    /// There are functions in it: uses of its variables may be missing.
    pub has_nested: bool,
    /// Its parameters, if it is defined here.
    pub parameters: Vec<VariableId>,
    /// Its body, if it is defined in the main file.
    pub body: Option<StmtId>,
    /// The name in its definition.
    pub range: Option<TextRange>,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it is.
    pub range: TextRange,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// Something that is not understood, with its operands.
    Other(Vec<ExprId>),
    /// An object.
    Variable(VariableId),
    /// A function.
    Function(FunctionId),
    /// A name that is not declared.
    Unresolved(SmolStr),
    /// An integer or character constant.
    Integer(i128),
    /// A floating constant: the bits of its value as a `double`.
    Float(u64),
    /// A string.
    String,
    /// An operation on one value.
    Unary(UnaryOp, ExprId),
    /// An operation on two values.
    Binary(BinaryOp, ExprId, ExprId),
    /// `=`, or a compound assignment with its operator.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// `++` and `--`.
    Increment {
        /// What is changed.
        target: ExprId,
        /// `--`.
        is_decrement: bool,
        /// The value is the one before.
        is_postfix: bool,
    },
    /// `&`
    AddressOf(ExprId),
    /// `*`
    Dereference(ExprId),
    /// `a[i]`
    Index(ExprId, ExprId),
    /// `a[low:length]`, without those that are left out.
    Section(ExprId, Option<ExprId>, Option<ExprId>),
    /// `a:[image]`: an object of another image (XcalableMP 1.4, section 6.2).
    Coindexed(ExprId, ExprId),
    /// `a.b` and `a->b`.
    Member {
        /// The struct, or the pointer to one.
        base: ExprId,
        /// The member.
        field: SmolStr,
        /// `->`
        is_arrow: bool,
    },
    /// A call.
    Call(ExprId, Vec<ExprId>),
    /// A conversion.
    Cast(ExprId),
    /// `a ? b : c`; GNU: without `b`.
    Conditional(ExprId, Option<ExprId>, ExprId),
    /// `a, b`
    Comma(ExprId, ExprId),
    /// `sizeof` and the like: what they contain is not evaluated.
    Unevaluated,
    /// The values of an initialiser or compound literal, in order.
    List(Vec<ExprId>),
    /// The values of an initialiser, some of which have designators (C17 6.7.9).
    Designated(Vec<(Vec<Designator>, ExprId)>),
    /// GNU: a block as an expression.
    Block(StmtId),
}

/// What a value of an initialiser is for (C17 6.7.9, paragraphs 6 and 7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Designator {
    /// `.field`
    Field(SmolStr),
    /// `[index]`
    Element(ExprId),
    /// GNU: `[first ... last]`
    Elements(ExprId, ExprId),
}

/// An operation on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`
    Complement,
    /// `!`
    Not,
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the operators")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitOr,
    BitXor,
    And,
    Or,
}

impl BinaryOp {
    /// The operator as it is written.
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Less => "<",
            BinaryOp::Greater => ">",
            BinaryOp::LessEqual => "<=",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }

    /// The result is 0 or 1.
    pub fn is_condition(self) -> bool {
        use BinaryOp::*;
        matches!(self, Less | Greater | LessEqual | GreaterEqual | Equal | NotEqual | And | Or)
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it is.
    pub range: TextRange,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// Nothing, or what is not understood.
    Empty,
    /// `{ ... }`
    Block(Vec<StmtId>),
    /// An expression.
    Expr(ExprId),
    /// Declared objects.
    Declaration(Vec<VariableId>),
    /// `if`
    If(ExprId, StmtId, Option<StmtId>),
    /// `while`
    While(ExprId, StmtId),
    /// `do`
    DoWhile(StmtId, ExprId),
    /// `for`
    For {
        /// A declaration or an expression.
        init: Option<StmtId>,
        /// The condition.
        condition: Option<ExprId>,
        /// What follows each iteration.
        step: Option<ExprId>,
        /// The body.
        body: StmtId,
    },
    /// `switch`
    Switch(ExprId, StmtId),
    /// `goto`, with the label if it has one.
    Goto(Option<SmolStr>),
    /// A label and its statement.
    Label(SmolStr, Option<StmtId>),
    /// `case` or `default`, and its statement.
    Case(CaseLabel, Option<StmtId>),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`
    Return(Option<ExprId>),
    /// `asm`, with its operands.
    Asm(Vec<ExprId>),
    /// A directive; its statement is in [`Directive::body`].
    Directive(DirectiveId),
}

/// A label of a `switch` (C17 6.8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseLabel {
    /// `default`
    Default,
    /// `case` with its value.
    Value(ExprId),
    /// GNU: `case` with the first and the last of its values.
    Range(ExprId, ExprId),
    /// `case` without a value.
    Missing,
}

impl Program {
    /// An object.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.index()]
    }

    /// A function.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// A struct or union.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.index()]
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// A statement.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.index()]
    }

    /// A directive.
    pub fn directive(&self, id: DirectiveId) -> &Directive {
        &self.directives[id.index()]
    }

    /// All directives with their numbers.
    pub fn directive_ids(&self) -> impl Iterator<Item = DirectiveId> + use<> {
        (0..self.directives.len()).map(DirectiveId::new)
    }

    /// The functions that are defined in the main file.
    pub fn defined_functions(&self) -> impl Iterator<Item = (FunctionId, StmtId)> {
        self.functions.iter().enumerate().filter_map(|(n, it)| Some((FunctionId::new(n), it.body?)))
    }

    /// The object that an expression names: alone, or with indices and members of arrays and structs.
    pub fn base_variable(&self, expr: ExprId) -> Option<VariableId> {
        match &self.expr(expr).kind {
            ExprKind::Variable(it) => Some(*it),
            ExprKind::Index(base, _) | ExprKind::Section(base, ..) | ExprKind::Member { base, .. } => {
                self.base_variable(*base)
            }
            ExprKind::Dereference(base) | ExprKind::Cast(base) => self.base_variable(*base),
            _ => None,
        }
    }

    /// Whether a directive of the file declares a reduction.
    pub fn declares_reductions(&self) -> bool {
        self.directives.iter().any(|it| it.has(Construct::DeclareReduction))
    }

    /// The mapper of a name for a type.
    pub fn mapper(&self, name: &str, ty: &Type) -> Option<&Mapper> {
        self.mappers.iter().rev().find(|it| it.name == name && it.ty == *ty)
    }

    /// The name of the function that a call calls.
    pub fn callee_name(&self, callee: ExprId) -> Option<&str> {
        match &self.expr(callee).kind {
            ExprKind::Function(it) => Some(&self.function(*it).name),
            ExprKind::Unresolved(name) => Some(name),
            _ => None,
        }
    }
}
