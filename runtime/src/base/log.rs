//! Messages of the runtime itself, on standard error.

/// `eprintln!`, but nothing happens where nobody reads standard error.
macro_rules! report {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}
