//! The uniformity solver against its definition: a value is as varying as anything it depends on.

use apg_symbolic::Uniformity;
use apg_symbolic::uniformity::DependenceGraph;
use proptest::prelude::*;

const LEVELS: [Uniformity; 4] = [Uniformity::Grid, Uniformity::Block, Uniformity::Warp, Uniformity::Varying];

proptest! {
    #[test]
    fn solution_is_the_join_over_reachable_values(
        seeds in prop::collection::vec(prop::sample::select(&LEVELS[..]), 1..9),
        edges in prop::collection::vec((0_usize..8, 0_usize..8), 0..16),
    ) {
        let count = seeds.len();
        let edges: Vec<(usize, usize)> = edges.into_iter().map(|(a, b)| (a % count, b % count)).collect();
        let mut graph = DependenceGraph::new(count);
        for (value, seed) in seeds.iter().enumerate() {
            graph.seed(value, *seed);
        }
        for (value, on) in &edges {
            graph.depend(*value, *on);
        }
        let found = graph.solve();
        for (value, solved) in found.iter().enumerate() {
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
            let expected = reached.iter().fold(Uniformity::Grid, |all, it| all.join(seeds[*it]));
            prop_assert_eq!(*solved, expected);
        }
    }
}

#[test]
fn join_is_a_semilattice() {
    for a in LEVELS {
        assert_eq!(a.join(a), a);
        assert_eq!(a.join(Uniformity::Grid), a);
        assert_eq!(a.join(Uniformity::Varying), Uniformity::Varying);
        for b in LEVELS {
            assert_eq!(a.join(b), b.join(a));
            for c in LEVELS {
                assert_eq!(a.join(b).join(c), a.join(b.join(c)));
            }
        }
    }
    assert!(Uniformity::Block.is_block_uniform() && !Uniformity::Warp.is_block_uniform());
}
