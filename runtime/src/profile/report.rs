//! The whole trace from the parts of all places, and the summary.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write as _};
use std::path::Path;

use super::part_beside;
use super::trace::{Key, Total};

/// Most rows of each kind.
const MAX_ROWS: usize = 20;

/// A trace that is made of the parts of places.
pub(crate) struct Joining {
    out: BufWriter<File>,
    totals: BTreeMap<Key, Total>,
    has_events: bool,
}

impl Joining {
    /// Begins the trace in a file, which is made or replaced.
    pub(crate) fn begin(file: &Path) -> io::Result<Joining> {
        let mut out = BufWriter::new(File::create(file)?);
        out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
        Ok(Joining { out, totals: BTreeMap::new(), has_events: false })
    }

    /// Adds the part of a place whose clock is ahead by `ahead` nanoseconds.
    pub(crate) fn add(&mut self, part: impl Read, ahead: i64) -> io::Result<()> {
        for line in BufReader::new(part).lines() {
            let line = line?;
            if let Some(row) = line.strip_prefix('#') {
                if let Some((key, total)) = parse(row) {
                    self.totals.entry(key).or_default().add(total);
                }
                continue;
            }
            let comma = if std::mem::replace(&mut self.has_events, true) { ",\n" } else { "" };
            write!(self.out, "{comma}{}", moved_back(&line, ahead))?;
        }
        Ok(())
    }

    /// Ends the trace; the summary, in which it has this name.
    pub(crate) fn end(mut self, name: &str) -> io::Result<String> {
        self.out.write_all(b"\n]}\n")?;
        self.out.flush()?;
        Ok(table(&self.totals, name))
    }
}

/// Prints a summary. Without a reader of errors there is none.
pub(crate) fn print(summary: &str) {
    let _ = io::stderr().write_all(summary.as_bytes());
}

/// An event whose time is earlier by this number of nanoseconds.
fn moved_back(event: &str, nanoseconds: i64) -> Cow<'_, str> {
    // In a string of JSON the second quote would have a backslash in front.
    const TIME: &str = "\"ts\":";
    if nanoseconds == 0 {
        return event.into();
    }
    let Some((before, rest)) = event.split_once(TIME) else { return event.into() };
    let end = rest.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(rest.len());
    let (time, after) = rest.split_at(end);
    let parsed = time.split_once('.').and_then(|(micro, nano)| {
        let (micro, nano) = (micro.parse::<i64>().ok()?, nano.parse::<i64>().ok()?);
        micro.checked_mul(1000)?.checked_add(nano)
    });
    let Some(time) = parsed.map(|time| time.saturating_sub(nanoseconds).max(0)) else { return event.into() };
    format!("{before}{TIME}{}.{:03}{after}", time / 1000, time % 1000).into()
}

/// Joins the parts beside `file` to it, and gives the summary. A place that ended early has left no part.
pub(super) fn join_beside(file: &Path, name: &str, places: u32) -> io::Result<String> {
    let mut joining = Joining::begin(file)?;
    for path in (0..places).map(|place| part_beside(file, place)) {
        let Ok(part) = File::open(&path) else { continue };
        // All places have the clock of this machine.
        joining.add(part, 0)?;
        let _ = fs::remove_file(path);
    }
    joining.end(name)
}

fn parse(row: &str) -> Option<(Key, Total)> {
    let fields: Vec<&str> = row.split('\t').collect();
    let [kind, name, place, count, nanoseconds, bytes] = fields[..] else { return None };
    let total = Total {
        count: count.parse().ok()?,
        nanoseconds: nanoseconds.parse().ok()?,
        bytes: bytes.parse().ok()?,
    };
    Some(((kind.to_owned(), name.to_owned(), place.to_owned()), total))
}

/// For people: what took longest first, kind by kind.
fn table(totals: &BTreeMap<Key, Total>, file: &str) -> String {
    let mut rows: Vec<(&Key, &Total)> = totals.iter().collect();
    rows.sort_by_key(|(key, total)| (key.0.clone(), std::cmp::Reverse(total.nanoseconds)));
    let mut text = format!("apg: profile in {file} (for https://ui.perfetto.dev or chrome://tracing)\n");
    let head = ["", "at", "count", "total ms", "mean us", "MB", "GB/s"];
    let mut cells: Vec<[String; 7]> = vec![head.map(str::to_owned)];
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for ((kind, name, place), total) in rows {
        let number = shown.entry(kind).or_default();
        *number += 1;
        match (*number).cmp(&(MAX_ROWS + 1)) {
            std::cmp::Ordering::Less => cells.push(line(kind, name, place, total)),
            std::cmp::Ordering::Equal => {
                cells.push([
                    format!("{kind} ..."),
                    String::new(),
                    String::new(),
                    String::new(),
                    String::new(),
                    String::new(),
                    String::new(),
                ]);
            }
            std::cmp::Ordering::Greater => {}
        }
    }
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    for row in &cells {
        let mut out = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            let _ =
                if column < 2 { write!(out, "  {cell:<width$}") } else { write!(out, "  {cell:>width$}") };
        }
        text.push_str(out.trim_end());
        text.push('\n');
    }
    text
}

fn line(kind: &str, name: &str, place: &str, total: &Total) -> [String; 7] {
    let Total { count, nanoseconds, bytes } = *total;
    let timed = nanoseconds > 0;
    let number = |shown: bool, text: String| if shown { text } else { String::new() };
    [
        format!("{kind} {name}"),
        place.to_owned(),
        count.to_string(),
        number(timed, format!("{:.3}", nanoseconds as f64 / 1e6)),
        number(timed, format!("{:.1}", nanoseconds as f64 / 1e3 / count.max(1) as f64)),
        number(bytes > 0, format!("{:.3}", bytes as f64 / 1e6)),
        number(bytes > 0 && timed, format!("{:.2}", bytes as f64 / nanoseconds.max(1) as f64)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_places_become_one_trace() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("p.json");
        fs::write(part_beside(&file, 0), "{\"a\":1}\n#copy\tup\tM.x10:3\t2\t1000\t4000\n").expect("written");
        fs::write(part_beside(&file, 2), "{\"a\":2}\n#copy\tup\tM.x10:3\t1\t1000\t2000\n").expect("written");
        let summary = join_beside(&file, "p.json", 4).expect("joined");
        let whole = fs::read_to_string(&file).expect("written");
        assert_eq!(whole, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"a\":1},\n{\"a\":2}\n]}\n");
        assert!(summary.contains("copy up  M.x10:3") && summary.contains("3.00"), "{summary}");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn events_of_other_clocks_are_moved_to_one() {
        let event = r#"{"ph":"X","name":"a\"ts\":1","ts":12.005,"dur":3.000,"pid":1}"#;
        assert_eq!(moved_back(event, 0), event);
        assert_eq!(moved_back(event, 1006), event.replace("12.005", "10.999"));
        assert_eq!(moved_back(event, -2_000_001), event.replace("12.005", "2012.006"));
        assert_eq!(moved_back(event, i64::MAX), event.replace("12.005", "0.000"));
        let name = r#"{"ph":"M","name":"process_name"}"#;
        assert_eq!(moved_back(name, 5), name);
    }
}
