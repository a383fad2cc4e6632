//! What the parser sees of the tokens: no trivia, but which tokens start a line and which brackets match.

use crate::lexer::Lexed;
use crate::{SyntaxKind, TextRange, TextSize};

/// No such token.
pub(super) const NONE: u32 = u32::MAX;

/// How many brackets are open: curly ones in all, the others since the last curly one.
#[derive(Clone, Copy, Default)]
struct Counts {
    round: u32,
    square: u32,
    curly: u32,
}

/// An open bracket, and what was open before it.
struct Open {
    kind: SyntaxKind,
    index: u32,
    before: Counts,
}

pub(crate) struct Input {
    /// Kinds, without trivia.
    pub kinds: Vec<SyntaxKind>,
    /// Their indices among all tokens.
    pub raw: Vec<u32>,
    /// For each bracket the index of the one it matches, else `NONE`. Brackets let the grammar look
    /// ahead over any length in one step.
    matching: Vec<u32>,
    newline_before: Vec<bool>,
    /// A closing curly bracket has no opening one: one is missing somewhere.
    pub extra_close: bool,
}

impl Input {
    pub fn new(lexed: &Lexed, text: &str) -> Input {
        let count = lexed.kinds.len();
        let mut input = Input {
            kinds: Vec::with_capacity(count / 2 + 2),
            raw: Vec::with_capacity(count / 2 + 2),
            matching: Vec::new(),
            newline_before: Vec::with_capacity(count / 2 + 2),
            extra_close: false,
        };
        let mut newline = true;
        for (index, &kind) in lexed.kinds.iter().enumerate() {
            if kind.is_trivia() {
                if kind != SyntaxKind::LINE_COMMENT && !newline {
                    let trivia =
                        &text.as_bytes()[lexed.starts[index] as usize..lexed.starts[index + 1] as usize];
                    newline = trivia.iter().any(|it| matches!(it, b'\n' | b'\r'));
                }
            } else {
                input.kinds.push(kind);
                input.raw.push(index as u32);
                input.newline_before.push(newline);
                newline = false;
            }
        }
        input.match_brackets();
        input
    }

    fn match_brackets(&mut self) {
        self.matching = vec![NONE; self.kinds.len()];
        let mut open = Vec::new();
        let mut counts = Counts::default();
        for index in 0..self.kinds.len() {
            match self.kinds[index] {
                kind @ (T!['('] | T!['['] | T!['{']) => {
                    open.push(Open { kind, index: index as u32, before: counts });
                    match kind {
                        T!['('] => counts.round += 1,
                        T!['['] => counts.square += 1,
                        _ => counts = Counts { curly: counts.curly + 1, ..Counts::default() },
                    }
                }
                T![')'] if counts.round > 0 => self.close(&mut open, &mut counts, T!['('], index),
                T![']'] if counts.square > 0 => self.close(&mut open, &mut counts, T!['['], index),
                T!['}'] if counts.curly > 0 => self.close(&mut open, &mut counts, T!['{'], index),
                T!['}'] => self.extra_close = true,
                _ => {}
            }
        }
    }

    /// Matches a closing bracket with the last open one of its kind, of which there is one. Round and square
    /// brackets do not reach out of curly ones; those that a bracket closes over stay without a match.
    fn close(&mut self, open: &mut Vec<Open>, counts: &mut Counts, opener: SyntaxKind, index: usize) {
        while let Some(partner) = open.pop() {
            *counts = partner.before;
            if partner.kind == opener {
                self.matching[partner.index as usize] = index as u32;
                self.matching[index] = partner.index;
                return;
            }
        }
    }

    pub fn kind(&self, index: usize) -> SyntaxKind {
        self.kinds.get(index).copied().unwrap_or(SyntaxKind::EOF)
    }

    /// The bracket that the one at `index` matches.
    pub fn matching(&self, index: usize) -> Option<usize> {
        self.matching.get(index).copied().filter(|&it| it != NONE).map(|it| it as usize)
    }

    pub fn newline_before(&self, index: usize) -> bool {
        self.newline_before.get(index).copied().unwrap_or(true)
    }

    pub fn range(&self, lexed: &Lexed, index: usize) -> TextRange {
        match self.raw.get(index) {
            Some(&raw) => lexed.range(raw as usize),
            None => TextRange::empty(TextSize::new(*lexed.starts.last().unwrap_or(&0))),
        }
    }
}
