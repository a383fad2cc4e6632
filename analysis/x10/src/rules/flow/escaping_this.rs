//! `flow/escaping-this`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::{ClassId, FieldId};
use crate::item_tree::ClassPlace;
use crate::item_tree::items::class_place;
use crate::rules::render::{Render, RenderContext};

/// `this` gets away before its object is constructed.
pub static RULE: Rule = Rule {
    code: "flow/escaping-this",
    severity: Severity::Error,
    summary: "`this` gets away before its object is constructed.",
    explanation: r##"
Until a constructor has ended, its object is not complete: fields may lack their values. So `this` must not become known to
anybody else meanwhile. In constructors, field initialisers and the methods that they call, `this` is only there to read and
assign fields and to call methods that cannot be overridden. It cannot be stored, passed on, compared, printed, captured by a
closure or an `at`, or kept by an object of an inner class (X10 2.6, "Object Initialization").

Do it after `new`: in a static method that makes the object and then uses it. What a closure needs of the object is copied into
`val`s first.
"##,
    failing: r##"
class Example {
    static val all = new Rail[Example](10);
    def this(index:Long) {
        all(index) = this;
    }
}
"##,
    fixed: r##"
class Example {
    static val all = new Rail[Example](10);
    def this() {}
    static def make(index:Long):Example {
        val made = new Example();
        all(index) = made;
        return made;
    }
}
"##,
};

/// `this` escapes from a constructor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EscapingThis {
    /// By a field that refers to its own object and is not private.
    PublicReference(FieldId),
    /// By a use as a value.
    Value,
    /// By a `GlobalRef` that is not an initialiser of a private field.
    GlobalRef,
    /// By code that captures it.
    Captured(CapturingCode),
    /// By an object of an inner or anonymous class.
    InnerObject(ClassId),
    /// By a read of a field that refers to it.
    ReferenceRead(FieldId),
}

/// Code that captures `this`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapturingCode {
    /// `at`
    At,
    /// `ateach`
    AtEach,
    /// A function literal.
    Closure,
}

impl Render for EscapingThis {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (message, note) = match self {
            EscapingThis::PublicReference(field) => (
                format!("`{}` refers to its own object, so it must be private", field.name(cx.db)),
                "a subclass could read it while the object is being constructed: declare it `private`",
            ),
            EscapingThis::Value => (
                "`this` gets away before it is constructed".to_owned(),
                "until the constructor has ended, `this` is only there to reach fields and methods that \
                 cannot be overridden: do this after `new`, for example in a static method that makes the object",
            ),
            EscapingThis::GlobalRef => (
                "`this` gets away before it is constructed".to_owned(),
                "a `GlobalRef` to the object itself is made by the initialiser of a private field: \
                 `private val root = GlobalRef[C](this);`",
            ),
            EscapingThis::Captured(code) => {
                let (what, why) = match code {
                    CapturingCode::At => ("an `at`", "it would be copied half constructed"),
                    CapturingCode::AtEach => ("an `ateach`", "it would be copied half constructed"),
                    CapturingCode::Closure => ("a closure", "it may be called before the object is complete"),
                };
                (
                    format!("{what} in a constructor cannot use `this` or its fields: {why}"),
                    "copy the values that it needs into `val`s of the constructor, and use those",
                )
            }
            EscapingThis::InnerObject(class) => {
                let what = match class_place(cx.db, *class) {
                    ClassPlace::Anonymous => "an object of an anonymous class".to_owned(),
                    _ => format!("an object of the inner class `{}`", class.name(cx.db)),
                };
                (
                    format!("{what} keeps `this`, which is not constructed yet"),
                    "make the class `static` and hand it what it needs, or create the object after this one is complete",
                )
            }
            EscapingThis::ReferenceRead(field) => (
                format!("`{}` refers to `this`, which is not constructed yet", field.name(cx.db)),
                "a `GlobalRef` to the object itself may be made in a constructor, but not used there",
            ),
        };
        RULE.at(range, message).note(note)
    }
}
