//! A client of a language server, for tests and benchmarks: a child process and its messages.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStderr, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use serde_json::{Value, json};

use crate::waiting::find_eventually;

/// A running server. It is asked to end, and killed if it does not, when this is dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    messages: mpsc::Receiver<Value>,
    /// Notifications that came while an answer was waited for.
    waiting: VecDeque<Value>,
    next_id: i64,
    /// What it says on standard error.
    said: Arc<Mutex<String>>,
    /// Requests of the server are left without an answer.
    silent: bool,
    /// So long an answer is waited for.
    answer_timeout: Duration,
}

impl Server {
    /// Starts a server and initializes it.
    pub fn start(command: Command, initialize: Value) -> Self {
        let mut server = Self::spawn(command);
        let answer = server.request("initialize", initialize);
        assert!(answer["capabilities"].is_object(), "initialize answered {answer}");
        server.notify("initialized", json!({}));
        server
    }

    /// Starts a server and says nothing yet.
    pub fn spawn(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let (sender, messages) = mpsc::channel();
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let said = listen(child.stderr.take().expect("piped"));
        let input = child.stdin.take();
        Self {
            child,
            input,
            messages,
            waiting: VecDeque::new(),
            next_id: 0,
            said,
            silent: false,
            answer_timeout: Duration::from_secs(300),
        }
    }

    /// From now on an answer is waited for this long.
    pub fn set_answer_timeout(&mut self, answer_timeout: Duration) {
        self.answer_timeout = answer_timeout;
    }

    /// From now on the server's requests are not answered.
    pub fn be_silent(&mut self) {
        self.silent = true;
    }

    /// What the server has said on standard error: nothing, unless something is wrong with it.
    pub fn said(&self) -> String {
        self.said.lock().expect("whole").clone()
    }

    /// The process of the server.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the server runs");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    /// The next message, whatever it is.
    pub fn message(&mut self) -> Value {
        self.waiting.pop_front().unwrap_or_else(|| self.receive())
    }

    /// Closes the connection; the exit status.
    pub fn hang_up(mut self) -> Option<i32> {
        self.input = None;
        self.wait()
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and waits for its result. An error answer is a failure.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        let mut answer = self.answer(id);
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].take()
    }

    /// Sends a request; its number for [`Self::answer`].
    pub fn send_request(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params }));
        self.next_id
    }

    /// The answer to a request, result or error.
    pub fn answer(&mut self, id: i64) -> Value {
        let answers = |message: &Value| message["id"] == id && message["method"].is_null();
        // Answers come in any order.
        if let Some(message) = self.waiting.iter().position(answers).and_then(|at| self.waiting.remove(at)) {
            return message;
        }
        loop {
            let message = self.receive();
            if answers(&message) {
                return message;
            }
            self.waiting.push_back(message);
        }
    }

    /// The next notification of this method. Requests of the server are answered with null on the way.
    pub fn notification(&mut self, method: &str) -> Value {
        if let Some(at) = self.waiting.iter().position(|message| message["method"] == method) {
            return self.waiting.remove(at).map(|mut message| message["params"].take()).unwrap_or_default();
        }
        loop {
            let mut message = self.receive();
            if message["method"] == method {
                return message["params"].take();
            }
            self.waiting.push_back(message);
        }
    }

    /// The diagnostics published for this version of a document. Those of its other versions are forgotten.
    pub fn diagnostics(&mut self, uri: &str, version: i64) -> Vec<Value> {
        let of_it = |message: &Value| {
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri
        };
        let mut kept: VecDeque<Value> = std::mem::take(&mut self.waiting);
        let mut published = None;
        kept.retain_mut(|message| {
            let of_it = of_it(message);
            if of_it && message["params"]["version"] == version {
                published.get_or_insert(message.take());
            }
            !of_it
        });
        self.waiting = kept;
        let mut message = published.unwrap_or_else(|| {
            loop {
                let message = self.receive();
                if !of_it(&message) {
                    self.waiting.push_back(message);
                } else if message["params"]["version"] == version {
                    return message;
                }
            }
        });
        message["params"]["diagnostics"].as_array_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Opens a document as version 1.
    pub fn open(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a range (line, column to line, column) of a document.
    pub fn change(&mut self, uri: &str, version: i64, range: [u32; 4], text: &str) {
        let [line, column, end_line, end_column] = range;
        let range = json!({
            "start": { "line": line, "character": column },
            "end": { "line": end_line, "character": end_column },
        });
        let document = json!({ "uri": uri, "version": version });
        let changes = json!([{ "range": range, "text": text }]);
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// Says `shutdown` and `exit`; the exit status.
    pub fn end(mut self) -> Option<i32> {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.input = None;
        let status = self.wait();
        let said = self.said();
        assert!(!said.contains("panicked") && !said.contains("internal error"), "{said}");
        status
    }

    /// The exit status of a server that was asked to end; none if it keeps running.
    pub fn wait(&mut self) -> Option<i32> {
        find_eventually(|| self.child.try_wait().ok().flatten())?.code()
    }

    /// Whether it has ended, by itself or by a signal.
    pub fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    fn receive(&mut self) -> Value {
        let message =
            self.messages.recv_timeout(self.answer_timeout).unwrap_or_else(|error| self.fail(error));
        if message["method"].is_string() && !message["id"].is_null() && !self.silent {
            self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
        }
        message
    }
}

impl Server {
    /// Says what is known of a server that does not answer.
    fn fail(&mut self, error: mpsc::RecvTimeoutError) -> ! {
        let what = match error {
            mpsc::RecvTimeoutError::Timeout => format!("no answer within {:?}", self.answer_timeout),
            mpsc::RecvTimeoutError::Disconnected => {
                format!("the server closed its output; its status is {:?}", self.wait())
            }
        };
        panic!(
            "{what}\nit said:\n{}its threads:\n{}",
            self.said(),
            crate::processes::threads(self.child.id())
        );
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Keeps what comes.
fn listen(stream: ChildStderr) -> Arc<Mutex<String>> {
    let said = Arc::<Mutex<String>>::default();
    let keep = said.clone();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let mut said = keep.lock().expect("whole");
            said.push_str(&line);
            said.push('\n');
        }
    });
    said
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
