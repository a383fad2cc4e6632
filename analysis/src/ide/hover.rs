//! Hover: on the head of a kernel, how it will launch.

use std::fmt::Write;

use apg_syntax::{TextRange, TextSize};

use super::owners;
use crate::db::Db;
use crate::ids::SourceFile;
use crate::kernel::{AxisSummary, LaunchSummary, Travel, launch_summaries};

/// A text about a piece of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it is about.
    pub range: TextRange,
    /// Markdown.
    pub markdown: String,
}

/// What there is to say about an offset.
pub fn hover(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<Hover> {
    let mut summaries = owners(db, file).flat_map(|owner| launch_summaries(db, owner));
    let kernel = summaries.find(|kernel| kernel.head.contains_inclusive(offset))?;
    Some(Hover { range: kernel.head, markdown: launch(&kernel) })
}

fn launch(kernel: &LaunchSummary) -> String {
    let mut text = format!("**Kernel** at `{}`\n\n", kernel.place);
    let _ = writeln!(text, "- grid: {}", axes(&kernel.blocks, kernel.block_count, "block"));
    let _ = writeln!(text, "- block: {}", axes(&kernel.threads, kernel.thread_count, "thread"));
    if kernel.shared.is_empty() {
        text.push_str("- shared memory: none\n");
    } else {
        let total = kernel.shared_bytes.map_or("known at the launch".to_owned(), bytes);
        let rails: Vec<String> = kernel
            .shared
            .iter()
            .map(|rail| format!("`{}: Rail[{}]`{}", rail.name, rail.element, of(rail.bytes)))
            .collect();
        let _ = writeln!(text, "- shared memory a block: {total} ({})", rails.join(", "));
    }
    if kernel.has_barrier {
        text.push_str("- threads of a block wait for each other (`Clock.advanceAll()`)\n");
    }
    if !kernel.functions.is_empty() {
        let _ = writeln!(
            text,
            "- calls {}",
            kernel.functions.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        );
    }
    if kernel.captures.is_empty() {
        text.push_str("\nNothing is transferred.\n");
        return text;
    }
    text.push_str("\n| captured | type | transferred at each launch |\n|---|---|---|\n");
    for capture in &kernel.captures {
        let how = match capture.travel {
            Travel::Value => format!("by value{}", of(capture.bytes)),
            Travel::Copied => format!("elements, host to device{}", of(capture.bytes)),
            Travel::Constant => format!("elements, to constant memory{}", of(capture.bytes)),
            Travel::Address => format!("address only{}", of(capture.bytes)),
        };
        let _ = writeln!(text, "| `{}` | `{}` | {how} |", capture.name, capture.ty.replace('|', "\\|"));
    }
    text
}

fn axes(axes: &[AxisSummary], count: Option<i64>, unit: &str) -> String {
    let ranges: Vec<String> = axes
        .iter()
        .map(|axis| match (&axis.index, axis.extent) {
            (Some(index), Some(extent)) => format!("`{index}` {extent}"),
            (Some(index), None) => format!("`{index}` in `0n..{}`", axis.last),
            (None, Some(extent)) => extent.to_string(),
            (None, None) => format!("`0n..{}`", axis.last),
        })
        .collect();
    let total = match count {
        Some(1) => format!("1 {unit}"),
        Some(count) => format!("{count} {unit}s"),
        None => format!("{unit}s known at the launch"),
    };
    format!("{total} ({})", ranges.join(" × "))
}

fn of(size: Option<u64>) -> String {
    size.map_or(String::new(), |size| format!(", {}", bytes(size)))
}

fn bytes(size: u64) -> String {
    match size {
        1 => "1 byte".to_owned(),
        0..10_240 => format!("{size} bytes"),
        _ => format!("{} KiB", size.div_ceil(1024)),
    }
}
