//! Names of hosts: `apg.toml`, host files and host lists, and appointments of processes. What is read
//! is read again from what is written.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    apg_remote::fuzzing::read_configuration(text);
    apg_runtime::cluster::fuzzing::read_names(text);
});
