//! `name/not-visible`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Fix, Rule, Severity};
use crate::ids::FieldId;
use crate::rules::render::{Render, RenderContext};

/// A member that may not be used here.
pub static RULE: Rule = Rule {
    code: "name/not-visible",
    severity: Severity::Error,
    summary: "A member that may not be used here.",
    explanation: r##"
A `private` member can be used in the outermost class around its declaration only, a `protected` one also in subclasses and in the package, one without a
modifier in the package, and a `public` one everywhere.

Use what the class offers to others, or change the modifier if the class is yours.
"##,
    failing: r##"
// file: Account.x10
public class Account {
    private var balance:Long = 0;
    public def balance():Long = balance;
}
// file: Example.x10
public class Example {
    static def show(account:Account) {
        Console.OUT.println(account.balance);
    }
}
"##,
    fixed: r##"
// file: Account.x10
public class Account {
    private var balance:Long = 0;
    public def balance():Long = balance;
}
// file: Example.x10
public class Example {
    static def show(account:Account) {
        Console.OUT.println(account.balance());
    }
}
"##,
};

/// A field that is not accessible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotVisible {
    /// The field.
    pub field: FieldId,
    /// Where it is called: a method that was probably meant.
    pub similar: Option<SmolStr>,
}

impl Render for NotVisible {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (name, class) = (self.field.name(cx.db), self.field.class(cx.db).name(cx.db));
        let message =
            format!("`{name}` of `{class}` cannot be used here: it is not visible outside its own code");
        let diagnostic = RULE.at(range, message);
        match &self.similar {
            Some(similar) => diagnostic.note(format!("did you mean `{similar}`?")).fix(Fix::replace(
                format!("Replace by `{similar}`"),
                range,
                similar.as_str(),
            )),
            None => diagnostic,
        }
    }
}
