//! The compressed stream of a program's files: whatever it holds, no more is stored than was announced, and
//! nothing is left of files that are damaged.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    apg_remote::fuzzing::receive_files(bytes);
});
