//! Any bytes are a program or an error with a place in them; a program is printed and read back as the same,
//! and the verifier finds the same of both.
#![no_main]

use apg_mir::text::{SpanDetail, parse, print};
use apg_mir::verify::verify;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let program = match parse(&text) {
        Ok(program) => program,
        Err(error) => {
            let lines = text.split('\n').count();
            assert!((1..=lines).contains(&(error.line as usize)) && error.column >= 1, "{error}");
            return;
        }
    };
    let printed = print(&program, SpanDetail::All);
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(print(&again, SpanDetail::All), printed);
    assert_eq!(verify(&again).is_ok(), verify(&program).is_ok(), "{printed}");
});
