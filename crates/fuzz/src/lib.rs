//! Fuzz targets for every parser and file reader of the workspace.
//!
//! A [`Target`] is a function of bytes that asserts properties: no input panics, what is read and
//! written back is read as the same, what a reader accepts is usable. A target whose files carry
//! checksums has a repair, so that mutations reach what lies behind the checksum. No input may cost
//! more than [`Target::most`].
//!
//! Three drivers call the same functions: the test `short`, this package's binary, and libFuzzer
//! (`cargo fuzz`). The seed inputs in `corpus/` hold the failing case of each defect that was found.
//! `CONTRIBUTING.md` has the commands that run them.
//!
//! ```
//! let target = tavola_fuzz::target("position-id").expect("the target has this name");
//! target.check(b"4HPwATDgc/ABMA");
//! ```

mod arena;
mod doors;
mod files;
mod games;
mod matches;
mod mutator;
mod notation;
mod repair;
mod scratch;
#[cfg(feature = "training")]
mod training;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use cap::Cap;
use peak_alloc::PeakAlloc;
use rustix::time::{ClockId, clock_gettime};

pub use self::mutator::Mutator;

#[global_allocator]
static MEMORY: Cap<PeakAlloc> = Cap::new(PeakAlloc, usize::MAX);

/// The longest input that the mutator makes, where a target sets no other limit.
const LONGEST: usize = 4096;

/// What a target may allocate in all, for any input and for each of its bytes.
const FIXED: usize = 64 << 20;
const WORK: usize = 512;

/// Makes the checksums of a file right; `None` where it is too damaged to have any.
type Repair = fn(&[u8]) -> Option<Vec<u8>>;

/// A parser or reader with the properties that it promises.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name, also of the folder of its seed inputs.
    pub name: &'static str,
    run: fn(&[u8]),
    repair: Option<Repair>,
    dictionary: Option<&'static str>,
    longest: usize,
    fixed: usize,
}

impl Target {
    const fn new(name: &'static str, run: fn(&[u8])) -> Self {
        Self { name, run, repair: None, dictionary: None, longest: LONGEST, fixed: FIXED }
    }

    const fn words(mut self, dictionary: &'static str) -> Self {
        self.dictionary = Some(dictionary);
        self
    }

    const fn repaired(mut self, repair: Repair) -> Self {
        self.repair = Some(repair);
        self
    }

    /// What it may allocate in all for the shortest input.
    const fn fixed(mut self, bytes: usize) -> Self {
        self.fixed = bytes;
        self
    }

    const fn longest(mut self, longest: usize) -> Self {
        self.longest = longest;
        self
    }

    /// Runs the target on an input as it is, and with its checksums repaired. Returns what the
    /// dearer one has cost.
    ///
    /// # Panics
    ///
    /// If a property does not hold, or the memory or work is beyond [`Target::most`]: that is a defect.
    /// The time is for the caller to look at, who knows the machine.
    pub fn check(&self, input: &[u8]) -> Cost {
        let cost = self.measure(input);
        match self.repair.and_then(|repair| repair(input)) {
            Some(repaired) => cost.max(self.measure(&repaired)),
            None => cost,
        }
    }

    /// The cost of an input. What is loaded once for all inputs, or what a server still does for the
    /// input before, is no part of it: an input beyond the limit is measured again, twice at most.
    fn measure(&self, input: &[u8]) -> Cost {
        let most = self.most(input.len());
        let is_fine = |cost: &Cost| cost.bytes <= most.bytes && cost.work <= most.work;
        let mut cost = self.once(input);
        for _ in 0..2 {
            if !is_fine(&cost) {
                cost = self.once(input);
            }
        }
        let (name, length) = (self.name, input.len());
        assert!(is_fine(&cost), "{name}: {cost:?} for {length} bytes, expected at most {most:?}");
        cost
    }

    fn once(&self, input: &[u8]) -> Cost {
        PeakAlloc.reset_peak_usage();
        let (before, began) = (PeakAlloc.current_usage(), seconds());
        let allocated = MEMORY.total_allocated();
        (self.run)(input);
        let bytes = PeakAlloc.peak_usage().saturating_sub(before);
        let work = MEMORY.total_allocated() - allocated;
        Cost { bytes, work, seconds: seconds() - began }
    }

    /// The most that an input of this many bytes may cost.
    pub fn most(&self, input: usize) -> Cost {
        let (bytes, work) = ((16 << 20) + 512 * input, self.fixed + WORK * input);
        Cost { bytes, work, seconds: 0.5 + 1e-6 * input as f64 }
    }

    /// A mutator of this target's seed inputs.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the corpus or the dictionary can't be read.
    pub fn mutator(&self, seed: u64) -> io::Result<Mutator> {
        Ok(Mutator::new(self.corpus()?, self.dictionary()?, self.longest, seed))
    }

    /// The words that the mutator splices into inputs, from a file that libFuzzer reads too
    /// (`-dict=FILE`): a word in quotes on each line, where `\xAB` stands for a byte.
    fn dictionary(&self) -> io::Result<Vec<Vec<u8>>> {
        let Some(name) = self.dictionary else { return Ok(Vec::new()) };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("dictionaries");
        let text = fs::read_to_string(folder.join(name).with_extension("dict"))?;
        let quoted = |line: &str| line.strip_prefix('"')?.strip_suffix('"').map(unescaped);
        Ok(text.lines().filter_map(quoted).collect())
    }

    /// The seed inputs, in the order of their file names.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the corpus can't be read.
    pub fn corpus(&self) -> io::Result<Vec<Vec<u8>>> {
        let folder = corpus_folder().join(self.name);
        let mut paths: Vec<PathBuf> =
            fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        paths.sort();
        paths.iter().map(fs::read).collect()
    }
}

/// What an input has cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// The most memory at a time.
    pub bytes: usize,
    /// Bytes that were allocated, all together: the same on every machine, and more than a fixed
    /// number for each byte of the input where a part of it is copied again and again.
    pub work: usize,
    /// Time of the processor.
    pub seconds: f64,
}

impl Cost {
    /// The larger of both parts.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.max(other.bytes),
            work: self.work.max(other.work),
            seconds: self.seconds.max(other.seconds),
        }
    }
}

/// The time that the processor has worked for this process.
fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// A word with its escapes undone: `\"`, `\\` and `\xAB`.
fn unescaped(word: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
    let mut bytes = Vec::new();
    let mut rest = word.as_bytes();
    while let [first, behind @ ..] = rest {
        let (byte, left) = match (first, behind) {
            (b'\\', [b'x', high, low, left @ ..]) => (16 * digit(*high) + digit(*low), left),
            (b'\\', [escaped, left @ ..]) => (*escaped, left),
            _ => (*first, behind),
        };
        bytes.push(byte);
        rest = left;
    }
    bytes
}

/// The folder with one folder of seed inputs for each target.
pub fn corpus_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// All targets.
pub fn targets() -> Vec<Target> {
    let mut targets = Vec::new();
    targets.extend(notation::TARGETS);
    targets.extend(games::TARGETS);
    targets.extend(files::TARGETS);
    targets.extend(arena::TARGETS);
    targets.extend(doors::TARGETS);
    targets.extend(matches::TARGETS);
    #[cfg(feature = "training")]
    targets.extend(training::TARGETS);
    targets
}

/// The target of this name.
pub fn target(name: &str) -> Option<Target> {
    targets().into_iter().find(|target| target.name == name)
}
