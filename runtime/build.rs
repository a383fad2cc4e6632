//! The class library is part of the binary: a change of it rebuilds the crate.

fn main() {
    println!("cargo::rerun-if-changed=x10");
}
