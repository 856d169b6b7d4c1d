//! The files that commands write: the one place that says which file an output may become.
//!
//! An option of any command that names a file to write has an [`OutputFile`] as its value. The rule
//! is checked for all of them before the command begins, and the help of each says it:
//!
//! - Files are written beside what is printed, which has one form: [`FORMS`].
//! - A file that exists is replaced with `--force` alone.
//! - A file that the command reads is never written, under whatever name.
//! - A name that ends as another kind of content does is refused, so that no wildcard can put a page
//!   where a match was; and so is any file that holds a match, if something else would be written.

use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{ErrorKind, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::builder::{PathBufValueParser, TypedValueParser, ValueHint};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use tavola_files::NewFile;
use tavola_matches::ReadWatch;
use tavola_rules::alternatives;

pub use self::content::Content;
use self::content::{ENDINGS, Existing};
use crate::failure::{Blame, Failure, Outcome};

mod content;
#[cfg(test)]
mod tests;

/// The option that allows files to be replaced.
const FORCE: &str = "force";

/// Options that say in which form an answer is printed, unless they name a file.
const FORMS: [&str; 7] = ["json", "csv", "markdown", "xg_text", "xml", "metrics", "svg"];

/// The value of an option that resumes a file, which may then be written.
const RESUME: &str = "resume";

/// A file that a command writes.
#[derive(Clone, Debug)]
pub struct OutputFile {
    path: PathBuf,
    content: Content,
}

impl Deref for OutputFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

/// Whether files may be replaced: set once, when the outputs are checked.
static REPLACES: OnceLock<bool> = OnceLock::new();

impl OutputFile {
    /// A name that a user types while a command runs: it has to be new.
    pub fn typed(path: &Path, content: Content) -> Outcome<Self> {
        let file = Self { path: path.to_owned(), content };
        file.check_name()?;
        if exists(&file) {
            let name = file.display();
            let message = format!("{name} exists already, expected the name of a new file");
            return Err(Failure::input(message));
        }
        Ok(file)
    }

    /// Writes the file, all or nothing.
    pub fn write(&self, bytes: &[u8]) -> Outcome {
        self.refuse_new()?;
        tavola_files::write(self, bytes).or_work_in(self.cannot())
    }

    /// Makes room for a file that its writer creates: with `--force` an old one goes.
    pub fn make_room(&self) -> Outcome {
        self.refuse_new()?;
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed.or_work_in(self.cannot()),
        }
    }

    /// Another process may have made the file in the meantime.
    fn refuse_new(&self) -> Outcome {
        match REPLACES.get() {
            Some(true) => Ok(()),
            _ if !exists(self) => Ok(()),
            _ => Err(Failure::work(format_args!(
                "{} did not exist before and exists now, so it is not replaced",
                self.display()
            ))),
        }
    }

    fn cannot(&self) -> String {
        format!("cannot write {}", self.display())
    }

    /// Refuses a name that says something else.
    fn check_name(&self) -> Outcome {
        let (what, own) = self.content.described();
        if self.path == Path::new("-") && !self.is_stdout() {
            let message = format!("cannot write {what} to -, expected the name of a file");
            return Err(Failure::input(message));
        }
        // Copies that editors keep, and what some systems leave out, hide no ending.
        let name = self.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let name = name.trim_end_matches(['.', ' ', '~']).trim_end_matches(".bak");
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        if own.contains(&&*ending) {
            return Ok(());
        }
        let others = ENDINGS.iter().find(|(_, known)| known.contains(&&*ending));
        let reason = match others {
            Some((others, _)) => format!(": .{ending} is the ending of {others}"),
            None if self.content == Content::Picture => String::new(),
            None => return Ok(()),
        };
        let expected = match own {
            [] => "another name".to_owned(),
            own => {
                let endings = alternatives(own.iter().map(|ending| format!(".{ending}")));
                format!("a name that ends in {endings}")
            }
        };
        let cannot = format!("cannot write {what} to {}", self.display());
        Err(Failure::input(format_args!("{cannot}{reason}, expected {expected}")))
    }

    /// Whether the name is that of stdout.
    fn is_stdout(&self) -> bool {
        self.content == Content::Picture && self.path == Path::new("-")
    }
}

/// The parser of an option that names a file to write.
pub fn writes(content: Content) -> impl TypedValueParser<Value = OutputFile> {
    PathBufValueParser::new().map(move |path| OutputFile { path, content })
}

/// A file that a command goes on with if it exists, and makes if it does not.
#[derive(Clone, Debug)]
pub struct KeptFile(OutputFile);

impl Deref for KeptFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

/// The parser of an option that names a file which the command keeps.
pub fn keeps(content: Content) -> impl TypedValueParser<Value = KeptFile> {
    writes(content).map(KeptFile)
}

/// Whether the value of an argument is a `T`.
fn is_a<T: 'static>(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == TypeId::of::<T>()
}

/// What the help of an option says of a file that exists.
const RULE: &str = "a file that exists is refused without --force";

/// The same where the command goes on with it.
const RULE_OF_KEPT: &str = "a file of anything else is refused";

/// The command and those below it, with `--force` where a file is written, of which the help of the
/// option tells.
pub fn with_force(command: Command) -> Command {
    let writes = command.get_arguments().any(is_a::<OutputFile>);
    let command = command.mut_subcommands(with_force).mut_args(|arg| {
        let rule = match (is_a::<OutputFile>(&arg), is_a::<KeptFile>(&arg)) {
            (true, _) => RULE,
            (_, true) => RULE_OF_KEPT,
            _ => return arg,
        };
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        arg.help(format!("{help}; {rule}")).value_hint(ValueHint::FilePath)
    });
    if !writes {
        return command;
    }
    command.arg(Arg::new(FORCE).long(FORCE).action(ArgAction::SetTrue).help(
        "Replace files that exist; never one that is read, nor a record of games by anything else",
    ))
}

/// An option as it is typed, or the name of another argument.
fn name_of(arg: &Arg) -> String {
    match arg.get_long() {
        Some(long) => format!("--{long}"),
        None => arg.get_value_names().unwrap_or_default().join(" "),
    }
}

/// The files that a command line names, to write and to read.
#[derive(Debug, Default)]
pub struct Outputs {
    /// Each with its option.
    files: Vec<(String, OutputFile)>,
    /// The options that say what is printed, and how they name a file instead.
    printed: Vec<(String, Option<String>)>,
    /// The other values, some of which are names of files.
    others: Vec<OsString>,
    /// Whether the command can resume a file, and the one that it resumes.
    resumes: bool,
    resumed: Option<PathBuf>,
    force: bool,
}

impl Outputs {
    /// Those of a command line.
    pub fn of(command: &Command, matches: &ArgMatches) -> Self {
        let mut outputs = Self::default();
        outputs.gather(command, matches);
        outputs
    }

    fn gather(&mut self, command: &Command, matches: &ArgMatches) {
        self.resumes = command.get_arguments().any(|arg| arg.get_id() == RESUME);
        for arg in command.get_arguments() {
            let id = arg.get_id().as_str();
            if !matches!(matches.try_contains_id(id), Ok(true)) {
                continue;
            }
            if FORMS.contains(&id) && matches!(matches.try_get_one::<bool>(id), Ok(Some(true))) {
                self.printed.push((name_of(arg), None));
            }
            if id == FORCE {
                self.force = matches.get_flag(FORCE);
            } else if is_a::<OutputFile>(arg) {
                let files: Vec<_> =
                    matches.get_many::<OutputFile>(id).into_iter().flatten().collect();
                let name = name_of(arg);
                if files.is_empty() {
                    self.printed.push((name.clone(), Some(format!("{name}=FILE"))));
                } else if files.iter().any(|file| file.is_stdout()) {
                    self.printed.push((format!("{name} -"), Some(format!("{name} FILE"))));
                }
                self.files.extend(files.into_iter().map(|file| (name.clone(), file.clone())));
            } else if is_a::<KeptFile>(arg) {
                let files = matches.get_many::<KeptFile>(id).into_iter().flatten();
                self.files.extend(files.map(|file| (name_of(arg), file.0.clone())));
            } else {
                let values = matches.get_raw(id).into_iter().flatten();
                let values: Vec<OsString> = values.map(OsStr::to_owned).collect();
                if id == RESUME && arg.get_action().takes_values() {
                    self.resumed = values.first().map(PathBuf::from);
                }
                // A default is no file of the user.
                if matches.value_source(id) != Some(ValueSource::DefaultValue) {
                    self.others.extend(values);
                }
            }
        }
        if let Some((name, inner)) = matches.subcommand()
            && let Some(command) = command.find_subcommand(name)
        {
            self.gather(command, inner);
        }
    }

    /// Refuses what may not be written.
    pub fn check(&self) -> Outcome {
        REPLACES.get_or_init(|| self.force);
        if let [one, two, ..] = &self.printed[..] {
            let file = two.1.as_ref().or(one.1.as_ref());
            let file = file.map_or_else(String::new, |file| format!(", or {file}"));
            return Err(Failure::input(format_args!(
                "{} and {} both say what is printed, expected one of them{file}",
                one.0, two.0
            )));
        }
        for (index, (option, file)) in self.files.iter().enumerate() {
            if file.is_stdout() {
                continue;
            }
            file.check_name()?;
            let twice = self.files[..index].iter().find(|(_, other)| is_same(file, other));
            if let Some((other, _)) = twice {
                return Err(Failure::input(format_args!(
                    "{other} and {option} both write {}, expected two files",
                    file.display()
                )));
            }
            self.check_file(file)?;
            // What can't be written is refused before the work begins. These are opened first of all.
            if !matches!(file.content, Content::Ladder | Content::Log | Content::Deck) {
                NewFile::create(file).map(drop).or_input_in(file.cannot())?;
            }
        }
        Ok(())
    }

    fn check_file(&self, file: &OutputFile) -> Outcome {
        let refuse = |why: &str| Err(Failure::input(format_args!("{} {why}", file.display())));
        let existing = match (file.content.existing(), &self.resumed) {
            // It is the one that goes on.
            (Existing::Resumable(_), Some(resumed)) if is_same(resumed, file) => return Ok(()),
            (Existing::Resumable(_), Some(_)) if file.content == Content::DuelGames => {
                Existing::Continued
            }
            (existing, _) => existing,
        };
        if !exists(file) {
            return Ok(());
        }
        if self.reads(file) {
            return refuse("is read by this command, expected another file to write");
        }
        // A folder or a device is refused by whoever opens it.
        if fs::metadata(&**file).is_ok_and(|there| !there.is_file()) {
            return Ok(());
        }
        let (what, _) = file.content.described();
        match existing {
            Existing::Continued => return Ok(()),
            Existing::Appended(mark) if is_empty(file) || begins(file, mark) => return Ok(()),
            Existing::Appended(_) => {
                return refuse(&format!(
                    "exists already and is not {what}, expected the name of a new file"
                ));
            }
            Existing::Replaced | Existing::Resumable(_) if !self.force => {
                let resume = match existing {
                    Existing::Resumable(_) if self.resumes => ", --resume to continue it",
                    _ => "",
                };
                return refuse(&format!(
                    "exists already, expected the name of a new file{resume}, or --force to replace it"
                ));
            }
            Existing::Resumable(mark) if !is_empty(file) && !begins(file, mark) => {
                return refuse(&format!(
                    "exists already and is not {what}, so that --force does not replace it, \
                     expected the name of a new file"
                ));
            }
            Existing::Replaced | Existing::Resumable(_) => {}
        }
        match held(file).filter(|_| !file.content.is_match()) {
            Some(held) => refuse(&format!(
                "holds {held}, which is not replaced by {what}, expected another file"
            )),
            None => Ok(()),
        }
    }

    /// Whether a file is one of those that the command reads, or in a folder of them.
    fn reads(&self, file: &Path) -> bool {
        let folder = |path: &Path| Some(fs::canonicalize(path).ok()?.parent()?.to_owned());
        self.others.iter().flat_map(|value| files_in(value)).any(|path| {
            if !path.is_dir() {
                return is_same(&path, file);
            }
            let inside = |it| fs::canonicalize(&path).is_ok_and(|path| it == path);
            folder(file).is_some_and(inside) && held(file).is_some()
        })
    }
}

/// The files that a value may name: as it stands, and as players of a duel are named.
fn files_in(value: &OsStr) -> impl Iterator<Item = PathBuf> {
    let text = value.to_str().unwrap_or_default();
    let player = text.strip_prefix("raw:").unwrap_or(text);
    let network = player.split('@').next().unwrap_or_default();
    [PathBuf::from(value), PathBuf::from(network)].into_iter().filter(|path| path.exists())
}

/// Whether something has this name, a link to nothing too.
fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Whether two names are of one file, be it by a link or in another spelling. A file that does not
/// exist yet is known by its folder.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        fs::canonicalize(path).or_else(|_| {
            let folder = path.parent().filter(|folder| *folder != Path::new(""));
            let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
            Ok::<_, std::io::Error>(folder.join(path.file_name().unwrap_or_default()))
        })
    };
    match (place(one), place(other)) {
        (Ok(one), Ok(other)) => one == other || is_linked(&one, &other),
        _ => false,
    }
}

/// Whether two names are hard links of one file.
#[cfg(unix)]
fn is_linked(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

/// Elsewhere a hard link is a file of its own, which is replaced without the other.
#[cfg(not(unix))]
fn is_linked(_: &Path, _: &Path) -> bool {
    false
}

fn is_empty(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| there.len() == 0)
}

/// Whether a mark stands at the beginning of a file.
fn begins(path: &Path, mark: &str) -> bool {
    let mut start = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(512).read_to_end(&mut start));
    read.is_ok() && String::from_utf8_lossy(&start).contains(mark)
}

/// What of a user's a file holds, whatever its name, unless that is one of a network: a match, or what
/// another program saves.
fn held(path: &Path) -> Option<&'static str> {
    if path.extension().is_some_and(|ending| ending == "safetensors") {
        return None;
    }
    let bytes = tavola_files::read(path, &tavola_matches::largest(path)).ok()?;
    if tavola_matches::is_output(&bytes) {
        return None;
    }
    match tavola_engine::live::read_matches(&bytes, None, ReadWatch::default()) {
        Ok(reading) => {
            let games = reading.matches.iter().flat_map(|record| &record.games);
            games.flat_map(|game| &game.actions).next().map(|_| "a match")
        }
        Err(error) => error.saved_by_another(),
    }
}
