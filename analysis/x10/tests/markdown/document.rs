//! Reading a markdown file of tests: headers form the tree, each section with X10 in it is a test.

use super::kernel;

/// One test: a section with at least one block of X10.
#[derive(Debug, Default)]
pub(crate) struct Test {
    /// The headers above, outermost first.
    pub headers: Vec<String>,
    /// The files it consists of, in order.
    pub files: Vec<File>,
    /// What a file must be after a fix: the part of its title that the block names, and the text.
    pub fixed: Vec<Fixed>,
}

/// One fenced block of X10: a file of the test's project.
#[derive(Debug)]
pub(crate) struct File {
    /// Its name: the block's `title`, else `Example.x10`.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The line of the markdown file that each of its lines is, counted from 1.
    lines: Vec<usize>,
}

impl File {
    /// The line of the markdown file of a line of this file, which counts from 0.
    pub(crate) fn markdown_line(&self, line: usize) -> usize {
        self.lines.get(line).or(self.lines.last()).copied().unwrap_or(0)
    }
}

/// A block ` ```x10 fixed="..." `: the section's first file, or the file that `title` names, after the fix of
/// the first file whose title contains that.
#[derive(Debug)]
pub(crate) struct Fixed {
    /// Part of the title of the fix.
    pub title: String,
    /// The file that is shown; without one the first.
    pub file: Option<String>,
    /// The text it must give.
    pub text: String,
    /// The line of the markdown file where the block starts.
    pub line: usize,
}

/// The tests of a markdown file; an error names a line.
pub(crate) fn read(markdown: &str) -> Result<Vec<Test>, String> {
    let mut tests = Vec::new();
    let mut headers: Vec<String> = Vec::new();
    let mut current = Test::default();
    let mut lines = markdown.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let mut text = String::new();
            let mut closed = false;
            for (_, line) in lines.by_ref() {
                if line.trim_end() == "```" {
                    closed = true;
                    break;
                }
                text.push_str(line);
                text.push('\n');
            }
            if !closed {
                return Err(format!("line {}: the block has no end", index + 1));
            }
            if info.split_whitespace().next() == Some("x10") {
                block(info, text, index + 2, &mut current)?;
            }
            continue;
        }
        let level = line.len() - line.trim_start_matches('#').len();
        if level > 0 && line[level..].starts_with(' ') {
            finish(&mut tests, &mut current, &headers);
            headers.truncate(level - 1);
            headers.push(line[level..].trim().to_owned());
        }
    }
    finish(&mut tests, &mut current, &headers);
    Ok(tests)
}

fn block(info: &str, text: String, line: usize, test: &mut Test) -> Result<(), String> {
    let (text, lines) = program(info, text, line);
    if let Some(title) = attribute(info, "fixed") {
        test.fixed.push(Fixed { title, file: attribute(info, "title"), text, line });
        return Ok(());
    }
    let name = attribute(info, "title").unwrap_or_else(|| "Example.x10".to_owned());
    if test.files.iter().any(|file| file.name == name) {
        return Err(format!(
            "line {line}: a second `{name}` in one section; give it a title or a header of its own"
        ));
    }
    test.files.push(File { name, text, lines });
    Ok(())
}

/// The X10 text of a block whose first line is `line` of the page, and the line of the page of each of its
/// lines.
fn program(info: &str, text: String, line: usize) -> (String, Vec<usize>) {
    let Some(parameters) = kernel::parameters(info) else {
        let lines = (line..).take(text.lines().count()).collect();
        return (text, lines);
    };
    let blocks = attribute(info, "blocks").unwrap_or_else(|| "block in 0n..7n".to_owned());
    let threads = attribute(info, "threads").unwrap_or_else(|| "thread in 0n..63n".to_owned());
    let expanded = kernel::expand(&kernel::Frame { parameters, blocks: &blocks, threads: &threads }, &text);
    (expanded.text, expanded.lines.iter().map(|it| line + it).collect())
}

/// The value of `name="..."` in the line that opens a block.
fn attribute(info: &str, name: &str) -> Option<String> {
    let (_, rest) = info.split_once(&format!("{name}=\""))?;
    Some(rest.split('"').next()?.to_owned())
}

fn finish(tests: &mut Vec<Test>, current: &mut Test, headers: &[String]) {
    let mut test = std::mem::take(current);
    if !test.files.is_empty() {
        test.headers = headers.to_vec();
        tests.push(test);
    }
}
