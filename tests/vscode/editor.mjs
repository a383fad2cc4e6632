// A real VS Code (code-server) in a real browser with the extension installed: what the sessions of this folder share.

import { spawn, execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import path from "node:path";

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

/**
 * An installation with its own data in the folder `work`. `given` names code-server, the browser, the extension, apg-lsp, apg, that
 * folder and the workspace.
 */
export class Editor {
  constructor(given) {
    this.given = given;
    this.data = path.join(given.work, "data");
  }

  /** Writes the machine's settings; VS Code follows. Paths of programs in the user's hold for another machine, the browser's. */
  configure(serverPath) {
    const settings = { "apg.server.path": serverPath, "apg.command.path": this.given.command };
    writeFileSync(path.join(this.data, "Machine", "settings.json"), JSON.stringify(settings));
  }

  /** Starts code-server on a loopback port; it ends with this process. */
  async startCodeServer() {
    const { codeServer, extension, server, work, workspace } = this.given;
    for (const folder of ["User", "Machine"]) mkdirSync(path.join(this.data, folder), { recursive: true });
    writeFileSync(path.join(this.data, "User", "settings.json"), JSON.stringify(SETTINGS));
    this.configure(server);
    const folders = ["--user-data-dir", this.data, "--extensions-dir", path.join(work, "extensions")];
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

  /** Plays a session and ends this process: with status 0 after `done`, else after what has failed. */
  async session(play, timeout) {
    const { codeServer, browser: executablePath, work } = this.given;
    // Installed beside code-server (package.json), wherever that is.
    const { chromium } = createRequire(path.resolve(codeServer, "../../../package.json"))("playwright-core");
    const { child, url } = await this.startCodeServer();
    let status = 1;
    const browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync"],
    });
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      page.setDefaultTimeout(timeout);
      try {
        await page.goto(url);
        await page.locator(".monaco-workbench").waitFor({ timeout: 120_000 });
        await play(page);
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
  }
}

/** Runs a command by its title. */
export async function run(page, title) {
  await page.keyboard.press("F1");
  const input = page.locator(".quick-input-widget input");
  await input.waitFor();
  await input.fill(`>${title}`);
  await page.locator(`.quick-input-list .monaco-list-row[aria-label^="${title}"]`).first().click();
}

/** Opens a file from the explorer: Quick Open would need ripgrep, which not every installation of code-server has. */
export async function open(page, name) {
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first().dblclick();
  await page.locator(".tab.active", { hasText: name }).waitFor();
  await page.locator(".monaco-editor .view-lines").first().click();
}

export async function goTo(page, line, column) {
  await page.keyboard.press("Control+G");
  const input = page.locator(".quick-input-widget input");
  await input.waitFor();
  await input.fill(`:${line}:${column}`);
  await page.keyboard.press("Enter");
  await input.waitFor({ state: "hidden" });
}
