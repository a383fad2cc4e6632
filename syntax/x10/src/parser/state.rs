//! State of the parser: its position, the events so far, and the errors.

use super::event::Event;
use super::input::Input;
use super::limits::DEPTH_LIMIT;
use super::token_set::TokenSet;
use crate::lexer::Lexed;
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;

/// How often the parser may look at one token without taking it. Reaching it is a mistake in the parser; it
/// then takes all the rest as an error instead of running forever.
const FUEL: u32 = 100_000;

/// The parser, which the grammar's functions drive.
pub(crate) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) lexed: &'a Lexed,
    /// A misspelt keyword gets its kind there.
    pub(super) input: &'a mut Input,
    pub(super) position: usize,
    pub(super) events: Vec<Event>,
    pub(super) errors: Vec<SyntaxError>,
    /// The position of the last error: only the first error at a token is reported.
    pub(super) last_error: usize,
    pub(super) depth: u32,
    pub(super) fuel: std::cell::Cell<u32>,
    /// Braces after an expression are not its constraint but a trailing closure: at the start of a statement.
    pub(super) at_statement: bool,
    /// The braces after an expression or a type are the body that follows it: it is a condition without its
    /// parentheses.
    pub(super) body_follows: bool,
    /// How many blocks were ended by the `else` of their `if`, which lack their brace.
    pub(super) ended_by_else: u32,
    /// Nesting was too deep to go on.
    pub(super) gave_up: bool,
    /// The token in whose line the last error is that was reported.
    pub(super) last_report: usize,
    /// The last error was reported, and not left out as a consequence of another.
    pub(super) reported_last_error: bool,
    /// How many errors the block here has, those of blocks in it not counted.
    pub(super) own_errors: usize,
    /// The innermost round or square bracket around, if nothing closes it.
    pub(super) unclosed: Option<usize>,
}

impl<'a> Parser<'a> {
    /// A parser at the first token.
    pub(super) fn new(text: &'a str, lexed: &'a Lexed, input: &'a mut Input) -> Parser<'a> {
        Parser {
            text,
            lexed,
            input,
            position: 0,
            events: Vec::with_capacity(lexed.kinds.len() * 2),
            errors: Vec::new(),
            last_error: usize::MAX,
            depth: 0,
            fuel: std::cell::Cell::new(FUEL),
            at_statement: false,
            body_follows: false,
            ended_by_else: 0,
            gave_up: false,
            last_report: usize::MAX,
            reported_last_error: false,
            own_errors: 0,
            unclosed: None,
        }
    }

    /// The events and errors of what was parsed.
    pub(super) fn finish(self) -> (Vec<Event>, Vec<SyntaxError>) {
        (self.events, self.errors)
    }

    //--- Looking ---

    pub(super) fn current(&self) -> SyntaxKind {
        self.nth(0)
    }

    pub(super) fn nth(&self, ahead: usize) -> SyntaxKind {
        let fuel = self.fuel.get();
        if fuel == 0 {
            return SyntaxKind::EOF;
        }
        self.fuel.set(fuel - 1);
        self.kind_at(self.position + ahead)
    }

    /// The kind of the token at `index`; the end of the input if the parser gave up.
    pub(super) fn kind_at(&self, index: usize) -> SyntaxKind {
        if self.gave_up { SyntaxKind::EOF } else { self.input.kind(index) }
    }

    pub(super) fn at(&self, kind: SyntaxKind) -> bool {
        self.current() == kind
    }

    pub(super) fn at_set(&self, set: &TokenSet) -> bool {
        set.contains(self.current())
    }

    pub(super) fn at_end(&self) -> bool {
        self.at(SyntaxKind::EOF)
    }

    /// How far the line of the token at `index` is indented.
    pub(super) fn indent(&self, index: usize) -> u32 {
        self.input.indent(self.lexed, self.text, index)
    }

    /// Whether the line of the current token, which it starts, is no continuation of that of the token at
    /// `index`.
    pub(super) fn is_new_line_after(&self, index: usize) -> bool {
        self.at_line_start() && self.indent(self.position) <= self.indent(index)
    }

    /// Whether the bracket at `open`, which nothing closes, is still being written: what follows starts a new
    /// line.
    pub(super) fn is_unfinished(&self, open: usize) -> bool {
        self.matching(open).is_none() && self.is_new_line_after(open)
    }

    /// Runs `f` inside of the bracket at `open`.
    pub(super) fn inside<T>(&mut self, open: usize, f: impl FnOnce(&mut Parser<'a>) -> T) -> T {
        let unclosed = self.matching(open).is_none().then_some(open);
        let saved = std::mem::replace(&mut self.unclosed, unclosed);
        let body_follows = std::mem::take(&mut self.body_follows);
        let result = f(self);
        self.unclosed = saved;
        self.body_follows = body_follows;
        result
    }

    /// Whether the current token is the first on its line.
    pub(super) fn at_line_start(&self) -> bool {
        self.input.newline_before(self.position)
    }

    /// The text of the token at `index`.
    pub(super) fn text(&self, index: usize) -> &'a str {
        self.text_of(index, index + 1)
    }

    /// The text of the tokens from `start` up to `end`, and what is between them.
    pub(super) fn text_of(&self, start: usize, end: usize) -> &'a str {
        if start >= end || end > self.input.kinds.len() {
            return "";
        }
        let range = self.input.range(self.lexed, start).cover(self.input.range(self.lexed, end - 1));
        &self.text[range]
    }

    /// The bracket that the one at `index` matches.
    pub(super) fn matching(&self, index: usize) -> Option<usize> {
        self.input.matching(index)
    }

    //--- Taking ---

    pub(super) fn bump(&mut self) {
        if self.position < self.input.kinds.len() && !self.gave_up {
            self.position += 1;
            self.events.push(Event::Token);
            self.fuel.set(FUEL);
        }
    }

    pub(super) fn refuel(&mut self) {
        self.fuel.set(FUEL);
    }

    pub(super) fn eat(&mut self, kind: SyntaxKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Takes a token of this kind, or says that it is missing after the last token.
    pub(super) fn expect(&mut self, kind: SyntaxKind) -> bool {
        self.eat(kind) || {
            self.missing(format!("expected `{}`", kind.text().unwrap_or("a name")));
            self.insert(kind);
            false
        }
    }

    /// Skips the current token without an error; if it opens a bracket, up to the closing one.
    pub(super) fn skip_balanced(&mut self) {
        let m = self.start();
        let end = match self.current() {
            T!['('] | T!['['] | T!['{'] => self.matching(self.position),
            _ => None,
        };
        self.bump();
        while end.is_some_and(|end| self.position <= end) && !self.at_end() {
            self.bump();
        }
        m.complete(self, SyntaxKind::ERROR);
    }

    /// Runs `f` one level deeper. Too deep, it puts the bracket here aside with all it holds instead.
    pub(super) fn nested<T>(&mut self, f: impl FnOnce(&mut Parser<'a>) -> Option<T>) -> Option<T> {
        if self.depth >= DEPTH_LIMIT {
            self.error(format!("this is nested more than {DEPTH_LIMIT} levels deep"));
            self.hint("move an inner part into a method or a local of its own");
            let opens = matches!(self.current(), T!['('] | T!['['] | T!['{']);
            if opens && self.matching(self.position).is_some() {
                self.skip_balanced();
            } else {
                self.gave_up = true;
            }
            return None;
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    //--- Nodes ---

    pub(super) fn start(&mut self) -> Marker {
        let start = self.events.len();
        self.events.push(Event::Start { kind: SyntaxKind::TOMBSTONE, parent: 0 });
        Marker { start }
    }
}

/// A node that is open. Each must be completed or abandoned.
#[must_use]
pub(crate) struct Marker {
    pub(super) start: usize,
}

impl Marker {
    pub(super) fn complete(self, p: &mut Parser<'_>, kind: SyntaxKind) -> Completed {
        if let Event::Start { kind: slot, .. } = &mut p.events[self.start] {
            *slot = kind;
        }
        p.events.push(Event::Finish);
        Completed { start: self.start, kind }
    }

    /// Gives the node up; what it holds goes to the node around it.
    pub(super) fn abandon(self, p: &mut Parser<'_>) {
        if self.start == p.events.len() - 1 {
            p.events.pop();
        }
    }
}

/// A node that is closed.
#[derive(Clone, Copy)]
pub(crate) struct Completed {
    pub(super) start: usize,
    pub(super) kind: SyntaxKind,
}

impl Completed {
    /// Opens a node around this one.
    pub(super) fn precede(self, p: &mut Parser<'_>) -> Marker {
        let m = p.start();
        if let Event::Start { parent, .. } = &mut p.events[self.start] {
            *parent = (m.start - self.start) as u32;
        }
        m
    }

    /// Opens the node again, to add to it. Only for the node closed last.
    pub(super) fn reopen(self, p: &mut Parser<'_>) -> Marker {
        let last = p.events.pop();
        debug_assert!(matches!(last, Some(Event::Finish)));
        Marker { start: self.start }
    }

    /// Makes it a node of another kind.
    pub(super) fn change_kind(&mut self, p: &mut Parser<'_>, kind: SyntaxKind) {
        if let Event::Start { kind: slot, .. } = &mut p.events[self.start] {
            *slot = kind;
        }
        self.kind = kind;
    }
}
