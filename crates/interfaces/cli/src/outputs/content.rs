//! What files hold that commands write, and what their names may say of it.

/// What is written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A page of HTML.
    Page,
    /// Comma-separated values.
    Values,
    /// Flash cards.
    Cards,
    /// An annotated match.
    Sgf,
    /// A match with the analyses of several engines.
    Ogxm,
    /// Matches in the format of the name.
    Matches,
    /// The games of `play`, the score sheet of a chouette.
    Games,
    /// A game that can be resumed.
    SavedGame,
    /// A rollout that can be resumed.
    SavedRollout,
    /// Pairs of a duel.
    Pairs,
    /// The games of a duel.
    DuelGames,
    /// Decisions or states with their figures.
    Graded,
    /// The results of a ladder.
    Ladder,
    /// A drawing in the format of the name.
    Picture,
    /// A drawing as SVG.
    Drawing,
    /// A network.
    Network,
    /// A network for other programs.
    Onnx,
    /// Positions, one a line.
    Positions,
    /// The solution of a game.
    Solution,
    /// A configuration of a training run.
    Config,
    /// Requests to a server.
    Log,
    /// The questions of a quiz.
    Deck,
}

/// What happens to a file that exists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It is replaced with `--force`.
    Replaced,
    /// It is replaced with `--force` if it begins with this, and may be resumed by another option.
    Resumable(&'static str),
    /// The command continues it, and refuses a file of something else when it reads it.
    Continued,
    /// The command appends to it if it begins with this.
    Appended(&'static str),
}

impl Content {
    /// What it is, and the endings of names that fit it, of which the first is proposed.
    pub const fn described(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Page => ("an HTML page", &["html", "htm"]),
            Self::Values => ("comma-separated values", &["csv"]),
            Self::Cards => ("flash cards", &["tsv", "apkg"]),
            Self::Sgf => ("an SGF file", &["sgf"]),
            Self::Ogxm => ("an OGXM file", &["ogxm", "gvab", "ogxms"]),
            Self::Matches => {
                ("a match", &["mat", "sgf", "json", "txt", "ogxm", "gvab", "ogxms", "gva"])
            }
            Self::Games => ("games", &["mat", "sgf", "json", "txt", "csv", "ogxm"]),
            Self::SavedGame => ("a running game", &["json"]),
            Self::SavedRollout => ("a rollout", &["json"]),
            Self::Pairs => ("pairs of games", &["pairs", "jsonl"]),
            Self::DuelGames => ("games as text", &["txt", "mat"]),
            Self::Graded => ("graded decisions", &["jsonl"]),
            Self::Ladder => ("a ladder", &["jsonl"]),
            Self::Picture => ("a picture", &["svg", "png"]),
            Self::Drawing => ("a drawing", &["svg"]),
            Self::Network => ("a network", &["safetensors"]),
            Self::Onnx => ("a model of ONNX", &["onnx"]),
            Self::Positions => ("positions", &["positions"]),
            Self::Solution => ("a solution", &["bin"]),
            Self::Config => ("a configuration", &["toml"]),
            Self::Log => ("a log", &["log", "jsonl"]),
            Self::Deck => ("questions", &["json"]),
        }
    }

    pub const fn existing(self) -> Existing {
        match self {
            Self::SavedGame => Existing::Resumable("tavola game in progress"),
            Self::SavedRollout => Existing::Resumable("\"identity\""),
            Self::Pairs => Existing::Resumable("{\"format\":\"tavola "),
            Self::DuelGames => Existing::Resumable("; [tavola games "),
            Self::Ladder | Self::Solution | Self::Deck => Existing::Continued,
            Self::Log => Existing::Appended("{"),
            _ => Existing::Replaced,
        }
    }

    /// Whether readers of matches read it.
    pub const fn is_match(self) -> bool {
        matches!(
            self,
            Self::Sgf
                | Self::Ogxm
                | Self::Matches
                | Self::Games
                | Self::SavedGame
                | Self::DuelGames
        )
    }
}

/// Endings of names that say what is in a file.
pub const ENDINGS: [(&str, &[&str]); 11] = [
    (
        "records of games",
        &[
            "mat", "sgf", "xg", "xgp", "txt", "json", "ogxm", "ogxms", "gva", "gvab", "gam", "bgf",
            "sgg", "tmg", "bkg", "match",
        ],
    ),
    ("positions", &["pos", "xgid"]),
    ("lines of JSON", &["jsonl"]),
    ("pages", &["html", "htm", "xhtml"]),
    ("tables", &["csv", "tsv", "ods", "xls", "xlsx"]),
    ("pictures", &["svg", "png", "jpg", "jpeg", "gif", "webp"]),
    ("documents", &["pdf", "doc", "docx", "odt", "rtf", "md"]),
    ("networks", &["safetensors", "onnx", "npz"]),
    ("configurations", &["toml"]),
    ("packages of cards", &["apkg", "colpkg"]),
    ("archives", &["zip", "gz", "bz2", "xz", "7z", "tar"]),
];
