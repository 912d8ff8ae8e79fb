//! The functions of an instruction set, written once over the primitives that its module defines:
//!
//! | primitive | meaning |
//! | --- | --- |
//! | `load_words`, `store_words`, `add_words`, `sub_words` | 32 numbers of an accumulator in vectors |
//! | `widen` | 32 bytes with signs as such numbers |
//! | `TILE` | lines of an accumulator that are kept in vectors while rows are added |
//! | `clip_accumulators`, `pairwise_products` | the inputs of the first layer |
//! | `Sixteen`, `dense` | sixteen sums for each of some lines of weights; eight pairs of them where a line takes eight inputs |
//! | `sums_of_pairs` | the eight sums of such pairs |
//! | `store_sums`, `store_clipped` | sixteen outputs of a layer as they are, or as the next one sees them |
//! | `squares_and_values` | what the first layer of a pairwise net hands to the second |
//! | `dot` | the products of a row of weights, added up |
//!
//! A macro, because a function that is compiled for some instructions cannot be a method of a trait that is called for
//! all.

use crate::eval::nnue::layers::Sizes;
use crate::eval::nnue::shape::Shape;

/// The sizes that a kernel works with: those of a net, or constants that they are known to equal, so that the compiler
/// unrolls loops over them.
pub(crate) trait KnownSizes {
    /// The sizes.
    fn of(net: &Sizes) -> Sizes;
}

/// The sizes of the net.
pub(crate) enum AnySizes {}

impl KnownSizes for AnySizes {
    #[inline(always)]
    fn of(net: &Sizes) -> Sizes {
        *net
    }
}

/// 256x2-32-32.
pub(crate) enum Classic256 {}

impl KnownSizes for Classic256 {
    #[inline(always)]
    fn of(_: &Sizes) -> Sizes {
        const { Sizes::of(Shape::KP) }
    }
}

/// SFNN 512-15-32 with a shortcut.
pub(crate) enum Pairwise512 {}

impl KnownSizes for Pairwise512 {
    #[inline(always)]
    fn of(_: &Sizes) -> Sizes {
        const { Sizes::of(Shape::KA2) }
    }
}

/// The function of an instruction set for accumulators of a width: compiled for it, or for any. Where there are no
/// files there is one net.
#[cfg(target_family = "wasm")]
macro_rules! for_width {
    ($width:expr, $function:ident) => {
        if $width == 256 { $function::<8> } else { $function::<0> }
    };
}

/// The function of an instruction set for accumulators of a width: compiled for it, or for any.
#[cfg(not(target_family = "wasm"))]
macro_rules! for_width {
    ($width:expr, $function:ident) => {
        match $width {
            256 => $function::<8>,
            512 => $function::<16>,
            768 => $function::<24>,
            1_024 => $function::<32>,
            1_536 => $function::<48>,
            _ => $function::<0>,
        }
    };
}
pub(crate) use for_width;

/// An expression over the rows of a transformer, which are of one of two types.
macro_rules! with_rows {
    ($transformer:ident, $rows:ident => $expression:expr) => {
        match &$transformer.rows {
            Rows::Whole($rows) => $expression,
            Rows::Halved($rows) => $expression,
        }
    };
}
pub(crate) use with_rows;

/// Defines `kernels`, which chooses functions for the sizes of a net, and the functions, with these attributes.
macro_rules! kernels {
    ($(#[$attribute:meta])*) => {
        use $crate::eval::nnue::layers::{
            DenseSizes, Form, LayerStacks, RowLine, RowNumbers, Rows, Scratch, Sizes, Transformer, block,
        };
        use $crate::eval::nnue::simd::shared::{AnySizes, Classic256, KnownSizes, Pairwise512, for_width, with_rows};
        use $crate::eval::nnue::simd::{Changes, Kernels};

        /// The functions for a net of such sizes.
        pub(crate) fn kernels(sizes: &Sizes) -> Kernels {
            Kernels {
                update: for_width!(sizes.width, update),
                apply: for_width!(sizes.width, apply),
                forward: if *sizes == Classic256::of(sizes) {
                    forward::<Classic256>
                } else if *sizes == Pairwise512::of(sizes) {
                    forward::<Pairwise512>
                } else {
                    forward::<AnySizes>
                },
            }
        }

        /// `to` becomes `from` with some changes. `LINES` is the number of lines of an accumulator, 0 for any.
        $(#[$attribute])*
        fn update<const LINES: usize>(transformer: &Transformer, from: &[Words], to: &mut [Words], changes: &Changes) {
            with_rows!(transformer, rows => update_by::<LINES, _>(rows, transformer.lines, from, to, changes))
        }

        $(#[$attribute])*
        #[inline]
        fn update_by<const LINES: usize, R: RowLine>(
            rows: &[R],
            lines: usize,
            from: &[Words],
            to: &mut [Words],
            changes: &Changes,
        ) {
            let lines = if LINES == 0 { lines } else { LINES };
            let row = |input: u32| &rows[input as usize * lines..][..lines];
            let from = &from[..lines];
            let to = &mut to[..lines];
            let [a, b, c] = changes.sub;
            let [x, y, z] = changes.add;
            match changes.count {
                0 => to.copy_from_slice(from),
                1 => add_rows(from, to, [row(a)], [row(x)]),
                2 => add_rows(from, to, [row(a), row(b)], [row(x), row(y)]),
                _ => add_rows(from, to, [row(a), row(b), row(c)], [row(x), row(y), row(z)]),
            }
        }

        /// `to` becomes `from` less some rows, plus as many others.
        $(#[$attribute])*
        #[inline]
        fn add_rows<R: RowLine, const N: usize>(from: &[Words], to: &mut [Words], sub: [&[R]; N], add: [&[R]; N]) {
            for (i, (from, to)) in from.iter().zip(to).enumerate() {
                let mut change = load_words(&Words::ZERO);
                for n in 0..N {
                    change = add_words(sub_words(change, load_row(&sub[n][i])), load_row(&add[n][i]));
                }
                store_words(to, add_words(load_words(from), whole::<R>(change)));
            }
        }

        /// A line of a row as it is kept.
        $(#[$attribute])*
        #[inline]
        fn load_row<R: RowLine>(line: &R) -> Line {
            match line.numbers() {
                RowNumbers::Whole(words) => load_words(words),
                RowNumbers::Halved(halves) => widen(halves),
            }
        }

        /// The numbers that a sum of rows as they are kept adds to an accumulator.
        $(#[$attribute])*
        #[inline]
        fn whole<R: RowLine>(sum: Line) -> Line {
            if R::IS_HALVED { add_words(sum, sum) } else { sum }
        }

        /// Subtracts and adds some rows. `LINES` as for `update`. The accumulator is read and written once, in tiles.
        $(#[$attribute])*
        fn apply<const LINES: usize>(transformer: &Transformer, accumulator: &mut [Words], sub: &[u32], add: &[u32]) {
            with_rows!(transformer, rows => apply_by::<LINES, _>(rows, transformer.lines, accumulator, sub, add))
        }

        $(#[$attribute])*
        #[inline]
        fn apply_by<const LINES: usize, R: RowLine>(
            rows: &[R],
            lines: usize,
            accumulator: &mut [Words],
            sub: &[u32],
            add: &[u32],
        ) {
            let lines = if LINES == 0 { lines } else { LINES };
            let (tiles, rest) = accumulator[..lines].as_chunks_mut::<TILE>();
            let rest_at = TILE * tiles.len();
            for (number, tile) in tiles.iter_mut().enumerate() {
                apply_to_tile(&rows[TILE * number..], lines, tile, sub, add);
            }
            for (number, line) in rest.iter_mut().enumerate() {
                apply_to_tile(&rows[rest_at + number..], lines, std::array::from_mut(line), sub, add);
            }
        }

        /// Subtracts and adds the part of each row that belongs to a tile; `rows` begin with that of the first row.
        $(#[$attribute])*
        #[inline]
        fn apply_to_tile<R: RowLine, const N: usize>(
            rows: &[R],
            lines: usize,
            tile: &mut [Words; N],
            sub: &[u32],
            add: &[u32],
        ) {
            let mut changes = [load_words(&Words::ZERO); N];
            for &input in sub {
                let row = &rows[input as usize * lines..][..N];
                for (change, line) in changes.iter_mut().zip(row) {
                    *change = sub_words(*change, load_row(line));
                }
            }
            for &input in add {
                let row = &rows[input as usize * lines..][..N];
                for (change, line) in changes.iter_mut().zip(row) {
                    *change = add_words(*change, load_row(line));
                }
            }
            for (line, change) in tile.iter_mut().zip(changes) {
                store_words(line, add_words(load_words(line), whole::<R>(change)));
            }
        }

        /// The output of a stack of layers from the accumulators of the side to move and of the other.
        $(#[$attribute])*
        fn forward<S: KnownSizes>(
            layers: &LayerStacks,
            stack: usize,
            own: &[Words],
            other: &[Words],
            scratch: &mut Scratch,
        ) -> i32 {
            let sizes = S::of(&layers.sizes);
            let lines = layers.stack(stack, &sizes);
            let [first, second, output] = &sizes.layers;
            let own = &own[..sizes.width / Words::LEN];
            let other = &other[..sizes.width / Words::LEN];
            let bytes = &mut scratch.first[..first.inputs];
            let mut shortcut = 0;
            if sizes.is_pairwise {
                pairwise_products(own, other, bytes);
                hidden(lines, first, bytes, |at, sums| store_sums(sums, &mut scratch.sums, at));
                squares_and_values(&scratch.sums, sizes.hidden, &mut scratch.second);
                if sizes.has_shortcut {
                    shortcut = scratch.sums[sizes.hidden];
                }
            } else {
                clip_accumulators(own, other, bytes);
                hidden(lines, first, bytes, |at, sums| store_clipped(sums, &mut scratch.second, at));
            }
            let bytes = &scratch.second[..second.inputs];
            hidden(lines, second, bytes, |at, sums| store_clipped(sums, &mut scratch.third, at));
            let (biases, weights) = block(lines, output, 0);
            let bias = i32::from_le_bytes(biases[0].0.as_chunks().0[0]);
            dot(&scratch.third[..output.inputs], weights).wrapping_add(bias).wrapping_add(shortcut)
        }

        /// A hidden layer: it hands out the sums of each block of outputs, sixteen at a time with the number of the
        /// first.
        $(#[$attribute])*
        #[inline]
        fn hidden(lines: &[Bytes], sizes: &DenseSizes, input: &[u8], mut take: impl FnMut(usize, Sixteen)) {
            for number in 0..sizes.blocks {
                let (biases, weights) = block(lines, sizes, number);
                match sizes.form {
                    Form::Narrow => {
                        let [sums] = dense::<1, 8>(biases, weights, input);
                        take(8 * number, sums_of_pairs(sums));
                    }
                    Form::Single => {
                        let [sums] = dense::<1, 4>(biases, weights, input);
                        take(16 * number, sums);
                    }
                    Form::Double => {
                        let [low, high] = dense::<2, 4>(biases, weights, input);
                        take(32 * number, low);
                        take(32 * number + 16, high);
                    }
                    Form::Row => unreachable!("hidden layers have several outputs"),
                }
            }
        }
    };
}
pub(crate) use kernels;
