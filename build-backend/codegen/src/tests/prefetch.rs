//! Software prefetching in barrier loops.

use super::builders::*;
use super::kernels::*;
use apg_mir::*;

/// Runs `for (z = 0; z < n; z = z + step) { first; out(index) = z; barrier }`, which stores to
/// `indices` with n = 2. Local 4 is `z`, local 5 is `2 * z`.
fn barrier_loop(step: i64, first: Vec<Stmt>, index: Expr, indices: impl Fn(i64, i64) -> i64) {
    let z = || var(4, Ty::I64);
    let own = [Ty::I64; 70];
    let mut body = vec![set(5, mul(z(), long(2)))];
    body.extend(first);
    body.extend([out(index, convert(Ty::I32, add(z(), long(1)))), barrier()]);
    let body =
        vec![set(4, long(0)), repeat(0, lt(z(), var(N, Ty::I64)), body, vec![set(4, add(z(), long(step)))])];
    let length = 64 * 64;
    let program = launch(kernel(1, 64, &own, body), length, 2);
    let mut expected = vec![0; length as usize];
    for z in (0..2).step_by(step as usize) {
        for thread in 0..64 {
            expected[indices(z, thread) as usize] = z + 1;
        }
    }
    let expected: String = expected.iter().map(|it| format!("{it}\n")).collect();
    assert_eq!(super::run(&program), expected);
}

fn own() -> Expr {
    convert(Ty::I64, thread())
}
fn z() -> Expr {
    var(4, Ty::I64)
}
fn twice() -> Expr {
    var(5, Ty::I64)
}
fn n() -> Expr {
    var(N, Ty::I64)
}

#[test]
fn distant_rows_are_stored() {
    barrier_loop(1, vec![], add(mul(z(), long(1024)), own()), |z, t| z * 1024 + t);
    // A value that is computed from the counter.
    barrier_loop(1, vec![], add(mul(twice(), long(512)), own()), |z, t| z * 1024 + t);
    // A stride that is known at launch.
    barrier_loop(1, vec![], add(mul(z(), mul(n(), long(512))), own()), |z, t| z * 1024 + t);
}

#[test]
fn near_or_irregular_rows_are_stored() {
    barrier_loop(1, vec![], add(mul(z(), long(64)), own()), |z, t| z * 64 + t);
    barrier_loop(1, vec![], own(), |_, t| t);
    barrier_loop(1, vec![], add(mul(z(), long(1024)), mul(own(), long(2))), |z, t| z * 1024 + 2 * t);
    let conditional = vec![when_true(lt(z(), long(0)), vec![set(4, add(z(), long(1)))])];
    barrier_loop(2, conditional, add(mul(z(), long(1024)), own()), |z, t| z * 1024 + t);
}

#[test]
fn chains_of_locals_are_analysed_in_linear_time() {
    // v6 = base - base; v7 = v6 + v6; ...: of the thread index, and of the counter.
    for base in [own(), z()] {
        let mut chain = vec![set(6, op(Operation::Sub, vec![base.clone(), base]))];
        chain.extend((7..=69).map(|it| set(it, add(var(it - 1, Ty::I64), var(it - 1, Ty::I64)))));
        let index = add(add(mul(z(), long(1024)), own()), var(69, Ty::I64));
        barrier_loop(1, chain, index, |z, t| z * 1024 + t);
    }
}

#[test]
fn regions_of_different_lengths_store_their_rows() {
    // Blocks of 4 rows of 16: local 3 is the row, local 4 the column, local 5 the counter.
    let index = || {
        add(mul(var(5, Ty::I64), long(2048)), add(mul(own(), long(16)), convert(Ty::I64, var(4, Ty::I32))))
    };
    let other = || add(index(), long(64));
    let sum = |a, b| expr(Ty::I32, ExprKind::Operation { operation: Operation::Add, args: vec![a, b] });
    let first = out(index(), convert(Ty::I32, var(5, Ty::I64)));
    let second = out(
        other(),
        sum(element(Ty::I32, var(OUT, global_array()), index()), convert(Ty::I32, var(4, Ty::I32))),
    );
    let body = vec![first, barrier(), second, barrier()];
    let step = vec![set(5, add(var(5, Ty::I64), long(1)))];
    let body = vec![set(5, long(0)), repeat(0, lt(var(5, Ty::I64), n()), body, step)];
    let mut kernel = kernel(1, 4, &[Ty::I32, Ty::I64], body);
    kernel.thread_locals.push(LocalId(4));
    kernel.host.threads.push(int(16));
    let program = launch(kernel, 4096, 2);
    let mut expected = vec![0; 4096];
    for (z, row, column) in (0..2).flat_map(|z| (0..4).flat_map(move |y| (0..16).map(move |x| (z, y, x)))) {
        expected[z * 2048 + row * 16 + column] = z;
        expected[z * 2048 + row * 16 + column + 64] = z + column;
    }
    let expected: String = expected.iter().map(|it| format!("{it}\n")).collect();
    assert_eq!(super::run(&program), expected);
}
