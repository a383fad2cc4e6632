//! `apg/generatedCode`: the code that a program is compiled to, with a line map to its source.

use std::path::{Path, PathBuf};
use std::time::Duration;

use apg_analysis::Cancelled;
use apg_mir as mir;
use apg_project::build::{self, Failure, Options};
use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::{TextDocumentIdentifier, Uri};

use crate::cancellation::RequestHandle;
use crate::kernels::compiler::KernelCompiler;
use crate::snapshot::Snapshot;

/// Columns of comments that explain why there is no code: editors show them beside the source.
const MAX_COMMENT_COLUMNS: usize = 60;

/// The parameters of `apg/generatedCode`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GeneratedCodeParams {
    /// The document with `main`.
    pub text_document: TextDocumentIdentifier,
    /// `cuda`, `ptx`, `resources`, `cpp` or `mir`.
    pub kind: String,
}

/// The answer to `apg/generatedCode`.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GeneratedCode {
    /// The code, or a comment that explains why there is none.
    pub text: String,
    /// Line map of `[line of the text, line of the document]`, both from 0. An entry holds up to that of the
    /// next one; `-1` means no line of the document.
    pub lines: Vec<(u32, i64)>,
    /// Whether the text is code: otherwise a client may keep showing the code before.
    pub is_code: bool,
}

/// A program as MIR, or a comment that explains why there is none.
pub(crate) struct Lowered {
    path: PathBuf,
    program: Result<mir::Program, String>,
    request: RequestHandle,
    /// Limit for the compilation of a kernel.
    compile_timeout: Duration,
}

impl Snapshot {
    /// The program whose `main` is in a document.
    pub(crate) fn lowered(&self, uri: &Uri) -> Result<Lowered, Cancelled> {
        let lowered = |path, program| {
            let (request, compile_timeout) = (self.request.clone(), self.config.analysis_timeout);
            Lowered { path, program, request, compile_timeout }
        };
        let Some((document, file)) = self.document(uri) else {
            let reason = "// There is no such document in the workspace.\n".to_owned();
            return Ok(lowered(PathBuf::new(), Err(reason)));
        };
        // Lowering queries the database; an edit meanwhile unwinds to here.
        let found = Cancelled::catch(std::panic::AssertUnwindSafe(|| {
            build::lower_program(&self.analysis, file, None, Options::default())
        }))?;
        let program = found.map_err(|failure| match failure {
            Failure::Findings(findings) => {
                let mut text = String::from("// There is no generated code while the program has errors:\n");
                for finding in findings {
                    text.push_str(&format!("// [{}] {}\n", finding.code, comment(&finding.message)));
                }
                text
            }
            Failure::Toolchain(error) => format!("// {}\n", comment(&error.to_string())),
        });
        Ok(lowered(document.path.clone(), program))
    }
}

/// Generates code of one kind.
pub(crate) fn generate(lowered: Lowered, kind: &str) -> GeneratedCode {
    let is_cancelled = || lowered.request.cancelled().is_some();
    let compiler = KernelCompiler::new(lowered.compile_timeout, &is_cancelled);
    match lowered.program {
        Ok(program) if kind == "mir" => print_mir(&program, &lowered.path),
        program => match program.and_then(|program| print_code(program, kind, compiler)) {
            Ok(text) => with_line_map(&text, &lowered.path),
            Err(reason) => GeneratedCode { text: reason, lines: vec![(0, -1)], is_code: false },
        },
    }
}

/// Prints MIR, whose printer also yields the source of each line.
fn print_mir(program: &mir::Program, path: &Path) -> GeneratedCode {
    let (text, spans) = mir::text::print_with_lines(program);
    let is_document = |name: &str| std::path::absolute(name).is_ok_and(|file| file == path);
    let ours: Vec<bool> = program.files.iter().map(|name| is_document(name)).collect();
    let line = |span: mir::Span| {
        let ours = ours.get(span.file.index()).copied().unwrap_or(false);
        if ours { i64::from(span.line()) - 1 } else { -1 }
    };
    let mut lines: Vec<(u32, i64)> = vec![(0, -1)];
    for (at, span) in (0..).zip(spans) {
        let source = span.map_or(-1, line);
        if lines.last().is_none_or(|(_, last)| *last != source) {
            lines.push((at, source));
        }
    }
    GeneratedCode { text, lines, is_code: true }
}

/// Prints C++, CUDA, PTX or resource usage; the error is a comment.
fn print_code(
    mut program: mir::Program,
    kind: &str,
    mut compiler: KernelCompiler<'_>,
) -> Result<String, String> {
    program.emit_all_lines = true;
    let translated = build::generate_code(program, Options::default()).map_err(|errors| {
        let lines = errors.iter().map(|error| format!("// {}\n", comment(&error.to_string())));
        format!("// A fault of apg, not of the program; please report it:\n{}", lines.collect::<String>())
    })?;
    let emitted = &translated.emitted;
    match kind {
        "cuda" | "ptx" | "resources" if emitted.cuda.is_empty() => {
            Err("// This program has no @CUDA kernel.\n".into())
        }
        "cpp" => {
            let units = emitted.units.iter().map(|unit| format!("// ---- {}\n{}\n", unit.name, unit.text));
            Ok(units.collect())
        }
        "cuda" => Ok(emitted.cuda.join("\n")),
        "ptx" => {
            let compiled = emitted.cuda.iter().map(|text| compiler.ptx(text));
            let compiled: Result<Vec<String>, _> = compiled.collect();
            compiled
                .map(|all| all.join("\n"))
                .map_err(|error| format!("// {}\n", comment(&String::from(error))))
        }
        "resources" => {
            let kernels = compiler.architectures().map_err(String::from).and_then(|architectures| {
                let compile = &mut |_: &mir::Kernel, source: &str, architecture| {
                    compiler.resources(source, architecture).map_err(String::from)
                };
                apg_toolchain::resources::kernels_by(
                    &translated.mir,
                    &translated.emitted.cuda,
                    &architectures,
                    compile,
                )
            });
            kernels
                .map(|kernels| kernels.iter().map(|kernel| kernel.describe() + "\n").collect())
                .map_err(|reason| format!("// {}\n", comment(&reason)))
        }
        other => {
            let other = comment(other);
            Err(format!("// There is no form `{other}`: ask for cuda, ptx, resources, cpp or mir.\n"))
        }
    }
}

/// Makes each line of a text a comment, except that the caller begins the first one, and wraps long lines.
fn comment(text: &str) -> String {
    let mut all = String::new();
    let mut column = 0;
    for (index, line) in text.split(['\r', '\n']).enumerate() {
        for (at, word) in line.split(' ').enumerate() {
            let length = word.chars().count();
            if (index > 0 && at == 0) || (column > 0 && column + length > MAX_COMMENT_COLUMNS) {
                all.push_str("\n// ");
                column = 0;
            } else if at > 0 {
                all.push(' ');
            }
            all.push_str(word);
            column += length + 1;
        }
    }
    all
}

/// Removes `#line` directives and makes a line map of them or, in PTX, of `.loc` directives. A directive
/// holds up to the next one.
fn with_line_map(text: &str, path: &Path) -> GeneratedCode {
    let mut lines: Vec<(u32, i64)> = vec![(0, -1)];
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    let is_document = |quoted: &str| {
        let name = quoted.trim().trim_matches('"').replace("\\\"", "\"").replace("\\\\", "\\");
        std::path::absolute(name).is_ok_and(|file| file == path)
    };
    // PTX names its files after all code.
    let files = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix(".file")?.trim().split_once([' ', '\t']));
    let files: Vec<&str> = files.filter(|(_, name)| is_document(name)).map(|(number, _)| number).collect();
    for line in text.lines() {
        let words = line.trim_start();
        let directive = words.strip_prefix("#line ");
        let source = if let Some(rest) = directive {
            let (number, file) = rest.split_once(' ').unwrap_or((rest, ""));
            Some(number.parse::<i64>().ok().filter(|_| is_document(file)))
        } else if words.starts_with(".file") {
            Some(None)
        } else if let Some(rest) = words.strip_prefix(".loc") {
            let mut words = rest.split_whitespace();
            let (file, number) = (words.next(), words.next().and_then(|n| n.parse::<i64>().ok()));
            let ours = file.is_some_and(|file| files.contains(&file));
            Some(number.filter(|_| ours))
        } else {
            None
        };
        if let Some(source) = source {
            let source = source.map_or(-1, |line| line - 1);
            // The last of consecutive directives counts.
            lines.pop_if(|(start, _)| *start == at);
            if lines.last().is_none_or(|(_, last)| *last != source) {
                lines.push((at, source));
            }
        }
        if directive.is_none() {
            shown.push_str(line);
            shown.push('\n');
            at += 1;
        }
    }
    GeneratedCode { text: shown, lines, is_code: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_comments_have_only_comment_lines() {
        assert_eq!(comment("a\nb"), "a\n// b");
        let long = comment(&"word ".repeat(40));
        assert!(
            long.lines().count() > 2 && long.lines().skip(1).all(|line| line.starts_with("// ")),
            "{long}"
        );
        assert_eq!(comment(&"x".repeat(200)), "x".repeat(200));
    }

    #[test]
    fn line_map_follows_line_and_loc_directives() {
        let text = "a\n#line 3 \"/A.x10\"\nb;\nc;\n#line 9 \"/B.x10\"\nd;\n#line 4 \"/A.x10\"\ne;";
        let found = with_line_map(text, Path::new("/A.x10"));
        assert_eq!(found.lines, [(0, -1), (1, 2), (3, -1), (4, 3)]);
        assert_eq!(found.text, "a\nb;\nc;\nd;\ne;\n");
        let ptx = ".loc 2 7 0\nadd;\nmul;\n.loc 1 9 0\nmov;\n.loc 2 8 0\nret;\n\t.file\t1 \"/kernel.cu\"\n\t.file\t2 \"/A.x10\"";
        assert_eq!(with_line_map(ptx, Path::new("/A.x10")).lines, [(0, 6), (3, -1), (5, 7), (7, -1)]);
    }
}
