//! Collective operations of a set of nodes: dissemination barrier (Hensgen, Finkel and Manber, "Two
//! Algorithms for Barrier Synchronization", 1988), broadcast along a binomial tree, and reduction to all
//! nodes by recursive doubling (Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication
//! Operations in MPICH", 2005). They are built from messages between two nodes.

use super::error::Result;
use super::mailbox::{Construct, Mailbox};
use super::node_set::NodeSet;

/// Waits until all nodes of a set have come; a node that is not in it does nothing.
///
/// # Errors
/// A node is in another construct, or has ended.
pub fn barrier(mailbox: &Mailbox, set: &NodeSet) -> Result<()> {
    let Some(position) = set.position(mailbox.here()) else { return Ok(()) };
    let count = set.nodes.len();
    let mut distance = 1;
    while distance < count {
        let ticket = mailbox.receive(set.nodes[(position + count - distance) % count], Construct::Barrier, 0);
        mailbox.send(set.nodes[(position + distance) % count], Construct::Barrier, &[])?;
        mailbox.wait(&ticket)?;
        distance *= 2;
    }
    Ok(())
}

/// Sends the bytes of the node at position `root` to all others of the set, whose bytes they replace.
///
/// # Errors
/// A node is in another construct, or has ended.
pub fn broadcast(mailbox: &Mailbox, set: &NodeSet, root: usize, bytes: &mut [u8]) -> Result<()> {
    let Some(position) = set.position(mailbox.here()) else { return Ok(()) };
    let count = set.nodes.len();
    let at = |relative: usize| set.nodes[(relative + root) % count];
    let relative = (position + count - root) % count;
    // The distance to the parent: the lowest bit; to the children: all bits below.
    let lowest = if relative == 0 { count.next_power_of_two() } else { relative & relative.wrapping_neg() };
    if relative != 0 {
        let from = at(relative - lowest);
        // SAFETY: the bytes are the caller's, and this waits for the receive.
        let ticket = unsafe { mailbox.receive_into(from, Construct::Bcast, bytes.as_mut_ptr(), bytes.len()) };
        mailbox.wait(&ticket).inspect_err(|_| mailbox.cancel(&ticket))?;
    }
    let mut distance = lowest / 2;
    while distance > 0 {
        if relative + distance < count {
            mailbox.send(at(relative + distance), Construct::Bcast, bytes)?;
        }
        distance /= 2;
    }
    Ok(())
}

/// Combines the bytes of all nodes of a set, which all have the result. `combine(left, right)` replaces
/// `left`, which is of lower positions, and is associative.
///
/// # Errors
/// A node is in another construct, or has ended.
pub fn all_reduce(
    mailbox: &Mailbox,
    set: &NodeSet,
    bytes: &mut Vec<u8>,
    combine: &dyn Fn(&mut [u8], &[u8]),
) -> Result<()> {
    let Some(position) = set.position(mailbox.here()) else { return Ok(()) };
    let count = set.nodes.len();
    let length = bytes.len();
    // The largest power of two takes part; of the first nodes, each odd one hands its value to the one
    // before.
    let active = if count.is_power_of_two() { count } else { count.next_power_of_two() / 2 };
    let paired = 2 * (count - active);
    let exchange = |other: usize, bytes: &[u8]| {
        let ticket = mailbox.receive(set.nodes[other], Construct::Reduction, length);
        mailbox.send(set.nodes[other], Construct::Reduction, bytes)?;
        mailbox.wait(&ticket)
    };
    if position < paired && position % 2 == 1 {
        *bytes = exchange_after_send(mailbox, set.nodes[position - 1], bytes)?;
        return Ok(());
    }
    let has_partner = position < paired;
    if has_partner {
        let ticket = mailbox.receive(set.nodes[position + 1], Construct::Reduction, length);
        combine(bytes, &mailbox.wait(&ticket)?);
    }
    let rank = if has_partner { position / 2 } else { position - paired / 2 };
    let position_of = |rank: usize| if rank < paired / 2 { 2 * rank } else { rank + paired / 2 };
    let mut distance = 1;
    while distance < active {
        let mut other = exchange(position_of(rank ^ distance), bytes)?;
        if rank & distance == 0 {
            combine(bytes, &other);
        } else {
            combine(&mut other, bytes);
            *bytes = other;
        }
        distance *= 2;
    }
    if has_partner {
        mailbox.send(set.nodes[position + 1], Construct::Reduction, bytes)?;
    }
    Ok(())
}

/// Hands a value over, and waits for the result.
fn exchange_after_send(mailbox: &Mailbox, other: u32, bytes: &[u8]) -> Result<Vec<u8>> {
    let ticket = mailbox.receive(other, Construct::Reduction, bytes.len());
    mailbox.send(other, Construct::Reduction, bytes)?;
    mailbox.wait(&ticket)
}
