//! Initial values of shared rails that are overwritten.

use super::builders::*;
use super::kernels::*;
use apg_mir::*;

const SHARED: u32 = 4;

/// The CPU form of `first; barrier; out(thread) = shared(63 - thread) + shared(64 + thread)` on 64 threads;
/// 128 Ints are shared, initially 7.
fn reversed(first: Vec<Stmt>, expected: impl Fn(i64) -> i64) -> String {
    let shared = |index: Expr| element(Ty::I32, ints(SHARED), convert(Ty::I64, index));
    let back = add(int(63), mul(thread(), int(-1)));
    let mut body = first;
    body.extend([barrier(), out(thread(), add(shared(back), shared(add(thread(), int(64)))))]);
    let mut kernel = kernel(1, 64, &[Ty::Ref(INTS), Ty::I32, Ty::I32], body);
    share(&mut kernel, SHARED, 128, SharedInit::Value(int(7)));
    let program = launch(kernel, 64, 20);
    let expected: String = (0..64).map(|it| format!("{}\n", expected(it))).collect();
    assert_eq!(super::run(&program), expected);
    super::cpu_code(&program)
}

fn put(index: Expr, value: Expr) -> Stmt {
    store(ints(SHARED), Ty::I32, convert(Ty::I64, index), value)
}
fn upper() -> Stmt {
    put(add(int(64), thread()), int(100))
}
fn early() -> Expr {
    lt(convert(Ty::I64, thread()), var(N, Ty::I64))
}

#[test]
fn no_fill_for_rails_that_all_threads_overwrite() {
    let plain = reversed(vec![put(thread(), thread()), upper()], |it| 63 - it + 100);
    let either = stmt(StmtKind::If {
        condition: early(),
        then: vec![put(thread(), int(1))],
        otherwise: vec![put(thread(), int(2))],
    });
    let either = reversed(vec![upper(), either], |it| if 63 - it < 20 { 101 } else { 102 });
    for text in [plain, either] {
        assert!(!text.contains("value_ = 7"), "{text}");
    }
}

#[test]
fn rails_that_some_threads_overwrite_are_filled() {
    let half = reversed(vec![upper()], |_| 107);
    let some = reversed(vec![when_true(early(), vec![put(thread(), int(1))]), upper()], |it| {
        if 63 - it < 20 { 101 } else { 107 }
    });
    let read = put(thread(), add(element(Ty::I32, ints(SHARED), convert(Ty::I64, thread())), int(1)));
    let read = reversed(vec![upper(), read], |_| 108);
    for text in [half, some, read] {
        assert!(text.contains("value_ = 7"), "{text}");
    }
}

#[test]
fn rails_read_after_a_barrier_in_a_branch_or_loop_are_filled() {
    let meets = |to: i64| {
        let read = element(Ty::I32, ints(SHARED), convert(Ty::I64, add(int(63), mul(thread(), int(-1)))));
        vec![barrier(), set(5, add(int(to), read)), barrier()]
    };
    let late = lt(int(40), convert(Ty::I32, var(N, Ty::I64)));
    let branch = stmt(StmtKind::If { condition: late, then: vec![], otherwise: meets(0) });
    let counted = repeat(7, lt(i32_(6), int(2)), meets(0), vec![set(6, add(i32_(6), int(1)))]);
    let labeled = stmt(StmtKind::Labeled { label: LabelId(8), body: meets(0) });
    for first in [vec![branch], vec![set(6, int(0)), counted], vec![labeled]] {
        let mut all = first;
        all.extend([put(thread(), i32_(5)), upper()]);
        let text = reversed(all, |_| 107);
        assert!(text.contains("value_ = 7"), "{text}");
    }
}
