//! The file of a table: a header, the body, and checks that tell a damaged file from a good one.
//!
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | `TAVBEARO` |
//! | 8..12 | version of the format, [`VERSION`] |
//! | 12..16 | kind: 1 one-sided, 2 two-sided |
//! | 16..20 | points |
//! | 20..24 | checkers a side |
//! | 24..32 | length of the body in bytes |
//! | 32..36 | CRC-32 of the body |
//! | 36..60 | zero |
//! | 60..64 | CRC-32 of bytes 0..60 |
//! | 64.. | the body, as `one_sided` and `two_sided` describe it |

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Deref;
use std::path::Path;

use tavola_files::{Crc32, crc32, remove_leftovers};

use crate::spec::TableSpec;

/// The version of format and content; another one is not read. It rises whenever what a generator
/// writes changes, be it a tie settled in another way.
pub(crate) const VERSION: u32 = 2;

/// Bytes before the body.
pub(crate) const HEADER: usize = 64;

/// Bytes that are read at once to be checked.
const CHUNK: usize = 256 << 10;

const MAGIC: &[u8; 8] = b"TAVBEARO";

/// Why a file is not the table that it should be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableFileError {
    /// The system can't open or read it.
    #[error("cannot be read")]
    Read(#[from] io::Error),
    /// Another version of the program wrote it.
    #[error("has format version {found}, expected {VERSION}")]
    Version {
        /// The version found.
        found: u32,
    },
    /// Another file, or not what was written: what was found, and what was expected.
    #[error("{0}")]
    Damaged(String),
}

impl TableFileError {
    pub(crate) fn nonsense() -> Self {
        Self::Damaged("holds what no table holds".to_owned())
    }
}

/// The bytes of a table file, header included.
pub(crate) struct TableBytes {
    bytes: Vec<u8>,
    is_kept: bool,
}

impl fmt::Debug for TableBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.bytes.len())
    }
}

impl Deref for TableBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl TableBytes {
    /// Checks that a file is this table, undamaged, without keeping what it read: a large table takes
    /// longer to be given memory than to be read. Its length in bytes.
    pub(crate) fn verify(path: &Path, spec: TableSpec) -> Result<u64, TableFileError> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut header = Vec::with_capacity(HEADER);
        (&mut file).take(HEADER as u64).read_to_end(&mut header)?;
        let expected = check_header(&header, length, spec)?;
        let mut body = BufReader::with_capacity(CHUNK, file.take(length - HEADER as u64));
        let mut checksum = Crc32::new();
        loop {
            let chunk = body.fill_buf()?;
            if chunk.is_empty() {
                return expect("body", checksum.finalize(), expected).map(|()| length);
            }
            checksum.update(chunk);
            let read = chunk.len();
            body.consume(read);
        }
    }

    /// Reads a file and checks that it is this table, undamaged.
    ///
    /// It is read and not mapped: what another program does to the file later, such as a copy that
    /// truncates it first, would end this one by a signal.
    pub(crate) fn open(path: &Path, spec: TableSpec) -> Result<Self, TableFileError> {
        let file = File::open(path)?;
        // A pipe or a device, which may never end, has no length.
        let length = file.metadata()?.len();
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        file.take(length).read_to_end(&mut bytes)?;
        check(&bytes, spec)?;
        Ok(Self { bytes, is_kept: true })
    }

    /// The bytes behind the header.
    #[inline]
    pub(crate) fn body(&self) -> &[u8] {
        &self[HEADER..]
    }

    /// Whether these are the content of a file.
    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }
}

/// A buffer with room for the header, to which a generator appends the body.
pub(crate) fn begin(body: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + body);
    bytes.resize(HEADER, 0);
    bytes
}

/// Fills in the header.
pub(crate) fn finish(mut bytes: Vec<u8>, spec: TableSpec) -> TableBytes {
    let (header, body) = bytes.split_at_mut(HEADER);
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..16].copy_from_slice(&(spec.kind() as u32).to_le_bytes());
    header[16..20].copy_from_slice(&u32::from(spec.points()).to_le_bytes());
    header[20..24].copy_from_slice(&u32::from(spec.checkers()).to_le_bytes());
    header[24..32].copy_from_slice(&(body.len() as u64).to_le_bytes());
    header[32..36].copy_from_slice(&crc32(body).to_le_bytes());
    let checksum = crc32(&header[..60]);
    header[60..].copy_from_slice(&checksum.to_le_bytes());
    TableBytes { bytes, is_kept: false }
}

/// The number of four bytes at `at`.
#[inline]
pub(crate) fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("the slice has four bytes"))
}

fn check(bytes: &[u8], spec: TableSpec) -> Result<(), TableFileError> {
    let expected = check_header(bytes, bytes.len() as u64, spec)?;
    expect("body", crc32(&bytes[HEADER..]), expected)
}

fn expect(part: &str, found: u32, expected: u32) -> Result<(), TableFileError> {
    if found == expected {
        return Ok(());
    }
    Err(TableFileError::Damaged(format!(
        "is damaged: the checksum of its {part} is {found:08x}, expected {expected:08x}"
    )))
}

/// Checks the first bytes of a file of this length; the checksum of its body.
fn check_header(bytes: &[u8], length: u64, spec: TableSpec) -> Result<u32, TableFileError> {
    if bytes.len() < HEADER || &bytes[..8] != MAGIC {
        return Err(TableFileError::Damaged("is not a bear-off database".to_owned()));
    }
    let version = number(bytes, 8);
    if version != VERSION {
        return Err(TableFileError::Version { found: version });
    }
    expect("header", crc32(&bytes[..60]), number(bytes, 60))?;
    let described = [number(bytes, 12), number(bytes, 16), number(bytes, 20)];
    if described != [spec.kind() as u32, spec.points().into(), spec.checkers().into()] {
        let reason = format!("does not hold what its name says, {spec}");
        return Err(TableFileError::Damaged(reason));
    }
    let body = u64::from(number(bytes, 24)) | u64::from(number(bytes, 28)) << 32;
    let expected = body.saturating_add(HEADER as u64);
    if length != expected {
        return Err(TableFileError::Damaged(format!("has {length} bytes, expected {expected}")));
    }
    Ok(number(bytes, 32))
}

/// Puts a table at `path`: a reader of the path, now or after a crash, finds a whole table or none.
/// Removes what killed writers left in the folder. Two processes that write the same table replace
/// each other's file by an equal one.
pub(crate) fn save(bytes: &[u8], path: &Path) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    // What can't be removed is no obstacle.
    let _ = remove_leftovers(directory, OsStr::new(""));
    tavola_files::write(path, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: TableSpec = TableSpec::TWO_SIDED_DEFAULT;

    fn whole() -> Vec<u8> {
        let mut bytes = begin(5);
        bytes.extend([1, 2, 3, 4, 5]);
        finish(bytes, SPEC).to_vec()
    }

    #[test]
    fn a_saved_table_comes_back_as_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new").join("table");
        save(&whole(), &path).unwrap();
        TableBytes::verify(&path, SPEC).unwrap();
        let opened = TableBytes::open(&path, SPEC).unwrap();
        assert!(opened.is_kept());
        assert_eq!(&opened[..], &whole()[..]);
        assert_eq!(opened.body(), [1, 2, 3, 4, 5]);
        // Nothing else is left behind, not even by killed writers of other tables, and a table may
        // be replaced, truncated and overwritten while it is open.
        fs::write(path.with_file_name("other.7-0.unfinished"), b"half a table").unwrap();
        save(&whole(), &path).unwrap();
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        fs::write(&path, b"").unwrap();
        assert_eq!(opened.body(), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn every_damaged_byte_and_every_lost_one_is_noticed() {
        let whole = whole();
        check(&whole, SPEC).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("table");
        for i in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[i] ^= 0x10;
            for bytes in [&damaged, &whole[..i]] {
                let error = check(bytes, SPEC).unwrap_err();
                fs::write(&path, bytes).unwrap();
                let of_file = TableBytes::verify(&path, SPEC).unwrap_err();
                assert_eq!(of_file.to_string(), error.to_string());
            }
        }
        let error = |bytes: &[u8], spec| check(bytes, spec).unwrap_err();
        assert_eq!(error(&[], SPEC).to_string(), "is not a bear-off database");
        let other = error(&whole, TableSpec::ONE_SIDED_DEFAULT).to_string();
        assert!(other.starts_with("does not hold what its name says, one-sided"), "{other}");
        assert_eq!(error(&whole[..68], SPEC).to_string(), "has 68 bytes, expected 69");
        let mut old = whole.clone();
        old[8] = 0;
        assert!(matches!(error(&old, SPEC), TableFileError::Version { found: 0 }));
        let mut other = whole;
        other[66] = 9;
        let damaged = error(&other, SPEC).to_string();
        assert!(damaged.starts_with("is damaged: the checksum of its body is"), "{damaged}");
    }
}
