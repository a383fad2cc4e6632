//! What the next turn of a loop touches.

use super::build::*;
use super::kernels::*;
use crate::mir::*;

/// Whether a processor's code asks for elements of a later turn of `for (z = 0; z < n; z++) { out(index) = z; more }`. Local 4 is `z`, local 5 is
/// `2 * z` where it is assigned.
fn asks(index: Expr, more: Vec<Stmt>) -> bool {
    let z = || var(4, Ty::I64);
    let mut body = vec![set(5, mul(z(), long(2))), out(index, convert(Ty::I32, z()))];
    body.extend(more);
    let body =
        vec![set(4, long(0)), repeat(0, lt(z(), var(N, Ty::I64)), body, vec![set(4, add(z(), long(1)))])];
    let program = launch(kernel(1, 64, &[Ty::I64, Ty::I64], body), 64 * 64, 2);
    // It compiles, and runs on the processor.
    super::run(&program);
    let units = super::emit(&program, false).unwrap().units;
    units.iter().any(|it| it.text.contains("apg_ask<true>("))
}

#[test]
fn far_rows_of_the_next_turn_are_asked_for() {
    let own = || convert(Ty::I64, thread());
    let (z, twice, n) = (|| var(4, Ty::I64), || var(5, Ty::I64), || var(N, Ty::I64));
    for (index, expected) in [
        (add(mul(z(), n()), own()), true),
        (add(mul(z(), long(1024)), own()), true),
        (add(mul(twice(), long(512)), own()), true),
        // A processor sees these itself.
        (add(mul(z(), long(64)), own()), false),
        (add(mul(twice(), long(511)), own()), false),
        (own(), false),
        // Not a row.
        (add(mul(own(), n()), mul(z(), n())), false),
    ] {
        assert_eq!(asks(index.clone(), vec![barrier()]), expected, "{index:?}");
        assert!(
            !asks(index, vec![]),
            "threads of a loop without a barrier take its turns one after the other"
        );
    }
}
