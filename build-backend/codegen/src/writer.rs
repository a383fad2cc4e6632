//! Output with indentation and `#line` directives: every statement is attributed to its line of the source,
//! so that debuggers, profilers and compiler messages refer to the program.

use apg_mir::{FileId, Span};

/// A line of a source file.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SourceLine {
    file: FileId,
    line: u32,
}

impl From<Span> for SourceLine {
    fn from(span: Span) -> SourceLine {
        SourceLine { file: span.file, line: span.line() }
    }
}

/// Output text.
#[derive(Default)]
pub(crate) struct Writer {
    text: String,
    depth: usize,
    /// Source line that the C++ compiler assigns to the next line.
    at: Option<SourceLine>,
    /// Each line has its own directive.
    each_line: Option<Attribution>,
}

/// Attribution of single lines.
#[derive(Default)]
struct Attribution {
    /// The `#line` directive of the code that is being printed; line 0 for code that the program does not
    /// contain.
    directive: String,
}

impl Writer {
    /// A line at the current depth.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        for line in text.lines() {
            if let Some(each) = &self.each_line {
                self.text.push_str(&each.directive);
            }
            for _ in 0..self.depth {
                self.text.push_str("  ");
            }
            self.text.push_str(line);
            self.text.push('\n');
            if let Some(at) = &mut self.at {
                at.line += 1;
            }
        }
        // Parts with directives of their own have changed the compiler's line count.
        if text.contains(DIRECTIVE) {
            self.at = None;
        }
    }

    /// A line that opens a block.
    pub(crate) fn open(&mut self, text: impl AsRef<str>) {
        self.line(text);
        self.depth += 1;
    }

    /// A line that closes a block.
    pub(crate) fn close(&mut self, text: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.line(text);
    }

    /// A line between two blocks: `} else {`.
    pub(crate) fn between(&mut self, text: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.open(text);
    }

    /// Attributes the next line to the line of a span, with a directive even if it is the current one if
    /// `always` is set.
    pub(crate) fn attribute(&mut self, span: Span, files: &[String], always: bool) {
        if let Some(each) = &mut self.each_line {
            each.directive = directive(span, files);
            return;
        }
        if !always && self.at == Some(span.into()) {
            return;
        }
        self.text.push_str(&directive(span, files));
        self.at = Some(span.into());
    }

    /// From here on (or no longer) each line has its own directive, and code between statements has no line
    /// of the program: debuggers do not stop in it.
    pub(crate) fn attribute_each_line(&mut self, on: bool) {
        self.each_line = on.then(Attribution::default);
        self.no_position();
        self.at = None;
    }

    /// The next lines belong to no statement. Effective only if each line has its own directive.
    pub(crate) fn no_position(&mut self) {
        if let Some(each) = &mut self.each_line {
            // Line 0 makes no entry in the line table.
            each.directive = "#line 0\n".to_owned();
        }
    }

    /// Returns the output, leaving this writer empty at the same depth.
    pub(crate) fn take(&mut self) -> String {
        self.at = None;
        std::mem::take(&mut self.text)
    }

    /// Appends output that is already indented and positioned.
    pub(crate) fn append(&mut self, text: &str) {
        self.text.push_str(text);
        self.at = None;
    }
}

const DIRECTIVE: &str = "\n#line ";

/// The directive that attributes the next line to the line of a span.
pub(crate) fn directive(span: Span, files: &[String]) -> String {
    let file = files.get(span.file.index()).map_or("unknown.x10", String::as_str);
    format!("#line {} {}\n", span.line().max(1), quote(file))
}

/// A C string literal; bytes outside printable ASCII become three octal digits.
pub(crate) fn quote(text: &str) -> String {
    quote_bytes(text.as_bytes())
}

/// As [`quote`], of any bytes.
pub(crate) fn quote_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push('"');
    for &byte in bytes {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            // `?` could begin a trigraph in old modes; digits after an octal escape of three digits are safe.
            0x20..=0x7e => out.push(byte as char),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_bytes_and_escapes() {
        assert_eq!(quote("a\"b\\c\n\u{e9}1"), "\"a\\\"b\\\\c\\n\\303\\2511\"");
    }

    #[test]
    fn repeats_a_position_only_when_the_compiler_would_lose_it() {
        let files = vec!["A.x10".to_owned()];
        let at = |line| Span::of_line(FileId(0), line);
        let mut writer = Writer::default();
        writer.attribute(at(3), &files, false);
        writer.line("a;");
        writer.attribute(at(4), &files, false);
        writer.line("b;");
        writer.attribute(at(4), &files, false);
        writer.line("c;");
        assert_eq!(writer.take(), "#line 3 \"A.x10\"\na;\nb;\n#line 4 \"A.x10\"\nc;\n");
    }
}
