//! ListFlights, GetFlightInfo, GetSchema and what is not part of the protocol.

use arrow::datatypes::Schema;
use arrow_flight::{Criteria, FlightDescriptor, FlightInfo, IpcMessage, Ticket};
use futures::TryStreamExt;
use http::uri::PathAndQuery;
use tonic::{Code, Request, Status, client::Grpc, transport::Channel};
use tonic_prost::ProstCodec;
use tonic_types::StatusExt;

use super::{
    model::{self, DOMAIN},
    node::TestNode,
    peers::{client, descriptor},
};

/// What GetFlightInfo answers where it finds nothing.
async fn refused(node: &TestNode, wanted: FlightDescriptor) -> Status {
    let found = client(node).await.get_flight_info(wanted).await;
    found.map(|_| ()).unwrap_err()
}

#[tokio::test]
async fn flights_are_listed_with_schema_and_place() {
    let node = TestNode::with_orders().await;
    for criteria in ["", DOMAIN] {
        let request = Criteria {
            expression: criteria.to_owned().into(),
        };
        let flights = client(&node)
            .await
            .list_flights(request)
            .await
            .unwrap()
            .into_inner();
        let flights: Vec<_> = flights.try_collect().await.unwrap();
        let paths: Vec<_> = flights
            .iter()
            .map(|flight| flight.flight_descriptor.clone().unwrap().path.join("/"))
            .collect();
        assert_eq!(paths, ["shop/ingestor/in", "shop/emitter/out"]);
        let schema = Schema::try_from(IpcMessage(flights[0].schema.clone())).unwrap();
        assert_eq!(schema, *nervix_columns::arrow_schema(&model::orders()));
        assert_eq!(
            flights[1].endpoint[0].location[0].uri,
            format!("grpc+tcp://{}", node.addr)
        );
    }
    let request = Criteria {
        expression: "elsewhere".into(),
    };
    let status = client(&node)
        .await
        .list_flights(request)
        .await
        .map(|_| ())
        .unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
}

#[tokio::test]
async fn schema_and_info_of_one_entity_are_given() {
    let node = TestNode::with_orders().await;
    let schema = client(&node)
        .await
        .get_schema(descriptor("emitter", "out"))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        Schema::try_from(&schema).unwrap(),
        *nervix_columns::arrow_schema(&model::orders())
    );
    client(&node)
        .await
        .get_flight_info(descriptor("ingestor", "in"))
        .await
        .unwrap();
    let wrong = [
        (descriptor("ingestor", "nobody"), Code::NotFound, "nobody"),
        (
            FlightDescriptor::new_path(vec!["x".into(), "emitter".into(), "y".into()]),
            Code::NotFound,
            "domain `x`",
        ),
        (
            FlightDescriptor::new_cmd("select 1"),
            Code::InvalidArgument,
            "path",
        ),
    ];
    for (descriptor, code, word) in wrong {
        let status = refused(&node, descriptor).await;
        assert_eq!(status.code(), code);
        assert!(status.message().contains(word), "{}", status.message());
    }
}

#[tokio::test]
async fn before_the_first_assignment_nothing_is_said_not_to_exist() {
    let node = TestNode::with(1 << 30, 1 << 20).await;
    let mut client = client(&node).await;
    let listed = client.list_flights(Criteria::default()).await;
    let info = refused(&node, descriptor("emitter", "out")).await;
    for status in [info, listed.map(|_| ()).unwrap_err()] {
        assert_eq!(status.code(), Code::Unavailable, "{status:?}");
        let info = status.get_details_error_info().unwrap();
        assert_eq!(info.reason, "starting");
    }
    node.run(Vec::new()).await;
    let info = refused(&node, descriptor("emitter", "out")).await;
    assert_eq!(info.code(), Code::NotFound);
}

#[tokio::test]
async fn what_is_of_another_kind_is_named_with_what_to_do() {
    let node = TestNode::with_orders().await;
    let wrong = [
        (descriptor("emitter", "in"), "`in` is an ingestor", "nervix send"),
        (
            descriptor("ingestor", "out"),
            "`out` is an emitter",
            "nervix consume",
        ),
        (descriptor("emitter", "orders"), "is a relay", "nervix consume"),
        (
            descriptor("emitter", "nobody"),
            "no emitter `nobody`",
            "SHOW EMITTERS",
        ),
    ];
    for (descriptor, what, remedy) in wrong {
        let status = refused(&node, descriptor).await;
        assert_eq!(status.code(), Code::NotFound);
        let text = status.message();
        assert!(text.contains(what) && text.contains(remedy), "{text}");
    }
}

#[tokio::test]
async fn do_get_names_do_exchange() {
    let node = TestNode::with_orders().await;
    let status = client(&node)
        .await
        .do_get(Ticket::default())
        .await
        .map(|_| ())
        .unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
    assert!(status.message().contains("DoExchange"));
}

/// A descriptor whose path is octets.
#[derive(Clone, PartialEq, prost::Message)]
struct Octets {
    #[prost(int32, tag = "1")]
    kind: i32,
    #[prost(bytes = "vec", repeated, tag = "3")]
    path: Vec<Vec<u8>>,
}

#[tokio::test]
async fn a_path_that_is_no_utf8_is_the_clients_fault() {
    let node = TestNode::with_orders().await;
    for call in ["GetFlightInfo", "GetSchema", "PollFlightInfo"] {
        let channel = Channel::from_shared(format!("http://{}", node.addr)).unwrap();
        let mut grpc = Grpc::new(channel.connect().await.unwrap());
        grpc.ready().await.unwrap();
        let path = format!("/arrow.flight.protocol.FlightService/{call}");
        let octets = Octets {
            kind: 1,
            path: vec![b"shop".to_vec(), b"emitter".to_vec(), vec![0xff, 0xfe]],
        };
        let codec = ProstCodec::<Octets, FlightInfo>::default();
        let path: PathAndQuery = path.parse().unwrap();
        let status = grpc.unary(Request::new(octets), path, codec).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{call}: {status:?}");
        assert!(status.message().contains("FlightDescriptor.path"), "{status:?}");
        assert!(!status.details().is_empty(), "it has an ErrorInfo");
    }
}
