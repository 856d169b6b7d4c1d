//! Charts as SVG: lines, dots, bars and words over two axes.

use std::fmt::{Display, Write as _};
use std::ops::Range;

use super::escape;

/// Colors that people with any kind of color vision tell apart (Okabe and Ito 2008, "Color
/// Universal Design").
pub const COLORS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// A chart that is being drawn. What has a `style` takes attributes of SVG, such as a class.
#[derive(Clone, Debug)]
pub struct Chart {
    size: [f64; 2],
    /// The left, upper, right and lower edge of the part between the axes, in pixels.
    frame: [f64; 4],
    x: Range<f64>,
    y: Range<f64>,
    svg: String,
}

impl Chart {
    /// An empty chart of this width and height for these values, with margins on the left, above,
    /// on the right and below.
    pub const fn new(
        size: [f64; 2],
        [left, above, right, below]: [f64; 4],
        x: Range<f64>,
        y: Range<f64>,
    ) -> Self {
        let frame = [left, above, size[0] - right, size[1] - below];
        Self { size, frame, x, y, svg: String::new() }
    }

    /// Where a point stands, in pixels.
    fn place(&self, (x, y): (f64, f64)) -> [f64; 2] {
        let share = |at: f64, range: &Range<f64>| (at - range.start) / (range.end - range.start);
        let [left, upper, right, lower] = self.frame;
        let width = share(x, &self.x) * (right - left);
        [left + width, lower - share(y, &self.y) * (lower - upper)]
    }

    fn write(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.svg, "{element}");
    }

    fn words(&mut self, style: &str, [x, y]: [f64; 2], text: impl Display) {
        let text = escape(&text.to_string());
        if !text.is_empty() {
            self.write(format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{text}</text>"));
        }
    }

    /// A heading above the chart.
    pub fn caption(&mut self, text: impl Display) {
        self.words(CAPTION, [self.size[0] / 2.0, self.frame[1] - 12.0], text);
    }

    /// Lines of a grid from below, with what stands under them, and the name of the axis.
    pub fn x_axis(&mut self, name: &str, ticks: impl IntoIterator<Item = (f64, String)>) {
        let [left, upper, right, lower] = self.frame;
        for (at, label) in ticks {
            let [x, _] = self.place((at, self.y.start));
            self.write(format_args!("<path class=\"grid\" d=\"M{x:.1} {upper:.1}V{lower:.1}\"/>"));
            self.words(MIDDLE, [x, lower + 18.0], label);
        }
        self.words(MIDDLE, [(left + right) / 2.0, self.size[1] - 5.0], name);
    }

    /// Lines of a grid from the left, with what stands beside them, and the name of the axis.
    pub fn y_axis(&mut self, name: &str, ticks: impl IntoIterator<Item = (f64, String)>) {
        let [left, upper, right, lower] = self.frame;
        for (at, label) in ticks {
            let [_, y] = self.place((self.x.start, at));
            self.write(format_args!("<path class=\"grid\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>"));
            self.words("text-anchor=\"end\"", [left - 6.0, y + 4.0], label);
        }
        let turned = format!("{MIDDLE} transform=\"rotate(-90)\"");
        self.words(&turned, [-(upper + lower) / 2.0, 18.0], name);
    }

    /// A line through points.
    pub fn line(&mut self, style: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        let places = points.into_iter().map(|point| self.place(point));
        let places: Vec<_> = places.map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let points = places.join(" ");
        self.write(format_args!("<polyline fill=\"none\" {style} points=\"{points}\"/>"));
    }

    /// An area within these corners.
    pub fn area(&mut self, style: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        let places = points.into_iter().map(|point| self.place(point));
        let places: Vec<_> = places.map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        self.write(format_args!("<polygon {style} points=\"{}\"/>", places.join(" ")));
    }

    /// A dot, with what it says to who points at it.
    pub fn dot(&mut self, style: &str, at: (f64, f64), title: &str) {
        let ([x, y], title) = (self.place(at), titled(title));
        self.write(format_args!(
            "<circle {style} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\">{title}</circle>"
        ));
    }

    /// A bar between two corners, with what it says to who points at it.
    pub fn bar(&mut self, style: &str, from: (f64, f64), to: (f64, f64), title: &str) {
        let ([left, lower], [right, upper]) = (self.place(from), self.place(to));
        let (width, height, title) = (right - left, lower - upper, titled(title));
        self.write(format_args!(
            "<rect {style} x=\"{left:.1}\" y=\"{upper:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\">{title}</rect>"
        ));
    }

    /// Words that begin a number of pixels to the right of a point and below it.
    pub fn text(&mut self, style: &str, at: (f64, f64), [right, below]: [f64; 2], text: &str) {
        let [x, y] = self.place(at);
        self.words(style, [x + right, y + below], text);
    }

    /// What is drawn until [`link_end`](Self::link_end) leads to an address.
    pub fn link(&mut self, address: &str) {
        self.write(format_args!("<a href=\"{}\">", escape(address)));
    }

    /// See [`link`](Self::link).
    pub fn link_end(&mut self) {
        self.write(format_args!("</a>"));
    }

    /// What the colors of lines mean, in a corner on the right.
    pub fn legend(&mut self, is_above: bool, names: &[(&str, String)]) {
        let [_, upper, right, lower] = self.frame;
        let height = 20.0 * names.len() as f64;
        let first = if is_above { upper + 18.0 } else { lower - height + 4.0 };
        for (index, (color, name)) in names.iter().enumerate() {
            let y = first + 20.0 * index as f64;
            self.write(format_args!(
                "<path d=\"M{:.1} {:.1}h22\" stroke=\"{color}\" stroke-width=\"3\"/>",
                right - 24.0,
                y - 4.0
            ));
            self.words("text-anchor=\"end\"", [right - 32.0, y], name);
        }
    }

    /// The chart as part of a page, with what it says to who does not see it. One of the class
    /// `across` is as wide as the page.
    pub fn html(&self, class: &str, label: &str) -> String {
        let svg = self.svg(&format!("role=\"img\" aria-label=\"{}\"", escape(label)));
        format!("<div class=\"chart {class}\">{svg}</div>\n")
    }

    fn svg(&self, attributes: &str) -> String {
        let [width, height] = self.size;
        let body = &self.svg;
        format!("<svg {attributes} viewBox=\"0 0 {width} {height}\">\n{body}</svg>")
    }
}

const CAPTION: &str = "text-anchor=\"middle\" class=\"caption\"";
const MIDDLE: &str = "text-anchor=\"middle\"";

fn titled(title: &str) -> String {
    match title {
        "" => String::new(),
        title => format!("<title>{}</title>", escape(title)),
    }
}

/// Charts below each other as a file of their own.
pub fn picture(charts: &[Chart]) -> String {
    let width = charts.iter().map(|chart| chart.size[0]).fold(0.0, f64::max);
    let (mut height, mut parts) = (0.0, String::new());
    for chart in charts {
        let size =
            format!("y=\"{height}\" width=\"{}\" height=\"{}\"", chart.size[0], chart.size[1]);
        let _ = writeln!(parts, "{}", chart.svg(&size));
        height += chart.size[1];
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<style>text{{font:14px sans-serif}}\
         .caption{{font-size:20px}}.grid{{stroke:#ddd}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n{parts}</svg>\n"
    )
}

/// Round numbers in a range, some as many as asked.
pub fn ticks(range: &Range<f64>, number: f64) -> Vec<f64> {
    let step = (range.end - range.start) / number;
    let ten = 10_f64.powf(step.log10().floor());
    let step = ten * [1.0, 2.0, 5.0, 10.0].into_iter().find(|by| ten * by >= step).unwrap_or(10.0);
    // Adding zero makes no zero negative.
    let first = (range.start / step).ceil() as i64;
    let last = (range.end / step).floor() as i64;
    (first..=last.min(first + 100)).map(|number| number as f64 * step + 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(ticks(&(-0.25..1.0), 6.0), [0.0, 0.5, 1.0]);
        assert_eq!(ticks(&(0.0..60_000.0), 10.0).len(), 7);
        assert_eq!(ticks(&(1.09..1.61), 6.0).first(), Some(&1.1));
    }

    #[test]
    fn a_chart_says_what_it_shows_where_it_stands() {
        let mut chart = Chart::new([100.0, 50.0], [10.0; 4], 0.0..10.0, -1.0..1.0);
        chart.caption("a <b>");
        chart.line("stroke=\"#000\"", [(0.0, -1.0), (10.0, 1.0)]);
        chart.dot("class=\"error\"", (5.0, 0.0), "half & half");
        chart.bar("", (0.0, -1.0), (5.0, 0.0), "");
        let svg = picture(&[chart.clone(), chart]);
        for text in [
            "a &lt;b&gt;",
            "points=\"10.0,40.0 90.0,10.0\"",
            "cx=\"50.0\" cy=\"25.0\"",
            "half &amp; half",
            "x=\"10.0\" y=\"25.0\" width=\"40.0\" height=\"15.0\"",
            "height=\"100\"",
        ] {
            assert!(svg.contains(text), "{text:?} is missing in {svg}");
        }
    }
}
