// Messages of the library about records and positions, in Japanese for the Japanese page.

const MESSAGES = [
  [/^(\w+), line (\d+): (.*)$/s, (format, number, rest) => `${format} の${number}行目：${inJapanese(rest)}`],
  [/^line (\d+): (.*)$/s, (number, rest) => `${number}行目：${inJapanese(rest)}`],
  [/^move (\d+): (.*)$/s, (number, rest) => `${number}手目：${inJapanese(rest)}`],
  [/^start: (.*)$/s, (rest) => `開始局面：${inJapanese(rest)}`],
  [/^bad sfen: (.*)$/s, (rest) => `SFEN の誤り：${inJapanese(rest)}`],
  [/^(.*): the game ends before it, as its record says$/s, (rest) => `${inJapanese(rest)}（棋譜どおり、その手前で終局とします）`],
  [/^(.*); the rest of the variation was passed over$/s, (rest) => `${inJapanese(rest)}（変化の残りは読み飛ばしました）`],
  [/^(.*) is not legal: (.*)$/s, (move, why) => `${move} は指せない手です（${inJapanese(why)}）`],
  [/^(.*) is not legal$/s, (move) => `${move} は指せない手です`],
  [/^a second pawn on the file \(nifu\)$/, () => "二歩"],
  [/^a dropped pawn that mates \(uchifuzume\)$/, () => "打ち歩詰め"],
  [/^a piece that could never move again$/, () => "行き所のない駒"],
  [/^the king is left in check$/, () => "王手放置"],
  [/^a diagram after the first move was passed over$/, () => "初手より後の盤面図は読み飛ばしました"],
  [/^a comment of a variation without a move was passed over$/, () => "指し手のない変化のコメントは読み飛ばしました"],
  [/^a variation of move (\d+), which there is not, was passed over$/, (number) => `${number}手目はないので、その変化は読み飛ばしました`],
  [/^a time before the first move was passed over$/, () => "初手より前の消費時間は読み飛ばしました"],
  [/^(.*) was passed over$/s, (text) => `${text} は読み飛ばしました`],
  [/^a move is numbered (\d+) and not (\d+)$/, (found, wanted) => `手数が${wanted}ではなく${found}になっています`],
  [/^the game ends with (.*), which is not known$/s, (word) => `終局の語 ${word} は分かりません`],
  [/^(.*) does not tell how the game ended$/s, (word) => `${word} からは結果が分かりません`],
  [/^two moves are taken back$/, () => "待ったで2手戻っています"],
  [/^the board has (\d+) ranks?, not 9$/, (count) => `盤が9段ではなく${count}段です`],
  [/^rank (\d+) (.*) has (\d+) squares?, not 9$/, (rank, text, count) => `${rank}段目 ${text} が9升ではなく${count}升です`],
  [/^(.*) has more than one king$/, (side) => `${sideName(side)}の玉が二つ以上あります`],
  [/^(.*) is in check but it is not its turn$/, (side) => `手番でない${sideName(side)}の玉に王手が掛かっています`],
  [/^(\d+) pieces of kind (.*), a set has (\d+)$/, (count, kind, most) => `${kind} が${count}枚あります（一組は${most}枚）`],
  [/^(.*) on (.*) can never move$/, (piece, square) => `${square} の ${piece} は行き所のない駒です`],
  [/^side to move (.*) is neither b nor w$/s, (word) => `手番 ${word} は b でも w でもありません`],
  [/^move counter (.*) is no number$/s, (word) => `手数 ${word} は数ではありません`],
  [/^(?:unknown piece (.*)|(.*) is no (?:promoted )?piece(?: in hand)?)$/s, (one, other) => `${one ?? other} という駒はありません`],
  [/^unexpected text (.*)$/s, (text) => `余分な文字があります：${text}`],
  [/^the (.*) is missing$/, (field) => `${({ board: "盤面", "side to move": "手番", hands: "持駒" })[field] ?? field} がありません`],
  [/^game (\d+) of (\d+)$/, (number, count) => `${count}局中の${number}局目はありません`],
];
const sideName = (name) => ({ black: "先手", white: "後手" })[name.toLowerCase()] ?? name;

function inJapanese(text) {
  for (const [pattern, words] of MESSAGES) {
    const found = text.match(pattern);
    if (found) return words(...found.slice(1));
  }
  // What is not in the table still says where: quoted text is that of the record.
  const quoted = text.match(/"[^"]*"|「[^」]*」|'[^']*'/)?.[0];
  return quoted ? `読み取れない所があります（${quoted}）` : "棋譜か局面として読み取れません";
}

/** A message of the library in the language of the page. */
const messageWords = (text) => (language ? inJapanese(text) : text);

let PLAN_NAMES = null;
/** A plan of a level, `四間飛車 美濃`, in the language of the page. */
function planWords(plan) {
  try { PLAN_NAMES ??= new Map(ask({ ask: "plans" }).plans); } catch { PLAN_NAMES = new Map(); }
  return language ? plan : PLAN_NAMES.get(plan) ?? plan;
}
