//! Options of a C compiler on the command line of `apg check`, `apg run` and `apg build`.
//!
//! Where a C file is named, or a folder to check, options with one dash are the compiler's, in its own
//! spelling (`-std=c99`, `-O3`, `-lm`, `-include FILE`) and in the user's order, which matters for `-D` and
//! `-U`. They are collected before clap reads the rest.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::failure::Failure;

/// What separates the arguments of the program.
const SEPARATOR: &str = "--";

/// Options of the compiler and linker whose value may stand in the next word.
const WITH_VALUE: [&str; 12] = [
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-include",
    "-imacros",
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

/// How options of the preprocessor start, and those that choose the language and its predefined macros.
const PREPROCESSOR_STARTS: [&str; 13] = [
    "-I",
    "-D",
    "-U",
    "-std=",
    "-ansi",
    "-m",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-nostdinc",
    "-pthread",
];

/// The version of the language in the long spelling of GCC and Clang.
const LONG_STANDARD: &str = "--std";

/// The option that asks for objects, not for a program.
pub(crate) const COMPILE_ONLY: &str = "-c";

/// Options that make the compiler do something other than a program.
const OTHER_MODES: [&str; 6] = ["-S", "-E", "-M", "-MM", "-shared", "-r"];

/// The option that asks for errors alone: what `apg check` does.
const SYNTAX_ONLY: &str = "-fsyntax-only";

/// Whether a word is a path with one of these extensions.
pub(crate) fn has_extension(word: &OsStr, ends: &[&str]) -> bool {
    Path::new(word).extension().is_some_and(|it| ends.iter().any(|end| it == *end))
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

/// Commands that take options of the C compiler.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Check,
    Build,
}

impl Mode {
    /// The mode of the command that a line names first.
    fn of(own: &[OsString]) -> Option<Mode> {
        own.iter().skip(1).find_map(|word| match word.to_str()? {
            "check" => Some(Mode::Check),
            "run" | "build" => Some(Mode::Build),
            _ => None,
        })
    }

    /// Whether this command's words can concern C. A check without files is one of the current folder.
    fn concerns_c(self, own: &[OsString]) -> bool {
        match self {
            Mode::Build => is_c_program(own),
            Mode::Check => {
                own.iter().skip(1).any(|it| is_c_file(it) || Path::new(it).is_dir())
                    || !own.iter().any(|it| has_extension(it, &["x10"]))
            }
        }
    }
}

/// The command line without the options of the compiler, and these: each a word, or two.
///
/// # Errors
/// An option for something other than a program, or without its value.
pub(crate) fn separate(line: Vec<OsString>) -> Result<(Vec<OsString>, Vec<Vec<String>>), Failure> {
    let end = line.iter().position(|it| it == SEPARATOR).unwrap_or(line.len());
    let own = &line[..end];
    let Some(mode) = Mode::of(own).filter(|mode| mode.concerns_c(own)) else {
        return Ok((line, Vec::new()));
    };
    let (mut kept, mut options) = (Vec::new(), Vec::new());
    let mut words = own.iter();
    while let Some(word) = words.next() {
        let Some(option) = word.to_str() else {
            kept.push(word.clone());
            continue;
        };
        let mut value = || {
            words.next().and_then(|it| it.to_str()).ok_or_else(|| {
                Failure::misuse(format!("the option `{option}` of the C compiler has no value"))
            })
        };
        if OTHER_MODES.contains(&option) || (option == SYNTAX_ONLY && mode == Mode::Build) {
            return Err(other_mode(option, mode));
        } else if option == LONG_STANDARD {
            options.push(vec![format!("-std={}", value()?)]);
        } else if let Some(version) = option.strip_prefix("--std=") {
            options.push(vec![format!("-std={version}")]);
        } else if WITH_VALUE.contains(&option) {
            options.push(vec![option.to_owned(), value()?.to_owned()]);
        } else if is_compiler_option(option) {
            options.push(vec![option.to_owned()]);
        } else {
            kept.push(word.clone());
        }
    }
    kept.extend_from_slice(&line[end..]);
    Ok((kept, options))
}

/// The words of those options that a check depends on, in their order: of the preprocessor and the language.
/// Others, as `-O3`, `-Wall`, `-lm` or `-fPIC`, are without effect on it.
pub(crate) fn words_for_check(options: Vec<Vec<String>>) -> Vec<String> {
    let has_effect = |words: &Vec<String>| {
        words.first().is_some_and(|it| PREPROCESSOR_STARTS.iter().any(|start| it.starts_with(start)))
    };
    options.into_iter().filter(has_effect).flatten().collect()
}

fn is_compiler_option(word: &str) -> bool {
    WORDS.contains(&word) || STARTS.iter().any(|start| word.starts_with(start))
}

fn other_mode(option: &str, mode: Mode) -> Failure {
    let does = match mode {
        Mode::Check => "apg check reports errors",
        Mode::Build => "apg builds programs and objects",
    };
    Failure::misuse(format!("{does}: `{option}` asks the C compiler for something else"))
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
        for line in
            ["apg run a.x10 -lm -- b.c", "apg check a.x10 -O3", "apg fmt a.c -I x", "apg", "apg run -- a.c"]
        {
            let (kept, options) = separate(words(line)).expect("no misuse");
            assert_eq!((kept, options.len()), (words(line), 0));
        }
    }

    #[test]
    fn checks_take_options_of_the_preprocessor_in_their_order() {
        let line =
            "apg check -O3 -std=c99 a.c -U A -DA=1 --deny warnings -Wall -isystem s -include f.h -fPIC -lm";
        let (kept, options) = separate(words(line)).expect("no misuse");
        assert_eq!(kept, words("apg check a.c --deny warnings"));
        let expected = "-std=c99 -U A -DA=1 -isystem s -include f.h";
        assert_eq!(words_for_check(options).join(" "), expected);
    }

    #[test]
    fn checks_of_folders_take_options_of_the_compiler() {
        for line in [
            "apg check -I include . --std c99",
            "apg check -Iinclude --std=c99",
            "apg check a.x10 . -std=c99",
        ] {
            let options = words_for_check(separate(words(line)).expect("no misuse").1);
            assert_eq!(options.last().map(String::as_str), Some("-std=c99"), "{line}");
        }
    }

    #[test]
    fn other_modes_of_the_compiler_are_misuse() {
        for line in ["apg build -S a.c", "apg run a.c -I", "apg build -fsyntax-only a.c", "apg check -E a.c"]
        {
            assert_eq!(separate(words(line)).expect_err("misuse").status, 2, "{line}");
        }
    }
}
