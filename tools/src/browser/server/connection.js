// Where the engine runs: in the program that serves this page. Questions are answered at once; engines are told what to do, and what
// they say comes as events.

addWords({
  nativeThread: ["engine: native, 1 thread", "エンジン：ネイティブ、1スレッド"],
  nativeThreads: ["engine: native, {} threads", "エンジン：ネイティブ、{}スレッド"],
  quit: ["End the program", "プログラムを終了"],
  hasQuit: ["The program has ended; nothing is lost. This page can be closed.", "プログラムを終了しました。対局などは保存されています。このページは閉じてかまいません。"],
  tabsFull: ["{} tabs of this page are open already; close one and load this page again", "このページはすでに{}個のタブで開かれています。どれかを閉じて、読み込み直してください"],
  serverGone: ["The program behind this page does not answer; nothing is lost. Load this page again, or start the program with: komainu page", "このページのプログラムが応答しません。対局などは保存されています。読み込み直すか、komainu page でもう一度起動してください。"],
});

const SEARCH_THREADS = JSON.parse(byId("data").textContent).threads, ENGINE_COUNT = SEARCH_THREADS;

const engines = new Map();
let tab = null, unsent = [], isSending = false, lostWords = null;

// A page that the browser brings back has lost its engines.
addEventListener("pageshow", (event) => event.persisted && location.reload());

/** Opens a tab at the program. */
function connect() {
  return new Promise((done, failed) => {
    const source = new EventSource("events");
    const end = (words) => {
      source.close();
      if (tab) lose(words);
      failed(new Error(words));
    };
    source.onmessage = ({ data }) => {
      const said = JSON.parse(data);
      if (said.tab) done((tab = said.tab));
      else if (said.full) end(t("tabsFull", said.full));
      else if (said.end) end(t("hasQuit"));
      else engines.get(said.engine)?.(said);
    };
    source.onerror = () => end(t("serverGone"));
  });
}

/** Milliseconds until a lost connection is told: a page that is left or loaded again loses its own, too, but has ended by then. */
const PATIENCE = 2000;

/** The program does not answer any more: that is said once, and every engine has failed. */
function lose(words) {
  setTimeout(() => {
    if (lostWords) return;
    lostWords = words;
    byId("page").before(el("p.warning.lost", { role: "alert" }, words));
    engines.forEach((hear) => hear({ failure: words }));
  }, PATIENCE);
}

function answerTo(question) {
  const request = new XMLHttpRequest();
  // The page goes on with what is answered, as it does where the rules are a part of it: on this machine that takes a millisecond.
  request.open("POST", "ask", false);
  try {
    request.send(JSON.stringify(question));
    return JSON.parse(request.responseText);
  } catch {
    lose(t("serverGone"));
    throw new Error(t("serverGone"));
  }
}

/** Sends what is to be told, in its order. */
async function send() {
  if (isSending) return;
  isSending = true;
  while (unsent.length && !lostWords) {
    try {
      const { ok } = await fetch(`tell?${tab}`, { method: "POST", body: JSON.stringify(unsent.splice(0)) });
      if (!ok) throw new Error("refused");
    } catch {
      lose(t("serverGone"));
    }
  }
  isSending = false;
}

let engineNumber = 0;

/** An engine of its own; `hear` gets what it says. */
function openEngine(hear) {
  const engine = ++engineNumber;
  const post = (message) => {
    if (lostWords) return void setTimeout(hear, 0, { failure: lostWords });
    unsent.push({ engine, ...message });
    send();
  };
  engines.set(engine, hear);
  return { post, close: () => { engines.delete(engine); post({ close: true }); } };
}

/** What the foot of the page says of the engine. */
const engineNotes = () => [el("br"), t(SEARCH_THREADS === 1 ? "nativeThread" : "nativeThreads", SEARCH_THREADS) + " ", button(t("quit"), () => fetch("quit", { method: "POST" }), { id: "quit" })];
