//! `name/ambiguous-type`

use crate::diagnostics::{Rule, Severity};

/// A type name that several imports on demand provide.
pub static RULE: Rule = Rule {
    code: "name/ambiguous-type",
    severity: Severity::Error,
    summary: "A type name that several imports on demand provide.",
    explanation: r##"
If two imports of the form `import p.*;` provide the same simple name, using it is an error, since nothing says
which is meant. Import the type that is meant by its name, or write its qualified name.
"##,
    failing: r##"
import one.*;
import two.*;

class Example {
    static def area(shape:Shape):Long = 1;
}
// file: one/Shape.x10
package one;

public class Shape {}
// file: two/Shape.x10
package two;

public class Shape {}
"##,
    fixed: r##"
import one.*;
import two.*;
import two.Shape;

class Example {
    static def area(shape:Shape):Long = 1;
}
// file: one/Shape.x10
package one;

public class Shape {}
// file: two/Shape.x10
package two;

public class Shape {}
"##,
};
