//! A client that does anything: edits in two files, questions, cancels, closes, writes behind the server's
//! back, in a random order. In the end the server must report for the documents what a fresh one reports,
//! with no message left unanswered.
//!
//! `APG_RANDOM_SECONDS` says for how long (20), `APG_RANDOM_SEED` with which round to start.

use std::time::{Duration, Instant};

use apg_tests::requests;
use apg_tests::session::Session;
use serde_json::{Value, json};

const MAIN: &str = "import x10.util.ArrayList;
public class Edited(size:Long) {
    var count:Long = 0;
    def add(n:Long):Long { count += n; return count; }
    public static def main(args:Rail[String]) {
        val list = new ArrayList[Long]();
        finish for (i in 0..9) async { atomic list.add(i); }
        Console.OUT.println(list.size());
        val other = new Other(3);
        Console.OUT.println(other.twice(list.size()));
    }
}
";

const OTHER: &str = "import x10.compiler.CUDA;
/** Another class. */
public class Other(n:Long) {
    public def twice(a:Long):Long = 2 * a + n;
    def launch(out:GlobalRail[Float]) {
        finish async at (out.home()) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..31n) clocked async {
                    out(block * 32n + thread) = 1.0f;
                }
            }
        }
    }
    def edited() = new Edited(n).add(1);
}
";

/// Snippets that break a program, repair it, or change its meaning.
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
    "new Other(2).twice(1)",
    "list.",
    "args(0)",
    "\n",
    "\r\n",
    "  ",
    "import x10.util.*;\n",
    "[Long]",
    "{self!=null}",
    "static ",
    "@CUDA ",
    ":Long",
    "(x:Long)=>x",
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

    /// A byte offset of a text at which a character starts.
    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn after_any_edits_the_server_says_what_a_fresh_one_says() {
    let end = Instant::now() + Duration::from_secs(number("APG_RANDOM_SECONDS").unwrap_or(20));
    let mut seed = number("APG_RANDOM_SEED").unwrap_or(0x9e37_79b9_7f4a_7c15);
    let (mut rounds, mut messages) = (0, 0);
    while Instant::now() < end {
        messages += round(seed);
        rounds += 1;
        seed = seed.wrapping_add(0x1234_5677);
    }
    println!("{rounds} rounds, {messages} messages");
}

/// A file, and what the client and the disk have of it.
struct File {
    name: &'static str,
    uri: String,
    /// The client's text while it is open, the disk's while it is not.
    text: String,
    version: i64,
    open: bool,
}

/// Says in which round a test failed, and with which documents, wherever it failed.
struct ReportOnPanic(String);

impl Drop for ReportOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.0);
        }
    }
}

/// Eighty steps and the comparison; how many messages were sent.
fn round(seed: u64) -> usize {
    let mut report = ReportOnPanic(format!("seed {seed}"));
    let mut random = Random(seed);
    // Some clients take diagnostics, some ask for them.
    let pulls = random.below(2) == 0;
    let mut session = client(pulls, &[("Edited.x10", MAIN), ("Other.x10", OTHER)]);
    let mut files = [("Edited.x10", MAIN), ("Other.x10", OTHER)].map(|(name, text)| File {
        name,
        uri: session.uri(name),
        text: text.to_owned(),
        version: 0,
        open: false,
    });
    let mut asked = Vec::new();
    let steps = 80;
    for _ in 0..steps {
        let file = &mut files[random.below(2)];
        if !file.open && random.below(3) > 0 {
            open(&mut session, file);
        }
        match random.below(12) {
            0..=6 => edit(&mut session, file, &mut random),
            7 if file.open && random.below(3) == 0 => close(&mut session, file, &mut random),
            8 => {
                if let Some(id) = asked.last() {
                    session.server.notify("$/cancelRequest", json!({ "id": id }));
                }
            }
            _ => asked.push(ask(&mut session, file, &mut random)),
        }
    }
    for (id, what) in asked {
        let answer = session.server.answer(id);
        // Only a request that was cancelled or whose text an edit replaced may fail, and a rename that would
        // break the program.
        let may_fail = match answer["error"]["code"].as_i64() {
            None | Some(-32800 | -32801) => true,
            Some(-32602 | -32803) => requests::may_be_refused(what),
            Some(_) => false,
        };
        assert!(may_fail, "seed {seed}: {what}: {answer}");
    }
    if !files[0].open {
        open(&mut session, &mut files[0]);
    }
    // Only diagnostics of the current version count.
    for file in files.iter_mut().filter(|file| file.open) {
        file.version += 1;
        let document = json!({ "uri": file.uri, "version": file.version });
        let nothing = json!({ "textDocument": document, "contentChanges": [] });
        session.server.notify("textDocument/didChange", nothing);
    }
    let mut fresh = client(pulls, &files.each_ref().map(|file| (file.name, &*file.text)));
    let mut fresh_files = files.each_ref().map(|file| File {
        name: file.name,
        uri: fresh.uri(file.name),
        text: file.text.clone(),
        version: 0,
        open: false,
    });
    for (file, was_open) in fresh_files.iter_mut().zip(files.each_ref().map(|file| file.open)) {
        if was_open {
            open(&mut fresh, file);
        }
    }
    report.0 = format!("seed {seed}, with\n{}\n---\n{}", files[0].text, files[1].text);
    let places = std::array::from_fn(|_| random.place(&files[0].text));
    let seen = answers(&mut session, &files, pulls, places);
    let expected = answers(&mut fresh, &fresh_files, pulls, places);
    for ((what, seen), (_, expected)) in seen.iter().zip(&expected) {
        let documents = files.each_ref().map(|file| &file.text);
        assert_eq!(seen, expected, "seed {seed}, {what}, of\n{}\n---\n{}", documents[0], documents[1]);
    }
    assert_eq!(session.server.end(), Some(0), "seed {seed}");
    assert_eq!(fresh.server.end(), Some(0), "seed {seed}");
    steps
}

fn client(pulls: bool, files: &[(&str, &str)]) -> Session {
    let diagnostics = if pulls { json!({ "diagnostic": {} }) } else { json!({ "publishDiagnostics": {} }) };
    let capabilities = json!({
        "workspace": { "workspaceEdit": { "documentChanges": true, "resourceOperations": ["rename"] } },
        "textDocument": diagnostics,
    });
    Session::workspace_for(files, capabilities, Value::Null)
}

/// Opens a file. Versions go on over closing: diagnostics say which text they are of by their version alone.
fn open(session: &mut Session, file: &mut File) {
    (file.open, file.version) = (true, file.version + 1);
    let document =
        json!({ "uri": file.uri, "languageId": "x10", "version": file.version, "text": file.text });
    session.server.notify("textDocument/didOpen", json!({ "textDocument": document }));
}

/// Closes a file, saved or not; sometimes another program writes it then.
fn close(session: &mut Session, file: &mut File, random: &mut Random) {
    let path = session.folder.path().join(file.name);
    let document = json!({ "textDocument": { "uri": file.uri } });
    if random.below(2) == 0 {
        std::fs::write(&path, &file.text).expect("written");
        session.server.notify("textDocument/didSave", document.clone());
    }
    session.server.notify("textDocument/didClose", document);
    // The server reads the file when the message reaches it; it is not written before.
    session.server.request("workspace/symbol", json!({ "query": "nothing of this name" }));
    file.open = false;
    file.text = std::fs::read_to_string(&path).expect("readable");
    if random.below(3) == 0 {
        file.text.push_str("class Behind { }\n");
        std::fs::write(&path, &file.text).expect("written");
        let changes = json!([{ "uri": file.uri, "type": 2 }]);
        session.server.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
        session.server.request("workspace/symbol", json!({ "query": "nothing of this name" }));
    }
}

/// Replaces random pieces of the text by random others; sometimes the whole text.
fn edit(session: &mut Session, file: &mut File, random: &mut Random) {
    if !file.open {
        return;
    }
    file.version += 1;
    let mut changes = Vec::new();
    for _ in 0..=random.below(6) / 4 {
        if random.below(40) == 0 {
            file.text = if file.name == "Other.x10" { OTHER } else { MAIN }.to_owned();
            changes.push(json!({ "text": file.text }));
            continue;
        }
        let text = &mut file.text;
        let start = random.place(text);
        let mut end = (start + random.below(12)).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let piece = PIECES[random.below(PIECES.len())];
        changes.push(json!({
            "range": { "start": position(text, start), "end": position(text, end) }, "text": piece,
        }));
        // A place between CR and LF is the line's end: the positions say what is replaced.
        text.replace_range(offset(text, start)..offset(text, end), piece);
    }
    let document = json!({ "uri": file.uri, "version": file.version });
    session
        .server
        .notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
}

/// Line and UTF-16 column of a byte offset: LF, CR LF and CR end a line.
fn position(text: &str, at: usize) -> Value {
    let at = offset(text, at);
    let before = &text[..at];
    let ends = before
        .bytes()
        .enumerate()
        .filter(|(i, byte)| *byte == b'\n' || *byte == b'\r' && text.as_bytes().get(i + 1) != Some(&b'\n'));
    let (line, start) = ends.fold((0, 0), |(line, _), (i, _)| (line + 1, i + 1));
    json!({ "line": line, "character": before[start..].encode_utf16().count() })
}

/// The offset that the protocol means by the position of one: between CR and LF is before both.
fn offset(text: &str, at: usize) -> usize {
    let inside = at > 0 && text.as_bytes()[at - 1] == b'\r' && text.as_bytes().get(at) == Some(&b'\n');
    at - usize::from(inside)
}

fn ask(session: &mut Session, file: &File, random: &mut Random) -> (i64, &'static str) {
    let place = position(&file.text, random.place(&file.text));
    let methods: Vec<&str> = requests::all().collect();
    let method = methods[random.below(methods.len())];
    (session.server.send_request(method, parameters(&file.uri, &place)), method)
}

/// Parameters that suit all requests.
fn parameters(uri: &str, place: &Value) -> Value {
    let number = |name: &str| place[name].as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or_default();
    let mut parameters = requests::at(uri, [number("line"), number("character")], [9999, 0]);
    parameters["ch"] = json!(";");
    parameters
}

/// All answers of the server about the open documents, and about positions of the first.
fn answers(
    session: &mut Session,
    files: &[File; 2],
    pulls: bool,
    places: [usize; 4],
) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let folder = session.folder.path().display().to_string();
    // The two sessions have folders of their own.
    let mut say = |what: String, mut answer: Value| {
        forget_numbers(&mut answer);
        all.push((what, answer.to_string().replace(&folder, "")));
    };
    for file in files.iter().filter(|file| file.open) {
        let diagnostics = if pulls {
            session.of("textDocument/diagnostic", &file.uri)["items"].take()
        } else {
            Value::Array(session.server.diagnostics(&file.uri, file.version))
        };
        say(format!("diagnostics {}", file.name), diagnostics);
        let start = json!({ "line": 0, "character": 0 });
        for method in [
            "textDocument/documentSymbol",
            "textDocument/semanticTokens/full",
            "textDocument/foldingRange",
            "textDocument/codeLens",
            "textDocument/inlayHint",
            "textDocument/formatting",
            "textDocument/codeAction",
            "apg/generatedCode",
        ] {
            let answer = session.server.request(method, parameters(&file.uri, &start));
            say(format!("{method} {}", file.name), answer);
        }
    }
    for place in places {
        let place = position(&files[0].text, place);
        for method in [
            "textDocument/hover",
            "textDocument/completion",
            "textDocument/definition",
            "textDocument/references",
            "textDocument/prepareCallHierarchy",
        ] {
            let answer = session.server.request(method, parameters(&files[0].uri, &place));
            say(format!("{method} {place}"), answer);
        }
    }
    say("symbols".into(), session.server.request("workspace/symbol", json!({ "query": "e" })));
    all
}

/// Removes version and result numbers of a session.
fn forget_numbers(answer: &mut Value) {
    match answer {
        Value::Array(items) => items.iter_mut().for_each(forget_numbers),
        Value::Object(fields) => {
            fields.remove("resultId");
            fields.remove("version");
            fields.values_mut().for_each(forget_numbers);
        }
        _ => {}
    }
}
