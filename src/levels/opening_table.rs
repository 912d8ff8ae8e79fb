//! The plans of the opening: data.
//!
//! A plan names its opening and its castle as `formations` does, and lists its own moves as Black plays them, the more
//! urgent first. A move with `?` is made only if the condition after it holds (a clause of `formations`).

use std::ops::RangeInclusive;

/// Against whom a plan is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Static rook, against a static rook.
    Static,
    /// Static rook, against a ranging rook.
    AntiRanging,
    /// Ranging rook.
    Ranging,
    /// A surprise.
    Surprise,
}

/// A line of the table.
pub(crate) struct PlanEntry {
    /// The opening and the castle, in Japanese as `formations` has them; empty for none.
    pub(crate) opening: &'static str,
    pub(crate) castle: &'static str,
    pub(crate) family: Family,
    /// The grades that play it.
    pub(crate) grades: RangeInclusive<i8>,
    /// The share in which it is chosen beside the others.
    pub(crate) weight: u64,
    /// Squares besides the castle's own where the king may stay.
    pub(crate) home: &'static str,
    pub(crate) moves: &'static str,
    /// The bishops may be traded early.
    pub(crate) trades_bishops: bool,
}

const fn plan(opening: &'static str, castle: &'static str, family: Family, moves: &'static str) -> PlanEntry {
    PlanEntry { opening, castle, family, grades: -20..=9, weight: 10, home: "", moves, trades_bishops: false }
}

impl PlanEntry {
    const fn by(self, low: i8, high: i8) -> PlanEntry {
        PlanEntry { grades: low..=high, ..self }
    }

    const fn weight(self, weight: u64) -> PlanEntry {
        PlanEntry { weight, ..self }
    }

    /// Names squares of the king besides those of the castle's pattern.
    const fn home(self, home: &'static str) -> PlanEntry {
        PlanEntry { home, ..self }
    }

    const fn trading(self) -> PlanEntry {
        PlanEntry { trades_bishops: true, ..self }
    }
}

use Family::{AntiRanging, Ranging, Static, Surprise};

/// Every plan.
pub(crate) const PLANS: [PlanEntry; 23] = [
    plan(
        "矢倉",
        "矢倉囲い",
        Static,
        "1g1f?o1dP 9g9f?o9dP 7g7f 2g2f 7i6h 6h7g 6i7h 4i5h 6g6f 5i6i 5h6g 8h7i 7i6h 6i7i 7i8h 3g3f 3i4h 4h3g 2f2e",
    )
    .by(-12, 9)
    .weight(14)
    .home("7i"),
    plan(
        "雁木",
        "ツノ銀雁木",
        Static,
        "1g1f?o1dP 9g9f?o9dP 7g7f 8h7g?o8eP 2g2f 6g6f 7i6h 6i7h 6h6g 4i5h 3i4h 4g4f 4h4g 5i6i 3g3f 2f2e 2i3g",
    )
    .by(-15, 9)
    .weight(12)
    .home("6i"),
    plan("棒銀", "カニ囲い", Static, "6i7h?o8dP 2g2f 7g7f 8h7g?o8eP 2f2e 6i7h 3i3h 3h2g 2g2f 4i5h 7i6h 5i6i 1g1f 9g9f")
        .by(-20, 1)
        .weight(20),
    plan(
        "角換わり",
        "いちご囲い",
        Static,
        "7g7f 8h7g?o8eP 2g2f 2f2e 6i7h 8h2b+?o2bB 7g2b+?o2bB 7i8h 8h7g 3i3h 5i6h 4i5h 4g4f 3h4g 3g3f 9g9f 1g1f 4g5f",
    )
    .by(-10, 9)
    .weight(5)
    .home("7i 8h")
    .trading(),
    plan("相掛かり", "中住まい", Static, "2g2f 2f2e 6i7h 3i3h 5i5h 9g9f 1g1f 3g3f 7g7f?o2dR 4i4h").by(-12, 9).weight(8),
    plan(
        "右四間飛車",
        "いちご囲い",
        Static,
        "6i7h?o8eP 7g7f 4g4f 3i4h 4h4g 2h4h 4g5f 6i7h 5i6h 4i5h 9g9f 1g1f 3g3f 2i3g",
    )
    .by(-15, 3)
    .weight(8),
    plan(
        "早繰り銀",
        "船囲い",
        AntiRanging,
        "1g1f?o1dP 9g9f?o9dP 7g7f 2g2f 3i4h 5i6h 6h7h 4i5h 3g3f 2f2e 4h3g 3g4f 9g9f 5g5f",
    )
    .weight(10),
    plan(
        "棒銀",
        "船囲い",
        AntiRanging,
        "1g1f?o1dP 9g9f?o9dP 2g2f 7g7f 2f2e 5i6h 6h7h 3i3h 4i5h 3h2g 2g2f 9g9f 1g1f 5g5f",
    )
    .by(-20, 3)
    .weight(12),
    plan(
        "",
        "左美濃",
        AntiRanging,
        "1g1f?o1dP 9g9f?o9dP 7g7f 2g2f 5i6h 6h7h 2f2e 8h7g 7h8h 7i7h 4i5h 3i4h 5g5f 6g6f 3g3f 9g9f",
    )
    .by(-10, 9)
    .weight(10),
    plan(
        "",
        "天守閣美濃",
        AntiRanging,
        "1g1f?o1dP 9g9f?o9dP 7g7f 2g2f 5i6h 6h7h 8g8f 7h8g 7i7h 2f2e 4i5h 3i4h 5g5f 3g3f 9g9f",
    )
    .by(-10, 5)
    .weight(6),
    plan(
        "",
        "エルモ囲い",
        AntiRanging,
        "1g1f?o1dP 9g9f?o9dP 7g7f 2g2f 5i6h 6h7h 7i6h?7hK 6i7i?7hK 2f2e 3i4h 3g3f 4g4f 4i5h 9g9f",
    )
    .by(-10, 9)
    .weight(8),
    plan(
        "",
        "居飛車穴熊",
        AntiRanging,
        "1g1f?o1dP 7g7f 2g2f 5i6h 6h7h 2f2e 5g5f 8h7g 7h8h 9i9h 8h9i 7i8h 4i5h 6i7i 3i4h 6g6f 5h6h 6h7h",
    )
    .by(1, 9)
    .weight(14),
    plan(
        "四間飛車",
        "美濃囲い",
        Ranging,
        "1g1f?o1dP 9g9f?o9dP 7g7f 8h7g?o8eP 6g6f 2h6h 5i4h 4h3h 7i7h 3h2h 3i3h 6i5h 1g1f 8h7g 7h6g 4g4f 3g3f",
    )
    .weight(20),
    plan(
        "三間飛車",
        "美濃囲い",
        Ranging,
        "1g1f?o1dP 9g9f?o9dP 7g7f 8h7g?o8eP 6g6f 2h7h 5i4h 4h3h 7i6h 3h2h 3i3h 6i5h 1g1f 8h7g 6h6g 4g4f",
    )
    .by(-15, 9)
    .weight(12),
    plan(
        "中飛車",
        "片美濃囲い",
        Ranging,
        "1g1f?o1dP 9g9f?o9dP 5g5f 2h5h 7g7f 8h7g?o8eP 5i4h 4h3h 7i6h 3h2h 3i3h 6i7h 6h5g 1g1f 5f5e 5g5f",
    )
    .weight(14),
    plan(
        "向かい飛車",
        "美濃囲い",
        Ranging,
        "1g1f?o1dP 9g9f?o9dP 7g7f 6g6f 8h7g 2h8h 7i6h?8hR 5i4h?8hR 4h3h 3h2h 3i3h 6i5h 6h6g 1g1f 8g8f?!o8eP",
    )
    .by(-12, 9)
    .weight(6),
    plan(
        "四間飛車",
        "振り飛車穴熊",
        Ranging,
        "9g9f?o9dP 7g7f 8h7g?o8eP 6g6f 2h6h 5i4h 4h3h 7i7h 3h2h 1i1h 2h1i 3i2h 4i3i 6i5h 8h7g 7h6g 5h4h 4h3h",
    )
    .by(1, 9)
    .weight(10),
    plan("四間飛車", "金美濃", Ranging, "7g7f 8h7g?o8eP 6g6f 2h6h 5i4h 4h3h 3h2h 7i7h 3i4h 4i3h 1g1f 9g9f 7h6g")
        .by(-20, -15)
        .weight(8),
    plan("鬼殺し", "片美濃囲い", Surprise, "7g7f 8i7g 7g6e 7f7e 2h7h 5i4h 4h3h 3h2h 3i3h 6i5h 1g1f")
        .by(-20, -1)
        .weight(2)
        .home("3h")
        .trading(),
    plan(
        "石田流",
        "美濃囲い",
        Surprise,
        "1g1f?o1dP 7g7f 7f7e 2h7h 5i4h 4h3h 3h2h 3i3h 7h7f 6i5h 9g9f 8h9g 8i7g 7i7h 1g1f",
    )
    .by(-15, 9)
    .weight(4)
    .trading(),
    plan("嬉野流", "", Surprise, "7i6h 8h7i 5g5f 6h5g 2g2f 2f2e 6i7h 3i4h 5i6i 4i5h 9g9f 1g1f")
        .by(-12, 9)
        .weight(2)
        .home("6i"),
    plan("袖飛車", "カニ囲い", Surprise, "3g3f 2h3h 6i7h 3f3e 7g7f 8h7g?o8eP 4i5h 7i6h 5i6i 3i4h 4h4g 9g9f 1g1f")
        .by(-15, 5)
        .weight(2),
    plan(
        "筋違い角",
        "美濃囲い",
        Surprise,
        "7g7f 8h2b+?o2bB B*4e 4e3d?o3dP 2h6h 5i4h 4h3h 3h2h 3i3h 6i5h 7i7h 6g6f 1g1f",
    )
    .by(-12, 1)
    .weight(2)
    .trading(),
];
