// Stands between an editor and the server, and writes down what the editor says:
//   record.mjs SERVER SESSION.jsonl FOLDER
// Paths below FOLDER become $FOLDER. `APG_UPDATE=1 cargo test -p apg-tests --test replay` adds what the server answers.

import { spawn } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";

const [server, file, folder] = process.argv.slice(2);
const child = spawn(server, [], { stdio: ["pipe", "pipe", "inherit"] });
writeFileSync(file, "");

/** Calls `take` with each message of a stream. */
function messages(stream, take) {
  let bytes = Buffer.alloc(0);
  stream.on("data", (more) => {
    bytes = Buffer.concat([bytes, more]);
    for (;;) {
      const start = bytes.indexOf("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/i.exec(bytes.subarray(0, Math.max(start, 0)).toString())?.[1]);
      if (start < 0 || bytes.length < start + 4 + length) return;
      take(bytes.subarray(start + 4, start + 4 + length).toString());
      bytes = bytes.subarray(start + 4 + length);
    }
  });
}

const note = (from) => (text) =>
  appendFileSync(file, `${JSON.stringify({ [from]: JSON.parse(text) }).replaceAll(folder, "$FOLDER")}\n`);
messages(process.stdin, note("client"));
messages(child.stdout, note("server"));
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
child.on("exit", (status) => process.exit(status ?? 1));
