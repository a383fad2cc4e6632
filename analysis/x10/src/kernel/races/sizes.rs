//! Sizes of blocks for which races are looked for: the one size that is written, or samples where the number of threads is a variable.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Range;
use crate::body::walk::Node;
use crate::body::{ExprId, ExprKind, Literal, LocalId, StmtKind};
use crate::kernel::affine::{Affine, Known};
use crate::kernel::draft::Draft;
use crate::kernel::{Axis, Kernel};

/// Values of the variables that the number of threads depends on. The first one is the example in messages.
const SAMPLES: [i64; 9] = [64, 2, 3, 4, 5, 32, 100, 128, 256];
/// Values of two and three variables.
const SAMPLES_OF_SEVERAL: [[i64; 3]; 9] = [
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
/// Numbers of the kernel's code that are tried as well.
const MAX_NUMBERS: usize = 8;
/// The threads of a block.
const THREADS: std::ops::RangeInclusive<i64> = 2..=1024;

/// The size of a block.
pub(super) struct Size {
    /// The indices of a thread, and their last values.
    pub axes: Vec<(LocalId, i64)>,
    /// What the variables are that it depends on.
    pub values: FxHashMap<LocalId, Affine>,
    /// It is one of several that are tried.
    pub sampled: bool,
}

impl Draft<'_> {
    /// The sizes that a block may have, as far as they are tried; none if that is not known.
    pub(super) fn block_sizes(&self, kernel: &Kernel) -> Vec<Size> {
        self.sizes_of(kernel).unwrap_or_default()
    }

    fn sizes_of(&self, kernel: &Kernel) -> Option<Vec<Size>> {
        let no_values = FxHashMap::default();
        let is_known = |local: LocalId| {
            let is_auto = kernel.prelude.iter().any(|it| it.local == local);
            is_auto || !self.inner.contains(&local) && !self.local(local).mutable
        };
        let known = Known { is_known: &is_known, is_natural: &|_| false, values: &no_values };
        let axis = |axis: &Axis| Some((axis.local?, self.affine(axis.last, &known)?));
        let axes: Vec<(LocalId, Affine)> = kernel.threads.iter().map(axis).collect::<Option<_>>()?;
        let mut variables: Vec<LocalId> = Vec::new();
        for (_, last) in &axes {
            last.variables(&mut |it| {
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
            let given = variables.iter().zip(values).map(|(local, value)| (*local, Affine::of(*value)));
            Some(Size { axes, values: given.collect(), sampled: !variables.is_empty() })
        };
        let samples: Vec<Vec<i64>> = match variables.len() {
            0 => return Some(vec![sized(&[])?]),
            1 => SAMPLES.into_iter().chain(self.numbers_in(kernel)).map(|it| vec![it]).collect(),
            2 | 3 => SAMPLES_OF_SEVERAL.iter().map(|it| it.to_vec()).collect(),
            _ => return None,
        };
        let is_block = |size: &Size| {
            let count =
                |axes: &[(LocalId, i64)]| axes.iter().map(|it| it.1.saturating_add(1).max(0)).product();
            THREADS.contains(&count(&size.axes))
        };
        let mut sizes: Vec<Size> = samples.iter().filter_map(|it| sized(it)).filter(is_block).collect();
        sizes.iter_mut().for_each(|it| self.add_derived(it));
        Some(sizes)
    }

    /// Adds the `val`s before the kernel that follow from the size.
    fn add_derived(&self, size: &mut Size) {
        for stmt in &self.body.stmts {
            let StmtKind::Let { local, init: Some(init) } = stmt.kind else { continue };
            if self.local(local).mutable || self.inner.contains(&local) || size.values.contains_key(&local) {
                continue;
            }
            let known = Known { is_known: &|_| false, is_natural: &|_| false, values: &size.values };
            if let Some(value) = self.affine(init, &known).filter(|it| it.number().is_some()) {
                size.values.insert(local, value);
            }
        }
    }

    /// Numbers that the code of a kernel names, as far as blocks may be so large.
    fn numbers_in(&self, kernel: &Kernel) -> Vec<i64> {
        let mut found = FxHashSet::default();
        let mut numbers = Vec::new();
        self.body.walk(Node::Stmt(kernel.body), &mut |node| {
            if let Node::Expr(expr) = node
                && let Some(value) = self.number(expr)
                && THREADS.contains(&value)
                && !SAMPLES.contains(&value)
                && found.insert(value)
            {
                numbers.push(value);
            }
            numbers.len() < MAX_NUMBERS
        });
        numbers
    }

    fn number(&self, expr: ExprId) -> Option<i64> {
        match self.expr(expr).kind {
            ExprKind::Literal(Literal::Int(value)) => Some(value),
            _ => None,
        }
    }
}

/// How many values a range has.
pub(super) fn count((low, high): Range) -> Option<usize> {
    usize::try_from(high.checked_sub(low)?.checked_add(1)?.max(0)).ok()
}
