//! A place's part of the trace: one event per line in the Trace Event Format of Chrome, and rows of the
//! summary, which are marked with `#`.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::fmt::Write as _;

use super::code::Namer;
use super::naming::Naming;
use super::slot::Slot;
use super::{Recorded, Span, What, microseconds, slot};
use crate::layout::Kernel;

/// First row numbers of kernels and of copies; spans that overlap go to further rows.
const FIRST_KERNEL_ROW: usize = 10_000;
const FIRST_COPY_ROW: usize = 20_000;

/// A row of the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Total {
    pub count: u64,
    pub nanoseconds: u64,
    pub bytes: u64,
}

/// Key of a row of the summary: the kind, the name, the source line.
pub(super) type Key = (String, String, String);

impl Total {
    pub(super) fn add(&mut self, other: Total) {
        self.count += other.count;
        self.nanoseconds += other.nanoseconds;
        self.bytes += other.bytes;
    }
}

/// The part of a place, whose messages to other hosts had these number and bytes.
pub(super) fn part((own, naming): (u32, Naming), recorded: Recorded, messages: [u64; 2]) -> String {
    let Recorded { mut spans, message_ends } = recorded;
    spans.sort_by_key(|span| (span.began, std::cmp::Reverse(span.ended)));
    let mut namer = Namer::new();
    let mut text = slot::arrows(&mut spans, &message_ends);
    let mut totals: BTreeMap<Key, Total> = BTreeMap::new();
    let mut rows = Rows { naming, slots: slot::rows(&spans), ..Rows::default() };
    for span in &spans {
        let description = describe(span, &mut namer);
        let row = rows.of(span);
        event(&mut text, span, &description, row);
        let count = u64::from(!matches!(span.what, What::Activity { first: false, .. }));
        let key = (description.kind.to_owned(), description.name, description.place);
        let total = Total { count, nanoseconds: span.ended - span.began, bytes: description.bytes };
        totals.entry(key).or_default().add(total);
    }
    if messages[0] > 0 {
        let key = ("message".to_owned(), format!("from {}", naming.place(i64::from(own))), String::new());
        totals.entry(key).or_default().add(Total { count: messages[0], nanoseconds: 0, bytes: messages[1] });
    }
    rows.names(&mut text, own);
    for ((kind, name, place), total) in totals {
        let Total { count, nanoseconds, bytes } = total;
        let _ = writeln!(text, "#{kind}\t{name}\t{place}\t{count}\t{nanoseconds}\t{bytes}");
    }
    text
}

/// The strings of a span in the trace.
struct SpanDescription {
    kind: &'static str,
    name: String,
    place: String,
    bytes: u64,
    more: String,
}

fn describe(span: &Span, namer: &mut Namer) -> SpanDescription {
    match &span.what {
        What::Activity { code, .. } => {
            let (name, place) = namer.name(*code);
            let name = if name.is_empty() { "activity".to_owned() } else { name };
            SpanDescription { kind: "activity", name, place, bytes: 0, more: String::new() }
        }
        What::Kernel { kernel, blocks, threads } => {
            let more = format!(",\"blocks\":{blocks:?},\"threads\":{threads:?}");
            let (name, place) = kernel_name(kernel);
            SpanDescription { kind: "kernel", name, place, bytes: 0, more }
        }
        What::Copy { how, bytes, code, object } => {
            let (_, place) = namer.name(*code);
            let mut more = format!(",\"bytes\":{bytes}");
            let mut name = (*how).to_owned();
            if let Some(object) = object {
                let object = object.to_string_lossy();
                let _ = write!(more, ",\"variable\":{}", quoted(&object));
                let _ = write!(name, ": {object}");
            }
            SpanDescription { kind: "copy", name, place, bytes: *bytes, more }
        }
        What::Directive { name, code } => SpanDescription {
            kind: "directive",
            name: name.to_string_lossy().into_owned(),
            place: namer.name(*code).1,
            bytes: 0,
            more: String::new(),
        },
        What::Slot(call) => SpanDescription {
            kind: "slot",
            name: call.name.to_owned(),
            place: namer.name(call.code).1,
            bytes: call.bytes,
            more: call.arguments(),
        },
    }
}

fn kernel_name(kernel: &Kernel) -> (String, String) {
    let text = |pointer: *const std::ffi::c_char| match pointer.is_null() {
        true => "?".to_owned(),
        // SAFETY: descriptors hold C strings of the program.
        false => unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned(),
    };
    let file = text(kernel.file);
    let file = file.rsplit('/').next().unwrap_or(&file);
    let name = plain(&text(kernel.name));
    let name = if file.ends_with(".c") { without_file(&name).to_owned() } else { name };
    (name, format!("{file}:{}", kernel.line))
}

/// `Class_method_line` from a symbol such as `K_Class__method__line_0123abcd`.
fn plain(symbol: &str) -> String {
    let name = symbol.strip_prefix("K_").and_then(|it| it.rsplit_once('_'));
    name.map_or_else(|| symbol.to_owned(), |(name, _)| name.replace("__", "_"))
}

/// `main_8` from the name `file0_main_8` of a kernel of the first file of a program in C.
fn without_file(name: &str) -> &str {
    let rest = name.strip_prefix("file").map(|it| it.trim_start_matches(|it: char| it.is_ascii_digit()));
    rest.and_then(|it| it.strip_prefix('_')).unwrap_or(name)
}

/// Assigns spans to rows of the timeline, so that spans in one row do not overlap.
#[derive(Default)]
struct Rows {
    naming: Naming,
    /// End of the last span of each row, by place and first row number.
    ends: BTreeMap<(i64, usize), Vec<u64>>,
    workers: BTreeMap<(i64, usize), ()>,
    slots: BTreeMap<Slot, usize>,
}

impl Rows {
    fn of(&mut self, span: &Span) -> usize {
        let first = match (&span.what, span.worker) {
            (What::Kernel { .. }, _) => FIRST_KERNEL_ROW,
            (What::Copy { .. }, _) => FIRST_COPY_ROW,
            (What::Slot(call), _) => return self.slots.get(&call.slot).copied().unwrap_or(slot::FIRST_ROW),
            (What::Activity { .. } | What::Directive { .. }, worker) => {
                let worker = worker.unwrap_or(FIRST_KERNEL_ROW - 1);
                self.workers.insert((span.place, worker), ());
                return worker;
            }
        };
        let ends = self.ends.entry((span.place, first)).or_default();
        let free = ends.iter().position(|end| *end <= span.began).unwrap_or(ends.len());
        match ends.get_mut(free) {
            Some(end) => *end = span.ended,
            None => ends.push(span.ended),
        }
        first + free
    }

    /// Events that name places and rows.
    fn names(&self, text: &mut String, own: u32) {
        let mut places = vec![i64::from(own)];
        let mut row = |text: &mut String, place: i64, number: usize, name: &str| {
            if !places.contains(&place) {
                places.push(place);
            }
            meta(text, "thread_name", place, Some(number), name);
        };
        for (place, worker) in self.workers.keys() {
            row(text, *place, *worker, &self.naming.thread(*worker));
        }
        for ((place, first), ends) in &self.ends {
            let what = if *first == FIRST_KERNEL_ROW { "kernels" } else { "copies" };
            for number in 0..ends.len() {
                row(text, *place, first + number, what);
            }
        }
        for (slot, number) in &self.slots {
            row(text, slot.place, *number, &format!("slot {} of group {}", slot.rank, slot.group));
        }
        for place in places {
            meta(text, "process_name", place, None, &self.naming.place(place));
        }
    }
}

fn meta(text: &mut String, what: &str, place: i64, row: Option<usize>, name: &str) {
    let row = row.map(|row| format!(",\"tid\":{row}")).unwrap_or_default();
    let _ = writeln!(
        text,
        "{{\"ph\":\"M\",\"name\":\"{what}\",\"pid\":{place}{row},\"args\":{{\"name\":{}}}}}",
        quoted(name)
    );
}

fn event(text: &mut String, span: &Span, description: &SpanDescription, row: usize) {
    let _ = writeln!(
        text,
        "{{\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"ts\":{},\"dur\":{},\"pid\":{},\"tid\":{row},\"args\":{{\"at\":{}{}}}}}",
        quoted(&description.name),
        description.kind,
        microseconds(span.began),
        microseconds(span.ended - span.began),
        span.place,
        quoted(&description.place),
        description.more,
    );
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_have_the_names_of_the_program() {
        assert_eq!(plain("K_Main__run__12_0123abcd"), "Main_run_12");
        assert_eq!(plain("odd"), "odd");
        assert_eq!([without_file("file12_main_8"), without_file("filed_8")], ["main_8", "filed_8"]);
    }

    #[test]
    fn strings_are_json() {
        assert_eq!(quoted("a\"b\\c\nd"), "\"a\\\"b\\\\c\\u000ad\"");
    }

    #[test]
    fn what_overlaps_is_in_different_rows() {
        let copy = |began, ended| Span {
            what: What::Copy { how: "copy", bytes: 1, code: Default::default(), object: None },
            place: 1,
            worker: None,
            began,
            ended,
        };
        let mut rows = Rows::default();
        let found: Vec<usize> =
            [copy(0, 10), copy(5, 20), copy(10, 12), copy(11, 13)].iter().map(|it| rows.of(it)).collect();
        assert_eq!(found, [FIRST_COPY_ROW, FIRST_COPY_ROW + 1, FIRST_COPY_ROW, FIRST_COPY_ROW + 2]);
    }
}
