//! Names are asked anew, and say why they give no address.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use nervix_net::{ADDRESSES_MAX, Dialler, Endpoint, NameFault, NetFault, Resolver, Step};
use nervix_tests::wait::within;
use tokio::net::TcpListener;

use crate::name_server::{NameServer, Says};

const NAME: &str = "api.example.com";
const HERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 1);
const ELSEWHERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

async fn dial(dialler: &Dialler, port: u16, millis: u64) -> Result<SocketAddr, NetFault> {
    let deadline = dialler.clock().now().after(Duration::from_millis(millis));
    let stream = within("dialling", dialler.dial(&Endpoint::new(NAME, port), deadline)).await?;
    Ok(stream.peer_addr().expect("a peer"))
}

#[tokio::test]
async fn a_name_that_stops_resolving_and_returns_elsewhere_is_followed() {
    let names = NameServer::start().await;
    let here = TcpListener::bind((HERE, 0)).await.expect("a listener");
    let port = here.local_addr().expect("an address").port();
    let elsewhere = TcpListener::bind((ELSEWHERE, port)).await.expect("a listener");
    let dialler = names.dialler();
    names.say(NAME, Says::Addresses(vec![HERE])).await;
    assert_eq!(
        dial(&dialler, port, 5_000).await,
        Ok(SocketAddr::from((HERE, port)))
    );
    names.say(NAME, Says::Missing).await;
    let fault = dial(&dialler, port, 5_000).await.expect_err("no name");
    assert_eq!(
        fault.to_string(),
        "resolving 'api.example.com' failed: the name does not exist"
    );
    names.say(NAME, Says::Addresses(vec![ELSEWHERE])).await;
    let moved = SocketAddr::from((ELSEWHERE, port));
    assert_eq!(dial(&dialler, port, 5_000).await, Ok(moved));
    assert_eq!(names.asked(NAME).await, 3, "each dial asks once");
    drop(elsewhere);
}

#[tokio::test]
async fn each_way_in_which_a_name_gives_no_address_is_told_apart() {
    let names = NameServer::start().await;
    let dialler = names.dialler();
    let cases = [
        (Says::Empty, NameFault::NoAddress),
        (Says::Missing, NameFault::Missing),
        (Says::Fails, NameFault::Answered("Server Failure".to_owned())),
    ];
    for (says, cause) in cases {
        names.say(NAME, says).await;
        let host = NAME.to_owned();
        let fault = dial(&dialler, 1, 20_000).await;
        assert_eq!(fault, Err(NetFault::Name { host, cause }));
    }
}

#[tokio::test]
async fn a_silent_name_server_does_not_outlast_the_deadline() {
    let names = NameServer::start().await;
    names.say(NAME, Says::Silence).await;
    let fault = dial(&names.dialler(), 1, 200).await;
    let step = Step::Resolving;
    let endpoint = Endpoint::new(NAME, 1);
    assert_eq!(fault, Err(NetFault::TimedOut { endpoint, step }));
}

#[tokio::test]
async fn a_name_of_many_addresses_gives_as_many_as_are_tried() {
    let names = NameServer::start().await;
    let many = (0..30).map(|last| Ipv4Addr::new(127, 0, 1, last)).collect();
    names.say(NAME, Says::Addresses(many)).await;
    let resolver = names.resolver();
    let addresses = resolver
        .addresses(&Endpoint::new(NAME, 1))
        .await
        .expect("addresses");
    assert_eq!(addresses.len(), ADDRESSES_MAX);
}

#[tokio::test]
async fn the_machines_own_name_and_addresses_need_no_name_server() {
    let resolver = Resolver::system();
    let own = resolver
        .addresses(&Endpoint::new("localhost", 1))
        .await
        .expect("localhost");
    assert!(own.contains(&IpAddr::from(HERE)), "{own:?}");
    for (host, address) in [("[::1]", "::1"), ("192.0.2.7", "192.0.2.7")] {
        let given = resolver.addresses(&Endpoint::new(host, 1)).await;
        assert_eq!(given, Ok(vec![address.parse().expect("an address")]));
    }
}
