//! Starts of two and more places in one process, among connections of strangers.

use std::net::{Ipv4Addr, Shutdown};
use std::sync::LazyLock;

use super::*;
use crate::net::bootstrap::connect::{BootstrapInfo, LOOPBACK, host, join, listen};
use crate::net::placement::Placement;

const IDENTITY: u64 = 7;
static PLACEMENT: LazyLock<Placement> = LazyLock::new(|| Placement::on_this_machine(4));

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// What place 0 of four starts with.
fn start(secret: Secret) -> StartContext<'static> {
    StartContext {
        here: PlaceId(0),
        placement: &PLACEMENT,
        secret,
        encrypts: true,
        identity: IDENTITY,
        deadline: soon(),
        failed: &|| None,
    }
}

fn hello(place: u32) -> Hello {
    Hello { place: PlaceId(place), address: (LOOPBACK, 1).into(), process: 1, identity: IDENTITY }
}

fn stranger(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("connection");
    stream.write_all(bytes).expect("room for a hello");
    stream
}

fn read(stream: &mut TcpStream, bytes: &mut [u8]) -> io::Result<()> {
    io::Read::read_exact(stream, bytes)
}

/// Answers the challenge of an acceptor that is meant to be place `acceptor`.
fn answer(mut stream: TcpStream, secret: Secret, acceptor: u32, hello: Hello) -> TcpStream {
    let mut challenge = [0; CHALLENGE_SIZE];
    read(&mut stream, &mut challenge).expect("a challenge");
    let answer = hello.answer(&secret, PlaceId(acceptor), &challenge, &[9; CHALLENGE_SIZE]);
    stream.write_all(&answer).expect("room for an answer");
    stream
}

/// A listener and its address.
fn listener() -> (TcpListener, SocketAddr) {
    let listener = listen(LOOPBACK).expect("a port");
    let address = listener.local_addr().expect("its address");
    (listener, address)
}

/// Starts `places` places while `disturb` does something to the address of place 0.
fn start_while(places: u32, disturb: impl FnOnce(SocketAddr, Secret) + Send) -> io::Result<()> {
    let (listener, leader) = listener();
    let secret = Secret::random().expect("random bytes");
    let placement = &Placement::on_this_machine(places);
    std::thread::scope(|scope| {
        let zero =
            scope.spawn(move || host(listener, &StartContext { placement, ..start(secret) }).map(drop));
        disturb(leader, secret);
        let others: Vec<_> = (1..places)
            .map(|place| {
                let info = BootstrapInfo {
                    place: PlaceId(place),
                    placement: placement.clone(),
                    leader,
                    address: LOOPBACK,
                    listener: None,
                    output_lock: None,
                    farewell: None,
                    profile: None,
                    secret,
                    encrypts: true,
                };
                scope.spawn(move || join(&info, IDENTITY, soon()).map(drop))
            })
            .collect();
        zero.join().expect("no panic")?;
        others.into_iter().try_for_each(|other| other.join().expect("no panic"))
    })
}

#[test]
fn silent_connections_delay_no_place() {
    let mut strangers = Vec::new();
    start_while(3, |leader, _| strangers.extend((0..40).map(|_| stranger(leader, b"")))).expect("all places");
}

/// More than the listener keeps: those of places are found among them all the same.
#[test]
fn many_connections_delay_no_place() {
    let mut strangers = Vec::new();
    start_while(2, |leader, _| {
        strangers.extend((0..3 * MAX_PENDING_CONNECTIONS).map(|_| stranger(leader, b"GET / HTTP/1.1\r\n")))
    })
    .expect("both places");
}

/// A machine with many connections displaces its own, oldest first; between equals the oldest one goes.
#[test]
fn room_is_made_by_the_address_with_most_connections() {
    let [a, b, c] = [1, 2, 3].map(|number| IpAddr::from([10, 0, 0, number]));
    assert_eq!(connection_to_close(&[]), None);
    assert_eq!(connection_to_close(&[a, b, b, c]), Some(1));
    assert_eq!(connection_to_close(&[a, b, c]), Some(0));
    let mut pending = vec![a];
    for _ in 0..1000 {
        pending.push(b);
        if pending.len() > MAX_PENDING_CONNECTIONS {
            pending.remove(connection_to_close(&pending).expect("they are many"));
        }
    }
    assert_eq!((pending[0], pending.len()), (a, MAX_PENDING_CONNECTIONS));
    let [far, own, also_own] =
        ["2001:db8:1::1", "2001:db8:2::1", "2001:db8:2::2"].map(|it| it.parse().expect("an address"));
    assert_eq!(connection_to_close(&[far, own, also_own]), Some(1), "a machine has a network of IPv6");
}

#[test]
fn partial_and_wrong_answers_are_rejected() {
    let mut strangers = Vec::new();
    start_while(2, |leader, secret| {
        let right = hello(1).answer(&secret, PlaceId(0), &[0; 32], &[9; 32]);
        strangers.push(stranger(leader, &right[..ANSWER_SIZE - 1]));
        strangers.push(stranger(leader, &right[..1]));
        strangers.push(stranger(leader, &right));
        strangers.push(stranger(leader, &[0xff; 4 * ANSWER_SIZE]));
        strangers.push(answer(stranger(leader, b""), Secret([0; 32]), 0, hello(1)));
        strangers.push(answer(stranger(leader, b""), secret, 1, hello(1)));
        let closed = stranger(leader, &right[..40]);
        closed.shutdown(Shutdown::Both).expect("open");
        drop(stranger(leader, b""));
    })
    .expect("both places");
}

/// Of a listener without the secret, a caller gets no further than its code.
#[test]
fn callers_reject_acceptors_without_the_secret() {
    let (listener, address) = listener();
    listener.set_nonblocking(false).expect("a mode");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut stream, _) = listener.accept().expect("a caller");
            stream.write_all(&[1; CHALLENGE_SIZE]).expect("room");
            let mut answer = [0; ANSWER_SIZE];
            read(&mut stream, &mut answer).expect("an answer");
            // The caller's own code is no answer either.
            stream.write_all(&answer[ANSWER_SIZE - CODE_SIZE..]).expect("room");
        });
        let mut stream = TcpStream::connect(address).expect("connection");
        let error = call(&mut stream, &Secret([5; 32]), PlaceId(0), &hello(1), read).expect_err("a stranger");
        assert!(error.to_string().contains("does not know the program's secret"), "{error}");
    });
}

#[test]
fn recorded_handshake_is_of_no_use() {
    let secret = Secret([5; 32]);
    let (listener, address) = listener();
    std::thread::scope(|scope| {
        let acceptor = scope.spawn(|| {
            let deadline = Instant::now() + Duration::from_secs(1);
            StartContext { deadline, ..start(secret) }.accept(&listener, 1..2).map(|it| it.len())
        });
        let old = hello(1).answer(&secret, PlaceId(0), &[3; 32], &[9; 32]);
        let _replayed = stranger(address, &old);
        let error = acceptor.join().expect("no panic").expect_err("no place has come");
        assert!(error.to_string().contains("place 1 has not connected"), "{error}");
    });
}

/// Between its connection and its hello a place may be held up; meanwhile others get in.
#[test]
fn late_answer_is_accepted() {
    let (listener, address) = listener();
    let secret = Secret([5; 32]);
    let late = stranger(address, b"");
    let early = stranger(address, b"");
    std::thread::scope(|scope| {
        let (heard, hear) = std::sync::mpsc::channel();
        scope.spawn(move || {
            let mut early = answer(early, secret, 0, hello(2));
            read(&mut early, &mut [0; CODE_SIZE]).expect("a code");
            heard.send(answer(late, secret, 0, hello(1))).expect("the test");
        });
        let members = start(secret).accept(&listener, 1..3).expect("both");
        let places: Vec<u32> = members.iter().map(|member| member.hello.place.0).collect();
        assert_eq!(places, [1, 2]);
        drop(hear.recv());
    });
}

#[test]
fn missing_places_are_named() {
    let (listener, _) = listener();
    let context = StartContext { deadline: Instant::now(), ..start(Secret([0; 32])) };
    let error = context.accept(&listener, 1..4).err().expect("no connection is accepted").to_string();
    assert!(error.starts_with("places 1, 2, 3 have not connected in time"), "{error}");
    assert!(error.contains("APG_START_TIMEOUT"), "{error}");
    let names = ["a", "b"].map(str::to_owned).to_vec();
    let placement = &Placement::new(names, [0, 0, 1, 1].map(crate::base::place::HostId).to_vec());
    let context = StartContext { placement, ..context };
    let error = context.accept(&listener, 1..4).err().expect("no connection is accepted").to_string();
    assert!(error.starts_with("places 1 on a, 2 on b, 3 on b have"), "{error}");
    let context =
        StartContext { failed: &|| Some("place 2 is dead".to_owned()), deadline: soon(), ..context };
    let error = context.accept(&listener, 1..4).err().expect("it has failed").to_string();
    assert_eq!(error, "place 2 is dead");
}

/// The error with which place 0 ends when these come.
fn refused(hellos: &[Hello]) -> String {
    let (listener, address) = listener();
    let secret = Secret([3; 32]);
    std::thread::scope(|scope| {
        let acceptor = scope.spawn(|| start(secret).accept(&listener, 1..3).err().expect("refused"));
        let _callers: Vec<_> =
            hellos.iter().map(|hello| answer(stranger(address, b""), secret, 0, *hello)).collect();
        acceptor.join().expect("no panic").to_string()
    })
}

#[test]
fn other_program_is_rejected() {
    let error = refused(&[Hello { identity: IDENTITY + 1, ..hello(1) }]);
    assert!(error.contains("place 1 runs another program"), "{error}");
}

#[test]
fn duplicate_place_is_rejected() {
    let error = refused(&[hello(1), hello(1)]);
    assert!(error.contains("place 1 connected twice"), "{error}");
}

#[test]
fn addresses_of_both_families_round_trip() {
    for address in ["10.0.0.7:40123", "[2001:db8::1]:1", "127.0.0.1:65535"] {
        let address: SocketAddr = address.parse().expect("an address");
        assert_eq!(decode_address(&encode_address(address)), address);
    }
    assert_eq!(decode_address(&[0; ADDRESS_SIZE]).ip(), IpAddr::V6(Ipv6Addr::UNSPECIFIED));
    assert_eq!(IpAddr::V4(Ipv4Addr::LOCALHOST), LOOPBACK);
}
