//! Hover: on the head of a kernel, how it will launch; on a name, what it stands for.

use std::fmt::Write;

use apg_syntax::{TextRange, TextSize};

use super::owners;
use super::symbol::{Symbol, documentation, symbol_at};
use crate::db::Db;
use crate::ids::SourceFile;
use crate::infer::owner_body;
use crate::item_tree::items::{class_kind, field_is_mutable, qualified_name};
use crate::item_tree::source::Item;
use crate::kernel::{AxisSummary, LaunchSummary, Travel, launch_summaries};
use crate::members::describe_method;
use crate::scope::signature::field_type;
use crate::ty::Ty;

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
    if let Some(kernel) = summaries.find(|kernel| kernel.head.contains_inclusive(offset)) {
        return Some(Hover { range: kernel.head, markdown: launch(&kernel) });
    }
    let (symbol, range) = symbol_at(db, file, offset)?;
    Some(Hover { range, markdown: about(db, &symbol)? })
}

/// A symbol's declaration and documentation.
fn about(db: &dyn Db, symbol: &Symbol) -> Option<String> {
    let (code, item) = match symbol {
        Symbol::Local { owner, local } => {
            let body = &owner_body(db, *owner).body;
            let local = body.local(*local);
            let keyword = if local.mutable { "var" } else { "val" };
            (format!("{keyword} {}:{}", local.name, local.ty.display(db)), None)
        }
        Symbol::TypeParam(ty) => (format!("type parameter {}", ty.display(db)), None),
        Symbol::Item(item @ Item::Field(field)) => {
            let keyword = if field_is_mutable(db, *field) { "var" } else { "val" };
            let owner = field.class(db).name(db);
            let ty = field_type(db, *field);
            (format!("{keyword} {}:{} // of {owner}", field.name(db), ty.display(db)), Some(*item))
        }
        Symbol::Item(item @ Item::Method(method)) => {
            let class = method.class(db).name(db);
            let text = describe_method(db, *method);
            let text = match text.strip_prefix("this") {
                Some(rest) => format!("new {class}{rest}"),
                None => format!("def {text} // of {class}"),
            };
            (text, Some(*item))
        }
        Symbol::Item(item @ Item::Class(class)) => {
            let keyword = class_kind(db, *class)?.keyword();
            let name = qualified_name(db, *class);
            let own = Ty::this_type(db, *class).display(db).to_string();
            let params = own.find('[').map_or("", |at| &own[at..]);
            (format!("{keyword} {name}{params}"), Some(*item))
        }
        Symbol::Item(item @ Item::Typedef(typedef)) => (format!("type {}", typedef.name(db)), Some(*item)),
    };
    let mut text = format!("```x10\n{code}\n```");
    if let Some(comment) = item.and_then(|item| documentation(db, item)) {
        let _ = write!(text, "\n\n{comment}");
    }
    Some(text)
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
