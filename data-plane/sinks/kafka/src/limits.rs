//! What a record may take and how long the sink waits for its own producer (companion section 7, Destination limits).

use std::time::Duration;

use nervix_sink::Payload;

/// `message.max.bytes` where the client does not say: librdkafka's own.
pub const MESSAGE_BYTES_DEFAULT: usize = 1_000_000;

/// What librdkafka counts for the framing of a record, whatever its version: seven lengths and counters at their longest,
/// and a byte of attributes.
pub const FRAMING_BYTES: usize = 36;

/// How long a known trouble with the way to the brokers is given to be over, at most, before what was written meanwhile is
/// told of it. Half of ACK TIMEOUT where that is shorter.
pub const TROUBLE_GRACE_MAX: Duration = Duration::from_secs(1);

/// How long a write waits, at most, until the producer has given back what was taken out of its queue.
pub const TAKE_BACK_MAX: Duration = Duration::from_millis(250);

/// How long the end of a producer that is replaced is awaited, at most.
pub const RETIRE_MAX: Duration = Duration::from_secs(5);

/// How long the producer is let to send what it holds without waiting for more, in one step: of a drain, and of a write that
/// goes alone.
pub const HASTEN_STEP: Duration = Duration::from_millis(500);

/// How often it is asked within one.
pub(crate) const HASTEN_AGAIN: Duration = Duration::from_millis(2);

/// The size of a record as librdkafka holds it against `message.max.bytes`: key, value, headers and framing.
pub(crate) fn record_bytes(payload: &Payload) -> usize {
    let key = payload.lane.key.as_ref().map_or(0, bytes::Bytes::len);
    let headers = payload.headers.iter().map(|header| {
        let (name, value) = (header.name.len(), header.value.len());
        name + value + length_bytes(name) + length_bytes(value)
    });
    FRAMING_BYTES + key + payload.head.len() + payload.body.len() + headers.sum::<usize>()
}

/// Bytes of a length in the signed variable form, seven bits a byte.
fn length_bytes(length: usize) -> usize {
    let zigzag = (length as u64) << 1;
    let bits = (u64::BITS - zigzag.leading_zeros()).max(1);
    bits.div_ceil(7) as usize
}

#[cfg(test)]
mod tests {
    use super::length_bytes;

    #[test]
    fn lengths_take_seven_bits_a_byte_and_one_for_the_sign() {
        let lengths = [(0, 1), (63, 1), (64, 2), (8_191, 2), (8_192, 3), (1_048_576, 4)];
        for (length, bytes) in lengths {
            assert_eq!(length_bytes(length), bytes, "{length}");
        }
    }
}
