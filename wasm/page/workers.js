// Where the engine runs: in WebAssembly, on this thread for questions that are answered at once, in workers for the rest.

let MODULE = null, RULES = null;

/** Compiles komainu.wasm, which the page holds as gzip in base64; workers get what comes of it. */
async function connect() {
  const bytes = Uint8Array.from(atob(byId("wasm").textContent), (letter) => letter.charCodeAt(0));
  const module = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  MODULE = await WebAssembly.compile(await new Response(module).arrayBuffer());
  RULES = await createKomainu({ wasmBinary: MODULE, autorun: false });
}

/** The answer to a question about rules or a record. */
const answerTo = (question) => RULES.call(question);

/** An engine of its own in a worker; `hear` gets what it says. */
function openEngine(hear) {
  const code = byId("engine-code").textContent + byId("worker-code").textContent;
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const worker = new Worker(address);
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = (event) => hear({ failure: event.message });
  worker.postMessage({ wasm: MODULE });
  URL.revokeObjectURL(address);
  return { post: (message) => worker.postMessage(message), close: () => worker.terminate() };
}

/** Threads of a search; engines side by side in an analysis: a phone has less memory. */
const SEARCH_THREADS = 1, ENGINE_COUNT = Math.min(matchMedia("(pointer: coarse)").matches ? 2 : 4, navigator.hardwareConcurrency ?? 2);

/** What the foot of the page says of the engine: nothing, it runs in the page. */
const engineNotes = () => [];
