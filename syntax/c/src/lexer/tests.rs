//! Tests: kinds of tokens and losslessness.

use super::*;

fn kinds(text: &str) -> String {
    let lexed = lex(text);
    let shown = (0..lexed.kinds.len())
        .filter(|&it| !lexed.kinds[it].is_trivia())
        .map(|it| format!("{:?} {:?}", lexed.kinds[it], &text[lexed.range(it)]));
    shown.collect::<Vec<_>>().join("; ")
}

#[test]
fn numbers_are_preprocessing_numbers() {
    assert_eq!(
        kinds("0x1.8p+3f 1e-5 .5 0xe+1"),
        "PP_NUMBER \"0x1.8p+3f\"; PP_NUMBER \"1e-5\"; PP_NUMBER \".5\"; PP_NUMBER \"0xe+1\""
    );
}

#[test]
fn literals_have_prefixes() {
    assert_eq!(
        kinds("L\"a\" u8\"b\" u'c' U'd' ux"),
        "STRING \"L\\\"a\\\"\"; STRING \"u8\\\"b\\\"\"; CHAR \"u'c'\"; CHAR \"U'd'\"; IDENT \"ux\""
    );
}

#[test]
fn a_splice_inside_of_a_token_belongs_to_it() {
    assert_eq!(kinds("ab\\\ncd + \\\n=="), "IDENT \"ab\\\\\\ncd\"; PLUS \"+\"; EQ2 \"==\"");
    assert_eq!(without_splices("ab\\\ncd\\ \r\ne"), "abcde");
}

#[test]
fn an_unclosed_quote_takes_the_rest_of_its_line() {
    assert_eq!(kinds("don't do\nx"), "IDENT \"don\"; ERROR_TOKEN \"'t do\"; IDENT \"x\"");
}

#[test]
fn digraphs_are_punctuators() {
    assert_eq!(
        kinds("<: :> <% %> %: %:%:"),
        "L_BRACK \"<:\"; R_BRACK \":>\"; L_CURLY \"<%\"; R_CURLY \"%>\"; HASH \"%:\"; HASH2 \"%:%:\""
    );
}

#[test]
fn dollars_and_universal_characters_are_in_names() {
    assert_eq!(kinds("a$b \\u00c1x é"), "IDENT \"a$b\"; IDENT \"\\\\u00c1x\"; IDENT \"é\"");
}

#[test]
fn comments_are_trivia_with_splices() {
    assert_eq!(
        kinds("a // b \\\n c\nd /* * / ** */ e /* x"),
        "IDENT \"a\"; IDENT \"d\"; IDENT \"e\"; ERROR_TOKEN \"/* x\""
    );
}

proptest::proptest! {
    #[test]
    fn tokens_cover_any_text(text in "[\\x00-\\x7f\u{e9}\u{feff}]{0,80}") {
        let lexed = lex(&text);
        proptest::prop_assert_eq!(lexed.starts[0], 0);
        proptest::prop_assert_eq!(*lexed.starts.last().unwrap() as usize, text.len());
        proptest::prop_assert!(lexed.starts.windows(2).all(|it| it[0] < it[1]));
        proptest::prop_assert!((0..lexed.kinds.len()).all(|it| text.get(lexed.range(it)).is_some()));
    }
}
