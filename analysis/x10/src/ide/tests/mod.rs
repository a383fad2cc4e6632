//! Editor features, tested on small programs with cursors `$0`.

mod assists;
mod completion;
mod extraction;
mod hints;
mod names;
mod references;

use apg_syntax::TextSize;

use crate::db::Db;
use crate::fixture::{file, host};
use crate::ids::SourceFile;

/// The text without its cursors, and their offsets.
fn cursors(text: &str) -> (String, Vec<TextSize>) {
    let text = text.trim_start_matches('\n');
    let mut offsets = Vec::new();
    let mut plain = String::new();
    for (index, part) in text.split("$0").enumerate() {
        if index > 0 {
            offsets.push(TextSize::of(plain.as_str()));
        }
        plain.push_str(part);
    }
    (plain, offsets)
}

/// Asks a question at each cursor of a program.
fn ask<T>(text: &str, question: impl Fn(&dyn Db, SourceFile, TextSize) -> T) -> Vec<T> {
    let (plain, offsets) = cursors(text);
    let host = host(&plain);
    let example = file(&host, crate::diagnostics::DEFAULT_FILE);
    let all = |db: &dyn Db| offsets.iter().map(|offset| question(db, example, *offset)).collect();
    host.snapshot().with(all).expect("not cancelled")
}
