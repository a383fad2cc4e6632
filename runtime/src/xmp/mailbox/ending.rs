//! The end of a program: of all nodes together, or by an error of one of them.

use std::time::{Duration, Instant};

use super::packet::Packet;
use super::state::Channel;
use super::{Mailbox, OnFailure, SLEEP};
use crate::base::place::PlaceId;
use crate::xmp::error::{Result, XmpError};

impl Mailbox {
    /// Whether a node has ended without a word, which its supervisor reports with the reason.
    pub fn has_lost_node(&self) -> bool {
        let state = self.state.lock();
        let is_lost = |it: &Channel| (it.is_down || it.is_closed) && it.left.is_none();
        !state.has_ended && state.channels.iter().any(is_lost)
    }

    /// What ends the program when another node has failed or ended while this one computes.
    pub fn set_on_failure(&self, on_failure: OnFailure) {
        let _ = self.on_failure.set(on_failure);
    }

    /// This node ends with a status, and waits for the others: the statuses of all. Node 0 calls `expect_end`
    /// before any other one ends.
    ///
    /// # Errors
    /// A node has ended without a word, or an error has ended the program.
    pub fn leave(&self, status: i32, expect_end: &dyn Fn()) -> Result<Vec<i32>> {
        let here = self.here();
        self.tell_others(&Packet::Leave(status));
        self.state.lock().channels[here as usize].left = Some(status);
        let statuses = self.wait_until(|state| {
            let all: Option<Vec<i32>> = state.channels.iter().map(|it| it.left).collect();
            if let Some(all) = all.filter(|_| here == 0 || state.has_ended) {
                return Some(Ok(all));
            }
            // Node 0 ends only behind its word.
            let is_lost = |(node, it): (usize, &Channel)| {
                it.is_down && (it.left.is_none() || node == 0 && !state.has_ended)
            };
            let lost = state.channels.iter().enumerate().position(is_lost)?;
            Some(Err(self.lost_error(lost as u32)))
        })?;
        if here == 0 {
            expect_end();
            self.tell_others(&Packet::End);
        }
        self.endpoint.shutdown();
        Ok(statuses)
    }

    /// Sends a packet to all other nodes that are there.
    pub(super) fn tell_others(&self, packet: &Packet) {
        for node in (0..self.nodes()).filter(|it| *it != self.here()) {
            // A node that has ended needs no word.
            let _ = self.send_packet(node, packet, &[]);
        }
    }

    /// Node 0 tells the others that it has reported an error.
    pub fn announce_failure(&self) {
        self.tell_others(&Packet::Failed);
    }

    /// Has node 0 report an error of this node; whether it has.
    pub fn report_failure(&self, error: &XmpError, timeout: Duration) -> bool {
        let packet = Packet::Error(error.message.clone(), error.hint.clone());
        if self.send_packet(0, &packet, &[]).is_err() {
            return false;
        }
        let deadline = Instant::now() + timeout;
        let mut state = self.state.lock();
        while !state.failure.as_ref().is_some_and(|it| it.is_reported) {
            if Instant::now() >= deadline || state.channels[0].is_down {
                return false;
            }
            self.changed.wait_for(&mut state, SLEEP);
        }
        true
    }

    pub(super) fn lost_error(&self, node: u32) -> XmpError {
        XmpError::new(format!("{} has ended without a word", self.endpoint.describe(PlaceId(node))))
    }

    /// Nothing can be sent to a node.
    pub(super) fn lost(&self, node: u32) -> XmpError {
        let mut state = self.state.lock();
        match (&state.failure, state.ended_node(node)) {
            (Some(failure), _) => failure.clone(),
            (None, Some(how)) => {
                XmpError::new(format!("node {} sends to node {node}, which {how}", self.here()))
            }
            (None, None) => {
                state.channels[node as usize].is_closed = true;
                self.lost_error(node)
            }
        }
    }

    /// The program ends by an error that this node has not found itself.
    pub(super) fn fail(&self, error: XmpError) {
        self.changed.notify_all();
        if let Some(on_failure) = self.on_failure.get() {
            on_failure(error);
        }
    }
}
