//! Streams of frames in pieces of any size.

use std::sync::Mutex;

use proptest::prelude::*;

use super::*;
use crate::base::place::PlaceId;
use crate::net::device_memory::{DeviceContext, DeviceMemory};
use crate::net::frame::encoding::Frame;
use crate::serialize::Error;

/// What has come, in words; puts go to memory of its own.
#[derive(Default)]
struct Log {
    events: Mutex<Vec<String>>,
    memory: Mutex<Vec<u8>>,
}

impl Log {
    fn note(&self, event: String) {
        self.events.lock().expect("no panic").push(event);
    }
}

impl Receiver for Log {
    fn message(&self, from: PlaceId, body: Cow<'_, [u8]>, parts: Vec<Received>) -> Result<(), Error> {
        let parts: Vec<usize> = parts
            .iter()
            .map(|part| match part {
                Received::Bytes(bytes) => bytes.len(),
                Received::Object(_) => 0,
            })
            .collect();
        self.note(format!("message from {from}: {} {parts:?}", String::from_utf8_lossy(&body)));
        if *body == *b"refused" {
            Err(Error::Malformed { expected: "another message", offset: 0 })
        } else {
            Ok(())
        }
    }

    fn begin_part(&self, _: u64, _: u64, _: u64) -> Option<(PutTarget, Handle)> {
        None
    }

    fn begin_put(&self, _: PlaceId, header: &[u8], length: u64) -> Result<Option<PutTarget>, Error> {
        /// A rail of this program has no more.
        const MAX_LENGTH: u64 = 1 << 20;
        if length > MAX_LENGTH {
            return Ok(None);
        }
        let mut memory = self.memory.lock().expect("no panic");
        *memory = vec![0; length as usize];
        Ok((header != b"there").then_some(PutTarget { address: memory.as_mut_ptr(), length }))
    }

    fn end_put(&self, _: PlaceId, header: Vec<u8>, accepted: bool) -> Result<(), Error> {
        let sum: u64 = self.memory.lock().expect("no panic").iter().map(|byte| u64::from(*byte)).sum();
        self.note(format!("put {} {accepted} {sum}", String::from_utf8_lossy(&header)));
        Ok(())
    }

    fn abandon_put(&self, from: PlaceId, header: &[u8]) {
        self.note(format!("abandoned put {} of {from}", String::from_utf8_lossy(header)));
    }

    fn peer_down(&self, _: PlaceId, _: Option<io::Error>) {}
}

fn encode(class: FrameKind, header: &[u8], body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    Frame { class, header, body, parts: &[] }.write(&mut bytes).expect("memory");
    bytes
}

/// Feeds a stream in pieces of that size: what has come, whether the sender has left, and whether the stream
/// ends between frames.
fn feed(stream: &[u8], size: usize) -> (Vec<String>, bool, io::Result<bool>) {
    let (log, left) = (Log::default(), AtomicBool::new(false));
    let mut assembly = Assembly::default();
    let delivery = Delivery { from: PlaceId(3), receiver: &log, left: &left };
    let fed = stream.chunks(size).try_for_each(|piece| match assembly.direct() {
        // As a reader does it that has memory to read to.
        Some(memory) if memory.len() >= piece.len() => {
            memory[..piece.len()].copy_from_slice(piece);
            assembly.filled(piece.len(), delivery)
        }
        _ => assembly.feed(piece, delivery),
    });
    let between = fed.map(|()| assembly.is_between_frames());
    (log.events.into_inner().expect("no panic"), left.into_inner(), between)
}

#[test]
fn receiver_hears_of_a_put_whose_sender_ends() {
    let stream = encode(FrameKind::Put, b"here", &[1; 5000]);
    let abandoned = "abandoned put here of place 3".to_owned();
    // In the header there is no put yet, and behind the last byte none any more.
    for (length, expected) in [(3, None), (stream.len() - 1, Some(abandoned)), (stream.len(), None)] {
        let (log, left) = (Log::default(), AtomicBool::new(false));
        let mut assembly = Assembly::default();
        let delivery = Delivery { from: PlaceId(3), receiver: &log, left: &left };
        assembly.feed(&stream[..length], delivery).expect("a stream of frames");
        assembly.abandon(PlaceId(3), &log);
        assembly.abandon(PlaceId(3), &log);
        let mut events = log.events.into_inner().expect("no panic");
        events.retain(|it| it.starts_with("abandoned"));
        assert_eq!(events, expected.into_iter().collect::<Vec<_>>(), "{length} bytes");
    }
}

#[test]
fn frames_are_assembled_from_pieces_of_any_size() {
    let parts = [1_u8, 3, 3, 1, 2, 2];
    let stream = [
        encode(FrameKind::Message, b"", b"hello"),
        encoding::HEARTBEAT_FRAME.to_vec(),
        encode(FrameKind::Message, &parts, b"bodyabcde"),
        encode(FrameKind::Put, b"here", &vec![1; 100_000]),
        encode(FrameKind::Put, b"there", &[1; 300]),
        encode(FrameKind::Message, b"", b""),
        encode(FrameKind::Shutdown, b"", b""),
    ]
    .concat();
    let expected = [
        "message from place 3: hello []",
        "message from place 3: body [3, 2]",
        "put here true 100000",
        "put there false 0",
        "message from place 3:  []",
    ];
    for size in [1, 2, 3, 7, 16, 17, 1000, 70_000, stream.len()] {
        let (events, left, between) = feed(&stream, size);
        assert_eq!(events, expected, "pieces of {size}");
        assert!(left && between.is_ok_and(|between| between), "pieces of {size}");
    }
    let (events, left, between) = feed(&stream[..stream.len() - 1], 100);
    assert_eq!((events.len(), left, between.ok()), (5, false, Some(false)), "cut");
}

#[test]
fn malformed_frame_ends_the_stream() {
    let zero_copy = {
        let mut frame = encode(FrameKind::Put, b"here", b"12345678");
        frame[2] = 1;
        frame
    };
    let long_parts = encode(FrameKind::Message, &[1, 9, 9], b"short");
    let refused = encode(FrameKind::Message, b"", b"refused");
    for (stream, what) in [
        (vec![9; 16], "no head"),
        (zero_copy, "lends"),
        (long_parts, "parts"),
        (refused, "a message that is refused"),
    ] {
        let stream = [encode(FrameKind::Message, b"", b"first"), stream].concat();
        let (events, _, between) = feed(&stream, 5);
        assert_eq!(between.expect_err(what).kind(), io::ErrorKind::InvalidData);
        assert_eq!(events[0], "message from place 3: first []");
    }
}

/// Memory of an accelerator is written by the transport alone.
#[test]
fn body_in_the_stream_does_not_go_to_an_accelerator() {
    struct Nowhere;
    impl DeviceContext for Nowhere {
        fn enter(&self) -> io::Result<()> {
            Ok(())
        }
    }
    struct Devices(Log);
    impl Receiver for Devices {
        fn message(&self, _: PlaceId, _: Cow<'_, [u8]>, _: Vec<Received>) -> Result<(), Error> {
            Ok(())
        }
        fn begin_part(&self, _: u64, _: u64, _: u64) -> Option<(PutTarget, Handle)> {
            None
        }
        fn begin_put(&self, from: PlaceId, header: &[u8], length: u64) -> Result<Option<PutTarget>, Error> {
            self.0.begin_put(from, header, length)
        }
        fn begin_device_put(&self, _: PlaceId, _: &[u8], length: u64) -> Result<Option<DeviceMemory>, Error> {
            Ok(Some(DeviceMemory { address: 8, length, context: Arc::new(Nowhere) }))
        }
        fn end_put(&self, from: PlaceId, header: Vec<u8>, accepted: bool) -> Result<(), Error> {
            self.0.end_put(from, header, accepted)
        }
        fn peer_down(&self, _: PlaceId, _: Option<io::Error>) {}
    }
    let (receiver, left) = (Devices(Log::default()), AtomicBool::new(false));
    let delivery = Delivery { from: PlaceId(3), receiver: &receiver, left: &left };
    let mut head = Vec::new();
    encoding::write_zero_copy_put(&mut head, b"here", 10).expect("memory");
    let mut assembly = Assembly::with_separate_bodies();
    assembly.feed(&head, delivery).expect("a head and a header");
    let rest = assembly.device().expect("memory of the accelerator");
    assert_eq!((rest.address, rest.length), (8, 10));
    assembly.filled(4, delivery).expect("a part of the body");
    let rest = assembly.device().expect("memory of the accelerator");
    assert_eq!((rest.address, rest.length), (12, 6));
    assert!(receiver.0.events.lock().expect("no panic").is_empty());
    let error = assembly.feed(b"bytes", delivery).expect_err("bytes in the stream");
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    // A message lends no memory, whatever the transport.
    let mut message = encode(FrameKind::Message, b"", b"first");
    message[2] = 1;
    let error = Assembly::with_separate_bodies().feed(&message, delivery).expect_err("a message");
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    // Without a separate body a put goes to memory of the host.
    Assembly::with_separate_bodies()
        .feed(&encode(FrameKind::Put, b"here", &[1; 9]), delivery)
        .expect("a put");
    assert_eq!(*receiver.0.events.lock().expect("no panic"), ["put here true 9"]);
}

/// A frame may say that it is longer than any memory: none is taken for what does not come.
#[test]
fn huge_length_allocates_no_memory() {
    let mut stream = encode(FrameKind::Message, b"", b"");
    stream[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    stream.extend_from_slice(&[0; 1000]);
    let (events, _, between) = feed(&stream, 100);
    assert!(events.is_empty() && between.is_ok_and(|between| !between));
}

/// A frame of a sender that follows the protocol.
fn any_frame() -> impl Strategy<Value = Vec<u8>> {
    let bytes = |length| proptest::collection::vec(any::<u8>(), 0..length);
    let message = bytes(600).prop_map(|body| encode(FrameKind::Message, b"", &body));
    let put = (bytes(20), bytes(600)).prop_map(|(header, body)| encode(FrameKind::Put, &header, &body));
    let parts = bytes(40).prop_map(|body| {
        let length = body.len() as u8;
        encode(FrameKind::Message, &[1, length, length], &body)
    });
    prop_oneof![message, put, parts, Just(encoding::HEARTBEAT_FRAME.to_vec())]
}

proptest! {
    /// Whatever a damaged or hostile sender writes, reading ends without a panic, and what is delivered does
    /// not depend on the pieces in which it comes.
    #[test]
    fn damaged_streams_are_read_alike_in_any_pieces(
        frames in proptest::collection::vec(any_frame(), 1..6),
        damages in proptest::collection::vec((any::<usize>(), any::<u8>()), 0..4),
        size in 1_usize..700,
    ) {
        let mut stream = frames.concat();
        for (at, byte) in damages {
            let at = at % stream.len();
            stream[at] = byte;
        }
        let (whole, in_pieces) = (feed(&stream, stream.len()), feed(&stream, size));
        prop_assert_eq!(&whole.0, &in_pieces.0);
        prop_assert_eq!(whole.1, in_pieces.1);
        prop_assert_eq!(whole.2.map_err(|error| error.kind()), in_pieces.2.map_err(|error| error.kind()));
    }

    /// The same of bytes that were never frames.
    #[test]
    fn random_bytes_are_refused_or_wait_for_more(stream in proptest::collection::vec(any::<u8>(), 1..300)) {
        let (whole, in_pieces) = (feed(&stream, stream.len()), feed(&stream, 1));
        prop_assert_eq!(whole.0, in_pieces.0);
        prop_assert_eq!(whole.2.is_ok(), in_pieces.2.is_ok());
    }
}
