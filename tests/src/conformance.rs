//! The conformance suite: what holds for every destination, tried on a real one through the built executable.
//!
//! A destination adds one file to `tests/tests/conformance`: it implements [`Destination`] for its real server and names
//! the suite once with [`conformance!`](macro@crate::conformance). Each scenario is a function here; which of them apply in
//! which mode follows from the destination's `Capabilities`, and a scenario that does not apply is not generated, so nothing is
//! skipped in silence: [`Scope`] lists what a kind has to pass, and a test of each destination holds its list against it.
//!
//! Emitters find the destination by a name, which the test lets move; whatever they show, in whatever scenario, is looked
//! over for what was planted ([`Trial::end`]).

mod delivering;
mod destination;
mod failing;
mod finding;
mod graph;
mod keeping_secrets;
mod refusing;
mod trial;
mod witness;

pub use delivering::{confirmed_is_acknowledged, nothing_is_written_for_nothing, order_is_kept_over_flushes};
pub use destination::{Arrival, Destination};
pub use failing::{
    absent_at_start, ambiguous_is_sent_again_with_the_same_bytes, order_is_kept_over_an_outage,
    restarted_in_the_middle, silent_until_the_timeout,
};
pub use finding::{
    a_certificate_of_another_host_is_refused, a_name_that_stops_resolving_and_returns_elsewhere_is_followed,
};
pub use keeping_secrets::nothing_is_leaked;
pub use nervix_sink_testkit::{Named, Scope, scenarios};
pub use refusing::{oversize_is_rejected_alone, refused_is_rejected_alone};
pub use trial::{NAME, SECRET, Trial, VALUE};

/// One test for each scenario that a destination has to pass in each of its modes.
///
/// `conformance!(Queue { no_ack: [sized], ack_parallel: [confirming, refusing, sized, secured] })`: the modes are those of
/// [`TriedMode`](nervix_sink_testkit::TriedMode); every mode runs the scenarios without a scope, and those of the scopes that
/// it names.
#[macro_export]
macro_rules! conformance {
    ($destination:ident { $($mode:ident: [$($scope:ident),*]),* $(,)? }) => {
        $(
            mod $mode {
                $crate::conformance!(@scope every super::$destination, stringify!($mode));
                $($crate::conformance!(@scope $scope super::$destination, stringify!($mode));)*
            }
        )*

        #[test]
        fn the_modes_and_scopes_are_those_of_its_capabilities() {
            let named: &[$crate::conformance::Named<'_>] = &[$((stringify!($mode), &[$(stringify!($scope)),*])),*];
            $crate::conformance::Scope::hold(<$destination as $crate::conformance::Destination>::KIND, named);
        }
    };
    (@scope secured $destination:ty, $mode:expr) => {
        $crate::conformance!(@test $destination, $mode; a_certificate_of_another_host_is_refused,);
    };
    (@scope confirming $destination:ty, $mode:expr) => {
        $crate::conformance::scenarios!(confirming => [$crate::conformance] (@test $destination, $mode;));
        $crate::conformance!(@test $destination, $mode;
            a_name_that_stops_resolving_and_returns_elsewhere_is_followed,
        );
    };
    (@scope $scope:ident $destination:ty, $mode:expr) => {
        $crate::conformance::scenarios!($scope => [$crate::conformance] (@test $destination, $mode;));
    };
    (@test $destination:ty, $mode:expr; $($scenario:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $scenario() {
                $crate::conformance::$scenario::<$destination>($mode).await.end().await;
            }
        )*
    };
}
