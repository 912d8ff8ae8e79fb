//! Castles, the more particular ones first.

use super::Entry;
use super::entry;

/// Every castle with its pieces.
pub(super) const CASTLES: [Entry; 35] = [
    entry("総矢倉", "Complete yagura", "8hK 7hG 6gG 7gS 5gS"),
    entry("銀矢倉", "Silver yagura", "8hK 7hG 7gS 6gS"),
    entry("銀立ち矢倉", "Standing-silver yagura", "8hK 7hG 6gG 7fS"),
    entry("矢倉囲い", "Yagura", "8hK 7hG 6gG 7gS"),
    entry("片矢倉", "Half yagura", "7hK 6hG 6gG 7gS"),
    entry("菊水矢倉", "Kikusui yagura", "8iK 8hS 7hG 6gG"),
    entry("矢倉穴熊", "Yagura bear in the hole", "9iK 7hG 7gS 6gG"),
    entry("ビッグ4", "Big four", "9iK 8hG 7hG 8gS 7gS"),
    entry("松尾流穴熊", "Matsuo's bear in the hole", "9iK 8hS 7iS"),
    entry("銀冠穴熊", "Silver-crown bear in the hole", "9iK/1iK 8gS/2gS 7hG/3hG"),
    entry("居飛車穴熊", "Static-rook bear in the hole", "9iK 8hS"),
    entry("振り飛車穴熊", "Ranging-rook bear in the hole", "1iK 2hS"),
    entry("ミレニアム", "Millennium", "8iK 8hS 7gN"),
    entry("ダイヤモンド美濃", "Diamond mino", "2hK 3hS 4iG 5hG 4gS"),
    entry("高美濃囲い", "High mino", "2hK 3hS 4iG 4gG"),
    entry("美濃囲い", "Mino", "2hK 3hS 4iG 5hG"),
    entry("片美濃囲い", "Half mino", "2hK 3hS 4iG"),
    entry("木村美濃", "Kimura mino", "2hK 3hG 4gS"),
    entry("金美濃", "Gold mino", "2hK 3hG 4hS"),
    entry("右矢倉", "Right yagura", "2hK 3hG 4gG 3gS"),
    entry("銀冠", "Silver crown", "2hK 2gS 3hG"),
    entry("左銀冠", "Left silver crown", "8hK 8gS 7hG"),
    entry("天守閣美濃", "Castle-tower mino", "8gK 7hS 6iG"),
    entry("左美濃", "Left mino", "8hK 7hS 6iG"),
    entry("エルモ囲い", "Elmo", "7hK 6hS 7iG"),
    entry("箱入り娘", "Girl in a box", "7hK 7iS 6hG 6iG"),
    entry("船囲い", "Boat", "7hK 7iS 6iG 5hG"),
    entry("金無双", "Two golds abreast", "3hK 2hS 4hG 5hG"),
    entry("右玉", "Right king", "3hK/4hK 2iR 4gS"),
    entry("ツノ銀雁木", "Horned-silver wild goose", "6gS 4gS 7hG 5hG"),
    entry("雁木囲い", "Wild goose", "6gS 5gS 7hG 5hG"),
    entry("カニ囲い", "Crab", "6iK 6hS 7hG 5hG"),
    entry("中原囲い", "Nakahara", "6iK 7hG 5iG"),
    entry("いちご囲い", "Strawberry", "6hK 7hG 5hG"),
    entry("中住まい", "Central house", "5hK 7hG 3hG/3hS"),
];
