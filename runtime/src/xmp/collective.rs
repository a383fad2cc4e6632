//! Collective operations of a set of nodes: dissemination barrier (Hensgen, Finkel and Manber, "Two
//! Algorithms for Barrier Synchronization", 1988), broadcast along a binomial tree, and reduction to all
//! nodes by recursive doubling (Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication
//! Operations in MPICH", 2005). They are built from messages between two nodes.

use std::sync::Arc;

use super::error::Result;
use super::mailbox::{Construct, Context, Mailbox, Ticket};
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

/// A broadcast along a binomial tree that is under way: what its root sends is sent when it begins, what
/// others hand on when it is waited for.
#[derive(Debug)]
#[must_use]
pub struct Broadcast {
    set: Arc<NodeSet>,
    root: usize,
    bytes: Vec<u8>,
    context: Context,
    ticket: Option<Ticket>,
}

impl Broadcast {
    /// Begins to send the bytes of the node at position `root` to all others of the set, whose bytes they
    /// replace; these have as many. `operation` is of
    /// [`Node::new_operation`](super::node::Node::new_operation).
    ///
    /// # Errors
    /// A node has ended.
    pub fn begin(
        mailbox: &Mailbox,
        set: Arc<NodeSet>,
        root: usize,
        bytes: Vec<u8>,
        operation: u64,
    ) -> Result<Broadcast> {
        let context = Context { construct: Construct::Bcast, operation };
        let mut broadcast = Broadcast { set, root, bytes, context, ticket: None };
        match broadcast.relative(mailbox) {
            Some(0) => broadcast.send_down(mailbox, 0)?,
            // The child of another one receives when both wait: messages keep their order.
            Some(relative) if relative.is_power_of_two() => {
                broadcast.ticket = Some(broadcast.receive(mailbox, relative));
            }
            _ => {}
        }
        Ok(broadcast)
    }

    /// Waits until this node has the bytes of the root.
    ///
    /// # Errors
    /// A node is in another construct, or has ended.
    pub fn finish(mut self, mailbox: &Mailbox) -> Result<Vec<u8>> {
        if let Some(relative) = self.relative(mailbox).filter(|it| *it != 0) {
            let ticket = self.ticket.take().unwrap_or_else(|| self.receive(mailbox, relative));
            self.bytes = mailbox.wait(&ticket)?;
            self.send_down(mailbox, relative)?;
        }
        Ok(self.bytes)
    }

    /// The position of this node, counted from the root on.
    fn relative(&self, mailbox: &Mailbox) -> Option<usize> {
        let (position, count) = (self.set.position(mailbox.here())?, self.set.nodes.len());
        Some((position + count - self.root) % count)
    }

    fn node(&self, relative: usize) -> u32 {
        self.set.nodes[(relative + self.root) % self.set.nodes.len()]
    }

    /// From the parent, whose position lacks the lowest bit.
    fn receive(&self, mailbox: &Mailbox, relative: usize) -> Ticket {
        let parent = self.node(relative & (relative - 1));
        mailbox.receive(parent, self.context, self.bytes.len())
    }

    /// To the children, whose positions have one more of the bits below the lowest one.
    fn send_down(&self, mailbox: &Mailbox, relative: usize) -> Result<()> {
        let count = self.set.nodes.len();
        let lowest =
            if relative == 0 { count.next_power_of_two() } else { relative & relative.wrapping_neg() };
        let mut distance = lowest / 2;
        while distance > 0 {
            if relative + distance < count {
                mailbox.send(self.node(relative + distance), self.context, &self.bytes)?;
            }
            distance /= 2;
        }
        Ok(())
    }
}

/// A reduction to all nodes that is under way: the first messages are sent when it begins, the others when it
/// is waited for.
#[derive(Debug)]
#[must_use]
pub struct AllReduce {
    set: Arc<NodeSet>,
    bytes: Vec<u8>,
    context: Context,
    /// Of the first message, if this node receives one.
    first: Option<Ticket>,
}

/// The part of a node in recursive doubling. A power of two of the nodes takes part; of the first nodes, each
/// odd one hands its value to the one before.
#[derive(Clone, Copy)]
struct Doubling {
    position: usize,
    active: usize,
    paired: usize,
}

impl Doubling {
    fn new(position: usize, count: usize) -> Doubling {
        let active = if count.is_power_of_two() { count } else { count.next_power_of_two() / 2 };
        Doubling { position, active, paired: 2 * (count - active) }
    }

    fn hands_over(self) -> bool {
        self.position < self.paired && self.position % 2 == 1
    }

    fn has_partner(self) -> bool {
        self.position < self.paired && self.position.is_multiple_of(2)
    }

    /// Its number among those that take part.
    fn rank(self) -> usize {
        if self.position < self.paired { self.position / 2 } else { self.position - self.paired / 2 }
    }

    /// The position with which it exchanges values at a distance of ranks.
    fn other(self, distance: usize) -> usize {
        let rank = self.rank() ^ distance;
        if rank < self.paired / 2 { 2 * rank } else { rank + self.paired / 2 }
    }
}

impl AllReduce {
    /// Begins to combine the bytes of all nodes of a set. `operation` is of
    /// [`Node::new_operation`](super::node::Node::new_operation).
    ///
    /// # Errors
    /// A node has ended.
    pub fn begin(mailbox: &Mailbox, set: Arc<NodeSet>, bytes: Vec<u8>, operation: u64) -> Result<AllReduce> {
        let context = Context { construct: Construct::Reduction, operation };
        let mut reduction = AllReduce { set, bytes, context, first: None };
        let Some(doubling) = reduction.doubling(mailbox) else { return Ok(reduction) };
        if doubling.hands_over() {
            reduction.send(mailbox, doubling.position - 1)?;
        } else if doubling.has_partner() {
            reduction.first = Some(reduction.receive(mailbox, doubling.position + 1));
        } else if doubling.paired == 0 && doubling.active > 1 {
            reduction.first = Some(reduction.receive(mailbox, doubling.other(1)));
            reduction.send(mailbox, doubling.other(1))?;
        }
        Ok(reduction)
    }

    /// Waits for the bytes that all nodes have. `combine(left, right)` replaces `left`, which is of lower
    /// positions, and is associative.
    ///
    /// # Errors
    /// A node is in another construct, or has ended.
    pub fn finish(mut self, mailbox: &Mailbox, combine: &dyn Fn(&mut [u8], &[u8])) -> Result<Vec<u8>> {
        let Some(doubling) = self.doubling(mailbox) else { return Ok(self.bytes) };
        if doubling.hands_over() {
            return mailbox.wait(&self.receive(mailbox, doubling.position - 1));
        }
        let mut first = self.first.take();
        if doubling.has_partner()
            && let Some(ticket) = first.take()
        {
            combine(&mut self.bytes, &mailbox.wait(&ticket)?);
        }
        let mut distance = 1;
        while distance < doubling.active {
            let ticket = match first.take() {
                Some(begun) => begun,
                None => {
                    let ticket = self.receive(mailbox, doubling.other(distance));
                    self.send(mailbox, doubling.other(distance))?;
                    ticket
                }
            };
            let mut other = mailbox.wait(&ticket)?;
            if doubling.rank() & distance == 0 {
                combine(&mut self.bytes, &other);
            } else {
                combine(&mut other, &self.bytes);
                self.bytes = other;
            }
            distance *= 2;
        }
        if doubling.has_partner() {
            self.send(mailbox, doubling.position + 1)?;
        }
        Ok(self.bytes)
    }

    fn doubling(&self, mailbox: &Mailbox) -> Option<Doubling> {
        Some(Doubling::new(self.set.position(mailbox.here())?, self.set.nodes.len()))
    }

    fn receive(&self, mailbox: &Mailbox, position: usize) -> Ticket {
        mailbox.receive(self.set.nodes[position], self.context, self.bytes.len())
    }

    fn send(&self, mailbox: &Mailbox, position: usize) -> Result<()> {
        mailbox.send(self.set.nodes[position], self.context, &self.bytes)
    }
}
