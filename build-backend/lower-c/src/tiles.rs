//! Tiles of iterations (Wolfe, "More Iteration Space Tiling", Supercomputing 1989): which iterations of a
//! nest the threads of a block execute.
//!
//! In the order of the program a block of 256 threads has 256 iterations of a row, and what a stencil reads
//! of the rows around comes from the memory behind the cache of the block's multiprocessor, as many times as
//! there are rows. A tile of 8 rows of 32 iterations reads 10 rows for 8: the cache keeps them for the other
//! threads, without a copy in shared memory and its barriers. A warp takes 32 iterations of the loop that
//! counts neighbouring elements, so that its accesses are coalesced.

use apg_c_analysis::hir::visit::Node;
use apg_c_analysis::hir::{BinaryOp, ExprId, ExprKind, Program, StmtId, Type, VariableId};
use apg_c_analysis::loops::CanonicalLoop;
use rustc_hash::FxHashMap;

/// The fewest iterations of a tile along the loop of neighbouring elements: a warp.
const WARP: i64 = 32;

/// Loops that are tiled: those of the innermost subscripts.
const MAX_TILED: usize = 3;

/// The order of the program stays unless a tile reads at most this part of what it reads.
const MAX_PART: f64 = 0.8;

/// The shape of the tiles of a nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tile {
    /// Iterations along each loop, the outermost first: powers of two.
    pub sides: Vec<i64>,
    /// The loop along which the threads of a warp stand.
    pub fastest: usize,
}

impl Tile {
    /// The loops in the order in which threads of a tile count, the fastest first.
    pub(crate) fn order(&self) -> Vec<usize> {
        let others = (0..self.sides.len()).rev().filter(|it| *it != self.fastest);
        std::iter::once(self.fastest).chain(others).collect()
    }
}

/// How the iterations of a nest reach into an array.
#[derive(Clone, Debug, Default)]
struct Reach {
    /// For each loop the least and the greatest distance of an element from the iteration, if its variable is
    /// in a subscript.
    distances: Vec<Option<(i64, i64)>>,
}

impl Reach {
    /// Elements that a tile reads, for each of its iterations.
    fn reads(&self, sides: &[i64]) -> f64 {
        let one = |(side, distance): (&i64, &Option<(i64, i64)>)| match distance {
            Some((least, greatest)) => (side + greatest - least) as f64 / *side as f64,
            None => 1.0 / *side as f64,
        };
        sides.iter().zip(&self.distances).map(one).product()
    }
}

/// The tile of a nest whose block has `threads` threads; `None` if the order of the program is as good.
pub(crate) fn tile(hir: &Program, loops: &[CanonicalLoop], body: StmtId, threads: i64) -> Option<Tile> {
    if loops.len() < 2 || threads < 2 * WARP || threads.count_ones() != 1 {
        return None;
    }
    let accesses = Accesses::of(hir, loops, body);
    let innermost = loops.len() - 1;
    let fastest = accesses.fastest(innermost);
    let is_strided = fastest != innermost;
    let outer = |it: &Reach| {
        let all = it.distances.iter().enumerate();
        all.filter(|it| it.0 != fastest).any(|(_, it)| it.is_some_and(|(least, greatest)| least < greatest))
    };
    if !is_strided && !accesses.arrays.values().any(outer) {
        return None;
    }
    let cost = |sides: &[i64]| accesses.arrays.values().map(|it| it.reads(sides)).sum::<f64>();
    let mut row = vec![1; loops.len()];
    row[innermost] = threads;
    let best = shapes(loops.len(), fastest, threads)
        .into_iter()
        .min_by(|a, b| cost(a).total_cmp(&cost(b)).then(b[fastest].cmp(&a[fastest])))?;
    (is_strided || cost(&best) <= MAX_PART * cost(&row)).then_some(Tile { sides: best, fastest })
}

/// The shapes of `threads` iterations of which at least a warp stands along the loop `fastest`.
fn shapes(loops: usize, fastest: usize, threads: i64) -> Vec<Vec<i64>> {
    let mut shape = vec![1; loops];
    shape[fastest] = threads;
    let mut all = vec![shape];
    for axis in (loops.saturating_sub(MAX_TILED)..loops).filter(|it| *it != fastest) {
        for mut shape in all.clone() {
            while shape[fastest] > WARP {
                shape[fastest] /= 2;
                shape[axis] *= 2;
                all.push(shape.clone());
            }
        }
    }
    all
}

/// The accesses of a nest to arrays.
struct Accesses<'a> {
    hir: &'a Program,
    counters: Vec<VariableId>,
    arrays: FxHashMap<VariableId, Reach>,
    /// For each loop the accesses whose last subscript has its variable as a summand: the next iteration is
    /// at the next element.
    neighbours: Vec<usize>,
}

impl<'a> Accesses<'a> {
    fn of(hir: &'a Program, loops: &[CanonicalLoop], body: StmtId) -> Self {
        let counters: Vec<_> = loops.iter().map(|it| it.variable).collect();
        let neighbours = vec![0; counters.len()];
        let mut all = Accesses { hir, counters, arrays: FxHashMap::default(), neighbours };
        hir.walk_stmt(body, &mut |node| {
            if let Node::Expr(id) = node
                && let ExprKind::Index(base, subscript) = hir.expr(id).kind
                && let Some(array) = hir.base_variable(base)
            {
                let is_row = matches!(hir.expr(id).ty, Type::Array(..) | Type::Pointer(_));
                all.add(array, subscript, !is_row);
            }
            true
        });
        all
    }

    /// Adds one subscript; the last one selects an element that is no row.
    fn add(&mut self, array: VariableId, subscript: ExprId, is_last: bool) {
        let mut found = Vec::new();
        self.summands(subscript, 0, true, &mut found);
        if !found.is_empty() {
            let count = self.counters.len();
            let reach = self.arrays.entry(array).or_insert_with(|| Reach { distances: vec![None; count] });
            for (axis, distance, _) in &found {
                let (least, greatest) = reach.distances[*axis].unwrap_or((*distance, *distance));
                reach.distances[*axis] = Some((least.min(*distance), greatest.max(*distance)));
            }
        }
        for (axis, ..) in found.iter().filter(|it| it.2 && is_last) {
            self.neighbours[*axis] += 1;
        }
    }

    /// The counters in a subscript, with what is added to each, and whether it is a summand of the whole.
    fn summands(&self, expr: ExprId, added: i64, is_summand: bool, found: &mut Vec<(usize, i64, bool)>) {
        let constant = |it: ExprId| self.hir.constant(it).and_then(|it| i64::try_from(it).ok());
        // More would be another row of an array that has one subscript.
        let near = |it: i64| added.saturating_add(it.clamp(-WARP, WARP));
        match self.hir.expr(expr).kind {
            ExprKind::Variable(of) => {
                let axis = self.counters.iter().position(|it| *it == of);
                found.extend(axis.map(|axis| (axis, added, is_summand)));
            }
            ExprKind::Cast(inner) => self.summands(inner, added, is_summand, found),
            ExprKind::Binary(BinaryOp::Add, left, right) => match (constant(left), constant(right)) {
                (_, Some(more)) => self.summands(left, near(more), is_summand, found),
                (Some(more), _) => self.summands(right, near(more), is_summand, found),
                _ => {
                    self.summands(left, added, is_summand, found);
                    self.summands(right, added, is_summand, found);
                }
            },
            ExprKind::Binary(BinaryOp::Subtract, left, right) => match constant(right) {
                Some(less) => self.summands(left, near(less.saturating_neg()), is_summand, found),
                None => {
                    self.summands(left, added, is_summand, found);
                    self.summands(right, 0, false, found);
                }
            },
            ExprKind::Binary(_, left, right) => {
                self.summands(left, 0, false, found);
                self.summands(right, 0, false, found);
            }
            _ => {}
        }
    }

    /// The loop along which most accesses reach neighbouring elements: `innermost` if none has more.
    fn fastest(&self, innermost: usize) -> usize {
        let most = self.neighbours.iter().copied().max().unwrap_or_default();
        if self.neighbours[innermost] == most {
            return innermost;
        }
        self.neighbours.iter().rposition(|it| *it == most).unwrap_or(innermost)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use apg_c_analysis::hir::Construct;
    use apg_c_analysis::{AnalysisHost, Toolchain, loops, parsed};
    use apg_c_syntax::Disk;

    use super::*;

    /// The tile of a nest over `p`, `i` and `j`, of blocks with 256 threads.
    fn tile_of(collapse: usize, statement: &str) -> Option<Tile> {
        let text = format!(
            "void f(int n, double a[][99][99], double b[][99][99], double *c) {{\n\
             #pragma omp target teams distribute parallel for collapse({collapse})\n\
             for (int p = 1; p < n; p++) for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) {statement}\n}}\n"
        );
        let mut host = AnalysisHost::new(Arc::new(Disk));
        let file = host.set_file(Path::new("/a.c"), text.into(), &Arc::new(Toolchain::default()));
        let hir = &parsed(host.database(), file).program;
        let id = hir.directive_ids().find(|it| hir.directive(*it).has(Construct::Target)).unwrap();
        let (nest, problem) = loops::associated(hir, hir.directive(id));
        assert!(problem.is_none());
        tile(hir, &nest, nest[nest.len() - 1].body, 256)
    }

    #[test]
    fn shape_reads_the_fewest_elements() {
        let plane =
            tile_of(3, "b[p][i][j] = a[p][i - 1][j] + a[p][i + 1][j] + a[p][i][j - 1] + a[p][i][j + 1];");
        assert_eq!(plane, Some(Tile { sides: vec![1, 8, 32], fastest: 2 }));
        let space =
            tile_of(3, "b[p][i][j] = a[p - 1][i][j] + a[p + 1][i][j] + a[p][i - 1][j] + a[p][i + 1][j];");
        assert_eq!(space, Some(Tile { sides: vec![2, 4, 32], fastest: 2 }));
        // The subscripts of an array whose rows the program lays out itself.
        let rows =
            tile_of(3, "c[(i - 1) * n + j] += c[i * n + (j + 1) - 7] + c[p] + c[(i + 1) * n + j + 2];");
        assert_eq!(rows, Some(Tile { sides: vec![1, 8, 32], fastest: 2 }));
    }

    #[test]
    fn loops_that_read_rows_keep_their_order() {
        assert_eq!(tile_of(3, "b[p][i][j] = a[p][i][j] + a[p][i][j - 1] + c[j];"), None);
        assert_eq!(tile_of(3, "b[p][i][j] = n;"), None);
        // One loop alone is shared.
        assert_eq!(tile_of(1, "b[p][i][j] = a[p - 1][i][j] + a[p + 1][i][j];"), None);
    }

    #[test]
    fn warp_stands_along_neighbouring_elements() {
        let turned = tile_of(2, "b[0][j][p] = a[0][j][p] + c[i];");
        assert_eq!(turned.map(|it| it.fastest), Some(0));
        let half = tile_of(3, "b[p][j][i] = a[p][i][j];");
        assert_eq!(half, None);
    }
}
