//! Built-in thread indices and thread counts, computed from the axes of a kernel.

use crate::{Expr, ExprKind, Operation, Ty};

/// Threads of a warp.
pub const WARP_SIZE: i64 = 32;

/// An index of a thread in its warp, block or kernel, or a number of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant says which index or number it is")]
pub enum ThreadIndex {
    Rank,
    Lane,
    Warp,
    Count,
    GridSize,
    GridIndex,
}

impl ThreadIndex {
    const ALL: [(ThreadIndex, &str); 6] = [
        (ThreadIndex::Rank, "rank"),
        (ThreadIndex::Lane, "lane"),
        (ThreadIndex::Warp, "warp"),
        (ThreadIndex::Count, "count"),
        (ThreadIndex::GridSize, "grid_size"),
        (ThreadIndex::GridIndex, "grid_index"),
    ];

    /// Its name in MIR text.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|it| it.0 == self).map_or("", |it| it.1)
    }

    /// The index with this name.
    pub fn from_name(name: &str) -> Option<ThreadIndex> {
        Self::ALL.iter().find(|it| it.1 == name).map(|it| it.0)
    }

    /// Its value with a single thread.
    pub fn of_single_thread(self) -> i64 {
        i64::from(matches!(self, ThreadIndex::Count | ThreadIndex::GridSize))
    }

    /// Its value in a kernel. `blocks` and `threads` are axis indices with their extents, the slowest first.
    pub fn expand(self, blocks: &[(Expr, Expr)], threads: &[(Expr, Expr)], ty: Ty) -> Expr {
        let long = |operation, a, b| Expr::new(Ty::I64, ExprKind::Operation { operation, args: vec![a, b] });
        let value = match self {
            ThreadIndex::Rank => rank(threads),
            ThreadIndex::Lane => long(Operation::And, rank(threads), int(Ty::I64, WARP_SIZE - 1)),
            ThreadIndex::Warp => {
                long(Operation::Shr, rank(threads), int(Ty::I64, WARP_SIZE.trailing_zeros().into()))
            }
            ThreadIndex::Count => count(threads),
            ThreadIndex::GridSize => long(Operation::Mul, count(blocks), count(threads)),
            ThreadIndex::GridIndex => {
                let before = long(Operation::Mul, rank(blocks), count(threads));
                long(Operation::Add, before, rank(threads))
            }
        };
        convert(value, ty)
    }
}

fn int(ty: Ty, value: i64) -> Expr {
    Expr::new(ty, ExprKind::Int(value))
}

/// The row-major index of an element.
fn rank(axes: &[(Expr, Expr)]) -> Expr {
    let mut all = int(Ty::I64, 0);
    for (position, (index, extent)) in axes.iter().enumerate() {
        let index = convert(index.clone(), Ty::I64);
        all = match position {
            0 => index,
            _ => {
                let args = vec![all, extent.clone()];
                let before = Expr::new(Ty::I64, ExprKind::Operation { operation: Operation::Mul, args });
                let args = vec![before, index];
                Expr::new(Ty::I64, ExprKind::Operation { operation: Operation::Add, args })
            }
        };
    }
    all
}

/// The number of elements.
fn count(axes: &[(Expr, Expr)]) -> Expr {
    let product = |all, extent| {
        let kind = ExprKind::Operation { operation: Operation::Mul, args: vec![all, extent] };
        Expr::new(Ty::I64, kind)
    };
    let extents = axes.iter().map(|it| convert(it.1.clone(), Ty::I64));
    extents.reduce(product).unwrap_or_else(|| int(Ty::I64, 1))
}

/// Converts to another width, without a round trip over the original type.
fn convert(value: Expr, ty: Ty) -> Expr {
    if value.ty == ty {
        return value;
    }
    match value.kind {
        ExprKind::Operation { operation: Operation::Convert, ref args }
            if args.len() == 1 && args[0].ty == ty =>
        {
            args[0].clone()
        }
        ExprKind::Int(number) => int(ty, number),
        _ => Expr::new(ty, ExprKind::Operation { operation: Operation::Convert, args: vec![value] }),
    }
}
