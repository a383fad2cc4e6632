//! Reports of exceptions that nobody catches: message, stack trace, causes, and the exceptions that it
//! gathers.

use super::loaded::to_string;
use super::stack_trace::{field, frames_in};
use crate::base::backtrace::{brief_lines, trace};
use crate::base::output;
use crate::heap::Ref;
use crate::layout::slot;

/// Prints an exception that nobody catches, where it was raised, its causes, and what it gathers.
pub fn print_uncaught(whence: &str, exception: Ref) {
    let mut report = format!("Uncaught exception in {whence}: ");
    describe(&mut report, exception, 0);
    output::print(2, report.as_bytes());
}

fn describe(out: &mut String, exception: Ref, depth: usize) {
    const MAX_CAUSE_DEPTH: usize = 16;
    let title = to_string(exception).unwrap_or_else(|_| exception.ty().name());
    out.push_str(&title);
    out.push('\n');
    let frames = frames_in(field(exception, "frames"));
    for line in brief_lines(trace(&frames)) {
        let at = if line.starts_with("...") { "" } else { "at " };
        out.push_str(&format!("\t{at}{line}\n"));
    }
    if depth == MAX_CAUSE_DEPTH {
        return;
    }
    let gathered = field(exception, "exceptions");
    if gathered.is_rail() && gathered.ty().element_slot == slot::REF {
        for index in 0..gathered.length() {
            let inner = gathered.element(index);
            if !inner.is_null() {
                describe(out, inner, depth + 1);
            }
        }
    }
    let cause = field(exception, "cause");
    if !cause.is_null() {
        out.push_str("Caused by: ");
        describe(out, cause, depth + 1);
    }
}
