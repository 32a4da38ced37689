//! The catalog store on etcd.
//!
//! A commit writes its body under new keys, in chunks, and then moves one head key by compare-and-swap, so a commit is
//! bounded neither by etcd's 128 operations a transaction nor by its 1.5 MiB a request. A body that no head ever pointed to
//! means nothing and is collected. Everything that can be read is held under live keys of its own; etcd's history is only
//! used to wait for the head to move, so a compaction of etcd costs nothing but a second look.
//!
//! Keys, below a prefix: `format`; `head` (revision and commit); `log/<revision>` (each kept commit); `body/<base>-<id>/<n>`
//! (its changes); `whole/<revision>` and `state/<revision>-<id>/<n>` (the whole state at some revisions, so that reading
//! is bounded); `blob/<name>/<n>`.
//!
//! It deliberately does not compact or defragment etcd: that is its operator's business
//! (`--auto-compaction-mode=revision --auto-compaction-retention=1000` suits it).

mod blob;
mod collect;
mod commit;
mod connection;
mod layout;
mod read;
mod store;
mod watch;

pub use store::EtcdStore;
