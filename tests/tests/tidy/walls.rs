//! Walls around time, names and connections: who may name them.

use crate::tree::{files, is_test, read};
use crate::uses::imported;

/// What code that is no test may name in few places only.
struct Wall {
    /// The words, also where an import spells them apart.
    words: &'static [&'static str],
    /// What to do instead.
    instead: &'static str,
    /// Where they may stand.
    places: &'static [&'static str],
}

const WALLS: [Wall; 5] = [
    Wall {
        words: &["tokio::time", "time::timeout", "time::sleep", "time::interval"],
        instead: "take time from nervix_clock",
        places: &[
            "data-plane/clock/src/",
            // Other people's processes, and commands, have no clock but the runtime's.
            "client-sdk/src/pause.rs",
            "cli/src/patience.rs",
            // Names no room but the store; bounds requests to a server of somebody else's, and no test drives them.
            "control-plane/store-etcd/src/",
            "benches/",
        ],
    },
    Wall {
        words: &[
            "lookup_host",
            "ToSocketAddrs",
            "to_socket_addrs",
            "hickory_resolver",
            "getaddrinfo",
        ],
        instead: "names are resolved in data-plane/net",
        places: &["data-plane/net/src/"],
    },
    Wall {
        words: &[
            "TcpStream::connect",
            "TcpStream>::connect",
            // Another name for it would pass the two above.
            "TcpStream as ",
            "TcpSocket",
            "UdpSocket",
            "HttpConnector",
        ],
        instead: "connections are dialled in data-plane/net",
        places: &["data-plane/net/src/", "benches/"],
    },
    Wall {
        words: &["process::Command", "Command::new("],
        instead: "processes are started in data-plane/extension",
        places: &["data-plane/extension/src/process.rs", "benches/"],
    },
    Wall {
        words: &["nervix_proto"],
        instead: "messages of protobuf end at the edges, which turn them into the room's own words",
        places: &[
            "proto/",
            "control-plane/src/api.rs",
            "control-plane/src/api/",
            "data-plane/src/control/",
            "data-plane/src/flight/metadata.rs",
            "data-plane/src/flight/metadata/",
            "data-plane/src/flight/wire.rs",
            "client-sdk/src/client.rs",
            "client-sdk/src/control/",
            "client-sdk/src/metadata.rs",
            "client-sdk/src/transport.rs",
            "benches/",
        ],
    },
];

impl Wall {
    /// The word of this wall that a file names, if it does.
    fn named_in(&self, text: &str) -> Option<&'static str> {
        let imports = imported(text);
        let named = |word: &&str| text.contains(*word) || imports.iter().any(|path| path.contains(*word));
        self.words.iter().copied().find(|word| named(word))
    }
}

#[test]
fn time_the_network_and_messages_stay_behind_their_walls() {
    let mut bad = Vec::new();
    for path in files("rs").iter().filter(|path| !is_test(path)) {
        let text = read(path);
        for wall in &WALLS {
            if wall.places.iter().any(|place| path.starts_with(place)) {
                continue;
            }
            if let Some(word) = wall.named_in(&text) {
                bad.push(format!("{path} names {word}: {}", wall.instead));
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn no_spelling_passes_a_wall() {
    let spellings = [
        "use tokio::{net::{TcpListener, lookup_host}};",
        "use tokio::{\n    net::TcpStream as Stream,\n};",
        "use std::{io, net::ToSocketAddrs};",
        "let found = net::lookup_host(name).await;",
        "let stream = <TcpStream>::connect(address).await;",
        "use tokio::{sync, time};",
        "use tokio::{time::{sleep_until as wait}};",
        "use nervix_proto as messages;",
    ];
    for text in spellings {
        assert!(WALLS.iter().any(|wall| wall.named_in(text).is_some()), "{text}");
    }
    let fair = "use tokio::{net::{TcpListener, TcpStream}, sync::mpsc};";
    assert!(WALLS.iter().all(|wall| wall.named_in(fair).is_none()));
}
