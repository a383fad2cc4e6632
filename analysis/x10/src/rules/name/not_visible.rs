//! `name/not-visible`

use crate::diagnostics::{Rule, Severity};

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
