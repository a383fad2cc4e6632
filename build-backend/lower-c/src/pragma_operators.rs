//! Directives that `_Pragma` makes (C17 6.10.9), by itself or in a macro, and those with clauses that macros
//! make, written out as lines of their own: what edits directives needs them in the text.
//!
//! Expanded tokens that are read again could be expanded again. Names that C17 6.10.3.4 keeps from that are
//! no macros in what is written out: `#pragma push_macro` and `#undef` are in front of it, `pop_macro` is
//! behind it.

use std::collections::BTreeSet;
use std::ops::Range;

use apg_c_analysis::Parsed;
use apg_c_syntax::{FileId, SyntaxKind, Token, Unit};

use crate::presumed_lines::PresumedLines;
use crate::source_map::SourceMap;

/// A text with its directives written out, and the way back to what the user has written.
#[derive(Debug)]
pub struct WrittenFile {
    /// The text.
    pub text: String,
    /// From its offsets to those of the file.
    pub map: SourceMap,
}

/// The text of a file with each macro that makes a directive of OpenMP or a clause of it expanded, and each
/// `_Pragma` of one, as `#pragma` lines; other lines keep their numbers by `#line`. `None` if it has no such
/// macro. A result whose tokens are not [the same](are_same_tokens) is not to be used.
pub fn written_directives(parsed: &Parsed) -> Option<WrittenFile> {
    let mut sites = sites(&parsed.unit);
    sites.retain(|it| it.has_directive);
    sites.extend(lines_with_macros(&parsed.unit));
    sites.sort_by_key(|it| it.range.start);
    if sites.is_empty() {
        return None;
    }
    let source = parsed.text();
    let lines = PresumedLines::new(source);
    let (mut text, mut map, mut at) = (String::with_capacity(source.len()), SourceMap::default(), 0);
    for site in sites {
        if site.range.start < at {
            // A line in the arguments of a macro, which is written out as a whole.
            continue;
        }
        text.push_str(&source[at..site.range.start]);
        map.add_copy(at..site.range.start);
        let start = text.len();
        text.push_str(&SiteWriter::new(parsed, &lines, &site).write());
        map.add_expansion(text.len() - start, site.range.clone());
        at = site.range.end;
    }
    text.push_str(&source[at..]);
    map.add_copy(at..source.len());
    Some(WrittenFile { text, map })
}

/// Whether two files have the same tokens behind their preambles.
pub fn are_same_tokens(a: &Parsed, b: &Parsed) -> bool {
    let (first, second) = (a.unit.tokens(), b.unit.tokens());
    let is_same = |(one, other): (&Token, &Token)| {
        one.kind == other.kind && a.unit.text(one.text) == b.unit.text(other.text)
    };
    first.len() == second.len() && first.iter().zip(second.iter()).all(is_same)
}

/// A place in the file with tokens that are not spelled there.
struct Site {
    /// What is written there: invocations of macros, `_Pragma(...)`.
    range: Range<usize>,
    /// The tokens that it stands for.
    tokens: Range<usize>,
    /// Among them are directives of OpenMP.
    has_directive: bool,
    /// Pragmas that are no directives, each in front of a token.
    pragmas: Vec<(usize, Token)>,
}

/// All places of the main file behind the preamble with tokens that are not spelled there.
fn sites(unit: &Unit) -> Vec<Site> {
    let mut sites: Vec<Site> = Vec::new();
    let (mut is_open, mut in_directive) = (false, false);
    for (index, token) in unit.tokens().iter().enumerate() {
        let span = unit.expansion_site(token);
        let range = span.start as usize..span.end as usize;
        let last = sites.last_mut().filter(|_| is_open && span.file == FileId::MAIN);
        match last.filter(|it| in_directive || range.start < it.range.end) {
            Some(site) => {
                site.range.end = site.range.end.max(range.end);
                site.tokens.end = index + 1;
            }
            None => {
                is_open = span.file == FileId::MAIN && !token.is_spelled();
                in_directive = false;
                if is_open {
                    let tokens = index..index + 1;
                    sites.push(Site { range, tokens, has_directive: false, pragmas: Vec::new() });
                }
            }
        }
        if let Some(site) = sites.last_mut().filter(|_| is_open) {
            in_directive |= token.kind == SyntaxKind::PRAGMA_START;
            in_directive &= token.kind != SyntaxKind::PRAGMA_END;
            let family = unit.tokens().get(index + 1).map_or("", |it| unit.text(it.text));
            site.has_directive |= token.kind == SyntaxKind::PRAGMA_START && family == "omp";
        }
    }
    for &(position, marker) in unit.operator_pragmas() {
        let span = unit.expansion_site(&marker);
        let index = sites.partition_point(|it| it.range.end <= span.start as usize);
        let site = sites.get_mut(index).filter(|it| {
            let is_inside = it.range.start <= span.start as usize;
            span.file == FileId::MAIN && is_inside && (it.tokens.start..=it.tokens.end).contains(&position)
        });
        site.into_iter().for_each(|it| it.pragmas.push((position, marker)));
    }
    sites
}

/// The directives on lines of the main file of which macros make more than expressions.
fn lines_with_macros(unit: &Unit) -> Vec<Site> {
    let tokens = unit.tokens();
    let mut found = Vec::new();
    let starts = tokens.iter().enumerate().filter(|(_, it)| {
        it.kind == SyntaxKind::PRAGMA_START && it.is_spelled() && it.span.file == FileId::MAIN
    });
    for (start, hash) in starts {
        let Some(length) = tokens[start..].iter().position(|it| it.kind == SyntaxKind::PRAGMA_END) else {
            continue;
        };
        let end = start + length;
        let family = tokens.get(start + 1).map_or("", |it| unit.text(it.text));
        if family == "omp" && has_words_of_macros(&tokens[start..end]) {
            let range = hash.span.start as usize..tokens[end].span.end as usize;
            found.push(Site { range, tokens: start..end + 1, has_directive: true, pragmas: Vec::new() });
        }
    }
    found
}

/// Whether macros make names of a directive or its clauses, several items of a clause, or a section.
fn has_words_of_macros(directive: &[Token]) -> bool {
    let mut depth = 0;
    directive.iter().any(|token| {
        let is_word = match depth {
            0 => true,
            1 => matches!(token.kind, SyntaxKind::COMMA | SyntaxKind::COLON | SyntaxKind::L_BRACK),
            _ => false,
        };
        match token.kind {
            SyntaxKind::L_PAREN => depth += 1,
            SyntaxKind::R_PAREN => depth -= 1,
            _ => {}
        }
        is_word && !token.is_spelled()
    })
}

/// Writes what a site stands for.
struct SiteWriter<'a> {
    unit: &'a Unit,
    source: &'a str,
    site: &'a Site,
    /// The numbers of the lines where the site begins and where it ends.
    first_line: usize,
    last_line: usize,
    out: String,
    position: Position,
}

/// Where the next token would stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// At the beginning of a line with the number of the first one.
    FreshLine,
    /// Behind other tokens.
    InLine,
    /// At the end of a pragma.
    BehindPragma,
}

impl<'a> SiteWriter<'a> {
    fn new(parsed: &'a Parsed, lines: &PresumedLines, site: &'a Site) -> SiteWriter<'a> {
        let source = parsed.text();
        let is_alone = || {
            let before = &source[..site.range.start];
            let line = before.rfind('\n').map_or(0, |it| it + 1);
            // A line that is continued is none.
            before[line..].trim().is_empty() && !before[..line].trim_end_matches(['\n', '\r']).ends_with('\\')
        };
        let (first_line, last_line) = (lines.line(site.range.start), lines.line(site.range.end));
        let position = if is_alone() { Position::FreshLine } else { Position::InLine };
        SiteWriter { unit: &parsed.unit, source, site, first_line, last_line, out: String::new(), position }
    }

    fn write(mut self) -> String {
        let names = self.protected_names();
        if !names.is_empty() {
            if self.position == Position::InLine {
                self.out.push('\n');
            }
            for name in &names {
                self.out.push_str(&format!("#pragma push_macro(\"{name}\")\n#undef {name}\n"));
            }
            self.out.push_str(&format!("#line {}\n", self.first_line));
            self.position = Position::FreshLine;
        }
        let mut pragmas = self.site.pragmas.iter().peekable();
        for index in self.site.tokens.clone() {
            while let Some(pragma) = pragmas.next_if(|it| it.0 <= index) {
                self.write_pragma(&pragma.1);
            }
            self.write_token(index);
        }
        pragmas.for_each(|it| self.write_pragma(&it.1));
        self.end(&names);
        self.out
    }

    /// Names that would be expanded again.
    fn protected_names(&self) -> BTreeSet<&'a str> {
        let tokens = self.unit.tokens();
        let is_protected = |index: &usize| {
            let is_call = tokens.get(index + 1).is_some_and(|it| it.kind == SyntaxKind::L_PAREN);
            let token = tokens[*index];
            token.kind == SyntaxKind::IDENT && self.unit.may_expand_again(token.text, is_call)
        };
        let names = self.site.tokens.clone().filter(is_protected);
        names.map(|it| self.unit.text(tokens[it].text)).collect()
    }

    /// Goes to a line with the number of the first one.
    fn begin_line(&mut self) {
        if self.position != Position::FreshLine {
            self.out.push_str(&format!("\n#line {}\n", self.first_line));
        }
    }

    fn write_pragma(&mut self, pragma: &Token) {
        self.begin_line();
        self.out.push_str(self.unit.text(pragma.text));
        self.position = Position::BehindPragma;
    }

    fn write_token(&mut self, index: usize) {
        let token = &self.unit.tokens()[index];
        let text = self.text(token);
        match token.kind {
            SyntaxKind::PRAGMA_START => self.begin_line(),
            SyntaxKind::PRAGMA_END => {
                self.position = Position::BehindPragma;
                return;
            }
            _ if self.position == Position::BehindPragma => self.begin_line(),
            _ if token.has_space_before() || !is_apart(&self.out, text) => self.out.push(' '),
            _ => {}
        }
        self.out.push_str(text);
        self.position = Position::InLine;
    }

    /// The text of a token: the name of a built-in macro that compilers know best.
    fn text(&self, token: &Token) -> &'a str {
        let range = token.span.start as usize..token.span.end as usize;
        let spelled = self.unit.file(token.span.file).text.get(range).unwrap_or_default();
        let is_name =
            ["__FILE__", "__BASE_FILE__", "__DATE__", "__TIME__", "__TIMESTAMP__"].contains(&spelled);
        match is_name && token.kind == SyntaxKind::STRING {
            true => spelled,
            false => self.unit.text(token.text),
        }
    }

    /// Continues behind the site, at the line where it ends.
    fn end(&mut self, names: &BTreeSet<&str>) {
        let is_line_kept = names.is_empty() && self.first_line == self.last_line;
        let rest = self.source[self.site.range.end..].split('\n').next().unwrap_or_default();
        match self.position {
            Position::BehindPragma if is_line_kept && rest.trim().is_empty() => return,
            Position::InLine | Position::FreshLine if is_line_kept => {
                self.out.push(' ');
                return;
            }
            Position::FreshLine => {}
            _ => self.out.push('\n'),
        }
        for name in names {
            self.out.push_str(&format!("#pragma pop_macro(\"{name}\")\n"));
        }
        self.out.push_str(&format!("#line {}\n", self.last_line));
    }
}

/// Whether no character of a token makes another token with what is in front of it.
fn is_apart(before: &str, token: &str) -> bool {
    let is_separator = |it: char| it.is_whitespace() || "()[]{},;".contains(it);
    before.ends_with(is_separator) || token.starts_with(is_separator) && !before.is_empty()
}
