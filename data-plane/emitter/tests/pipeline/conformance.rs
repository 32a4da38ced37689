//! The sentences of the conformance suite on destinations in memory, through the whole emitter, with a clock that only the
//! test moves. The suite on real servers (`tests/src/conformance`) has the same sentences under the same names.
//!
//! A shape of sink adds one file: it implements [`Destination`](destination::Destination) for its destination of the testkit.
//! Which scenarios apply in which mode follows from the `Capabilities` of a kind of that shape, by the same
//! [`Scope`](nervix_sink_testkit::Scope); what needs a wire, names and certificates, is tried on real servers alone.

mod broker;
mod destination;
mod endpoint;
mod lake;
mod scenarios;
mod table;

/// One test for each scenario that a destination in memory has to pass in each of its modes:
/// `in_memory!(kafka: OfBroker { no_ack: [], ack_parallel: [confirming] })`.
macro_rules! in_memory {
    ($name:ident: $destination:ty { $($mode:ident: [$($scope:ident),*]),* $(,)? }) => {
        mod $name {
            $(
                mod $mode {
                    $crate::conformance::in_memory!(@scope every $destination, stringify!($mode));
                    $($crate::conformance::in_memory!(@scope $scope $destination, stringify!($mode));)*
                    $crate::conformance::in_memory!(@test $destination, stringify!($mode);
                        a_drain_is_bounded_and_changes_nothing_when_it_fails,
                        stopping_gives_back_unresolved,
                        memory_is_flat_while_the_destination_is_away,
                    );
                }
            )*

            #[test]
            fn the_modes_and_scopes_are_those_of_its_capabilities() {
                let named: &[nervix_sink_testkit::Named<'_>] =
                    &[$((stringify!($mode), &[$(stringify!($scope)),*])),*];
                let kind = <$destination as $crate::conformance::destination::Destination>::KIND;
                nervix_sink_testkit::Scope::hold_in_memory(kind, named);
            }
        }
    };
    (@scope $scope:ident $destination:ty, $mode:expr) => {
        nervix_sink_testkit::scenarios!(
            $scope => [$crate::conformance::in_memory] (@test $destination, $mode;)
        );
    };
    (@test $destination:ty, $mode:expr; $($scenario:ident,)*) => {
        $(
            #[tokio::test]
            async fn $scenario() {
                $crate::conformance::scenarios::$scenario::<$destination>($mode).await;
            }
        )*
    };
}

pub(crate) use in_memory;

in_memory!(of_broker: crate::conformance::broker::OfBroker {
    no_ack: [sized],
    ack_sequential: [confirming, refusing, sized],
    ack_parallel: [confirming, refusing, sized],
});
in_memory!(fan_in: crate::conformance::broker::FanIn {
    no_ack: [sized],
    ack_sequential: [confirming, refusing, sized],
    ack_parallel: [confirming, refusing, sized],
});
in_memory!(of_endpoint: crate::conformance::endpoint::OfEndpoint { ack: [confirming, refusing] });
in_memory!(of_table: crate::conformance::table::OfTable { ack: [confirming, refusing] });
in_memory!(of_lake: crate::conformance::lake::OfLake { ack: [confirming, refusing] });
