//! Block sizes for race detection: the constant size, or samples where the number of threads is a variable.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, Literal, LocalId, StmtKind};
use crate::kernel::affine::{Affine, SymbolContext};
use crate::kernel::context::KernelContext;
use crate::kernel::races::Range;
use crate::kernel::{Axis, Kernel};

/// Sampled values of the variable that determines the number of threads; messages cite the first one.
const SAMPLED_SIZES: [i64; 9] = [64, 2, 3, 4, 5, 32, 100, 128, 256];
/// Sampled values of two and three variables.
const SAMPLED_SIZE_TUPLES: [[i64; 3]; 9] = [
    [16, 16, 4],
    [2, 2, 2],
    [3, 5, 2],
    [5, 3, 4],
    [32, 1, 1],
    [1, 32, 1],
    [1, 1, 32],
    [4, 32, 2],
    [32, 8, 1],
];
/// Maximum number of integer constants of the kernel that are sampled as well.
const MAX_CODE_CONSTANTS: usize = 8;
/// Block sizes considered: one thread has no races, and hardware has a maximum.
const THREADS_PER_BLOCK: std::ops::RangeInclusive<i64> = 2..=1024;

/// A block size.
pub(in crate::kernel) struct BlockSize {
    /// The thread indices, and their last values.
    pub axes: Vec<(LocalId, i64)>,
    /// Values of the variables that determine the size.
    pub values: FxHashMap<LocalId, Affine>,
    /// Whether it is one of several samples.
    pub is_sampled: bool,
}

impl KernelContext<'_> {
    /// The block sizes to examine; empty if they cannot be determined.
    pub(in crate::kernel) fn sampled_block_sizes(&self, kernel: &Kernel) -> Vec<BlockSize> {
        self.block_size_samples(kernel).unwrap_or_default()
    }

    fn block_size_samples(&self, kernel: &Kernel) -> Option<Vec<BlockSize>> {
        let no_values = FxHashMap::default();
        let is_symbol = |local: LocalId| {
            let is_auto = kernel.prelude.iter().any(|it| it.local == local);
            is_auto || !self.inner.contains(&local) && !self.local(local).mutable
        };
        let known = SymbolContext { is_symbol: &is_symbol, is_non_negative: &|_| false, values: &no_values };
        let axis = |axis: &Axis| Some((axis.local?, self.affine(axis.last, &known)?));
        let axes: Vec<(LocalId, Affine)> = kernel.threads.iter().map(axis).collect::<Option<_>>()?;
        let mut variables: Vec<LocalId> = Vec::new();
        for (_, last) in &axes {
            last.for_each_variable(&mut |it| {
                if !variables.contains(&it) {
                    variables.push(it);
                }
            });
        }
        let sized = |values: &[i64]| {
            let value_of = |local| {
                let position = variables.iter().position(|it| *it == local)?;
                values.get(position).copied()
            };
            let last = |(axis, last): &(LocalId, Affine)| Some((*axis, last.evaluate(&value_of)?));
            let axes: Vec<(LocalId, i64)> = axes.iter().map(last).collect::<Option<_>>()?;
            let given =
                variables.iter().zip(values).map(|(local, value)| (*local, Affine::from_constant(*value)));
            Some(BlockSize { axes, values: given.collect(), is_sampled: !variables.is_empty() })
        };
        let samples: Vec<Vec<i64>> = match variables.len() {
            0 => return Some(vec![sized(&[])?]),
            1 => SAMPLED_SIZES.into_iter().chain(self.constants_in(kernel)).map(|it| vec![it]).collect(),
            2 | 3 => SAMPLED_SIZE_TUPLES.iter().map(|it| it.to_vec()).collect(),
            _ => return None,
        };
        let is_block = |size: &BlockSize| {
            let count =
                |axes: &[(LocalId, i64)]| axes.iter().map(|it| it.1.saturating_add(1).max(0)).product();
            THREADS_PER_BLOCK.contains(&count(&size.axes))
        };
        let mut sizes: Vec<BlockSize> = samples.iter().filter_map(|it| sized(it)).filter(is_block).collect();
        sizes.iter_mut().for_each(|it| self.add_derived(it));
        Some(sizes)
    }

    /// The block indices of a kernel, with their last values where these are constant for a block size.
    pub(in crate::kernel) fn last_block_indices(
        &self,
        kernel: &Kernel,
        size: &BlockSize,
    ) -> FxHashMap<LocalId, Option<i64>> {
        let known =
            SymbolContext { is_symbol: &|_| false, is_non_negative: &|_| false, values: &size.values };
        let last = |axis: &Axis| self.affine(axis.last, &known).and_then(|it| it.as_constant());
        kernel.blocks.iter().filter_map(|axis| Some((axis.local?, last(axis)))).collect()
    }

    /// Adds the `val`s before the kernel that follow from the size.
    fn add_derived(&self, size: &mut BlockSize) {
        for stmt in &self.body.stmts {
            let StmtKind::Let { local, init: Some(init) } = stmt.kind else { continue };
            if self.local(local).mutable || self.inner.contains(&local) || size.values.contains_key(&local) {
                continue;
            }
            let known =
                SymbolContext { is_symbol: &|_| false, is_non_negative: &|_| false, values: &size.values };
            if let Some(value) = self.affine(init, &known).filter(|it| it.as_constant().is_some()) {
                size.values.insert(local, value);
            }
        }
    }

    /// Integer literals of the kernel that are possible block sizes.
    fn constants_in(&self, kernel: &Kernel) -> Vec<i64> {
        let mut found = FxHashSet::default();
        let mut numbers = Vec::new();
        self.body.walk(Node::Stmt(kernel.body), &mut |node| {
            if let Node::Expr(expr) = node
                && let Some(value) = self.literal_value(expr)
                && THREADS_PER_BLOCK.contains(&value)
                && !SAMPLED_SIZES.contains(&value)
                && found.insert(value)
            {
                numbers.push(value);
            }
            numbers.len() < MAX_CODE_CONSTANTS
        });
        numbers
    }

    fn literal_value(&self, expr: ExprId) -> Option<i64> {
        match self.expr(expr).kind {
            ExprKind::Literal(Literal::Int(value)) => Some(value),
            _ => None,
        }
    }
}

/// The number of values of a range.
pub(in crate::kernel) fn count((low, high): Range) -> Option<usize> {
    usize::try_from(high.checked_sub(low)?.checked_add(1)?.max(0)).ok()
}
