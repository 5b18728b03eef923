//! Sealing: a value becomes bytes that only the holder of the key can read or alter, and only for what they were sealed for.

use crate::Unkept;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{Key, KeyInit, XChaCha20Poly1305, XNonce};
use kit::Secret;
use zeroize::{Zeroize, Zeroizing};

/// Bytes of a key.
pub(crate) const KEY_BYTES: usize = 32;
/// Bytes of the number that no two sealings share.
const NONCE_BYTES: usize = 24;

/// Seals and opens with one key (XChaCha20-Poly1305, a random nonce for each sealing).
pub struct Sealer(XChaCha20Poly1305);

impl Sealer {
    pub(crate) fn new(key: &[u8; KEY_BYTES]) -> Sealer {
        Sealer(XChaCha20Poly1305::new(&Key::from(*key)))
    }

    /// Seals a value for one purpose: what is sealed for another one does not open in its place.
    pub fn seal(&self, purpose: &[&str], value: &Secret) -> Vec<u8> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).expect("the operating system gives randomness");
        let payload = Payload { msg: value.reveal().as_bytes(), aad: &bound(purpose) };
        let sealed =
            self.0.encrypt(&XNonce::from(nonce), payload).expect("a value is far shorter than the cipher's limit");
        [&nonce[..], &sealed].concat()
    }

    /// The value that was sealed for this purpose.
    pub fn open(&self, purpose: &[&str], sealed: &[u8]) -> Result<Secret, Unkept> {
        let refused = || Unkept("Couldn't open a sealed value: it was altered or sealed with another key.".into());
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or_else(refused)?;
        let payload = Payload { msg: sealed, aad: &bound(purpose) };
        let mut opened = Zeroizing::new(self.0.decrypt(&XNonce::from(*nonce), payload).map_err(|_| refused())?);
        String::from_utf8(std::mem::take(&mut *opened)).map(Secret::new).map_err(|wrong| {
            wrong.into_bytes().zeroize();
            refused()
        })
    }

    /// [`Sealer::seal`] as text, for a column.
    pub fn seal_text(&self, purpose: &[&str], value: &Secret) -> String {
        STANDARD.encode(self.seal(purpose, value))
    }

    /// [`Sealer::open`] of such a text.
    pub fn open_text(&self, purpose: &[&str], sealed: &str) -> Result<Secret, Unkept> {
        // What is no base64 is too short to open.
        self.open(purpose, &STANDARD.decode(sealed).unwrap_or_default())
    }
}

/// The parts with their lengths, so that no two lists of parts are the same bytes.
fn bound(purpose: &[&str]) -> Vec<u8> {
    purpose.iter().flat_map(|part| [&(part.len() as u64).to_le_bytes(), part.as_bytes()].concat()).collect()
}
