//! Which accelerators a host place uses.

/// The user's selection.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Selection {
    /// All there are; none is fine. X10's launcher uses none by default; here a program with kernels finds
    /// the GPUs without a flag.
    #[default]
    Auto,
    /// None.
    None,
    /// All there are, at least one.
    All,
    /// These, by the driver's numbers, in this order.
    Listed(Vec<u32>),
}

impl Selection {
    /// From the value of `--accels`: `auto`, `all`, `none` or numbers (`0,1`; X10's `CUDA0,CUDA1` too), in
    /// either case.
    pub fn parse(text: &str) -> Result<Selection, String> {
        match text.trim().to_ascii_lowercase().as_str() {
            "auto" => Ok(Selection::Auto),
            "all" => Ok(Selection::All),
            "none" | "" => Ok(Selection::None),
            list => Self::parse_list(list).ok_or_else(|| {
                format!(
                    "cannot read the accelerators `{text}`: write `all`, `none`, `auto`, or numbers split by commas, such \
                     as `0,1` or `CUDA0,CUDA1`"
                )
            }),
        }
    }

    fn parse_list(list: &str) -> Option<Selection> {
        let mut ordinals = Vec::new();
        for item in list.split(',') {
            let item = item.trim();
            let digits = item.strip_prefix("cuda").unwrap_or(item);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            let ordinal = digits.parse().ok()?;
            if ordinals.contains(&ordinal) {
                return None;
            }
            ordinals.push(ordinal);
        }
        Some(Selection::Listed(ordinals))
    }

    /// The flag if there is one, else X10's variables: `X10RT_ACCELS` with the number of the host place, then
    /// without.
    pub fn choose(
        flag: Option<&str>,
        host: u32,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Selection, String> {
        if let Some(text) = flag {
            return Self::parse(text).map_err(|error| format!("--accels: {error}"));
        }
        for variable in [format!("X10RT_ACCELS{host}"), "X10RT_ACCELS".to_owned()] {
            if let Some(text) = environment(&variable) {
                return Self::parse(&text).map_err(|error| format!("{variable}: {error}"));
            }
        }
        Ok(Selection::Auto)
    }

    /// The driver's numbers of the accelerators to use. `count` is called only if needed: how many there
    /// are, or why there are none.
    pub fn resolve(&self, count: &dyn Fn() -> Result<u32, String>) -> Result<Vec<u32>, String> {
        let reason = |why: String| format!("no accelerator can be used here: {why}");
        match self {
            Selection::None => Ok(Vec::new()),
            Selection::Auto => Ok((0..count().unwrap_or(0)).collect()),
            Selection::All => match count().map_err(reason)? {
                0 => Err(reason("this machine has no CUDA GPU".to_owned())),
                found => Ok((0..found).collect()),
            },
            Selection::Listed(ordinals) => {
                let found = count().map_err(reason)?;
                match ordinals.iter().find(|ordinal| **ordinal >= found) {
                    Some(missing) => Err(format!(
                        "there is no accelerator {missing}: this machine has {found} (counted from 0)"
                    )),
                    None => Ok(ordinals.clone()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_parsed() {
        let list = Ok(Selection::Listed(vec![0, 2]));
        for (text, expected) in [
            ("ALL", Ok(Selection::All)),
            ("none", Ok(Selection::None)),
            ("auto", Ok(Selection::Auto)),
            ("0,2", list.clone()),
            ("CUDA0, CUDA2", list),
        ] {
            assert_eq!(Selection::parse(text), expected, "{text}");
        }
        for text in ["some", "0,", "cuda", "0,0", "-1", "+1", "99999999999"] {
            let error = Selection::parse(text).expect_err(text);
            assert!(error.contains(text) && error.contains("CUDA0,CUDA1"), "{error}");
        }
    }

    #[test]
    fn flag_precedes_the_variable_of_the_place() {
        let environment = |name: &str| match name {
            "X10RT_ACCELS" => Some("ALL".to_owned()),
            "X10RT_ACCELS1" => Some("NONE".to_owned()),
            _ => None,
        };
        assert_eq!(Selection::choose(Some("0"), 1, &environment), Ok(Selection::Listed(vec![0])));
        assert_eq!(Selection::choose(None, 1, &environment), Ok(Selection::None));
        assert_eq!(Selection::choose(None, 0, &environment), Ok(Selection::All));
        assert_eq!(Selection::choose(None, 0, &|_| None), Ok(Selection::Auto));
        let error = Selection::choose(None, 0, &|_| Some("x".to_owned())).expect_err("no such accelerator");
        assert!(error.starts_with("X10RT_ACCELS0:"), "{error}");
    }

    #[test]
    fn missing_accelerators_are_errors_only_if_selected() {
        let none = || Err("the CUDA driver is not installed".to_owned());
        assert_eq!(Selection::Auto.resolve(&none), Ok(vec![]));
        assert_eq!(Selection::None.resolve(&none), Ok(vec![]));
        for selection in [Selection::All, Selection::Listed(vec![0])] {
            let error = selection.resolve(&none).expect_err("there is none");
            assert!(error.contains("the CUDA driver is not installed"), "{error}");
        }
        assert!(Selection::All.resolve(&|| Ok(0)).is_err());
        assert_eq!(Selection::All.resolve(&|| Ok(2)), Ok(vec![0, 1]));
        assert_eq!(Selection::Listed(vec![1]).resolve(&|| Ok(2)), Ok(vec![1]));
        assert!(Selection::Listed(vec![2]).resolve(&|| Ok(2)).is_err());
    }
}
