//! Where things stand in a record. Numbers are little-endian.

/// Bytes of a record.
pub(super) const RECORD: usize = 2560;

/// What a match header has at its place of the magic number.
const MATCH_MAGIC: i32 = 0x494C_4D44;

/// A length that stands for money play.
pub(super) const UNLIMITED: i32 = 99_999;

/// The 26 counts of a board: the bar of the opponent, the points, the bar.
pub(super) type Board = [i8; 26];

/// Bytes with fields; what lies beyond the end is zero.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl Bytes<'_> {
    /// The kind of a record.
    pub(super) fn kind(&self) -> Kind {
        match self.byte(8) {
            0 => Kind::MatchHeader,
            1 => Kind::GameHeader,
            2 => Kind::Cube,
            3 => Kind::Play,
            4 => Kind::GameEnd,
            5 => Kind::MatchEnd,
            6 => Kind::Missing,
            _ => Kind::Unknown,
        }
    }

    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let slice = at.checked_add(N).and_then(|end| self.0.get(at..end));
        slice.and_then(|slice| slice.try_into().ok()).unwrap_or([0; N])
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.array::<1>(at)[0]
    }

    pub(super) fn int(&self, at: usize) -> i32 {
        i32::from_le_bytes(self.array(at))
    }

    pub(super) fn float(&self, at: usize) -> f64 {
        f64::from_le_bytes(self.array(at))
    }

    /// An equity.
    pub(super) fn single(&self, at: usize) -> Option<f64> {
        let value = f64::from(f32::from_le_bytes(self.array(at)));
        (value.abs() < 100.0).then_some(value)
    }

    pub(super) fn board(&self, at: usize) -> Board {
        self.array::<26>(at).map(u8::cast_signed)
    }

    /// A string in the Windows code page with its length before it.
    pub(super) fn short_string(&self, at: usize, most: usize) -> String {
        let length = usize::from(self.byte(at)).min(most);
        let text = self.0.get(at + 1..at + 1 + length).unwrap_or_default();
        let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(text);
        text.trim().to_owned()
    }

    /// A string of up to 128 units of UTF-16 that ends with a zero.
    pub(super) fn wide_string(&self, at: usize) -> String {
        let units: Vec<u16> = (0..128)
            .map(|index| u16::from_le_bytes(self.array(at + 2 * index)))
            .take_while(|&unit| unit != 0)
            .collect();
        String::from_utf16_lossy(&units).trim().to_owned()
    }
}

/// The kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    MatchHeader,
    GameHeader,
    Cube,
    Play,
    GameEnd,
    MatchEnd,
    /// A game that is not there; only its result is.
    Missing,
    Unknown,
}

/// Whether a match begins here.
pub(super) fn is_match_header(bytes: &[u8]) -> bool {
    let record = Bytes(bytes);
    bytes.len() >= RECORD && record.kind() == Kind::MatchHeader && record.int(556) == MATCH_MAGIC
}

/// Fields of a match header.
pub(super) mod match_header {
    /// Names in the code page, then as UTF-16 from version 24 on.
    pub(in super::super) const NAMES: [usize; 2] = [9, 50];
    pub(in super::super) const WIDE_NAMES: [usize; 2] = [880, 1138];
    pub(in super::super) const LENGTH: usize = 92;
    pub(in super::super) const VARIATION: usize = 96;
    pub(in super::super) const CRAWFORD: usize = 100;
    pub(in super::super) const JACOBY: usize = 101;
    pub(in super::super) const BEAVER: usize = 102;
    pub(in super::super) const ELO: [usize; 2] = [104, 112];
    pub(in super::super) const DATE: usize = 128;
    pub(in super::super) const EVENT: usize = 136;
    pub(in super::super) const PLACE: usize = 283;
    pub(in super::super) const ROUND: usize = 417;
    pub(in super::super) const VERSION: usize = 552;
    pub(in super::super) const COMMENT: usize = 576;
    pub(in super::super) const WIDE_EVENT: usize = 622;
    pub(in super::super) const WIDE_PLACE: usize = 1396;
    pub(in super::super) const WIDE_ROUND: usize = 1654;
    /// From version 30 on.
    pub(in super::super) const TRANSCRIBER: usize = 1960;
}

/// Fields of a game header.
pub(super) mod game_header {
    pub(in super::super) const SCORES: [usize; 2] = [12, 16];
    pub(in super::super) const CRAWFORD: usize = 20;
    pub(in super::super) const COMMENT: usize = 56;
    /// From version 26 on.
    pub(in super::super) const AUTOMATIC_DOUBLES: usize = 64;
}

/// Fields of a cube record.
pub(super) mod cube {
    pub(in super::super) const PLAYER: usize = 12;
    pub(in super::super) const DOUBLED: usize = 16;
    pub(in super::super) const TAKEN: usize = 20;
    pub(in super::super) const BEAVER_TAKEN: usize = 24;
    pub(in super::super) const RACCOON_TAKEN: usize = 28;
    pub(in super::super) const CUBE: usize = 32;
    pub(in super::super) const BOARD: usize = 36;
    /// -100, two bytes, if the decision was not analyzed.
    pub(in super::super) const FLAG: usize = 120;
    /// Equities: no double, double and take.
    pub(in super::super) const NO_DOUBLE: usize = 152;
    pub(in super::super) const TAKEN_DOUBLE: usize = 156;
    pub(in super::super) const COMMENT: usize = 292;
}

/// Fields of a play.
pub(super) mod play {
    pub(in super::super) const BEFORE: usize = 9;
    pub(in super::super) const AFTER: usize = 35;
    pub(in super::super) const PLAYER: usize = 64;
    pub(in super::super) const DICE: [usize; 2] = [100, 104];
    pub(in super::super) const CUBE: usize = 108;
    /// Candidates of the analysis, at most 32: their number, the boards behind them, and their
    /// evaluations of seven numbers, of which the last is the equity.
    pub(in super::super) const CANDIDATES: usize = 188;
    pub(in super::super) const CANDIDATE_BOARDS: usize = 192;
    pub(in super::super) const EQUITIES: usize = 1432;
    pub(in super::super) const EVALUATION: usize = 28;
    pub(in super::super) const COMMENT: usize = 2524;
}

/// Fields of the end of a game; a missing game has the first two.
pub(super) mod game_end {
    pub(in super::super) const WINNER: usize = 24;
    pub(in super::super) const POINTS: usize = 28;
    /// 0 dropped, 1 to 3 how it was won, 100 more if resigned, 1000 more if settled.
    pub(in super::super) const HOW: usize = 32;
}
