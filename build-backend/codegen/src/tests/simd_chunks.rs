//! Unroll-and-jam of SIMD chunks.

use super::builders::*;
use super::kernels::*;
use apg_mir::*;

/// Runs `sum = 0; for (k = 0; k < n; k++) sum += shared(index(k)) + k; out(y * row + x) = sum` on
/// 4 rows of threads, where `shared(i) = 3 * i` and n = 5. Local 4 is the sum, 5 is y, 6 is k.
fn sums(row: i64, index: impl Fn(Expr) -> Expr, expected: impl Fn(i64, i64, i64) -> i64) {
    let k = || i32_(6);
    let read = element(Ty::I32, ints(7), convert(Ty::I64, index(k())));
    let body = vec![
        set(4, int(0)),
        set(6, int(0)),
        repeat(
            0,
            lt(convert(Ty::I64, k()), var(N, Ty::I64)),
            vec![set(4, add(i32_(4), add(read, k())))],
            vec![set(6, add(k(), int(1)))],
        ),
        out(add(mul(i32_(5), int(row)), thread()), i32_(4)),
    ];
    let mut kernel = kernel(1, row, &[Ty::I32, Ty::I32, Ty::I32, Ty::Ref(INTS), Ty::I32], body);
    kernel.thread_locals = vec![LocalId(5), LocalId(3)];
    kernel.host.threads = vec![int(4), int(row)];
    let value = mul(i32_(8), int(3));
    share(&mut kernel, 7, 1000, SharedInit::Function { index: LocalId(8), setup: vec![], value });
    let program = launch(kernel, 4 * row, 5);
    let sum = |y, x| (0..5).map(|k| 3 * expected(y, x, k) + k).sum::<i64>();
    let expected: String = (0..4 * row).map(|it| format!("{}\n", sum(it / row, it % row))).collect();
    assert_eq!(super::run(&program), expected);
}

#[test]
fn rows_with_adjacent_accesses_are_summed() {
    for row in [16, 20, 32] {
        sums(row, |_| thread(), |_, x, _| x);
    }
}

#[test]
fn rows_with_strided_accesses_are_summed() {
    sums(16, |k| add(mul(thread(), int(20)), k), |_, x, k| x * 20 + k);
    sums(16, |k| add(mul(thread(), k.clone()), k), |_, x, k| x * k + k);
}
