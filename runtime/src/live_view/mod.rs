//! Pictures of a running program in a browser: a small HTTP server on the loopback interface.
//!
//! A page asks for the next frame and gets it when there is one (long polling). The address holds a random
//! token, and requests must name the loopback host: neither other users of the machine nor pages of other
//! sites can read frames.

mod http;

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// The page; it draws the frames.
const PAGE: &str = include_str!("page.html");
/// How long a request for a frame is kept waiting.
const POLL_TIMEOUT: Duration = Duration::from_secs(20);
/// A viewer that has requested nothing for that long is gone.
const VIEWER_TIMEOUT: Duration = Duration::from_secs(25);
const MAX_CONNECTIONS: usize = 32;

/// A picture that is served.
#[derive(Debug)]
pub(crate) struct LiveView {
    url: String,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    title: String,
    token: String,
    port: u16,
    state: Mutex<State>,
    changed: Condvar,
    connections: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    /// Number of the latest frame; 0 before the first.
    number: u64,
    /// JSON text of the latest frame.
    frame: Arc<str>,
    closed: bool,
    /// When a page last requested a frame.
    last_request: Option<Instant>,
    /// Number of the latest frame that a page has got.
    delivered: u64,
}

impl LiveView {
    /// Starts serving; `port` 0 takes any.
    ///
    /// # Errors
    /// When the port is taken, or no thread can be started.
    pub(crate) fn open(title: &str, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let port = listener.local_addr()?.port();
        let token = crate::net::bootstrap::handshake::random_bytes()?;
        let token: String = token.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let url = format!("http://127.0.0.1:{port}/{token}/");
        let shared = Arc::new(Shared {
            title: title.to_owned(),
            token,
            port,
            state: Mutex::default(),
            changed: Condvar::new(),
            connections: AtomicUsize::new(0),
        });
        let own = Arc::clone(&shared);
        std::thread::Builder::new().name("apg-view".into()).spawn(move || accept(&listener, &own))?;
        Ok(Self { url, shared })
    }

    /// The address of the page.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Shows a frame, JSON text, instead of the one before.
    pub(crate) fn show(&self, frame: &str) {
        let mut state = self.shared.state.lock();
        state.number += 1;
        state.frame = frame.into();
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Whether a page is open.
    pub(crate) fn is_watched(&self) -> bool {
        self.shared.state.lock().last_request.is_some_and(|time| time.elapsed() < VIEWER_TIMEOUT)
    }

    /// Whether a page has got the latest frame, or none is open.
    pub(crate) fn is_delivered(&self) -> bool {
        let state = self.shared.state.lock();
        state.delivered >= state.number
            || state.last_request.is_none_or(|time| time.elapsed() >= VIEWER_TIMEOUT)
    }
}

impl Drop for LiveView {
    /// Ends the view: an open page gets the last frame, marked as such.
    fn drop(&mut self) {
        self.shared.state.lock().closed = true;
        self.shared.changed.notify_all();
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.state.lock().closed {
            return;
        }
        let Ok(stream) = stream else { continue };
        if shared.connections.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let own = Arc::clone(shared);
        let serve = move || {
            // A connection that breaks concerns nobody else.
            let _ = http::serve(stream, &own.token, own.port, |path| own.respond(path));
            own.connections.fetch_sub(1, Ordering::Relaxed);
        };
        if std::thread::Builder::new().name("apg-view-page".into()).spawn(serve).is_err() {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Shared {
    /// The answer to a request for a path behind the token: its type and body.
    fn respond(&self, path: &str) -> Option<(&'static str, String)> {
        match path.split_once("?after=") {
            None if path.is_empty() => {
                Some(("text/html; charset=utf-8", PAGE.replace("{{title}}", &http::escaped(&self.title))))
            }
            Some(("frame", after)) => Some(("application/json", self.frame_after(after.parse().ok()?))),
            _ => None,
        }
    }

    /// The latest frame, once it is newer than `after`.
    fn frame_after(&self, after: u64) -> String {
        let deadline = Instant::now() + POLL_TIMEOUT;
        let mut state = self.state.lock();
        state.last_request = Some(Instant::now());
        state.delivered = state.delivered.max(after);
        self.changed.notify_all();
        while state.number <= after && !state.closed {
            if self.changed.wait_until(&mut state, deadline).timed_out() {
                break;
            }
        }
        state.last_request = Some(Instant::now());
        let frame = if state.frame.is_empty() { "null" } else { &state.frame };
        format!("{{\"number\":{},\"closed\":{},\"frame\":{frame}}}", state.number, state.closed)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

    fn get(view: &LiveView, path: &str, host: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, view.shared.port)).expect("connected");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").expect("sent");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        text
    }

    #[test]
    fn frames_are_given_to_those_who_know_the_address() {
        let view = LiveView::open("a < b", 0).expect("opened");
        let host = format!("127.0.0.1:{}", view.shared.port);
        let path = view.url().strip_prefix(&format!("http://{host}")).expect("its address").to_owned();
        assert!(get(&view, &path, &host).contains("<title>a &lt; b</title>"));
        view.show("{\"items\":[]}");
        let frame = get(&view, &format!("{path}frame?after=0"), &host);
        assert!(frame.ends_with("{\"number\":1,\"closed\":false,\"frame\":{\"items\":[]}}"), "{frame}");
        assert!(view.is_watched());
        for (path, host) in [("/", &*host), ("/0123/", &*host), (&*path, "evil.example"), ("/../x", &*host)] {
            let answer = get(&view, path, host);
            assert!(answer.starts_with("HTTP/1.1 404"), "{path} {host}: {answer}");
        }
        view.show("1");
        assert!(!view.is_delivered());
        get(&view, &format!("{path}frame?after=1"), &host);
        view.show("2");
        let shared = Arc::clone(&view.shared);
        drop(view);
        assert_eq!(shared.frame_after(3), "{\"number\":3,\"closed\":true,\"frame\":2}");
    }

    #[test]
    fn a_request_waits_for_the_next_frame() {
        let view = LiveView::open("t", 0).expect("opened");
        assert!(!view.is_watched());
        let shared = Arc::clone(&view.shared);
        let asks = std::thread::spawn(move || shared.frame_after(0));
        while !view.is_watched() {
            std::thread::yield_now();
        }
        view.show("7");
        assert_eq!(asks.join().expect("no panic"), "{\"number\":1,\"closed\":false,\"frame\":7}");
    }

    #[test]
    fn strangers_get_nothing_and_end_nothing() {
        let view = LiveView::open("t", 0).expect("opened");
        for bytes in [&b"\xff\xfe\x00"[..], b"GET", b"POST / HTTP/1.1\r\n\r\n", &[b'a'; 100_000], b"\r\n\r\n"]
        {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, view.shared.port)).expect("connected");
            // The server may have closed it already.
            let _ = stream.write_all(bytes);
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let mut text = Vec::new();
            let _ = stream.read_to_end(&mut text);
            assert!(text.is_empty() || text.starts_with(b"HTTP/1.1 4"), "{text:?}");
        }
        let host = format!("127.0.0.1:{}", view.shared.port);
        let path = view.url().strip_prefix(&format!("http://{host}")).expect("its address").to_owned();
        assert!(get(&view, &path, &host).starts_with("HTTP/1.1 200"));
    }
}
