//! Full unrolling of collective loops.

use super::builders::*;
use super::kernels::*;
use apg_mir::*;

const SHARED: u32 = 4;
const STEP: u32 = 5;

fn step() -> Expr {
    i32_(STEP)
}
fn shared(index: Expr) -> Expr {
    element(Ty::I32, ints(SHARED), convert(Ty::I64, index))
}
fn put(index: Expr, value: Expr) -> Stmt {
    store(ints(SHARED), Ty::I32, convert(Ty::I64, index), value)
}
fn half() -> Expr {
    op(Operation::Div, vec![step(), int(2)])
}

/// Runs 64 threads that store their rank to shared memory, execute the loop `body; step = next`
/// from `first` on while `step > 0`, and return the first element and the final counter.
fn summed(first: Expr, body: Vec<Stmt>, next: Expr, expected: i64) {
    let mut body = body;
    body.push(barrier());
    let body = vec![
        put(thread(), thread()),
        barrier(),
        set(STEP, first),
        repeat(7, lt(int(0), step()), body, vec![set(STEP, next)]),
        out(thread(), add(shared(int(0)), mul(step(), int(100_000)))),
    ];
    let mut kernel = kernel(1, 64, &[Ty::Ref(INTS), Ty::I32, Ty::I32], body);
    share(&mut kernel, SHARED, 64, SharedInit::Zero);
    let program = launch(kernel, 64, 32);
    super::compile_cuda(&program);
    assert_eq!(super::run(&program), format!("{expected}\n").repeat(64));
}

fn add_other() -> Stmt {
    when_true(lt(thread(), step()), vec![put(thread(), add(shared(thread()), shared(add(thread(), step()))))])
}

#[test]
fn loops_with_shrinking_active_threads_sum_all_elements() {
    summed(int(32), vec![add_other()], half(), 2016);
}

#[test]
fn loops_with_constant_active_threads_or_unknown_trip_count_sum_their_elements() {
    // The first thread alone reads what the others do not store to.
    let alike = vec![put(add(thread(), int(0)), add(shared(thread()), int(1)))];
    summed(int(32), alike, half(), 6);
    let asked = convert(Ty::I32, var(N, Ty::I64));
    summed(asked, vec![add_other()], half(), 2016);
    // More iterations than are unrolled.
    summed(int(32), vec![add_other()], add(step(), int(-1)), many());
}

/// The first element after sums with steps of one.
fn many() -> i64 {
    let mut all: Vec<i64> = (0..64).collect();
    for step in (1..=32).rev() {
        for thread in 0..step {
            all[thread] += all[thread + step];
        }
    }
    all[0]
}

#[test]
fn counter_reads_see_the_value_of_their_iteration() {
    let skip = when_true(eq(thread(), int(0)), vec![put(int(0), add(shared(int(0)), step()))]);
    summed(int(32), vec![add_other(), barrier(), skip], add(half(), int(-1)), 32 + 15 + 6 + 2 + sums());
}

/// The first element after steps of 32, 15, 6 and 2, without what the first thread adds.
fn sums() -> i64 {
    let mut all: Vec<i64> = (0..64).collect();
    for step in [32, 15, 6, 2] {
        for thread in 0..step {
            all[thread] += all[thread + step];
        }
    }
    all[0]
}

/// Runs blocks of 64 that store `shared = i < n ? 5 : 1` and then `out(i) = shared`, on 3 blocks.
fn filled(condition: Expr, n: i64, expected: impl Fn(i64) -> i64) {
    let value = expr(
        Ty::I32,
        ExprKind::Select {
            condition: Box::new(condition),
            then: Box::new(int(5)),
            otherwise: Box::new(int(1)),
        },
    );
    let body = vec![
        set(6, add(mul(var(2, Ty::I32), int(64)), thread())),
        put(thread(), value),
        barrier(),
        out(i32_(6), shared(thread())),
    ];
    let mut kernel = kernel(3, 64, &[Ty::Ref(INTS), Ty::I32, Ty::I32], body);
    share(&mut kernel, SHARED, 64, SharedInit::Zero);
    let program = launch(kernel, 192, n);
    let expected: String = (0..192).map(|it| format!("{}\n", expected(it))).collect();
    assert_eq!(super::run(&program), expected);
}

#[test]
fn conditions_that_hold_for_some_blocks_select_their_values() {
    let inside = || lt(convert(Ty::I64, i32_(6)), var(N, Ty::I64));
    for n in [0, 1, 63, 64, 65, 130, 191, 192, 1000] {
        filled(inside(), n, |it| if it < n { 5 } else { 1 });
    }
    // The same in every block.
    filled(lt(thread(), int(40)), 0, |it| if it % 64 < 40 { 5 } else { 1 });
    // A conjunction of which only one comparison is affine.
    let even = eq(op(Operation::And, vec![i32_(6), int(1)]), int(0));
    let both = expr(Ty::Bool, ExprKind::And(Box::new(inside()), Box::new(even)));
    filled(both, 130, |it| if it < 130 && it % 2 == 0 { 5 } else { 1 });
}

/// Runs 64 threads that each accumulate numbers below `n` and return their own and the next
/// thread's sum.
fn strided(n: i64, more: Vec<Stmt>, expected: impl Fn(i64) -> i64) {
    let mut body = vec![set(6, add(i32_(6), i32_(STEP)))];
    body.extend(more);
    let inside = lt(convert(Ty::I64, step()), var(N, Ty::I64));
    let body = vec![
        set(6, int(7)),
        set(STEP, thread()),
        repeat(7, inside, body, vec![set(STEP, add(step(), int(64)))]),
        put(thread(), i32_(6)),
        barrier(),
        out(thread(), add(shared(op(Operation::Rem, vec![add(thread(), int(1)), int(64)])), i32_(6))),
    ];
    let mut kernel = kernel(1, 64, &[Ty::Ref(INTS), Ty::I32, Ty::I32], body);
    share(&mut kernel, SHARED, 64, SharedInit::Zero);
    let program = launch(kernel, 64, n);
    super::compile_cuda(&program);
    let both = |it: i64| expected(it) + expected((it + 1) % 64);
    let expected: String = (0..64).map(|it| format!("{}\n", both(it))).collect();
    assert_eq!(super::run(&program), expected);
}

#[test]
fn accumulations_visit_all_grid_stride_iterations() {
    for n in [0, 1, 63, 64, 65, 255, 256, 257, 300, 320, 511, 512, 513, 1000] {
        let iterations = |thread: i64| (thread..n).step_by(64);
        strided(n, vec![], |it| 7 + iterations(it).sum::<i64>());
        let odd = eq(op(Operation::And, vec![i32_(6), int(1)]), int(1));
        let halved = vec![when_true(odd, vec![set(6, mul(i32_(6), int(3)))])];
        let next =
            |sum: i64, i: i64| if (sum + i) % 2 == 1 { (sum + i) * 3 % 4_294_967_296 } else { sum + i };
        let wrapped = |it: i64| iterations(it).fold(7, next);
        if (0..64).all(|it| 2 * wrapped(it) < 1 << 31) {
            strided(n, halved, wrapped);
        }
    }
    let stores = vec![put(thread(), i32_(6))];
    strided(300, stores, |it| 7 + (it..300).step_by(64).sum::<i64>());
}
