// Plays a session in a real VS Code (code-server) in a real browser, with the extension installed: squiggles and the Problems
// panel, a quick fix, completion, hover on a kernel, Run from the lens and at several places, the view of places, Show CUDA, a
// task, and what is said when there is no server. One line a step; `done` at the end.
//
//   node drive.mjs CODE_SERVER CHROMIUM EXTENSION.vsix SERVER COMMAND WORK_FOLDER [SCREENSHOT_FOLDER]

import { spawn, execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import path from "node:path";

const [codeServer, browserPath, extension, server, command, work, pictures] = process.argv.slice(2);
// Installed beside code-server (package.json), wherever that is.
const { chromium } = createRequire(path.resolve(codeServer, "../../../package.json"))("playwright-core");
const workspace = path.join(work, "workspace");
const data = path.join(work, "data");
const extensions = path.join(work, "extensions");

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

const SETTINGS = {
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoCheckUpdates": false,
  "editor.hover.delay": 100,
  "files.autoSave": "off",
  // The terminal as text, not as a picture.
  "terminal.integrated.gpuAcceleration": "off",
};

/** Writes the machine's settings; VS Code follows. Paths of programs in the user's hold for another machine, the browser's. */
function configure(serverPath) {
  const settings = { "apg.server.path": serverPath, "apg.command.path": command };
  writeFileSync(path.join(data, "Machine", "settings.json"), JSON.stringify(settings));
}

/** A port that nothing listens on. */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** Starts code-server on a loopback port; it ends with this process. */
async function startCodeServer() {
  mkdirSync(workspace, { recursive: true });
  for (const folder of ["User", "Machine"]) mkdirSync(path.join(data, folder), { recursive: true });
  writeFileSync(path.join(workspace, "Hello.x10"), HELLO);
  writeFileSync(path.join(workspace, "Kernel.x10"), KERNEL);
  writeFileSync(path.join(workspace, "Places.x10"), PLACES);
  writeFileSync(path.join(data, "User", "settings.json"), JSON.stringify(SETTINGS));
  configure(server);
  const folders = ["--user-data-dir", data, "--extensions-dir", extensions];
  execFileSync(codeServer, [...folders, "--install-extension", extension], { stdio: "ignore" });
  const port = await freePort();
  const child = spawn(
    codeServer,
    [...folders, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check",
      "--disable-getting-started-override", workspace],
    { stdio: "ignore", detached: true },
  );
  const url = `http://127.0.0.1:${port}/?folder=${workspace}`;
  for (let attempt = 0; attempt < 300; attempt++) {
    try {
      if ((await fetch(`http://127.0.0.1:${port}/healthz`)).ok) return { child, url };
    } catch {
      // Not up yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("code-server did not start");
}

async function picture(page, name) {
  if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

/** Runs a command by its title. */
async function run(page, title) {
  await page.keyboard.press("F1");
  const input = page.locator(".quick-input-widget input");
  await input.waitFor();
  await input.fill(`>${title}`);
  await page.locator(`.quick-input-list .monaco-list-row[aria-label^="${title}"]`).first().click();
}

/** Opens a file from the explorer: Quick Open would need ripgrep, which not every installation of code-server has. */
async function open(page, name) {
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first().dblclick();
  await page.locator(".tab.active", { hasText: name }).waitFor();
  await page.locator(".monaco-editor .view-lines").first().click();
}

async function goTo(page, line, column) {
  await page.keyboard.press("Control+G");
  const input = page.locator(".quick-input-widget input");
  await input.waitFor();
  await input.fill(`:${line}:${column}`);
  await page.keyboard.press("Enter");
  await input.waitFor({ state: "hidden" });
}

async function play(page, url) {
  await page.goto(url);
  await page.locator(".monaco-workbench").waitFor({ timeout: 120_000 });

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

  configure(path.join(work, "nowhere"));
  const message = page.locator(".notification-toast", { hasText: "apg-lsp was not found" });
  await message.first().waitFor();
  console.log("absent");
  await message.getByRole("button", { name: "How to Install" }).first().click();
  await page.locator(".gettingStartedContainer", { hasText: "Start with X10 and apg" }).first().waitFor();
  console.log("walkthrough");
  await picture(page, "walkthrough");
  if (readFileSync(path.join(workspace, "Kernel.x10"), "utf8").includes("clocked async")) console.log("saved");
}

const { child, url } = await startCodeServer();
let status = 1;
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(60_000);
  try {
    await play(page, url);
    console.log("done");
    status = 0;
  } catch (error) {
    console.log(`FAIL: ${error.message}`);
    await page.screenshot({ path: path.join(work, "failure.png") });
  }
} finally {
  await browser.close();
  // Its own group: code-server starts processes of its own.
  process.kill(-child.pid, "SIGTERM");
}
process.exit(status);
