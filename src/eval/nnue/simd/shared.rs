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
//! Macros, because a function that is compiled for some instructions cannot be a method of a trait that is called for
//! all.

/// Defines `kernels`, which chooses functions for the sizes of a net, and the functions, with these attributes.
macro_rules! kernels {
    ($(#[$attribute:meta])*) => {
        /// The functions for a net of such sizes.
        pub(super) fn kernels(sizes: &$crate::eval::nnue::layers::Sizes) -> $crate::eval::nnue::simd::Kernels {
            $crate::eval::nnue::simd::Kernels {
                update: $crate::eval::nnue::simd::for_width!(sizes, update),
                apply: $crate::eval::nnue::simd::for_width!(sizes, apply),
                forward: $crate::eval::nnue::simd::sizes::for_sizes!(sizes, forward),
            }
        }
        $crate::eval::nnue::simd::shared::update_kernel!($(#[$attribute])*);
        $crate::eval::nnue::simd::shared::apply_kernel!($(#[$attribute])*);
        $crate::eval::nnue::simd::shared::forward_kernel!($(#[$attribute])*);
        $crate::eval::nnue::simd::shared::hidden_kernel!($(#[$attribute])*);
    };
}
pub(super) use kernels;

/// An expression over the rows of a transformer, which are of one of two types.
macro_rules! of_kind {
    ($transformer:ident, |$rows:ident| $use:expr) => {
        match &$transformer.rows {
            $crate::eval::nnue::lines::Rows::Whole($rows) => $use,
            $crate::eval::nnue::lines::Rows::Halved($rows) => $use,
        }
    };
}
pub(super) use of_kind;

/// Defines `update`: `LINES` is the number of lines of an accumulator, 0 for any.
macro_rules! update_kernel {
    ($(#[$attribute:meta])*) => {
        $(#[$attribute])*
        fn update<const LINES: usize>(
            transformer: &$crate::eval::nnue::net::Transformer,
            from: &[Words],
            to: &mut [Words],
            changes: &$crate::eval::nnue::simd::Changes,
        ) {
            $crate::eval::nnue::simd::shared::of_kind!(transformer, |rows| {
                update_by::<LINES, _>(rows, transformer.lines, from, to, changes)
            })
        }

        /// `to` becomes `from` with some changes, by these rows of so many lines (`LINES`, unless that is 0).
        $(#[$attribute])*
        #[inline]
        fn update_by<const LINES: usize, R: $crate::eval::nnue::lines::RowLine>(
            rows: &[R],
            lines: usize,
            from: &[Words],
            to: &mut [Words],
            changes: &$crate::eval::nnue::simd::Changes,
        ) {
            let lines = if LINES == 0 { lines } else { LINES };
            let row = |input: u32| &rows[input as usize * lines..][..lines];
            let (from, to) = (&from[..lines], &mut to[..lines]);
            let ([a, b, c], [x, y, z]) = (changes.sub, changes.add);
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
        fn add_rows<R: $crate::eval::nnue::lines::RowLine, const N: usize>(
            from: &[Words],
            to: &mut [Words],
            sub: [&[R]; N],
            add: [&[R]; N],
        ) {
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
        fn load_row<R: $crate::eval::nnue::lines::RowLine>(line: &R) -> Line {
            match line.numbers() {
                $crate::eval::nnue::lines::RowNumbers::Whole(words) => load_words(words),
                $crate::eval::nnue::lines::RowNumbers::Halved(halves) => widen(halves),
            }
        }

        /// The numbers that a sum of rows as they are kept adds to an accumulator.
        $(#[$attribute])*
        #[inline]
        fn whole<R: $crate::eval::nnue::lines::RowLine>(sum: Line) -> Line {
            if R::IS_HALVED { add_words(sum, sum) } else { sum }
        }
    };
}
pub(super) use update_kernel;

/// Defines `apply`: `LINES` as for `update`. The accumulator is read and written once, in tiles.
macro_rules! apply_kernel {
    ($(#[$attribute:meta])*) => {
        $(#[$attribute])*
        fn apply<const LINES: usize>(
            transformer: &$crate::eval::nnue::net::Transformer,
            accumulator: &mut [Words],
            sub: &[u32],
            add: &[u32],
        ) {
            $crate::eval::nnue::simd::shared::of_kind!(transformer, |rows| {
                apply_by::<LINES, _>(rows, transformer.lines, accumulator, sub, add)
            })
        }

        /// Subtracts and adds these rows of so many lines (`LINES`, unless that is 0).
        $(#[$attribute])*
        #[inline]
        fn apply_by<const LINES: usize, R: $crate::eval::nnue::lines::RowLine>(
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
        fn apply_to_tile<R: $crate::eval::nnue::lines::RowLine, const N: usize>(
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
    };
}
pub(super) use apply_kernel;

/// Defines `forward`.
macro_rules! forward_kernel {
    ($(#[$attribute:meta])*) => {
        $(#[$attribute])*
        fn forward<S: $crate::eval::nnue::simd::sizes::KnownSizes>(
            layers: &$crate::eval::nnue::layers::LayerStacks,
            stack: usize,
            own: &[Words],
            other: &[Words],
            scratch: &mut $crate::eval::nnue::layers::Scratch,
        ) -> i32 {
            let sizes = S::of(&layers.sizes);
            let lines = layers.stack(stack, &sizes);
            let [first, second, output] = &sizes.layers;
            let (own, other) = (&own[..sizes.width / Words::LEN], &other[..sizes.width / Words::LEN]);
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
            let (biases, weights) = $crate::eval::nnue::layers::block(lines, output, 0);
            let bias = i32::from_le_bytes(biases[0].0.as_chunks().0[0]);
            dot(&scratch.third[..output.inputs], weights).wrapping_add(bias).wrapping_add(shortcut)
        }
    };
}
pub(super) use forward_kernel;

/// Defines `hidden`: a hidden layer hands out the sums of each block of outputs, sixteen at a time with the number of
/// the first.
macro_rules! hidden_kernel {
    ($(#[$attribute:meta])*) => {
        $(#[$attribute])*
        #[inline]
        fn hidden(
            lines: &[Bytes],
            sizes: &$crate::eval::nnue::layers::DenseSizes,
            input: &[u8],
            mut take: impl FnMut(usize, Sixteen),
        ) {
            use $crate::eval::nnue::layers::Form;
            for number in 0..sizes.blocks {
                let (biases, weights) = $crate::eval::nnue::layers::block(lines, sizes, number);
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
pub(super) use hidden_kernel;
