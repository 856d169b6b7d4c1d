//! The table of error bars, written by `scripts/error-bars.py fit`.

/// Half of the 95 % interval of a loss, in thousandths of a point, by plies and phase, the last row
/// for cube actions: of the best choice, of losses up to 0.02, up to 0.08, and above.
#[rustfmt::skip]
pub(super) const TABLE: [[[f64; 4]; 10]; 3] = [
    [
        [9.8, 18.9, 43.3, 53.0], // opening
        [19.0, 36.7, 84.0, 102.8], // middle
        [18.6, 35.8, 82.0, 100.4], // holding
        [22.1, 42.7, 97.7, 119.5], // priming
        [17.7, 34.1, 78.0, 95.4], // back-game
        [16.7, 32.1, 73.6, 90.1], // crunched
        [12.7, 24.4, 55.9, 68.4], // bear-off-contact
        [5.6, 10.8, 24.6, 30.1], // race
        [17.0, 32.8, 75.0, 91.8], // bear-off
        [21.0, 40.5, 92.6, 113.3], // cube
    ],
    [
        [6.2, 13.6, 26.0, 39.5], // opening
        [10.2, 22.3, 42.6, 64.6], // middle
        [12.2, 26.7, 51.0, 77.3], // holding
        [12.0, 26.3, 50.3, 76.2], // priming
        [14.4, 31.6, 60.3, 91.4], // back-game
        [9.2, 20.2, 38.6, 58.6], // crunched
        [9.2, 20.1, 38.4, 58.2], // bear-off-contact
        [5.5, 12.0, 22.9, 34.7], // race
        [3.3, 7.2, 13.8, 20.9], // bear-off
        [14.6, 31.9, 60.9, 92.4], // cube
    ],
    [
        [1.4, 8.4, 15.7, 20.9], // opening
        [3.1, 19.4, 36.0, 47.9], // middle
        [2.7, 16.4, 30.6, 40.7], // holding
        [3.1, 19.3, 35.9, 47.7], // priming
        [4.2, 26.0, 48.3, 64.2], // back-game
        [3.2, 19.6, 36.6, 48.6], // crunched
        [2.6, 15.9, 29.7, 39.5], // bear-off-contact
        [0.7, 4.2, 7.9, 10.5], // race
        [0.8, 5.1, 9.4, 12.5], // bear-off
        [2.2, 13.8, 25.7, 34.2], // cube
    ],
];
