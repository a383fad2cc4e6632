//! `gmove` between any two distributions.

use std::sync::Arc;

use proptest::prelude::*;

use super::{AnyArray, NODES, all_indices, any_array, filled, on_nodes, owns, place, position, seeded};
use crate::xmp::array::Block;
use crate::xmp::gmove::{Of, Side};
use crate::xmp::grid::Subscript;
use crate::xmp::mailbox::Construct;
use crate::xmp::node::Assignment;
use crate::xmp::one_sided;

/// Sections with the same numbers of elements of two extents: start and step on both sides, and the count.
fn section(left: i64, right: i64) -> impl Strategy<Value = (Subscript, Subscript)> {
    (0..left, 1_i64..4, 0..right, 1_i64..4, 1_i64..14).prop_map(move |(a, a_step, b, b_step, count)| {
        let count = count.min((left - 1 - a) / a_step + 1).min((right - 1 - b) / b_step + 1);
        (
            Subscript::Section { start: a, count, step: a_step },
            Subscript::Section { start: b, count, step: b_step },
        )
    })
}

#[derive(Clone, Debug)]
struct Case {
    to: AnyArray,
    from: AnyArray,
    left: Vec<Subscript>,
    right: Vec<Subscript>,
}

fn case() -> impl Strategy<Value = Case> {
    (any_array(false), any_array(false)).prop_flat_map(|(to, from)| {
        let shared = to.extents.len().min(from.extents.len());
        let sections: Vec<_> =
            (0..shared).map(|axis| section(to.extents[axis], from.extents[axis]).boxed()).collect();
        let rest = |extents: &[i64]| extents[shared..].iter().map(|it| (0..*it).boxed()).collect::<Vec<_>>();
        (sections, rest(&to.extents), rest(&from.extents)).prop_map(move |(sections, left, right)| {
            let side = |sections: Vec<Subscript>, rest: Vec<i64>| {
                sections.into_iter().chain(rest.into_iter().map(Subscript::Index)).collect()
            };
            let (a, b) = sections.into_iter().unzip();
            Case { to: to.clone(), from: from.clone(), left: side(a, left), right: side(b, right) }
        })
    })
}

/// The indices of a section, in order.
fn section_indices(subscripts: &[Subscript]) -> Vec<Vec<i64>> {
    subscripts.iter().fold(vec![Vec::new()], |all, subscript| {
        let list: Vec<i64> = match *subscript {
            Subscript::Index(index) => vec![index],
            Subscript::Section { start, count, step } => (0..count).map(|at| start + at * step).collect(),
            Subscript::All | Subscript::Own => unreachable!("not made by these tests"),
        };
        all.iter().flat_map(|it| list.iter().map(move |at| [&it[..], &[*at]].concat())).collect()
    })
}

/// The serial program: the target behind the assignment.
fn model(case: &Case) -> Vec<i32> {
    let mut target: Vec<i32> =
        all_indices(&case.to.extents).iter().map(|it| 1000 + position(&case.to.extents, it)).collect();
    for (to, from) in section_indices(&case.left).iter().zip(section_indices(&case.right)) {
        target[position(&case.to.extents, to) as usize] = position(&case.from.extents, &from);
    }
    target
}

fn check(block: &Block, case: &Case, memory: &[i32]) {
    let model = model(case);
    for index in all_indices(&case.to.extents).iter().filter(|it| owns(block, it)) {
        assert_eq!(
            memory[place(block, index)],
            model[position(&case.to.extents, index) as usize],
            "{index:?} of {case:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn gmove_is_the_serial_assignment(case in case(), seed in any::<u64>()) {
        let (to, from) = (case.to.declaration(), case.from.declaration());
        on_nodes(NODES, seeded(seed), |node| {
            let left = Side::new(Of::Global(Arc::clone(&to)), Some(&case.left)).expect("a section");
            let right = Side::new(Of::Global(Arc::clone(&from)), Some(&case.right)).expect("a section");
            let (target_block, source_block) = (left.block(node.here()).expect("a block"), right.block(node.here()).expect("a block"));
            let source = filled(&source_block, &case.from.extents, |it| position(&case.from.extents, it));
            // The second time by the plan of the first one, with other memory, and begun before the wait.
            for number in [None, Some(1)] {
                let mut target = filled(&target_block, &case.to.extents, |it| 1000 + position(&case.to.extents, it));
                let assignment = Assignment { to: &left, target: target.as_mut_ptr().cast(), from: &right, source: source.as_ptr().cast(), on_device: (false, false) };
                // SAFETY: sections of these blocks.
                unsafe { node.gmove(&assignment, Construct::Gmove, number) }.expect("an assignment");
                node.wait_async(1).expect("an assignment");
                check(&target_block, &case, &target);
            }
        });
    }

    #[test]
    fn gmove_in_and_out_are_the_serial_assignment(case in case(), seed in any::<u64>(), is_in in any::<bool>()) {
        let (to, from) = (case.to.declaration(), case.from.declaration());
        on_nodes(NODES, seeded(seed), |node| {
            let left = Side::new(Of::Global(Arc::clone(&to)), Some(&case.left)).expect("a section");
            let right = Side::new(Of::Global(Arc::clone(&from)), Some(&case.right)).expect("a section");
            let (target_block, source_block) = (left.block(node.here()).expect("a block"), right.block(node.here()).expect("a block"));
            let mut target = filled(&target_block, &case.to.extents, |it| 1000 + position(&case.to.extents, it));
            let mut source = filled(&source_block, &case.from.extents, |it| position(&case.from.extents, it));
            let (target_bytes, source_bytes) = (target.len() as u64 * 4, source.len() as u64 * 4);
            let pointers = (target.as_mut_ptr().cast::<u8>(), source.as_mut_ptr().cast::<u8>());
            let assignment = Assignment { to: &left, target: pointers.0, from: &right, source: pointers.1, on_device: (false, false) };
            // SAFETY: sections of these blocks, which stay until all nodes are behind the barrier.
            unsafe {
                one_sided::publish(node.mailbox(), 1, pointers.0, target_bytes);
                one_sided::publish(node.mailbox(), 2, pointers.1, source_bytes);
                match is_in {
                    true => node.gmove_in(&assignment, 2),
                    false => node.gmove_out(&assignment, 1),
                }
                .expect("an assignment");
            }
            node.sync_all().expect("a barrier");
            check(&target_block, &case, &target);
        });
    }
}

/// A whole array to each node, a part of one from a variable of the nodes, one element to all, and parts of
/// one array to others of it.
#[test]
fn local_and_overlapping_sides() {
    let array = AnyArray {
        extents: vec![10],
        formats: vec![crate::xmp::grid::Format::Block(None)],
        node_sizes: vec![4],
        offsets: vec![0],
        is_transposed: false,
        shadows: vec![(0, 0)],
    };
    let declaration = array.declaration();
    on_nodes(NODES, seeded(7), |node| {
        let block = Block::new(&declaration, node.here()).expect("a block");
        let global = |list: &[Subscript]| {
            Side::new(Of::Global(Arc::clone(&declaration)), Some(list)).expect("a section")
        };
        let mut memory = filled(&block, &array.extents, |it| it[0] as i32);
        let mut local = vec![0_i32; 10];
        let of_node = Side::new(Of::Local(vec![10], 4), None).expect("a section");
        let one = Side::new(Of::Local(vec![], 4), None).expect("an element");
        let mut assign = |to: &Side, target: *mut i32, from: &Side, source: *const i32| {
            let it = Assignment {
                to,
                target: target.cast(),
                from,
                source: source.cast(),
                on_device: (false, false),
            };
            // SAFETY: sections of these arrays.
            unsafe { node.gmove(&it, Construct::Gmove, None) }.expect("an assignment");
        };
        let pointer = memory.as_mut_ptr();
        assign(&of_node, local.as_mut_ptr(), &global(&[Subscript::All]), pointer);
        assert_eq!(local, (0..10).collect::<Vec<_>>());
        // a[1:9] = a[0:9]
        let part = |start| global(&[Subscript::Section { start, count: 9, step: 1 }]);
        assign(&part(1), pointer, &part(0), pointer);
        assign(&of_node, local.as_mut_ptr(), &global(&[Subscript::All]), pointer);
        assert_eq!(local, [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
        // a[0:9] = a[8], b = a[9]
        assign(&part(0), pointer, &global(&[Subscript::Index(8)]), pointer);
        let mut value = 0_i32;
        assign(&one, &raw mut value, &global(&[Subscript::Index(9)]), pointer);
        assert_eq!(value, 8);
        assign(&of_node, local.as_mut_ptr(), &global(&[Subscript::All]), pointer);
        assert_eq!(local, [7, 7, 7, 7, 7, 7, 7, 7, 7, 8]);
        let values: Vec<i32> = (20..30).collect();
        assign(&global(&[Subscript::All]), pointer, &of_node, values.as_ptr());
        assign(&of_node, local.as_mut_ptr(), &global(&[Subscript::All]), pointer);
        assert_eq!(local, values);
    });
}

#[test]
fn sections_that_do_not_match_are_errors() {
    let local = |extents: &[i64], list: Option<&[Subscript]>| Side::new(Of::Local(extents.to_vec(), 4), list);
    let section = |start, count| [Subscript::Section { start, count, step: 1 }];
    let text = |it: crate::xmp::error::Result<Side>| it.map(drop).expect_err("refused").message;
    assert_eq!(
        text(local(&[4], Some(&section(2, 3)))),
        "the indices 2 to 4 are outside of axis 0 of an array, which has 4 elements"
    );
    let (four, three) = (local(&[4], None).expect("a side"), local(&[3], None).expect("a side"));
    let error = crate::xmp::gmove::check(&four, &three).expect_err("refused");
    assert_eq!(error.message, "a section of [3] elements is assigned to one of [4]");
    let bytes = Side::new(Of::Local(vec![4], 8), None).expect("a side");
    let error = crate::xmp::gmove::check(&four, &bytes).expect_err("refused");
    assert_eq!(error.message, "elements of 8 bytes are assigned to elements of 4 bytes");
}

#[test]
fn sections_of_pointers_into_each_other_are_read_before_they_are_written() {
    on_nodes(1, seeded(1), |node| {
        let whole = Side::new(Of::Local(vec![8], 4), None).expect("an array");
        for (step, expected) in [(1, [0, 1, 0, 1, 2, 3, 6, 7, 8, 9]), (2, [0, 1, 0, 3, 2, 5, 4, 7, 6, 9])] {
            let section = [Subscript::Section { start: 0, count: 4, step }];
            let side = Side::new(whole.of.clone(), Some(&section)).expect("a section");
            let mut memory: Vec<i32> = (0..10).collect();
            let source = memory.as_mut_ptr();
            // SAFETY: within the vector, as the sections from there on.
            unsafe {
                let target = source.add(2).cast::<u8>();
                let assignment = Assignment {
                    to: &side,
                    target,
                    from: &side,
                    source: source.cast(),
                    on_device: (false, false),
                };
                node.gmove(&assignment, Construct::Gmove, None).expect("an assignment");
            }
            assert_eq!(memory, expected);
        }
    });
}
