//! Logging of the command to standard error, to find faults of apg: `APG_LOG=apg=debug`. Without the variable
//! no subscriber is installed, and an event costs a comparison.

use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::output;

/// The variable with the filter.
const FILTER_VARIABLE: &str = "APG_LOG";

/// Starts logging if `APG_LOG` is set.
pub(crate) fn start() {
    let Ok(filter) = std::env::var(FILTER_VARIABLE) else { return };
    match filter.parse::<Targets>() {
        Ok(filter) => {
            let layer =
                fmt::layer().with_ansi(false).with_span_events(FmtSpan::CLOSE).with_writer(std::io::stderr);
            tracing_subscriber::registry().with(layer.with_filter(filter)).init();
        }
        // Nobody may read standard error.
        Err(error) => drop(output::remark(format_args!("apg: {FILTER_VARIABLE}: {error}"))),
    }
}
