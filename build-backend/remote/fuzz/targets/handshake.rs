//! The answer of a caller at a rendezvous and between places: no bytes are accepted that do not prove the
//! secret, and what a hello says survives its encoding.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    apg_runtime::cluster::fuzzing::answer_challenge(bytes);
});
