//! Activities that wait for the bodies of their `at` elsewhere. What one waits with belongs to its fiber and
//! is used again and again, so that an `at` takes neither memory nor a lock.

use std::cell::{Cell, UnsafeCell};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::scheduler::park::Event;
use crate::scheduler::{PollGuard, fiber};
use crate::serialize::out_of_band::Received;

/// What an activity waits with.
pub struct Call {
    /// Where it is in the table.
    index: u64,
    /// How often it was used. Of the activity that waits.
    generation: Cell<u64>,
    /// The place that was asked, which alone may answer.
    place: AtomicU32,
    /// What is waited for; 0 once it has come. Who sets that is alone with the answer until it has said so.
    number: AtomicU64,
    answer: UnsafeCell<Answer>,
    arrived: Event,
    /// Memory for the message. Of the activity that waits.
    message: Cell<Vec<u8>>,
}

/// What has come.
#[derive(Default)]
pub struct Answer {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What arrived beside them.
    pub parts: Vec<Received>,
}

// SAFETY: see the fields.
unsafe impl Sync for Call {}
// SAFETY: as above.
unsafe impl Send for Call {}

/// Bytes of a message for which memory is kept.
pub const MAX_KEPT_CAPACITY: usize = 4096;
/// Bits of a number that are the index.
const INDEX_BITS: u32 = 24;
/// Calls of a part of the table.
const CHUNK_SIZE: usize = 1 << 12;

type Chunk = Box<[AtomicPtr<Call>]>;

/// All of this place, by index.
static TABLE: [OnceLock<Chunk>; (1 << INDEX_BITS) / CHUNK_SIZE] =
    [const { OnceLock::new() }; (1 << INDEX_BITS) / CHUNK_SIZE];
/// Those that no fiber keeps, and how many there are.
static FREE: Mutex<(Vec<&'static Call>, u64)> = Mutex::new((Vec::new(), 0));

fn entry(index: u64) -> Option<&'static AtomicPtr<Call>> {
    TABLE.get(index as usize / CHUNK_SIZE)?.get()?.get(index as usize % CHUNK_SIZE)
}

fn make(index: u64) -> &'static Call {
    assert!(index < 1 << INDEX_BITS, "fewer activities wait than that");
    let call: &'static Call = Box::leak(Box::new(Call {
        index,
        generation: Cell::new(0),
        place: AtomicU32::new(0),
        number: AtomicU64::new(0),
        answer: UnsafeCell::default(),
        arrived: Event::default(),
        message: Cell::default(),
    }));
    TABLE[index as usize / CHUNK_SIZE]
        .get_or_init(|| (0..CHUNK_SIZE).map(|_| AtomicPtr::default()).collect());
    let entry = entry(index).unwrap_or_else(|| unreachable!("just made"));
    entry.store(std::ptr::from_ref(call).cast_mut(), Ordering::Release);
    call
}

/// Takes the call that a fiber keeps.
fn take_kept(fiber: &fiber::Fiber) -> Option<&'static Call> {
    // SAFETY: null, or a call that [`PendingCall`] has stored; calls are never freed.
    unsafe { fiber.call.replace(std::ptr::null()).cast::<Call>().as_ref() }
}

/// The right to wait for one answer.
pub struct PendingCall(&'static Call);

impl PendingCall {
    /// For the caller.
    pub fn new() -> PendingCall {
        let kept = fiber::current().and_then(take_kept);
        PendingCall(kept.unwrap_or_else(|| {
            let mut free = FREE.lock();
            free.0.pop().unwrap_or_else(|| {
                free.1 += 1;
                make(free.1 - 1)
            })
        }))
    }

    /// The number by which the answer will name it.
    pub fn number(&self) -> u64 {
        // Never 0.
        (self.0.generation.get() + 1) << INDEX_BITS | self.0.index
    }

    /// Waits for the answer of `place` to a message that `send` sends, with the memory that it gets. What
    /// `send` results in is what to wait with.
    pub fn send<E>(
        &mut self,
        place: u32,
        send: impl FnOnce(&mut Vec<u8>) -> Result<Option<PollGuard>, E>,
    ) -> Result<&mut Answer, E> {
        let call = self.0;
        let mut message = call.message.take();
        message.clear();
        call.arrived.reset();
        call.place.store(place, Ordering::Relaxed);
        call.number.store(self.number(), Ordering::Release);
        call.generation.set(call.generation.get() + 1);
        let sent = send(&mut message);
        if message.capacity() <= MAX_KEPT_CAPACITY {
            call.message.set(message);
        }
        match sent {
            Ok(guard) => call.arrived.wait_for_remote(guard),
            Err(error) => {
                // Nothing was sent.
                call.number.store(0, Ordering::Relaxed);
                return Err(error);
            }
        }
        // SAFETY: it has come, so nobody else has it.
        Ok(unsafe { &mut *call.answer.get() })
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        // SAFETY: nobody is waited for.
        let answer = unsafe { &mut *self.0.answer.get() };
        answer.parts.clear();
        if answer.bytes.capacity() > MAX_KEPT_CAPACITY {
            answer.bytes = Vec::new();
        }
        // Its activity may have come to another thread, but not to another fiber.
        match fiber::current() {
            Some(fiber) if fiber.call.get().is_null() => fiber.call.set(std::ptr::from_ref(self.0).cast()),
            _ => FREE.lock().0.push(self.0),
        }
    }
}

/// Hands an answer of `from` to the activity that waits for it; false if none does.
pub fn on_answer(from: u32, number: u64, bytes: &[u8], parts: Vec<Received>) -> bool {
    let Some(entry) = entry(number & ((1 << INDEX_BITS) - 1)) else { return false };
    // SAFETY: null, or one of those, which live for ever.
    let Some(call) = (unsafe { entry.load(Ordering::Acquire).as_ref() }) else { return false };
    // Of another generation, the number will not be the same any more.
    if call.number.load(Ordering::Acquire) != number || call.place.load(Ordering::Relaxed) != from {
        return false;
    }
    let taken = call.number.compare_exchange(number, 0, Ordering::AcqRel, Ordering::Relaxed);
    if number == 0 || taken.is_err() {
        return false;
    }
    // SAFETY: the one that took the number away.
    let answer = unsafe { &mut *call.answer.get() };
    answer.bytes.clear();
    answer.bytes.extend_from_slice(bytes);
    answer.parts = parts;
    call.arrived.set();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_comes_once_to_the_one_that_waits() {
        let mut waiting = PendingCall::new();
        let number = waiting.number();
        assert!(!on_answer(3, number, b"early", Vec::new()), "nobody waits yet");
        let answer = waiting.send(3, |message| {
            message.extend_from_slice(b"question");
            std::thread::spawn(move || {
                assert!(!on_answer(3, number + (1 << INDEX_BITS), b"another generation", Vec::new()));
                assert!(!on_answer(2, number, b"another place", Vec::new()));
                assert!(on_answer(3, number, b"answer", Vec::new()));
                assert!(!on_answer(3, number, b"twice", Vec::new()));
            });
            Ok::<_, ()>(None)
        });
        assert_eq!(answer.map(|it| it.bytes.clone()), Ok(b"answer".to_vec()));
        assert!(waiting.send(3, |_| Err(7)).is_err_and(|error| error == 7));
        assert!(!on_answer(3, waiting.number(), b"", Vec::new()), "that was not sent");
        assert!(!on_answer(3, 0, b"", Vec::new()) && !on_answer(3, u64::MAX, b"", Vec::new()));
    }
}
