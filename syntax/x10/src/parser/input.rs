//! Input of the parser: tokens without trivia, which of them start a line, and which brackets match.

use super::braces::{self, Brace};
use crate::lexer::Lexed;
use crate::syntax_kind::SyntaxKind;
use apg_source::{TextRange, TextSize};

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
    /// Curly brackets are missing, closing or opening ones.
    pub unbalanced: bool,
    /// The braces were matched by the indentation of their lines.
    pub is_paired: bool,
    /// How far the first line is indented, if the text is a piece of another.
    pub first_indent: Option<u32>,
}

impl Input {
    pub(crate) fn new(lexed: &Lexed, text: &str) -> Input {
        let count = lexed.kinds.len();
        let mut input = Input {
            kinds: Vec::with_capacity(count / 2 + 2),
            raw: Vec::with_capacity(count / 2 + 2),
            matching: Vec::new(),
            newline_before: Vec::with_capacity(count / 2 + 2),
            extra_close: false,
            unbalanced: false,
            is_paired: false,
            first_indent: None,
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
        input.unbalanced = input.lacks_braces();
        let pairs = if input.unbalanced { input.pairs(lexed, text) } else { None };
        input.match_brackets(pairs);
        input
    }

    /// Whether curly brackets are missing.
    fn lacks_braces(&self) -> bool {
        let mut open = 0_usize;
        for kind in &self.kinds {
            match kind {
                T!['{'] => open += 1,
                T!['}'] if open == 0 => return true,
                T!['}'] => open -= 1,
                _ => {}
            }
        }
        open > 0
    }

    /// What belongs together as far as the lines tell.
    fn pairs(&self, lexed: &Lexed, text: &str) -> Option<Vec<(u32, u32)>> {
        let mut all = Vec::new();
        let mut indent = 0;
        for index in 0..self.kinds.len() {
            if self.newline_before[index] {
                indent = self.indent(lexed, text, index);
            }
            let kind = self.kinds[index];
            if matches!(kind, T!['{'] | T!['}']) {
                let (is_first, opens) = (self.newline_before[index], kind == T!['{']);
                all.push(Brace { index: index as u32, indent, is_first, opens });
            }
        }
        braces::pairs(&all)
    }

    /// How far the line of a token is indented.
    pub(crate) fn indent(&self, lexed: &Lexed, text: &str, mut index: usize) -> u32 {
        while index > 0 && !self.newline_before(index) {
            index -= 1;
        }
        let start = usize::from(self.range(lexed, index).start());
        let line = text[..start].rfind(['\n', '\r']).map_or(0, |it| it + 1);
        self.first_indent.filter(|_| index == 0).unwrap_or_else(|| braces::indent(&text[line..]))
    }

    /// Finds what each bracket matches; `pairs` says it of the curly ones.
    fn match_brackets(&mut self, pairs: Option<Vec<(u32, u32)>>) {
        self.matching = vec![NONE; self.kinds.len()];
        let mut open = Vec::new();
        let mut counts = Counts::default();
        self.is_paired = pairs.is_some();
        let mut known = pairs.into_iter().flatten().peekable();
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
                T![')'] if counts.round > 0 => {
                    self.close(&mut open, &mut counts, index, |it| it.kind == T!['(']);
                }
                T![']'] if counts.square > 0 => {
                    self.close(&mut open, &mut counts, index, |it| it.kind == T!['[']);
                }
                T!['}'] if self.is_paired => match known.next_if(|(close, _)| *close as usize == index) {
                    Some((_, partner)) => {
                        self.close(&mut open, &mut counts, index, |it| it.index == partner);
                    }
                    None => self.extra_close = true,
                },
                T!['}'] if counts.curly > 0 => {
                    self.close(&mut open, &mut counts, index, |it| it.kind == T!['{']);
                }
                T!['}'] => self.extra_close = true,
                _ => {}
            }
        }
    }

    /// Matches a closing bracket with the last open bracket that `is_partner`, which must exist. Round and
    /// square brackets do not reach out of curly ones; brackets that remain open inside of the pair have no
    /// match.
    fn close(
        &mut self,
        open: &mut Vec<Open>,
        counts: &mut Counts,
        index: usize,
        is_partner: impl Fn(&Open) -> bool,
    ) {
        while let Some(partner) = open.pop() {
            *counts = partner.before;
            if is_partner(&partner) {
                self.matching[partner.index as usize] = index as u32;
                self.matching[index] = partner.index;
                return;
            }
        }
    }

    pub(crate) fn kind(&self, index: usize) -> SyntaxKind {
        self.kinds.get(index).copied().unwrap_or(SyntaxKind::EOF)
    }

    /// The bracket that the one at `index` matches.
    pub(crate) fn matching(&self, index: usize) -> Option<usize> {
        self.matching.get(index).copied().filter(|&it| it != NONE).map(|it| it as usize)
    }

    pub(crate) fn newline_before(&self, index: usize) -> bool {
        self.newline_before.get(index).copied().unwrap_or(true)
    }

    pub(crate) fn range(&self, lexed: &Lexed, index: usize) -> TextRange {
        match self.raw.get(index) {
            Some(&raw) => lexed.range(raw as usize),
            None => TextRange::empty(TextSize::new(*lexed.starts.last().unwrap_or(&0))),
        }
    }
}
