//! Frames of agents, supervisors and their clients: any bytes are messages or an error, and a list of files
//! that is accepted has no path outside its tree.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    apg_remote::fuzzing::read_frames(bytes);
    apg_runtime::cluster::fuzzing::read_frames(bytes);
});
