//! How long a slot may wait before the waiting slots are reported, and what follows.

use std::time::Duration;

/// Environment variable: seconds, and `:continue` behind them if the program continues after the report.
pub const VARIABLE: &str = "APG_SLOT_TIMEOUT";
const DEFAULT: Duration = Duration::from_secs(10);
const MAX_SECONDS: u64 = 1_000_000;

/// See [`VARIABLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotTimeout {
    /// How long a slot may wait; `None` for ever.
    pub after: Option<Duration>,
    /// The program continues after the report.
    pub continues: bool,
}

impl Default for SlotTimeout {
    fn default() -> SlotTimeout {
        SlotTimeout { after: Some(DEFAULT), continues: false }
    }
}

impl SlotTimeout {
    /// From `SECONDS` or `SECONDS:continue`; 0 for no report.
    ///
    /// # Errors
    /// What to write instead.
    pub fn parse(text: &str) -> Result<SlotTimeout, String> {
        let (number, continues) = match text.trim().strip_suffix(":continue") {
            Some(number) => (number, true),
            None => (text.trim(), false),
        };
        match number.parse::<u64>() {
            Ok(0) => Ok(SlotTimeout { after: None, continues }),
            Ok(seconds @ ..=MAX_SECONDS) => {
                Ok(SlotTimeout { after: Some(Duration::from_secs(seconds)), continues })
            }
            _ => Err(format!(
                "`{text}`: write whole seconds up to {MAX_SECONDS}, 0 for no report, with `:continue` behind them if \
                 the program is to go on after a report"
            )),
        }
    }

    /// That of the environment.
    ///
    /// # Errors
    /// What is wrong with the variable.
    pub fn from_environment() -> Result<SlotTimeout, String> {
        match std::env::var_os(VARIABLE) {
            Some(text) if !text.is_empty() => {
                SlotTimeout::parse(&text.to_string_lossy()).map_err(|error| format!("{VARIABLE} is {error}"))
            }
            _ => Ok(SlotTimeout::default()),
        }
    }
}

/// As [`SlotTimeout::parse`] reads it.
impl std::fmt::Display for SlotTimeout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let after = if self.continues { ":continue" } else { "" };
        write!(f, "{}{after}", self.after.unwrap_or_default().as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_what_follows_are_read() {
        let seconds = |count| Some(Duration::from_secs(count));
        assert_eq!(SlotTimeout::parse("3"), Ok(SlotTimeout { after: seconds(3), continues: false }));
        assert_eq!(
            SlotTimeout::parse(" 20:continue"),
            Ok(SlotTimeout { after: seconds(20), continues: true })
        );
        assert_eq!(SlotTimeout::parse("0"), Ok(SlotTimeout { after: None, continues: false }));
        for text in ["3", "20:continue", "0"] {
            assert_eq!(SlotTimeout::parse(text).map(|it| it.to_string()).as_deref(), Ok(text));
        }
        for wrong in ["", "-1", "1.5", "ten", "5:go", "99999999999"] {
            assert!(SlotTimeout::parse(wrong).is_err(), "{wrong}");
        }
    }
}
