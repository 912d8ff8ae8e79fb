//! Openings, the more particular ones first.

use super::Entry;
use super::entry;

/// Every opening as the side that plays it sees the board.
pub(super) const OPENINGS: [Entry; 32] = [
    entry("鬼殺し", "Ogre slayer", "6eN 7fP !hB").until(14),
    entry("筋違い角", "Wrong-diagonal bishop", "4eB/5fB/3dB ohB").until(16),
    entry("横歩取り", "Side-pawn capture", "3dR o2bB/ohB").until(30),
    entry("横歩取らせ", "Side pawn offered", "o7fR").until(30),
    entry("角換わり腰掛け銀", "Bishop exchange, reclining silver", "2hR/2iR 5fS hB ohB o8bR/o8aR"),
    entry("角換わり早繰り銀", "Bishop exchange, rapid silver", "2hR 4fS hB ohB o8bR/o8aR"),
    entry("角換わり棒銀", "Bishop exchange, climbing silver", "2hR 2fS/1eS/2eS hB ohB o8bR"),
    entry("右玉", "Right king", "2iR 3hK/4hK"),
    entry("地下鉄飛車", "Subway rook", "9iR/8iR"),
    entry("ダイレクト向かい飛車", "Direct opposing rook", "8hR hB ohB"),
    entry("角交換四間飛車", "Bishop-exchange fourth-file rook", "6hR hB ohB"),
    entry("升田式石田流", "Masuda's Ishida", "7fR 7eP hB ohB"),
    entry("石田流", "Ishida", "7fR 7eP"),
    entry("早石田", "Quick Ishida", "7hR 7eP"),
    entry("藤井システム", "Fujii system", "6hR 5iK 3hS"),
    entry("5筋位取り中飛車", "Central rook with the centre", "5hR 5eP 5fS"),
    entry("ゴキゲン中飛車", "Cheerful central rook", "5hR 5eP 7fP !6fP"),
    entry("ツノ銀中飛車", "Horned-silver central rook", "5hR/5iR 6gS 4gS"),
    entry("中飛車", "Central rook", "5hR"),
    entry("四間飛車", "Fourth-file rook", "6hR"),
    entry("三間飛車", "Third-file rook", "7hR"),
    entry("向かい飛車", "Opposing rook", "8hR"),
    entry("右四間飛車", "Right fourth-file rook", "4hR 4fP/4eP"),
    entry("袖飛車", "Sleeve rook", "3hR 3fP/3eP"),
    entry("嬉野流", "Ureshino", "7iB 6hS 7gP").until(20),
    entry("棒銀", "Climbing silver", "2hR 2fS/1eS/2eS 2eP/hP"),
    entry("早繰り銀", "Rapid silver", "2hR 4fS 3fP/3eP"),
    entry("腰掛け銀", "Reclining silver", "2hR 5fS 4fP/4eP"),
    entry("角換わり", "Bishop exchange", "2hR hB ohB o8bR"),
    entry("雁木", "Wild goose", "2hR 6gS 7hG 6fP"),
    entry("矢倉", "Yagura", "2hR 7gS 7hG 7fP").until(40),
    entry("相掛かり", "Double wing attack", "2hR/2fR/2dR 2eP/hP 7gP o8bR/o8dR/o8fR o8eP/ohP").until(24),
];
