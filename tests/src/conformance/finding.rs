//! Where the destination is, and who it is: a name that moves, a certificate that is another's.

use std::net::Ipv4Addr;

use nervix_proto::client::v1::answer::Status;

use super::graph::TARGET;
use super::trial::{NAME, batch};
use super::{Destination, Trial};
use crate::door::{Door, Passage};
use crate::flight::statuses;
use crate::wait::must;

/// The name that the certificates of destinations are for.
const CERTIFIED: &str = "localhost";

/// A name that stops resolving is told, and followed to where it returns.
pub async fn a_name_that_stops_resolving_and_returns_elsewhere_is_followed<D: Destination>(
    mode: &str,
) -> Trial<D> {
    let trial = Trial::<D>::begin(mode).await;
    assert_eq!(trial.write(&[(1, "a")]).await, [Status::Done]);
    trial.until_arrived(&[1]).await;
    let place = ("127.0.0.2", trial.door.port());
    let elsewhere = Door::at(place, &trial.destination.address()).await;
    trial.names.forget(NAME);
    trial.door.set(Passage::Shut);
    let put = trial.writer().await;
    must("write", put.write(batch(&[(2, "b"), (3, "c")])).await);
    trial.until_troubled_by("resolv").await;
    assert_eq!(elsewhere.opened(), 0);
    trial.names.say(NAME, Ipv4Addr::new(127, 0, 0, 2));
    assert_eq!(statuses(must("finish", put.finish().await)), [Status::Done]);
    assert!(elsewhere.opened() > 0, "it came by another way");
    trial.until_arrived(&[1, 2, 3]).await;
    trial.until_well().await;
    trial
}

/// A server that shows the certificate of another host is written nothing and told; by its right name it is written to.
pub async fn a_certificate_of_another_host_is_refused<D: Destination>(mode: &str) -> Trial<D> {
    let destination = D::start().await;
    destination.provision(TARGET).await;
    let trial = Trial::begin_secured(destination, NAME, mode).await;
    let put = trial.writer().await;
    must("write", put.write(batch(&[(1, "a")])).await);
    trial.until_troubled_by("certificate").await;
    assert!(trial.door.opened() > 0);
    assert!(trial.arrived().await.is_empty());
    let destination = trial.end().await;
    let trial = Trial::begin_secured(destination, CERTIFIED, mode).await;
    assert_eq!(trial.write(&[(2, "b")]).await, [Status::Done]);
    trial.until_arrived(&[2]).await;
    assert_eq!(trial.ids().await, [2]);
    trial
}
