//! The conformance suite: what holds for every destination, tried on a real one through the built executable.
//!
//! A destination adds one file to `tests/tests/conformance`: it implements [`Destination`] for its real server and names
//! the suite once with [`conformance!`](macro@crate::conformance). Each scenario is a function here; which of them apply follows
//! from the destination's `Capabilities`, and a scenario that does not apply is not generated, so nothing is skipped in
//! silence: [`Scope`] lists what a kind has to pass, and a test of each destination holds its list against it.

mod delivering;
mod destination;
mod failing;
mod graph;
mod keeping_secrets;
mod refusing;
mod trial;

pub use delivering::{confirmed_is_acknowledged, nothing_is_written_for_nothing, order_is_kept_over_flushes};
pub use destination::{Arrival, Destination};
pub use failing::{
    absent_at_start, ambiguous_is_sent_again_with_the_same_bytes, order_is_kept_over_an_outage,
    restarted_in_the_middle, silent_until_the_timeout,
};
pub use keeping_secrets::nothing_is_leaked;
pub use nervix_sink_testkit::Scope;
pub use refusing::{oversize_is_rejected_alone, refused_is_rejected_alone};
pub use trial::{SECRET, Trial, VALUE};

/// One test for each scenario that a destination has to pass.
///
/// `conformance!(Kafka, [confirming, sized, refusing])`: every destination runs the scenarios without a scope; the list
/// names the scopes of [`Scope`] that apply to it.
#[macro_export]
macro_rules! conformance {
    ($destination:ty, [$($scope:ident),* $(,)?]) => {
        $crate::conformance!(@test $destination,
            confirmed_is_acknowledged,
            order_is_kept_over_flushes,
            nothing_is_written_for_nothing,
            absent_at_start,
            restarted_in_the_middle,
            order_is_kept_over_an_outage,
            nothing_is_leaked,
        );
        $($crate::conformance!(@scope $scope $destination);)*

        #[test]
        fn the_scopes_are_those_of_its_capabilities() {
            let named: &[&str] = &[$(stringify!($scope)),*];
            let kind = <$destination as $crate::conformance::Destination>::KIND;
            $crate::conformance::Scope::hold(kind, named);
        }
    };
    (@scope confirming $destination:ty) => {
        $crate::conformance!(@test $destination,
            ambiguous_is_sent_again_with_the_same_bytes,
            silent_until_the_timeout,
        );
    };
    (@scope refusing $destination:ty) => {
        $crate::conformance!(@test $destination, refused_is_rejected_alone,);
    };
    (@scope sized $destination:ty) => {
        $crate::conformance!(@test $destination, oversize_is_rejected_alone,);
    };
    (@test $destination:ty, $($scenario:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $scenario() {
                $crate::conformance::$scenario::<$destination>().await;
            }
        )*
    };
}
