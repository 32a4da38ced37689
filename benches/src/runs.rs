//! One figure taken several times: the median stands for it, the extremes say how much noise there was.

/// The same figure of several runs; at least one.
#[derive(Debug, Clone)]
pub(crate) struct Runs {
    sorted: Vec<f64>,
}

impl Runs {
    /// # Panics
    /// Without a run, or when a figure is not a number: there is nothing to report then.
    pub(crate) fn of(figures: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = figures.into_iter().collect();
        assert!(
            !sorted.is_empty() && sorted.iter().all(|figure| figure.is_finite()),
            "a figure was not measured: {sorted:?}"
        );
        sorted.sort_by(f64::total_cmp);
        Self { sorted }
    }

    /// What stands for the figure.
    pub(crate) fn median(&self) -> f64 {
        self.share(0.5)
    }

    /// The figure that this share of the runs does not exceed.
    pub(crate) fn share(&self, share: f64) -> f64 {
        self.sorted[((self.sorted.len() - 1) as f64 * share).round() as usize]
    }

    /// `median (lowest to highest)`, each as `text` writes it; the median alone where there was one run.
    pub(crate) fn text(&self, text: impl Fn(f64) -> String) -> String {
        let median = text(self.median());
        if self.sorted.len() == 1 {
            return median;
        }
        format!(
            "{median} ({} to {})",
            text(self.share(0.0)),
            text(self.share(1.0))
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Runs;

    #[test]
    fn the_median_stands_for_the_runs_and_the_extremes_are_told() {
        let runs = Runs::of([3.0, 1.0, 2.0]);
        assert!((runs.median() - 2.0).abs() < f64::EPSILON);
        assert_eq!(runs.text(|figure| format!("{figure:.0}")), "2 (1 to 3)");
        assert_eq!(Runs::of([7.0]).text(|figure| format!("{figure:.0}")), "7");
    }

    #[test]
    #[should_panic(expected = "a figure was not measured")]
    fn no_run_is_no_figure() {
        Runs::of([]);
    }
}
