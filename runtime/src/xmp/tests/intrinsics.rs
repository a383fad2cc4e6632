//! Intrinsic functions of any distributions against serial loops.

use proptest::prelude::*;

use super::{AnyArray, NODES, any_array, filled, on_nodes, owns, place, position, seeded};
use crate::xmp::array::Block;
use crate::xmp::intrinsics::{self, View};
use crate::xmp::node::Node;
use crate::xmp::reduction::Element;

/// A matrix with these extents, distributed in any way.
fn matrix() -> impl Strategy<Value = AnyArray> {
    any_array(false).prop_filter("a matrix", |it| it.extents.len() == 2)
}

fn with_extents(array: &AnyArray, extents: [i64; 2]) -> AnyArray {
    AnyArray { extents: extents.to_vec(), ..array.clone() }
}

/// An array on a node, with its elements there.
struct Own {
    array: AnyArray,
    block: Block,
    memory: Vec<i32>,
    view: View,
}

fn own(node: &Node, array: &AnyArray, value: impl Fn(&[i64]) -> i32) -> Own {
    let declaration = array.declaration();
    let block = Block::new(&declaration, node.here()).expect("a block");
    let mut memory = filled(&block, &array.extents, value);
    let element = Element::from_number(6).expect("int");
    let view = View { declaration, element, memory: memory.as_mut_ptr().cast() };
    Own { array: array.clone(), block, memory, view }
}

fn check(own: &Own, model: impl Fn(&[i64]) -> i32) {
    for index in super::all_indices(&own.array.extents).iter().filter(|it| owns(&own.block, it)) {
        assert_eq!(own.memory[place(&own.block, index)], model(index), "{index:?} of {:?}", own.array);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn transposition_and_product_are_those_of_serial_loops(
        (a, b, x) in (matrix(), matrix(), matrix()), (rows, inner, columns) in (1_i64..9, 1_i64..9, 1_i64..9), seed in any::<u64>(),
    ) {
        on_nodes(NODES, seeded(seed), |node| {
            let extents = [[rows, inner], [inner, columns], [rows, columns], [inner, rows]];
            let left = own(node, &with_extents(&a, extents[0]), |it| position(&extents[0], it) + 1);
            let right = own(node, &with_extents(&b, extents[1]), |it| position(&extents[1], it) - 3);
            let product = own(node, &with_extents(&x, extents[2]), |_| 0);
            let transposed = own(node, &with_extents(&x, extents[3]), |_| 0);
            // SAFETY: blocks of this node.
            unsafe {
                intrinsics::multiply_matrices(node, &product.view, &left.view, &right.view).expect("a product");
                intrinsics::transpose(node, &transposed.view, &left.view).expect("a transposition");
            }
            check(&product, |it| {
                (0..inner).map(|k| (position(&extents[0], &[it[0], k]) + 1) * (position(&extents[1], &[k, it[1]]) - 3)).sum()
            });
            check(&transposed, |it| position(&extents[0], &[it[1], it[0]]) + 1);
        });
    }

    #[test]
    fn packing_and_gathering_follow_the_order_of_elements(
        (a, v) in (matrix(), any_array(false).prop_filter("a vector", |it| it.extents.len() == 1)), seed in any::<u64>(),
    ) {
        let count = a.extents.iter().product::<i64>();
        let line = AnyArray { extents: vec![count], ..v };
        on_nodes(NODES, seeded(seed), |node| {
            let at = |it: &[i64]| position(&a.extents, it);
            let source = own(node, &a, |it| 5 * at(it) % 7);
            let mask = own(node, &a, |it| at(it) % 2);
            let packed = own(node, &line, |_| -9);
            let unpacked = own(node, &a, |_| -9);
            let sorted = own(node, &line, |_| 0);
            let index = own(node, &line, |it| (count - 1 - it[0]) as i32);
            let reversed = own(node, &line, |_| 0);
            let back = own(node, &line, |_| 0);
            // SAFETY: blocks of this node.
            unsafe {
                intrinsics::pack(node, &packed.view, &source.view, Some(&mask.view)).expect("packed");
                intrinsics::unpack(node, &unpacked.view, &packed.view, Some(&mask.view)).expect("unpacked");
                intrinsics::sort(node, &packed.view, &sorted.view, false).expect("sorted");
                intrinsics::gather(node, &reversed.view, &packed.view, std::slice::from_ref(&index.view)).expect("gathered");
                intrinsics::scatter(node, &back.view, &reversed.view, std::slice::from_ref(&index.view)).expect("scattered");
            }
            let chosen: Vec<i32> = (0..count as i32).filter(|it| it % 2 == 1).map(|it| 5 * it % 7).collect();
            let of_packed = |at: i64| chosen.get(at as usize).copied().unwrap_or(-9);
            check(&packed, |it| of_packed(it[0]));
            check(&unpacked, |it| if at(it) % 2 == 1 { 5 * at(it) % 7 } else { -9 });
            let mut descending: Vec<i32> = (0..count).map(of_packed).collect();
            descending.sort_unstable_by(|a, b| b.cmp(a));
            check(&sorted, |it| descending[it[0] as usize]);
            check(&reversed, |it| of_packed(count - 1 - it[0]));
            check(&back, |it| of_packed(it[0]));
        });
    }
}
