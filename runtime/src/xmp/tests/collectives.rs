//! Collective operations, tasks, one-sided accesses, and errors that nodes report.

use super::{on_nodes, seeded};
use crate::base::place::PlaceId;
use crate::net::in_process::Schedule;
use crate::xmp::collective::{self, AllReduce, Broadcast};
use crate::xmp::mailbox::Construct;
use crate::xmp::node_set::NodeSet;
use crate::xmp::one_sided::{self, Atomic, RemoteMemory};
use crate::xmp::operation::{Operation, Pieces};
use crate::xmp::reduction::{Element, Operator, Shape, Variable};
use crate::xmp::strided::StridedBox;

/// Memory of nodes that the tests publish.
const MEMORY: RemoteMemory = RemoteMemory { segment: 1, on_device: false };

fn int() -> Variable {
    let element = Element::from_number(6).expect("int");
    Variable { value: Shape { element, bytes: 4, count: 1 }, locations: Vec::new() }
}

#[test]
fn reductions_and_broadcasts_of_sets_of_any_size() {
    for count in 1..8 {
        let results = on_nodes(count, seeded(u64::from(count)), |node| {
            let entire = node.entire().clone();
            let mut sum = (node.here() as i32 + 1).to_ne_bytes().to_vec();
            node.reduce(&entire, Operator::Sum, &[int()], &mut sum).expect("a sum");
            let root = (count - 1) as usize;
            let value = vec![node.here() as u8; 9000];
            let begun = Broadcast::begin(node.mailbox(), entire.clone(), root, value, 0);
            let value = begun.and_then(|it| it.finish(node.mailbox())).expect("a broadcast");
            collective::barrier(node.mailbox(), &entire).expect("a barrier");
            (sum, value)
        });
        let sum = (count * (count + 1) / 2) as i32;
        for (own, value) in results {
            assert_eq!(own, sum.to_ne_bytes());
            assert_eq!(value, vec![count as u8 - 1; 9000]);
        }
    }
}

#[test]
fn reductions_and_broadcasts_that_are_waited_for_later() {
    for count in 1..8 {
        let results = on_nodes(count, seeded(100 + u64::from(count)), |node| {
            let entire = node.entire().clone();
            let (mut sum, mut value) = (node.here() as i32 + 1, [node.here() as u8; 9000]);
            let sum_pieces = Pieces { all: vec![((&raw mut sum).cast(), 4)], on_device: false };
            let value_pieces = Pieces { all: vec![(value.as_mut_ptr(), 9000)], on_device: false };
            // SAFETY: these variables, which this function leaves alone until it has waited.
            unsafe {
                let begun =
                    AllReduce::begin(node.mailbox(), entire.clone(), sum_pieces.gather().expect("bytes"), 1);
                let reduction =
                    Operation::Reduction(begun.expect("a sum"), Operator::Sum, vec![int()], sum_pieces);
                node.go_on(reduction, Some(1)).expect("a sum");
                let begun = Broadcast::begin(
                    node.mailbox(),
                    entire.clone(),
                    0,
                    value_pieces.gather().expect("bytes"),
                    2,
                );
                let broadcast = Operation::Broadcast(begun.expect("a broadcast"), value_pieces);
                node.go_on(broadcast, Some(2)).expect("a broadcast");
            }
            // What other constructs send meanwhile is not mistaken for it.
            collective::barrier(node.mailbox(), &entire).expect("a barrier");
            let mut other = 1_i32.to_ne_bytes().to_vec();
            node.reduce(&entire, Operator::Sum, &[int()], &mut other).expect("a sum");
            node.wait_async(2).expect("a broadcast");
            node.wait_async(1).expect("a sum");
            (sum, value, other)
        });
        for (sum, value, other) in results {
            assert_eq!((sum, value), ((count * (count + 1) / 2) as i32, [0; 9000]));
            assert_eq!(other, (count as i32).to_ne_bytes());
        }
    }
}

#[test]
fn tasks_of_parts_run_at_the_same_time() {
    let results = on_nodes(5, seeded(3), |node| {
        let half = if node.here() < 2 { vec![0, 1] } else { vec![2, 3, 4] };
        let is_member = node.begin_task(NodeSet { nodes: half }, true).expect("a task");
        let executing = node.executing().clone();
        let mut sum = (node.here() as i32).to_ne_bytes().to_vec();
        node.reduce(&executing, Operator::Sum, &[int()], &mut sum).expect("a sum");
        node.end_task();
        let entire = node.executing().clone();
        collective::barrier(node.mailbox(), &entire).expect("a barrier");
        (is_member, i32::from_ne_bytes(sum.try_into().expect("an int")))
    });
    assert_eq!(results, [(true, 1), (true, 1), (true, 9), (true, 9), (true, 9)]);
}

#[test]
fn nodes_in_different_constructs_are_an_error_on_one_of_them() {
    let results = on_nodes(2, seeded(1), |node| {
        let entire = node.entire().clone();
        if node.here() == 0 {
            collective::barrier(node.mailbox(), &entire)
        } else {
            node.reduce(&entire, Operator::Sum, &[int()], &mut vec![0; 4])
        }
    });
    let messages: Vec<String> = results.into_iter().map(|it| it.expect_err("refused").message).collect();
    assert_eq!(
        messages,
        [
            "this node is in `barrier`, and node 1 is in `reduction`",
            "this node is in `reduction`, and node 0 is in `barrier`"
        ]
    );
}

#[test]
fn node_that_has_left_is_an_error_of_those_that_wait_for_it() {
    let results = on_nodes(3, seeded(1), |node| {
        if node.here() == 2 {
            // It waits until the others leave, too, which they never do.
            std::thread::scope(|scope| {
                let mailbox = node.mailbox().clone();
                scope.spawn(move || mailbox.leave(3, &|| {}));
            });
            return None;
        }
        let ticket = node.mailbox().receive(2, Construct::Gmove, 8);
        let error = node.mailbox().wait(&ticket).expect_err("refused");
        node.mailbox().leave(0, &|| {}).expect("an end");
        Some(error.message)
    });
    let of = |node| Some(format!("node {node} waits in `gmove` for node 2, which has ended with status 3"));
    assert_eq!(results, [of(0), of(1), None]);
}

#[test]
fn node_that_dies_is_an_error_and_no_hang() {
    for after in 0..12 {
        let schedule = Schedule { seed: after, loss: Some((PlaceId(1), after)), ..Schedule::default() };
        let results = on_nodes(4, schedule, |node| {
            let entire = node.entire().clone();
            let mailbox = node.mailbox().clone();
            if node.here() == 1 {
                // A place that has died hears nothing: it does not wait.
                while mailbox.send(0, Construct::Barrier, &[]).is_ok() {
                    std::thread::yield_now();
                }
                return Ok(());
            }
            // As the program does: the first error ends all nodes.
            let barriers = (0..100).try_for_each(|_| collective::barrier(&mailbox, &entire));
            barriers.inspect_err(|_| mailbox.announce_failure())
        });
        for (node, result) in results.into_iter().enumerate().filter(|it| it.0 != 1) {
            let error = result.expect_err("refused");
            let is_said = error.is_reported || error.message.contains("has ended without a word");
            assert!(is_said, "node {node}: {}", error.message);
        }
    }
}

#[test]
fn atomic_additions_and_locks_of_all_nodes_are_counted() {
    let count = 4;
    let results = on_nodes(count, seeded(8), |node| {
        let mut memory = [0_i32; 4];
        let pointer = memory.as_mut_ptr().cast::<u8>();
        // SAFETY: the memory stays until all nodes are behind the last barrier.
        unsafe { one_sided::publish(node.mailbox(), 1, pointer, 16) };
        let mailbox = node.mailbox().clone();
        for _ in 0..10 {
            one_sided::atomic(&mailbox, 0, (1, 4), Atomic::Add, 1, 0).expect("a sum");
            one_sided::set_lock(&mailbox, 2, (1, 0), true).expect("a lock");
            let boxes = [StridedBox::new(8, &[], 4)];
            let former = one_sided::read(&mailbox, 1, MEMORY, &boxes).expect("a value");
            let next = i32::from_ne_bytes(former.try_into().expect("an int")) + 1;
            node.put(1, MEMORY, &boxes, &next.to_ne_bytes()).expect("a put");
            node.sync_memory().expect("an end");
            one_sided::set_lock(&mailbox, 2, (1, 0), false).expect("an end");
        }
        node.sync_all().expect("a barrier");
        // SAFETY: an element of this array, which others have written.
        unsafe {
            (pointer.cast::<i32>().add(1).read_volatile(), pointer.cast::<i32>().add(2).read_volatile())
        }
    });
    assert_eq!(results, [(40, 0), (0, 40), (0, 0), (0, 0)]);
}

#[test]
fn receive_that_was_given_up_writes_no_memory() {
    on_nodes(2, seeded(4), |node| {
        let mailbox = node.mailbox().clone();
        let mut memory = vec![1_u8; 10_000];
        if node.here() == 1 {
            mailbox.wait_for_post(Some(0), None).expect("a post");
            mailbox.send(0, Construct::Reflect, &[2; 10_000]).expect("a node");
            return mailbox.post_tag(0, 1).expect("a node");
        }
        // SAFETY: the memory stays until the end of this function.
        let ticket = unsafe { mailbox.receive_into(1, Construct::Reflect, memory.as_mut_ptr(), 10_000) };
        mailbox.cancel(&ticket);
        mailbox.post_tag(1, 0).expect("a node");
        mailbox.wait_for_post(Some(1), None).expect("a post");
        assert!(memory.iter().all(|it| *it == 1));
    });
}

#[test]
fn access_to_memory_that_has_ended_is_refused() {
    on_nodes(2, seeded(6), |node| {
        let mailbox = node.mailbox().clone();
        let mut memory = [0_u8; 8];
        // SAFETY: the memory stays until it ends below.
        unsafe { one_sided::publish(&mailbox, 1, memory.as_mut_ptr(), 8) };
        one_sided::end(&mailbox, 1);
        node.sync_all().expect("a barrier");
        let error = one_sided::read(&mailbox, 1 - node.here(), MEMORY, &[StridedBox::new(0, &[], 4)]);
        let message = error.expect_err("refused").message;
        assert!(message.ends_with("has left the function whose array is accessed here"), "{message}");
        node.sync_all().expect("a barrier");
    });
}

#[test]
fn posts_are_waited_for_by_node_and_tag() {
    on_nodes(3, seeded(2), |node| match node.here() {
        0 => {
            node.mailbox().wait_for_post(Some(2), Some(7)).expect("a post");
            node.mailbox().wait_for_post(None, Some(5)).expect("a post");
            node.mailbox().wait_for_post(Some(1), None).expect("a post");
            node.mailbox().sync_with(&[1]).expect("a partner");
        }
        1 => {
            [5, 6].into_iter().for_each(|tag| node.mailbox().post_tag(0, tag).expect("a post"));
            node.mailbox().sync_with(&[0]).expect("a partner");
        }
        _ => node.mailbox().post_tag(0, 7).expect("a post"),
    });
}

#[test]
fn equal_reductions_that_are_waited_for_in_different_orders_are_an_error() {
    on_nodes(4, seeded(3), |node| {
        let set = node.entire().clone();
        let mut begun = [1_i32, 100].map(|value| {
            let operation = node.new_operation(&set, Some(i64::from(value)));
            AllReduce::begin(node.mailbox(), set.clone(), value.to_ne_bytes().to_vec(), operation)
                .expect("a reduction")
        });
        if node.here() >= 2 {
            begun.reverse();
        }
        let [first, _] = begun;
        let error = first.finish(node.mailbox(), &|_, _| ()).expect_err("another order");
        assert!(error.message.contains("in another order than node"), "{}", error.message);
    });
}
