//! Any bytes give a tree whose text they are, and errors that lie in it.
#![no_main]

use apg_syntax::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let parse = parse(&text);
    assert!(parse.syntax().text() == *text);
    for error in parse.errors() {
        let (start, end) = (usize::from(error.range.start()), usize::from(error.range.end()));
        assert!(text.is_char_boundary(start) && text.is_char_boundary(end), "{error:?}");
    }
});
