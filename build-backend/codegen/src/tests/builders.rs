//! Builders for MIR.

use apg_mir::*;

pub(super) const ROOT: ClassId = ClassId(0);
pub(super) const STRING: ClassId = ClassId(1);
pub(super) const STRINGS: ClassId = ClassId(2);
/// The class of every exception that the runtime raises in tests.
pub(super) const EXCEPTION: ClassId = ClassId(3);
pub(super) const INTS: ClassId = ClassId(4);

pub(super) fn at(line: u32) -> Span {
    Span::of_line(FileId(0), line)
}

pub(super) fn stmt(kind: StmtKind) -> Stmt {
    Stmt::new(at(1), kind)
}

pub(super) fn expr(ty: Ty, kind: ExprKind) -> Expr {
    Expr::new(ty, kind)
}

pub(super) fn long(value: i64) -> Expr {
    expr(Ty::I64, ExprKind::Int(value))
}

pub(super) fn int(value: i64) -> Expr {
    expr(Ty::I32, ExprKind::Int(value))
}

pub(super) fn float(value: f64) -> Expr {
    expr(Ty::F32, ExprKind::Float(value))
}

pub(super) fn text(value: &str) -> Expr {
    expr(Ty::Ref(STRING), ExprKind::String(value.into()))
}

pub(super) fn var(id: u32, ty: Ty) -> Expr {
    expr(ty, ExprKind::Local(LocalId(id)))
}

pub(super) fn op(operation: Operation, args: Vec<Expr>) -> Expr {
    let ty = if operation.is_comparison() { Ty::Bool } else { args[0].ty };
    expr(ty, ExprKind::Operation { operation, args })
}

pub(super) fn add(a: Expr, b: Expr) -> Expr {
    op(Operation::Add, vec![a, b])
}

pub(super) fn mul(a: Expr, b: Expr) -> Expr {
    op(Operation::Mul, vec![a, b])
}

pub(super) fn lt(a: Expr, b: Expr) -> Expr {
    op(Operation::Lt, vec![a, b])
}

pub(super) fn eq(a: Expr, b: Expr) -> Expr {
    op(Operation::Eq, vec![a, b])
}

pub(super) fn convert(ty: Ty, value: Expr) -> Expr {
    expr(ty, ExprKind::Operation { operation: Operation::Convert, args: vec![value] })
}

pub(super) fn runtime(ty: Ty, entry: &str, args: Vec<Expr>) -> Expr {
    expr(ty, ExprKind::Runtime { entry: entry.into(), args })
}

pub(super) fn call(ty: Ty, function: u32, args: Vec<Expr>) -> Expr {
    expr(ty, ExprKind::Call { function: FunctionId(function), args })
}

pub(super) fn element(ty: Ty, rail: Expr, index: Expr) -> Expr {
    expr(ty, ExprKind::Element { rail: Box::new(rail), index: Box::new(index), checked: true })
}

pub(super) fn set(local: u32, value: Expr) -> Stmt {
    stmt(StmtKind::Set { local: LocalId(local), value })
}

pub(super) fn store(rail: Expr, element: Ty, index: Expr, value: Expr) -> Stmt {
    stmt(StmtKind::SetElement { rail, element, index, value, checked: true })
}

pub(super) fn when_true(condition: Expr, then: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::If { condition, then, otherwise: vec![] })
}

pub(super) fn repeat(label: u32, condition: Expr, body: Vec<Stmt>, update: Vec<Stmt>) -> Stmt {
    let label = LabelId(label);
    stmt(StmtKind::Loop { label, condition, body, update, unroll: None, post_tested: false })
}

pub(super) fn ret(value: Option<Expr>) -> Stmt {
    stmt(StmtKind::Return(value))
}

/// Prints a string.
pub(super) fn print(value: Expr) -> Stmt {
    let call = runtime(Ty::Void, "console_print", vec![int(1), value]);
    stmt(StmtKind::Expr(call))
}

/// Prints a Long.
pub(super) fn print_long(value: Expr) -> Stmt {
    print(runtime(Ty::Ref(STRING), "string_from_i64", vec![value]))
}

pub(super) fn locals(types: &[Ty]) -> Vec<Local> {
    let local = |(index, ty): (usize, &Ty)| Local { name: format!("l{index}").into(), ty: *ty };
    types.iter().enumerate().map(local).collect()
}

pub(super) fn function(name: &str, params: u32, types: &[Ty], result: Ty, body: Vec<Stmt>) -> Function {
    Function {
        variables: Vec::new(),
        name: name.into(),
        span: at(1),
        locals: locals(types),
        params,
        result,
        body,
        device: false,
        kernel_only: false,
        recursion: Recursion::default(),
        stack_objects: Vec::new(),
        inlining: Inlining::Free,
        role: FunctionRole::Plain,
    }
}

fn class(name: &str, kind: ClassKind) -> Class {
    Class {
        attributes: TypeAttributes::default(),
        name: name.into(),
        kind,
        superclass: (name != "x10.lang.Any").then_some(ROOT),
        fields: vec![],
        vtable: vec![None; 4],
        interfaces: vec![],
    }
}

/// A program whose `main` is function 0; function 1 makes exceptions.
pub(super) fn program(main: Function) -> Program {
    let factory = function(
        "exception",
        1,
        &[Ty::Any],
        Ty::Any,
        vec![ret(Some(expr(Ty::Any, ExprKind::Allocate(EXCEPTION))))],
    );
    Program {
        files: vec!["Test.x10".into()],
        classes: vec![
            class("x10.lang.Any", ClassKind::Object),
            class("x10.lang.String", ClassKind::String),
            class("x10.lang.Rail[x10.lang.String]", ClassKind::Rail { element: Ty::Ref(STRING) }),
            class("x10.lang.Exception", ClassKind::Object),
            class("x10.lang.Rail[x10.lang.Int]", ClassKind::Rail { element: Ty::I32 }),
        ],
        functions: vec![main, factory],
        main: Some(FunctionId(0)),
        runtime_exceptions: vec![FunctionId(1); 23],
        ..Program::default()
    }
}

/// A program of statements; local 0 is the arguments.
pub(super) fn statements(types: &[Ty], body: Vec<Stmt>) -> Program {
    let mut all = vec![Ty::Ref(STRINGS)];
    all.extend(types);
    program(function("Main.main", 1, &all, Ty::Void, body))
}
