//! Write-write conflicts between blocks: elements that the last thread of a block and the first one of the
//! next block store to (output dependences: Allen and Kennedy, *Optimizing Compilers for Modern
//! Architectures*, 2.2).

use crate::Variable;
use crate::expression::{Expr, Scope, Test};
use crate::index::Index;
use crate::iteration::overlaps_next_block;
use crate::model::{Access, AccessKind, Guard, Kernel, Space, Stmt};

/// A store to `array[block * last + thread]` in blocks whose threads count to `last`, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlappingStore<V, S> {
    /// The array.
    pub array: V,
    /// The store.
    pub site: S,
    /// The last thread index, which is the distance of blocks.
    pub last: i64,
}

/// The stores to global memory that two neighbouring blocks make to one element.
pub fn find_overlapping_stores<V: Variable, S: Copy>(kernel: &Kernel<V, S>) -> Vec<OverlappingStore<V, S>> {
    let mut found = Vec::new();
    let ([block], [thread]) = (&kernel.blocks[..], &kernel.threads[..]) else { return found };
    let (Some(block_index), Some(thread_index)) = (block.variable, thread.variable) else { return found };
    let mut search = Search { kernel, block: block_index, thread: thread_index, last: 0, found: Vec::new() };
    let constant = |expr| search.index(expr).and_then(|it| it.as_constant().copied());
    let Some(last) = constant(&thread.last).filter(|it| *it > 1) else { return found };
    if constant(&block.last) != Some(0) {
        search.last = last;
        kernel.body.iter().for_each(|it| search.stmts(it, &mut Vec::new()));
        found.append(&mut search.found);
    }
    found
}

struct Search<'k, V, S> {
    kernel: &'k Kernel<V, S>,
    block: V,
    thread: V,
    /// The last thread index.
    last: i64,
    found: Vec<OverlappingStore<V, S>>,
}

impl<'k, V: Variable, S: Copy> Search<'k, V, S> {
    /// Statements under conditions. Those of loops, and others that not all threads run, are left out.
    fn stmts(&mut self, stmts: &'k [Stmt<V, S>], guards: &mut Vec<&'k Guard<V, S>>) {
        for stmt in stmts {
            match stmt {
                Stmt::Access(access) => self.access(access, guards),
                Stmt::Branch(guard, then, _) => {
                    guards.push(guard);
                    self.stmts(then, guards);
                    guards.pop();
                }
                _ => {}
            }
        }
    }

    fn access(&mut self, access: &Access<V, S>, guards: &[&Guard<V, S>]) {
        if access.space != Space::Global || !matches!(access.kind, AccessKind::Store { .. }) {
            return;
        }
        let Some(index) = self.index(&access.index) else { return };
        if overlaps_next_block(&index, self.block, self.thread, self.last)
            && guards.iter().all(|it| self.is_decided_by(&it.test, &index))
        {
            let (array, site, last) = (access.array, access.site, self.last);
            self.found.push(OverlappingStore { array, site, last });
        }
    }

    /// Whether a condition holds for all threads that have the same index, or for none of them: it compares
    /// the index, plus a number, with a value that all threads agree on.
    fn is_decided_by(&self, test: &Test<V, S>, index: &Index<V>) -> bool {
        let is_own = |it: &Expr<V, S>| self.index(it).is_some_and(|it| it.terms().eq(index.terms()));
        match test {
            Test::Less(left, right) => {
                is_own(left) && self.is_common(right) || self.is_common(left) && is_own(right)
            }
            Test::All(all) => all.iter().all(|it| self.is_decided_by(it, index)),
            Test::Not(it) => self.is_decided_by(it, index),
            _ => false,
        }
    }

    /// Whether an expression depends on captured variables alone.
    fn is_common(&self, expr: &Expr<V, S>) -> bool {
        let mut is_common = expr.is_computed();
        expr.for_each_variable(&mut |it| is_common &= self.kernel.captured.contains(&it));
        is_common
    }

    fn index(&self, expr: &Expr<V, S>) -> Option<Index<V>> {
        let is_symbol = |it| it == self.block || it == self.thread;
        let values = crate::Values::default();
        let kernel = self.kernel;
        Scope { is_symbol: &is_symbol, is_non_negative: &|_| false, values: &values, definitions: kernel }
            .index(expr)
    }
}
