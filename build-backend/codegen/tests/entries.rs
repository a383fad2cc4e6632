//! Names of runtime entries in MIR's table of attributes exist in the ABI.

#[test]
fn entries_with_attributes_are_in_the_abi() {
    let names = apg_runtime::abi::ENTRIES.iter().map(|entry| entry.name);
    assert_eq!(apg_mir::entries::unknown_names(names), Vec::<&str>::new());
}
