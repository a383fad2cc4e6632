//! Mutation test of the verifier: seeded faults of every kind in the MIR of a program are found, and the
//! program itself is clean before and after each pass.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apg_analysis::AnalysisHost;
use apg_lower_x10::{MainTarget, lower};
use apg_mir::verify::{EntrySignature, Rule, verify, verify_with_entries};
use apg_mir::{
    ClassId, Expr, ExprId, ExprKind, FunctionId, LabelId, LocalId, Program, Stmt, StmtId, StmtKind, StructId,
    Ty, walk, walk_mut,
};
use apg_passes::pipeline::Pipeline;

/// Classes, closures, activities, loops, exceptions, and a kernel with a barrier and a collective operation.
const PROGRAM: &str = r#"
import x10.compiler.*;
import x10.util.*;
public class Main {
    static class Base { var x:Long = 1; def value() = x; }
    static class Derived extends Base { def value() = x + 1; }
    static struct Pair(a:Long, b:Long) { def sum() = a + b; }
    static def apply(f:(Long)=>Long, n:Long) = f(n);
    public static def main(args:Rail[String]) {
        val all:Base = args.size > 3 ? new Derived() : new Base();
        var sum:Long = apply((i:Long) => i + all.value(), 3) + Pair(1, 2).sum();
        loop: for (i in 0..9) {
            if (i == 7) break loop;
            if (i % 3 == 0) continue;
            sum += args.size > i ? args(i).length() as Long : i;
        }
        val list = new ArrayList[String]();
        list.add("sum " + sum);
        try { finish async Console.OUT.println(list(0)); }
        catch (e:Exception) { Console.OUT.println(e.getMessage()); }
        val out = CUDAUtilities.makeGlobalRail[Float](here, 128);
        val place = here;
        finish async at (place) @CUDA {
            finish for (b in 0n..1n) async {
                val tile = new Rail[Float](64n, 0.0f);
                clocked finish for (t in 0n..63n) clocked async {
                    tile(t) = (b + t) as Float;
                    Clock.advanceAll();
                    out(b * 64n + t) = tile(63n - t);
                }
            }
        }
    }
}
"#;

fn lowered() -> Program {
    let files = apg_runtime::class_library::files().into_iter();
    let mut host = AnalysisHost::new(files.map(|(path, text)| (PathBuf::from(path), Arc::from(text))));
    let path = Path::new("/test/Main.x10");
    host.set_file(path, Some(Arc::from(PROGRAM)));
    host.set_roots(&[path.to_owned()]);
    let analysis = host.snapshot();
    let file = analysis.file(path).expect("the file was set");
    let target = MainTarget { file, class: None };
    let lowered = analysis.with(|db| lower(db, &target)).expect("nothing changes meanwhile");
    lowered.unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// The bodies of a program by number: functions, then kernels.
fn body(program: &mut Program, number: usize) -> &mut Vec<Stmt> {
    let functions = program.functions.len();
    match number.checked_sub(functions) {
        None => &mut program.functions[number].body,
        Some(kernel) => &mut program.kernels[kernel].body,
    }
}

/// A fault of an expression; `false` if there is nothing that it could change.
type ExprFault = (&'static str, Rule, fn(&mut Expr) -> bool);

const NONE: u32 = 1 << 20;

const EXPR_FAULTS: &[ExprFault] = &[
    ("an unknown local", Rule::KnownLocal, |it| match &mut it.kind {
        ExprKind::Local(local) => set(local, LocalId(NONE)),
        _ => false,
    }),
    ("a local of another type", Rule::ResultType, |it| match it.kind {
        ExprKind::Local(_) => {
            it.ty = if it.ty == Ty::U8 { Ty::U16 } else { Ty::U8 };
            true
        }
        _ => false,
    }),
    ("an unknown function", Rule::KnownItem, |it| match &mut it.kind {
        ExprKind::Call { function, .. } => set(function, FunctionId(NONE)),
        _ => false,
    }),
    ("an argument too few", Rule::OperandCount, |it| match &mut it.kind {
        ExprKind::Call { args, .. } => args.pop().is_some(),
        _ => false,
    }),
    ("an operand too few", Rule::OperandCount, |it| match &mut it.kind {
        ExprKind::Operation { args, .. } => args.pop().is_some(),
        _ => false,
    }),
    ("an operand of another type", Rule::OperandType, |it| match &mut it.kind {
        ExprKind::Operation { args, .. } => set(&mut args[0], Expr::new(Ty::Void, ExprKind::Here)),
        _ => false,
    }),
    ("an unknown slot", Rule::KnownSlot, |it| match &mut it.kind {
        ExprKind::CallInterface { slot, .. } => set(slot, NONE),
        ExprKind::Field { field, .. } | ExprKind::StructField { field, .. } => set(field, NONE),
        _ => false,
    }),
    ("an unknown class", Rule::KnownItem, |it| match &mut it.kind {
        ExprKind::Allocate(class) | ExprKind::Field { class, .. } => set(class, ClassId(NONE)),
        _ => false,
    }),
    ("an unknown type", Rule::KnownItem, |it| set(&mut it.ty, Ty::Struct(StructId(NONE)))),
    ("no identity", Rule::UniqueId, |it| set(&mut it.id, ExprId::UNASSIGNED)),
    ("a span that ends before it starts", Rule::ValidSpan, |it| match &mut it.span {
        Some(span) => {
            span.end = span.start;
            span.start.line += 1;
            true
        }
        None => false,
    }),
];

/// A fault of a statement.
type StmtFault = (&'static str, Rule, fn(&mut Stmt) -> bool);

const STMT_FAULTS: &[StmtFault] = &[
    ("an unknown label", Rule::KnownLabel, |it| match &mut it.kind {
        StmtKind::Break(label) | StmtKind::Continue(label) => set(label, LabelId(NONE)),
        _ => false,
    }),
    ("an assignment to an unknown local", Rule::KnownLocal, |it| match &mut it.kind {
        StmtKind::Set { local, .. } => set(local, LocalId(NONE)),
        _ => false,
    }),
    ("a condition that is no Boolean", Rule::OperandType, |it| match &mut it.kind {
        StmtKind::If { condition, .. } | StmtKind::Loop { condition, .. } => {
            set(condition, Expr::new(Ty::F64, ExprKind::Float(1.0)))
        }
        _ => false,
    }),
    ("a returned value of another type", Rule::OperandType, |it| match &mut it.kind {
        StmtKind::Return(value) => {
            let is_value = value.is_some();
            *value = if is_value { None } else { Some(Expr::new(Ty::Bool, ExprKind::Int(0))) };
            true
        }
        _ => false,
    }),
    ("the identity of another statement", Rule::UniqueId, |it| {
        it.id != StmtId(0) && set(&mut it.id, StmtId(0))
    }),
];

fn set<T>(target: &mut T, value: T) -> bool {
    *target = value;
    true
}

fn rules(program: &Program) -> Vec<Rule> {
    verify(program).err().into_iter().flatten().map(|it| it.rule).collect()
}

/// Faults of one kind, one body at a time: how many were inserted. All are found.
fn insert_faults(
    program: &Program,
    name: &str,
    rule: Rule,
    insert: &dyn Fn(&mut Vec<Stmt>, usize) -> bool,
) -> usize {
    let mut inserted = 0;
    let bodies = program.functions.len() + program.kernels.len();
    // Kernels are the last bodies.
    for number in (0..bodies).rev() {
        if inserted == MAX_BODIES_PER_FAULT {
            break;
        }
        let mut changed = program.clone();
        if !insert(body(&mut changed, number), inserted) {
            continue;
        }
        inserted += 1;
        let found = rules(&changed);
        assert!(found.contains(&rule), "{name} in body {number} is not found: {found:?}");
    }
    inserted
}

/// Upper limit of bodies that get a fault of each kind.
const MAX_BODIES_PER_FAULT: usize = 24;

#[test]
fn seeded_faults_are_found() {
    let program = lowered();
    assert_eq!(verify(&program), Ok(()));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, rule, fault) in EXPR_FAULTS {
        let count = insert_faults(&program, name, *rule, &|body, seed| {
            let mut candidates = Vec::new();
            walk::visit_exprs(body, &mut |it, _| candidates.push(it.id));
            let start = seed * 7;
            let mut done = false;
            // The first expression from a seeded one on, and around, that the fault can change.
            for at in 0..candidates.len() {
                let id = candidates[(start + at) % candidates.len()];
                walk_mut::edit_exprs(body, &mut |it| {
                    if !done && it.id == id {
                        done = fault(it);
                    }
                });
                if done {
                    break;
                }
            }
            done
        });
        counts.insert(name, count);
    }
    for (name, rule, fault) in STMT_FAULTS {
        let count = insert_faults(&program, name, *rule, &|body, seed| {
            let mut skipped = seed % 5;
            let mut done = false;
            walk_mut::edit_stmts(body, &mut |it| {
                if !done {
                    let mut changed = it.clone();
                    if fault(&mut changed) {
                        if skipped == 0 {
                            *it = changed;
                            done = true;
                        }
                        skipped = skipped.saturating_sub(1);
                    }
                }
            });
            done
        });
        counts.insert(name, count);
    }
    let missing: Vec<&&str> = counts.iter().filter(|it| *it.1 == 0).map(|it| it.0).collect();
    assert!(missing.is_empty(), "faults that no code could have: {missing:?}");
}

#[test]
fn code_of_threads_outside_of_kernels_is_found() {
    let program = lowered();
    let kernel_stmts = program.kernels[0].body.clone();
    let mut barrier = None;
    walk::visit_stmts(&kernel_stmts, &mut |it| {
        if matches!(it.kind, StmtKind::Barrier) {
            barrier = Some(it.clone());
        }
    });
    let mut changed = program.clone();
    let main = changed.main.expect("the program has a main");
    changed.functions[main.index()].body.insert(0, barrier.expect("the kernel has a barrier"));
    changed.assign_ids();
    assert_eq!(rules(&changed), [Rule::KernelCode]);
}

#[test]
fn a_local_that_is_read_before_its_assignment_is_found() {
    let mut program = lowered();
    let main = program.main.expect("the program has a main");
    let function = &mut program.functions[main.index()];
    function.locals.push(apg_mir::Local { name: "late".into(), ty: Ty::I64 });
    let late = LocalId(function.locals.len() as u32 - 1);
    let read = Expr::new(Ty::I64, ExprKind::Local(late));
    function.body.insert(0, Stmt::new(function.span, StmtKind::Expr(read)));
    program.assign_ids();
    assert_eq!(rules(&program), [Rule::AssignedLocal]);
}

#[test]
fn faults_of_tables_are_found() {
    let program = lowered();
    let last = program.classes.len() - 1;
    let mut cyclic = program.clone();
    cyclic.classes[last].superclass = Some(ClassId(last as u32));
    assert_eq!(rules(&cyclic), [Rule::AcyclicTypes]);
    let mut unknown = program.clone();
    unknown.classes[last].vtable.push(Some(FunctionId(NONE)));
    assert_eq!(rules(&unknown), [Rule::KnownItem]);
    let mut nested = program.clone();
    let any = nested.structs.iter().flat_map(|it| &it.fields).next().expect("a struct has a field").clone();
    nested.structs[0].fields.push(apg_mir::Field { ty: Ty::Struct(StructId(0)), ..any });
    assert_eq!(rules(&nested), [Rule::AcyclicTypes]);
}

#[test]
fn unknown_runtime_entries_and_wrong_arguments_are_found() {
    let program = lowered();
    let nothing = |_: &str| None;
    let nine_arguments = |_: &str| Some(EntrySignature { params: vec![Ty::F32; 9], result: Ty::Any });
    let found = |result: Result<(), Vec<apg_mir::verify::VerifyError>>| -> Vec<Rule> {
        result.err().into_iter().flatten().map(|it| it.rule).collect()
    };
    let unknown = found(verify_with_entries(&program, &nothing));
    assert!(!unknown.is_empty() && unknown.iter().all(|it| *it == Rule::KnownEntry), "{unknown:?}");
    let wrong = found(verify_with_entries(&program, &nine_arguments));
    assert!(!wrong.is_empty() && wrong.iter().all(|it| *it == Rule::OperandCount), "{wrong:?}");
}

#[test]
fn programs_are_clean_after_each_pass() {
    for (optimize, debug) in [(false, false), (true, false), (false, true)] {
        let mut program = lowered();
        for pass in (Pipeline { optimize, debug }).passes() {
            pass.run(&mut program);
            assert_eq!(verify(&program), Ok(()), "after {}", pass.name);
        }
    }
}
