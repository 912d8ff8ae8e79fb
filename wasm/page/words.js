// Words of the page of the engine in a browser.

addWords({
  title: ["Komainu, shogi in the browser", "Komainu ブラウザーで将棋"],
  play: ["Play", "対局"],
  analyse: ["Analyse", "棋譜解析"],
  mate: ["Mate", "詰将棋"],
  languageName: ["Language: switch to Japanese", "言語：英語に切り替える"],
  footer: ["{} · runs on this device: no network, no cookies, nothing is sent · MIT or Apache 2.0", "{}・この端末だけで動作（通信なし、Cookie なし）・MIT または Apache 2.0"],
  keptNote: ["This browser keeps your game, analysis and settings for the next visit.", "対局・解析・設定はこのブラウザーに保存され、次回に引き継がれます。"],
  forget: ["Forget them", "保存内容を消す"],
  loading: ["The engine is starting …", "エンジンを起動しています…"],
  broken: ["The engine could not be started: {}", "エンジンを起動できませんでした：{}"],

  level: ["Level", "棋力"],
  levelNote: ["Ranks as on Shogi Club 24. If you know little more than the moves, begin with 20 kyu.", "段級は将棋倶楽部24の目安。駒の動きを覚えたばかりなら20級から。"],
  full: ["Full strength", "最強"],
  kyu: ["{} kyu", "{}級"],
  dan: ["{} dan", "{}段"],
  style: ["Its opening", "相手の作戦"],
  itsPlan: ["Komainu's plan was {}", "Komainu の作戦は{}でした"],
  handicapWord: ["Handicap", "手合割"],
  side: ["You play", "あなたの手番"],
  random: ["Toss for it", "振り駒"],
  lower: ["Lower side", "下手"],
  upper: ["Upper side", "上手"],
  clock: ["Clock", "持ち時間"],
  clockNone: ["No clock", "時間制限なし"],
  clockOwn: ["Own clock", "自分で決める"],
  minutes: ["{} min", "{}分"],
  eachMove: ["{} s a move", "一手{}秒"],
  added: ["{} s added each move", "一手ごとに{}秒加算"],
  mainMinutes: ["Minutes", "持ち時間（分）"],
  byoyomiSeconds: ["Byoyomi, s", "秒読み（秒）"],
  incrementSeconds: ["Added, s", "加算（秒）"],
  byoyomiBegins: ["Byoyomi begins.", "秒読みに入りました。"],
  secondsLeft: ["{} seconds left.", "残り{}秒。"],
  moreSettings: ["Rules and sound", "ルール・音"],
  limit: ["Limit of moves", "手数制限"],
  limitNone: ["None", "なし"],
  limitPlies: ["Draw after {} moves", "{}手で引き分け"],
  declarations: ["Entering king", "入玉のルール"],
  CSARule27: ["27 points win", "27点法（宣言勝ち）"],
  CSARule24: ["24 points: 31 win, 24 draw", "24点法（31点で勝ち、24点で持将棋）"],
  NoEnteringKing: ["No declaration", "宣言なし"],
  sound: ["Sounds", "音を鳴らす"],
  hint: ["Hint", "ヒント"],
  hintComing: ["Looking for a hint …", "ヒントを考えています…"],
  hintPiece: ["Hint: look at {}. Press again for the move.", "ヒント：{}に注目。もう一度押すと手を示します。"],
  hintMove: ["Hint: {}", "ヒント：{}"],
  inHandOf: ["the {} in hand", "持駒の{}"],
  begin: ["Start game", "対局開始"],
  newGame: ["New game", "新しい対局"],
  takeBack: ["Take back", "待った"],
  resign: ["Resign", "投了"],
  reallyResign: ["Resign: sure?", "本当に投了？"],
  declare: ["Declare a win", "入玉宣言"],
  declareDraw: ["Declare a draw (impasse)", "持将棋を宣言"],
  stopGame: ["Break off", "中断"],
  you: ["You", "あなた"],
  yourTurn: ["Your move", "あなたの番です"],
  inCheck: ["Check! Your move", "王手！ あなたの番です"],
  thinking: ["Komainu is thinking …", "Komainu が考えています…"],
  looking: ["Position after {} moves of {}", "{}手目（全{}手）"],
  backToGame: ["Back to the game", "対局に戻る"],
  youWin: ["You win", "あなたの勝ち"],
  youLose: ["Komainu wins", "Komainu の勝ち"],
  brokenOff: ["Broken off", "中断"],
  notLegal: ["The piece cannot move there.", "その駒はそこに動けません。"],
  "nifu": ["Two pawns on one file (nifu): you already have an unpromoted pawn there.", "二歩です。その筋にはもう自分の歩があります。"],
  "uchifuzume": ["A dropped pawn must not give mate (uchifuzume).", "打ち歩詰めです。歩を打って詰ますことはできません。"],
  "dead-piece": ["There the piece could never move again.", "行き所のない駒です。そこでは二度と動けません。"],
  "king-in-check": ["Your king could be taken by the lit piece.", "自玉が取られます（光っている駒の利き）。"],
  "stillInCheck": ["You are in check by the lit piece; this move does not answer it.", "王手放置です。光っている駒の王手を防いでください。"],
  isFault: ["shows the rule", "反則の理由"],
  isChecked: ["check", "王手"],
  promoteQuestion: ["Promote?", "成りますか？"],
  promote: ["Promote", "成"],
  stay: ["Do not promote", "不成"],
  moves: ["Moves", "指し手"],
  noMoves: ["No move yet.", "まだ指し手はありません。"],
  setupTitle: ["New game", "対局設定"],
  status: ["State of the game", "対局の状況"],
  analyseThis: ["Analyse this game", "この対局を解析"],
  mateHere: ["Is there a mate?", "詰みはある？"],
  saveKif: ["Save KIF", "KIF を保存"],
  saveCsa: ["Save CSA", "CSA を保存"],
  boardName: ["Board", "盤"],
  handOf: ["{}: in hand", "{}の持駒"],
  empty: ["empty", "空き"],
  canGo: ["can go here", "移動できます"],
  picked: ["picked up", "選択中"],
  taken: ["Taken back.", "待ったをしました。"],
  stats: ["{} nodes/s · depth {} · hash {} %", "{} ノード/秒・深さ {}・ハッシュ {} %"],
  noStats: ["Speed, depth and use of the hash table show here.", "速度・深さ・ハッシュ使用率がここに出ます。"],
  keysPlay: ["Arrow keys move on the board, Enter picks up and puts down, Esc puts back · , and . step through the game · F flips · H hint", "矢印キーで升を移動、Enter で持つ・置く、Esc で戻す・「,」「.」で手順を前後・F で反転・H でヒント"],
  keysReport: ["← → or , . steps · ↑ ↓ lines · N P mistakes · F flips · L looks at the position · Esc back to the game", "← →・「,」「.」で前後・↑ ↓ 候補手・N P 悪手・F 反転・L で局面を検討・Esc で実戦に戻る"],

  recordLabel: ["Record of the game: KIF, KI2, CSA, USI or SFEN", "棋譜（KIF・KI2・CSA・USI・SFEN）"],
  recordHint: ["Paste it here, or drop a file anywhere on this page.", "ここに貼り付けるか、ファイルをこのページにドロップしてください。"],
  openFile: ["Open a file", "ファイルを開く"],
  effort: ["Thoroughness", "解析の深さ"],
  effort0: ["Quick", "速い"],
  effort1: ["Usual", "普通"],
  effort2: ["Thorough", "深い"],
  analyseBegin: ["Analyse", "解析開始"],
  cancel: ["Stop", "中止"],
  otherRecord: ["Another record", "別の棋譜"],
  progress: ["{} of {} positions", "{}／{} 局面"],
  finished: ["The analysis is done.", "解析が終わりました。"],
  stopped: ["Stopped after {} of {} positions; they are shown.", "{}／{} 局面で中止しました。そこまでの結果を表示しています。"],
  goOn: ["Go on", "続きを解析"],
  look: ["Look at this position", "この局面を検討"],
  looking_: ["Looking …", "読んでいます…"],
  noMoveHere: ["The game is over here.", "ここで終局です。"],
  tried: ["Tried from move {}", "{}手目からの検討"],
  variation: ["Variation", "変化"],
  playFrom: ["Play on from here", "ここから対局"],
  held: ["Held this time: {} → {} (the first time {}).", "今度は持ちこたえました：勝率{} → {}（前回は{}）。"],
  lostAgain: ["Given away again: {} → {} (the first time {}).", "今度も損をしました：勝率{} → {}（前回は{}）。"],
  again: ["Play it again from here", "この手からやり直す"],
  cannotRead: ["This cannot be read: {}", "読み取れません：{}"],
  severalGames: ["The text holds {} games; the first one is analysed.", "{}局が含まれています。最初の1局を解析します。"],

  mateLabel: ["Position: SFEN, KIF or a board diagram", "局面（SFEN・KIF・盤面図）"],
  take: ["Show it", "盤に出す"],
  clear: ["Kings only", "玉だけにする"],
  startPosition: ["Start position", "平手初期局面"],
  solve: ["Solve", "詰みを探す"],
  solving: ["Looking for a mate …", "詰みを探しています…"],
  mateIn: ["Mate in {}", "{}手詰"],
  noMate: ["There is no mate.", "詰みはありません。"],
  mateOpen: ["No answer within the time.", "時間内に答えが出ませんでした。"],
  mateTime: ["Time", "時間"],
  seconds: ["{} s", "{}秒"],
  replay: ["Play the answer", "手順を再生"],
  pause: ["Pause", "一時停止"],
  edit: ["Edit the position", "局面を編集"],
  editNote: ["Pick up a piece on the board, in a hand or in the box and put it down elsewhere. Press it again where it stands to turn it: promoted, the other side.", "盤・持駒・駒箱の駒を選び、置きたい所を押します。置いた駒をもう一度押すと、成り・相手の駒に変わります。"],
  box: ["Piece box", "駒箱"],
  rest: ["Pieces in the box are in the defender's hand", "駒箱の駒は玉方の持駒とする"],
  attackerWord: ["attacks", "攻方"],
  defenderWord: ["defends", "玉方"],
  train: ["Solve it yourself", "自分で解く"],
  leaveTraining: ["Leave it", "やめる"],
  missedMates: ["Mates you missed: {}", "逃した詰み：{}"],
  attackNow: ["Find the mate: your move.", "詰みを探してください。攻方の番です。"],
  judging: ["Looking at your move …", "その手を調べています…"],
  trainSolved: ["Solved: mate in {}.", "正解です。{}手詰でした。"],
  goesOn: ["Right. The defence: {}. Your move.", "正解。{}と受けました。次の手は？"],
  escapes: ["No mate after {}. Try another move.", "{}で詰みません。別の手を探してください。"],
  noCheck: ["Every move of the attacker gives check. Try another move.", "攻方は王手を続けます。別の手を探してください。"],
  notSure: ["The solver cannot tell in the time. Try another move.", "時間内に判定できませんでした。別の手を試してください。"],
  attacker: ["To move: {}", "手番：{}"],
  first_: ["First", "最初"],
  last: ["Last", "最後"],
  solution: ["Answer", "手順"],
});

/** Names of pieces for the ear. */
const PIECE_WORDS = {
  "P": ["pawn", "歩"], "L": ["lance", "香"], "N": ["knight", "桂"], "S": ["silver", "銀"], "G": ["gold", "金"], "B": ["bishop", "角"], "R": ["rook", "飛"], "K": ["king", "玉"],
  "+P": ["promoted pawn", "と"], "+L": ["promoted lance", "成香"], "+N": ["promoted knight", "成桂"], "+S": ["promoted silver", "成銀"], "+B": ["horse", "馬"], "+R": ["dragon", "竜"],
};
const pieceWords = (piece) => PIECE_WORDS[piece.toUpperCase()][language];

const HANDICAP_WORDS = {
  "even": ["Even game", "平手"], "lance": ["Lance", "香落ち"], "bishop": ["Bishop", "角落ち"], "rook": ["Rook", "飛車落ち"], "rook-lance": ["Rook and lance", "飛香落ち"],
  "2-pieces": ["Two pieces", "二枚落ち"], "4-pieces": ["Four pieces", "四枚落ち"], "6-pieces": ["Six pieces", "六枚落ち"], "8-pieces": ["Eight pieces", "八枚落ち"], "10-pieces": ["Ten pieces", "十枚落ち"],
};

/** Values of the engine's option `LevelStyle` by their letters; what is not here shows as the engine calls it. */
const STYLE_WORDS = {
  any: ["Anything", "おまかせ"], static: ["Static rook", "居飛車"], ranging: ["Ranging rook", "振り飛車"], surprise: ["Surprise", "奇襲"],
};
const styleWords = (style) => STYLE_WORDS[style.toLowerCase().replace(/[^a-z]/g, "").replace(/rook$/, "")]?.[language] ?? style;

const DAN_NUMBERS = ["", "初", "二", "三", "四", "五", "六", "七", "八", "九"];

/** `12kyu` as people write it. */
function levelWords(level) {
  const [, number, kind] = level.match(/^(\d+)(kyu|dan)$/) ?? [];
  if (!kind) return level === "full" ? t("full") : level;
  return kind === "dan" ? t("dan", language ? DAN_NUMBERS[number] : number) : t("kyu", number);
}

/** A square for the ear: `7g`, `7七`. */
const squareWords = (square) => square.file + (language ? KANJI_RANKS : RANKS)[square.rank - 1];

/** Text of a move: `▲７六歩(77)` is from the engine, `P7g–7f` from the board. */
const moveWords = (text, done) => (language ? text.replace(/\(\d\d\)$/, "") : (done.black ? "▲" : "△") + western(done));

const clockWords = (ms) => {
  const s = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
};
