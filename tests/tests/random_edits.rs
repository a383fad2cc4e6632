//! A client that does anything: edits, questions, cancels and closes in a random order. In the end the server must say of
//! the text what a fresh one says of it, with no message left unanswered.

use std::time::{Duration, Instant};

use apg_tests::session::Session;
use serde_json::{Value, json};

const START: &str = "import x10.util.ArrayList;
public class Edited(size:Long) {
    var count:Long = 0;
    def add(n:Long):Long { count += n; return count; }
    public static def main(args:Rail[String]) {
        val list = new ArrayList[Long]();
        finish for (i in 0..9) async { atomic list.add(i); }
        Console.OUT.println(list.size());
    }
}
";

/// Pieces that break a program, mend it, or change what it means.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    ";",
    ".",
    "val x = 1;\n",
    "var count:Long = 0;",
    "def ",
    "class A {}\n",
    "/*",
    "*/",
    "\"",
    "é😀",
    "async ",
    "finish ",
    "at (here) ",
    "new Edited(1)",
    "list.",
    "args(0)",
    "\n",
    "  ",
    "import x10.util.*;\n",
    "[Long]",
];

/// A generator of numbers: the same from the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n.max(1) as u64).unwrap_or(0)
    }
}

/// How long to go on: `APG_RANDOM_SECONDS`, else a little while.
fn duration() -> Duration {
    let seconds = std::env::var("APG_RANDOM_SECONDS").ok().and_then(|s| s.parse().ok());
    Duration::from_secs(seconds.unwrap_or(20))
}

#[test]
fn after_any_edits_the_server_says_what_a_fresh_one_says() {
    let end = Instant::now() + duration();
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    while Instant::now() < end {
        round(seed);
        seed += 0x1234_5677;
    }
}

/// Sixty steps and the comparison.
fn round(seed: u64) {
    let mut random = Random(seed);
    let mut session = Session::start();
    let mut text = START.to_owned();
    let uri = session.open("Edited.x10", &text);
    let mut version = 1;
    let mut asked = Vec::new();
    for _ in 0..60 {
        match random.below(10) {
            0..=5 => {
                version += 1;
                edit(&mut session, &uri, version, &mut text, &mut random);
            }
            6 if random.below(4) == 0 => {
                session.server.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
                session.server.open(&uri, "x10", &text);
                version = 1;
            }
            7 => {
                if let Some(id) = asked.last() {
                    session.server.notify("$/cancelRequest", json!({ "id": id }));
                }
            }
            _ => asked.push(ask(&mut session, &uri, &text, &mut random)),
        }
    }
    for id in asked {
        let answer = session.server.answer(id);
        // Only a request that was cancelled, or whose text an edit replaced, may fail.
        let code = &answer["error"]["code"];
        assert!(answer["error"].is_null() || *code == -32800 || *code == -32801, "seed {seed}: {answer}");
    }
    let seen = answers(&mut session, &uri);
    let mut fresh = Session::start();
    let fresh_uri = fresh.open("Edited.x10", &text);
    let expected = answers(&mut fresh, &fresh_uri);
    for ((method, seen), (_, expected)) in seen.iter().zip(&expected) {
        assert_eq!(seen, expected, "seed {seed}, {method}, of\n{text}");
    }
    assert_eq!(session.server.end(), Some(0));
    assert_eq!(fresh.server.end(), Some(0));
}

/// Replaces a random piece of the text by a random other.
fn edit(session: &mut Session, uri: &str, version: i64, text: &mut String, random: &mut Random) {
    let boundary = |text: &str, mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary(text, random.below(text.len() + 1));
    let end = boundary(text, (start + random.below(12)).min(text.len())).max(start);
    let piece = PIECES[random.below(PIECES.len())];
    let (from, to) = (position(text, start), position(text, end));
    session.server.change(uri, version, [from.0, from.1, to.0, to.1], piece);
    text.replace_range(start..end, piece);
}

/// Line and UTF-16 column of a byte offset.
fn position(text: &str, at: usize) -> (u32, u32) {
    let before = &text[..at];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
    (u32::try_from(line).expect("small"), u32::try_from(column).expect("small"))
}

fn ask(session: &mut Session, uri: &str, text: &str, random: &mut Random) -> i64 {
    const METHODS: &[&str] = &[
        "textDocument/hover",
        "textDocument/completion",
        "textDocument/signatureHelp",
        "textDocument/definition",
        "textDocument/documentHighlight",
        "textDocument/documentSymbol",
        "textDocument/semanticTokens/full",
        "textDocument/foldingRange",
        "textDocument/codeLens",
    ];
    let at = random.below(text.len() + 1);
    let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (line, character) = position(text, at);
    let place =
        json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } });
    session.server.send_request(METHODS[random.below(METHODS.len())], place)
}

/// What the server says of the whole text.
fn answers(session: &mut Session, uri: &str) -> Vec<(&'static str, Value)> {
    let methods = [
        "textDocument/diagnostic",
        "textDocument/documentSymbol",
        "textDocument/semanticTokens/full",
        "textDocument/foldingRange",
        "textDocument/codeLens",
    ];
    methods
        .into_iter()
        .map(|method| {
            let answer = session.of(method, uri).to_string();
            // The two sessions have folders of their own.
            let folder = session.folder.path().display().to_string();
            (method, Value::String(answer.replace(&folder, "")))
        })
        .collect()
}
