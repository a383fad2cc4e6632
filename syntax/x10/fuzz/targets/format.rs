//! The formatter keeps every token, and changes nothing when it sees its own output.
#![no_main]

use apg_syntax::{formatted, parse};
use libfuzzer_sys::fuzz_target;

fn words(text: &str) -> Vec<String> {
    let tokens = parse(text).syntax().descendants_with_tokens().filter_map(|it| it.into_token());
    tokens.filter(|it| !it.kind().is_trivia()).map(|it| it.text().to_string()).collect()
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let Ok(once) = formatted(&text) else { return };
    assert_eq!(words(&once), words(&text));
    assert_eq!(formatted(&once).as_ref(), Ok(&once));
});
