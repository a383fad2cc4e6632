// Plays a session with a remote machine: the program runs there from its lens, the view of places shows the machine and what it has,
// the window is reloaded while the program runs, and its output is followed again to the end. One line a step; `done` at the end.
//
//   node remote.mjs CODE_SERVER CHROMIUM EXTENSION.vsix SERVER COMMAND WORK_FOLDER WORKSPACE
//
// The workspace has Ticks.x10, and an apg.toml that names the machine `lab`.

import { Editor, open, run } from "./editor.mjs";

const [codeServer, browser, extension, server, command, work, workspace] = process.argv.slice(2);
/** The machine does other things as well. */
const PATIENCE = 180_000;

async function play(page) {
  await open(page, "Ticks.x10");
  await page.locator(".codelens-decoration a", { hasText: "Debug on lab" }).first().waitFor();
  await page.locator(".codelens-decoration a", { hasText: "Run on lab" }).first().click();
  await page.locator(".xterm-rows", { hasText: /tick \d/ }).first().waitFor();
  console.log("ran");

  await run(page, "X10: Focus on Places View");
  const rows = page.locator(".tree-explorer-viewlet-tree-view .monaco-list-row");
  const machine = rows.filter({ hasText: "lab" }).first();
  await machine.waitFor();
  console.log("listed");
  await machine.locator(".monaco-tl-twistie").click();
  // Of this machine and of that one.
  await rows.filter({ hasText: "Place(0)" }).nth(1).waitFor();
  console.log("places");

  await page.reload();
  await page.locator(".monaco-workbench").waitFor();
  const offer = page.locator(".notification-toast", { hasText: "runs on lab as job" });
  await offer.first().waitFor();
  console.log("offered");
  await offer.getByRole("button", { name: "Attach" }).first().click();
  await page.locator(".xterm-rows", { hasText: "tick 600" }).first().waitFor();
  console.log("attached");
}

await new Editor({ codeServer, browser, extension, server, command, work, workspace }).session(play, PATIENCE);
