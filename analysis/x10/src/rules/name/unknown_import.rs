//! `name/unknown-import`

use crate::diagnostics::{Rule, Severity};

/// An import of something that does not exist.
pub static RULE: Rule = Rule {
    code: "name/unknown-import",
    severity: Severity::Error,
    summary: "An import of something that does not exist.",
    explanation: r##"
`import a.b.C;` needs a file `a/b/C.x10` with a type `C` below one of the source folders or in the class
library, and `import a.b.*;` a package or class `a.b`. Correct the name, or name the folder that holds it
with `--source-path`. A type that stands beside another in a file is known in its own package alone: move it to a file of its
own name to import it.
"##,
    failing: r##"
import x10.util.Randon;

class Example {
}
"##,
    fixed: r##"
import x10.util.Random;

class Example {
}
"##,
};
