//! Static evaluation.
//!
//! [`Material`] is the plain evaluation: what the pieces are worth and a small bonus for where they stand. It follows
//! the position as its observer, so that asking for the score costs nothing.

mod material;

pub use material::Material;
