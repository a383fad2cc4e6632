//! From `didChange` to the diagnostics of the new text, through the protocol: an edit in a body in the middle
//! of a file of 1,000 and of 10,000 lines, a new local there, and the changed result of a method that 500
//! others call. Peers, when they are on the PATH: `ty server`, `clangd` and `rust-analyzer` on files of the
//! same size and shape. Budget: p50 5 ms, p99 16 ms.

use std::time::{Duration, Instant};

use apg_tests::baselines::{SUBJECTS, Subject};
use apg_tests::measure::{ABSENT, Times, head, machine, rows};

const EDITS: i64 = 100;

/// The replacements typed in alternation: each string in place of the other.
struct Edit {
    text: String,
    /// The place: where this is found, in or after the line of that number.
    at: (&'static str, usize),
    replacements: [&'static str; 2],
}

fn main() {
    println!("machine: {}", machine());
    for lines in [1_000, 10_000] {
        compare(&format!("an edit in a body to diagnostics, {lines} lines"), |subject| Edit {
            text: (subject.text)(lines),
            at: ("= 1000", lines / 2),
            replacements: ["= 1000", "= 10007"],
        });
    }
    let lines = 10_000;
    compare("a new local to diagnostics, 10000 lines", |subject| Edit {
        text: (subject.text)(lines),
        at: ("= 1000", lines / 2),
        replacements: ["= 1000", subject.more],
    });
    compare("a changed signature with 500 dependents to diagnostics, 10000 lines", |subject| {
        let (text, replacements) = (subject.calling)(lines, 500);
        let line = text.lines().position(|line| line.contains(" shared("));
        Edit { at: (replacements[0], line.expect("it is there")), text, replacements }
    });
}

/// Ours, and the peers with the ratio of ours to each.
fn compare(title: &str, edit: impl Fn(&Subject) -> Edit) {
    head(title);
    let measured = SUBJECTS
        .each_ref()
        .map(|subject| (subject.name, measure(subject, &edit(subject)).ok_or_else(|| ABSENT.to_owned())));
    rows(measured);
}

/// Types the one text and the other in turn.
fn measure(subject: &Subject, edit: &Edit) -> Option<Times> {
    let mut opened = subject.open(std::slice::from_ref(&edit.text))?;
    let (wanted, from) = edit.at;
    let (line, column) = edit
        .text
        .lines()
        .enumerate()
        .skip(from)
        .find_map(|(line, content)| Some((line, content.find(wanted)?)))
        .expect("what is edited");
    let small = |number: usize| u32::try_from(number).expect("small");
    let mut times = Vec::new();
    for number in 0..EDITS {
        let [old, new] =
            if number % 2 == 0 { edit.replacements } else { [edit.replacements[1], edit.replacements[0]] };
        let range = [small(line), small(column), small(line), small(column + old.len())];
        let start = Instant::now();
        opened.change(range, new);
        opened.diagnosed();
        times.push(start.elapsed());
        // As fast as a person types, so that work after the answer does not count for the next.
        std::thread::sleep(Duration::from_millis(20));
    }
    opened.server.end();
    Some(times.into_iter().collect())
}
