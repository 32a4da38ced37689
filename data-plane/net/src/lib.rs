//! Names, connections and TLS.
