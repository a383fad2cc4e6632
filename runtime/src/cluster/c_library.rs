//! The GNU C library that this executable needs on a host: the newest symbol version among those that it
//! requires (`SHT_GNU_verneed`, Linux Standard Base Core, "Symbol Versioning"), compared with the version
//! that the host has before the executable is copied there.

use std::fmt;

use object::read::elf::{FileHeader, SectionHeader};
use object::{Endianness, elf};

/// A version of the GNU C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    major: u32,
    minor: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Version {
    /// Reads `2.34`, also with more behind it (`2.2.5`).
    fn parse(text: &str) -> Option<Version> {
        let mut numbers = text.split('.');
        let mut number = || numbers.next()?.parse().ok();
        Some(Version { major: number()?, minor: number()? })
    }

    /// Reads what `getconf GNU_LIBC_VERSION` prints: `glibc 2.36`. `None` for another C library.
    pub(super) fn of_host(printed: &str) -> Option<Version> {
        Version::parse(printed.trim().strip_prefix("glibc ")?.trim())
    }
}

/// The version that an executable needs, from the bytes of its file; `None` if it needs none, as when it is
/// linked statically, or is no ELF file of 64 bits.
pub(super) fn required(file: &[u8]) -> Option<Version> {
    newest_required(file).ok().flatten()
}

fn newest_required(file: &[u8]) -> object::Result<Option<Version>> {
    let header = elf::FileHeader64::<Endianness>::parse(file)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, file)?;
    let mut newest = None;
    for section in sections.iter() {
        let Some((mut libraries, names)) = section.gnu_verneed(endian, file)? else { continue };
        let names = sections.strings(endian, file, names)?;
        while let Some((_, mut versions)) = libraries.next()? {
            while let Some(version) = versions.next()? {
                let name = String::from_utf8_lossy(version.name(endian, names)?);
                newest = newest.max(name.strip_prefix("GLIBC_").and_then(Version::parse));
            }
        }
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_numbers() {
        let version = |text: &str| Version::parse(text).expect("a version");
        assert!(version("2.9") < version("2.34") && version("2.34") < version("3.0"));
        assert_eq!(version("2.2.5"), version("2.2"));
        assert_eq!(Version::of_host("glibc 2.36\n"), Some(version("2.36")));
        assert_eq!(Version::of_host("glibc 2.36").expect("a version").to_string(), "2.36");
        for other in ["", "musl 1.2.5", "glibc", "glibc x.y", "getconf: Unknown variable"] {
            assert_eq!(Version::of_host(other), None, "{other}");
        }
    }

    #[test]
    fn executable_needs_a_version_that_this_machine_has() {
        let file = std::env::current_exe().and_then(std::fs::read).expect("this executable");
        let needed = required(&file).expect("it is linked with the system's C library");
        assert!(needed >= Version { major: 2, minor: 2 }, "{needed}");
        assert_eq!(required(b"no executable"), None);
        assert_eq!(required(&file[..4096]), None, "sections are at the end of a file");
    }
}
