// Komainu in a worker, classic or module: every message is a line of USI, in both directions. `?wasm=ADDRESS` behind the
// address of this file tells where komainu.wasm lies, if not beside it.
const here = self.location.href;
const wasm = new URL(here).searchParams.get("wasm") ?? "komainu.wasm";
const engine = import(new URL("komainu.js", here).href).then(async ({ default: createKomainu }) => {
  const locateFile = () => new URL(wasm, here).href;
  const made = await createKomainu({ locateFile, printErr: (line) => self.postMessage(line) });
  made.addMessageListener((line) => self.postMessage(line));
  return made;
});
engine.catch((error) => self.postMessage(`info string fatal ${error.message}`));

self.onmessage = async ({ data }) => {
  (await engine).postMessage(data);
  if (String(data).trim() === "quit") self.close();
};
