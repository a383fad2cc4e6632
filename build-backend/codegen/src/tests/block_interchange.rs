//! Interchange of the block loop and the row loop.

use super::builders::*;
use super::kernels::*;
use apg_mir::*;

const ROWS: i64 = 4;
const ROW: i64 = 8;
const BLOCKS: i64 = 5;

/// Runs a kernel of 5 adjacent blocks, of 4 rows of 8 threads each. Where `x = block * 8 + thread` (local 4)
/// is below `width`, a thread stores `x + 100 * y` (local 5) to `out(index)`, after `first`.
fn run_blocks(width: i64, first: Vec<Stmt>, index: Expr, shared: bool, indices: impl Fn(i64, i64) -> i64) {
    let inside = lt(convert(Ty::I64, x()), var(N, Ty::I64));
    let mut body = vec![set(4, add(mul(block(), int(ROW)), thread()))];
    body.extend(first);
    body.push(when_true(inside, vec![out(index, add(x(), mul(y(), int(100))))]));
    let mut kernel = kernel(BLOCKS, ROW, &[Ty::I32, Ty::I32, Ty::I32, Ty::Ref(INTS)], body);
    kernel.thread_locals = vec![LocalId(5), LocalId(3)];
    kernel.host.threads = vec![int(ROWS), int(ROW)];
    if shared {
        share(&mut kernel, 7, 4, SharedInit::Zero);
    }
    let length = ROWS * ROW * BLOCKS;
    let program = launch(kernel, length, width);
    super::compile_cuda(&program);
    let mut expected = vec![0; length as usize];
    for y in 0..ROWS {
        for x in 0..width.clamp(0, ROW * BLOCKS) {
            expected[indices(x, y) as usize] = x + 100 * y;
        }
    }
    let expected: String = expected.iter().map(|it| format!("{it}\n")).collect();
    assert_eq!(super::run(&program), expected);
}

fn x() -> Expr {
    i32_(4)
}
fn y() -> Expr {
    i32_(5)
}
fn by_rows() -> Expr {
    add(mul(y(), int(ROW * BLOCKS)), x())
}
fn in_rows(x: i64, y: i64) -> i64 {
    y * ROW * BLOCKS + x
}

#[test]
fn adjacent_blocks_store_their_rows() {
    // Blocks inside the guard run together; those at its border by themselves.
    for width in [-1, 0, 7, 8, 9, 31, 32, 39, 40, 1000] {
        run_blocks(width, vec![], by_rows(), false, in_rows);
    }
}

#[test]
fn kernels_with_barriers_or_loops_store_their_rows() {
    let columns = add(mul(x(), int(ROWS)), y());
    let counter = || i32_(6);
    let count = repeat(0, lt(counter(), int(3)), vec![], vec![set(6, add(counter(), int(1)))]);
    // Adjacent threads of a row access distant elements.
    run_blocks(40, vec![], columns, false, |x, y| x * ROWS + y);
    // The block has shared memory.
    run_blocks(40, vec![], by_rows(), true, in_rows);
    // Each thread has a loop.
    run_blocks(40, vec![set(6, int(0)), count], by_rows(), false, in_rows);
}
