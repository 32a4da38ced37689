//! What a ratio of the table shall keep.

use std::fmt;

/// A bound on the ratio of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    /// None: the figure is told.
    Reported,
    /// At least this much.
    AtLeast(f64),
    /// At most this much.
    AtMost(f64),
    /// Between these two.
    Within(f64, f64),
}

impl Bound {
    /// Whether `ratio` keeps it.
    pub(crate) fn keeps(self, ratio: f64) -> bool {
        match self {
            Self::Reported => true,
            Self::AtLeast(least) => ratio >= least,
            Self::AtMost(most) => ratio <= most,
            Self::Within(least, most) => (least..=most).contains(&ratio),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reported => f.write_str("reported"),
            Self::AtLeast(least) => write!(f, ">= {least}"),
            Self::AtMost(most) => write!(f, "<= {most}"),
            Self::Within(least, most) => write!(f, "{least} to {most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bound;

    #[test]
    fn a_bound_is_kept_on_its_edge_and_missed_beyond() {
        assert!(Bound::AtLeast(0.6).keeps(0.6) && !Bound::AtLeast(0.6).keeps(0.59));
        assert!(Bound::AtMost(1.0).keeps(1.0) && !Bound::AtMost(1.0).keeps(1.01));
        assert!(Bound::Within(0.9, 1.1).keeps(0.9) && Bound::Within(0.9, 1.1).keeps(1.1));
        assert!(!Bound::Within(0.9, 1.1).keeps(0.89) && !Bound::Within(0.9, 1.1).keeps(1.11));
        assert!(Bound::Reported.keeps(0.0));
        assert!(!Bound::AtMost(1.0).keeps(f64::NAN) && !Bound::AtLeast(0.0).keeps(f64::NAN));
    }
}
