//! `examples/kmeans_live.x10` shows its clusters to a page: a client that asks as the page does gets frame
//! after frame.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use apg_tests::processes::apg;
use apg_tests::tools;
use serde_json::Value;

fn get(url: &str, path: &str) -> String {
    let (host, token) = url.strip_prefix("http://").and_then(|it| it.split_once('/')).expect("an address");
    let mut stream = TcpStream::connect(host).expect("the program serves");
    write!(stream, "GET /{token}{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    body.to_owned()
}

#[test]
fn clusters_move_in_a_page() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let example = tools::repository().join("examples/kmeans_live.x10");
    let example = example.to_str().expect("text");
    let arguments =
        ["run", example, "--accels", "none", "--", "--delay", "0", "--points", "500", "--clusters", "5"];
    let mut child = apg(folder.path(), &arguments)
        .env_remove("APG_CACHE_DIR")
        .stderr(Stdio::inherit())
        .spawn()
        .expect("it starts");
    let mut output = BufReader::new(child.stdout.take().expect("piped")).lines();
    let url = output.next().expect("a line").expect("text");
    let url = url.strip_prefix("open ").expect("the address").to_owned();
    assert!(get(&url, "").contains("<canvas"));
    let (mut number, mut frames) = (0, Vec::new());
    loop {
        let answer: Value = serde_json::from_str(&get(&url, &format!("frame?after={number}"))).expect("JSON");
        let next = answer["number"].as_u64().expect("a number");
        if next > number {
            frames.push(answer["frame"].clone());
        }
        number = next;
        // Having got the last frame the program ends, and with it the server.
        let items = frames.last().expect("a frame")["items"].as_array().expect("items");
        assert_eq!(items.len(), 6, "the points and five clusters");
        assert_eq!(items[0]["x"].as_array().map(Vec::len), Some(500));
        if answer["closed"] == true || frames.len() == 2 {
            break;
        }
    }
    let _ended_meanwhile = get_quietly(&url, number);
    let rest: Vec<String> = output.map(|line| line.expect("text")).collect();
    assert!(child.wait().expect("a child").success());
    assert!(rest.last().is_some_and(|line| line.starts_with("clusters rest after ")), "{rest:?}");
    let centre = |frame: &Value, cluster: usize| frame["items"][cluster + 1]["at"].clone();
    if let [first, second, ..] = &frames[..] {
        assert!((0..5).any(|cluster| centre(first, cluster) != centre(second, cluster)), "nothing moves");
    }
}

/// Tells the program that a frame has arrived; it may have ended by now.
fn get_quietly(url: &str, number: u64) -> Option<()> {
    let (host, token) = url.strip_prefix("http://")?.split_once('/')?;
    let mut stream = TcpStream::connect(host).ok()?;
    write!(stream, "GET /{token}frame?after={number} HTTP/1.1\r\nHost: {host}\r\n\r\n").ok()?;
    stream.read_exact(&mut [0]).ok()
}
