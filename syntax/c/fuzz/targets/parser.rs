//! Any bytes give trees whose tokens are those of the preprocessor, in their order.
#![no_main]

use std::path::Path;
use std::sync::Arc;

use apg_c_syntax::{FileSystem, Toolchain, decode, parse_unit, preprocess};
use libfuzzer_sys::fuzz_target;

/// There are no headers.
struct Nothing;

impl FileSystem for Nothing {
    fn read(&self, _: &Path) -> Option<Arc<str>> {
        None
    }
}

fuzz_target!(|bytes: &[u8]| {
    let text = decode(bytes.to_vec());
    let unit = preprocess(Path::new("main.c"), text.into(), &Toolchain::default(), &Nothing, None);
    let parsed = parse_unit(&unit, None);
    for (parse, tokens) in [(parsed.preamble.parse(), unit.preamble_tokens()), (&parsed.main, unit.tokens())]
    {
        let elements = parse.syntax().descendants_with_tokens();
        let leaves = elements.filter_map(|it| it.into_token()).filter(|it| !it.kind().is_trivia());
        assert!(
            leaves.map(|it| it.text().to_string()).eq(tokens.iter().map(|it| unit.text(it.text).to_string()))
        );
        for error in parse.errors() {
            assert!(error.span.end as usize <= unit.file(error.span.file).text.len(), "{error:?}");
        }
    }
});
