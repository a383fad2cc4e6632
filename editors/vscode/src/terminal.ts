// The terminal of a run: the program's output with the place that each line comes from, its input, Ctrl-C, its exit status.

import { ChildProcess, spawn } from "node:child_process";
import * as vscode from "vscode";

import { EventReader, RemoteEvent, RunEvent } from "./events";

/** What is run. */
export interface Run {
  command: string;
  /** Those of `apg`, without the format of messages. */
  args: string[];
  cwd: string | undefined;
  /** Host places: with several, each line says where it comes from. */
  places: number;
  /** The remote machine, if it runs on one. */
  remote?: string;
}

const COLOURS = [36, 33, 35, 32, 34, 31];
const DIM = "\x1b[2m";
const RED = "\x1b[31m";
const BOLD = "\x1b[1m";
const PLAIN = "\x1b[0m";
const SEVERITIES: Record<string, string> = { error: RED, warning: "\x1b[33m" };
/** Stands there until something comes. */
const BUILDING = "building...";
/** A program that does not end by then when it is asked to is ended. */
const PATIENCE = 5_000;
const CLEARED = "\r\x1b[2K";

export class RunTerminal implements vscode.Pseudoterminal {
  private readonly written = new vscode.EventEmitter<string>();
  private readonly closed = new vscode.EventEmitter<number>();
  readonly onDidWrite = this.written.event;
  readonly onDidClose = this.closed.event;
  private child: ChildProcess | undefined;
  private typed = "";
  private isBuilding = true;

  constructor(
    private readonly run: Run,
    private readonly onEvent: (event: RunEvent) => void,
  ) {}

  open(): void {
    // The command takes its options before the program's arguments.
    const [verb, ...rest] = this.run.args;
    this.say(`${DIM}> apg ${this.run.args.join(" ")}${PLAIN}`);
    this.written.fire(`${DIM}${BUILDING}${PLAIN}`);
    const child = spawn(this.run.command, [verb, "--message-format", "json", ...rest], { cwd: this.run.cwd });
    this.child = child;
    const reader = new EventReader(
      (event) => this.take(event),
      (line) => this.say(line),
    );
    child.stdout?.setEncoding("utf8").on("data", (text: string) => reader.push(text));
    // The command's own: it cannot start, or a message for people.
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.built();
      this.written.fire(text.replace(/\r?\n/g, "\r\n"));
    });
    // A program that does not read its input does not matter.
    child.stdin?.on("error", () => undefined);
    child.on("error", (error) => {
      this.say(`${RED}${error.message}${PLAIN}`);
      this.end(1);
    });
    child.on("close", (status) => {
      reader.end();
      this.end(status ?? 1);
    });
  }

  close(): void {
    this.child?.kill("SIGTERM");
  }

  /** Ends the program; what it has written stays to be read. Resolves when it has ended. */
  async stop(): Promise<void> {
    const child = this.child;
    if (child === undefined) {
      return;
    }
    const ended = new Promise<void>((resolve) => this.onDidClose(() => resolve()));
    this.say(`${DIM}stopped${PLAIN}`);
    // A job on a remote machine outlives its client, unless it is interrupted.
    child.kill(this.run.remote === undefined ? "SIGTERM" : "SIGINT");
    const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
    await ended;
    clearTimeout(timer);
  }

  handleInput(text: string): void {
    for (const key of text) {
      if (key === "\x03") {
        this.written.fire("^C\r\n");
        this.child?.kill("SIGINT");
      } else if (key === "\x04") {
        this.child?.stdin?.end();
      } else if (key === "\r") {
        this.written.fire("\r\n");
        this.child?.stdin?.write(`${this.typed}\n`);
        this.typed = "";
      } else if (key === "\x7f") {
        if (this.typed !== "") {
          this.typed = [...this.typed].slice(0, -1).join("");
          this.written.fire("\b \b");
        }
      } else if (key >= " ") {
        this.typed += key;
        this.written.fire(key);
      }
    }
  }

  private take(event: RunEvent): void {
    if (event.event === "output") {
      const text = event.stream === "stderr" ? `${RED}${event.text}${PLAIN}` : event.text;
      this.say(`${this.origin(event.place)}${text}`);
    } else if (event.event === "diagnostic" && event.severity !== "hint") {
      const colour = SEVERITIES[event.severity] ?? "";
      const where = `${BOLD}${event.file}:${event.line}:${event.column}:${PLAIN}`;
      this.say(`${where} ${colour}${event.severity}:${PLAIN} ${event.message} ${DIM}[${event.code}]${PLAIN}`);
      event.notes.forEach((note) => this.say(`    ${note.replace(/\n/g, "\r\n    ")}`));
    } else if (event.event === "remote") {
      this.tell(event);
    } else if (event.event === "started") {
      this.built();
    }
    this.onEvent(event);
  }

  /** What happens between this machine and the remote one. */
  private tell({ state, remote, files, why, job, stage }: RemoteEvent): void {
    if (state === "building") {
      this.built();
      if (stage !== undefined && stage !== "") {
        // The next line replaces it.
        this.isBuilding = true;
        this.written.fire(`${DIM}${remote}: ${stage}${PLAIN}`);
      }
      return;
    }
    const what = {
      connecting: `connecting with ${remote}`,
      installing: `copying apg to ${remote}`,
      sending: `sending ${files ?? 0} files to ${remote}`,
      running: `job ${job ?? ""} runs on ${remote}`,
      reconnecting: `the connection with ${remote} is lost, and is tried again: ${why ?? ""}`,
      reconnected: `${remote} is reached again`,
    }[state];
    this.say(`${DIM}${what}${PLAIN}`);
  }

  private origin(place: number | undefined): string {
    if (place === undefined || this.run.places < 2) {
      return "";
    }
    return `\x1b[${COLOURS[place % COLOURS.length]}m[place ${place}]${PLAIN} `;
  }

  private built(): void {
    if (this.isBuilding) {
      this.isBuilding = false;
      this.written.fire(CLEARED);
    }
  }

  private say(line: string): void {
    if (this.child !== undefined) {
      this.built();
    }
    this.written.fire(`${line}\r\n`);
  }

  private end(status: number): void {
    if (this.child !== undefined) {
      this.built();
      this.child = undefined;
      this.onEvent({ event: "exit", status, isSynthetic: true });
      this.closed.fire(status);
    }
  }
}
