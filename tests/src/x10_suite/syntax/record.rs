//! What is recorded of X10's files: `grammar.json`, what X10's own parser refuses, and `syntax.json`, what
//! ours did.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Accepted, Damage, Edits, Formatted};
use crate::x10_suite::record::path;

/// What X10's own parser says of its files.
#[derive(Clone, Debug, Default)]
pub struct Grammar {
    /// How many files there are.
    pub files: usize,
    refused: BTreeSet<String>,
}

impl Grammar {
    /// The record.
    pub fn read() -> Grammar {
        let data = value("grammar.json");
        let list = |key: &str| -> Vec<String> {
            let list = data[key].as_array().into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let refused = list("reject").into_iter().chain(list("either")).collect();
        Grammar { files: data["files"].as_u64().unwrap_or_default() as usize, refused }
    }

    /// Whether a file must give an error.
    pub fn is_refused(&self, name: &str) -> bool {
        self.refused.contains(name)
    }

    /// How many files X10's parser accepts.
    pub fn accepted(&self) -> usize {
        self.files - self.refused.len()
    }
}

fn value(name: &str) -> Value {
    let path = path(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The figures of a whole pass that may get worse.
#[derive(Clone, Debug)]
pub struct Recorded(Value);

impl Recorded {
    /// Those of now.
    pub fn of(accepted: &Accepted, damages: &[Damage; 2], edits: &Edits, formatted: &Formatted) -> Recorded {
        let damage = |it: &Damage| {
            json!({ "broken": it.broken.len(), "median_errors": it.errors(50),
                    "unchanged_outside_percent": it.unchanged_percent() })
        };
        let [deleted, duplicated] = damages.each_ref().map(damage);
        Recorded(json!({
            "files": accepted.files, "clean": accepted.clean, "different": accepted.different.keys().collect::<Vec<_>>(),
            "deleted": deleted, "duplicated": duplicated,
            "edits": edits.total, "edits_of_one_block": edits.local,
            "formatted": formatted.files, "unstable": formatted.unstable, "changed": formatted.changed,
        }))
    }

    /// Those of `syntax.json`.
    pub fn read() -> Recorded {
        Recorded(value("syntax.json"))
    }

    /// Writes them to `syntax.json`.
    pub fn write(&self) {
        let text = serde_json::to_string_pretty(&self.0).expect("JSON") + "\n";
        std::fs::write(path("syntax.json"), text).expect("the record can be written");
    }

    /// What is worse than `before`, a line each.
    pub fn worse_than(&self, before: &Recorded) -> Vec<String> {
        let rises = ["/clean", "/formatted", "/edits_of_one_block"];
        let rises = rises
            .into_iter()
            .chain(["/deleted/unchanged_outside_percent", "/duplicated/unchanged_outside_percent"]);
        let falls = ["/deleted/median_errors", "/duplicated/median_errors"];
        let number = |of: &Recorded, key: &str| of.0.pointer(key).and_then(Value::as_u64).unwrap_or_default();
        let mut worse: Vec<String> = Vec::new();
        let mut tell = |key: &str| {
            worse.push(format!("{key}: was {}, is {}", number(before, key), number(self, key)));
        };
        rises.filter(|key| number(self, key) < number(before, key)).for_each(&mut tell);
        falls.into_iter().filter(|key| number(self, key) > number(before, key)).for_each(&mut tell);
        for key in ["different", "unstable", "changed"] {
            let names = |of: &Recorded| -> BTreeSet<String> {
                of.0[key]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect()
            };
            worse.extend(names(self).difference(&names(before)).map(|name| format!("{key}: {name}")));
        }
        worse
    }
}
