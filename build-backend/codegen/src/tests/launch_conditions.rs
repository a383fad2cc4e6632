//! Launch conditions of accesses.

use super::builders::*;
use super::kernels::*;
use apg_mir::*;
use apg_passes::analysis::ranges::facts::CheckElimination;
use apg_passes::pipeline::schedule_kernel;

/// An element of a private array of bytes, which may have any value.
fn byte() -> Expr {
    let bytes = || var(4, Ty::Ref(INTS));
    convert(Ty::I64, element(Ty::U8, bytes(), convert(Ty::I64, op(Operation::Rem, vec![thread(), int(4)]))))
}

/// out(thread) = 1; out(bytes(thread % 4)) = 2: the conditions of the two stores differ.
fn two_stores() -> Program {
    let own =
        expr(Ty::Ref(INTS), ExprKind::AllocateRail { class: INTS, length: Box::new(long(4)), zeroed: true });
    let store = |index, value| store(var(OUT, global_array()), Ty::I32, index, int(value));
    let body = vec![set(4, own), store(convert(Ty::I64, thread()), 1), store(byte(), 2)];
    launch(kernel(1, 64, &[Ty::Ref(INTS)], body), 128, 0)
}

#[test]
fn accesses_are_checked_independently() {
    let text = super::emit(&two_stores()).unwrap().cuda.concat();
    if let Err(missing) = apg_runtime::device::compiler_version() {
        assert!(std::env::var("APG_REQUIRE").is_err(), "APG_REQUIRE is set, but {missing}");
        return eprintln!("skipped: {missing}");
    }
    let checks = |head: &str| {
        let ptx = apg_runtime::device::ptx(&format!("{head}{text}")).unwrap();
        ptx[ptx.find(".entry").unwrap()..].matches("call.uni").count()
    };
    assert_eq!(checks(""), 2);
    assert_eq!(checks("#define APG_HELD 1u\n#define APG_NARROW\n"), 1);
    assert_eq!(checks("#define APG_HELD 2u\n"), 1);
    assert_eq!(checks("#define APG_PROVEN\n"), 0);
}

/// Whether `shared(next + thread)` is checked after `next < 128`, in a loop of `k` up to 128 with `next = k +
/// step`, for `threads` threads.
fn is_checked(threads: i64, step: i64, shared: i64) -> bool {
    let (k, next) = (|| i32_(5), || i32_(6));
    let ahead = element(Ty::I32, ints(4), convert(Ty::I64, add(next(), thread())));
    let body = vec![
        set(6, add(k(), int(step))),
        when_true(lt(next(), int(128)), vec![out(convert(Ty::I32, convert(Ty::I64, thread())), ahead)]),
    ];
    let body = vec![set(5, int(0)), repeat(0, lt(k(), int(128)), body, vec![set(5, add(k(), int(step)))])];
    let mut kernel = kernel(1, threads, &[Ty::Ref(INTS), Ty::I32, Ty::I32], body);
    share(&mut kernel, 4, shared, SharedInit::Zero);
    let program = launch(kernel, 128, 0);
    super::compile_cuda(&program);
    let eliminations = eliminations(&program);
    assert_eq!(eliminations.len(), 2);
    eliminations.contains(&CheckElimination::Unknown)
}

#[test]
fn guarded_counter_stays_a_whole_step_below_its_bound() {
    // 16, 32, ..., 112, plus 15.
    assert!(!is_checked(16, 16, 128));
    assert!(is_checked(17, 16, 128));
    assert!(is_checked(16, 16, 127));
    // 12, 24, ..., 120, plus 7.
    assert!(!is_checked(8, 12, 128));
    assert!(is_checked(9, 12, 128));
}

/// The decisions for the indices and divisors of a program's kernel, in the order of expressions.
fn eliminations(program: &Program) -> Vec<CheckElimination> {
    let mut program = program.clone();
    program.assign_ids();
    let found = schedule_kernel(&program, &program.kernels[0]).bounds.check_elimination;
    let mut found: Vec<(ExprId, CheckElimination)> = found.into_iter().collect();
    found.sort_by_key(|it| it.0);
    found.into_iter().map(|it| it.1).collect()
}

/// The decision for a division of the thread index by `divisor`.
fn check_of(divisor: Expr) -> CheckElimination {
    let ty = divisor.ty;
    let quotient = expr(
        ty,
        ExprKind::Operation { operation: Operation::Div, args: vec![convert(ty, thread()), divisor] },
    );
    let program = launch(kernel(1, 64, &[], vec![out(thread(), convert(Ty::I32, quotient))]), 128, 3);
    super::compile_cuda(&program);
    // The index is in front of the divisor, and the divisor in front of its own operands.
    eliminations(&program)[1]
}

#[test]
fn no_check_for_divisors_known_to_be_nonzero() {
    let n = || var(N, Ty::I64);
    assert!(matches!(check_of(n()), CheckElimination::AtLaunch(_)));
    assert_eq!(check_of(add(convert(Ty::I64, thread()), long(1))), CheckElimination::Inside);
    assert_eq!(check_of(convert(Ty::I64, thread())), CheckElimination::Unknown);
    // A remainder may be zero, and a product of two unknowns.
    assert_eq!(
        check_of(op(Operation::Rem, vec![convert(Ty::I64, thread()), n()])),
        CheckElimination::Unknown
    );
}
