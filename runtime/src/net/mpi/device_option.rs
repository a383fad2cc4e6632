//! `APG_MPI_DEVICE_MEMORY`: whether memory of accelerators is passed to MPI, where the user says so.

/// The variable.
const NAME: &str = "APG_MPI_DEVICE_MEMORY";

/// What the user has chosen; without a choice the library's own word counts.
///
/// # Errors
/// The variable has another value than 0 or 1.
pub(super) fn from_environment() -> Result<Option<bool>, String> {
    parse(std::env::var_os(NAME).map(|value| value.to_string_lossy().into_owned()).as_deref())
}

fn parse(value: Option<&str>) -> Result<Option<bool>, String> {
    match value {
        None | Some("") => Ok(None),
        Some("0") => Ok(Some(false)),
        Some("1") => Ok(Some(true)),
        Some(other) => Err(format!(
            "{NAME} is `{other}`: write 0 to copy memory of accelerators by way of the host, 1 to pass it to MPI"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn choice_is_0_or_1() {
        assert_eq!(parse(None), Ok(None));
        assert_eq!(parse(Some("")), Ok(None));
        assert_eq!(parse(Some("0")), Ok(Some(false)));
        assert_eq!(parse(Some("1")), Ok(Some(true)));
        let error = parse(Some("yes")).expect_err("no choice");
        assert!(error.starts_with("APG_MPI_DEVICE_MEMORY is `yes`: write 0"), "{error}");
    }
}
