//! Ports for servers that cannot pick one themselves, or that come back on the one they had.
//!
//! They lie below those that the operating system gives to whoever asks for any. Among those a server that is away for a
//! moment can lose its port: to another test's listener, to any connection going out, even to the client that keeps trying
//! to reach it, whose own end may be given that very port.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};

/// The first port that is given out.
const FIRST: u16 = 15_000;
/// Where the operating system's own ports begin when it does not say.
const OWN_FIRST: u16 = 32_768;

/// How many ports this process has tried.
static TRIED: AtomicU16 = AtomicU16::new(0);

/// A loopback port that was free a moment ago, and that this process has not given out before.
///
/// # Panics
/// When there is none.
pub fn free_port() -> u16 {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let own = range
        .split_whitespace()
        .next()
        .and_then(|first| first.parse().ok());
    let count = own.unwrap_or(OWN_FIRST).saturating_sub(FIRST).max(1);
    // Processes that run side by side begin at places of their own.
    let begin = u16::try_from(u64::from(std::process::id()) * 97 % u64::from(count)).unwrap_or(0);
    for _ in 0..count {
        let tried = TRIED.fetch_add(1, Ordering::Relaxed) % count;
        let place = (u32::from(begin) + u32::from(tried)) % u32::from(count);
        let port = FIRST + u16::try_from(place).unwrap_or(0);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no port of {count} from {FIRST} on is free");
}
