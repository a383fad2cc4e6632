//! Rendering of fix templates as text edits in the current file.

use std::sync::Arc;

use apg_syntax::{TextRange, TextSize};

use crate::db::Db;
use crate::diagnostics::{Fix, TextEdit};
use crate::ids::{MethodId, SourceFile};
use crate::item_tree::source::{Item, item_offset};
use crate::kernel::device_code::functions::function_summary;
use crate::kernel::device_semantics::DeviceSemantics;
use crate::kernel::fixes::template::{EditTemplate, FixTemplate, Fragment};

/// Renders the fixes of one item.
pub(in crate::kernel) struct FixRenderer<'a> {
    db: &'a dyn Db,
    file: SourceFile,
    text: &'a Arc<str>,
    /// Start of the item in its file.
    pub offset: TextSize,
}

impl<'a> FixRenderer<'a> {
    pub(crate) fn new(db: &'a dyn Db, owner: Item) -> FixRenderer<'a> {
        FixRenderer {
            db,
            file: owner.file(db),
            text: owner.file(db).text(db),
            offset: item_offset(db, owner),
        }
    }

    /// The fix, with absolute ranges.
    pub(crate) fn render_fix(&self, fix: &FixTemplate) -> Option<Fix> {
        Some(match fix {
            FixTemplate::Edits { title, edits, import: name } => {
                let import = name.and_then(|name| import_edit(self.db, self.file, name));
                Fix {
                    title: truncate_title(&self.render_fragments(title, None)),
                    edits: import
                        .into_iter()
                        .chain(edits.iter().map(|edit| self.render_edit(edit)))
                        .collect(),
                }
            }
            FixTemplate::Annotate(method) => annotate_fix(self.db, &unannotated_callees(self.db, *method)?),
        })
    }

    fn render_edit(&self, edit: &EditTemplate) -> TextEdit {
        let range = edit.range + self.offset;
        let text = self.render_fragments(&edit.text, Some(range.start()));
        let range = if text.is_empty() { self.whole_deletion(range) } else { range };
        TextEdit { file: None, range, text }
    }

    fn render_fragments(&self, fragments: &[Fragment], target: Option<TextSize>) -> String {
        let mut out = String::new();
        for piece in fragments {
            match piece {
                Fragment::Text(text) => out.push_str(text),
                Fragment::Source(range) => out.push_str(&self.reindented(*range + self.offset, target)),
                Fragment::NewLine(offset) => {
                    out.push('\n');
                    out.push_str(self.indentation(*offset + self.offset));
                }
            }
        }
        out
    }

    fn slice(&self, range: TextRange) -> &'a str {
        self.text.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default()
    }

    /// The source text of `range`, its further lines indented as at `target`.
    fn reindented(&self, range: TextRange, target: Option<TextSize>) -> String {
        let source = self.slice(range);
        let Some(target) = target else { return source.to_owned() };
        let (from, to) = (self.indentation(range.start()), self.indentation(target));
        source.replace(&format!("\n{from}"), &format!("\n{to}"))
    }

    /// The indentation of the line of `offset`.
    fn indentation(&self, offset: TextSize) -> &'a str {
        let before = self.text.get(..usize::from(offset)).unwrap_or_default();
        let line = &self.text[before.rfind('\n').map_or(0, |end| end + 1)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Extends a deletion to whole lines if nothing else is on them, otherwise to one blank.
    fn whole_deletion(&self, range: TextRange) -> TextRange {
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let (Some(before), Some(after)) = (self.text.get(..start), self.text.get(end..)) else {
            return range;
        };
        let blank = [' ', '\t'];
        let line_start = start - (before.len() - before.trim_end_matches(blank).len());
        let line_end = end + (after.len() - after.trim_start_matches(blank).len());
        let starts_line = line_start == 0 || self.text.as_bytes()[line_start - 1] == b'\n';
        let size = |offset: usize| TextSize::try_from(offset).unwrap_or(range.end());
        if starts_line && self.text.as_bytes().get(line_end) == Some(&b'\n') {
            return TextRange::new(size(line_start), size(line_end + 1));
        }
        let blank_after = after.starts_with(' ') && (starts_line || before.ends_with(' '));
        TextRange::new(range.start(), size(end + usize::from(blank_after)))
    }
}

/// The function and its callees that lack `@CUDA`, if nothing else keeps a device from running it.
fn unannotated_callees(db: &dyn Db, method: MethodId) -> Option<Vec<MethodId>> {
    let semantics = DeviceSemantics::new(db);
    let mut found = vec![method];
    let mut calls: Vec<(MethodId, MethodId)> = Vec::new();
    let mut next = 0;
    while let Some(&caller) = found.get(next) {
        next += 1;
        let code = function_summary(db, caller);
        if code.broken || semantics.body(caller).body.root.is_none() {
            return None;
        }
        calls.extend(code.calls.iter().map(|it| (caller, *it)));
        for violation in code.violations.iter().filter(|it| it.is_error()) {
            let [FixTemplate::Annotate(callee)] = violation.fixes[..] else { return None };
            calls.push((caller, callee));
            if !found.contains(&callee) {
                found.push(callee);
            }
        }
    }
    // Recursion is not supported on devices.
    let reaches_itself = |start: MethodId| {
        let mut open = vec![start];
        let mut seen: Vec<MethodId> = Vec::new();
        while let Some(caller) = open.pop() {
            for (_, callee) in calls.iter().filter(|it| it.0 == caller) {
                if *callee == start {
                    return true;
                }
                if !seen.contains(callee) {
                    seen.push(*callee);
                    open.push(*callee);
                }
            }
        }
        false
    };
    (!found.iter().any(|it| reaches_itself(*it))).then_some(found)
}

/// A fix that annotates methods with `@CUDA`, and imports it.
fn annotate_fix(db: &dyn Db, methods: &[MethodId]) -> Fix {
    let mut edits = Vec::new();
    let mut files: Vec<SourceFile> = Vec::new();
    for method in methods {
        let file = method.class(db).file(db);
        if !files.contains(&file) {
            files.push(file);
            edits.extend(import_edit(db, file, "CUDA"));
        }
        let range = TextRange::empty(item_offset(db, Item::Method(*method)));
        edits.push(TextEdit { file: Some(file), range, text: "@CUDA ".to_owned() });
    }
    edits.sort_by_key(|it| it.range.start());
    let names: Vec<String> =
        methods.iter().map(|it| format!("`{}`", DeviceSemantics::new(db).method_name(*it))).collect();
    Fix { title: truncate_title(&format!("Annotate {} with `@CUDA`", names.join(", "))), edits }
}

/// The import of an annotation, unless the file has it.
fn import_edit(db: &dyn Db, file: SourceFile, name: &str) -> Option<TextEdit> {
    let package = name.rsplit_once('.').map_or("x10.compiler", |it| it.0);
    let wanted = format!("import {package}.{};", name.rsplit('.').next().unwrap_or(name));
    let all = format!("import {package}.*;");
    let text: &str = file.text(db);
    let mut offset = 0;
    let mut behind = 0;
    for line in text.split_inclusive('\n') {
        let code = line.trim();
        if code == wanted || code == all {
            return None;
        }
        offset += line.len();
        if code.starts_with("import ") || code.starts_with("package ") {
            behind = offset;
        }
        if ["class ", "public ", "struct ", "interface "].iter().any(|start| line.starts_with(start)) {
            break;
        }
    }
    let at = TextSize::try_from(behind).ok()?;
    Some(TextEdit { file: Some(file), range: TextRange::empty(at), text: format!("{wanted}\n") })
}

/// A title on one line, truncated to [`MAX_TITLE_LENGTH`].
fn truncate_title(title: &str) -> String {
    const MAX_TITLE_LENGTH: usize = 100;
    let line = title.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX_TITLE_LENGTH {
        return line;
    }
    line.chars().take(MAX_TITLE_LENGTH - 3).chain("...".chars()).collect()
}
