//! Printing of an edited unit: the leading directives as they are written, then the expanded tokens, whose
//! lines keep their numbers by line markers (GCC manual, "Preprocessor Output").

use apg_c_analysis::Parsed;
use apg_c_syntax::{FileId, SyntaxKind};

use super::edits::{Edits, Part};
use crate::host::edits::line_number;
use crate::literal::quoted;

/// Maximum number of line ends in place of a marker.
const MAX_LINE_ENDS: usize = 8;

/// Where the text of the tree continues at another line.
struct Break {
    offset: usize,
    file: FileId,
    line: usize,
    /// A directive, which needs a line of its own, or a pragma in front of the token.
    is_line: bool,
    pragmas: Vec<String>,
}

/// The edited unit; `name` is the main file in messages.
pub(super) fn print(parsed: &Parsed, text: &str, edits: Edits, name: &str, tail: &str) -> String {
    let prefix = parsed.unit.preamble().prefix();
    let mut printer = Printer { out: String::new(), parsed, name, line: 1, file: FileId::MAIN };
    printer.write(&format!("#line 1 {}\n", quoted(name)));
    printer.line = 1;
    printer.write(prefix);
    if !prefix.is_empty() && !prefix.ends_with('\n') {
        printer.write("\n");
    }
    let breaks = breaks(parsed);
    for part in edits.parts(text.len()) {
        match part {
            Part::New(new) => printer.write(&new),
            Part::Kept(range) => {
                let first = breaks.partition_point(|it| it.offset < range.start);
                let mut at = range.start;
                for next in breaks[first..].iter().take_while(|it| it.offset < range.end) {
                    // The line end in front of the token is a part of the break.
                    printer.write(text[at..next.offset].trim_end_matches(['\n', '\r']));
                    printer.begin(next);
                    at = next.offset;
                }
                printer.write(&text[at..range.end]);
            }
        }
    }
    printer.write("\n");
    printer.write(tail);
    printer.out
}

struct Printer<'a> {
    out: String,
    parsed: &'a Parsed,
    name: &'a str,
    /// The position of what is written next.
    line: usize,
    file: FileId,
}

impl Printer<'_> {
    fn write(&mut self, text: &str) {
        self.line += text.matches('\n').count();
        self.out.push_str(text);
    }

    /// Goes to the line of a token.
    fn begin(&mut self, next: &Break) {
        for pragma in &next.pragmas {
            self.write(&format!("\n{pragma}\n"));
        }
        let is_at = |it: &Self| it.file == next.file && it.line == next.line;
        if is_at(self) && (!next.is_line || self.out.ends_with('\n')) {
            return;
        }
        if self.file == next.file && (1..=MAX_LINE_ENDS).contains(&next.line.wrapping_sub(self.line)) {
            self.write(&"\n".repeat(next.line - self.line));
            return;
        }
        if !self.out.ends_with('\n') {
            self.write("\n");
        }
        let file = self.parsed.unit.file(next.file);
        let path = match next.file {
            FileId::MAIN => self.name.to_owned(),
            _ => file.path.display().to_string(),
        };
        let system = if file.is_system { " 3" } else { "" };
        self.write(&format!("# {} {}{system}\n", next.line, quoted(&path)));
        (self.line, self.file) = (next.line, next.file);
    }
}

/// Where lines of the files begin in the tree. Directives have one line.
fn breaks(parsed: &Parsed) -> Vec<Break> {
    let unit = &parsed.unit;
    let mut found: Vec<Break> = Vec::new();
    let mut pragmas = unit.other_pragmas().iter().peekable();
    let mut is_in_directive = false;
    let mut last = (FileId::MAIN, 0);
    let mut lines = LineCounter::default();
    for (start, token) in parsed.syntax.main.tokens() {
        let site = unit.expansion_site(token);
        let line = lines.line(parsed, site.file, site.start as usize);
        let is_start = token.kind == SyntaxKind::PRAGMA_START;
        let mut before = Vec::new();
        if !is_in_directive {
            // Those of the preamble are in its text.
            let prefix = unit.preamble().prefix().len() as u32;
            while let Some(pragma) = pragmas.next_if(|it| {
                it.span.file != site.file && it.span.file != FileId::MAIN
                    || it.span.file == FileId::MAIN && it.span.start < prefix
                    || it.span.file == site.file && it.span.end <= site.start
            }) {
                if pragma.span.file == site.file && (site.file != FileId::MAIN || pragma.span.start >= prefix)
                {
                    let text = &unit.file(pragma.span.file).text;
                    before.push(text[pragma.span.start as usize..pragma.span.end as usize].to_owned());
                }
            }
        }
        if !is_in_directive && ((site.file, line) != last || is_start || !before.is_empty()) {
            let offset = u32::from(start) as usize;
            found.push(Break { offset, file: site.file, line, is_line: is_start, pragmas: before });
        }
        last = (site.file, line);
        match token.kind {
            SyntaxKind::PRAGMA_START => is_in_directive = true,
            SyntaxKind::PRAGMA_END => {
                is_in_directive = false;
                // Its line end has been written.
                last = (site.file, 0);
            }
            _ => {}
        }
    }
    found
}

/// Lines of offsets that ascend most of the time.
#[derive(Default)]
struct LineCounter {
    at: Option<(FileId, usize, usize)>,
}

impl LineCounter {
    fn line(&mut self, parsed: &Parsed, file: FileId, offset: usize) -> usize {
        let text = &parsed.unit.file(file).text;
        let line = match self.at {
            Some((of, start, line)) if of == file && start <= offset => {
                line + text.as_bytes()[start..offset].iter().filter(|it| **it == b'\n').count()
            }
            _ => line_number(text, offset),
        };
        self.at = Some((file, offset, line));
        line
    }
}
