// Plays a session in a real VS Code (code-server) in a real browser, with the extension installed: squiggles and the Problems
// panel, a quick fix, completion, hover on a kernel, Run from the lens and at several places, the view of places, Show CUDA, a
// task, and what is said when there is no server. One line a step; `done` at the end.
//
//   node drive.mjs CODE_SERVER CHROMIUM EXTENSION.vsix SERVER COMMAND WORK_FOLDER [SCREENSHOT_FOLDER]

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { Editor, goTo, open, run } from "./editor.mjs";

const [codeServer, browser, extension, server, command, work, pictures] = process.argv.slice(2);
const workspace = path.join(work, "workspace");

const HELLO = `public class Hello {
    public static def main(args:Rail[String]) {
        finish for (i in 1..3) async {
            Console.OUT.println("hello from activity " + i);
        }
    }
}
`;

const PLACES = `public class Places {
    public static def main(args:Rail[String]) {
        finish for (p in Place.places()) at (p) async {
            Console.OUT.println("hello from " + here);
        }
    }
}
`;

const KERNEL = `import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

public class Kernel {
    public static def main(args:Rail[String]) {
        val remote = CUDAUtilities.makeGlobalRail[Float](here, 64);
        finish async at (here) @CUDA {
            finish for (block in 0n..0n) async {
                clocked finish for (thread in 0n..63n) async {
                    remote(thread) = 1.0f;
                }
            }
        }
        CUDAUtilities.deleteGlobalRail(remote);
    }
}
`;

async function picture(page, name) {
  if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

async function play(page) {
  await open(page, "Kernel.x10");
  await page.locator(".squiggly-error").first().waitFor({ timeout: 120_000 });
  console.log("squiggle");
  await run(page, "Problems: Focus on Problems View");
  await page.locator(".markers-panel", { hasText: "clocked" }).first().waitFor();
  console.log("problem");
  await picture(page, "problems");

  await page.locator(".monaco-editor .view-lines").first().click();
  await run(page, "Go to Next Problem in Files");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+.");
  await page.locator(".action-widget .monaco-list-row, .context-view .action-item").first().waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".squiggly-error").first().waitFor({ state: "detached", timeout: 30_000 });
  console.log("fixed");

  await goTo(page, 7, 24);
  await run(page, "Show or Focus Hover");
  await page.locator(".monaco-hover", { hasText: "Kernel" }).first().waitFor();
  console.log("hover");
  await picture(page, "hover");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+S");
  await page.locator(".tab.dirty").first().waitFor({ state: "detached" });

  await page.locator(".codelens-decoration a", { hasText: "Show CUDA" }).first().click();
  await page.locator(".tab", { hasText: "Kernel.x10.cu" }).first().waitFor();
  await page.locator(".view-lines", { hasText: "__global__" }).first().waitFor({ timeout: 60_000 });
  console.log("cuda");
  await picture(page, "cuda");
  await run(page, "View: Close All Editors");

  await open(page, "Hello.x10");
  await goTo(page, 4, 13);
  await page.keyboard.type("Console.");
  await page.keyboard.press("Control+Space");
  await page.locator(".suggest-widget .monaco-list-row", { hasText: "OUT" }).first().waitFor();
  console.log("completion");
  await picture(page, "completion");
  await page.keyboard.press("Escape");
  for (let i = 0; i < "Console.".length; i++) await page.keyboard.press("Backspace");

  await page.locator(".codelens-decoration a", { hasText: "Run" }).first().click();
  const output = page.locator(".xterm-rows", { hasText: "hello from activity 3" });
  await output.first().waitFor({ timeout: 120_000 });
  console.log("output");
  await picture(page, "run");

  await open(page, "Places.x10");
  await run(page, "apg: Run This Program with Several Places");
  const input = page.locator(".quick-input-widget input");
  await page.locator(".quick-input-widget", { hasText: "Number of host places" }).waitFor();
  await input.fill("2");
  await page.keyboard.press("Enter");
  await page.locator(".xterm-rows", { hasText: "[place 1] hello from Place(1)" }).first().waitFor({ timeout: 120_000 });
  console.log("origin");
  await run(page, "X10: Focus on Places View");
  const place = page.locator(".tree-explorer-viewlet-tree-view .monaco-list-row", { hasText: "Place(1)" });
  await place.filter({ hasText: "1 line" }).first().waitFor();
  console.log("places");
  await picture(page, "places");

  editor.configure(path.join(work, "nowhere"));
  const message = page.locator(".notification-toast", { hasText: "apg-lsp was not found" });
  await message.first().waitFor();
  console.log("absent");
  await message.getByRole("button", { name: "How to Install" }).first().click();
  await page.locator(".gettingStartedContainer", { hasText: "Start with X10 and apg" }).first().waitFor();
  console.log("walkthrough");
  await picture(page, "walkthrough");
  if (readFileSync(path.join(workspace, "Kernel.x10"), "utf8").includes("clocked async")) console.log("saved");
}

mkdirSync(workspace, { recursive: true });
for (const [name, text] of [["Hello", HELLO], ["Kernel", KERNEL], ["Places", PLACES]]) {
  writeFileSync(path.join(workspace, `${name}.x10`), text);
}
const editor = new Editor({ codeServer, browser, extension, server, command, work, workspace });
await editor.session(play, 60_000);
