//! Names of runtime entries in MIR's table of attributes exist in the ABI.

#[test]
fn entries_with_attributes_are_in_the_abi() {
    let names = apg_runtime::abi::ENTRIES.iter().map(|entry| entry.name);
    assert_eq!(apg_mir::entries::unknown_names(names), Vec::<&str>::new());
}

#[test]
fn entries_of_kernels_have_names_of_their_own() {
    let is_known = |name: &&str| apg_runtime::abi::ENTRIES.iter().any(|entry| entry.name == *name);
    assert_eq!(apg_mir::team::names().find(is_known), None);
}
