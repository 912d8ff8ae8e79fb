// Within a worker, behind komainu.js: lines and questions in, lines and answers out.
let engine = null;
const waiting = [];

function take(data) {
  if (data.line !== undefined) return engine.postMessage(data.line);
  postMessage({ answer: engine.call(data.question, (part) => postMessage({ part })) });
}

onmessage = async ({ data }) => {
  try {
    if (!data.wasm) return engine ? take(data) : waiting.push(data);
    engine = await createKomainu({ wasmBinary: data.wasm, autorun: true, printErr: (line) => (/^info string fatal/.test(line) ? postMessage({ failure: line }) : console.warn(line)) });
    engine.addMessageListener((line) => postMessage({ line }));
    waiting.splice(0).forEach(take);
  } catch (error) {
    postMessage({ failure: String(error.message ?? error) });
  }
};
