//! The catalog store on etcd.
