//! The journal of a job: any file is whole records, of which each is read, and a rest that is left out.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    apg_remote::fuzzing::read_journal(bytes);
});
