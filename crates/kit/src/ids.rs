//! Identifiers and secrets, made here and never by the database.

/// A new UUIDv7: sorts by the time it was made.
pub fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A UUIDv7's time and counter alone, 18 letters and digits: for what stands in very many rows. Those of one millisecond sort
/// by the time they were made as well, and before it come all UUIDs that were written out.
pub fn short_id() -> String {
    let uuid = uuid::Uuid::now_v7().as_u128();
    let (time, upper, lower) = (uuid >> 80, uuid >> 64 & 0xfff, uuid >> 32 & 0x3fff_ffff);
    letters(time << 42 | upper << 30 | lower, 18)
}

/// The number in so many letters and digits, of five bits each, that sort as numbers do.
pub fn letters(number: u128, length: usize) -> String {
    (0..length).rev().map(|i| ALPHABET[(number >> (5 * i)) as usize & 31] as char).collect()
}

/// Whether all of the text is written in [`letters`].
pub fn is_letters(text: &str) -> bool {
    text.bytes().all(|letter| ALPHABET.contains(&letter))
}

/// 256 random bits in hexadecimal.
pub fn secret() -> String {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).expect("the operating system gives randomness");
    hex(&bytes)
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_ids_sort_by_the_time_they_were_made_and_behind_those_written_out() {
        let long = new_id();
        let ids: Vec<String> = (0..10_000).map(|_| short_id()).collect();
        assert!(ids.is_sorted_by(|a, b| a < b), "each is greater than the one before");
        assert!(ids[0] > long && ids[0].len() == 18, "{} {long}", ids[0]);
        assert!(ids.iter().all(|id| is_letters(id)));
    }
}
