//! Barriers around shared initialisers.

use super::builders::*;
use super::kernels::*;
use apg_mir::*;
use apg_passes::analysis::init_barrier::needs_barrier;
use apg_passes::pipeline::schedule_kernel;

/// An element of the shared array.
fn at(index: Expr) -> Expr {
    element(Ty::I32, ints(4), convert(Ty::I64, index))
}

/// Whether there is a barrier after the initialisation of a shared array of 256 elements (local 4), where
/// threads execute `first`, store to `index`, synchronise and read it. Local 5 is the thread's rank.
fn has_barrier(threads: i64, index: Expr, first: Option<Stmt>) -> bool {
    has_barrier_after(SharedInit::Zero, threads, index, first)
}

/// The same with another initialiser.
fn has_barrier_after(init: SharedInit, threads: i64, index: Expr, first: Option<Stmt>) -> bool {
    let mut body = vec![
        set(5, thread()),
        store(ints(4), Ty::I32, convert(Ty::I64, index), block()),
        barrier(),
        out(global_thread(), at(op(Operation::Sub, vec![int(63), thread()]))),
    ];
    body.splice(0..0, first);
    let mut kernel = kernel(2, threads, &[Ty::Ref(INTS), Ty::I32], body);
    share(&mut kernel, 4, 256, init);
    super::compile_cuda(&launch(kernel.clone(), 128, 0));
    needs_barrier(&kernel)
}

#[test]
fn no_barrier_after_init_if_threads_store_only_to_their_own_elements() {
    let number = |factor: i64, more: i64| add(mul(i32_(5), int(factor)), int(more));
    let twice = |it| convert(Ty::I32, convert(Ty::I64, it));
    for index in [
        thread(),
        i32_(5),
        twice(thread()),
        number(1, 64),
        add(number(2, 64), op(Operation::Sub, vec![int(64), thread()])),
    ] {
        assert!(!has_barrier(64, index.clone(), None), "{index:?}");
    }
    let loaded = convert(Ty::I32, element(Ty::I32, var(OUT, global_array()), long(0)));
    for index in
        [number(1, 1), number(2, 0), number(1, -64), int(3), block(), loaded, mul(thread(), thread())]
    {
        assert!(has_barrier(64, index.clone(), None), "{index:?}");
    }
    // With 63 threads the first one initialises the 64th element.
    assert!(has_barrier(63, number(1, 64), None) && !has_barrier(63, number(1, 63), None));
}

#[test]
fn barrier_after_init_if_threads_read_elements_of_others() {
    let reads = || set(5, at(thread()));
    let never = || eq(block(), int(7));
    let length = expr(Ty::I64, ExprKind::Length { rail: Box::new(ints(4)), checked: false });
    for first in [
        when_true(never(), vec![barrier(), reads()]),
        repeat(0, never(), vec![barrier(), reads(), barrier()], vec![]),
        out(thread(), convert(Ty::I32, length)),
    ] {
        assert!(!has_barrier(64, thread(), Some(first.clone())), "{first:?}");
    }
    for first in [
        reads(),
        when_true(never(), vec![reads()]),
        repeat(0, never(), vec![reads(), barrier()], vec![]),
        repeat(0, eq(at(int(0)), int(1)), vec![barrier()], vec![]),
        repeat(0, never(), vec![when_true(never(), vec![barrier()])], vec![reads()]),
        store(ints(4), Ty::I32, convert(Ty::I64, thread()), at(thread())),
    ] {
        assert!(has_barrier(64, thread(), Some(first.clone())), "{first:?}");
    }
}

/// An initialiser computed from the element's number, local 5.
fn function(setup: Vec<Stmt>, value: Expr) -> SharedInit {
    SharedInit::Function { index: LocalId(5), setup, value }
}

#[test]
fn barrier_after_init_that_accesses_memory() {
    let loaded = || element(Ty::I32, var(OUT, global_array()), long(0));
    for init in [SharedInit::Value(block()), function(vec![set(5, int(2))], mul(i32_(5), i32_(5)))] {
        assert!(!has_barrier_after(init.clone(), 64, thread(), None), "{init:?}");
    }
    for init in [
        SharedInit::Copy(LocalId(OUT)),
        SharedInit::Value(loaded()),
        function(vec![], loaded()),
        function(vec![set(5, loaded())], i32_(5)),
        function(vec![out(i32_(5), int(1))], int(1)),
    ] {
        assert!(has_barrier_after(init.clone(), 64, thread(), None), "{init:?}");
    }
}

#[test]
fn barrier_between_dependent_initialisers() {
    // Number of barriers before the program's own, with two shared arrays with such initialisers.
    let has_barrier = |first: SharedInit, second: SharedInit| {
        let mut kernel = kernel(1, 64, &[Ty::Ref(INTS), Ty::I32, Ty::Ref(INTS)], vec![barrier()]);
        share(&mut kernel, 4, 64, first);
        share(&mut kernel, 6, 64, second);
        let program = launch(kernel, 128, 0);
        super::compile_cuda(&program);
        let plan = schedule_kernel(&program, &program.kernels[0]).shared;
        plan.rails.iter().map(|it| it.barrier_before).chain([plan.barrier_after]).filter(|it| *it).count()
    };
    let reads = || function(vec![], element(Ty::I32, var(OUT, global_array()), long(0)));
    let writes = || function(vec![out(i32_(5), int(1))], int(1));
    let other = || function(vec![], at(i32_(5)));
    // One barrier follows all initialisers that access memory.
    assert_eq!(has_barrier(SharedInit::Zero, SharedInit::Zero), 0);
    assert_eq!(has_barrier(reads(), reads()), 1);
    assert_eq!(has_barrier(SharedInit::Zero, other()), 2);
    assert_eq!(has_barrier(writes(), reads()), 2);
    assert_eq!(has_barrier(reads(), writes()), 2);
    assert_eq!(has_barrier(writes(), SharedInit::Zero), 1);
}

#[test]
fn chains_of_locals_are_analysed_in_linear_time() {
    // v5 = thread - thread; v6 = v5 + v5; v7 = v6 + v6; ...: its own element is `thread + v68`.
    let last = 68;
    let mut body = vec![set(5, op(Operation::Sub, vec![thread(), thread()]))];
    body.extend((6..=last).map(|it| set(it, add(i32_(it - 1), i32_(it - 1)))));
    body.extend([
        store(ints(4), Ty::I32, convert(Ty::I64, add(thread(), i32_(last))), block()),
        barrier(),
        out(global_thread(), at(op(Operation::Sub, vec![int(63), thread()]))),
    ]);
    let mut locals = vec![Ty::Ref(INTS)];
    locals.extend(vec![Ty::I32; last as usize - 4]);
    let mut kernel = kernel(2, 64, &locals, body);
    share(&mut kernel, 4, 256, SharedInit::Zero);
    assert!(!needs_barrier(&kernel));
}
