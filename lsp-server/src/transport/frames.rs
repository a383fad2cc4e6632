//! Framing of messages (LSP 3.17, "Base Protocol"): a header with `Content-Length`, an empty line, and JSON.

use std::io::{BufRead, Read};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp_server::jsonrpc::{Error, Id, Request, Response};

/// Longer messages are skipped.
const MAX_MESSAGE_BYTES: u64 = 1 << 30;
/// Longer header lines are split.
const MAX_HEADER_LINE_BYTES: u64 = 1 << 16;

/// A message from the client.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A request or a notification.
    Request(Request),
    /// The response to a request of the server.
    Response(Response),
    /// Not a message of the protocol: its id, if it has one, and the error to answer.
    Malformed(Id, Error),
}

/// Reads the next message; `None` at the end of the input.
pub(super) fn read(input: &mut impl BufRead) -> std::io::Result<Option<Incoming>> {
    loop {
        let length = match read_header(input)? {
            Header::End => return Ok(None),
            Header::Malformed => return Ok(Some(Incoming::Malformed(Id::Null, Error::parse_error()))),
            Header::Length(0) => continue,
            Header::Length(length) => length,
        };
        if length > MAX_MESSAGE_BYTES {
            std::io::copy(&mut input.take(length), &mut std::io::sink())?;
            return Ok(Some(Incoming::Malformed(Id::Null, Error::invalid_request())));
        }
        // Nothing is reserved in advance: the header may claim a length that never comes.
        let mut body = Vec::new();
        input.take(length).read_to_end(&mut body)?;
        if (body.len() as u64) < length {
            return Ok(None);
        }
        return Ok(Some(parse_message(&body)));
    }
}

enum Header {
    Length(u64),
    /// A header without a valid length.
    Malformed,
    End,
}

/// Reads up to the empty line before a body. `Content-Length` is searched for anywhere in a line: after a
/// body that is longer than its header says, the next header starts in the middle of a line.
fn read_header(input: &mut impl BufRead) -> std::io::Result<Header> {
    const NAME: &str = "content-length:";
    let mut length = None;
    let mut is_malformed = false;
    loop {
        let mut line = Vec::new();
        if input.take(MAX_HEADER_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
            return Ok(Header::End);
        }
        let line = String::from_utf8_lossy(&line).to_ascii_lowercase();
        if let Some(at) = line.find(NAME) {
            length = line[at + NAME.len()..].trim().parse().ok();
            is_malformed |= length.is_none();
        } else if line.trim().is_empty() {
            match length {
                Some(length) => return Ok(Header::Length(length)),
                None if is_malformed => return Ok(Header::Malformed),
                // A superfluous empty line.
                None => {}
            }
        } else if !line.contains(':') {
            is_malformed = true;
        }
    }
}

/// Parses the body of a message.
fn parse_message(body: &[u8]) -> Incoming {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return Incoming::Malformed(Id::Null, Error::parse_error());
    };
    let id = value.get("id").and_then(|id| Id::deserialize(id).ok()).unwrap_or_default();
    let is_response = value.get("method").is_none() && (value.get("result").or(value.get("error"))).is_some();
    let parsed = if is_response {
        serde_json::from_value(value).map(Incoming::Response)
    } else if value.get("method").is_some() {
        serde_json::from_value(value).map(Incoming::Request)
    } else {
        return Incoming::Malformed(id, Error::invalid_request());
    };
    parsed.unwrap_or_else(|_| Incoming::Malformed(id, Error::invalid_request()))
}

/// Encodes a message with its header.
pub(super) fn encode(message: &impl Serialize) -> Vec<u8> {
    // The protocol's own types always have a JSON form: all keys of their maps are strings.
    let body = serde_json::to_vec(message).unwrap_or_default();
    let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend(body);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads all messages: methods, `response`, or the code and id of an error.
    fn read_all(mut input: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        while let Some(message) = read(&mut input).expect("bytes in memory can be read") {
            found.push(match message {
                Incoming::Request(request) => request.method().to_owned(),
                Incoming::Response(_) => "response".into(),
                Incoming::Malformed(id, error) => format!("{} {id}", error.code.code()),
            });
        }
        found
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    const GOOD: &str = r#"{"jsonrpc":"2.0","method":"good"}"#;

    #[test]
    fn malformed_messages_are_reported_and_skipped() {
        let good = framed(GOOD);
        for (malformed, error) in [
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
            assert_eq!(
                read_all(format!("{malformed}{good}").as_bytes()),
                [error, "good"],
                "{:.60}",
                malformed
            );
        }
        let invalid = [b"Content-Length: 4\r\n\r\n\xff\xfe\x00\x01", good.as_bytes()].concat();
        assert_eq!(read_all(&invalid), ["-32700 null", "good"]);
    }

    #[test]
    fn wrong_length_loses_one_message() {
        let good = framed(GOOD);
        // Shorter than the body, whose rest precedes the next header.
        let found = read_all(format!("Content-Length: 5\r\n\r\n{GOOD}{good}").as_bytes());
        assert_eq!(found.last().map(String::as_str), Some("good"), "{found:?}");
        // Longer than the input.
        assert_eq!(
            read_all(format!("Content-Length: 999999999\r\n\r\n{GOOD}").as_bytes()),
            Vec::<String>::new()
        );
    }

    #[test]
    fn headers_may_have_other_fields_cases_and_line_ends() {
        let type_first = format!(
            "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: {}\n\n{GOOD}",
            GOOD.len()
        );
        let empty = "Content-Length: 0\r\n\r\n\r\n";
        let response = framed(r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
        assert_eq!(read_all(format!("{type_first}{empty}{response}").as_bytes()), ["good", "response"]);
    }
}
