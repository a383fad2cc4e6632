//! Rings between two ends in one process.

use std::io::{Read, Write};

use super::*;

#[test]
fn bytes_keep_their_order() {
    let memory = Memory::new().expect("memory");
    let (mut ours, _) = memory.rings(1).expect("mapped");
    let (_, mut theirs) = Memory::open(memory.address()).expect("opened").rings(0).expect("mapped");
    let sent: Vec<u8> = (0..3 * CAPACITY as u32 + 77).map(|i| (i * 31 % 251) as u8).collect();
    let expected = sent.clone();
    let writer = std::thread::spawn(move || {
        for piece in sent.chunks(100_003) {
            theirs.write_all(piece).expect("written");
        }
        theirs.end();
    });
    let mut found = Vec::new();
    ours.read_to_end(&mut found).expect("read");
    assert!(found == expected);
    writer.join().expect("no panic");
}

#[test]
fn zero_copy_transfers_are_fetched() {
    let memory = Memory::new().expect("memory");
    let ((mut reader, _), (_, mut writer)) =
        (memory.rings(0).expect("mapped"), memory.rings(1).expect("mapped"));
    assert!(!writer.supports_zero_copy());
    reader.accept_zero_copy();
    assert!(!writer.supports_zero_copy(), "nothing was offered");
    writer.offer_zero_copy();
    reader.accept_zero_copy();
    if !writer.supports_zero_copy() {
        println!("SKIPPED: this process cannot read memory by its number");
        return;
    }
    let sent: Vec<u8> = (0..100_000_u32).map(|i| (i * 31 % 251) as u8).collect();
    let expected = sent.clone();
    let wait = writer.fetches_after(2);
    let lend = std::thread::spawn(move || {
        writer.write_all(&(sent.as_ptr() as u64).to_le_bytes()).expect("written");
        writer.write_all(&0_u64.to_le_bytes()).expect("written");
        writer.wait_for_fetches(wait).expect("fetched");
    });
    let mut found = vec![0; expected.len()];
    reader.fetch(Some(&mut found)).expect("fetched");
    reader.fetch(None).expect("left");
    lend.join().expect("no panic");
    assert!(found == expected);
}

#[test]
fn abandoned_writer_is_woken() {
    let memory = Memory::new().expect("memory");
    let ((_, mut ring), (other, _)) = (memory.rings(1).expect("mapped"), memory.rings(0).expect("mapped"));
    let writer = std::thread::spawn(move || ring.write_all(&vec![1; CAPACITY + 1]).is_err());
    std::thread::sleep(std::time::Duration::from_millis(20));
    other.abandon();
    assert!(writer.join().expect("no panic"));
}

#[test]
fn inline_messages_precede_the_ring() {
    let memory = Memory::new().expect("memory");
    let (ours, answers) = memory.rings(0).expect("mapped");
    let (back, theirs) = memory.rings(1).expect("mapped");
    // Whether it was inline, and its bytes.
    let next = |ring: &Ring| {
        let (mut bytes, mut note) = ([0; 64], [0; MAX_INLINE_BYTES]);
        let length = ring.peek(&mut bytes);
        if let Some(length) = ring.take_inline(&mut note) {
            return Some((true, note[..length].to_vec()));
        }
        ring.skip(length);
        (length > 0).then(|| (false, bytes[..length].to_vec()))
    };
    assert!(!ours.is_ready() && next(&ours).is_none());
    assert!(theirs.write_inline(b"first", false));
    assert!(!theirs.write_inline(b"second", false), "the first was not read");
    assert!(theirs.write_at_once([b"sec", b"", b"ond"]));
    assert!(ours.is_ready());
    assert_eq!(next(&ours), Some((true, b"first".to_vec())));
    assert_eq!(next(&ours), Some((false, b"second".to_vec())));
    assert!(next(&ours).is_none());
    assert!(!theirs.write_inline(b"third", false), "it is not known that the first was read");
    assert!(answers.write_inline(b"", false));
    assert_eq!(next(&back), Some((true, Vec::new())));
    assert!(theirs.write_inline(&[5; MAX_INLINE_BYTES], false));
    assert_eq!(next(&ours), Some((true, vec![5; MAX_INLINE_BYTES])));
    assert!(answers.write_at_once([b"known", b"", b""]));
    assert_eq!(next(&back), Some((false, b"known".to_vec())));
    assert!(!theirs.write_inline(&[5; MAX_INLINE_BYTES + 1], false), "too long");
    assert!(theirs.write_at_once([b"in the ring", b"", b""]));
    assert!(!theirs.write_inline(b"later", false), "the ring is not empty");
    assert_eq!(next(&ours), Some((false, b"in the ring".to_vec())));
    assert!(theirs.write_inline(b"now", false));
}

#[test]
fn promise_holds_for_one_message() {
    let memory = Memory::new().expect("memory");
    let (ours, questions) = memory.rings(0).expect("mapped");
    let (back, theirs) = memory.rings(1).expect("mapped");
    let mut note = [0; MAX_INLINE_BYTES];
    ours.set_polled(false);
    ours.promise();
    assert!(questions.write_inline(b"question", true));
    assert_eq!(back.take_inline(&mut note), Some(8));
    assert!(theirs.write_inline(b"answer", false));
    assert!(ours.has_kept_promise(), "nobody was woken for that");
    assert_eq!(ours.take_inline(&mut note), Some(6));
    assert!(theirs.write_at_once([b"more", b"", b""]));
    assert!(!ours.has_kept_promise(), "who sleeps is woken");
}

#[test]
fn only_sleeping_ends_are_woken() {
    let memory = Memory::new().expect("memory");
    let (ours, _) = memory.rings(0).expect("mapped");
    let (_, theirs) = memory.rings(1).expect("mapped");
    let state = || ours.shared.doorbells[1].state.load(Ordering::Relaxed);
    ours.set_polled(true);
    ours.promise();
    assert_eq!(state(), doorbell::AWAKE, "who looks on says himself when he looks no more");
    ours.set_polled(false);
    assert!(theirs.write_at_once([b"asleep", b"", b""]));
    assert_eq!(state(), doorbell::AWAKE, "woken");
}
