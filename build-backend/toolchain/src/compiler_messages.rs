//! Parsing of error messages: of GCC and Clang (`FILE:LINE:COLUMN: error: TEXT`), and of linkers.

use std::path::PathBuf;

/// A message about a place in C or C++ code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerMessage {
    /// Not an error but a warning.
    pub is_warning: bool,
    /// The file, as `#line` names it.
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
    /// From 1, in bytes; 0 if the message has none.
    pub column: usize,
    /// The message.
    pub message: String,
    /// Notes that follow it.
    pub notes: Vec<String>,
}

/// The errors and warnings in the output of a compiler, in order.
pub fn parse_messages(output: &str) -> Vec<CompilerMessage> {
    let mut found: Vec<CompilerMessage> = Vec::new();
    for line in output.lines() {
        let error = line.split_once(" error: ").map(|it| (false, it));
        let main = error.or_else(|| line.split_once(" warning: ").map(|it| (true, it)));
        if let Some((is_warning, (location, text))) = main {
            let location = location.strip_suffix(" fatal").unwrap_or(location);
            if let Some((file, line, column)) = parse_location(location) {
                let (file, message) = (file.into(), text.trim().to_owned());
                found.push(CompilerMessage { is_warning, file, line, column, message, notes: Vec::new() });
            }
        } else if let (Some((location, text)), Some(last)) = (line.split_once(" note: "), found.last_mut())
            && let Some((file, line, _)) = parse_location(location)
        {
            last.notes.push(format!("{text} ({file}:{line})"));
        }
    }
    found.dedup();
    found
}

/// `FILE:LINE:COLUMN:` or `FILE:LINE:`.
fn parse_location(location: &str) -> Option<(&str, usize, usize)> {
    let (rest, last) = location.strip_suffix(':')?.rsplit_once(':')?;
    let last = last.parse().ok()?;
    let with_column = rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    Some(with_column.map_or((rest, last, 0), |(file, line)| (file, line, last)))
}

/// Describes what a linker does not find: libraries, else symbols. Other output is returned as it is.
pub(crate) fn describe_link_errors(output: &str) -> String {
    let missing = |before: &[&str]| -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for line in output.lines() {
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
    format!("the program's C++ code cannot be linked\n{}", output.trim_end())
}

/// Whether a compiler or linker failed for want of memory. `is_limited`: the process may use only some of the
/// address space, where a crash of the compiler almost always is an allocation that it does not check.
pub(crate) fn is_out_of_memory(output: &str, is_limited: bool) -> bool {
    let refused = ["memory exhausted", "out of memory", "Cannot allocate memory", "std::bad_alloc"];
    let killed = "Killed signal terminated program";
    let crashed = "Segmentation fault signal terminated program";
    refused.iter().any(|text| output.contains(text))
        || output.contains(killed)
        || (is_limited && output.contains(crashed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_parsed_from_compiler_output() {
        let output = "\
In file included from /tmp/unit.cpp:2:
/a b/e.h: In function 'int h()':
/a b/e.h:1:26: error: expected ';' before '}' token
    1 | inline int h() { return 1 }
      |                          ^~
/w/E.x10:6: error: 'missing' was not declared: in this scope
/w/lib.h:7:3: note: declared here
/w/lib.h:9:5: warning: unused variable 'a'
/w/E.x10:3:10: fatal error: e2.cc: No such file or directory
compilation terminated.
collect2: error: ld returned 1 exit status
";
        let found = parse_messages(output);
        let shown: Vec<_> = found.iter().map(|it| (it.file.to_str().unwrap(), it.line, it.column)).collect();
        assert_eq!(shown, [("/a b/e.h", 1, 26), ("/w/E.x10", 6, 0), ("/w/lib.h", 9, 5), ("/w/E.x10", 3, 10)]);
        assert_eq!(found.iter().map(|it| it.is_warning).collect::<Vec<_>>(), [false, false, true, false]);
        assert_eq!(found[1].message, "'missing' was not declared: in this scope");
        assert_eq!(found[1].notes, ["declared here (/w/lib.h:7)"]);
        assert_eq!(found[3].message, "e2.cc: No such file or directory");
    }

    #[test]
    fn missing_symbols_are_named_once() {
        let output = "\
/usr/bin/ld: /c/a.o: in function `F(long)':
/c/a.cpp:5: undefined reference to `f(long)'
/usr/bin/ld: /c/a.o:a.cpp:6: undefined reference to `f(long)'
ld.lld: error: undefined symbol: n::g(int)
collect2: error: ld returned 1 exit status
";
        let message = describe_link_errors(output);
        assert_eq!(
            message,
            "the linker does not find `f(long)`, `n::g(int)`, which the program's C++ code uses"
        );
        let message =
            describe_link_errors("/usr/bin/ld: cannot find -lblas: No such file or directory\nmore");
        assert_eq!(message, "the linker does not find the library `blas`");
        assert!(describe_link_errors("ld: something else").ends_with("linked\nld: something else"));
    }
    #[test]
    fn lack_of_memory_differs_from_defects() {
        let exhausted = "virtual memory exhausted: Cannot allocate memory\n";
        let killed = "c++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n";
        let crashed = "c++: internal compiler error: Segmentation fault signal terminated program cc1plus\n";
        let refused = "program.x10:7:5: error: 'nonsense' was not declared in this scope\n";
        let found = [exhausted, killed, crashed, refused]
            .map(|it| (is_out_of_memory(it, false), is_out_of_memory(it, true)));
        assert_eq!(found, [(true, true), (true, true), (false, true), (false, false)]);
    }
}
