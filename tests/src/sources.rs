//! Sources of any size for benchmarks, and their peers.

use std::fmt::Write;

/// An X10 class of about that many lines: methods that call each other.
pub fn x10(lines: usize) -> String {
    let mut text = String::from("public class Edited {\n");
    for n in 0..lines / 10 {
        let _ = write!(
            text,
            "    static def method{n}(a:Rail[Double], n:Long):Double {{\n        var sum:Double = 0.0;\n        val limit = 1000;\n\
             \x20       for (i in 0..(a.size - 1)) {{\n            if (i < limit) sum += a(i) * n;\n            else sum -= Math.sqrt(a(i));\n\
             \x20       }}\n        return sum + method{}(a, n + 1);\n    }}\n\n",
            (n + 1) % (lines / 10)
        );
    }
    text + "}\n"
}

/// The same in Python.
pub fn python(lines: usize) -> String {
    let mut text = String::from("import math\n");
    for n in 0..lines / 10 {
        let _ = write!(
            text,
            "def method{n}(a: list[float], n: int) -> float:\n    total: float = 0.0\n    limit = 1000\n    for i in range(len(a)):\n\
             \x20       if i < limit:\n            total += a[i] * n\n        else:\n            total -= math.sqrt(a[i])\n\
             \x20   return total + method{}(a, n + 1)\n\n",
            (n + 1) % (lines / 10)
        );
    }
    text
}

/// The same in C++.
pub fn cpp(lines: usize) -> String {
    let mut text =
        String::from("double sqrt(double);\nstruct Rail { double* data; long size; };\nstruct Edited {\n");
    for n in 0..lines / 10 {
        let _ = write!(
            text,
            "    static double method{n}(Rail a, long n) {{\n        double sum = 0.0;\n        const long limit = 1000;\n\
             \x20       for (long i = 0; i < a.size; i++) {{\n            if (i < limit) sum += a.data[i] * n;\n            else sum -= sqrt(a.data[i]);\n\
             \x20       }}\n        return sum + method{}(a, n + 1);\n    }}\n\n",
            (n + 1) % (lines / 10)
        );
    }
    text + "};\n"
}

/// The same in C with OpenMP and system headers: each loop is a parallel region.
pub fn c(lines: usize) -> String {
    let headers = ["math.h", "omp.h", "stdio.h", "stdlib.h", "string.h"];
    let mut text: String = headers.map(|it| format!("#include <{it}>\n")).concat();
    text.push_str("\ndouble method0(const double *a, long n) { return a[n]; }\n\n");
    for n in 1..lines / 12 {
        let _ = write!(
            text,
            "double method{n}(const double *a, long n) {{\n    double sum = 0.0;\n    const long limit = 1000;\n\
             \x20   #pragma omp parallel for reduction(+: sum)\n    for (long i = 0; i < n; i++) {{\n        if (i < limit) sum += a[i] * n;\n\
             \x20       else sum -= sqrt(a[i]);\n    }}\n    return sum + method{}(a, n - 1);\n}}\n\n",
            n - 1
        );
    }
    text
}

/// The same in Rust.
pub fn rust(lines: usize) -> String {
    let mut text = String::from("pub struct Edited;\nimpl Edited {\n");
    for n in 0..lines / 10 {
        let _ = write!(
            text,
            "    pub fn method{n}(a: &[f64], n: i64) -> f64 {{\n        let mut sum: f64 = 0.0;\n        let limit = 1000;\n\
             \x20       for i in 0..a.len() {{\n            if i < limit {{ sum += a[i] * n as f64; }}\n            else {{ sum -= a[i].sqrt(); }}\n\
             \x20       }}\n        return sum + Self::method{}(a, n + 1);\n    }}\n\n",
            (n + 1) % (lines / 10)
        );
    }
    text + "}\n"
}

/// A source with a method that many others call, and two results that it can have whose callers do not care
/// which.
pub type Calling = (String, [&'static str; 2]);

/// The same class and a method that the given number of others call.
pub fn x10_calling(lines: usize, callers: usize) -> Calling {
    let text = x10(lines).replacen("sum += a(i) * n;", "sum += shared(n);", callers);
    let start = "public class Edited {\n";
    let shared = format!("{start}    static def shared(n:Long):Double = n;\n");
    (text.replacen(start, &shared, 1), ["Double", "Long"])
}

/// The same in Python.
pub fn python_calling(lines: usize, callers: usize) -> Calling {
    let text = python(lines).replacen("total += a[i] * n", "total += shared(n)", callers);
    let shared = "import math\ndef shared(n: int) -> float: return n\n";
    (text.replacen("import math\n", shared, 1), ["float", "int"])
}

/// The same in C++.
pub fn cpp_calling(lines: usize, callers: usize) -> Calling {
    let text = cpp(lines).replacen("sum += a.data[i] * n;", "sum += shared(n);", callers);
    let start = "struct Edited {\n";
    let shared = format!("{start}    static double shared(long n) {{ return n; }}\n");
    (text.replacen(start, &shared, 1), ["double", "float"])
}

/// The same in C.
pub fn c_calling(lines: usize, callers: usize) -> Calling {
    let text = c(lines).replacen("sum += a[i] * n;", "sum += shared(n);", callers);
    let start = "\ndouble method0(";
    let shared = format!("\nstatic double shared(long n) {{ return n; }}\n{start}");
    (text.replacen(start, &shared, 1), ["double", "float"])
}

/// The same in Rust.
pub fn rust_calling(lines: usize, callers: usize) -> Calling {
    let text = rust(lines).replacen("sum += a[i] * n as f64;", "sum += Self::shared(n) as f64;", callers);
    let start = "impl Edited {\n";
    let shared = format!("{start}    fn shared(n: i64) -> f64 {{ n as _ }}\n");
    (text.replacen(start, &shared, 1), ["f64", "f32"])
}

/// A program on the PATH.
pub fn on_path(name: &str) -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|tool| tool.is_file())
}
