//! What a profile calls places and threads.

/// The kind of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Naming {
    /// One of places, whose workers execute activities.
    #[default]
    Places,
    /// One in C: place 0 is the host, whose threads execute directives, and the devices follow.
    Devices,
}

impl Naming {
    /// A place.
    pub(super) fn place(self, number: i64) -> String {
        match (self, number) {
            (Naming::Places, _) => format!("Place({number})"),
            (Naming::Devices, 0) => "host".to_owned(),
            (Naming::Devices, _) => format!("device {}", number - 1),
        }
    }

    /// A thread of the host.
    pub(super) fn thread(self, number: usize) -> String {
        match self {
            Naming::Places => format!("worker {number}"),
            Naming::Devices => format!("thread {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_counted_from_zero_behind_the_host() {
        assert_eq!([0, 1, 2].map(|it| Naming::Devices.place(it)), ["host", "device 0", "device 1"]);
        assert_eq!(
            (Naming::Places.place(1), Naming::Places.thread(2)),
            ("Place(1)".into(), "worker 2".into())
        );
    }
}
