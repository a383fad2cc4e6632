//! The files of a C program among the words of a command line.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::c_command_line::{has_extension, is_c_file, is_c_input, is_c_program};
use crate::failure::Failure;

/// The words of a command line that name a C program, and the rest, which are arguments of the program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Inputs {
    /// Translation units.
    pub(super) sources: Vec<PathBuf>,
    /// Objects and libraries.
    pub(super) objects: Vec<PathBuf>,
    /// Words behind them.
    pub(super) rest: Vec<OsString>,
}

impl Inputs {
    /// The files of a C program at the start of the words; `None` if they name a program in X10.
    ///
    /// # Errors
    /// The words name files of both languages.
    pub(crate) fn take(words: &[OsString]) -> Result<Option<Inputs>, Failure> {
        if !is_c_program(words) {
            return Ok(None);
        }
        let x10 = words.iter().find(|it| has_extension(it, &["x10"]));
        match (words.iter().find(|it| is_c_file(it)), x10) {
            (Some(c), Some(x10)) => {
                let (c, x10) = (c.display(), x10.display());
                Err(Failure::misuse(format!("`{x10}` is X10 and `{c}` is C: a program is in one of them"))
                    .hint("an argument of the program stands behind `--`"))
            }
            _ => {
                let count = words.iter().position(|it| !is_c_input(it)).unwrap_or(words.len());
                let (inputs, rest) = words.split_at(count);
                let (sources, objects): (Vec<&OsString>, _) =
                    inputs.iter().partition(|it| has_extension(it, &["c", "i", "s", "S"]));
                let paths = |words: Vec<&OsString>| words.into_iter().map(PathBuf::from).collect();
                Ok(Some(Inputs { sources: paths(sources), objects: paths(objects), rest: rest.to_vec() }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(words: &str) -> Result<Option<Inputs>, Failure> {
        Inputs::take(&words.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn files_of_a_c_program_stand_before_its_arguments() {
        let inputs = take("a.c b.o c.s 10 d.c").expect("one language").expect("C");
        assert_eq!(inputs.sources, [PathBuf::from("a.c"), "c.s".into()]);
        assert_eq!(inputs.objects, [PathBuf::from("b.o")]);
        assert_eq!(inputs.rest, ["10", "d.c"]);
        assert_eq!(take("a.x10 b").expect("one language"), None);
    }

    #[test]
    fn programs_in_two_languages_are_misuse() {
        let failure = take("a.x10 b.c").expect_err("two languages");
        assert_eq!(failure.status, 2);
        assert!(failure.message.contains("`a.x10` is X10 and `b.c` is C"), "{}", failure.message);
    }
}
