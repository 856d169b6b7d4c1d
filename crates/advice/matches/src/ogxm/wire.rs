//! Bytes of OGXM: varints, strings, records with a mask of what is present.

/// What is wrong with some bytes, in words.
pub(super) type Wrong = String;

/// Bytes that are read from the front.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl<'a> Cursor<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Wrong> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(|| {
            format!("it ends after {} bytes of {count} that it promises", self.0.len())
        })?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Wrong> {
        Ok(self.take(N)?.try_into().expect("as many were taken"))
    }

    pub(super) fn byte(&mut self) -> Result<u8, Wrong> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u32(&mut self) -> Result<u32, Wrong> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn varint(&mut self) -> Result<u64, Wrong> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("a number has more than 64 bits".to_owned())
    }

    /// A varint of a field that has fewer values.
    pub(super) fn number<T: TryFrom<u64>>(&mut self) -> Result<T, Wrong> {
        let value = self.varint()?;
        T::try_from(value).map_err(|_| format!("the number {value} is too large for its field"))
    }

    pub(super) fn string(&mut self) -> Result<String, Wrong> {
        let length = self.number()?;
        let text = std::str::from_utf8(self.take(length)?);
        text.map(str::to_owned).map_err(|_| "a text is not UTF-8".to_owned())
    }

    /// An equity, or another number in millionths.
    pub(super) fn equity(&mut self) -> Result<f64, Wrong> {
        Ok(f64::from(i32::from_le_bytes(self.array()?)) / 1e6)
    }

    pub(super) fn loss(&mut self) -> Result<f64, Wrong> {
        Ok(f64::from(self.u32()?) / 1e6)
    }

    pub(super) fn board(&mut self) -> Result<[i8; 26], Wrong> {
        Ok(self.array::<26>()?.map(u8::cast_signed))
    }

    /// Passes over the numbers of plies.
    pub(super) fn plies(&mut self) -> Result<(), Wrong> {
        (0..self.varint()?).try_for_each(|_| self.varint().map(drop))
    }

    /// A record: its mask, and what stands behind that.
    pub(super) fn record(&mut self) -> Result<(Mask, Cursor<'a>), Wrong> {
        let length = self.number()?;
        let mut body = Cursor(self.take(length)?);
        Ok((Mask(body.varint()?), body))
    }
}

/// Which optional fields of a record are present.
#[derive(Clone, Copy)]
pub(super) struct Mask(pub(super) u64);

impl Mask {
    pub(super) fn has(self, bit: u32) -> bool {
        self.0 >> bit & 1 == 1
    }

    /// Reads a field if it is present.
    pub(super) fn read<'a, T>(
        self,
        bit: u32,
        body: &mut Cursor<'a>,
        read: impl FnOnce(&mut Cursor<'a>) -> Result<T, Wrong>,
    ) -> Result<Option<T>, Wrong> {
        self.has(bit).then(|| read(body)).transpose()
    }
}

/// Bytes that are written.
pub(super) trait Put {
    fn varint(&mut self, value: u64);
    fn string(&mut self, text: &str);
    /// An equity; one that is too large is the largest.
    fn equity(&mut self, value: f64);
    fn loss(&mut self, value: f64);
    fn probability(&mut self, value: f64);
    /// A record with what its mask and body hold.
    fn record(&mut self, mask: u64, body: &[u8]);
}

impl Put for Vec<u8> {
    fn varint(&mut self, mut value: u64) {
        while value > 0x7f {
            self.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.push(value as u8);
    }

    fn string(&mut self, text: &str) {
        self.varint(text.len() as u64);
        self.extend(text.as_bytes());
    }

    fn equity(&mut self, value: f64) {
        self.extend(((value * 1e6).round() as i32).to_le_bytes());
    }

    fn loss(&mut self, value: f64) {
        self.extend(((value * 1e6).round() as u32).to_le_bytes());
    }

    fn probability(&mut self, value: f64) {
        self.extend(((value.clamp(0.0, 1.0) * 1e4).round() as u16).to_le_bytes());
    }

    fn record(&mut self, mask: u64, body: &[u8]) {
        let mut inner = Vec::with_capacity(body.len() + 10);
        inner.varint(mask);
        inner.extend(body);
        self.varint(inner.len() as u64);
        self.extend(inner);
    }
}

/// The fields of a record as they are put together, in the order of their bits.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) mask: u64,
    pub(super) body: Vec<u8>,
}

impl Fields {
    /// A record that begins with what is always there.
    pub(super) fn behind(body: Vec<u8>) -> Self {
        Self { mask: 0, body }
    }

    /// Adds a field if there is a value.
    pub(super) fn put<T>(&mut self, bit: u32, value: Option<T>, put: impl FnOnce(&mut Vec<u8>, T)) {
        if let Some(value) = value {
            self.mask |= 1 << bit;
            put(&mut self.body, value);
        }
    }

    pub(super) fn flag(&mut self, bit: u32, set: bool) {
        self.mask |= u64::from(set) << bit;
    }

    pub(super) fn write(&self, into: &mut Vec<u8>) {
        into.record(self.mask, &self.body);
    }
}
