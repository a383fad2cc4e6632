//! `atomic` and `when`: one section a place.

use std::collections::VecDeque;

use parking_lot::Mutex;

use super::block::{Waker, block};
use crate::sanitizer;

struct Section {
    taken: bool,
    /// Wait to enter, in order; the section is handed from one to the next.
    entering: VecDeque<Waker>,
    /// Wait for a guard to become true.
    waiting: Vec<Waker>,
}

static SECTION: Mutex<Section> =
    Mutex::new(Section { taken: false, entering: VecDeque::new(), waiting: Vec::new() });

/// Enters the section; waits while another activity is in it.
pub fn enter() {
    {
        let mut section = SECTION.lock();
        if !section.taken {
            section.taken = true;
            sanitizer::acquire(&raw const SECTION);
            return;
        }
    }
    block(|waker| {
        let mut section = SECTION.lock();
        if section.taken {
            section.entering.push_back(waker);
        } else {
            section.taken = true;
            drop(section);
            waker.wake();
        }
    });
    sanitizer::acquire(&raw const SECTION);
}

/// Leaves the section after a change: whoever waits for a guard looks again.
pub fn leave() {
    sanitizer::release(&raw const SECTION);
    let (next, waiting) = {
        let mut section = SECTION.lock();
        let waiting = std::mem::take(&mut section.waiting);
        (hand_on(&mut section), waiting)
    };
    next.into_iter().chain(waiting).for_each(Waker::wake);
}

/// Leaves the section, waits until somebody else has been in it, and enters it again.
pub fn wait_for_change() {
    sanitizer::release(&raw const SECTION);
    block(|waker| {
        let next = {
            let mut section = SECTION.lock();
            section.waiting.push(waker);
            hand_on(&mut section)
        };
        if let Some(next) = next {
            next.wake();
        }
    });
    enter();
}

/// Gives the section to the next one that wants to enter.
fn hand_on(section: &mut Section) -> Option<Waker> {
    let next = section.entering.pop_front();
    section.taken = next.is_some();
    next
}
