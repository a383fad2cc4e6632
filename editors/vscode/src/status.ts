// The status item: whether the server runs, and how much memory it has.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import * as vscode from "vscode";

/** How often memory is asked for while an X10 document is seen. */
const INTERVAL = 5_000;

export type ServerState = "starting" | "running" | "stopped" | "absent";

const TEXTS: Record<ServerState, string> = {
  starting: "apg: starting",
  running: "apg",
  stopped: "apg: stopped",
  absent: "apg: no server",
};

export class Status implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem("apg", { language: "x10" });
  private readonly timer = setInterval(() => void this.measure(), INTERVAL);
  private process: number | undefined;
  private detail = "";

  constructor() {
    this.item.name = "apg";
    this.item.command = { title: "Restart", command: "apg.restart" };
  }

  /** What the server is, in words, and its process. */
  set(state: ServerState, detail: string, process?: number): void {
    this.process = state === "running" ? process : undefined;
    this.detail = detail;
    this.item.text = TEXTS[state];
    this.item.busy = state === "starting";
    this.item.severity =
      state === "absent"
        ? vscode.LanguageStatusSeverity.Error
        : state === "stopped"
          ? vscode.LanguageStatusSeverity.Warning
          : vscode.LanguageStatusSeverity.Information;
    this.item.detail = detail;
    void vscode.commands.executeCommand("setContext", "apg.serverRunning", state === "running");
    void this.measure();
  }

  dispose(): void {
    clearInterval(this.timer);
    this.item.dispose();
  }

  private async measure(): Promise<void> {
    const seen = vscode.window.visibleTextEditors.some((editor) => editor.document.languageId === "x10");
    const process = this.process;
    if (process === undefined || !seen) {
      return;
    }
    const kilobytes = await memory(process);
    if (kilobytes !== undefined && process === this.process) {
      this.item.detail = `${this.detail}, ${Math.round(kilobytes / 1024)} MB`;
    }
  }
}

/** Kilobytes that a process has in memory, where the system tells. */
async function memory(process: number): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${process}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
  } catch {
    // Not Linux.
  }
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(process)]);
    return Number(stdout.trim());
  } catch {
    return undefined;
  }
}
