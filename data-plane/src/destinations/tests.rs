use std::sync::Arc;

use nervix_budget::Budget;
use nervix_clock::ManualClock;
use nervix_sink::World;
use nervix_sink_testkit::{Broker, Place};
use nspl_model::{ClientDef, ClientKind, ConfigValue, SinkKind};

use super::{Destination, clients::Clients};

const KAFKA: Destination = Destination {
    kind: SinkKind::Kafka,
    connect: Place::connect,
};

fn world() -> World {
    World {
        clock: ManualClock::new().physical(),
        budget: Budget::new(1 << 20),
        scratch: std::env::temp_dir(),
        node: "n1".into(),
    }
}

fn client(address: &str) -> Arc<ClientDef> {
    let address = ConfigValue::Text(address.to_owned());
    Arc::new(ClientDef {
        name: "kafka".to_owned(),
        kind: ClientKind::Kafka,
        pool: None,
        mount: None,
        config: vec![("bootstrap.servers".to_owned(), address)],
    })
}

#[test]
fn emitters_of_one_client_share_it_while_one_of_them_runs() {
    let place = Place::put("shared:1", Arc::new(Broker::new()));
    let clients = Clients::default();
    let domain: Arc<str> = "shop".into();
    let connect = |address: &str| clients.connect(&domain, client(address), (&KAFKA, world()));
    let one = connect("shared:1").map_err(|error| error.to_string()).unwrap();
    drop(place);
    let other = connect("shared:1").map_err(|error| error.to_string()).unwrap();
    assert!(Arc::ptr_eq(&one, &other), "it was not connected again");
    let changed = connect("shared:2").map(|_| ()).map_err(|error| error.to_string());
    assert!(changed.is_err(), "a CLIENT that was changed is another one");
    drop((one, other));
    assert!(
        connect("shared:1").is_err(),
        "it went with the last of its emitters"
    );
}
