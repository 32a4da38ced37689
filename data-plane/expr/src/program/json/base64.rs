//! BYTES in JSON are padded base64 (companion section 12).

/// The octets of a padded text; `None` when it is none, or carries bits that say nothing.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(4) {
        return None;
    }
    let padding = bytes.iter().rev().take_while(|byte| **byte == b'=').count();
    if padding > 2 {
        return None;
    }
    let mut octets = Vec::with_capacity(bytes.len() / 4 * 3);
    let mut held: u32 = 0;
    let mut bits = 0;
    for byte in bytes.get(..bytes.len() - padding)? {
        held = (held << 6) | sextet(*byte)?;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            octets.push(u8::try_from((held >> bits) & 0xFF).ok()?);
            held &= (1 << bits) - 1;
        }
    }
    (held == 0).then_some(octets)
}

fn sextet(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}
