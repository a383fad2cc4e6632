//! Races of kernels in text form, and of random kernels against an enumeration of all threads.

mod text;

use apg_kernels::Index;
use apg_kernels::iteration::{Variation, are_independent, is_distinct_in_each};
use apg_kernels::race::{Race, find_races};
use apg_kernels::{Uniformity, index};
use proptest::prelude::*;

fn races_of(text: &str) -> Vec<Race<char, usize>> {
    let kernel = text::kernel(text);
    find_races(&kernel, &Uniformity::new(&kernel))
}

/// The races of a kernel: `site/other reader writer`.
fn races(text: &str) -> Vec<String> {
    let describe = |race: Race<char, usize>| {
        let example = race.example;
        format!("{}/{} {:?} {:?}", race.site, race.other, example.reader, example.writer)
    };
    races_of(text).into_iter().map(describe).collect()
}

#[test]
fn an_element_of_another_thread_needs_a_barrier() {
    assert_eq!(races("threads t < 64; a[t] = 0; read a[63 - t];"), ["2/1 [0] [63]"]);
    assert_eq!(races("threads t < 64; a[t] = 0; barrier; read a[63 - t];"), [""; 0]);
}

#[test]
fn an_own_element_and_another_array_need_no_barrier() {
    assert_eq!(races("threads t < 64; a[t] = 0; read a[t]; read c[63 - t];"), [""; 0]);
}

#[test]
fn a_barrier_on_one_side_of_a_loop_leaves_the_next_iteration_racing() {
    let round = "a[t] = 0; barrier; read a[63 - t];";
    assert_eq!(races(&format!("threads t < 64; for (i in 0..n) {{ {round} }}")), ["2/4 [0] [63]"]);
    assert_eq!(races(&format!("threads t < 64; for (i in 0..n) {{ {round} barrier; }}")), [""; 0]);
}

#[test]
fn conditions_limit_the_threads() {
    assert_eq!(races("threads t < 64; if (t < 32) { a[t] = 0; } read a[t % 32];"), ["3/2 [32] [0]"]);
    assert_eq!(races("threads t < 64; if (t == 0) { a[0] = 0; read a[0]; }"), [""; 0]);
    let split = "threads t < 64; if (t < 32) { a[t] = 0; } else { read a[t]; }";
    assert_eq!(races(split), [""; 0]);
}

#[test]
fn assigned_values_are_propagated() {
    assert_eq!(races("threads t < 64; let x = t + 1; a[t] = 0; read a[x % 64];"), ["2/1 [0] [1]"]);
    assert_eq!(races("threads t < 64; let x = t; let x = x * 1; a[t] = 0; read a[x];"), [""; 0]);
}

#[test]
fn a_size_that_the_launch_chooses_is_sampled() {
    let found = races_of("threads t < n; a[t] = 0; read a[n - 1 - t];");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].example.block, [64]);
    // No race in blocks of two threads.
    assert_eq!(races("threads t < n; a[t] = 0; read a[t / 2 * 2];").len(), 1);
    assert_eq!(races("threads t < n; a[t] = 0; read a[t + 3];"), [""; 0]);
}

#[test]
fn a_race_of_one_block_names_the_block() {
    let found = races_of("blocks b < 4; threads t < 8; a[t] = 0; read a[t % 7 + b];");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].example.block_index, Some(0));
}

#[test]
fn threads_in_two_dimensions_are_numbered_in_order() {
    let text = "threads y < 4; threads x < 4; a[y * 4 + x] = 0; read a[x * 4 + y];";
    assert_eq!(races(text), ["2/1 [0, 1] [1, 0]"]);
}

/// A form in thread index and loop variable, and its text.
fn index_text() -> impl Strategy<Value = (String, [i64; 4])> {
    (0..4_i64, 0..3_i64, 0..6_i64, 1..9_i64).prop_map(|(t, i, constant, modulus)| {
        (format!("({t} * t + {i} * i + {constant}) % {modulus}"), [t, i, constant, modulus])
    })
}

fn element([t, i, constant, modulus]: [i64; 4], thread: i64, iteration: i64) -> i64 {
    (t * thread + i * iteration + constant) % modulus
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Races are those of an enumeration of all pairs of threads and iterations.
    #[test]
    fn races_agree_with_enumeration(
        size in 2..7_i64,
        last in 0..3_i64,
        (written, write) in index_text(),
        (loaded, load) in index_text(),
        limit in 0..8_i64,
    ) {
        let text = format!(
            "threads t < {size}; for (i in 0..{last}) {{ if (t < {limit}) {{ a[{written}] = 0; }} }} \
             for (i in 0..{last}) {{ read a[{loaded}]; }}"
        );
        let found = races_of(&text);
        let writes = |thread: i64| (0..=last).map(move |i| element(write, thread, i));
        let reads = |thread: i64| (0..=last).map(move |i| element(load, thread, i));
        let threads = 0..size.min(limit);
        // A value that all threads store to one element is taken to be the same.
        let is_own = write[0] % write[3] != 0;
        let shared = threads.clone().any(|a| threads.clone().any(|b| {
            a != b && writes(a).any(|it| writes(b).any(|other| it == other))
        }));
        let races = threads.clone().any(|writer| (0..size).any(|reader| {
            writer != reader && writes(writer).any(|it| reads(reader).any(|other| it == other))
        }));
        prop_assert_eq!(found.is_empty(), !races || (!is_own && shared), "{}", text);
        for race in found {
            let (reader, writer) = (race.example.reader[0], race.example.writer[0]);
            prop_assert!(writer < limit && reader != writer);
            prop_assert!(writes(writer).any(|it| reads(reader).any(|other| it == other)));
        }
    }

    /// An index that is distinct in each iteration has no value in two iterations.
    #[test]
    fn distinct_indices_have_no_common_values(
        step in -6..7_i64, inner in -3..4_i64, constant in -5..6_i64, range in 0..4_i64,
    ) {
        let index = index::variable('i').checked_scale(step)
            .and_then(|it| it.add_scaled(inner, &index::variable('j')))
            .and_then(|it| it.add_scaled(1, &Index::from_constant(constant)))
            .expect("small numbers");
        let variation = |it: char| match it {
            'i' => Variation::Counter,
            _ => Variation::Within(Some(range)),
        };
        let values = |i: i64| (0..=range).map(move |j| step * i + inner * j + constant);
        let overlap = (0..8).any(|a| (0..a).any(|b| values(a).any(|it| values(b).any(|other| it == other))));
        if is_distinct_in_each(&index, &variation) {
            prop_assert!(!overlap);
            prop_assert!(are_independent(&[('a', index.clone())], &[('a', Some(index.clone()))], &variation));
        }
        let other = index.add_scaled(1, &Index::from_constant(1)).expect("small numbers");
        prop_assert!(!are_independent(&[('a', index)], &[('a', Some(other))], &variation));
    }

    /// Simplified operations have the values of the operators.
    #[test]
    fn remainders_keep_their_values(
        t in 0..40_i64, factor in 0..70_i64, constant in 0..9_i64, modulus in 1..9_i64,
    ) {
        let form = index::variable('t').checked_scale(factor)
            .and_then(|it| it.add_scaled(1, &Index::from_constant(constant)))
            .expect("small numbers");
        let op = index::Operator::Arithmetic(apg_symbolic::BinaryOp::TruncRem);
        let found = index::binary(op, form, Index::from_constant(modulus), &|_| true).expect("small numbers");
        let value = index::evaluate(&found, &|_| Some(t));
        prop_assert_eq!(value, Some((factor * t + constant) % modulus));
    }
}
