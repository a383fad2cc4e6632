//! Faults of memory and control flow, which the parser lets pass, are found by the rule that they violate.

use super::*;
use crate::text::parse;

/// A function `@f` with these statements. It returns an `i32`, which each body has to do.
fn program(body: &str) -> Program {
    let text = format!(
        "struct @S size 16 align 8 {{ field x: i32 at 0; field p: pointer struct @S at 8; }}
         union @U size 8 align 8 {{ field i: i64; field d: f64; }}
         external @printf(pointer i8, ...): i32;
         global @g: i32 = 3;
         global @c: array 4 of i32 constant = {{1, 2}};
         function @g(%x: i64): i32 {{ return 1:i32; }}
         function @f(%a: i32, %p: pointer i32, %k: pointer(constant) i32, %s: pointer(shared) i32): i32 {{
           memory [%v: i32, %t: array 3 of i32, %n: struct @S, %u: struct @U];
           var [%b: i32, %q: pointer void, %h: pointer function(i64): i32];
           {body}
         }}"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn rules(program: &Program) -> Vec<Rule> {
    verify(program).err().into_iter().flatten().map(|it| it.rule).collect()
}

#[test]
fn memory_and_jumps_are_valid() {
    for body in [
        "store %v = %a; return load %v;",
        "store %n.p = address %n; store (*load %n.p).x = 4:i32; return load %n.x;",
        "%h = function @g; return call %h(3);",
        "return call external @printf(bytes \"x\", 1.5, %p, 3);",
        "goto L1; label L0; return %b; label L1; %b = 1:i32; goto L0;",
        "L0: while true { }",
        "if %a == 0:i32 { %b = 1:i32; } else { %b = 2:i32; } return %b;",
        "L0: while true { %b = 1:i32; break L0; } return %b;",
        "L0: switch %a { case 1 { return 1:i32; } case default { return 2:i32; } }",
        "%q = convert(%p):pointer void; return convert(convert(%q):i64):i32;",
        "return convert(distance(address %t[2], offset(address %t[0], %a))):i32;",
    ] {
        assert_eq!(verify(&program(body)), Ok(()), "{body}");
    }
}

#[test]
fn attributes_belong_to_types_and_fields_that_exist() {
    let transient = FieldAttributes { transient: true, ..FieldAttributes::default() };
    let with = |struct_id, field| {
        let mut program = program("return 1:i32;");
        let mut attributes = TypeAttributes::default();
        attributes.set_field(field, transient);
        program.set_attributes_of_struct(StructId(struct_id), attributes);
        rules(&program)
    };
    assert_eq!(with(0, 1), []);
    assert_eq!(with(0, 2), [Rule::KnownItem]);
    assert_eq!(with(9, 0), [Rule::KnownItem]);
    let mut program = program("return 1:i32;");
    program.textures.insert(StructId(9));
    assert_eq!(rules(&program), [Rule::KnownItem]);
}

#[test]
fn attributes_that_are_taken_back_leave_nothing() {
    let mut program = program("return 1:i32;");
    let mut attributes = TypeAttributes::default();
    attributes.set_field(1, FieldAttributes::IMMUTABLE);
    program.set_attributes_of_struct(StructId(0), attributes.clone());
    assert_eq!(program.attributes_of_struct(StructId(0)).field(1), FieldAttributes::IMMUTABLE);
    attributes.set_field(1, FieldAttributes::default());
    assert_eq!(attributes, TypeAttributes::default());
    program.set_attributes_of_struct(StructId(0), attributes);
    assert!(program.struct_attributes.is_empty());
}

#[test]
fn faults_of_memory_are_found() {
    for (body, expected) in [
        ("store %v = 1; return 1:i32;", Rule::OperandType),
        ("return load %v:i64;", Rule::ResultType),
        ("store (global @c)[0] = 1:i32; return 1:i32;", Rule::ConstantStore),
        ("store (*%k) = 1:i32; return 1:i32;", Rule::ConstantStore),
        ("return load (*%s);", Rule::KernelCode),
        ("%q = zero:pointer void; return convert(load (*%q):i64):i32;", Rule::ValueType),
        ("%q = address %v; return 1:i32;", Rule::OperandType),
        ("%q = address %v:pointer void; return 1:i32;", Rule::ResultType),
        ("return load %t[1.5];", Rule::OperandType),
        ("%h = function @g:pointer void; return 1:i32;", Rule::ResultType),
        ("return call function @g(1:i32);", Rule::OperandType),
        ("return call function @g(1, 2);", Rule::OperandCount),
        ("return call external @printf();", Rule::OperandCount),
        ("return call external @printf(bytes \"%d\", 1:i8);", Rule::OperandType),
        ("return call (%a)(1):i32;", Rule::OperandType),
        ("%q = zero:pointer void; %q = offset(%q, 1); return 1:i32;", Rule::OperandType),
        ("%p = offset(%p, 1.0); return 1:i32;", Rule::OperandType),
        ("return convert(distance(%p, %k)):i32;", Rule::OperandType),
        ("return convert(%p):i32;", Rule::ResultType),
        ("return bitcast(%p):i32;", Rule::OperandType),
        ("return %a + convert(add_undefined(1.0, 2.0)):i32;", Rule::OperandType),
        ("return convert_undefined(%a):i32;", Rule::OperandType),
        ("return %a / %a;", Rule::ObjectHeap),
        ("rt.yield(); return 1:i32;", Rule::ObjectHeap),
        ("try { } return 1:i32;", Rule::ObjectHeap),
        ("return 1:i32 + bytes \"x\":i32;", Rule::ResultType),
    ] {
        let found = rules(&program(body));
        assert!(found.contains(&expected), "{body}: {found:?} instead of {expected:?}");
    }
}

#[test]
fn faults_of_control_flow_are_found() {
    for (body, expected) in [
        ("return %b;", Rule::AssignedLocal),
        ("if %a == 0:i32 { %b = 1:i32; } return %b;", Rule::AssignedLocal),
        (
            "goto L1; label L0; return %b; label L1; if %a == 1:i32 { %b = 1:i32; } goto L0;",
            Rule::AssignedLocal,
        ),
        ("L0: while %a > 0:i32 { %b = 1:i32; } return %b;", Rule::AssignedLocal),
        ("L0: switch %a { case 1 { %b = 1:i32; } } return %b;", Rule::AssignedLocal),
        ("if %a == 0:i32 { return 1:i32; }", Rule::ReturnOnEveryPath),
        ("L0: while true { break L0; }", Rule::ReturnOnEveryPath),
        ("goto L0; return 1:i32; label L0;", Rule::ReturnOnEveryPath),
        ("goto L0; outlined { label L0; } return 1:i32;", Rule::GotoScope),
    ] {
        assert_eq!(rules(&program(body)), [expected], "{body}");
    }
    // A `goto` without a target, which the parser refuses.
    let mut changed = program("goto L0; label L0; return 1:i32;");
    changed.functions[1].body.remove(1);
    assert_eq!(rules(&changed), [Rule::KnownLabel]);
}

/// A kernel of four threads with these statements.
fn kernel(body: &str) -> Program {
    let text = format!(
        "kernel @k has_barrier {{
           memory [%v: i32];
           var [%p: pointer i32, %i: i32, %s: pointer(shared) i32];
           capture p: pointer i32;
           block %i < 1:i32;
           thread %i < 4:i32;
           shared %s: i32 length 4;
           body {{ {body} }}
         }}"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn a_goto_in_a_kernel_passes_no_barrier() {
    for body in [
        "label L0; if %i < 2:i32 { goto L0; } barrier; goto L1; store %v = 1:i32; label L1;",
        "L0: while true { if %i < 2:i32 { goto L1; } label L1; barrier; }",
        "L0: while true { goto L1; L2: while true { break L2; } label L1; barrier; }",
    ] {
        assert_eq!(verify(&kernel(body)), Ok(()), "{body}");
    }
    for body in [
        "goto L0; barrier; label L0;",
        "label L0; if %i < 2:i32 { barrier; } goto L0;",
        "if %i < 2:i32 { goto L0; barrier; } else { label L0; }",
        "L0: while true { goto L1; if %i < 2:i32 { break L0; } label L1; barrier; }",
    ] {
        assert_eq!(rules(&kernel(body)), [Rule::GotoScope], "{body}");
    }
}

#[test]
fn faults_of_memory_in_kernels_are_found() {
    for body in
        ["store %v = 1:i32; atomic_add(%p, 3, load %v);", "store (*%s) = 1:i32; atomic_max(%s, %i, 3:i32);"]
    {
        assert_eq!(verify(&kernel(body)), Ok(()), "{body}");
    }
    for (body, expected) in [
        ("store %v = 1;", Rule::OperandType),
        ("atomic_add(%p, 3, 1);", Rule::OperandType),
        ("atomic_add(%p, 1.5, 1:i32);", Rule::OperandType),
        ("atomic_add(%p, 3, 1):i64;", Rule::ResultType),
    ] {
        let found = rules(&kernel(body));
        assert!(found.contains(&expected), "{body}: {found:?} instead of {expected:?}");
    }
    let mut changed = kernel("store %v = 1:i32;");
    changed.kernels[0].variables[0].ty = Ty::Any;
    assert!(rules(&changed).contains(&Rule::MemoryType));
    let captures = |global: &str| {
        let text = format!(
            "global @g: i32; global @h: i64; global @t: i32 threadprivate; kernel @k {{ var [%p: pointer i32, %i: i32]; capture p: pointer i32 global {global}; block %i < 1:i32; thread %i < 1:i32; body {{ }} }}"
        );
        rules(&parse(&text).unwrap_or_else(|error| panic!("{error}")))
    };
    assert_eq!(captures("@g"), []);
    assert_eq!(captures("@h"), [Rule::OperandType]);
    assert_eq!(captures("@t"), [Rule::KernelCode]);
    let outside = program("atomic_add(%p, 3, 1:i32); return 1:i32;");
    assert_eq!(rules(&outside), [Rule::KernelCode]);
}

#[test]
fn faults_of_types_and_globals_are_found() {
    for (text, expected) in [
        ("struct @S size 8 align 8 { field a: i64 at 4; }", Rule::Layout),
        ("struct @S size 8 align 4 { field a: i32 at 0; field b: i32 at 2; }", Rule::Layout),
        ("struct @S size 6 align 4 { field a: i32 at 0; }", Rule::Layout),
        ("struct @S size 3 align 3 { }", Rule::Layout),
        ("struct @S { field a: array 2 of i8; }", Rule::Layout),
        ("struct @S size 8 align 8 { field a: any at 0; }", Rule::MemoryType),
        ("struct @S { field a: any; } global @g: struct @S;", Rule::MemoryType),
        ("global @g: pointer any;", Rule::MemoryType),
        ("global @g: array 9223372036854775807 of i64;", Rule::MemoryType),
        ("global @g: void;", Rule::MemoryType),
        ("global @g: i32 = 1.5;", Rule::Initializer),
        ("global @g: array 2 of i8 = bytes \"abc\";", Rule::Initializer),
        ("global @h: i64; global @g: pointer i8 = address @h + 9;", Rule::Initializer),
        (
            "global @g: pointer function(): i32 = function @f; function @f(): i64 { return 1; }",
            Rule::Initializer,
        ),
        ("function @f(%a: array 2 of i8): void { }", Rule::ValueType),
        ("global @g: pointer function(void): i32;", Rule::ValueType),
        ("function @f(): void { } main @f;", Rule::ResultType),
        ("function @f(%n: i32): i32 { return 1:i32; } main @f;", Rule::OperandCount),
    ] {
        let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let found = rules(&program);
        assert!(found.contains(&expected), "{text}: {found:?} instead of {expected:?}");
    }
}

#[test]
fn every_changed_place_is_found() {
    let body = "store %n.p = address %n; store (*load %n.p).x = load %t[%a]; return load %n.x;";
    let valid = program(body);
    assert_eq!(verify(&valid), Ok(()));
    let mut count = 0;
    for fault in [
        |place: &mut Place| place.ty = Ty::F64,
        |place: &mut Place| place.ty = Ty::Struct(StructId(99)),
        |place: &mut Place| place.kind = PlaceKind::Variable(VariableId(99)),
        |place: &mut Place| place.kind = PlaceKind::Global(GlobalId(99)),
        |place: &mut Place| match &mut place.kind {
            PlaceKind::Field { field, .. } => *field = 99,
            kind => *kind = PlaceKind::Deref(Box::new(Expr::new(Ty::I64, ExprKind::Int(1)))),
        },
    ] {
        for number in 0..6 {
            let mut changed = valid.clone();
            let mut at = 0;
            walk_mut::edit_stmts(&mut changed.functions[1].body, &mut |stmt| {
                if let StmtKind::Store { place, .. } = &mut stmt.kind {
                    if at == number {
                        fault(place);
                    }
                    at += 1;
                }
            });
            walk_mut::edit_exprs(&mut changed.functions[1].body, &mut |expr| {
                if let ExprKind::Load(place) | ExprKind::AddressOf(place) = &mut expr.kind {
                    if at == number {
                        fault(place);
                    }
                    at += 1;
                }
            });
            assert!(at > number, "a place that is changed");
            assert!(verify(&changed).is_err(), "{changed:?}");
            count += 1;
        }
    }
    assert_eq!(count, 30);
}
