//! Identifiers and secrets, made here and never by the database.

/// A new UUIDv7: sorts by the time it was made.
pub fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
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
