//! A position as a picture: a SVG that stands alone, drawn as books print it, in black on white.
//!
//! Pieces are letters of the reader's fonts, white's turned round; the hands stand beside the board, the square that
//! the last move went to is grey. It needs neither styles nor scripts, so that every viewer shows it.

use super::vocabulary::{diagram_name, kanji_number, rank_name};
use crate::position::Position;
use crate::types::{Color, File, Move, Piece, PieceType, Rank, Square};
use std::fmt::Write;

/// Width and height of a square, in units of the picture.
const CELL: [usize; 2] = [40, 44];
/// Left upper corner of the board; a hand stands left of it, coordinates above.
const CORNER: [usize; 2] = [52, 30];
/// Width of the coordinates and the hand at the right of the board.
const RIGHT: usize = 76;
/// Height below the board, and that of a caption.
const BELOW: usize = 12;
const CAPTION: usize = 26;
/// Height of a letter of a hand.
const HAND_LETTER: usize = 22;

const FONTS: &str = "'Noto Serif CJK JP','Noto Serif JP','Source Han Serif JP','Hiragino Mincho ProN','Yu Mincho',\
                     'MS Mincho',serif";

/// Settings of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Picture<'a> {
    /// The move that led to the position: where it went is grey.
    pub last: Option<Move>,
    /// White stands below.
    pub flipped: bool,
    /// Pieces and ranks are the letters of SFEN, for readers without Japanese.
    pub letters: bool,
    /// A line below the board; empty for none.
    pub caption: &'a str,
}

/// The position as a SVG.
///
/// ```
/// use komainu::notation::svg::{Picture, board_svg};
/// use komainu::position::Position;
///
/// let svg = board_svg(&Position::startpos(), &Picture { caption: "a < b", ..Picture::default() });
/// assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
/// assert!(svg.contains(">飛</text>") && svg.contains("a &lt; b"));
/// ```
pub fn board_svg(pos: &Position, how: &Picture<'_>) -> String {
    let width = CORNER[0] + 9 * CELL[0] + RIGHT;
    let height = CORNER[1] + 9 * CELL[1] + BELOW + if how.caption.is_empty() { 0 } else { CAPTION };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" font-family=\"{FONTS}\" text-anchor=\"middle\">\n\
         <title>{pos}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    if let Some(mv) = how.last {
        let [x, y] = corner(mv.to(), how);
        let [w, h] = CELL;
        _ = writeln!(svg, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"#d8d8d8\"/>");
    }
    write_grid(&mut svg);
    write_coordinates(&mut svg, how);
    for square in pos.occupied() {
        if let Some(piece) = pos.piece_on(square) {
            write_piece(&mut svg, square, piece, how);
        }
    }
    for color in Color::ALL {
        write_hand(&mut svg, pos, color, how);
    }
    if !how.caption.is_empty() {
        let x = CORNER[0] + 9 * CELL[0] / 2;
        let y = height - 14;
        _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" font-size=\"15\">{}</text>", escaped(how.caption));
    }
    svg + "</svg>\n"
}

/// Text as text of a XML document, without the characters that it cannot hold.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace(|c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}'), " ")
}

/// Left upper corner of a square.
fn corner(square: Square, how: &Picture<'_>) -> [usize; 2] {
    let square = if how.flipped { square.rotate() } else { square };
    [CORNER[0] + (8 - square.file().index()) * CELL[0], CORNER[1] + square.rank().index() * CELL[1]]
}

fn write_grid(svg: &mut String) {
    let [left, top] = CORNER;
    let [right, bottom] = [left + 9 * CELL[0], top + 9 * CELL[1]];
    let mut inner = String::new();
    for line in 1..9 {
        _ = write!(inner, "M{} {top}V{bottom}M{left} {}H{right}", left + line * CELL[0], top + line * CELL[1]);
    }
    _ = writeln!(svg, "<path d=\"{inner}\" stroke=\"#000\" fill=\"none\"/>");
    let [width, height] = [right - left, bottom - top];
    _ = writeln!(
        svg,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" stroke=\"#000\" stroke-width=\"2\" \
         fill=\"none\"/>"
    );
    for [file, rank] in [[3, 3], [3, 6], [6, 3], [6, 6]] {
        let [x, y] = [left + file * CELL[0], top + rank * CELL[1]];
        _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"2.6\"/>");
    }
}

fn write_coordinates(svg: &mut String, how: &Picture<'_>) {
    for (file, rank) in File::ALL.into_iter().zip(Rank::ALL) {
        let [x, y] = corner(Square::at(file, rank), how);
        let name = if how.letters { (b'a' + rank as u8) as char } else { rank_name(rank) };
        let column = x + CELL[0] / 2;
        let row = y + CELL[1] / 2 + 5;
        let above = CORNER[1] - 9;
        let beside = CORNER[0] + 9 * CELL[0] + 13;
        _ = writeln!(svg, "<text x=\"{column}\" y=\"{above}\" font-size=\"14\">{}</text>", file.index() + 1);
        _ = writeln!(svg, "<text x=\"{beside}\" y=\"{row}\" font-size=\"14\">{name}</text>");
    }
}

/// Letters of a piece on the board: one in Japanese, as books have it.
fn letters_of(piece_type: PieceType, how: &Picture<'_>) -> String {
    if how.letters { piece_type.to_string() } else { diagram_name(piece_type).to_string() }
}

fn write_piece(svg: &mut String, square: Square, piece: Piece, how: &Picture<'_>) {
    let [left, top] = corner(square, how);
    let x = left + CELL[0] / 2;
    let y = top + CELL[1] / 2;
    let turned = if (piece.color() == Color::White) == how.flipped { "" } else { " rotate(180)" };
    let text = letters_of(piece.piece_type(), how);
    let size = if how.letters { 24 } else { 31 };
    let base = size * 9 / 25;
    _ = writeln!(svg, "<text transform=\"translate({x} {y}){turned}\" y=\"{base}\" font-size=\"{size}\">{text}</text>");
}

/// The hand of a side, from above down: its mark, then the pieces with their numbers.
fn write_hand(svg: &mut String, pos: &Position, color: Color, how: &Picture<'_>) {
    let is_right = (color == Color::Black) != how.flipped;
    let x = if is_right { CORNER[0] + 9 * CELL[0] + 50 } else { CORNER[0] - 28 };
    let fill = if color == Color::Black { "#000" } else { "none" };
    let [left, right, top] = [x - 9, x + 9, CORNER[1]];
    _ = writeln!(
        svg,
        "<path d=\"M{x} {top}L{} {}L{right} {}H{left}L{} {}Z\" stroke=\"#000\" fill=\"{fill}\"/>",
        right - 2,
        top + 6,
        top + 20,
        left + 2,
        top + 6
    );
    let mut y = top + 20;
    let held = pos.hand(color);
    let order = [PieceType::Rook, PieceType::Bishop, PieceType::Gold, PieceType::Silver];
    let order = order.into_iter().chain([PieceType::Knight, PieceType::Lance, PieceType::Pawn]);
    for piece_type in order.filter(|&piece_type| held.has(piece_type)) {
        let count = held.count(piece_type);
        let number = match count {
            1 => String::new(),
            count if how.letters => count.to_string(),
            count => kanji_number(count),
        };
        // Numbers in letters stand in one piece behind the piece, kanji one below the other.
        let text = letters_of(piece_type, how) + &number;
        let lines = if how.letters { vec![text] } else { text.chars().map(String::from).collect() };
        for line in lines {
            y += HAND_LETTER;
            _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" font-size=\"20\">{line}</text>");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(sfen: &str, how: &Picture<'_>) -> String {
        board_svg(&Position::from_sfen(sfen).unwrap(), how)
    }

    #[test]
    fn every_piece_is_drawn_once_and_those_of_white_are_turned() {
        let start = board_svg(&Position::startpos(), &Picture::default());
        assert_eq!((start.matches("rotate(180)").count(), start.matches(">歩<").count()), (20, 18));
        let flipped = board_svg(&Position::startpos(), &Picture { flipped: true, ..Picture::default() });
        assert_eq!(flipped.matches("rotate(180)").count(), 20);
        assert_ne!(start, flipped);
        // Black's rook on 2h: the eighth column and row from the left upper corner; the second ones when turned.
        let at =
            |svg: &str, x: usize, y: usize| svg.contains(&format!("translate({x} {y})\" y=\"11\" font-size=\"31\">飛"));
        assert!(at(&start, 52 + 7 * 40 + 20, 30 + 7 * 44 + 22), "{start}");
        assert!(flipped.contains(&format!(
            "translate({} {}) rotate(180)\" y=\"11\" font-size=\"31\">飛",
            52 + 60,
            30 + 66
        )));
    }

    #[test]
    fn hands_are_counted_in_kanji_and_fit_beside_the_board() {
        let all = "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1";
        let picture = svg(all, &Picture::default());
        let rows = picture.lines().filter(|line| line.contains("font-size=\"20\"")).collect::<Vec<_>>();
        assert_eq!(rows.len(), 6 * 2 + 3);
        assert!(rows[12].contains(">歩<") && rows[13].contains(">十<") && rows[14].contains(">八<"));
        assert!(rows[14].contains(&format!("y=\"{}\"", CORNER[1] + 20 + 15 * HAND_LETTER)));
        assert!(20 + 15 * HAND_LETTER <= 9 * CELL[1]);
        assert!(svg(all, &Picture { letters: true, ..Picture::default() }).contains(">P18<"));
    }

    #[test]
    fn letters_need_no_japanese() {
        let how = Picture { letters: true, last: Some("7g7f".parse().unwrap()), ..Picture::default() };
        let picture = svg("4k4/9/4+P4/9/9/9/9/9/9 b G 1", &how);
        let outside_fonts = picture.replace(FONTS, "");
        assert!(outside_fonts.is_ascii() && picture.contains(">+P<") && picture.contains("#d8d8d8"));
    }

    #[test]
    fn a_caption_cannot_become_markup() {
        let picture = svg("4k4/9/9/9/9/9/9/9/4K4 b - 1", &Picture { caption: "</text>&\u{7}", ..Picture::default() });
        assert!(picture.contains("&lt;/text&gt;&amp; </text>"), "{picture}");
    }
}
