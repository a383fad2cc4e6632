//! The parser: recursive descent over the tokens, written down as events. It never fails and always
//! takes every token.

mod braces;
pub(crate) mod event;
mod grammar;
pub(crate) mod input;
mod token_set;

pub(crate) use self::braces::indent;
use self::event::Event;
pub(crate) use self::grammar::{Entry, INFERRED, has_statements};
use self::input::Input;
use self::token_set::TokenSet;
use crate::lexer::Lexed;
use crate::syntax_error::MistakeKind;
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;
use apg_source::TextRange;

/// How deeply declarations, statements, types and expressions may nest. Everything that walks the tree,
/// here and in the layers above, recurses; this keeps it within the smallest usual stack.
pub(crate) const DEPTH_LIMIT: u32 = 256;
/// How long a chain of binary operators or selections may be: chains parse in a loop but make deep trees.
pub(crate) const CHAIN_LIMIT: u32 = 512;
/// How deep a tree may be, for chains within chains. The deepest of X10's own files has 53 levels.
pub(crate) const TREE_LIMIT: u32 = 1024;
/// How often the parser may look at one token without taking it. Reaching it is a mistake in the parser; it then
/// takes all the rest as an error instead of running forever.
const FUEL: u32 = 100_000;
/// So many tokens of a line are looked at for another error in it.
const SAME_LINE: usize = 128;

pub(crate) struct Parser<'a> {
    text: &'a str,
    lexed: &'a Lexed,
    /// A misspelt keyword gets its kind there.
    input: &'a mut Input,
    position: usize,
    events: Vec<Event>,
    errors: Vec<SyntaxError>,
    /// Where the last error was; a second one at the same token would say nothing new.
    last_error: usize,
    depth: u32,
    fuel: std::cell::Cell<u32>,
    /// Braces after an expression are not its constraint but a trailing closure: at the start of a statement.
    at_statement: bool,
    /// The braces after an expression or a type are the body that follows it: it is a condition without its parentheses.
    body_follows: bool,
    /// How many blocks were ended by the `else` of their `if`, which lack their brace.
    ended_by_else: u32,
    /// Nesting was too deep to go on.
    gave_up: bool,
    /// The token in whose line the last error is that was reported.
    last_report: usize,
    /// The last error was reported, and not left out as a consequence of another.
    is_noted: bool,
    /// How many errors the block here has, those of blocks in it not counted.
    own_errors: usize,
    /// The innermost round or square bracket around, if nothing closes it.
    unclosed: Option<usize>,
}

/// Parses all tokens as `entry`.
pub(crate) fn parse(
    text: &str,
    lexed: &Lexed,
    input: &mut Input,
    entry: Entry,
) -> (Vec<Event>, Vec<SyntaxError>) {
    let mut parser = Parser {
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
        is_noted: false,
        own_errors: 0,
        unclosed: None,
    };
    entry.parse(&mut parser);
    (parser.events, parser.errors)
}

impl<'a> Parser<'a> {
    //--- Looking ---

    fn current(&self) -> SyntaxKind {
        self.nth(0)
    }

    fn nth(&self, ahead: usize) -> SyntaxKind {
        let fuel = self.fuel.get();
        if fuel == 0 {
            return SyntaxKind::EOF;
        }
        self.fuel.set(fuel - 1);
        self.kind_at(self.position + ahead)
    }

    /// The kind of the token at `index`; the end of the input if the parser gave up.
    fn kind_at(&self, index: usize) -> SyntaxKind {
        if self.gave_up { SyntaxKind::EOF } else { self.input.kind(index) }
    }

    fn at(&self, kind: SyntaxKind) -> bool {
        self.current() == kind
    }

    fn at_set(&self, set: &TokenSet) -> bool {
        set.contains(self.current())
    }

    fn at_end(&self) -> bool {
        self.at(SyntaxKind::EOF)
    }

    /// How far the line of the token at `index` is indented.
    fn indent(&self, index: usize) -> u32 {
        self.input.indent(self.lexed, self.text, index)
    }

    /// Whether the line of the current token, which it starts, is no continuation of that of the token at `index`.
    fn is_new_line_after(&self, index: usize) -> bool {
        self.at_line_start() && self.indent(self.position) <= self.indent(index)
    }

    /// Whether the bracket at `open`, which nothing closes, is one that is still to be closed: what follows starts a new line.
    fn is_unfinished(&self, open: usize) -> bool {
        self.matching(open).is_none() && self.is_new_line_after(open)
    }

    /// Runs `f` inside of the bracket at `open`.
    fn inside<T>(&mut self, open: usize, f: impl FnOnce(&mut Parser<'a>) -> T) -> T {
        let unclosed = self.matching(open).is_none().then_some(open);
        let saved = std::mem::replace(&mut self.unclosed, unclosed);
        let body_follows = std::mem::take(&mut self.body_follows);
        let result = f(self);
        self.unclosed = saved;
        self.body_follows = body_follows;
        result
    }

    /// Whether the current token is the first on its line.
    fn at_line_start(&self) -> bool {
        self.input.newline_before(self.position)
    }

    /// The text of the token at `index`.
    fn text(&self, index: usize) -> &'a str {
        self.text_of(index, index + 1)
    }

    /// The text of the tokens from `start` up to `end`, and what is between them.
    fn text_of(&self, start: usize, end: usize) -> &'a str {
        if start >= end || end > self.input.kinds.len() {
            return "";
        }
        let range = self.input.range(self.lexed, start).cover(self.input.range(self.lexed, end - 1));
        &self.text[range]
    }

    /// The bracket that the one at `index` matches.
    fn matching(&self, index: usize) -> Option<usize> {
        self.input.matching(index)
    }

    //--- Taking ---

    fn bump(&mut self) {
        if self.position < self.input.kinds.len() && !self.gave_up {
            self.position += 1;
            self.events.push(Event::Token);
            self.fuel.set(FUEL);
        }
    }

    fn refuel(&mut self) {
        self.fuel.set(FUEL);
    }

    fn eat(&mut self, kind: SyntaxKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Takes a token of this kind, or says that it is missing after the last token.
    fn expect(&mut self, kind: SyntaxKind) -> bool {
        self.eat(kind) || {
            self.missing(format!("expected `{}`", kind.text().unwrap_or("a name")));
            self.insert(kind);
            false
        }
    }

    //--- Errors ---

    /// An error at the current token.
    fn error(&mut self, message: impl Into<String>) {
        let range = self.input.range(self.lexed, self.position);
        self.error_at(range, message);
    }

    /// An error just after the last token: something is missing there. Beside another error of the line it would be a consequence
    /// more often than not.
    fn missing(&mut self, message: impl Into<String>) {
        let before = self.position.checked_sub(1);
        if self.last_error != self.position && self.is_reported_in_line() {
            self.hush();
            self.last_report = before.unwrap_or(0);
        }
        let range = match before {
            None => TextRange::empty(self.input.range(self.lexed, 0).start()),
            Some(it) => TextRange::empty(self.input.range(self.lexed, it).end()),
        };
        self.report(before.unwrap_or(0), SyntaxError::new(range, message).as_gap());
    }

    fn error_at(&mut self, range: TextRange, message: impl Into<String>) {
        self.report(self.position, SyntaxError::new(range, message));
    }

    /// An error at the current token: something else must stand here, and what this means is not known.
    fn unexpected(&mut self, message: impl Into<String>) {
        self.unexpected_at(self.position, message);
    }

    /// The same at the token `index`.
    fn unexpected_at(&mut self, index: usize, message: impl Into<String>) {
        let range = self.input.range(self.lexed, index);
        self.report(index, SyntaxError::new(range, message).as_gap());
    }

    /// An error that stands in the line of the token at `index`.
    fn report(&mut self, index: usize, error: SyntaxError) {
        self.is_noted = self.last_error != self.position && !self.gave_up && !self.is_reported();
        self.last_error = if self.gave_up { self.last_error } else { self.position };
        if self.is_noted {
            self.last_report = index;
            self.own_errors += 1;
            self.errors.push(error);
        }
    }

    /// What is said of the current token next is not reported: it would be a consequence of another error.
    fn hush(&mut self) {
        self.last_error = self.position;
        self.is_noted = false;
    }

    /// Whether a comment without an end has taken the rest of the text, and with it whatever is missing.
    fn in_comment_to_the_end(&self) -> bool {
        let Some(last) = self.lexed.kinds.len().checked_sub(1) else { return false };
        matches!(self.lexed.kinds[last], SyntaxKind::BLOCK_COMMENT | SyntaxKind::DOC_COMMENT)
            && self.lexed.errors.last().is_some_and(|it| it.range.start() == self.lexed.range(last).start())
    }

    /// Whether the lexer has said what is wrong with the token at `index`: characters of no token, or a string without an end.
    fn is_malformed(&self, index: usize) -> bool {
        let kind = self.input.kind(index);
        kind == SyntaxKind::ERROR_TOKEN
            || matches!(kind, SyntaxKind::STRING | SyntaxKind::CHAR) && {
                let start = self.input.range(self.lexed, index).start();
                self.lexed.errors.binary_search_by_key(&start, |it| it.range.start()).is_ok()
            }
    }

    /// Whether the lexer has said what is wrong here, or a comment without an end has taken it.
    fn is_reported(&self) -> bool {
        self.input.kind(self.position) == SyntaxKind::ERROR_TOKEN
            || self.at_end() && self.in_comment_to_the_end()
            || self.position.checked_sub(1).is_some_and(|it| self.is_malformed(it))
    }

    /// Whether an error was reported of what stands in the line before the current token, or the lexer has one of what follows in
    /// it. Braces bound what is looked at, for what they hold may be parsed by itself.
    fn is_reported_in_line(&self) -> bool {
        let is_brace = |index: usize| matches!(self.input.kind(index), T!['{'] | T!['}']);
        let is_near = |index: usize| index.abs_diff(self.position) < SAME_LINE;
        let mut index = self.position;
        while let Some(before) = index.checked_sub(1).filter(|it| is_near(*it) && !is_brace(*it)) {
            index = before;
            if index == self.last_report || self.is_malformed(index) {
                return true;
            }
            if self.input.newline_before(index) {
                break;
            }
        }
        let mut index = self.position;
        while is_near(index)
            && index < self.input.kinds.len()
            && !is_brace(index)
            && !self.input.newline_before(index)
        {
            if self.is_malformed(index) {
                return true;
            }
            index += 1;
        }
        false
    }

    /// Adds what to write instead to the error just made at this position.
    fn hint(&mut self, hint: &str) {
        if self.last_error == self.position
            && self.is_noted
            && let Some(error) = self.errors.last_mut()
        {
            error.hint.get_or_insert_with(|| hint.to_string());
        }
    }

    /// Adds what to put in place of the range of the error just made at this position.
    fn replace_by(&mut self, text: String) {
        if self.last_error == self.position
            && self.is_noted
            && let Some(error) = self.errors.last_mut()
        {
            error.replacement.get_or_insert(text);
        }
    }

    /// Says that the error just made at this position may be made again.
    fn mark_mistake(&mut self, mistake: MistakeKind) {
        if self.last_error == self.position
            && self.is_noted
            && let Some(error) = self.errors.last_mut()
        {
            error.mistake = Some(mistake);
        }
    }

    /// Lets a token that is missing after the last one be written there, if that is all that is wrong: nothing follows that belongs to
    /// what it ends.
    fn insert(&mut self, kind: SyntaxKind) {
        let ends = self.at_end()
            || match kind {
                T![;] => self.at_line_start() || self.at(T!['}']),
                T![')'] | T![']'] => matches!(self.current(), T![;] | T!['{'] | T!['}']),
                _ => false,
            };
        if let Some(text) = kind.text().filter(|_| ends && self.position > 0) {
            match self.is_noted {
                true => self.replace_by(text.to_owned()),
                false => self.insert_too(text),
            }
        }
    }

    /// Adds to what the error at this position inserts: one more of the same is missing.
    fn insert_too(&mut self, text: &str) {
        let behind = self.input.range(self.lexed, self.position - 1).end();
        if self.last_error == self.position
            && let Some(error) = self.errors.last_mut()
            && error.range == TextRange::empty(behind)
            && let Some(inserted) = &mut error.replacement
            && inserted.ends_with(text)
        {
            inserted.push_str(text);
        }
    }

    /// The range of the tokens from `start` up to the current one.
    fn range_since(&self, start: usize) -> TextRange {
        let first = self.input.range(self.lexed, start);
        match self.position {
            end if end > start => first.cover(self.input.range(self.lexed, end - 1)),
            _ => first,
        }
    }

    /// An error at the current token, which is put aside unless `stop` has it.
    fn error_recover(&mut self, message: impl Into<String>, stop: &TokenSet) {
        self.unexpected(message);
        if !self.at_end() && !self.at_set(stop) {
            let m = self.start();
            self.bump();
            m.complete(self, SyntaxKind::ERROR);
        }
    }

    /// Puts the current token aside without a word; together with its partner and all between if it opens a bracket.
    fn skip_balanced(&mut self) {
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
    fn nested<T>(&mut self, f: impl FnOnce(&mut Parser<'a>) -> Option<T>) -> Option<T> {
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

    fn start(&mut self) -> Marker {
        let start = self.events.len();
        self.events.push(Event::Start { kind: SyntaxKind::TOMBSTONE, parent: 0 });
        Marker { start }
    }
}

/// A node that is open. Each must be completed or abandoned.
#[must_use]
pub(crate) struct Marker {
    start: usize,
}

impl Marker {
    fn complete(self, p: &mut Parser<'_>, kind: SyntaxKind) -> Completed {
        if let Event::Start { kind: slot, .. } = &mut p.events[self.start] {
            *slot = kind;
        }
        p.events.push(Event::Finish);
        Completed { start: self.start, kind }
    }

    /// Gives the node up; what it holds goes to the node around it.
    fn abandon(self, p: &mut Parser<'_>) {
        if self.start == p.events.len() - 1 {
            p.events.pop();
        }
    }
}

/// A node that is closed.
#[derive(Clone, Copy)]
pub(crate) struct Completed {
    start: usize,
    kind: SyntaxKind,
}

impl Completed {
    /// Opens a node around this one.
    fn precede(self, p: &mut Parser<'_>) -> Marker {
        let m = p.start();
        if let Event::Start { parent, .. } = &mut p.events[self.start] {
            *parent = (m.start - self.start) as u32;
        }
        m
    }

    /// Opens the node again, to add to it. Only for the node closed last.
    fn reopen(self, p: &mut Parser<'_>) -> Marker {
        let last = p.events.pop();
        debug_assert!(matches!(last, Some(Event::Finish)));
        Marker { start: self.start }
    }

    /// Makes it a node of another kind.
    fn change_kind(&mut self, p: &mut Parser<'_>, kind: SyntaxKind) {
        if let Event::Start { kind: slot, .. } = &mut p.events[self.start] {
            *slot = kind;
        }
        self.kind = kind;
    }
}
