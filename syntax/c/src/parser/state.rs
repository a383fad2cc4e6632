//! State of the parser: its position, the events so far, and the errors.

use super::event::Event;
use super::limits::{MAX_DEPTH, MAX_ERRORS};
use super::scopes::Scopes;
use super::token_set::TokenSet;
use crate::preprocessor::{Token, Unit};
use crate::symbol::Symbol;
use crate::syntax_error::TOO_DEEP;
use crate::syntax_kind::SyntaxKind;

/// How often the parser may look at one token without taking it. Reaching it is a mistake in the parser; it
/// then takes all the rest as an error instead of running forever.
const FUEL: u32 = 100_000;

/// An error at a token.
pub(crate) struct ParseError {
    pub(crate) position: usize,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) replacement: Option<String>,
}

/// The parser, which the grammar's functions drive.
pub(crate) struct Parser<'a> {
    pub(super) unit: &'a Unit,
    pub(super) tokens: &'a [Token],
    pub(super) kinds: &'a [SyntaxKind],
    pub(super) position: usize,
    pub(super) events: Vec<Event>,
    pub(super) errors: Vec<ParseError>,
    /// The position of the last error: only the first error at a token is reported.
    last_error: usize,
    depth: u32,
    fuel: std::cell::Cell<u32>,
    pub(super) scopes: Scopes,
    /// Nesting was too deep to continue.
    gave_up: bool,
    /// Array sections are expressions: in clauses, and anywhere in XcalableMP.
    pub(super) allows_sections: bool,
    /// The tokens of a directive are being parsed: its end is the end of the input.
    pub(super) in_directive: bool,
    /// Whether the file has more `{` than `}`, once that was asked.
    lacks_closing_brace: std::cell::OnceCell<bool>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(
        unit: &'a Unit,
        tokens: &'a [Token],
        kinds: &'a [SyntaxKind],
        scopes: Scopes,
    ) -> Parser<'a> {
        Parser {
            unit,
            tokens,
            kinds,
            position: 0,
            events: Vec::new(),
            errors: Vec::new(),
            last_error: usize::MAX,
            depth: 0,
            fuel: std::cell::Cell::new(FUEL),
            scopes,
            gave_up: false,
            allows_sections: false,
            in_directive: false,
            lacks_closing_brace: std::cell::OnceCell::new(),
        }
    }

    //--- Looking ---

    #[inline]
    pub(super) fn current(&self) -> SyntaxKind {
        self.nth(0)
    }

    #[inline]
    pub(super) fn nth(&self, ahead: usize) -> SyntaxKind {
        let fuel = self.fuel.get();
        debug_assert!(fuel > 0, "the parser makes no progress at token {}", self.position);
        if fuel == 0 {
            return SyntaxKind::EOF;
        }
        self.fuel.set(fuel - 1);
        self.peek(ahead)
    }

    /// As `nth`, for searches of any length: it uses no fuel, so a loop over it ends by itself.
    #[inline]
    pub(super) fn peek(&self, ahead: usize) -> SyntaxKind {
        if self.gave_up {
            return SyntaxKind::EOF;
        }
        match self.kinds.get(self.position + ahead) {
            Some(SyntaxKind::PRAGMA_END) if self.in_directive => SyntaxKind::EOF,
            Some(kind) => *kind,
            None => SyntaxKind::EOF,
        }
    }

    pub(super) fn at(&self, kind: SyntaxKind) -> bool {
        self.current() == kind
    }

    pub(super) fn at_set(&self, set: TokenSet) -> bool {
        set.contains(self.current())
    }

    /// The end of the input, or of a directive.
    pub(super) fn at_end(&self) -> bool {
        self.current() == SyntaxKind::EOF
    }

    /// Whether the file has more `{` than `}`.
    pub(super) fn lacks_closing_brace(&self) -> bool {
        *self.lacks_closing_brace.get_or_init(|| {
            let count = |kind| self.kinds.iter().filter(|it| **it == kind).count();
            count(SyntaxKind::L_CURLY) > count(SyntaxKind::R_CURLY)
        })
    }

    pub(super) fn symbol(&self, ahead: usize) -> Option<Symbol> {
        self.tokens.get(self.position + ahead).map(|it| it.text)
    }

    /// The spelling of a token; empty at the end.
    pub(super) fn text(&self, ahead: usize) -> &'a str {
        if self.peek(ahead) == SyntaxKind::EOF {
            return "";
        }
        self.symbol(ahead).map_or("", |it| self.unit.text(it))
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        (self.at(SyntaxKind::IDENT) || self.current().is_keyword()) && self.text(0) == word
    }

    /// A name that is a typedef name.
    pub(super) fn is_typedef_name(&self, ahead: usize) -> bool {
        self.nth(ahead) == SyntaxKind::IDENT
            && self.symbol(ahead).is_some_and(|it| self.scopes.is_typedef(it))
    }

    //--- Taking ---

    pub(super) fn bump(&mut self) {
        if !self.at_end() {
            self.take();
        }
    }

    /// Takes a token, the end of a directive too.
    pub(super) fn take(&mut self) {
        if self.position < self.kinds.len() {
            self.position += 1;
            self.events.push(Event::Token);
            // Without fuel the rest of the file is taken as an error.
            if self.fuel.get() > 0 {
                self.fuel.set(FUEL);
            }
        }
    }

    pub(super) fn eat(&mut self, kind: SyntaxKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn expect(&mut self, kind: SyntaxKind) -> bool {
        let found = self.eat(kind);
        if !found {
            let text = kind.text().unwrap_or("a name");
            self.error(format!("`{text}` is missing here"));
        }
        found
    }

    /// Takes a token as an error, inside of a node of its own.
    pub(super) fn bump_error(&mut self, message: impl Into<String>) {
        self.error(message);
        if self.at_end() {
            return;
        }
        let m = self.start();
        self.bump();
        m.complete(self, SyntaxKind::ERROR);
    }

    /// Takes tokens up to one of a set, brackets with what they hold.
    pub(super) fn skip_to(&mut self, set: TokenSet) {
        let mut m = None;
        let mut depth = 0u32;
        while !self.at_end() && self.current() != SyntaxKind::PRAGMA_START {
            match self.current() {
                SyntaxKind::L_PAREN | SyntaxKind::L_CURLY | SyntaxKind::L_BRACK => {
                    if depth == 0 && self.at_set(set) {
                        break;
                    }
                    depth += 1;
                }
                SyntaxKind::R_PAREN | SyntaxKind::R_CURLY | SyntaxKind::R_BRACK if depth > 0 => depth -= 1,
                _ if depth == 0 && self.at_set(set) => break,
                _ => {}
            }
            if m.is_none() {
                m = Some(self.start());
            }
            self.bump();
        }
        if let Some(m) = m {
            m.complete(self, SyntaxKind::ERROR);
        }
    }

    //--- Errors ---

    pub(super) fn error(&mut self, message: impl Into<String>) {
        self.error_with(message, None, None);
    }

    pub(super) fn error_with(
        &mut self,
        message: impl Into<String>,
        hint: Option<String>,
        replacement: Option<String>,
    ) {
        if self.gave_up || self.last_error == self.position || self.errors.len() >= MAX_ERRORS {
            return;
        }
        self.last_error = self.position;
        let message = message.into();
        self.errors.push(ParseError { position: self.position, message, hint, replacement });
    }

    /// Parses something that may contain itself. Nesting that is too deep ends parsing with an error.
    pub(super) fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.error_with(
                TOO_DEEP,
                Some("move an inner part into a variable or a function of its own".to_string()),
                None,
            );
            self.gave_up = true;
            return None;
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Whether no limit stops the parser: nesting is not too deep, and there is progress.
    pub(super) fn continues(&self) -> bool {
        !self.gave_up && self.fuel.get() > 0
    }

    /// Takes what is left after parsing was given up.
    pub(super) fn take_rest(&mut self) {
        self.gave_up = false;
        self.in_directive = false;
        self.fuel.set(FUEL);
        if self.position < self.kinds.len() {
            let m = self.start();
            while self.position < self.kinds.len() {
                self.take();
            }
            m.complete(self, SyntaxKind::ERROR);
        }
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
    start: usize,
}

impl Marker {
    pub(super) fn complete(self, p: &mut Parser<'_>, kind: SyntaxKind) -> Completed {
        if let Event::Start { kind: slot, .. } = &mut p.events[self.start] {
            *slot = kind;
        }
        p.events.push(Event::Finish);
        Completed { start: self.start }
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
    start: usize,
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
}
