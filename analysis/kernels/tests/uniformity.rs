//! Divergent barriers and lost updates of kernels in text form, and divergence of random expressions against
//! their values in all threads.

mod text;

use apg_kernels::divergence::{Cause, WARP_SIZE};
use apg_kernels::write_conflict::find_overlapping_stores;
use apg_kernels::{Expr, Kernel, Parameter, Spread, Stmt, Test, Uniformity};
use apg_symbolic::ValueRange;
use proptest::prelude::*;

/// The divergent collective operations of a kernel: `site: condition cause`.
fn divergent(text: &str) -> Vec<String> {
    let kernel = text::kernel(text);
    let describe = |it: &apg_kernels::uniformity::DivergentCollective<char, usize>| {
        let cause = match it.branch.cause {
            Cause::Index(index) => index.to_string(),
            Cause::Parameter(parameter) => format!("parameter {parameter}"),
            Cause::Data => "data".to_owned(),
            Cause::Rounding(site) => format!("rounding at {site}"),
        };
        format!("{}: {} {cause}", it.site, it.branch.site)
    };
    Uniformity::new(&kernel).divergent_collectives.iter().map(describe).collect()
}

#[test]
fn a_barrier_needs_conditions_that_all_threads_agree_on() {
    assert_eq!(divergent("threads t < 64; if (t < 32) { barrier; }"), ["2: 1 t"]);
    assert_eq!(divergent("blocks b < 4; threads t < 64; if (b < n) { barrier; }"), [""; 0]);
    assert_eq!(divergent("threads t < 64; var x = n; while (x < 9) { barrier; let x = x + 1; }"), [""; 0]);
    assert_eq!(divergent("threads t < 64; var x = t; while (x < 9) { barrier; let x = x + 1; }"), ["2: 1 t"]);
}

#[test]
fn offsets_from_one_base_compare_alike_in_all_threads() {
    let text = "threads t < 64; var x = t * 3; var y = x; while (y < x + n) { barrier; let y = y + 4; }";
    assert_eq!(divergent(text), [""; 0]);
    let text = "threads t < 64; var x = t * 3; var y = x; while (y < x + n) { barrier; let y = y + t; }";
    assert_eq!(divergent(text).len(), 1);
}

#[test]
fn a_warp_agrees_on_quotients_of_ranks() {
    assert_eq!(divergent("threads t < 64; if (t / 32 == 1) { vote; }"), [""; 0]);
    assert_eq!(divergent("threads t < 64; if (t / 32 == 1) { barrier; }").len(), 1);
    assert_eq!(divergent("threads t < 64; if (t < 32) { vote; }"), [""; 0]);
    assert_eq!(divergent("threads t < 64; if (t < 33) { vote; }").len(), 1);
    assert_eq!(divergent("threads t < 64; if ((t - 64) / 32 == 1) { vote; }").len(), 1);
    assert_eq!(divergent("threads t < 64; var x = t; if ((x & 31) == 1) { vote; }").len(), 1);
}

#[test]
fn division_of_ranks_that_may_be_negative_is_the_cause() {
    let text = "threads t < 64; var x = (t + 0 - n * 32) / 32; if (x == 1) { vote; }";
    assert_eq!(divergent(text).len(), 1);
    let text = "threads t < 64; var x = t + n * 32; if (x / 32 == 1) { vote; }";
    assert_eq!(divergent(text), ["2: 1 rounding at 101"]);
}

#[test]
fn jumps_under_divergent_conditions_affect_what_they_skip() {
    let text = "threads t < 64; for (i in 0..9) { barrier; if (t < i) { continue; } barrier; }";
    assert_eq!(divergent(text), ["4: 3 t"]);
    let text = "threads t < 64; for (i in 0..9) { barrier; if (t < i) { break; } }";
    assert_eq!(divergent(text), ["2: 3 t"]);
    let text = "threads t < 64; for (i in 0..9) { if (n < i) { break; } barrier; }";
    assert_eq!(divergent(text), [""; 0]);
}

#[test]
fn assignments_in_divergent_branches_diverge() {
    let text = "threads t < 64; var x = 0; if (t < 7) { let x = 1; } if (x == 1) { barrier; }";
    assert_eq!(divergent(text), ["3: 2 t"]);
    let text = "threads t < 64; var x = 0; if (t < 7) { let x = 1; } let x = n; if (x == 1) { barrier; }";
    assert_eq!(divergent(text), [""; 0]);
}

#[test]
fn updates_of_one_element_by_all_threads_are_lost() {
    let lost = |text: &str| {
        let kernel = text::kernel(text);
        Uniformity::new(&kernel).lost_updates.len()
    };
    assert_eq!(lost("threads t < 64; g[0] += 1;"), 1);
    assert_eq!(lost("blocks b < 4; threads t < 64; g[b] += 1;"), 1);
    assert_eq!(lost("threads t < 64; g[t] += 1; atomic g[0]; g[0] = 1;"), 0);
    assert_eq!(lost("threads t < 64; if (t == 0) { g[0] += 1; }"), 0);
    assert_eq!(lost("threads t < 1; g[0] += 1;"), 0);
}

#[test]
fn neighbouring_blocks_overlap_in_one_element() {
    let overlaps = |text: &str| find_overlapping_stores(&text::kernel(text)).len();
    assert_eq!(overlaps("blocks b < 8; threads t < 65; g[b * 64 + t] = 0;"), 1);
    assert_eq!(overlaps("blocks b < 8; threads t < 65; if (b * 64 + t < n) { g[b * 64 + t] = 0; }"), 1);
    assert_eq!(overlaps("blocks b < 8; threads t < 65; if (t < 64) { g[b * 64 + t] = 0; }"), 0);
    assert_eq!(overlaps("blocks b < 8; threads t < 64; g[b * 64 + t] = 0;"), 0);
    assert_eq!(overlaps("blocks b < 1; threads t < 65; g[b * 64 + t] = 0;"), 0);
    assert_eq!(overlaps("blocks b < 8; threads t < 65; a[b * 64 + t] = 0;"), 0);
}

/// An expression over the thread index, a captured number and constants.
fn expression() -> impl Strategy<Value = String> {
    let constant = prop::sample::select(vec!["1", "3", "31", "32", "63", "64", "96"]);
    let leaf = prop_oneof![Just("t".to_owned()), Just("n".to_owned()), constant.prop_map(str::to_owned)];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let op = prop::sample::select(vec!["+", "-", "*", "/", "%", "&"]);
        (inner.clone(), op, inner).prop_map(|(a, op, b)| format!("({a} {op} {b})"))
    })
}

/// The value of an expression of the notation; `None` where it fails.
fn evaluate(expr: &Expr<char, usize>, thread: i64, number: i64) -> Option<i64> {
    use apg_kernels::Operator;
    match expr {
        Expr::Constant(value) => Some(*value),
        Expr::Variable('t', _) => Some(thread),
        Expr::Variable(..) => Some(number),
        Expr::Located(_, it) => evaluate(it, thread, number),
        Expr::Binary(Operator::Arithmetic(op), a, b) => {
            op.apply(evaluate(a, thread, number)?, evaluate(b, thread, number)?)
        }
        _ => None,
    }
}

/// An assignment that a thread may make, of a function of other variables.
fn assignment(variable: char, operands: Vec<char>) -> Stmt<char, usize> {
    let operands = operands.into_iter().map(|it| Expr::Variable(it, None)).collect();
    Stmt::Sometimes(vec![Stmt::Assign(variable, Expr::Function(operands))])
}

proptest! {
    /// Among assignments in any order, a variable varies exactly if a varying one reaches it.
    #[test]
    fn variables_vary_that_varying_ones_reach(
        varying in prop::collection::vec(any::<bool>(), 1..9),
        edges in prop::collection::vec((0_usize..8, 0_usize..8), 0..16),
    ) {
        let count = varying.len();
        let name = |number: usize| char::from(b'a' + u8::try_from(number).expect("a small number"));
        let edges: Vec<(usize, usize)> = edges.into_iter().map(|(a, b)| (a % count, b % count)).collect();
        let all = ValueRange::ALL;
        let parameter = |number: usize| {
            let spread = if varying[number] { Spread::Varying } else { Spread::Uniform };
            Parameter { variable: name(number), spread, range: all }
        };
        let kernel = Kernel {
            parameters: (0..count).map(parameter).collect(),
            body: edges.iter().map(|(value, on)| vec![assignment(name(*value), vec![name(*on)])]).collect(),
            ..Kernel::default()
        };
        let uniformity = Uniformity::new(&kernel);
        for value in 0..count {
            let mut reached = vec![value];
            let mut next = 0;
            while let Some(at) = reached.get(next).copied() {
                next += 1;
                for (from, on) in &edges {
                    if *from == at && !reached.contains(on) {
                        reached.push(*on);
                    }
                }
            }
            let expected = !reached.iter().any(|it| varying[*it]);
            prop_assert_eq!(uniformity.is_uniform(&Test::Variable(name(value))), expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// A condition that is found to be uniform, for the block or for each warp, is so in all threads.
    #[test]
    fn uniform_conditions_have_one_value(
        left in expression(), right in expression(), is_less in any::<bool>(), number in -100..100_i64,
    ) {
        let op = if is_less { "<" } else { "==" };
        let kernel = text::kernel(&format!("threads t < 128; if ({left} {op} {right}) {{ barrier; vote; }}"));
        let Stmt::Branch(guard, ..) = &kernel.body[0][0] else { unreachable!("an `if`") };
        let (Test::Less(a, b) | Test::Equal(a, b)) = &guard.test else {
            unreachable!("a comparison")
        };
        let holds = |thread| {
            let (a, b) = (evaluate(a, thread, number)?, evaluate(b, thread, number)?);
            Some(if is_less { a < b } else { a == b })
        };
        let values: Option<Vec<bool>> = (0..128).map(holds).collect();
        let Some(values) = values else { return Ok(()) };
        let uniformity = Uniformity::new(&kernel);
        let is_constant = |all: &[bool]| all.iter().all(|it| *it == all[0]);
        if uniformity.is_uniform(&guard.test) {
            prop_assert!(is_constant(&values), "{left} {op} {right}, n = {number}");
        }
        let scopes: Vec<_> = uniformity.divergent_collectives.iter().map(|it| it.scope).collect();
        if !scopes.contains(&apg_kernels::model::Scope::Warp) {
            let warps: Vec<&[bool]> = values.chunks(WARP_SIZE as usize).collect();
            prop_assert!(warps.into_iter().all(is_constant), "{left} {op} {right}, n = {number}");
        }
    }
}
