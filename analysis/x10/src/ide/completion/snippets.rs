//! Completion of keywords and snippets.

/// Keywords that start statements only.
pub(super) const STATEMENT_KEYWORDS: &[&str] = &[
    "async", "at", "ateach", "atomic", "assert", "break", "clocked", "continue", "do", "finish", "for", "if",
    "offer", "return", "switch", "throw", "try", "val", "var", "when", "while",
];

/// Keywords that start expressions.
pub(super) const EXPRESSION_KEYWORDS: &[&str] = &["true", "false", "null", "here", "new", "at", "self"];

/// Keywords that start members.
pub(super) const MEMBER_KEYWORDS: &[&str] = &[
    "abstract",
    "class",
    "def",
    "final",
    "interface",
    "native",
    "operator",
    "private",
    "property",
    "protected",
    "public",
    "static",
    "struct",
    "transient",
    "type",
    "val",
    "var",
];

/// Keywords that start top-level declarations.
pub(super) const TOP_KEYWORDS: &[&str] =
    &["abstract", "class", "final", "import", "interface", "package", "public", "struct", "type"];

/// Label, description, text.
type Snippet = (&'static str, &'static str, &'static str);

/// Statements.
pub(super) const STATEMENT_SNIPPETS: &[Snippet] = &[
    ("finish async", "spawn and wait", "finish async {\n    $0\n}"),
    (
        "finish for async",
        "an activity for each index",
        "finish for (${1:i} in 0..(${2:n}-1)) async {\n    $0\n}",
    ),
    (
        "finish for places",
        "an activity at each place",
        "finish for (${1:p} in Place.places()) at (${1:p}) async {\n    $0\n}",
    ),
    ("at async", "an activity at a place", "at (${1:place}) async {\n    $0\n}"),
    ("for range", "loop over a range", "for (${1:i} in 0..(${2:n}-1)) {\n    $0\n}"),
    (
        "clocked finish",
        "activities in phases",
        "clocked finish for (${1:i} in 0..(${2:n}-1)) clocked async {\n    $0\n    Clock.advanceAll();\n}",
    ),
    ("try catch", "handle an exception", "try {\n    $0\n} catch (${1:e}:${2:Exception}) {\n}"),
    ("println", "print a line", "Console.OUT.println(${1:\"\"});$0"),
    (
        "cuda kernel",
        "a kernel for a GPU",
        "finish async at (${1:gpu}) @CUDA @CUDADirectParams {\n    val blocks = CUDAUtilities.autoBlocks();\n    val threads = CUDAUtilities.autoThreads();\n    finish for (block in 0n..(blocks-1n)) async {\n        clocked finish for (thread in 0n..(threads-1n)) clocked async {\n            val id = block*threads + thread;\n            $0\n        }\n    }\n}",
    ),
];

/// Members of a class.
pub(super) const MEMBER_SNIPPETS: &[Snippet] = &[
    ("main", "the program's entry", "public static def main(args:Rail[String]) {\n    $0\n}"),
    ("def this", "a constructor", "def this(${1}) {\n    $0\n}"),
    ("def method", "a method", "def ${1:name}(${2}):${3:void} {\n    $0\n}"),
    ("operator binary", "a binary operator", "operator this ${1:+} (that:${2:Type}):${3:Type} {\n    $0\n}"),
];
