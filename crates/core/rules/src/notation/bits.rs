//! Numbers of a few bits, least significant first, in base64 without padding: what both GNU IDs
//! are made of.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::NotationError;

/// Reads with or without padding, writes without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The bytes of an ID; at most 16.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    bits: u128,
    next: u32,
}

impl Bits {
    /// No bits yet.
    pub(super) const fn new() -> Self {
        Self { bits: 0, next: 0 }
    }

    /// The bits of an ID of `bytes` bytes. `form` names it, with its article.
    pub(super) fn decode(
        text: &str,
        bytes: usize,
        form: &'static str,
    ) -> Result<Self, NotationError> {
        let text = text.trim().trim_end_matches('=');
        let expected = (bytes * 8).div_ceil(6);
        let found = text.chars().count();
        if found != expected {
            return Err(NotationError::Length { form, input: text.into(), found, expected });
        }
        let mut buffer = [0; 16];
        let decoded = BASE64.decode(text).map_err(|_| NotationError::Base64 {
            form,
            input: text.into(),
            expected,
        })?;
        buffer[..bytes].copy_from_slice(&decoded);
        Ok(Self { bits: u128::from_le_bytes(buffer), next: 0 })
    }

    /// The ID of `bytes` bytes.
    pub(super) fn encode(self, bytes: usize) -> String {
        BASE64.encode(&self.bits.to_le_bytes()[..bytes])
    }

    /// The next `width` bits as a number; zero beyond the end.
    pub(super) fn take(&mut self, width: u32) -> u16 {
        let value = self.bits.checked_shr(self.next).unwrap_or(0) & ((1 << width) - 1);
        self.next += width;
        value as u16
    }

    /// Appends `value` in `width` bits; it must fit.
    pub(super) fn put(&mut self, value: u16, width: u32) {
        debug_assert!(u32::from(value) < 1 << width);
        self.bits |= u128::from(value) << self.next;
        self.next += width;
    }

    /// Whether all bits not taken yet are zero.
    pub(super) fn rest_is_zero(self) -> bool {
        self.bits.checked_shr(self.next).unwrap_or(0) == 0
    }
}
