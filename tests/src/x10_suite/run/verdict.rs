//! What a test's end means, in one line: the group of a failure, and what tells it from others of its group.

use std::fmt;

use crate::limited_process::{Ended, Stopped};

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Status 0.
    Passed,
    /// Anything else.
    Failed {
        /// The kind of failure.
        reason: Reason,
        /// What tells it from others of its kind.
        detail: String,
    },
    /// The test could not even be started.
    NotRun(String),
}

/// A kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Reason {
    /// apg found an error in the program; the detail is its code.
    Check,
    /// The C++ compiler refused what apg made.
    Cpp,
    /// apg itself failed.
    Internal,
    /// A signal ended it, or the program accessed what is not its own.
    Crash,
    /// An exception that nobody caught; the detail is its class.
    Exception,
    /// The test itself says that a result is wrong.
    Wrong,
    /// Some other status.
    Status,
    /// The time was over; the detail says at what.
    Timeout,
    /// It printed, or took, more than it may.
    Limit,
    /// It ended well but left processes.
    Left,
}

impl Reason {
    /// Its name in reports.
    pub(super) const ALL: [(Self, &'static str); 10] = [
        (Self::Check, "checker"),
        (Self::Cpp, "c++"),
        (Self::Internal, "internal"),
        (Self::Crash, "crash"),
        (Self::Exception, "exception"),
        (Self::Wrong, "wrong"),
        (Self::Status, "status"),
        (Self::Timeout, "timeout"),
        (Self::Limit, "limit"),
        (Self::Left, "left"),
    ];

    /// Its name in reports.
    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(reason, _)| *reason == self).map_or("", |(_, name)| name)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Failed { reason, detail } if detail.is_empty() => f.write_str(reason.name()),
            Self::Failed { reason, detail } => write!(f, "{}: {detail}", reason.name()),
            Self::NotRun(why) => write!(f, "not run: {why}"),
        }
    }
}

/// What the end of a test means.
pub(super) fn judge(ended: &Ended) -> Outcome {
    let failed = |reason, detail: &str| Outcome::Failed { reason, detail: detail.to_owned() };
    match ended.stopped {
        Some(Stopped::Checking) => return failed(Reason::Timeout, "before the program ran"),
        Some(Stopped::Compiling) => return failed(Reason::Timeout, "compiling C++"),
        Some(Stopped::Running) => return failed(Reason::Timeout, "running"),
        Some(Stopped::Output) => return failed(Reason::Limit, "output"),
        Some(Stopped::Memory) => return failed(Reason::Limit, "memory"),
        None => {}
    }
    if ended.status == 0 {
        return if ended.left_processes { failed(Reason::Left, "") } else { Outcome::Passed };
    }
    let errors = &ended.stderr;
    if let Some(code) = after(errors, "error[").and_then(|rest| rest.split(']').next()) {
        let is_internal = code.starts_with("internal/");
        return failed(if is_internal { Reason::Internal } else { Reason::Check }, code);
    }
    if errors.contains("the C++ compiler refused") {
        let error = after(errors, " error: ").or_else(|| after(errors, "undefined ")).unwrap_or("");
        return failed(Reason::Cpp, &without_names(first_line(error)));
    }
    if let Some(rest) = after(errors, "panicked at ") {
        return failed(Reason::Internal, first_line(rest));
    }
    if ended.status > 128 {
        return failed(Reason::Crash, &format!("signal {}", ended.status - 128));
    }
    if let Some(rest) = after(errors, "ended unexpectedly (") {
        return failed(Reason::Crash, first_line(rest).trim_end_matches(')'));
    }
    if let Some(line) = errors.lines().find_map(|line| line.strip_prefix("apg: ")) {
        let is_access = line.starts_with("the program accessed memory");
        return failed(if is_access { Reason::Crash } else { Reason::Status }, &without_names(line));
    }
    if let Some(class) = exception(errors).or_else(|| exception(&ended.stdout)) {
        return failed(Reason::Exception, class);
    }
    if ended.stdout.contains("++++++ ") {
        return failed(Reason::Wrong, "");
    }
    failed(Reason::Status, &ended.status.to_string())
}

fn after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    text.split_once(mark).map(|(_, rest)| rest)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim()
}

/// The class of the first exception whose trace was printed; of several that were gathered, the first inner
/// one.
fn exception(text: &str) -> Option<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let is_frame = |line: &str| line.trim_start().starts_with("at ");
    let titles = lines.windows(2).filter(|pair| is_frame(pair[1]) && !is_frame(pair[0])).map(|pair| {
        let title = pair[0].rsplit_once("Uncaught exception in main: ").map_or(pair[0], |(_, title)| title);
        title.split([':', ' ']).next().unwrap_or_default().trim()
    });
    let mut titles = titles.filter(|title| !title.is_empty());
    let first = titles.next()?;
    if first.ends_with("MultipleExceptions") { titles.next().or(Some(first)) } else { Some(first) }
}

/// A message without what stands between quotation marks.
fn without_names(message: &str) -> String {
    let mut kept = String::new();
    for (at, part) in message.split(['\'', '`', '"', '\u{2018}', '\u{2019}']).enumerate() {
        kept.push_str(if at % 2 == 0 { part } else { "..." });
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(status: i32, stdout: &str, stderr: &str) -> String {
        let ended = Ended { status, stdout: stdout.into(), stderr: stderr.into(), ..Ended::default() };
        judge(&ended).to_string()
    }

    #[test]
    fn failures_have_reasons() {
        assert_eq!(outcome(0, "x", "y"), "passed");
        assert_eq!(outcome(1, "", "error[name/unresolved]: there is no"), "checker: name/unresolved");
        let refused = "error: the C++ compiler refused the unit `a`; this\nx.x10:3: error: no 'f' in 'g'\n";
        assert_eq!(outcome(1, "", refused), "c++: no ... in ...");
        assert_eq!(outcome(139, "", ""), "crash: signal 11");
        let trace = "Uncaught exception in main: x10.lang.MultipleExceptions\n\tat A.main (A.x10:3)\nx10.lang.Error: no\n\tat A.f (A.x10:1)\n";
        assert_eq!(outcome(1, "", trace), "exception: x10.lang.Error");
        assert_eq!(outcome(1, "++++++ Test failed.\n", ""), "wrong");
        assert_eq!(outcome(3, "", ""), "status: 3");
    }
}
