//! Messages of Protocol Buffers, written field by field: for ONNX and for TensorBoard.

/// A message of Protocol Buffers.
#[derive(Clone, Debug, Default)]
pub struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A field that is a number.
    #[must_use]
    pub fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    /// A field that is a 32-bit float.
    #[must_use]
    pub fn float(mut self, field: u64, value: f32) -> Self {
        self.varint(field << 3 | 5);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A field that is a 64-bit float.
    #[must_use]
    pub fn double(mut self, field: u64, value: f64) -> Self {
        self.varint(field << 3 | 1);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A field that is bytes: a text, or what is packed in them.
    #[must_use]
    pub fn bytes(mut self, field: u64, value: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    /// A field that is a text.
    #[must_use]
    pub fn text(self, field: u64, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    /// A field that is a message.
    #[must_use]
    pub fn message(self, field: u64, value: &Self) -> Self {
        self.bytes(field, &value.0)
    }

    /// The bytes of the message.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}
