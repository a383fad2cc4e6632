//! The examples of the OpenMP documents: the comment at the head of each file says what is asked of it.

use std::path::Path;

use super::program::{Kind, Program};
use super::{c_files, name_below, read};

/// The files whose comment asks for something that can be judged.
pub(super) fn find(home: &Path) -> Result<Vec<Program>, String> {
    let mut programs = Vec::new();
    for file in c_files(home)? {
        let text = read(&file)?;
        let Some(kind) = kind(&text) else { continue };
        let mut program = Program::new(name_below(home, &file), file, kind);
        program.options = vec!["-lm".to_owned()];
        program.runs[0].environment = field(&text, "env").into_iter().flat_map(variables).collect();
        programs.push(program);
    }
    Ok(programs)
}

/// The value of `@@name:` in the comment at the head.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let head = text.split_once("*/").map_or(text, |it| it.0);
    let (_, rest) = head.split_once(&format!("@@{name}:"))?;
    rest.lines().next().map(str::trim)
}

fn kind(text: &str) -> Option<Kind> {
    let operation = field(text, "operation")?;
    match (field(text, "expect")?, operation) {
        ("success", "run") => Some(Kind::Run),
        ("success", "link") => Some(Kind::Link),
        ("success", "compile") => Some(Kind::Compile),
        ("ct-error", _) => Some(Kind::MustFail),
        ("rt-error", _) => Some(Kind::RunError),
        _ => None,
    }
}

/// `A=1 B=2` or `A=1,B=2` as variables.
fn variables(text: &str) -> impl Iterator<Item = (String, String)> + '_ {
    let words = text.split([' ', ';']).filter(|word| !word.is_empty());
    words.filter_map(|word| word.split_once('=')).map(|(name, value)| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_says_what_is_asked() {
        let text = |operation: &str, expect: &str| {
            format!("/*\n* @@operation:\t{operation}\n* @@expect: {expect}\n* @@env: OMP_A=1 B=x\n*/\nint a;")
        };
        assert_eq!(kind(&text("run", "success")), Some(Kind::Run));
        assert_eq!(kind(&text("compile", "ct-error")), Some(Kind::MustFail));
        assert_eq!(kind(&text("run", "unspecified")), None);
        assert_eq!(kind("int a;"), None);
        let text = text("run", "success");
        let found: Vec<_> = variables(field(&text, "env").expect("a field")).collect();
        assert_eq!(found, [("OMP_A".to_owned(), "1".to_owned()), ("B".to_owned(), "x".to_owned())]);
    }
}
