//! The sentences of the conformance suite on destinations in memory, through the whole emitter, with a clock that only the
//! test moves. The suite on real servers (`tests/src/conformance`) has the same sentences under the same names.
//!
//! A shape of sink adds one file: it implements [`Destination`] for its destination of the testkit. Which scenarios apply
//! follows from the `Capabilities` of a kind of that shape, by the same [`Scope`](nervix_sink_testkit::Scope).

mod broker;
mod destination;
mod endpoint;
mod lake;
mod scenarios;
mod table;

/// One test for each scenario that a destination in memory has to pass: `in_memory!(kafka, OfBroker, [confirming])`.
macro_rules! in_memory {
    ($name:ident, $destination:ty, [$($scope:ident),* $(,)?]) => {
        mod $name {
            use $crate::conformance::destination::Destination;
            use $crate::conformance::scenarios;

            $crate::conformance::in_memory!(@test $destination,
                confirmed_is_acknowledged,
                order_is_kept_over_flushes,
                nothing_is_written_for_nothing,
                absent_at_start,
                order_is_kept_over_an_outage,
                nothing_is_leaked,
                a_drain_is_bounded_and_changes_nothing_when_it_fails,
                stopping_gives_back_unresolved,
                memory_is_flat_while_the_destination_is_away,
            );
            $($crate::conformance::in_memory!(@scope $scope $destination);)*

            #[test]
            fn the_scopes_are_those_of_its_capabilities() {
                let named: &[&str] = &[$(stringify!($scope)),*];
                nervix_sink_testkit::Scope::hold(<$destination as Destination>::KIND, named);
            }
        }
    };
    (@scope confirming $destination:ty) => {
        $crate::conformance::in_memory!(@test $destination, ambiguous_is_sent_again_with_the_same_bytes,);
    };
    (@scope refusing $destination:ty) => {
        $crate::conformance::in_memory!(@test $destination, refused_is_rejected_alone,);
    };
    (@test $destination:ty, $($scenario:ident,)*) => {
        $(
            #[tokio::test]
            async fn $scenario() {
                scenarios::$scenario::<$destination>().await;
            }
        )*
    };
}

pub(crate) use in_memory;

in_memory!(
    of_broker,
    crate::conformance::broker::OfBroker,
    [confirming, refusing]
);
in_memory!(fan_in, crate::conformance::broker::FanIn, [confirming, refusing]);
in_memory!(
    of_endpoint,
    crate::conformance::endpoint::OfEndpoint,
    [confirming, refusing]
);
in_memory!(
    of_table,
    crate::conformance::table::OfTable,
    [confirming, refusing]
);
in_memory!(of_lake, crate::conformance::lake::OfLake, [confirming, refusing]);
