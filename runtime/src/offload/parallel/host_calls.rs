//! Functions of the host that threads of a GPU call: the thread that has launched the region makes the calls
//! in the order of their tickets, so that those of one thread keep their order.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

use super::layout::{CALLS, HostCall, call_state};
use crate::device::{DeviceError, Kind};

/// The calls of a region.
pub(super) struct HostCalls<'s> {
    calls: *mut HostCall,
    next: usize,
    /// Counts the begins and the ends of calls: it is odd inside of one.
    served: &'s AtomicU64,
}

/// Tells threads that wait for calls that the program ends.
///
/// # Safety
/// There are [`CALLS`] calls at the address.
pub(super) unsafe fn end_all(calls: *const HostCall) {
    for index in 0..CALLS {
        // SAFETY: one of the calls; threads of the device read it as an atomic number.
        unsafe { &(*calls.add(index)).ended }.store(1, Ordering::Release);
    }
}

impl HostCalls<'_> {
    /// # Safety
    /// There are [`CALLS`] calls at the address, of which none is requested, and no other thread of the host
    /// makes them.
    pub(super) unsafe fn new(calls: *mut HostCall, served: &AtomicU64) -> HostCalls<'_> {
        HostCalls { calls, next: 0, served }
    }

    /// Makes the calls that threads wait for.
    ///
    /// # Errors
    /// A call has an operand that means nothing on the host.
    pub(super) fn serve(&mut self) -> Result<(), DeviceError> {
        loop {
            // SAFETY: one of the calls.
            let call = unsafe { self.calls.add(self.next % CALLS) };
            // SAFETY: a call is there; threads of the device change it as an atomic number.
            let state = unsafe { &(*call).state };
            if state.load(Ordering::Acquire) != call_state::ASKED {
                return Ok(());
            }
            // SAFETY: the thread that asks leaves the call alone until it is done.
            let (function, operands) = unsafe { ((*call).function, &raw mut (*call).operands) };
            if function == 0 {
                // SAFETY: as above; the first word is the number of the operand.
                let number = unsafe { operands.cast::<u64>().read() };
                return Err(DeviceError::new(
                    Kind::Unsupported,
                    format!(
                        "operand {number} of a function of the host is an address in an object that one thread of \
                         the region has, and whose size the call does not tell or is too large"
                    ),
                ));
            }
            // SAFETY: a function at the end of the edited program, for operands in words.
            let function: extern "C" fn(*mut c_void) = unsafe { std::mem::transmute(function) };
            self.served.fetch_add(1, Ordering::AcqRel);
            function(operands.cast());
            self.served.fetch_add(1, Ordering::AcqRel);
            state.store(call_state::DONE, Ordering::Release);
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn add(words: *mut c_void) {
        let words = words.cast::<u64>();
        // SAFETY: the words of the call below.
        unsafe { *words = *words.add(1) + *words.add(2) };
    }

    #[test]
    fn calls_are_made_in_order() {
        // SAFETY: zeros are calls that no thread has made.
        let mut calls: Vec<HostCall> = (0..CALLS).map(|_| unsafe { std::mem::zeroed() }).collect();
        let counter = AtomicU64::new(0);
        // SAFETY: the calls of the test.
        let mut served = unsafe { HostCalls::new(calls.as_mut_ptr(), &counter) };
        let ask = |call: &mut HostCall, function: usize, a: u64| {
            (call.function, call.operands[1], call.operands[2]) = (function, a, 1);
            call.state.store(call_state::ASKED, Ordering::Release);
        };
        let function = add as extern "C" fn(*mut c_void) as usize;
        ask(&mut calls[1], function, 2);
        served.serve().expect("nothing to do");
        assert_eq!(calls[1].state.load(Ordering::Relaxed), call_state::ASKED);
        ask(&mut calls[0], function, 1);
        served.serve().expect("made");
        assert_eq!([calls[0].operands[0], calls[1].operands[0]], [2, 3]);
        assert_eq!(calls[1].state.load(Ordering::Relaxed), call_state::DONE);
        assert_eq!(counter.load(Ordering::Relaxed), 4, "two calls have begun and ended");
        calls[2].operands[0] = 4;
        ask(&mut calls[2], 0, 0);
        let error = served.serve().expect_err("no function");
        assert!(error.message.starts_with("operand 4 of a function"), "{}", error.message);
        assert!(calls.iter().all(|it| it.ended.load(Ordering::Relaxed) == 0));
        // SAFETY: the calls of the test.
        unsafe { end_all(calls.as_ptr()) };
        assert!(calls.iter().all(|it| it.ended.load(Ordering::Relaxed) != 0));
    }
}
