//! Explanations of X10's keywords, for hover.

/// The explanation of a keyword, with an example.
pub(super) fn meaning(word: &str) -> Option<&'static str> {
    Some(match word {
        "async" => {
            "```x10\nasync S\n```\nStarts `S` as an activity of its own and continues. The `finish` around waits for it."
        }
        "finish" => {
            "```x10\nfinish S\n```\nRuns `S` and waits for all activities that it starts, at any place. Their exceptions \
             are gathered into a `MultipleExceptions`."
        }
        "at" => {
            "```x10\nat (p) S\n```\nRuns `S` at place `p` and waits for it. The variables that `S` uses are copied to `p`, \
             with all that they lead to."
        }
        "ateach" => {
            "```x10\nateach (p in d) S\n```\nStarts an activity for each point of a distribution, at the place that it maps the point to."
        }
        "atomic" => {
            "```x10\natomic S\n```\nRuns `S` in one step, as far as other atomic code of this place can see."
        }
        "when" => "```x10\nwhen (c) S\n```\nWaits until `c` holds, and runs `S` in the same step.",
        "clocked" => {
            "```x10\nclocked finish { clocked async S }\n```\nActivities that go through phases together: \
             `Clock.advanceAll()` waits for the others."
        }
        "offer" => {
            "```x10\noffer e;\n```\nGives a value to the collecting `finish` around, which reduces all of them to one."
        }
        "here" => "The place where this code runs.",
        "property" => {
            "```x10\nproperty(a, b);\n```\nIn a constructor: gives the properties of the object their values. Before a \
             method: usable in conditions of types."
        }
        "self" => {
            "In the condition of a type: the value that the condition is about, as in `Long{self > 0}`."
        }
        "haszero" => "`T haszero`: type `T` has a default value: zero, `false` or `null`.",
        "isref" => "`T isref`: the values of type `T` are references.",
        "struct" => "A class of values: they are copied, have no identity and are never `null`.",
        "transient" => {
            "A field that does not travel with its object: where the copy arrives it has its default value."
        }
        "native" => "What other code than X10's implements.",
        _ => return None,
    })
}
