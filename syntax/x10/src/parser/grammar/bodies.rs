//! Braced bodies, and where they end when braces are missing.

use crate::parser::state::Parser;

/// The braces that something is parsed in.
pub(super) struct Body {
    /// The opening one; without it, the first token.
    start: usize,
    is_opened: bool,
    /// How many errors there were before.
    errors: usize,
    /// How many errors what is around has itself.
    own_errors: usize,
    /// The bracket around.
    unclosed: Option<usize>,
    /// What precedes is part of a condition without its parentheses.
    body_follows: bool,
}

impl Body {
    /// Takes the opening brace.
    pub(super) fn open(p: &mut Parser<'_>) -> Option<Body> {
        let braces = Body { is_opened: true, ..Body::forgotten(p) };
        if p.eat(T!['{']) {
            return Some(braces);
        }
        p.unclosed = braces.unclosed;
        p.own_errors = braces.own_errors;
        p.body_follows = braces.body_follows;
        None
    }

    /// The opening brace is missing.
    pub(super) fn forgotten(p: &mut Parser<'_>) -> Body {
        let unclosed = p.unclosed.take();
        let own_errors = std::mem::take(&mut p.own_errors);
        let body_follows = std::mem::take(&mut p.body_follows);
        let errors = p.errors.len();
        Body { start: p.position, is_opened: false, errors, own_errors, unclosed, body_follows }
    }

    /// The opening brace, if there is one.
    pub(super) fn opened(&self) -> Option<usize> {
        self.is_opened.then_some(self.start)
    }

    /// Whether the current token is a closing brace that ends this body or one around it. Unmatched braces
    /// are skipped.
    pub(super) fn end(&self, p: &mut Parser<'_>) -> bool {
        while p.input.is_paired && p.at(T!['}']) && !self.is_mine(p) {
            match p.matching(p.position) {
                Some(partner) if partner < self.start => return true,
                // Its opening brace was skipped.
                Some(_) => {}
                None if self.has_errors(p) => {}
                None => {
                    p.unexpected("no `{` belongs to this `}`");
                    p.hint("write the `{` that is missing before, or remove the `}`");
                }
            }
            p.skip_balanced();
            // With it goes what closed the call that a closure stood in.
            while matches!(p.current(), T![')'] | T![']']) {
                p.skip_balanced();
            }
            if p.at(T![;]) && !p.at_line_start() {
                p.skip_balanced();
            }
        }
        p.at(T!['}'])
    }

    /// Whether the closing brace here is that of this.
    fn is_mine(&self, p: &Parser<'_>) -> bool {
        match p.matching(p.position) {
            Some(partner) => self.is_opened && partner == self.start,
            None => !self.is_opened,
        }
    }

    /// Whether something between the braces is wrong already, of which a missing brace may be a consequence.
    pub(super) fn has_errors(&self, p: &Parser<'_>) -> bool {
        let start = p.input.range(p.lexed, self.start).start();
        let end = p.input.range(p.lexed, p.position).start();
        let malformed = &p.lexed.errors;
        let first = malformed.partition_point(|it| it.range.start() < start);
        p.errors.len() > self.errors || malformed.get(first).is_some_and(|it| it.range.start() < end)
    }

    /// Takes the closing brace, or says that it is missing, if the search for it was not given up.
    pub(super) fn close(self, p: &mut Parser<'_>, done: bool) {
        let is_there = p.at(T!['}']) && (!p.input.is_paired || self.is_mine(p));
        if is_there {
            p.bump();
        } else if p.input.is_paired && self.has_errors(p) {
            p.suppress_next_error();
        } else if done {
            p.missing("expected `}`");
        }
        p.unclosed = self.unclosed;
        p.own_errors = self.own_errors;
        p.body_follows = self.body_follows;
    }
}
