//! Messages of GCC and Clang about C++ code, parsed: `FILE:LINE:COLUMN: error: TEXT`; and those of linkers.

use std::path::PathBuf;

/// An error in C++ code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The file, as `#line` names it.
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
    /// From 1, in bytes; 0 if it is not told.
    pub column: usize,
    /// What is wrong.
    pub text: String,
    /// What the compiler adds to it.
    pub notes: Vec<String>,
}

/// The errors in what a compiler printed, in order.
pub fn parse(printed: &str) -> Vec<Message> {
    let mut found: Vec<Message> = Vec::new();
    for line in printed.lines() {
        if let Some((place, text)) = line.split_once(" error: ") {
            let place = place.strip_suffix(" fatal").unwrap_or(place);
            if let Some((file, line, column)) = location(place) {
                let text = text.trim().to_owned();
                found.push(Message { file: file.into(), line, column, text, notes: Vec::new() });
            }
        } else if let (Some((place, text)), Some(last)) = (line.split_once(" note: "), found.last_mut())
            && let Some((file, line, _)) = location(place)
        {
            last.notes.push(format!("{text} ({file}:{line})"));
        }
    }
    found.dedup();
    found
}

/// `FILE:LINE:COLUMN:` or `FILE:LINE:`.
fn location(place: &str) -> Option<(&str, usize, usize)> {
    let (rest, last) = place.strip_suffix(':')?.rsplit_once(':')?;
    let last = last.parse().ok()?;
    let with_column = rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    Some(with_column.map_or((rest, last, 0), |(file, line)| (file, line, last)))
}

/// What a linker does not find, in words: libraries, else symbols. The message itself if it says something else.
pub fn link_message(printed: &str) -> String {
    let missing = |before: &[&str]| -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for line in printed.lines() {
            let Some(rest) = before.iter().find_map(|it| line.split_once(it)).map(|it| it.1) else {
                continue;
            };
            let name = rest.trim_start_matches(['`', '\'', ' ']);
            let name = name.split(['\'', ':']).next().unwrap_or(name).trim();
            let name = if rest.contains("::") { rest.trim_matches(['`', '\'', ' ']) } else { name };
            if !names.iter().any(|it| it == name) {
                names.push(name.to_owned());
            }
        }
        names
    };
    let listed = |names: Vec<String>| names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    let libraries = missing(&["cannot find -l", "unable to find library -l", "library not found: "]);
    if !libraries.is_empty() {
        return format!("the linker does not find the library {}", listed(libraries));
    }
    let symbols = missing(&["undefined reference to ", "undefined symbol: "]);
    if !symbols.is_empty() {
        return format!("the linker does not find {}, which the program's C++ code uses", listed(symbols));
    }
    format!("the program's C++ code cannot be linked\n{}", printed.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_found_among_what_compilers_print() {
        let printed = "\
In file included from /tmp/unit.cpp:2:
/a b/e.h: In function 'int h()':
/a b/e.h:1:26: error: expected ';' before '}' token
    1 | inline int h() { return 1 }
      |                          ^~
/w/E.x10:6: error: 'missing' was not declared: in this scope
/w/lib.h:7:3: note: declared here
/w/E.x10:3:10: fatal error: e2.cc: No such file or directory
compilation terminated.
collect2: error: ld returned 1 exit status
";
        let found = parse(printed);
        let shown: Vec<_> = found.iter().map(|it| (it.file.to_str().unwrap(), it.line, it.column)).collect();
        assert_eq!(shown, [("/a b/e.h", 1, 26), ("/w/E.x10", 6, 0), ("/w/E.x10", 3, 10)]);
        assert_eq!(found[1].text, "'missing' was not declared: in this scope");
        assert_eq!(found[1].notes, ["declared here (/w/lib.h:7)"]);
        assert_eq!(found[2].text, "e2.cc: No such file or directory");
    }

    #[test]
    fn what_linkers_do_not_find_is_named_once() {
        let printed = "\
/usr/bin/ld: /c/a.o: in function `F(long)':
/c/a.cpp:5: undefined reference to `f(long)'
/usr/bin/ld: /c/a.o:a.cpp:6: undefined reference to `f(long)'
ld.lld: error: undefined symbol: n::g(int)
collect2: error: ld returned 1 exit status
";
        let message = link_message(printed);
        assert_eq!(
            message,
            "the linker does not find `f(long)`, `n::g(int)`, which the program's C++ code uses"
        );
        let message = link_message("/usr/bin/ld: cannot find -lblas: No such file or directory\nmore");
        assert_eq!(message, "the linker does not find the library `blas`");
        assert!(link_message("ld: something else").ends_with("linked\nld: something else"));
    }
}
