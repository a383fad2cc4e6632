//! Reading a markdown file of tests: headers form the tree, each section with X10 in it is a test.

/// One test: a section with at least one block of X10.
#[derive(Debug, Default)]
pub struct Test {
    /// The headers above, outermost first.
    pub headers: Vec<String>,
    /// The files it consists of, in order.
    pub files: Vec<File>,
    /// What a file must be after a fix: the part of its title that the block names, and the text.
    pub fixed: Vec<Fixed>,
}

/// One fenced block of X10: a file of the test's project.
#[derive(Debug)]
pub struct File {
    /// Its name: the block's `title`, else `Example.x10`.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The line of the markdown file that its first line is, counted from 1.
    pub line: usize,
}

/// A block ` ```x10 fixed="..." `: the section's first file, or the one that `title` names, after the fix of
/// the first file whose title contains that.
#[derive(Debug)]
pub struct Fixed {
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
pub fn read(markdown: &str) -> Result<Vec<Test>, String> {
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
    test.files.push(File { name, text, line });
    Ok(())
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
