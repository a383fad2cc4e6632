//! `name/unknown-type`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Fix, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::foreign_vocabulary::{CUDA_ANNOTATION_NOTE, is_device_annotation};

/// A type name that stands for nothing.
pub static RULE: Rule = Rule {
    code: "name/unknown-type",
    severity: Severity::Error,
    summary: "A type name that stands for nothing.",
    explanation: r##"
A type is named by its simple name if it is a type parameter, a member of an enclosing class, declared in
the same file or package, imported, or in `x10.lang`; else by its qualified name. The name found here is none
of these: it is misspelt, or its import is missing.
"##,
    failing: r##"
class Example {
    static def parse(text:Strng):Long = 1;
}
"##,
    fixed: r##"
class Example {
    static def parse(text:String):Long = 1;
}
"##,
};

/// An annotation whose name stands for no interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAnnotation {
    /// The name as it is written.
    pub name: SmolStr,
}

impl Render for UnknownAnnotation {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let diagnostic = RULE.at(range, format!("there is no annotation `@{}` here", self.name));
        match self.name.as_str() {
            "Override" | "override" => {
                diagnostic.note("whether a method overrides one is checked without any: leave it out")
            }
            name if is_device_annotation(name) => diagnostic
                .note(CUDA_ANNOTATION_NOTE)
                .fix(Fix::replace("Replace by `CUDA`", range, "CUDA")),
            _ => diagnostic.note("an annotation is an interface: import it, or declare an interface that extends one of `x10.lang.annotations`"),
        }
    }
}
