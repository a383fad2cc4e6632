//! The whole trace from the parts of all places, and the summary.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};

use super::Settings;
use super::trace::{Key, Total};

/// Most rows of each kind.
const MAX_ROWS: usize = 20;

/// Writes the trace and gives the summary. A place that ended early has left no part.
pub(super) fn join(settings: &Settings, places: u32) -> io::Result<String> {
    let mut totals: BTreeMap<Key, Total> = BTreeMap::new();
    let mut out = io::BufWriter::new(fs::File::create(&settings.file)?);
    out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
    let mut comma = "";
    for place in 0..places {
        let path = settings.part(place);
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for line in text.lines() {
            match line.strip_prefix('#') {
                Some(row) => {
                    if let Some((key, total)) = parse(row) {
                        totals.entry(key).or_default().add(total);
                    }
                }
                None => {
                    write!(out, "{comma}{line}")?;
                    comma = ",\n";
                }
            }
        }
        let _ = fs::remove_file(path);
    }
    out.write_all(b"\n]}\n")?;
    out.flush()?;
    Ok(table(&totals, &settings.shown_file()))
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
        let settings = Settings { file: folder.path().join("p.json"), place: 0 };
        fs::write(settings.part(0), "{\"a\":1}\n#copy\tup\tM.x10:3\t2\t1000\t4000\n").expect("written");
        fs::write(settings.part(2), "{\"a\":2}\n#copy\tup\tM.x10:3\t1\t1000\t2000\n").expect("written");
        let summary = join(&settings, 4).expect("joined");
        let whole = fs::read_to_string(&settings.file).expect("written");
        assert_eq!(whole, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"a\":1},\n{\"a\":2}\n]}\n");
        assert!(summary.contains("copy up  M.x10:3") && summary.contains("3.00"), "{summary}");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }
}
