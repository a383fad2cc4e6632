//! `apg/generatedCode`: the code that a program is compiled to, with a line map to its source.

use std::path::{Path, PathBuf};
use std::time::Duration;

use apg_analysis::Cancelled;
use apg_diagnostics::render::Finding;
use apg_mir as mir;
use apg_project::build::{self, Failure, Options, Translated};
use apg_project::c::{AnalysedFile, Parallel};
use serde::Deserialize;
use tower_lsp_server::ls_types::{TextDocumentIdentifier, Uri};

use crate::cancellation::RequestHandle;
use crate::kernels::compiler::KernelCompiler;
use crate::language::PlanKind;
use crate::lsp::generated_code::GeneratedCode;
use crate::snapshot::Snapshot;

/// The kinds that are plans of a document in C.
const PLANS: [(&str, PlanKind); 2] =
    [("transfers", PlanKind::Transfers), ("communication", PlanKind::Communication)];

/// The kinds of a document in C that are about its regions alone.
const OF_REGIONS: [&str; 5] = ["cuda", "ptx", "resources", "cpp", "mir"];

/// Columns of comments that explain why there is no code: editors show them beside the source.
const MAX_COMMENT_COLUMNS: usize = 60;

/// The parameters of `apg/generatedCode`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GeneratedCodeParams {
    /// The document with `main`, or any in C.
    pub text_document: TextDocumentIdentifier,
    /// `cuda`, `ptx`, `resources`, `cpp` or `mir`; of a document in C also `c`, `transfers` and
    /// `communication`.
    pub kind: String,
}

/// A program that is translated without the database, or a comment that explains why there is none.
pub(crate) struct Lowered {
    path: PathBuf,
    program: Result<Source, String>,
    request: RequestHandle,
    /// Limit for the compilation of a kernel.
    compile_timeout: Duration,
}

/// A program before its code is generated.
enum Source {
    X10(Box<mir::Program>),
    C(Box<AnalysedFile>),
    /// What needs no code.
    Text(GeneratedCode),
}

/// Generated code.
struct Forms {
    parts: Vec<Translated>,
    /// The text that the C compiler gets.
    c_text: Option<String>,
    /// What has no code, with its lines from 0.
    refused: Vec<(u32, String)>,
}

impl Forms {
    fn kernels(&self) -> impl Iterator<Item = &String> {
        self.parts.iter().flat_map(|it| &it.emitted.cuda)
    }

    fn has_kernels(&self) -> bool {
        self.kernels().next().is_some()
    }
}

impl Snapshot {
    /// The program whose `main` is in a document, or a document in C, for code of a kind.
    pub(crate) fn lowered(&self, uri: &Uri, kind: &str) -> Result<Lowered, Cancelled> {
        let lowered = |path, program| {
            let (request, compile_timeout) = (self.request.clone(), self.config.analysis_timeout);
            Lowered { path, program, request, compile_timeout }
        };
        if let Some((document, language)) = self.in_other_language(uri) {
            let source = match PLANS.iter().find(|it| it.0 == kind) {
                Some((_, plan)) => language.plan(self, document, *plan)?.map(Source::Text),
                None => language.analysed(self, document)?.map(|it| Source::C(Box::new(it))),
            };
            let absent = || "// This file is not analysed.\n".to_owned();
            return Ok(lowered(document.path.clone(), source.ok_or_else(absent)));
        }
        let Some((document, file)) = self.document(uri) else {
            let reason = "// There is no such document in the workspace.\n".to_owned();
            return Ok(lowered(PathBuf::new(), Err(reason)));
        };
        // Lowering queries the database; an edit meanwhile unwinds to here.
        let found = Cancelled::catch(std::panic::AssertUnwindSafe(|| {
            build::lower_program(&self.analysis, file, None, Options::default())
        }))?;
        let program = found.map(|it| Source::X10(Box::new(it))).map_err(|failure| match failure {
            Failure::Findings(findings) => errors_comment(&findings),
            Failure::Toolchain(error) => format!("// {}\n", comment(&error.to_string())),
        });
        Ok(lowered(document.path.clone(), program))
    }
}

/// Why there is no code.
fn errors_comment(findings: &[Finding]) -> String {
    let mut text = String::from("// There is no generated code while the program has errors:\n");
    for finding in findings {
        text.push_str(&format!("// [{}] {}\n", finding.code, comment(&finding.message)));
    }
    text
}

/// Generates code of one kind.
pub(crate) fn generate(lowered: Lowered, kind: &str) -> GeneratedCode {
    let is_cancelled = || lowered.request.cancelled().is_some();
    let compiler = KernelCompiler::new(lowered.compile_timeout, &is_cancelled);
    let printed = lowered.program.and_then(|source| match source {
        Source::Text(text) => Ok(text),
        Source::X10(program) if kind == "mir" => Ok(print_mir(&program, &lowered.path)),
        Source::X10(program) => {
            let text = print_code(&forms_of_x10(*program)?, kind, compiler)?;
            Ok(with_line_map(&text, &lowered.path))
        }
        Source::C(file) => print_c(&file, &lowered.path, kind, compiler),
    });
    printed.unwrap_or_else(|reason| GeneratedCode { text: reason, lines: vec![(0, -1)], is_code: false })
}

/// Prints a form of a file in C, behind what stays on the host; that alone if all regions do. The error is a
/// comment.
fn print_c(
    file: &AnalysedFile,
    path: &Path,
    kind: &str,
    compiler: KernelCompiler<'_>,
) -> Result<GeneratedCode, String> {
    let forms = forms_of_c(file, path)?;
    let refusals = refusals(&forms.refused);
    if OF_REGIONS.contains(&kind) && !forms.has_kernels() && !forms.refused.is_empty() {
        return Ok(refusals);
    }
    let code = match (kind, &forms.parts[..]) {
        ("mir", [first, rest @ ..]) => {
            let first = print_mir(&first.mir, path);
            rest.iter().fold(first, |all, it| all.followed_by(print_mir(&it.mir, path)))
        }
        ("c", _) => with_lines_of_c(&print_code(&forms, kind, compiler)?, file.line_count()),
        _ => with_line_map(&print_code(&forms, kind, compiler)?, path),
    };
    Ok(refusals.followed_by(code))
}

/// Generates the code of a program in X10.
fn forms_of_x10(mut program: mir::Program) -> Result<Forms, String> {
    program.emit_all_lines = true;
    let translated = build::generate_code(program, Options::default()).map_err(|errors| {
        let lines = errors.iter().map(|error| format!("// {}\n", comment(&error.to_string())));
        format!("// A fault of apg, not of the program; please report it:\n{}", lines.collect::<String>())
    })?;
    Ok(Forms { parts: vec![translated], c_text: None, refused: Vec::new() })
}

/// Generates the code of a file in C, with its parallel regions on a device too.
fn forms_of_c(file: &AnalysedFile, path: &Path) -> Result<Forms, String> {
    let options = Options { all_lines: true, ..Options::default() };
    let forms = file.forms(path, options, Parallel::Device).map_err(|errors| errors_comment(&errors))?;
    let refused = forms.on_host.iter().map(|it| {
        let before = &it.span.text[..it.span.range.start];
        let line = before.bytes().filter(|it| *it == b'\n').count();
        (u32::try_from(line).unwrap_or(u32::MAX), it.message.clone())
    });
    let refused = refused.collect();
    Ok(Forms { parts: forms.regions, c_text: Some(forms.host_text), refused })
}

/// Comments about what stays on the host.
fn refusals(refused: &[(u32, String)]) -> GeneratedCode {
    let mut code = GeneratedCode { is_code: true, ..GeneratedCode::default() };
    for (line, message) in refused {
        let said = format!("line {} stays on the host: {message}", line + 1);
        let text = format!("// {}\n", comment(&said));
        let lines = vec![(0, i64::from(*line))];
        code = code.followed_by(GeneratedCode { text, lines, is_code: true });
    }
    code
}

impl GeneratedCode {
    /// This code and more behind it.
    fn followed_by(mut self, next: GeneratedCode) -> GeneratedCode {
        let offset = u32::try_from(self.text.lines().count()).unwrap_or(u32::MAX);
        self.text.push_str(&next.text);
        self.lines.extend(next.lines.into_iter().map(|(at, line)| (at + offset, line)));
        self
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

/// Prints C, C++, CUDA, PTX or resource usage; the error is a comment.
fn print_code(forms: &Forms, kind: &str, mut compiler: KernelCompiler<'_>) -> Result<String, String> {
    match (kind, &forms.c_text) {
        (_, Some(_)) if OF_REGIONS.contains(&kind) && !forms.has_kernels() => {
            Err("// This file has no region that has device code.\n".into())
        }
        ("cuda" | "ptx" | "resources", None) if !forms.has_kernels() => {
            Err("// This program has no @CUDA kernel.\n".into())
        }
        ("c", Some(text)) => Ok(text.clone()),
        ("cpp", _) => {
            let units = forms.parts.iter().flat_map(|it| &it.emitted.units);
            Ok(units.map(|unit| format!("// ---- {}\n{}\n", unit.name, unit.text)).collect())
        }
        ("cuda", _) => Ok(forms.kernels().cloned().collect::<Vec<_>>().join("\n")),
        ("ptx", _) => {
            let compiled: Result<Vec<String>, _> = forms.kernels().map(|text| compiler.ptx(text)).collect();
            compiled
                .map(|all| all.join("\n"))
                .map_err(|error| format!("// {}\n", comment(&String::from(error))))
        }
        ("resources", _) => resources(forms, &mut compiler).map_err(|it| format!("// {}\n", comment(&it))),
        (other, c_text) => {
            let known = match c_text {
                Some(_) => "cuda, ptx, resources, c, cpp, mir, transfers or communication",
                None => "cuda, ptx, resources, cpp or mir",
            };
            Err(format!("// There is no form `{}`: ask for {known}.\n", comment(other)))
        }
    }
}

/// What the kernels need, a paragraph each.
fn resources(forms: &Forms, compiler: &mut KernelCompiler<'_>) -> Result<String, String> {
    let architectures = compiler.architectures().map_err(String::from)?;
    let mut text = String::new();
    for part in &forms.parts {
        let compile = &mut |_: &mir::Kernel, source: &str, architecture| {
            compiler.resources(source, architecture).map_err(String::from)
        };
        let kernels =
            apg_toolchain::resources::kernels_by(&part.mir, &part.emitted.cuda, &architectures, compile)?;
        kernels.iter().for_each(|kernel| text.push_str(&(kernel.describe() + "\n")));
    }
    Ok(text)
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

/// Removes `#line` directives of edited C text, all of which are about the document, and makes a line map of
/// them: each line comes from the one after that of the line before. `count` is the number of its lines.
fn with_lines_of_c(text: &str, count: usize) -> GeneratedCode {
    let mut code = GeneratedCode { is_code: true, ..GeneratedCode::default() };
    let (mut at, mut source) = (0, 0);
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("#line ") {
            let number = rest.split(' ').next().and_then(|it| it.parse::<i64>().ok());
            source = number.map_or(source, |it| it - 1);
            continue;
        }
        let is_inside = usize::try_from(source).is_ok_and(|it| it < count);
        code.lines.push((at, if is_inside { source } else { -1 }));
        code.text.push_str(line);
        code.text.push('\n');
        (at, source) = (at + 1, source + 1);
    }
    code
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
    fn lines_of_c_count_on_from_line_directives() {
        let found = with_lines_of_c("#line 1 \"a.c\"\nint a;\ncall();\n#line 2\nint b;\nmore\n", 2);
        assert_eq!(found.text, "int a;\ncall();\nint b;\nmore\n");
        assert_eq!(found.lines, [(0, 0), (1, 1), (2, 1), (3, -1)]);
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
