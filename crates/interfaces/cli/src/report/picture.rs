//! Pictures in files: SVG as it is, PNG drawn from it.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[cfg(feature = "pictures")]
use resvg::tiny_skia::{Pixmap, Transform};
#[cfg(feature = "pictures")]
use resvg::usvg::{Options, Tree};
#[cfg(feature = "pictures")]
use tavola_files::limits::FILE_BYTES;

use crate::failure::{Blame, Failure, Outcome};
use crate::report::table::Out;

/// Names the file of the font that PNG pictures are written with.
const FONT_VARIABLE: &str = "TAVOLA_FONT";

/// Pixels for each unit of the drawing.
const SCALE: f32 = 2.0;

/// Fonts that will do, the best first, in lower case.
const FONTS: [&str; 8] = [
    "dejavusans.ttf",
    "liberationsans-regular.ttf",
    "notosans-regular.ttf",
    "opensans-regular.ttf",
    "helvetica.ttf",
    "arial.ttf",
    "segoeui.ttf",
    "roboto-regular.ttf",
];

/// Folders in which systems keep fonts; one that begins with `~` is the user's.
const FONT_FOLDERS: [&str; 8] = [
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.local/share/fonts",
    "~/.fonts",
    "/Library/Fonts",
    "/System/Library/Fonts",
    "~/Library/Fonts",
    "C:/Windows/Fonts",
];

/// Refuses a picture on stdout if `figures` go there too, as JSON or comma-separated values.
pub fn refuse_two_on_stdout(picture: Option<&Path>, figures: bool) -> Outcome {
    if figures && picture == Some(Path::new("-")) {
        return Err(Failure::input(
            "--svg - and --json or --csv both write to stdout, expected a file for the picture",
        ));
    }
    Ok(())
}

/// Writes a drawing to a file, whose ending says in which format, or as SVG to stdout if that is
/// `-`.
pub fn write(svg: &str, file: &Path, out: &mut dyn Out) -> Outcome {
    if file == Path::new("-") {
        writeln!(out, "{}", svg.trim_end())?;
        return Ok(());
    }
    let ending = file.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    let context = format!("cannot write {}", file.display());
    let bytes = match &*ending {
        "svg" => svg.as_bytes().to_vec(),
        "png" => png(svg).map_err(|reason| Failure::work(format_args!("{context}: {reason}")))?,
        _ => {
            return Err(Failure::input(format_args!(
                "{context} as a picture, expected a name that ends in .svg or .png"
            )));
        }
    };
    match fs::write(file, bytes) {
        // The name is as good as any other.
        Err(error) if error.kind() == io::ErrorKind::StorageFull => Err(error).or_work_in(context),
        written => written.or_input_in(context),
    }
}

/// Why the drawing does not become PNG.
#[cfg(not(feature = "pictures"))]
fn png(_: &str) -> Result<Vec<u8>, String> {
    Err(crate::lean::no_png())
}

/// The drawing as PNG, in twice its size.
#[cfg(feature = "pictures")]
fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut options = Options::default();
    match font().and_then(|file| tavola_files::read(&file, &FILE_BYTES).ok()) {
        Some(bytes) => {
            let fonts = options.fontdb_mut();
            fonts.load_font_data(bytes);
            let family = fonts.faces().find_map(|face| Some(face.families.first()?.0.clone()));
            if let Some(family) = family {
                fonts.set_sans_serif_family(family);
            }
        }
        None => super::warning::warn(&format!(
            "no font is found, so the picture has neither words nor numbers; name the file of one \
             with {FONT_VARIABLE}"
        )),
    }
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or("it is too large")?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("it is too large")?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}

/// The file of a font: that of the environment, or one that is installed.
fn font() -> Option<PathBuf> {
    if let Some(file) = env::var_os(FONT_VARIABLE).filter(|file| !file.is_empty()) {
        return Some(file.into());
    }
    let folders = FONT_FOLDERS.iter().filter_map(|folder| match folder.strip_prefix("~/") {
        None => Some(PathBuf::from(folder)),
        Some(rest) => Some(PathBuf::from(env::var_os("HOME")?).join(rest)),
    });
    let mut found = Vec::new();
    for folder in folders {
        find_fonts(&folder, 4, &mut found);
    }
    found.sort();
    found.into_iter().next().map(|(_, file)| file)
}

/// Adds the usable fonts of a folder and of those in it, each with its rank.
fn find_fonts(folder: &Path, depth: u8, found: &mut Vec<(usize, PathBuf)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().to_lowercase();
        match FONTS.iter().position(|font| *font == name) {
            Some(rank) => found.push((rank, path)),
            None if depth > 0 && path.is_dir() => find_fonts(&path, depth - 1, found),
            None => {}
        }
    }
}
