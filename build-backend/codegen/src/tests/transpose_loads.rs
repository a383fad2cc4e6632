//! Transposition of strided loads.

use super::builders::*;
use super::kernels::*;
use apg_mir::*;

const FROM: u32 = 2;
const LENGTH: i64 = 32 * 60;

/// Runs `first; sum = 0; for (k = 0; k < n; k++) body; out(2000 + thread) = sum` on 32 threads, n
/// = 35, where `from(i) = 5 * i` for i < 1920. Local 4 is the thread, 5 is the sum, 6 is k, 7 and 8 are Ints.
fn sums_after(first: Vec<Stmt>, body: Vec<Stmt>, expected: impl Fn(i64, i64) -> i64) {
    let step = vec![set(6, add(k(), int(1)))];
    let count = repeat(0, lt(convert(Ty::I64, k()), var(N, Ty::I64)), body, step);
    let mut all = first;
    all.extend([set(5, int(0)), set(6, int(0)), count, out(add(own(), int(2000)), i32_(5))]);
    let mut kernel = kernel(1, 32, &[], all);
    let rail = KernelCaptureKind::GlobalBuffer { element: Ty::I32 };
    kernel.captures.push(KernelCapture {
        name: "from".into(),
        kind: rail,
        static_field: None,
        global: None,
        derived_from: None,
    });
    let int = Ty::I32;
    kernel.locals = locals(&[global_array(), Ty::I64, global_array(), int, int, int, int, int, int]);
    (kernel.block_locals, kernel.thread_locals) = (vec![LocalId(3)], vec![LocalId(4)]);
    let mut program = launch(kernel, 2032, 35);
    let main = &mut program.functions[0].body;
    let i = || var(2, Ty::I64);
    let fill = store(var(1, Ty::Ref(INTS)), Ty::I32, i(), convert(Ty::I32, mul(i(), long(5))));
    let fill = repeat(901, lt(i(), long(LENGTH)), vec![fill], vec![set(2, add(i(), long(1)))]);
    let StmtKind::Launch { captures, .. } = &mut main[1].kind else { panic!("it launches") };
    captures.push(captures[0].clone());
    main.splice(1..1, [set(2, long(0)), fill]);
    let filled = (0..2000).map(|it| if it < LENGTH { 5 * it } else { 0 });
    let sums = (0..32).map(|thread| (0..35).map(|k| expected(thread, k)).sum());
    let expected: String = filled.chain(sums).map(|it: i64| format!("{it}\n")).collect();
    assert_eq!(super::run(&program), expected);
}

fn sums(body: Vec<Stmt>, expected: impl Fn(i64, i64) -> i64) {
    sums_after(vec![], body, expected);
}
fn own() -> Expr {
    i32_(4)
}
fn k() -> Expr {
    i32_(6)
}
fn from(index: Expr) -> Expr {
    element(Ty::I32, var(FROM, global_array()), convert(Ty::I64, index))
}
fn row(length: i64) -> Expr {
    add(mul(own(), int(length)), k())
}
fn more(value: Expr) -> Stmt {
    set(5, add(i32_(5), value))
}

#[test]
fn strided_loads_are_summed() {
    sums(vec![more(from(row(40)))], |thread, k| 5 * (thread * 40 + k));
    let named = vec![set(7, k()), set(8, add(mul(own(), int(40)), i32_(7))), more(from(i32_(8)))];
    sums(named, |thread, k| 5 * (thread * 40 + k));
}

#[test]
fn several_strided_loads_are_summed() {
    sums(vec![more(from(row(41))), more(from(row(41)))], |thread, k| 10 * (thread * 41 + k));
    sums(vec![more(from(row(41))), more(from(row(43)))], |thread, k| 5 * (thread * 84 + 2 * k));
}

#[test]
fn conditional_or_unstrided_loads_are_summed() {
    let conditional = vec![when_true(lt(k(), own()), vec![more(from(row(40)))])];
    sums(conditional, |thread, k| if k < thread { 5 * (thread * 40 + k) } else { 0 });
    sums(vec![more(from(add(own(), k())))], |thread, k| 5 * (thread + k));
    let far = add(mul(own(), int(20)), mul(k(), int(3)));
    sums(vec![more(from(far))], |thread, k| 5 * (thread * 20 + k * 3));
    let changed = vec![more(from(add(mul(own(), int(40)), i32_(7)))), set(7, k())];
    sums_after(vec![set(7, int(0))], changed, |thread, k| 5 * (thread * 40 + (k - 1).max(0)));
}

#[test]
fn locals_of_several_loop_parts_are_declared_once() {
    // Local 7 is uniform: the iterations left.
    let named = set(8, add(mul(own(), int(40)), k()));
    let body = vec![named, more(from(i32_(8))), set(7, add(k(), int(3))), more(mul(i32_(7), from(i32_(8))))];
    sums(body, |thread, k| 5 * (thread * 40 + k) * (k + 4));
}

#[test]
fn loads_of_nested_loops_are_summed() {
    let inner = vec![more(from(add(mul(own(), int(40)), i32_(8))))];
    let count = repeat(1, lt(i32_(8), add(k(), int(2))), inner, vec![set(8, add(i32_(8), int(1)))]);
    let body = vec![more(from(row(40))), set(8, k()), count];
    sums(body, |thread, k| 5 * (3 * (thread * 40 + k) + 1));
}
