//! Parser events: nodes started and finished, tokens taken, as in rust-analyzer's parser. A node is wrapped
//! after it was finished by giving its start a `parent` that comes later in the list.

use crate::syntax_kind::SyntaxKind;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// A node starts. `parent` is the distance to the start of the node around it, 0 if there is none such.
    /// A `TOMBSTONE` that was given up has no finish.
    Start { kind: SyntaxKind, parent: u32 },
    /// The last node that is open ends.
    Finish,
    /// The next token, with the trivia before it.
    Token,
}

/// The events with parents put in front of the nodes they wrap, in order, handed to `sink`.
pub(crate) fn process(mut events: Vec<Event>, mut sink: impl FnMut(Step)) {
    let mut parents = Vec::new();
    for index in 0..events.len() {
        match events[index] {
            Event::Start { kind: SyntaxKind::TOMBSTONE, parent: 0 } => {}
            Event::Start { kind, parent: 0 } => sink(Step::Start(kind)),
            Event::Start { .. } => {
                let mut at = index;
                while let Event::Start { kind, parent } = events[at] {
                    events[at] = Event::Start { kind: SyntaxKind::TOMBSTONE, parent: 0 };
                    if kind != SyntaxKind::TOMBSTONE {
                        parents.push(kind);
                    }
                    if parent == 0 {
                        break;
                    }
                    at += parent as usize;
                }
                for kind in parents.drain(..).rev() {
                    sink(Step::Start(kind));
                }
            }
            Event::Finish => sink(Step::Finish),
            Event::Token => sink(Step::Token),
        }
    }
}

/// One step of building a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Start(SyntaxKind),
    Finish,
    Token,
}
