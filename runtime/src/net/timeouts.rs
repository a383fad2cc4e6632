//! Timeouts of the start and of heartbeats, which the environment can change.

use std::time::Duration;

/// Environment variable: time for all places to start and connect.
pub const START_VARIABLE: &str = "APG_START_TIMEOUT";
/// Environment variable: time for a place to give a sign of life; 0 disables failure detection.
pub const SILENCE_VARIABLE: &str = "APG_SILENCE_TIMEOUT";

const START_TIMEOUT: Duration = Duration::from_secs(60);
const SILENCE_TIMEOUT: Duration = Duration::from_secs(8);
/// Maximum timeout; every instant that far away can be represented.
const MAX_SECONDS: u64 = 1_000_000;

/// The timeouts of a program's places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// See [`START_VARIABLE`].
    pub start: Duration,
    /// See [`SILENCE_VARIABLE`]; `None` without an end.
    pub silence: Option<Duration>,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts { start: START_TIMEOUT, silence: Some(SILENCE_TIMEOUT) }
    }
}

impl Timeouts {
    /// Those of the environment.
    ///
    /// # Errors
    /// What is wrong with a variable.
    pub fn from_environment() -> Result<Timeouts, String> {
        Timeouts::from_variables(|name| {
            std::env::var_os(name).map(|text| text.to_string_lossy().into_owned())
        })
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Timeouts, String> {
        let seconds = |name: &str, least: u64, default: Duration| match variable(name).as_deref() {
            None | Some("") => Ok(default),
            Some(text) => match text.trim().parse() {
                Ok(seconds) if (least..=MAX_SECONDS).contains(&seconds) => Ok(Duration::from_secs(seconds)),
                _ => Err(format!("{name} is `{text}`: write whole seconds from {least} to {MAX_SECONDS}")),
            },
        };
        let silence = seconds(SILENCE_VARIABLE, 0, SILENCE_TIMEOUT)?;
        Ok(Timeouts {
            start: seconds(START_VARIABLE, 1, START_TIMEOUT)?,
            silence: Some(silence).filter(|it| !it.is_zero()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(start: &str, silence: &str) -> Result<Timeouts, String> {
        Timeouts::from_variables(|name| Some(if name == START_VARIABLE { start } else { silence }.to_owned()))
    }

    #[test]
    fn variables_hold_whole_seconds() {
        assert_eq!(Timeouts::from_variables(|_| None), Ok(Timeouts::default()));
        assert_eq!(parse("", ""), Ok(Timeouts::default()));
        let seconds = Duration::from_secs;
        assert_eq!(parse("90", "3"), Ok(Timeouts { start: seconds(90), silence: Some(seconds(3)) }));
        assert_eq!(parse(" 90 ", "0"), Ok(Timeouts { start: seconds(90), silence: None }));
        for (start, silence) in
            [("0", "1"), ("1.5", "1"), ("-1", "1"), ("1", "never"), ("1", "99999999999999999999")]
        {
            assert!(parse(start, silence).is_err(), "{start} {silence}");
        }
        let error = parse("soon", "").expect_err("no number");
        assert!(error.contains("APG_START_TIMEOUT is `soon`"), "{error}");
    }
}
