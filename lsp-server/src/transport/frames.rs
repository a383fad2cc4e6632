//! Messages as bytes: a header with `Content-Length`, an empty line, and JSON.

use std::io::{BufRead, Read};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp_server::jsonrpc::{Error, Id, Request, Response};

/// The longest message that is read: a file of this size is no source.
const LONGEST: u64 = 1 << 30;
/// The longest line of a header; what is longer is none.
const LONGEST_LINE: u64 = 1 << 16;

/// What came.
#[derive(Debug)]
pub enum Incoming {
    /// A request or a notification.
    Request(Request),
    /// The answer to a request of ours.
    Answer(Response),
    /// Nothing that the protocol knows; the number of the request, if it has one, and what is wrong.
    Bad(Id, Error),
}

/// The next message; none at the end of the input.
pub fn read(input: &mut impl BufRead) -> std::io::Result<Option<Incoming>> {
    loop {
        let length = match header(input)? {
            Header::End => return Ok(None),
            Header::Nonsense => return Ok(Some(Incoming::Bad(Id::Null, Error::parse_error()))),
            Header::Length(0) => continue,
            Header::Length(length) => length,
        };
        if length > LONGEST {
            std::io::copy(&mut input.take(length), &mut std::io::sink())?;
            return Ok(Some(Incoming::Bad(Id::Null, Error::invalid_request())));
        }
        // Not reserved at once: only what comes takes room, whatever the header promises.
        let mut body = Vec::new();
        input.take(length).read_to_end(&mut body)?;
        if (body.len() as u64) < length {
            return Ok(None);
        }
        return Ok(Some(message(&body)));
    }
}

enum Header {
    Length(u64),
    /// It has no length.
    Nonsense,
    End,
}

/// Reads up to the empty line before a body. The name of the length is looked for anywhere in a line: behind a body that was
/// longer than its header said, the next header starts in the middle of one.
fn header(input: &mut impl BufRead) -> std::io::Result<Header> {
    const NAME: &str = "content-length:";
    let mut length = None;
    let mut nonsense = false;
    loop {
        let mut line = Vec::new();
        if input.take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(Header::End);
        }
        let line = String::from_utf8_lossy(&line).to_ascii_lowercase();
        if let Some(at) = line.find(NAME) {
            length = line[at + NAME.len()..].trim().parse().ok();
            nonsense |= length.is_none();
        } else if line.trim().is_empty() {
            match length {
                Some(length) => return Ok(Header::Length(length)),
                None if nonsense => return Ok(Header::Nonsense),
                // An empty line too many.
                None => {}
            }
        } else if !line.contains(':') {
            nonsense = true;
        }
    }
}

/// The message in a body.
fn message(body: &[u8]) -> Incoming {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return Incoming::Bad(Id::Null, Error::parse_error());
    };
    let id = value.get("id").and_then(|id| Id::deserialize(id).ok()).unwrap_or_default();
    let is_answer = value.get("method").is_none() && (value.get("result").or(value.get("error"))).is_some();
    let read = if is_answer {
        serde_json::from_value(value).map(Incoming::Answer)
    } else if value.get("method").is_some() {
        serde_json::from_value(value).map(Incoming::Request)
    } else {
        return Incoming::Bad(id, Error::invalid_request());
    };
    read.unwrap_or_else(|_| Incoming::Bad(id, Error::invalid_request()))
}

/// A message with its header.
pub fn bytes(message: &impl Serialize) -> Vec<u8> {
    // What goes out are the protocol's own types, whose keys are texts: they always have a JSON form.
    let body = serde_json::to_vec(message).unwrap_or_default();
    let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend(body);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of an input: methods, `answer`, or the code of the error.
    fn all(mut input: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        while let Some(message) = read(&mut input).expect("bytes in memory can be read") {
            found.push(match message {
                Incoming::Request(request) => request.method().to_owned(),
                Incoming::Answer(_) => "answer".into(),
                Incoming::Bad(id, error) => format!("{} {id}", error.code.code()),
            });
        }
        found
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    const GOOD: &str = r#"{"jsonrpc":"2.0","method":"good"}"#;

    #[test]
    fn what_is_no_message_is_told_and_the_next_is_read() {
        let good = framed(GOOD);
        for (bad, told) in [
            (framed("{\"a\":"), "-32700 null"),
            (framed("[]"), "-32600 null"),
            (framed("3"), "-32600 null"),
            (framed(r#"{"jsonrpc":"2.0","id":7}"#), "-32600 7"),
            (framed(r#"{"jsonrpc":"1.0","id":7,"method":"old"}"#), "-32600 7"),
            (framed(r#"{"jsonrpc":"2.0","id":7,"method":3}"#), "-32600 7"),
            ("Content-Length: many\r\n\r\n".into(), "-32700 null"),
            ("Content-Length: -1\r\n\r\n".into(), "-32700 null"),
            ("nonsense\r\n\r\n".into(), "-32700 null"),
            (framed(&"[".repeat(100_000)), "-32700 null"),
        ] {
            assert_eq!(all(format!("{bad}{good}").as_bytes()), [told, "good"], "{:.60}", bad);
        }
        let invalid = [b"Content-Length: 4\r\n\r\n\xff\xfe\x00\x01", good.as_bytes()].concat();
        assert_eq!(all(&invalid), ["-32700 null", "good"]);
    }

    #[test]
    fn a_wrong_length_costs_one_message() {
        let good = framed(GOOD);
        // Shorter than the body: the rest of it stands before the next header.
        let found = all(format!("Content-Length: 5\r\n\r\n{GOOD}{good}").as_bytes());
        assert_eq!(found.last().map(String::as_str), Some("good"), "{found:?}");
        // Longer than all that comes.
        assert_eq!(all(format!("Content-Length: 999999999\r\n\r\n{GOOD}").as_bytes()), Vec::<String>::new());
    }

    #[test]
    fn headers_come_in_any_form() {
        let type_first = format!(
            "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: {}\n\n{GOOD}",
            GOOD.len()
        );
        let empty = "Content-Length: 0\r\n\r\n\r\n";
        let answer = framed(r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
        assert_eq!(all(format!("{type_first}{empty}{answer}").as_bytes()), ["good", "answer"]);
    }
}
