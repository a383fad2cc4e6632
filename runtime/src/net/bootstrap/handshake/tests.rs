//! Starts of two and more places in one process, among connections of strangers.

use std::net::{Ipv4Addr, Shutdown};

use super::*;
use crate::net::bootstrap::connect::{Invitation, host, join, listen, random_token};

const IDENTITY: u64 = 7;

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn stranger(port: u16, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("connection");
    stream.write_all(bytes).expect("room for a greeting");
    stream
}

/// Starts `hosts` places while `disturb` does something to the port of place 0.
fn start_while(hosts: u32, disturb: impl FnOnce(u16, Token) + Send) -> io::Result<()> {
    let listener = listen().expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let token = random_token().expect("random bytes");
    std::thread::scope(|scope| {
        let zero = scope.spawn(move || {
            let meeting = Meeting { token, identity: IDENTITY, deadline: soon(), failed: &|| None };
            host(listener, &meeting, hosts).map(|_| ())
        });
        disturb(port, token);
        let others: Vec<_> = (1..hosts)
            .map(|place| {
                let invitation = Invitation { place, hosts, port, output_lock: 5, token };
                scope.spawn(move || join(&invitation, IDENTITY, soon()).map(|_| ()))
            })
            .collect();
        zero.join().expect("no panic")?;
        others.into_iter().try_for_each(|other| other.join().expect("no panic"))
    })
}

#[test]
fn silent_connections_delay_nobody() {
    let mut strangers = Vec::new();
    start_while(3, |port, _| strangers.extend((0..40).map(|_| stranger(port, b"")))).expect("all places");
}

/// More than the listener keeps: those of places are found among them all the same.
#[test]
fn any_number_of_connections_delays_nobody() {
    let mut strangers = Vec::new();
    start_while(2, |port, _| {
        strangers.extend((0..3 * MAX_UNKNOWN).map(|_| stranger(port, b"GET / HTTP/1.1\r\n")))
    })
    .expect("both places");
}

#[test]
fn connections_with_half_a_greeting_and_with_wrong_ones_are_no_places() {
    let greeting = Greeting { place: 1, port: 1, process: 1, identity: IDENTITY };
    let mut strangers = Vec::new();
    start_while(2, |port, token| {
        let right = greeting.encode(&token);
        strangers.push(stranger(port, &right[..LENGTH - 1]));
        strangers.push(stranger(port, &right[..1]));
        strangers.push(stranger(port, &greeting.encode(&[0; 32])));
        strangers.push(stranger(port, &[0xff; 4 * LENGTH]));
        let closed = stranger(port, &right[..40]);
        closed.shutdown(Shutdown::Both).expect("open");
        drop(stranger(port, b""));
    })
    .expect("both places");
}

/// Between its connection and its greeting a place may be held up; meanwhile others get in.
#[test]
fn a_place_that_greets_late_is_waited_for() {
    let listener = listen().expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let token = [5; 32];
    let late = stranger(port, b"");
    let greet = |mut stream: TcpStream, place: u32| {
        let greeting = Greeting { place, port: 1, process: 1, identity: IDENTITY };
        stream.write_all(&greeting.encode(&token)).expect("open");
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
        let meeting = Meeting { token, identity: IDENTITY, deadline: soon(), failed: &|| None };
        let callers = meeting.accept(&listener, 1..3).expect("both");
        let places: Vec<u32> = callers.iter().map(|caller| caller.greeting.place).collect();
        assert_eq!(places, [1, 2]);
        drop(hear.recv());
    });
}

#[test]
fn who_does_not_come_is_named() {
    let listener = listen().expect("a port");
    let deadline = Instant::now();
    let meeting = Meeting { token: [0; 32], identity: IDENTITY, deadline, failed: &|| None };
    let error = meeting.accept(&listener, 1..4).err().expect("nobody came").to_string();
    assert!(error.starts_with("places 1, 2, 3 have not connected in time"), "{error}");
    assert!(error.contains("APG_START_TIMEOUT"), "{error}");
    let meeting = Meeting { failed: &|| Some("place 2 is dead".to_owned()), deadline: soon(), ..meeting };
    let error = meeting.accept(&listener, 1..4).err().expect("it has failed").to_string();
    assert_eq!(error, "place 2 is dead");
}

#[test]
fn another_program_is_refused() {
    let listener = listen().expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let token = [3; 32];
    let greeting = Greeting { place: 1, port: 1, process: 1, identity: IDENTITY + 1 };
    let _other = stranger(port, &greeting.encode(&token));
    let meeting = Meeting { token, identity: IDENTITY, deadline: soon(), failed: &|| None };
    let error = meeting.accept(&listener, 1..2).err().expect("refused");
    assert!(error.to_string().contains("place 1 runs another program"), "{error}");
}

#[test]
fn no_place_comes_twice() {
    let listener = listen().expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let token = [3; 32];
    let greeting = Greeting { place: 1, port: 1, process: 1, identity: IDENTITY };
    let _both = [0; 2].map(|_| stranger(port, &greeting.encode(&token)));
    let meeting = Meeting { token, identity: IDENTITY, deadline: soon(), failed: &|| None };
    let error = meeting.accept(&listener, 1..3).err().expect("refused");
    assert!(error.to_string().contains("place 1 called twice"), "{error}");
}
