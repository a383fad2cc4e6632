//! What the runtime itself has to say.

/// `eprintln!`, but nothing happens where nobody reads standard error.
macro_rules! remark {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}
