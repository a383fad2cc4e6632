//! Any bytes are preprocessed: tokens have spellings inside of their files, and a preamble changes nothing.
#![no_main]

use std::path::Path;
use std::sync::Arc;

use apg_c_syntax::{FileSystem, Toolchain, Unit, decode, preprocess};
use libfuzzer_sys::fuzz_target;

/// A file that includes itself is the only one.
struct Itself(Arc<str>);

impl FileSystem for Itself {
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        (path == Path::new("main.c")).then(|| self.0.clone())
    }
}

fn spellings(unit: &Unit) -> Vec<String> {
    let tokens = unit.preamble_tokens().iter().chain(unit.tokens().iter());
    tokens.map(|it| unit.text(it.text).to_string()).collect()
}

fuzz_target!(|bytes: &[u8]| {
    let text: Arc<str> = decode(bytes.to_vec()).into();
    let files = Itself(text.clone());
    let toolchain = Toolchain::default();
    let unit = preprocess(Path::new("main.c"), text.clone(), &toolchain, &files, None);
    for token in unit.preamble_tokens().iter().chain(unit.tokens().iter()) {
        let file = &unit.file(token.span.file).text;
        assert!(token.span.start <= token.span.end && token.span.end as usize <= file.len(), "{token:?}");
        unit.macro_stack(token);
        unit.expansion_site(token);
    }
    let again = preprocess(Path::new("main.c"), text, &toolchain, &files, Some(unit.preamble()));
    assert!(Arc::ptr_eq(unit.preamble(), again.preamble()));
    assert_eq!(spellings(&unit), spellings(&again));
});
