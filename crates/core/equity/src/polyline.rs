//! Piecewise linear functions of the winning probability, the shape that every cubeful value has in
//! the theory of this crate.

/// Ends and two knots, and a place beyond each of the knots.
const MOST_POINTS: usize = 6;

/// A function on [0, 1] that is linear between a few points and does not fall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Polyline {
    points: [(f64, f64); MOST_POINTS],
    len: usize,
}

impl Polyline {
    /// The straight line from `start` at 0 to `end` at 1.
    pub(crate) fn straight(start: f64, end: f64) -> Self {
        Self::over(start, [None; 2], end)
    }

    /// From `start` at 0 over the knots, ordered by their place, to `end` at 1.
    pub(crate) fn over(start: f64, knots: [Option<(f64, f64)>; 2], end: f64) -> Self {
        let mut line = Self { points: [(0.0, start); MOST_POINTS], len: 1 };
        for knot in knots.into_iter().flatten() {
            line.points[line.len] = knot;
            line.len += 1;
        }
        line.points[line.len] = (1.0, end);
        line.len += 1;
        line
    }

    /// The points in order.
    pub(crate) fn points(&self) -> &[(f64, f64)] {
        &self.points[..self.len]
    }

    /// The value at `win`.
    #[inline]
    pub(crate) fn at(&self, win: f64) -> f64 {
        let mut right = 1;
        while right + 1 < self.len && win > self.points[right].0 {
            right += 1;
        }
        between(self.points[right - 1], self.points[right], win)
    }

    /// The first place where the value is at least `value`: 0 if it always is, 1 if it never is.
    pub(crate) fn first_at(&self, value: f64) -> f64 {
        let mut parts = self.points().windows(2);
        parts.find_map(|pair| first_between(pair[0], pair[1], value)).unwrap_or(1.0)
    }

    /// This line up to `place`, which is one of its points; beyond, as high as there until `other`
    /// is higher, and then as `other`. Both end in the same point at 1.
    pub(crate) fn flat_beyond(&self, place: f64, other: &Self) -> Self {
        let mut line = *self;
        line.len = self.points().iter().take_while(|point| point.0 <= place).count();
        let level = self.at(place);
        let end = other.points[other.len - 1];
        let rises = other.first_at(level);
        if rises > place && rises < end.0 {
            line.push((rises, level));
        }
        for &point in other.points().iter().filter(|point| point.0 > rises.max(place)) {
            line.push(point);
        }
        line
    }

    fn push(&mut self, point: (f64, f64)) {
        self.points[self.len] = point;
        self.len += 1;
    }

    /// This line as the other side sees it, whose probability is what this one's leaves and whose
    /// value is this one's with the other sign.
    pub(crate) fn flip(&self) -> Self {
        let mut line = *self;
        for (flipped, &(x, y)) in line.points.iter_mut().zip(self.points().iter().rev()) {
            *flipped = (1.0 - x, -y);
        }
        line
    }

    /// A share of `weight` of this line, and the rest of the straight line between its ends.
    pub(crate) fn mixed_with_chord(mut self, weight: f64) -> Self {
        let (start, end) = (self.points[0], self.points[self.len - 1]);
        for (x, y) in &mut self.points[1..self.len - 1] {
            *y = weight * *y + (1.0 - weight) * between(start, end, *x);
        }
        self
    }
}

/// The first place between two points where the line through them is at least `value`.
#[inline]
pub(crate) fn first_between((x0, y0): (f64, f64), (x1, y1): (f64, f64), value: f64) -> Option<f64> {
    if y0 >= value {
        Some(x0)
    } else {
        (y1 >= value).then(|| x0 + (x1 - x0) * (value - y0) / (y1 - y0))
    }
}

/// The line through two points at `x`; the second one's value where they stand above each other.
#[inline]
pub(crate) fn between((x0, y0): (f64, f64), (x1, y1): (f64, f64), x: f64) -> f64 {
    if x1 > x0 {
        let share = (x - x0) / (x1 - x0);
        (1.0 - share) * y0 + share * y1
    } else {
        y1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_places_are_inverse() {
        let line = Polyline::over(-1.0, [Some((0.25, -0.5)), Some((0.75, 1.0))], 1.0);
        for (x, y) in [(0.0, -1.0), (0.125, -0.75), (0.25, -0.5), (0.5, 0.25), (0.75, 1.0)] {
            assert!((line.at(x) - y).abs() < 1e-12);
            assert!((line.first_at(y) - x).abs() < 1e-12);
        }
        assert_eq!(line.at(0.9), 1.0);
        assert_eq!((line.first_at(-2.0), line.first_at(2.0)), (0.0, 1.0));
        // Rounding may ask for a little more than 1: the last line goes on.
        assert_eq!((line.at(1.5), Polyline::straight(0.0, 1.0).at(1.5)), (1.0, 1.5));
    }

    #[test]
    fn a_line_stays_level_until_another_is_higher() {
        let high = Polyline::over(0.0, [None, Some((0.5, 1.0))], 2.0);
        let low = Polyline::straight(0.0, 2.0);
        let line = high.flat_beyond(0.5, &low);
        for (x, y) in [(0.25, 0.5), (0.5, 1.0), (0.75, 1.5), (1.0, 2.0)] {
            assert!((line.at(x) - y).abs() < 1e-12, "{x}");
        }
        let high = Polyline::over(0.0, [None, Some((0.5, 1.5))], 2.0);
        let line = high.flat_beyond(0.5, &low);
        for (x, y) in [(0.25, 0.75), (0.5, 1.5), (0.7, 1.5), (0.75, 1.5), (0.875, 1.75), (1.0, 2.0)]
        {
            assert!((line.at(x) - y).abs() < 1e-12, "{x}: {}", line.at(x));
        }
        assert_eq!(line.flip().flip(), Polyline { points: line.flip().flip().points, ..line });
        for x in [0.0, 0.2, 0.4, 0.6, 0.9, 1.0] {
            assert!((line.flip().at(1.0 - x) + line.at(x)).abs() < 1e-12);
        }
    }

    #[test]
    fn mixing_moves_the_knots_towards_the_chord() {
        let line = Polyline::over(0.0, [None, Some((0.5, 1.0))], 1.0);
        assert_eq!(line.mixed_with_chord(0.0).at(0.5), 0.5);
        assert_eq!(line.mixed_with_chord(1.0).at(0.5), 1.0);
        assert_eq!(line.mixed_with_chord(0.5).at(0.5), 0.75);
    }
}
