//! Options of a C compiler on the command line of `apg run` and `apg build`.
//!
//! Where a C file is named, options with one dash are the compiler's, in its own spelling (`-std=c99`,
//! `-O3`, `-lm`, `-include FILE`) and in the user's order, which matters for `-D` and `-U`. They are
//! collected before clap reads the rest.

use std::ffi::{OsStr, OsString};

use crate::failure::Failure;

/// What separates the arguments of the program.
const SEPARATOR: &str = "--";

/// Options of the compiler and linker whose value may stand in the next word.
const WITH_VALUE: [&str; 11] = [
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-include",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-Xlinker",
    "-Xpreprocessor",
];

/// How options of the compiler start.
const STARTS: [&str; 12] = ["-I", "-D", "-U", "-L", "-l", "-O", "-f", "-m", "-W", "-g", "-std=", "-i"];

/// Options of the compiler that are whole words.
const WORDS: [&str; 15] = [
    COMPILE_ONLY,
    "-w",
    "-pthread",
    "-pedantic",
    "-pedantic-errors",
    "-ansi",
    "-static",
    "-rdynamic",
    "-no-pie",
    "-pie",
    "-pipe",
    "-Xlinker",
    "-Xpreprocessor",
    "-static-libgcc",
    "-nostdinc",
];

/// The option that asks for objects, not for a program.
pub(crate) const COMPILE_ONLY: &str = "-c";

/// Options that make the compiler do something other than a program.
const OTHER_MODES: [&str; 7] = ["-S", "-E", "-M", "-MM", "-shared", "-r", "-fsyntax-only"];

/// Whether a word is a path with one of these extensions.
pub(crate) fn has_extension(word: &OsStr, ends: &[&str]) -> bool {
    std::path::Path::new(word).extension().is_some_and(|it| ends.iter().any(|end| it == *end))
}

/// Whether a word names a file of C.
pub(crate) fn is_c_file(word: &OsStr) -> bool {
    has_extension(word, &["c", "i"])
}

/// Whether a word names something that a C program is linked from.
pub(crate) fn is_c_input(word: &OsStr) -> bool {
    has_extension(word, &["c", "i", "o", "a", "so", "s", "S"])
}

/// Whether words name a program in C: sources, or objects and libraries alone.
pub(crate) fn is_c_program(words: &[OsString]) -> bool {
    let has = |ends: &[&str]| words.iter().any(|it| has_extension(it, ends));
    has(&["c", "i"]) || (has(&["o", "a"]) && !has(&["x10"]))
}

/// The command line without the options of the compiler, and these: each a word, or two.
///
/// # Errors
/// An option for something other than a program, or without its value.
pub(crate) fn separate(line: Vec<OsString>) -> Result<(Vec<OsString>, Vec<Vec<String>>), Failure> {
    let end = line.iter().position(|it| it == SEPARATOR).unwrap_or(line.len());
    let own = &line[..end];
    let is_build = own.iter().skip(1).any(|it| it == "run" || it == "build");
    if !is_build || !is_c_program(own) {
        return Ok((line, Vec::new()));
    }
    let (mut kept, mut options) = (Vec::new(), Vec::new());
    let mut words = own.iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some(option) if OTHER_MODES.contains(&option) => return Err(other_mode(option)),
            Some(option) if WITH_VALUE.contains(&option) => {
                let value = words.next().and_then(|it| it.to_str()).ok_or_else(|| {
                    Failure::misuse(format!("the option `{option}` of the C compiler has no value"))
                })?;
                options.push(vec![option.to_owned(), value.to_owned()]);
            }
            Some(option) if is_compiler_option(option) => options.push(vec![option.to_owned()]),
            _ => kept.push(word.clone()),
        }
    }
    kept.extend_from_slice(&line[end..]);
    Ok((kept, options))
}

fn is_compiler_option(word: &str) -> bool {
    WORDS.contains(&word) || STARTS.iter().any(|start| word.starts_with(start))
}

fn other_mode(option: &str) -> Failure {
    Failure::misuse(format!(
        "apg builds programs and objects: `{option}` asks the C compiler for something else"
    ))
    .hint("leave it out, or call the compiler itself (`cc`)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn compiler_options_are_taken_in_their_order() {
        let line =
            "apg --color always build -O3 -std=c99 -U A -DA=1 a.c -o a.out b.c -lm --parallel host -- -O0";
        let (kept, options) = separate(words(line)).expect("no misuse");
        assert_eq!(kept, words("apg --color always build a.c -o a.out b.c --parallel host -- -O0"));
        let options: Vec<String> = options.iter().map(|it| it.join(" ")).collect();
        assert_eq!(options, ["-O3", "-std=c99", "-U A", "-DA=1", "-lm"]);
    }

    #[test]
    fn other_command_lines_stay_as_they_are() {
        for line in ["apg run a.x10 -lm -- b.c", "apg check a.c -I x", "apg", "apg run -- a.c"] {
            let (kept, options) = separate(words(line)).expect("no misuse");
            assert_eq!((kept, options.len()), (words(line), 0));
        }
    }

    #[test]
    fn other_modes_of_the_compiler_are_misuse() {
        for line in ["apg build -S a.c", "apg run a.c -I"] {
            assert_eq!(separate(words(line)).expect_err("misuse").status, 2, "{line}");
        }
    }
}
