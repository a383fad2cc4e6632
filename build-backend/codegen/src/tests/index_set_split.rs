//! Index-set splitting by guards on thread indices.

use super::builders::*;
use super::kernels::*;
use apg_mir::*;

fn compare(operation: Operation, a: Expr, b: Expr) -> Expr {
    op(operation, vec![a, b])
}

/// Runs a kernel of one block with two axes, 4 rows of `row` threads, that stores to `out(own)`.
/// Local 4 is the thread's rank, `(y, x)` are 5 and 3, 6 is an Int.
fn rows(row: i64, n: i64, body: Vec<Stmt>, expected: impl Fn(i64, i64) -> i64) {
    let mut all = vec![set(4, add(mul(var(5, Ty::I32), int(row)), thread()))];
    all.extend(body);
    let mut kernel = kernel(1, row, &[Ty::I32, Ty::I32, Ty::I32], all);
    kernel.thread_locals = vec![LocalId(5), LocalId(3)];
    kernel.host.threads = vec![int(4), int(row)];
    let program = launch(kernel, 4 * row, n);
    super::compile_cuda(&program);
    let expected: String = (0..4 * row).map(|it| format!("{}\n", expected(it / row, it % row))).collect();
    assert_eq!(super::run(&program), expected);
}

fn own() -> Expr {
    i32_(4)
}
fn y() -> Expr {
    i32_(5)
}
fn x() -> Expr {
    thread()
}
fn n() -> Expr {
    var(N, Ty::I64)
}
/// `out(own) = value`
fn put(value: i64) -> Stmt {
    out(own(), int(value))
}
/// `out(own) += value`
fn more(value: i64) -> Stmt {
    let before = element(Ty::I32, var(OUT, global_array()), convert(Ty::I64, own()));
    out(own(), add(before, int(value)))
}

#[test]
fn guarded_rows_and_columns_are_stored() {
    let both = expr(
        Ty::Bool,
        ExprKind::And(Box::new(eq(x(), int(15))), Box::new(compare(Operation::Gt, y(), int(1)))),
    );
    let body = vec![
        put(1),
        when_true(eq(y(), int(0)), vec![more(10)]),
        when_true(eq(int(0), x()), vec![more(100)]),
        when_true(both, vec![more(1000)]),
        more(5),
    ];
    let expected = |y: i64, x: i64| {
        6 + 10 * i64::from(y == 0) + 100 * i64::from(x == 0) + 1000 * i64::from(x == 15 && y > 1)
    };
    rows(16, 0, body, expected);
}

#[test]
fn each_comparison_selects_its_threads() {
    let wide = || convert(Ty::I64, x());
    for n_ in [i64::MIN, -1, 0, 7, 60, 63, 64, i64::MAX] {
        let guard = |condition, bit| when_true(condition, vec![more(bit)]);
        let n = || long(n_);
        let body = vec![
            put(0),
            guard(compare(Operation::Lt, wide(), n()), 1),
            guard(compare(Operation::Le, wide(), n()), 2),
            guard(compare(Operation::Gt, wide(), n()), 4),
            guard(compare(Operation::Ge, wide(), n()), 8),
            guard(compare(Operation::Eq, n(), wide()), 16),
            guard(compare(Operation::Lt, n(), wide()), 32),
            guard(compare(Operation::Ne, n(), wide()), 64),
        ];
        let expected = |_, x: i64| {
            let bits = [x < n_, x <= n_, x > n_, x >= n_, x == n_, n_ < x, n_ != x];
            bits.iter().enumerate().map(|(bit, it)| i64::from(*it) << bit).sum()
        };
        rows(64, 0, body, expected);
    }
}

#[test]
fn guards_with_captured_bounds_select_their_threads() {
    let guard = || when_true(compare(Operation::Lt, convert(Ty::I64, x()), n()), vec![more(2)]);
    for n_ in [-1, 0, 1, 40, 63, 64, 1000] {
        rows(64, n_, vec![put(1), barrier(), guard()], |_, x| if x < n_ { 3 } else { 1 });
        rows(64, n_, vec![put(1), guard(), more(4)], |_, x| if x < n_ { 7 } else { 5 });
    }
}

#[test]
fn narrowed_lane_indices_select_their_threads() {
    // 3 and 259 are the same Byte.
    let lane = || op(Operation::Rem, vec![x(), int(512)]);
    let byte = convert(Ty::I32, convert(Ty::I8, lane()));
    let body = vec![put(1), when_true(eq(byte, int(3)), vec![more(10)])];
    let expected = |_, x: i64| if (x % 512) as i8 == 3 { 11 } else { 1 };
    rows(1024, 0, body, expected);
}

#[test]
fn guards_in_short_rows_select_their_threads() {
    for count in [4, 5, 12] {
        let below = vec![put(1), when_true(lt(x(), int(count)), vec![more(2)])];
        rows(16, 0, below, |_, x| if x < count { 3 } else { 1 });
        let above = vec![put(1), when_true(compare(Operation::Ge, x(), int(16 - count)), vec![more(2)])];
        rows(16, 0, above, |_, x| if x >= 16 - count { 3 } else { 1 });
    }
}

#[test]
fn guards_define_later_values() {
    // v = x; if (x == 3) v = 100; out(own) = v; if (y == 1) out(own) += 1000
    let v = || i32_(6);
    let body = vec![
        set(6, mul(own(), own())),
        when_true(eq(x(), int(3)), vec![set(6, int(100))]),
        out(own(), v()),
        when_true(eq(y(), int(1)), vec![more(100_000)]),
    ];
    rows(16, 0, body, |y, x| {
        let own = y * 16 + x;
        (if x == 3 { 100 } else { own * own }) + if y == 1 { 100_000 } else { 0 }
    });
}

#[test]
fn guards_on_lanes_select_their_threads() {
    let lane = |operation, number| op(operation, vec![x(), int(number)]);
    let both = expr(
        Ty::Bool,
        ExprKind::And(
            Box::new(eq(lane(Operation::Rem, 32), int(5))),
            Box::new(compare(Operation::Gt, x(), int(10))),
        ),
    );
    let body = vec![
        put(1),
        when_true(eq(lane(Operation::And, 15), int(0)), vec![more(10)]),
        when_true(both, vec![more(100)]),
        when_true(eq(lane(Operation::Rem, 32), int(40)), vec![more(1000)]),
    ];
    let expected = |_, x: i64| 1 + 10 * i64::from(x % 16 == 0) + 100 * i64::from(x % 32 == 5 && x > 10);
    rows(96, 0, body, expected);
}

#[test]
fn conditions_that_may_fail_are_evaluated_by_all_threads() {
    // if (out(own * n) >= 0 && x == 0) ...: the access fails in other threads too.
    let read = element(Ty::I32, var(OUT, global_array()), mul(convert(Ty::I64, own()), n()));
    let first = compare(Operation::Ge, read, int(0));
    let condition = expr(Ty::Bool, ExprKind::And(Box::new(first), Box::new(eq(x(), int(0)))));
    rows(16, 1, vec![put(1), when_true(condition, vec![more(2)])], |_, x| if x == 0 { 3 } else { 1 });
}

#[test]
fn strict_conjunctions_that_may_fail_are_evaluated_by_all_threads() {
    // if (x == 0 & 100 / (x + n) >= 0): where n is -5, thread 5 fails.
    let divided = op(Operation::Div, vec![int(100), add(x(), convert(Ty::I32, n()))]);
    let both = op(Operation::And, vec![eq(x(), int(0)), compare(Operation::Ge, divided, int(0))]);
    rows(16, 9, vec![put(1), when_true(both, vec![more(2)])], |_, x| if x == 0 { 3 } else { 1 });
}
