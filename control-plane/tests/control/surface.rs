//! What tools find without any file of ours: reflection and health; and what listings and descriptions refuse.

use std::collections::BTreeMap;

use futures::StreamExt;
use nervix_proto::v1::{CompleteRequest, DescribeEntityRequest, ListEntitiesRequest};
use tonic::{Code, Request, client::Grpc, transport::Channel};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_prost::ProstCodec;
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};

use crate::harness::{Control, Outcome};

#[tokio::test]
async fn reflection_names_the_service_and_health_says_serving() -> Outcome {
    let control = Control::in_memory().await?;
    let channel = Channel::from_shared(format!("http://{}", control.handle.control_addr()))?
        .connect()
        .await?;
    let health = HealthClient::new(channel.clone())
        .check(HealthCheckRequest {
            service: "nervix.v1.Control".into(),
        })
        .await?;
    assert_eq!(health.into_inner().status(), ServingStatus::Serving);
    let ask = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let asked = futures::stream::iter([ask]).chain(futures::stream::pending());
    let mut answers = ServerReflectionClient::new(channel)
        .server_reflection_info(asked)
        .await?
        .into_inner();
    let answer = answers
        .message()
        .await?
        .and_then(|answer| answer.message_response);
    let Some(MessageResponse::ListServicesResponse(list)) = answer else {
        panic!("{answer:?}")
    };
    let names: Vec<_> = list.service.into_iter().map(|service| service.name).collect();
    assert!(names.iter().any(|name| name == "nervix.v1.Control"), "{names:?}");
    Ok(())
}

#[tokio::test]
async fn listings_are_by_domain_and_kind_and_refuse_what_is_unknown() -> Outcome {
    let mut control = Control::with_graph().await?;
    control
        .ok("", "CREATE DOMAIN other; USE other; CREATE SCHEMA s (a I64);")
        .await?;
    let list = |domain: &str, kind: &str| ListEntitiesRequest {
        domain: domain.into(),
        kind: kind.into(),
    };
    let schemas = control
        .client
        .list_entities(list("", "schema"))
        .await?
        .into_inner();
    assert_eq!(schemas.entities.len(), 2);
    assert_eq!(schemas.revision, control.handle.revision());
    let of_d = control.client.list_entities(list("d", "")).await?.into_inner();
    assert_eq!(of_d.entities.len(), 5);
    assert!(of_d.entities.iter().all(|entity| entity.modified_revision > 0));
    let refused = control.client.list_entities(list("nope", "")).await.map(drop);
    assert_eq!(refused.map_err(|status| status.code()), Err(Code::NotFound));
    let refused = control.client.list_entities(list("no\npe\u{202e}", "")).await;
    let message = refused.map_err(|status| status.message().to_owned()).unwrap_err();
    assert!(message.contains("no\\npe\\u{202e}"), "{message}");
    let refused = control.client.list_entities(list("", "TABLE")).await.map(drop);
    assert_eq!(
        refused.map_err(|status| status.code()),
        Err(Code::InvalidArgument)
    );
    let missing = DescribeEntityRequest {
        domain: "d".into(),
        kind: "EMITTER".into(),
        name: "nope".into(),
    };
    let refused = control.client.describe_entity(missing).await.map(drop);
    assert_eq!(refused.map_err(|status| status.code()), Err(Code::NotFound));
    Ok(())
}

#[tokio::test]
async fn what_is_missing_is_named_with_the_nearest_that_is_there() -> Outcome {
    let mut control = Control::in_memory().await?;
    control
        .ok("", "CREATE DOMAIN shop; USE shop; CREATE SCHEMA orders (a I64);")
        .await?;
    let cases = [
        (
            "shp",
            "DOMAIN",
            "shp",
            "there is no domain shp; did you mean shop?",
        ),
        (
            "shp",
            "SCHEMA",
            "orders",
            "there is no domain shp; did you mean shop?",
        ),
        (
            "shop",
            "SCHEMA",
            "order",
            "there is no SCHEMA order in domain shop; did you mean orders?",
        ),
        (
            "shop",
            "RELAY",
            "orders",
            "there is no RELAY orders in domain shop",
        ),
        ("elsewhere", "DOMAIN", "elsewhere", "there is no domain elsewhere"),
    ];
    for (domain, kind, name, says) in cases {
        let request = DescribeEntityRequest {
            domain: domain.into(),
            kind: kind.into(),
            name: name.into(),
        };
        let refused = control.client.describe_entity(request).await.map(drop);
        assert_eq!(
            refused.map_err(|status| status.message().to_owned()),
            Err(says.to_owned())
        );
    }
    let list = ListEntitiesRequest {
        domain: "shp".into(),
        kind: String::new(),
    };
    let refused = control.client.list_entities(list).await.map(drop);
    let says = "there is no domain shp; did you mean shop?";
    assert_eq!(
        refused.map_err(|status| status.message().to_owned()),
        Err(says.to_owned())
    );
    Ok(())
}

#[tokio::test]
async fn codecs_and_wire_schemas_are_described_with_what_they_can() -> Outcome {
    let mut control = Control::in_memory().await?;
    control
        .ok(
            "",
            "CREATE DOMAIN d; USE d; BEGIN;
             CREATE SCHEMA s (id I64, at DATETIME, note STRING OPTIONAL);
             CREATE WIRE JSON SCHEMA w MODE STRICT (id integer, at string, note string OPTIONAL);
             CREATE CODEC plain FROM WIRE JSON SCHEMA w TO SCHEMA s ENCODE at AS RFC3339;
             CREATE CODEC yaml FROM YAML TO SCHEMA s WITH JAQ TRANSFORMATIONS ON EMITTING '.' ON EMITTING BATCH '.';
             COMMIT;",
        )
        .await?;
    let lines = |described: BTreeMap<String, String>| {
        let lines = described
            .into_iter()
            .map(|(key, value)| format!("{key}: {value}"));
        lines.collect::<Vec<_>>()
    };
    let wire = lines(control.describe("WIRE JSON SCHEMA", "w").await?);
    assert_eq!(
        wire,
        [
            "domain: d",
            "field at: string",
            "field id: integer",
            "field note: string OPTIONAL",
            "format: JSON",
            "mode: STRICT",
            "used by: CODEC plain",
            "wire json schema: w"
        ]
    );
    let plain = lines(control.describe("CODEC", "plain").await?);
    assert_eq!(
        plain,
        [
            "codec: plain",
            "decodes: true",
            "domain: d",
            "emits: true",
            "format: JSON",
            "rfc3339: at",
            "schema: s",
            "used by: none",
            "wire schema: w"
        ]
    );
    let yaml = lines(control.describe("CODEC", "yaml").await?);
    assert_eq!(
        yaml,
        [
            "codec: yaml",
            "decodes: false",
            "domain: d",
            "emits: true",
            "format: YAML",
            "programs: ON EMITTING, ON EMITTING BATCH",
            "schema: s",
            "used by: none"
        ]
    );
    Ok(())
}

#[tokio::test]
async fn completion_knows_the_catalog_and_what_the_script_creates_before_the_cursor() -> Outcome {
    let mut control = Control::with_graph().await?;
    let begun = "CREATE RELAY mine SCHEMA s";
    let script = format!("{begun} UNBRANCHED;");
    let request = CompleteRequest {
        cursor: u32::try_from(begun.len())?,
        script,
        domain: "d".into(),
    };
    let found = control.client.complete(request).await?.into_inner();
    let first = found.candidates.first().ok_or("no candidate")?;
    assert_eq!((first.text.as_str(), first.kind.as_str()), ("s", "schema"));
    assert_eq!((first.start, first.end, found.more), (25, 26, false));
    let typed = "BEGIN; CREATE SCHEMA zebra (stripes I64); CREATE RELAY herd SCHEMA ze";
    let request = CompleteRequest {
        script: typed.into(),
        cursor: u32::MAX,
        domain: "d".into(),
    };
    let found = control.client.complete(request).await?.into_inner();
    assert_eq!(
        found.candidates.first().map(|found| found.text.as_str()),
        Some("zebra")
    );
    Ok(())
}

/// A request whose first field is octets.
#[derive(Clone, PartialEq, prost::Message)]
struct Octets {
    #[prost(bytes = "vec", tag = "1")]
    first: Vec<u8>,
}

#[tokio::test]
async fn a_text_that_is_no_utf8_is_the_clients_fault() -> Outcome {
    let control = Control::in_memory().await?;
    let calls = [
        ("nervix.v1.Control/Execute", "ExecuteRequest.script"),
        ("nervix.v1.Control/DescribeEntity", "DescribeEntityRequest.domain"),
        ("nervix.v1.Control/WatchEvents", "WatchEventsRequest.domain"),
        ("grpc.health.v1.Health/Check", "HealthCheckRequest.service"),
    ];
    for (call, field) in calls {
        let channel = Channel::from_shared(format!("http://{}", control.handle.control_addr()))?;
        let mut grpc = Grpc::new(channel.connect().await?);
        grpc.ready().await?;
        let octets = Octets {
            first: vec![0xff, 0xfe],
        };
        let codec = ProstCodec::<Octets, Octets>::default();
        let answer = grpc
            .unary(Request::new(octets), format!("/{call}").parse()?, codec)
            .await;
        let status = answer.map(|_| ()).expect_err("it is refused");
        assert_eq!(status.code(), Code::InvalidArgument, "{call}: {status:?}");
        assert!(status.message().contains(field), "{call}: {status:?}");
    }
    Ok(())
}
