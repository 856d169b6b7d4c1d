//! Pictures in files: SVG as it is, PNG drawn from it.

use std::ffi::OsStr;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

#[cfg(feature = "pictures")]
use resvg::tiny_skia::{Pixmap, Transform};
#[cfg(feature = "pictures")]
use resvg::usvg::{Options, Tree};
#[cfg(feature = "pictures")]
use tavola_files::limits::FILE_BYTES;

use crate::failure::{Failure, Outcome};
use crate::outputs::OutputFile;
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

/// A table as SVG: centered lines of text above, then cells by column and row from the corner.
pub struct Grid {
    svg: String,
    middle: usize,
    cell: [usize; 2],
    top: usize,
}

impl Grid {
    /// Of as many cells each way as `cells`, which begin below `top`; not narrower than `least`.
    pub fn new(cells: [usize; 2], cell: [usize; 2], top: usize, least: usize) -> Self {
        let (width, height) = ((cells[0] * cell[0]).max(least), top + cells[1] * cell[1]);
        let mut grid = Self { svg: String::new(), middle: width / 2, cell, top };
        grid.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>"
        ));
        grid
    }

    fn put(&mut self, text: fmt::Arguments<'_>) {
        writeln!(self.svg, "{text}").expect("writing to a string can't fail");
    }

    /// A line above the cells, with further attributes.
    pub fn line(&mut self, y: usize, style: &str, text: impl fmt::Display) {
        let x = self.middle;
        self.put(format_args!("<text x=\"{x}\" y=\"{y}\"{style}>{text}</text>"));
    }

    /// A cell with a text, a smaller one below it, and a color.
    pub fn cell(&mut self, at: [usize; 2], text: &str, below: &str, fill: Option<&str>) {
        let [width, height] = self.cell;
        let (x, y) = (at[0] * width, self.top + at[1] * height);
        if let Some(fill) = fill {
            self.put(format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" \
                 stroke=\"#ffffff\"/>"
            ));
        }
        let (x, y) = (x + width / 2, y + height / 2);
        let lift = if below.is_empty() { 5 } else { 0 };
        self.put(format_args!("<text x=\"{x}\" y=\"{}\">{text}</text>", y + lift));
        if !below.is_empty() {
            let y = y + 13;
            self.put(format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"10\">{below}</text>"));
        }
    }

    /// The drawing.
    pub fn finish(self) -> String {
        self.svg + "</svg>\n"
    }
}

/// The style of a title in a [`Grid`].
pub const BOLD: &str = " font-weight=\"bold\"";

/// Writes a drawing to a file, whose ending says in which format, or as SVG to stdout if that is
/// `-`.
pub fn write(svg: &str, file: &OutputFile, out: &mut dyn Out) -> Outcome {
    if file.as_os_str() == "-" {
        out.whole(&format!("{}\n", svg.trim_end()))?;
        return Ok(());
    }
    let ending = file.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    match &*ending {
        "png" => {
            let failed = |reason| format!("cannot write {}: {reason}", file.display());
            file.write(&png(svg).map_err(|reason| Failure::work(failed(reason)))?)
        }
        _ => file.write(svg.as_bytes()),
    }
}

/// Why the drawing does not become PNG.
#[cfg(not(feature = "pictures"))]
fn png(_: &str) -> Result<Vec<u8>, String> {
    Err(crate::absent::no_png())
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
