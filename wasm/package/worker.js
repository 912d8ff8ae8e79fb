// Komainu in a worker for programs that go through a bundler: every message is a line of USI, in both directions.
// komainu-worker.js does the same where the files lie side by side.
import createKomainu from "./komainu.js";

const engine = createKomainu({ print: (line) => self.postMessage(line), printErr: (line) => self.postMessage(line) });
engine.catch((error) => self.postMessage(`info string fatal ${error.message}`));

self.onmessage = async ({ data }) => {
  (await engine).postMessage(data);
  if (String(data).trim() === "quit") self.close();
};
