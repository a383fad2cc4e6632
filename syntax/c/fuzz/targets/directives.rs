//! The tokens of any directive are in the tree, and the function around it is parsed.
#![no_main]

use std::path::Path;
use std::sync::Arc;

use apg_c_syntax::ast::{self, AstNode};
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
    let Some((family, rest)) = bytes.split_first() else { return };
    let family = ["omp", "acc", "xmp", "ompx"][usize::from(*family) % 4];
    let rest: String = decode(rest.to_vec()).chars().filter(|it| !"\n\r\\/#'\"".contains(*it)).collect();
    let text = format!("void f(void) {{\n#pragma {family} {rest}\n;\n}}\nint last;\n");
    let unit = preprocess(Path::new("main.c"), text.into(), &Toolchain::default(), &Nothing, None);
    let parsed = parse_unit(&unit, None);
    let tree = parsed.main.tree();
    assert_eq!(tree.external_decls().count(), 2, "{:#?}", tree.syntax());
    assert_eq!(tree.syntax().descendants().filter_map(ast::Directive::cast).count(), 1);
});
