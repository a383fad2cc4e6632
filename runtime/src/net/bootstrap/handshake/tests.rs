//! Starts of two and more places in one process, among connections of strangers.

use std::net::{Ipv4Addr, Shutdown};

use super::*;
use crate::net::bootstrap::connect::{BootstrapInfo, host, join, listen, random_token};

const IDENTITY: u64 = 7;

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn stranger(port: u16, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("connection");
    stream.write_all(bytes).expect("room for a hello");
    stream
}

/// Starts `hosts` places while `disturb` does something to the port of place 0.
fn start_while(hosts: u32, disturb: impl FnOnce(u16, Token) + Send) -> io::Result<()> {
    let listener = listen().expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let token = random_token().expect("random bytes");
    std::thread::scope(|scope| {
        let zero = scope.spawn(move || {
            let start = StartContext { token, identity: IDENTITY, deadline: soon(), failed: &|| None };
            host(listener, &start, hosts).map(|_| ())
        });
        disturb(port, token);
        let others: Vec<_> = (1..hosts)
            .map(|place| {
                let info = BootstrapInfo { place, hosts, port, output_lock: 5, token };
                scope.spawn(move || join(&info, IDENTITY, soon()).map(|_| ()))
            })
            .collect();
        zero.join().expect("no panic")?;
        others.into_iter().try_for_each(|other| other.join().expect("no panic"))
    })
}

#[test]
fn silent_connections_delay_no_place() {
    let mut strangers = Vec::new();
    start_while(3, |port, _| strangers.extend((0..40).map(|_| stranger(port, b"")))).expect("all places");
}

/// More than the listener keeps: those of places are found among them all the same.
#[test]
fn many_connections_delay_no_place() {
    let mut strangers = Vec::new();
    start_while(2, |port, _| {
        strangers.extend((0..3 * MAX_PENDING_CONNECTIONS).map(|_| stranger(port, b"GET / HTTP/1.1\r\n")))
    })
    .expect("both places");
}

#[test]
fn partial_and_wrong_hellos_are_rejected() {
    let hello = Hello { place: 1, port: 1, process: 1, identity: IDENTITY };
    let mut strangers = Vec::new();
    start_while(2, |port, token| {
        let right = hello.encode(&token);
        strangers.push(stranger(port, &right[..HELLO_SIZE - 1]));
        strangers.push(stranger(port, &right[..1]));
        strangers.push(stranger(port, &hello.encode(&[0; 32])));
        strangers.push(stranger(port, &[0xff; 4 * HELLO_SIZE]));
        let closed = stranger(port, &right[..40]);
        closed.shutdown(Shutdown::Both).expect("open");
        drop(stranger(port, b""));
    })
    .expect("both places");
}

/// Between its connection and its hello a place may be held up; meanwhile others get in.
#[test]
fn late_hello_is_accepted() {
    let listener = listen().expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let token = [5; 32];
    let late = stranger(port, b"");
    let greet = |mut stream: TcpStream, place: u32| {
        let hello = Hello { place, port: 1, process: 1, identity: IDENTITY };
        stream.write_all(&hello.encode(&token)).expect("open");
        stream
    };
    let early = greet(stranger(port, b""), 2);
    std::thread::scope(|scope| {
        let (heard, hear) = std::sync::mpsc::channel();
        scope.spawn(move || {
            let mut early = early;
            let mut welcome = [0];
            io::Read::read_exact(&mut early, &mut welcome).expect("a welcome");
            heard.send(greet(late, 1)).expect("the test");
        });
        let start = StartContext { token, identity: IDENTITY, deadline: soon(), failed: &|| None };
        let members = start.accept(&listener, 1..3).expect("both");
        let places: Vec<u32> = members.iter().map(|caller| caller.hello.place).collect();
        assert_eq!(places, [1, 2]);
        drop(hear.recv());
    });
}

#[test]
fn missing_places_are_named() {
    let listener = listen().expect("a port");
    let deadline = Instant::now();
    let start = StartContext { token: [0; 32], identity: IDENTITY, deadline, failed: &|| None };
    let error = start.accept(&listener, 1..4).err().expect("nobody came").to_string();
    assert!(error.starts_with("places 1, 2, 3 have not connected in time"), "{error}");
    assert!(error.contains("APG_START_TIMEOUT"), "{error}");
    let start = StartContext { failed: &|| Some("place 2 is dead".to_owned()), deadline: soon(), ..start };
    let error = start.accept(&listener, 1..4).err().expect("it has failed").to_string();
    assert_eq!(error, "place 2 is dead");
}

#[test]
fn other_program_is_rejected() {
    let listener = listen().expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let token = [3; 32];
    let hello = Hello { place: 1, port: 1, process: 1, identity: IDENTITY + 1 };
    let _other = stranger(port, &hello.encode(&token));
    let start = StartContext { token, identity: IDENTITY, deadline: soon(), failed: &|| None };
    let error = start.accept(&listener, 1..2).err().expect("refused");
    assert!(error.to_string().contains("place 1 runs another program"), "{error}");
}

#[test]
fn duplicate_place_is_rejected() {
    let listener = listen().expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let token = [3; 32];
    let hello = Hello { place: 1, port: 1, process: 1, identity: IDENTITY };
    let _both = [0; 2].map(|_| stranger(port, &hello.encode(&token)));
    let start = StartContext { token, identity: IDENTITY, deadline: soon(), failed: &|| None };
    let error = start.accept(&listener, 1..3).err().expect("refused");
    assert!(error.to_string().contains("place 1 connected twice"), "{error}");
}
