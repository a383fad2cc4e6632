//! Races between blocks of kernels in text form, and of random kernels against an enumeration of all threads.

mod text;

use apg_kernels::block_race::{BlockRace, find_block_races};
use proptest::prelude::*;

fn races(text: &str) -> Vec<BlockRace<char, usize>> {
    find_block_races(&text::kernel(text))
}

#[test]
fn a_neighbour_of_another_block_races() {
    let found = races("blocks b < 8; threads t < 64; g[b * 64 + t] = 0; barrier; read g[b * 64 + t + 1];");
    assert_eq!(found.len(), 1);
    let (reader, writer) = (&found[0].reader, &found[0].writer);
    assert_eq!((found[0].store, found[0].load), (1, 3));
    assert_eq!(reader.block[0] * 64 + reader.thread[0] + 1, writer.block[0] * 64 + writer.thread[0]);
    assert_ne!(reader.block, writer.block);
}

#[test]
fn elements_of_the_own_block_and_other_arrays_do_not_race() {
    assert!(races("blocks b < 8; threads t < 64; g[b * 64 + t] = 0; read g[b * 64 + 63 - t];").is_empty());
    assert!(races("blocks b < 8; threads t < 64; g[b * 64 + t] = 0; read h[b * 64 + t + 1];").is_empty());
    assert!(races("blocks b < 8; threads t < 64; a[b * 64 + t] = 0; read a[b * 64 + t + 1];").is_empty());
    assert!(races("blocks b < 1; threads t < 64; g[b * 64 + t] = 0; read g[b * 64 + t + 1];").is_empty());
}

#[test]
fn a_bound_of_the_element_leaves_the_race() {
    let text =
        "blocks b < 8; threads t < 64; if (b * 64 + t < n) { g[b * 64 + t] = 0; read g[b * 64 + t + 1]; }";
    assert_eq!(races(text).len(), 1);
}

#[test]
fn what_depends_on_captured_values_is_not_certain() {
    let text = "blocks b < 8; threads t < 64; g[b * 64 + t] = 0; read g[b * 64 + t + n];";
    assert!(races(text).is_empty());
    let text = "blocks b < 8; threads t < 64; if (t < n) { g[b * 32 + t] = 0; } read g[b * 32];";
    assert!(races(text).is_empty());
    let text = "blocks b < 8; threads t < n; g[b * 64 + t] = 0; read g[b * 64 + t + 1];";
    assert!(races(text).is_empty());
    // The same in both cancels.
    let text = "blocks b < 8; threads t < 64; g[b * 64 + t + n] = 0; read g[b * 64 + t + n + 1];";
    assert_eq!(races(text).len(), 1);
}

#[test]
fn a_bound_from_below_separates_readers_and_writers() {
    let kernel = |written: &str, loaded: &str| {
        let text = format!(
            "blocks b < 8; threads t < 64; if ({written}) {{ g[b * 64 + t] = 0; }} \
             if ({loaded}) {{ read g[b * 64 + t - 1]; }}"
        );
        races(&text)
    };
    assert!(kernel("n - 1 < b * 64 + t", "b * 64 + t < n").is_empty());
    assert!(kernel("b * 64 + t < n - 0 * n", "n < b * 64 + t").is_empty());
    assert!(kernel("b * 64 + t < n % 64", "b * 64 + t < n").is_empty());
    assert!(kernel("b * 64 + t < 0 - n", "b * 64 + t < n").is_empty());
    assert_eq!(kernel("b * 64 + t < n / 2", "b * 64 + t < 2 * n - 1").len(), 1);
    // Constant bounds are part of the system.
    assert_eq!(kernel("0 < b * 64 + t and b * 64 + t < n", "0 < b * 64 + t and b * 64 + t < n").len(), 1);
    assert!(kernel("64 < b * 64 + t and b * 64 + t < n", "b * 64 + t < 64").is_empty());
}

#[test]
fn blocks_that_may_wait_for_each_other_are_left_out() {
    let text = "blocks b < 8; threads t < 64; g[b * 64 + t] = 0; atomic h[0]; read g[b * 64 + t + 1];";
    assert!(races(text).is_empty());
}

#[test]
fn one_element_for_all_blocks_is_taken_to_get_one_value() {
    assert!(races("blocks b < 8; threads t < 64; g[t] = 0; read g[t];").is_empty());
    assert!(races("blocks b < 8; threads t < 64; g[0] = 0; read g[0];").is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Races are those of an enumeration of all pairs of threads of different blocks.
    #[test]
    fn block_races_agree_with_enumeration(
        (blocks, threads, last) in (1..5_i64, 1..6_i64, 0..3_i64),
        written in (0..9_i64, 0..4_i64, 0..3_i64, 0..9_i64),
        loaded in (0..9_i64, 0..4_i64, 0..3_i64, 0..9_i64),
        limit in 0..6_i64,
    ) {
        let form = |(b, t, i, c): (i64, i64, i64, i64)| format!("{b} * b + {t} * t + {i} * i + {c}");
        let text = format!(
            "blocks b < {blocks}; threads t < {threads}; \
             for (i in 0..{last}) {{ if (t < {limit}) {{ g[{}] = 0; }} }} barrier; \
             for (i in 0..{last}) {{ read g[{}]; }}",
            form(written), form(loaded)
        );
        let value = |(b, t, i, c): (i64, i64, i64, i64), block, thread, step| b * block + t * thread + i * step + c;
        let mut expected = false;
        for writer in 0..blocks {
            for reader in (0..blocks).filter(|it| *it != writer) {
                for (w, r) in (0..threads.min(limit)).flat_map(|w| (0..threads).map(move |r| (w, r))) {
                    for (i, j) in (0..=last).flat_map(|i| (0..=last).map(move |j| (i, j))) {
                        expected |= value(written, writer, w, i) == value(loaded, reader, r, j);
                    }
                }
            }
        }
        let is_own = written.0 != 0;
        prop_assert_eq!(!races(&text).is_empty(), expected && is_own, "{}", text);
    }
}
