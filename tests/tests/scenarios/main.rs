//! What Nervix promises, tried from outside: the built executable, real stores, stock clients.
//! `docs/faults.md` maps each fault to its test here.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and spawns its own peers"
)]

mod branches;
mod change;
mod checking;
mod commands;
mod connections;
mod consuming;
mod dev;
mod disk;
mod errors;
mod finding;
mod graph;
mod http;
mod http_faults;
mod http_graph;
mod http_resources;
mod kafka;
mod kafka_broken;
mod kafka_cluster;
mod kafka_graph;
mod kafka_refusing;
mod limits;
mod load;
mod outside;
mod postgres;
mod postgres_graph;
mod programs;
mod resources;
mod restart;
mod sending;
mod shell;
mod states;
mod stock_clients;
mod traces;
mod writing;
