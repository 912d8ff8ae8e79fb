//! The net that is built in.

use super::{DEFAULT_FV_SCALE, Net, NetError};
use once_cell::sync::Lazy;

/// File of the net: the project's own, or what `KOMAINU_EVALFILE` named when the program was built. Deflated with the
/// feature `packed`.
static FILE: &[u8] = include_bytes!(env!("KOMAINU_NET"));

static NET: Lazy<Result<Net, NetError>> = Lazy::new(|| {
    #[cfg(feature = "packed")]
    let file = &miniz_oxide::inflate::decompress_to_vec_zlib(FILE).expect("the build has deflated it");
    #[cfg(not(feature = "packed"))]
    let file = FILE;
    Net::from_bytes("the built-in net", file)
});

/// Divisor of the output of the built-in net. With the project's own net a pawn in hand is then worth about 100
/// points in quiet, even positions.
pub const EMBEDDED_FV_SCALE: i32 = if cfg!(own_net) { 22 } else { DEFAULT_FV_SCALE };

/// Centipawns at which a side wins 73 of 100 games, `1 / (1 + 1/e)` of them, by net 14 in its own games at 4,000 nodes
/// a move, played to their end; net 15 has the same unit. A score of `cp` wins `1 / (1 + exp(-cp / EMBEDDED_SCALE))`.
pub const EMBEDDED_SCALE: i32 = 407;

/// The net that is built in, read at the first call. Only a file that the builder of the program chose can be faulty.
///
/// ```
/// use komainu::eval::nnue::{EMBEDDED_FV_SCALE, Nnue, embedded};
/// use komainu::position::Position;
///
/// let net = embedded().expect("the net that is built in");
/// let position = Position::startpos();
/// let score = Nnue::new(&net, &position).with_fv_scale(EMBEDDED_FV_SCALE).evaluate(&position);
/// assert!(score.0.abs() < 200);
/// ```
pub fn embedded() -> Result<Net, &'static NetError> {
    NET.as_ref().cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_net_is_one() {
        let net = embedded().expect("a net");
        assert_eq!(net.expected_hash(), None);
    }
}
