//! As much of HTTP/1.1 as a page on the same machine needs: requests without a body, answers with their
//! length.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const MAX_HEAD_BYTES: u64 = 8 << 10;
/// How long a connection may say nothing.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// Serves a connection until it ends. `respond` gets the path behind the token.
pub(super) fn serve(
    stream: TcpStream,
    token: &str,
    port: u16,
    respond: impl Fn(&str) -> Option<(&'static str, String)>,
) -> io::Result<()> {
    stream.set_read_timeout(Some(IDLE_TIMEOUT))?;
    stream.set_write_timeout(Some(IDLE_TIMEOUT))?;
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = read_head(&mut reader)? {
        let is_local =
            request.host == format!("127.0.0.1:{port}") || request.host == format!("localhost:{port}");
        let path =
            request.path.strip_prefix('/').and_then(|path| path.strip_prefix(token)?.strip_prefix('/'));
        let answer = path.filter(|_| is_local && request.method == "GET").and_then(&respond);
        let (status, kind, body) = match answer {
            Some((kind, body)) => ("200 OK", kind, body),
            None => ("404 Not Found", "text/plain", "there is nothing here\n".to_owned()),
        };
        let connection = if request.close { "close" } else { "keep-alive" };
        write!(
            writer,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nConnection: {connection}\r\n\r\n{body}",
            body.len()
        )?;
        writer.flush()?;
        if request.close {
            break;
        }
    }
    Ok(())
}

struct Request {
    method: String,
    path: String,
    host: String,
    close: bool,
}

/// The next request; `None` at the end, or where what comes is no request.
fn read_head(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let mut head = reader.take(MAX_HEAD_BYTES);
    let mut line = Vec::new();
    let mut next = |line: &mut Vec<u8>| -> io::Result<Option<String>> {
        line.clear();
        head.read_until(b'\n', line)?;
        let whole = line.ends_with(b"\n").then(|| String::from_utf8(line.clone()).ok()).flatten();
        Ok(whole.map(|text| text.trim_end().to_owned()))
    };
    let Some(first) = next(&mut line)? else { return Ok(None) };
    let mut words = first.split(' ');
    let (Some(method), Some(path), Some("HTTP/1.1" | "HTTP/1.0")) =
        (words.next(), words.next(), words.next())
    else {
        return Ok(None);
    };
    let mut request = Request {
        method: method.into(),
        path: path.into(),
        host: String::new(),
        close: first.ends_with("1.0"),
    };
    loop {
        match next(&mut line)? {
            None => return Ok(None),
            Some(text) if text.is_empty() => return Ok(Some(request)),
            Some(text) => {
                let (name, value) = text.split_once(':').unwrap_or((&text, ""));
                match name.to_ascii_lowercase().as_str() {
                    "host" => request.host = value.trim().to_owned(),
                    "connection" => request.close |= value.trim().eq_ignore_ascii_case("close"),
                    _ => {}
                }
            }
        }
    }
}

/// Text in HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
