//! Piecewise linear functions of the winning chance, the shape that every cubeful value has in
//! the theory of this crate.

/// A function on [0, 1] that is linear between at most four points and does not fall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Polyline {
    points: [(f64, f64); 4],
    len: usize,
}

impl Polyline {
    /// The straight line from `start` at 0 to `end` at 1.
    pub(crate) fn straight(start: f64, end: f64) -> Self {
        Self { points: [(0.0, start), (1.0, end), (0.0, 0.0), (0.0, 0.0)], len: 2 }
    }

    /// From `start` at 0 over the knots, ordered by their place, to `end` at 1.
    pub(crate) fn over(start: f64, knots: [Option<(f64, f64)>; 2], end: f64) -> Self {
        let mut line = Self { points: [(0.0, start); 4], len: 1 };
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
        for pair in self.points().windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            if y0 >= value {
                return x0;
            }
            if y1 >= value {
                return x0 + (x1 - x0) * (value - y0) / (y1 - y0);
            }
        }
        1.0
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
    }

    #[test]
    fn mixing_moves_the_knots_towards_the_chord() {
        let line = Polyline::over(0.0, [None, Some((0.5, 1.0))], 1.0);
        assert_eq!(line.mixed_with_chord(0.0).at(0.5), 0.5);
        assert_eq!(line.mixed_with_chord(1.0).at(0.5), 1.0);
        assert_eq!(line.mixed_with_chord(0.5).at(0.5), 0.75);
    }
}
