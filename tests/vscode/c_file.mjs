// Plays a session on a C file in a real VS Code (code-server) with the extension installed: a race is underlined and mended by its
// quick fix, a directive is hovered and completed, and the program runs from its lens. One line a step; `done` at the end.
//
//   node c_file.mjs CODE_SERVER CHROMIUM EXTENSION.vsix SERVER COMMAND WORK_FOLDER

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { Editor, goTo, open, run } from "./editor.mjs";

const [codeServer, browser, extension, server, command, work] = process.argv.slice(2);
const workspace = path.join(work, "workspace");

const RACE = `#include <stdio.h>

int main(void) {
    int sum = 0;
    #pragma omp parallel for
    for (int i = 0; i < 100; i++)
        sum += i;
    printf("sum %d\\n", sum);
    return 0;
}
`;

async function play(page) {
  await open(page, "sum.c");
  const squiggle = page.locator(".squiggly-error, .squiggly-warning").first();
  await squiggle.waitFor({ timeout: 120_000 });
  console.log("squiggle");
  await run(page, "Problems: Focus on Problems View");
  await page.locator(".markers-panel", { hasText: "omp/missing-reduction" }).first().waitFor();
  console.log("problem");

  await page.locator(".monaco-editor .view-lines").first().click();
  await run(page, "Go to Next Problem in Files");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+.");
  await page.locator(".action-widget .monaco-list-row, .context-view .action-item").first().waitFor();
  await page.keyboard.press("Enter");
  await squiggle.waitFor({ state: "detached", timeout: 30_000 });
  console.log("fixed");

  await goTo(page, 5, 20);
  await run(page, "Show or Focus Hover");
  await page.locator(".monaco-hover", { hasText: "reduction" }).first().waitFor();
  console.log("hover");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+S");
  await page.locator(".tab.dirty").first().waitFor({ state: "detached" });
  if (readFileSync(path.join(workspace, "sum.c"), "utf8").includes("reduction(+: sum)")) console.log("saved");

  await goTo(page, 5, 1);
  await page.keyboard.press("End");
  await page.keyboard.type(" sch");
  await page.keyboard.press("Control+Space");
  await page.locator(".suggest-widget .monaco-list-row", { hasText: "schedule" }).first().waitFor();
  console.log("completion");
  await page.keyboard.press("Escape");
  for (let i = 0; i < " sch".length; i++) await page.keyboard.press("Backspace");

  await page.locator(".codelens-decoration a", { hasText: "Run" }).first().click();
  await page.locator(".xterm-rows", { hasText: "sum 4950" }).first().waitFor({ timeout: 120_000 });
  console.log("output");
}

mkdirSync(workspace, { recursive: true });
writeFileSync(path.join(workspace, "sum.c"), RACE);
const editor = new Editor({ codeServer, browser, extension, server, command, work, workspace });
await editor.session(play, 60_000);
