//! Shared by tests: the system's compiler, files in memory.

#![allow(dead_code, reason = "each test uses a part")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use apg_c_syntax::{FileSystem, SyntaxKind, Token, Toolchain, Unit, lexer, preprocess};

/// The headers whose expansion and parse are compared.
pub(crate) const HEADERS: &[&str] = &[
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fenv.h",
    "float.h",
    "inttypes.h",
    "iso646.h",
    "limits.h",
    "locale.h",
    "math.h",
    "omp.h",
    "pthread.h",
    "setjmp.h",
    "signal.h",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "stdnoreturn.h",
    "string.h",
    "sys/time.h",
    "sys/types.h",
    "tgmath.h",
    "time.h",
    "uchar.h",
    "unistd.h",
    "wchar.h",
    "wctype.h",
];

/// The toolchain of the system's `cc` with OpenMP; `None` if there is no such compiler.
pub(crate) fn system_toolchain() -> Option<Toolchain> {
    Toolchain::request("cc", &["-fopenmp".to_string()])
        .inspect_err(|error| eprintln!("skipped: {error}"))
        .ok()
}

/// Files in memory, over those of the disk.
#[derive(Default)]
pub(crate) struct Memory(pub(crate) HashMap<PathBuf, Arc<str>>);

impl Memory {
    /// Files by path and text.
    pub(crate) fn of(files: &[(&str, &str)]) -> Memory {
        Memory(files.iter().map(|(path, text)| (path.into(), Arc::from(*text))).collect())
    }
}

impl FileSystem for Memory {
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        self.0.get(path).cloned()
    }
}

/// Preprocesses a text without headers of the system.
pub(crate) fn unit(text: &str) -> Unit {
    preprocess(Path::new("main.c"), text.into(), &Toolchain::default(), &Memory::default(), None)
}

/// All tokens of a unit.
pub(crate) fn tokens(unit: &Unit) -> Vec<Token> {
    unit.preamble_tokens().iter().chain(unit.tokens().iter()).copied().collect()
}

/// The spellings of all tokens.
pub(crate) fn spellings(unit: &Unit) -> Vec<String> {
    tokens(unit).iter().map(|it| unit.text(it.text).to_string()).collect()
}

/// The tokens that the compiler's own preprocessor gives, without its line markers and pragmas.
pub(crate) fn expanded_by_compiler(file: &Path) -> Vec<String> {
    let output = Command::new("cc").args(["-E", "-P", "-fopenmp"]).arg(file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    words(&text)
}

/// The tokens of a text, those of pragmas apart.
pub(crate) fn words(text: &str) -> Vec<String> {
    let kept: String =
        text.lines().filter(|it| !it.trim_start().starts_with("#pragma")).flat_map(|it| [it, "\n"]).collect();
    let lexed = lexer::lex(&kept);
    (0..lexed.kinds.len())
        .filter(|it| !lexed.kinds[*it].is_trivia())
        .map(|it| kept[lexed.range(it)].to_string())
        .collect()
}

/// The spellings of a unit without its directives.
pub(crate) fn spellings_without_pragmas(unit: &Unit) -> Vec<String> {
    let mut inside = false;
    let mut out = Vec::new();
    for token in tokens(unit) {
        match token.kind {
            SyntaxKind::PRAGMA_START => inside = true,
            SyntaxKind::PRAGMA_END => inside = false,
            _ if !inside => out.push(unit.text(token.text).to_string()),
            _ => {}
        }
    }
    out
}
