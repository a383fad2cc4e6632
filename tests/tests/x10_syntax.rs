//! The parser and the formatter on X10's own files, compared with what is recorded; see
//! `x10-suite/README.md`.

use apg_tests::x10_suite;
use apg_tests::x10_suite::syntax::{self, Grammar, Recorded};

#[test]
fn x10s_files_are_parsed_and_formatted_as_recorded() {
    let Some(home) = x10_suite::home() else {
        println!("skipped: set APG_X10_HOME to a checkout of x10-lang/x10 to run this test");
        return;
    };
    let (files, grammar) = (syntax::corpus(&home), Grammar::read());
    let accepted = syntax::accepted(&files, &grammar);
    assert!(accepted.different.is_empty(), "{:#?}", accepted.different);
    syntax::prefixes(&files);
    let now = Recorded::of(
        &accepted,
        &syntax::damage(&files, &grammar, 6),
        &syntax::edits(&files),
        &syntax::formatted(&files),
    );
    let worse = now.worse_than(&Recorded::read());
    assert!(worse.is_empty(), "{worse:#?}");
}
