//! Winning chances from scores.

use komainu::eval::nnue::EMBEDDED_SCALE;
use komainu::notation::score::ReportedScore;

/// The curve `1 / (1 + exp(-cp / scale))` from centipawns to the chance of winning, 0 to 1, a draw counting one half.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WinCurve {
    /// Centipawns at which a side wins 73 of 100 games.
    pub scale: f64,
}

impl Default for WinCurve {
    /// The curve of the built-in net, measured in its own games.
    fn default() -> WinCurve {
        WinCurve { scale: f64::from(EMBEDDED_SCALE) }
    }
}

impl WinCurve {
    /// The curve that ShogiHome has for every engine if nobody changes it.
    pub const SHOGIHOME: WinCurve = WinCurve { scale: 600.0 };
    /// The curve of lishogi's labels.
    pub const LISHOGI: WinCurve = WinCurve { scale: 1_429.0 };
    /// A curve for games of people, whose mistakes still to come make every lead less sure.
    pub const HUMAN: WinCurve = WinCurve { scale: 1_200.0 };

    /// The chance of the side whose score it is; a mate is certain.
    ///
    /// ```
    /// use komainu_tools::analysis::WinCurve;
    /// use komainu::notation::score::ReportedScore;
    ///
    /// let curve = WinCurve { scale: 600.0 };
    /// assert_eq!(curve.chance(ReportedScore::Centipawns(0)), 0.5);
    /// assert!((curve.chance(ReportedScore::Centipawns(600)) - 0.731).abs() < 0.001);
    /// assert_eq!(curve.chance(ReportedScore::Mate(-4)), 0.0);
    /// ```
    pub fn chance(self, score: ReportedScore) -> f64 {
        match score {
            ReportedScore::Centipawns(cp) => 1.0 / (1.0 + (-f64::from(cp) / self.scale).exp()),
            ReportedScore::Mate(plies) => f64::from(u8::from(plies > 0)),
            ReportedScore::UnknownMate { wins } => f64::from(u8::from(wins)),
        }
    }
}
