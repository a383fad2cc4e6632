// The item of the server in the status bar: whether it runs, what it works on, how much memory it has; a click offers what can be done.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import * as vscode from "vscode";

/** How often memory is asked for while an X10 document is seen. */
const INTERVAL = 5_000;

export type ServerState = "starting" | "running" | "stopped" | "failed" | "absent";

const ICONS: Record<ServerState, string> = {
  starting: "$(sync~spin)",
  running: "$(check)",
  stopped: "$(circle-slash)",
  failed: "$(error)",
  absent: "$(warning)",
};

const WORDS: Record<ServerState, string> = {
  starting: "is starting",
  running: "runs",
  stopped: "is stopped",
  failed: "ended again and again, and is not started again",
  absent: "was not found: X10 files have colours only",
};

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("apg.status", vscode.StatusBarAlignment.Left, 0);
  private readonly timer = setInterval(() => void this.measure(), INTERVAL);
  private readonly watch = vscode.window.onDidChangeVisibleTextEditors(() => this.draw());
  private readonly work = new Map<string | number, string>();
  private state: ServerState = "stopped";
  private process: number | undefined;
  private detail = "";
  private memory = "";
  private crashes = 0;

  constructor() {
    this.item.name = "apg: language server";
    this.item.command = "apg.menu";
  }

  /** What the server is, in words, and its process. */
  set(state: ServerState, detail: string, process?: number): void {
    this.state = state;
    this.process = state === "running" ? process : undefined;
    this.detail = detail;
    this.memory = "";
    this.work.clear();
    this.draw();
    void vscode.commands.executeCommand("setContext", "apg.serverRunning", state === "running");
    void this.measure();
  }

  /** The server ended by itself. */
  crashed(): void {
    this.crashes++;
    this.draw();
  }

  /** The server works on something long, or (without a title) has done it. */
  working(token: string | number, title: string | undefined): void {
    if (title === undefined) {
      this.work.delete(token);
    } else {
      this.work.set(token, title);
    }
    this.draw();
  }

  dispose(): void {
    clearInterval(this.timer);
    this.watch.dispose();
    this.item.dispose();
  }

  private draw(): void {
    const isBusy = this.state === "running" && this.work.size > 0;
    this.item.text = `${isBusy ? ICONS.starting : ICONS[this.state]} apg`;
    const isBad = this.state === "failed" || this.state === "absent";
    this.item.backgroundColor = isBad
      ? new vscode.ThemeColor(`statusBarItem.${this.state === "failed" ? "error" : "warning"}Background`)
      : undefined;
    this.item.tooltip = this.tooltip();
    // What is wrong is said everywhere, the rest beside X10.
    if (isBad || isX10Seen()) {
      this.item.show();
    } else {
      this.item.hide();
    }
  }

  private tooltip(): vscode.MarkdownString {
    const lines = [`**${this.detail}** ${WORDS[this.state]}${this.memory}`];
    lines.push(...[...this.work.values()].map((title) => `$(sync~spin) ${title}`));
    if (this.crashes > 0) {
      lines.push(`$(warning) it ended unexpectedly ${this.crashes === 1 ? "once" : `${this.crashes} times`}`);
    }
    lines.push("[Restart](command:apg.restart) · [Log](command:apg.showLog) · [Settings](command:apg.openSettings)");
    const text = new vscode.MarkdownString(lines.join("\n\n"), true);
    text.isTrusted = { enabledCommands: ["apg.restart", "apg.showLog", "apg.openSettings"] };
    return text;
  }

  private async measure(): Promise<void> {
    const process = this.process;
    if (process === undefined || !isX10Seen()) {
      return;
    }
    const kilobytes = await memory(process);
    if (kilobytes !== undefined && process === this.process) {
      this.memory = `, with ${Math.round(kilobytes / 1024)} MB`;
      this.draw();
    }
  }
}

function isX10Seen(): boolean {
  return vscode.window.visibleTextEditors.some((editor) => editor.document.languageId === "x10");
}

/** Offers what can be done with the server and with programs. */
export async function menu(): Promise<void> {
  const entries = [
    { label: "$(play) Run this program", command: "apg.run" },
    { label: "$(debug-restart) Restart the language server", command: "apg.restart" },
    { label: "$(output) Show the log of the language server", command: "apg.showLog" },
    { label: "$(type-hierarchy-sub) Show the places", command: "apg.places.focus" },
    { label: "$(gear) Open the settings", command: "apg.openSettings" },
    { label: "$(book) Start with X10 and apg", command: "apg.openWalkthrough" },
  ];
  const chosen = await vscode.window.showQuickPick(entries, { placeHolder: "apg" });
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen.command);
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
