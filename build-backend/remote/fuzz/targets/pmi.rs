//! PMI-1: a launcher that answers anything.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    apg_runtime::cluster::fuzzing::speak_pmi1(bytes);
});
