use super::builders::*;
use super::run;
use apg_mir::*;

#[test]
fn hello() {
    assert_eq!(run(&statements(&[], vec![print(text("Hello, \u{4e16}!"))])), "Hello, \u{4e16}!\n");
}

#[test]
fn integers_wrap_and_shifts_are_masked() {
    let max = i64::from(i32::MAX);
    let body = vec![
        print_long(convert(Ty::I64, add(int(max), var(1, Ty::I32)))),
        print_long(convert(Ty::I64, op(Operation::Shl, vec![var(1, Ty::I32), int(33)]))),
        print_long(op(Operation::UShr, vec![long(-1), long(60)])),
        print_long(op(
            Operation::Div,
            vec![long(i64::MIN), convert(Ty::I64, op(Operation::Neg, vec![var(1, Ty::I32)]))],
        )),
        print_long(convert(Ty::I64, convert(Ty::I8, add(int(200), var(1, Ty::I32))))),
        print_long(convert(Ty::I64, convert(Ty::I32, float(3e10)))),
        print_long(convert(Ty::I64, convert(Ty::I32, float(f64::NAN)))),
        print_long(convert(Ty::I64, convert(Ty::U32, float(-5.0)))),
        print_long(convert(Ty::I64, float(-1e30))),
    ];
    let mut all = vec![set(1, int(1))];
    all.extend(body);
    let expected = format!("{}\n2\n15\n{}\n-55\n{max}\n0\n0\n{}\n", i32::MIN, i64::MIN, i64::MIN);
    assert_eq!(run(&statements(&[Ty::I32], all)), expected);
}

/// Function 2 prints its argument and returns it.
fn with_echo(types: &[Ty], body: Vec<Stmt>) -> Program {
    let mut program = statements(types, body);
    program.functions.push(function(
        "echo",
        1,
        &[Ty::I64],
        Ty::I64,
        vec![print_long(var(0, Ty::I64)), ret(Some(var(0, Ty::I64)))],
    ));
    program
}

fn echo(value: i64) -> Expr {
    call(Ty::I64, 2, vec![long(value)])
}

#[test]
fn operands_are_evaluated_left_to_right() {
    let sum = add(add(echo(1), echo(2)), mul(echo(3), echo(4)));
    assert_eq!(run(&with_echo(&[], vec![print_long(sum)])), "1\n2\n3\n4\n15\n");
}

#[test]
fn finally_runs_on_every_way_out() {
    // while (i < 4) { try { if (i == 1) continue; if (i == 2) throw; if (i == 3) break; } catch { 200 }
    // finally { 100 + i } i++ }
    let i = || var(1, Ty::I64);
    let when = |value, kind| when_true(eq(i(), long(value)), vec![stmt(kind)]);
    let thrown = expr(Ty::Any, ExprKind::Allocate(EXCEPTION));
    let attempt = stmt(StmtKind::Try {
        body: vec![
            when(1, StmtKind::Continue(LabelId(0))),
            when(2, StmtKind::Throw(thrown)),
            when(3, StmtKind::Break(LabelId(0))),
        ],
        catches: vec![Catch { class: EXCEPTION, local: LocalId(2), body: vec![print_long(long(200))] }],
        finally: vec![print_long(add(long(100), i()))],
    });
    let body = vec![
        set(1, long(0)),
        repeat(0, lt(i(), long(10)), vec![attempt, print_long(i())], vec![set(1, add(i(), long(1)))]),
        print_long(i()),
    ];
    let expected = "100\n0\n101\n200\n102\n2\n103\n3\n";
    assert_eq!(run(&statements(&[Ty::I64, Ty::Ref(EXCEPTION)], body)), expected);
}

#[test]
fn a_return_leaves_finish_and_atomic_in_order() {
    let inner = vec![print_long(long(1)), ret(Some(long(7)))];
    let body = vec![stmt(StmtKind::Try {
        body: vec![stmt(StmtKind::Atomic(vec![stmt(StmtKind::Finish { body: inner, clocked: false })]))],
        catches: vec![],
        finally: vec![print_long(long(2))],
    })];
    let mut program = statements(&[], vec![print_long(call(Ty::I64, 2, vec![]))]);
    program.functions.push(function("seven", 0, &[], Ty::I64, body));
    assert_eq!(run(&program), "1\n2\n7\n");
}

#[test]
fn checks_raise() {
    let rail = || var(1, Ty::Ref(INTS));
    let attempt = |value: Expr| {
        stmt(StmtKind::Try {
            body: vec![print_long(convert(Ty::I64, value))],
            catches: vec![Catch { class: EXCEPTION, local: LocalId(2), body: vec![print(text("caught"))] }],
            finally: vec![],
        })
    };
    let length =
        expr(Ty::I64, ExprKind::AllocateRail { class: INTS, length: Box::new(long(-1)), zeroed: true });
    let body = vec![
        set(
            1,
            expr(
                Ty::Ref(INTS),
                ExprKind::AllocateRail { class: INTS, length: Box::new(long(3)), zeroed: true },
            ),
        ),
        store(rail(), Ty::I32, long(2), int(5)),
        attempt(element(Ty::I32, rail(), long(2))),
        attempt(element(Ty::I32, rail(), long(3))),
        attempt(element(Ty::I32, rail(), long(-1))),
        attempt(op(Operation::Div, vec![int(1), element(Ty::I32, rail(), long(0))])),
        attempt(expr(
            Ty::I64,
            ExprKind::Length { rail: Box::new(expr(Ty::Ref(INTS), ExprKind::Null)), checked: true },
        )),
        set(1, Expr { ty: Ty::Ref(INTS), ..length }),
    ];
    let expected = "5\ncaught\ncaught\ncaught\ncaught\nuncaught x10.lang.Exception\n";
    assert_eq!(run(&statements(&[Ty::Ref(INTS), Ty::Ref(EXCEPTION)], body)), expected);
}

#[test]
fn closures_and_dispatch() {
    // An interface with one method, a class that implements it, a closure with a capture.
    let mut program = statements(&[Ty::Any, Ty::Any], vec![]);
    let field = |name: &str| Field { name: name.into(), ty: Ty::I64 };
    let get = |class| {
        let object = Box::new(var(0, Ty::Any));
        expr(Ty::I64, ExprKind::Field { object, class, field: 0, checked: false })
    };
    let (counter, closure) = (ClassId(5), ClassId(6));
    program.functions.push(function("Counter.get", 1, &[Ty::Any], Ty::I64, vec![ret(Some(get(counter)))]));
    program.functions.push(function(
        "closure",
        2,
        &[Ty::Any, Ty::I64],
        Ty::I64,
        vec![ret(Some(mul(get(closure), var(1, Ty::I64))))],
    ));
    program.interfaces.push(Interface { name: "Source".into(), slots: 1 });
    let class = |name: &str, kind, vtable, interfaces| Class {
        attributes: TypeAttributes::default(),
        name: name.into(),
        kind,
        superclass: Some(ROOT),
        fields: vec![field("value")],
        vtable,
        interfaces,
    };
    let code = Some(FunctionId(2));
    program.classes.push(class(
        "Counter",
        ClassKind::Object,
        vec![None, None, None, None, code],
        vec![(InterfaceId(0), vec![code])],
    ));
    program.classes.push(class(
        "Main.$closure",
        ClassKind::Closure,
        vec![None, None, None, None, Some(FunctionId(3))],
        vec![],
    ));
    let make = |class, value| expr(Ty::Any, ExprKind::MakeObject { class, fields: vec![long(value)] });
    let object = || var(1, Ty::Any);
    program.functions[0].body = vec![
        set(1, make(counter, 5)),
        set(2, make(closure, 6)),
        print_long(expr(Ty::I64, ExprKind::CallVirtual { class: counter, slot: 4, args: vec![object()] })),
        print_long(expr(
            Ty::I64,
            ExprKind::CallInterface { interface: InterfaceId(0), slot: 0, args: vec![make(counter, 8)] },
        )),
        print_long(expr(
            Ty::I64,
            ExprKind::CallClosure { interface: InterfaceId(0), args: vec![var(2, Ty::Any), long(7)] },
        )),
        when_true(
            expr(
                Ty::Bool,
                ExprKind::InstanceOf {
                    value: Box::new(object()),
                    target: CastTarget::Interface(InterfaceId(0)),
                },
            ),
            vec![print(text("a source"))],
        ),
        set(
            1,
            expr(
                Ty::Any,
                ExprKind::Cast {
                    value: Box::new(object()),
                    target: CastTarget::Class(closure),
                    checked: true,
                },
            ),
        ),
    ];
    assert_eq!(run(&program), "5\n8\n42\na source\nuncaught x10.lang.Exception\n");
}

#[test]
fn statics_are_initialised_once_on_first_use() {
    let mut program = with_echo(&[], vec![]);
    program.functions.push(function("init", 0, &[], Ty::I64, vec![ret(Some(echo(9)))]));
    program.statics.push(Static { name: "Main.nine".into(), ty: Ty::I64, init: FunctionId(3) });
    let nine = || expr(Ty::I64, ExprKind::Static(StaticId(0)));
    program.functions[0].body = vec![print_long(long(1)), print_long(add(nine(), nine()))];
    assert_eq!(run(&program), "1\n9\n18\n");
}

#[test]
fn an_unknown_entry_is_an_error_with_its_line() {
    let mut program = statements(&[], vec![print(text("x"))]);
    program.functions[0].body[0].kind = StmtKind::Expr(runtime(Ty::Void, "no_such_entry", vec![]));
    let errors = super::emit(&program).unwrap_err();
    assert_eq!(errors[0].to_string(), "Test.x10:1: the runtime has no entry `no_such_entry`");
}

#[test]
fn loops_switches_and_labels() {
    // outer: for (i = 0; i < 3; i++) { switch (i) { case 0: print 10; case 1: print 11; break; default: { b:
    // { break b; } print 12 } } j = 0; do { if (j == 1) continue outer; j++ } while (true) }
    let i = || var(1, Ty::I64);
    let j = || var(2, Ty::I64);
    let labelled = stmt(StmtKind::Labeled {
        label: LabelId(2),
        body: vec![stmt(StmtKind::Break(LabelId(2))), print_long(long(99))],
    });
    let switch = stmt(StmtKind::Switch {
        label: LabelId(1),
        value: i(),
        cases: vec![
            (vec![Some(0)], vec![print_long(long(10))]),
            (vec![Some(1), Some(5)], vec![print_long(long(11)), stmt(StmtKind::Break(LabelId(1)))]),
            (vec![None], vec![labelled, print_long(long(12))]),
        ],
    });
    let inner = stmt(StmtKind::Loop {
        label: LabelId(3),
        condition: expr(Ty::Bool, ExprKind::Int(1)),
        body: vec![when_true(eq(j(), long(1)), vec![stmt(StmtKind::Continue(LabelId(0)))])],
        update: vec![set(2, add(j(), long(1)))],
        unroll: None,
        post_tested: true,
    });
    let body = vec![
        set(1, long(0)),
        repeat(0, lt(i(), long(3)), vec![switch, set(2, long(0)), inner], vec![set(1, add(i(), long(1)))]),
    ];
    assert_eq!(run(&statements(&[Ty::I64, Ty::I64], body)), "10\n11\n11\n12\n");
}

#[test]
fn an_edit_changes_the_unit_of_its_file_and_the_tables_only() {
    let units = |main: Vec<Stmt>, extra: bool| {
        let mut program = with_echo(&[], main);
        program.files.push("Library.x10".into());
        for function in &mut program.functions[1..] {
            function.span.file = FileId(1);
        }
        if extra {
            // A class and a function in front of the others would move every index.
            program.functions.push(function("Main.more", 0, &[], Ty::Void, vec![]));
            program.classes.push(Class { name: "More".into(), ..program.classes[3].clone() });
        }
        super::emit(&program).unwrap().units
    };
    let before = units(vec![print_long(echo(1))], false);
    let after = units(vec![print_long(echo(2)), print(text("more"))], true);
    let changed: Vec<&str> =
        before.iter().zip(&after).filter(|(a, b)| a.text != b.text).map(|(a, _)| a.name.as_str()).collect();
    assert_eq!(before.len(), 3);
    assert_eq!(changed, ["main", "tables"]);
}

#[test]
fn small_library_functions_are_inlined_across_units() {
    let mut program = with_echo(&[], vec![print_long(echo(1))]);
    program.files.push("x10/Library.x10".into());
    for function in &mut program.functions[1..] {
        function.span.file = FileId(1);
    }
    let copies = |program: &Program| {
        let units = super::emit(program).unwrap().units;
        units[0].text.matches("gnu_inline").count()
    };
    assert_eq!(copies(&program), 0, "an edit of a user's file shall change one unit");
    program.library.push(FileId(1));
    assert_eq!(copies(&program), 1);
    assert_eq!(run(&program), "1\n1\n");
    for function in &mut program.functions {
        function.recursion.cycle = 1;
    }
    assert_eq!(copies(&program), 0);
}
