//! Programs with C++ code of their own and libraries that they are linked with: options, messages, what a
//! change compiles again.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use apg_tests::programs::{self, Output};
use apg_tests::tools;

const PROGRAM: &str = r#"
import x10.compiler.*;

@NativeCPPInclude("scale.h")
@NativeCPPCompilationUnit("wrap.cc")
@NativeCPPOutputFile("factor.h")
public class Scaled {
    @Native("c++", "wrapped((#xs)->raw, (#xs)->FMGL(size))")
    static native def scale(xs:Rail[Long]):Long;

    public static def main(args:Rail[String]) {
        val xs = new Rail[Long](4, (i:Long) => i + 1);
        Console.OUT.println(scale(xs) + " " + xs);
    }
}
"#;

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    std::fs::write(path, text).expect("written");
}

/// The program, and a library of `scale` in `lib` whose header is in `include`.
fn sources(folder: &Path) {
    write(folder, "Scaled.x10", PROGRAM);
    write(folder, "factor.h", "#define FACTOR 3\n");
    write(
        folder,
        "wrap.cc",
        "#include <scale.h>\n#include \"factor.h\"\n#include <stdint.h>\n\
         int64_t wrapped(int64_t *p, int64_t n) { return scale(p, n, FACTOR + OFFSET); }\n",
    );
    write(
        folder,
        "include/scale.h",
        "#include <cstdint>\nint64_t scale(int64_t *p, int64_t n, int64_t by);\n\
         int64_t wrapped(int64_t *p, int64_t n);\n",
    );
    write(
        folder,
        "scale.cc",
        "#include \"include/scale.h\"\nint64_t scale(int64_t *p, int64_t n, int64_t by) {\n\
         int64_t sum = 0; for (int64_t i = 0; i < n; ++i) sum += p[i] *= by; return sum; }\n",
    );
    std::fs::create_dir(folder.join("lib")).expect("made");
}

fn compiler(folder: &Path, arguments: &[&str]) {
    let cxx = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    let status = Command::new(cxx).args(arguments).current_dir(folder).status().expect("a C++ compiler");
    assert!(status.success());
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(tools::apg());
    command.args(arguments).current_dir(folder);
    programs::run(command, Duration::from_secs(300)).expect("it ends")
}

#[test]
fn a_program_is_linked_with_libraries_and_follows_their_changes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    sources(folder);
    compiler(folder, &["-shared", "-fPIC", "scale.cc", "-o", "lib/libscale.so"]);
    let options = ["Scaled.x10", "-Iinclude", "-DOFFSET=1", "-L", "lib", "-l", "scale"];
    let with = |command: &str, last: &[&str]| -> Output {
        run(folder, &[&[command], options.as_slice(), last].concat())
    };
    let first = with("run", &[]);
    assert_eq!((first.stdout.as_str(), first.status), ("40 [4,8,12,16]\n", 0), "{}", first.stderr);
    // What the C++ code needs has changed.
    write(folder, "factor.h", "#define FACTOR 1\n");
    assert_eq!(with("run", &["--places", "2"]).stdout, "20 [2,4,6,8]\n");
    // A built program finds the library from elsewhere.
    assert_eq!(with("build", &["-o", "scaled"]).status, 0);
    let built = programs::run(Command::new(folder.join("scaled")), Duration::from_secs(60)).expect("it ends");
    assert_eq!(built.stdout, "20 [2,4,6,8]\n", "{}", built.stderr);
    // An archive is part of the program, and linked again when it changes. X10's own options for that.
    let archive = |text: &str| {
        write(folder, "scale.cc", text);
        compiler(folder, &["-c", "-fPIC", "scale.cc", "-o", "scale.o"]);
    };
    let body = "#include \"include/scale.h\"\nint64_t scale(int64_t *, int64_t, int64_t by) { return by + ";
    let options = ["--cxx-prearg", "-Iinclude", "--cxx-prearg", "-DOFFSET=5", "--cxx-postarg", "scale.o"];
    let linked = || run(folder, &[["run", "Scaled.x10"].as_slice(), &options].concat()).stdout;
    archive(&format!("{body} 100; }}\n"));
    assert_eq!(linked(), "106 [1,2,3,4]\n");
    archive(&format!("{body} 2000; }}\n"));
    assert_eq!(linked(), "2006 [1,2,3,4]\n");
}

#[test]
fn errors_name_the_line_of_the_file_that_is_wrong_and_what_the_linker_lacks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    sources(folder);
    let output = run(folder, &["run", "Scaled.x10", "-Iinclude", "-DOFFSET=1"]);
    assert!(output.stderr.contains("the linker does not find `scale("), "{}", output.stderr);
    assert!(output.stderr.contains("`-l NAME`"), "{}", output.stderr);
    let output = run(folder, &["run", "Scaled.x10", "-Iinclude", "-DOFFSET=1", "-lmissing_library"]);
    assert!(output.stderr.contains("the library `missing_library`"), "{}", output.stderr);
    write(
        folder,
        "wrap.cc",
        "#include <scale.h>\n\nint64_t wrapped(int64_t *p, int64_t n) { return oops; }\n",
    );
    let output = run(folder, &["run", "Scaled.x10", "-Iinclude"]);
    assert!(output.stderr.contains("wrap.cc:3:49") && output.stderr.contains("oops"), "{}", output.stderr);
    let lines = [
        (6, r#"@NativeCPPInclude("nowhere.h")"#, "nowhere.h"),
        (10, r#"    @Native("c++", "first(#n) + " +"#, "first"),
        (11, r#"                   "second(#n)")"#, "second"),
        (16, r#"        @Native("c++", "r = n;\nr += third;\n" +"#, "third"),
        (17, r#"                       "r *= fourth;") {}"#, "fourth"),
    ];
    let program = "import x10.compiler.Native;\n\
        import x10.compiler.NativeCPPInclude;\n\n\
        // An error in each of some lines.\n\n\
        LINE6\n\
        public class Wrong {\n\
        \n    // The sum of two.\n\
        LINE10\n\
        LINE11\n\
        \n    static native def sum(n:Long):Long;\n\
        \n    static def product(n:Long):Long {\n        var r:Long = 0;\n\
        LINE16\n\
        LINE17\n\
        \n        return r;\n    }\n\
        \n    public static def main(Rail[String]) { Console.OUT.println(sum(3) * product(4)); }\n}\n";
    let program = lines.iter().fold(program.to_owned(), |all, (line, text, _)| {
        all.replace(&format!("LINE{line}\n"), &format!("{text}\n"))
    });
    let numbered: Vec<usize> =
        lines.iter().map(|it| 1 + program.lines().position(|line| line == it.1).expect("the line")).collect();
    for wanted in [program.replace(lines[0].1, ""), program] {
        write(folder, "Wrong.x10", &wanted);
        let output = run(folder, &["build", "--message-format", "json", "Wrong.x10"]);
        assert_eq!(output.status, 1);
        let found: Vec<serde_json::Value> =
            output.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        // A header that is missing ends the compiler.
        let (from, to) = if wanted.contains("nowhere.h") { (0, 1) } else { (1, lines.len()) };
        assert_eq!(found.len(), to - from, "{}", output.stdout);
        for (finding, index) in found.iter().zip(from..to) {
            assert_eq!(finding["line"], numbered[index], "{finding}");
            assert!(finding["message"].as_str().is_some_and(|it| it.contains(lines[index].2)), "{finding}");
            assert_eq!(finding["code"], "build/native-code");
        }
    }
}
