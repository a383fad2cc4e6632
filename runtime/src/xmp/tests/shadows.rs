//! `reflect` and `reduce_shadow` of any array with shadows.

use std::sync::Arc;

use proptest::prelude::*;

use super::{AnyArray, NODES, all_indices, any_array, filled, on_nodes, owns, place, position, seeded};
use crate::xmp::array::{Block, Shadow};
use crate::xmp::exchange::Store;
use crate::xmp::mailbox::Construct;
use crate::xmp::reflect::{self, Width};

/// What an element of the local block is a copy of after a reflection: own elements of themselves, those of
/// shadows of the elements there; `None` of what is outside of an array that is no ring.
fn original(extents: &[i64], index: &[i64], is_periodic: &[bool]) -> Option<Vec<i64>> {
    let wrapped = |(axis, at): (usize, &i64)| {
        let is_inside = *at >= 0 && *at < extents[axis];
        (is_inside || is_periodic[axis]).then(|| at.rem_euclid(extents[axis]))
    };
    index.iter().enumerate().map(wrapped).collect()
}

/// All elements of the local block, by global indices, which may be outside of the array.
fn block_indices(block: &Block) -> Vec<Vec<i64>> {
    if !block.is_member || block.axes.iter().any(|it| it.owned().is_empty()) {
        return Vec::new();
    }
    block.axes.iter().fold(vec![Vec::new()], |all, axis| {
        let own = axis.map.bounds(axis.coordinate).expect("it owns some");
        let range = own.0 - axis.shadow.below..=own.1 + axis.shadow.above;
        all.iter().flat_map(|it| range.clone().map(|at| [&it[..], &[at]].concat())).collect()
    })
}

/// Along how many axes an index is in the shadow of a block.
fn outside_axes(block: &Block, index: &[i64]) -> usize {
    let is_outside = |(at, axis): &(&i64, &crate::xmp::array::ArrayAxis)| {
        axis.map.bounds(axis.coordinate).is_none_or(|it| **at < it.0 || **at > it.1)
    };
    index.iter().zip(&block.axes).filter(is_outside).count()
}

/// What a reflection renews along each axis: all of the shadow, or one element on each side at most.
fn any_widths(array: &AnyArray, is_periodic: &[bool], is_narrow: &[bool]) -> Option<Vec<Width>> {
    let width = |(axis, shadow): (usize, &(i64, i64))| {
        // Once around at most.
        (!is_periodic[axis] || shadow.0.max(shadow.1) <= array.extents[axis]).then_some(Width {
            below: if is_narrow[axis] { shadow.0.min(1) } else { -1 },
            above: if is_narrow[axis] { shadow.1.min(1) } else { -1 },
            is_periodic: is_periodic[axis],
        })
    };
    array.shadows.iter().enumerate().map(width).collect()
}

/// Whether a reflection renews an element of the local block.
fn is_renewed(block: &Block, index: &[i64], widths: &[Width]) -> bool {
    index.iter().zip(&block.axes).zip(widths).all(|((at, axis), width)| {
        let own = axis.map.bounds(axis.coordinate).expect("it owns some");
        let or_shadow = |width: i64, shadow: i64| if width < 0 { shadow } else { width };
        let (below, above) =
            (or_shadow(width.below, axis.shadow.below), or_shadow(width.above, axis.shadow.above));
        *at >= own.0 - below && *at <= own.1 + above
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn reflect_copies_elements_of_the_owner_with_corners(
        array in any_array(true), is_periodic in prop::collection::vec(any::<bool>(), 3),
        is_narrow in prop::collection::vec(any::<bool>(), 3), is_orthogonal in any::<bool>(), seed in any::<u64>(),
    ) {
        let Some(widths) = any_widths(&array, &is_periodic, &is_narrow) else { return Ok(()) };
        let declaration = array.declaration();
        on_nodes(NODES, seeded(seed), |node| {
            let block = Block::new(&declaration, node.here()).expect("a block");
            let mut memory = filled(&block, &array.extents, |it| position(&array.extents, it));
            let plan = Arc::new(reflect::plan("a", &block, Some(&widths), is_orthogonal).expect("a plan"));
            let pointer = memory.as_mut_ptr().cast::<u8>();
            // SAFETY: the plan of this block.
            unsafe { node.exchange(plan, Construct::Reflect, pointer, pointer, Some(3)) }.expect("a reflection");
            node.wait_async(3).expect("a reflection");
            for index in block_indices(&block) {
                let is_new = is_renewed(&block, &index, &widths) && (!is_orthogonal || outside_axes(&block, &index) < 2);
                let copied = original(&array.extents, &index, &is_periodic).filter(|_| is_new);
                let expected = copied.map_or(-1, |it| position(&array.extents, &it));
                assert_eq!(memory[place(&block, &index)], expected, "{index:?} at node {} of {array:?}", node.here());
            }
        });
    }

    #[test]
    fn reduce_shadow_adds_all_copies_to_their_owner(array in any_array(true), seed in any::<u64>()) {
        let declaration = array.declaration();
        let results = on_nodes(NODES, seeded(seed), |node| {
            let block = Block::new(&declaration, node.here()).expect("a block");
            // Each element and each copy is 1.
            let mut memory = vec![1_i32; (block.bytes() / 4) as usize];
            let plan = reflect::plan("a", &block, None, true).expect("a plan");
            let pointer = memory.as_mut_ptr().cast::<u8>();
            let add = |own: &mut [u8], new: &[u8]| {
                for (own, new) in own.chunks_exact_mut(4).zip(new.chunks_exact(4)) {
                    let number = |it: &[u8]| i32::from_ne_bytes(it.try_into().expect("4 bytes"));
                    let sum = number(own) + number(new);
                    own.copy_from_slice(&sum.to_ne_bytes());
                }
            };
            for phase in &plan {
                // SAFETY: the plan of this block.
                unsafe {
                    phase.reversed().run(node.mailbox(), Construct::ReduceShadow, pointer, pointer, Store::Combine(&add)).expect("a sum");
                }
            }
            (block, memory)
        });
        for (block, memory) in &results {
            for index in all_indices(&array.extents).iter().filter(|it| owns(block, it)) {
                // Copies are on nodes of the same replica.
                let has_copy = |other: &&(Block, Vec<i32>)| {
                    let is_replica = (0..block.coordinates.len()).all(|axis| {
                        let is_used = block.axes.iter().any(|it| it.node_axis == Some(axis));
                        is_used || block.coordinates[axis] == other.0.coordinates[axis]
                    });
                    is_replica && outside_axes(&other.0, index) < 2 && block_indices(&other.0).contains(index)
                };
                let copies = results.iter().filter(has_copy).count() as i32;
                prop_assert_eq!(memory[place(block, index)], copies, "{:?} of {:?}", index, array);
            }
        }
    }
}

#[test]
fn full_shadow_has_the_whole_axis() {
    let mut array = AnyArray {
        extents: vec![11],
        formats: vec![crate::xmp::grid::Format::Cyclic(2)],
        node_sizes: vec![4],
        offsets: vec![0],
        is_transposed: false,
        shadows: vec![(0, 0)],
    };
    for format in [crate::xmp::grid::Format::Cyclic(2), crate::xmp::grid::Format::Block(None)] {
        array.formats = vec![format];
        let mut declaration = (*array.declaration()).clone();
        declaration.shadows = vec![Shadow { is_full: true, ..Shadow::default() }];
        on_nodes(NODES, seeded(5), |node| {
            let block = Block::new(&declaration, node.here()).expect("a block");
            let mut memory = filled(&block, &array.extents, |it| it[0] as i32);
            let plan = Arc::new(reflect::plan("a", &block, None, false).expect("a plan"));
            let pointer = memory.as_mut_ptr().cast::<u8>();
            // SAFETY: the plan of this block.
            unsafe { node.exchange(plan, Construct::Reflect, pointer, pointer, None) }.expect("a reflection");
            assert_eq!(memory, (0..11).collect::<Vec<_>>());
        });
    }
}

#[test]
fn orthogonal_reflection_is_one_exchange_without_corners() {
    let array = AnyArray {
        extents: vec![6, 6],
        formats: vec![crate::xmp::grid::Format::Block(None), crate::xmp::grid::Format::Block(None)],
        node_sizes: vec![2, 2],
        offsets: vec![0, 0],
        is_transposed: false,
        shadows: vec![(1, 1), (1, 1)],
    };
    let declaration = array.declaration();
    on_nodes(NODES, seeded(9), |node| {
        let block = Block::new(&declaration, node.here()).expect("a block");
        let mut memory = filled(&block, &array.extents, |it| position(&array.extents, it));
        let plan = Arc::new(reflect::plan("a", &block, None, true).expect("a plan"));
        assert_eq!(plan.len(), 1);
        let pointer = memory.as_mut_ptr().cast::<u8>();
        // SAFETY: the plan of this block.
        unsafe { node.exchange(plan, Construct::Reflect, pointer, pointer, None) }.expect("a reflection");
        for index in block_indices(&block) {
            let is_inside = index.iter().all(|at| (0..6).contains(at));
            let expected = if outside_axes(&block, &index) < 2 && is_inside {
                position(&array.extents, &index)
            } else {
                -1
            };
            assert_eq!(memory[place(&block, &index)], expected, "{index:?}");
        }
    });
}

#[test]
fn reflections_of_one_axis_after_another_bring_corners() {
    let array = AnyArray {
        extents: vec![6, 5],
        formats: vec![crate::xmp::grid::Format::Block(None), crate::xmp::grid::Format::Block(None)],
        node_sizes: vec![2, 2],
        offsets: vec![0, 0],
        is_transposed: false,
        shadows: vec![(1, 1), (1, 2)],
    };
    let declaration = array.declaration();
    for order in [[0, 1], [1, 0]] {
        on_nodes(NODES, seeded(4), |node| {
            let block = Block::new(&declaration, node.here()).expect("a block");
            let mut memory = filled(&block, &array.extents, |it| position(&array.extents, it));
            let pointer = memory.as_mut_ptr().cast::<u8>();
            for axis in order {
                let width = |it| {
                    let wide = if it == axis { -1 } else { 0 };
                    Width { below: wide, above: wide, is_periodic: it == axis }
                };
                let plan =
                    Arc::new(reflect::plan("a", &block, Some(&[width(0), width(1)]), false).expect("a plan"));
                // SAFETY: the plan of this block.
                unsafe { node.exchange(plan, Construct::Reflect, pointer, pointer, None) }
                    .expect("a reflection");
            }
            for index in block_indices(&block) {
                let wrapped: Vec<i64> =
                    index.iter().zip(&array.extents).map(|(at, size)| at.rem_euclid(*size)).collect();
                assert_eq!(memory[place(&block, &index)], position(&array.extents, &wrapped), "{index:?}");
            }
        });
    }
}

#[test]
fn widths_beyond_the_shadow_are_errors() {
    let array = AnyArray {
        extents: vec![6],
        formats: vec![crate::xmp::grid::Format::Block(None)],
        node_sizes: vec![4],
        offsets: vec![0],
        is_transposed: false,
        shadows: vec![(1, 0)],
    };
    let block = Block::new(&array.declaration(), 0).expect("a block");
    let width = |below, above, is_periodic| [Width { below, above, is_periodic }];
    let text =
        |widths: &[Width]| reflect::plan("a", &block, Some(widths), false).expect_err("refused").message;
    assert_eq!(text(&width(1, 1, false)), "`reflect` of 1:1 along axis 0 of `a`, whose shadow is 1:0");
    let mut declaration = (*array.declaration()).clone();
    declaration.shadows = vec![Shadow { below: 9, above: 0, is_full: false }];
    let block = Block::new(&declaration, 0).expect("a block");
    let error = reflect::plan("a", &block, Some(&width(9, 0, true)), false).expect_err("refused");
    assert_eq!(
        error.message,
        "`reflect` of 9:0 along axis 0 of `a` goes more than once around its 6 elements"
    );
}
