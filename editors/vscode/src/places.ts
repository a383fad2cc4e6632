// The view of places: the hosts and accelerators that a run has, and, while a program runs, what each does.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";

import type { RunEvent } from "./events";

interface Place {
  number: number;
  /** "host, 2 threads", or what the accelerator is. */
  what: string;
  /** The number of an accelerator's host. */
  host: number | undefined;
}

type Node = Place | string;

/** Finds the `apg` command; undefined when there is none. */
type FindApg = () => Promise<string | undefined>;

export class PlacesView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private places: Place[] = [];
  private notes: string[] = [];
  /** Lines that came from each host place of the program that runs or ran last. */
  private lines = new Map<number, number>();
  private state = "";
  private running = false;
  private asked: Promise<void> | undefined;
  private readonly view: vscode.TreeView<Node>;
  private readonly settings: vscode.Disposable;

  constructor(private readonly findApg: FindApg) {
    this.view = vscode.window.createTreeView("apg.places", { treeDataProvider: this });
    this.settings = vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("apg.run") || change.affectsConfiguration("apg.command.path")) {
        this.refresh();
      }
    });
  }

  /** Asks for the places anew. */
  refresh(): void {
    this.asked = undefined;
    this.changed.fire();
  }

  /** A program starts at so many places. */
  async start(name: string, places: number): Promise<void> {
    this.asked = this.ask(places);
    await this.asked;
    this.lines = new Map();
    this.running = true;
    this.tell(`${name}: building`);
  }

  /** Something happens in the program. */
  take(name: string, event: RunEvent): void {
    if (event.event === "remote") {
      this.tell(`${name} on ${event.remote}: ${event.state}`);
    } else if (event.event === "started") {
      this.tell(`${name} runs`);
    } else if (event.event === "output" && event.place !== undefined) {
      this.lines.set(event.place, (this.lines.get(event.place) ?? 0) + 1);
      this.tell(this.state);
    } else if (event.event === "exit") {
      this.running = false;
      this.tell(event.status === 0 ? `${name} has ended` : `${name} ended with status ${event.status}`);
    }
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (typeof node === "string") {
      return [];
    }
    this.asked ??= this.ask(undefined);
    await this.asked;
    if (node !== undefined) {
      return this.places.filter((place) => place.host === node.number);
    }
    return [...this.places.filter((place) => place.host === undefined), ...this.notes];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (typeof node === "string") {
      const item = new vscode.TreeItem(node);
      item.iconPath = new vscode.ThemeIcon("info");
      return item;
    }
    const hasChildren = this.places.some((place) => place.host === node.number);
    const { None, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(`Place(${node.number})`, hasChildren ? Expanded : None);
    item.id = String(node.number);
    item.iconPath = new vscode.ThemeIcon(
      node.host !== undefined ? "circuit-board" : this.running ? "play-circle" : "server-process",
    );
    const lines = this.lines.get(node.number);
    item.description = lines === undefined ? node.what : `${node.what} · ${lines} ${lines === 1 ? "line" : "lines"}`;
    item.tooltip = node.host === undefined ? node.what : `${node.what}\nserved by Place(${node.host})`;
    return item;
  }

  dispose(): void {
    this.view.dispose();
    this.settings.dispose();
    this.changed.dispose();
  }

  private tell(state: string): void {
    this.state = state;
    this.view.message = state;
    this.changed.fire();
  }

  private async ask(places: number | undefined): Promise<void> {
    const command = await this.findApg();
    if (command === undefined) {
      this.places = [];
      this.notes = ["the command `apg` was not found"];
      return;
    }
    const settings = vscode.workspace.getConfiguration("apg");
    const accels = settings.get<string>("run.accels", "");
    const args = ["places", "--places", String(places ?? settings.get<number>("run.places", 1))];
    if (accels !== "") {
      args.push("--accels", accels);
    }
    try {
      const { stdout } = await promisify(execFile)(command, args, { timeout: 30_000 });
      this.read(stdout);
    } catch (error) {
      this.places = [];
      this.notes = [error instanceof Error ? error.message.split("\n").slice(-1)[0] : String(error)];
    }
  }

  /** `Place(0)  host, 2 threads`, and below a host, further right, its accelerators. */
  private read(text: string): void {
    this.places = [];
    this.notes = [];
    let host: number | undefined;
    for (const line of text.split("\n")) {
      const found = /^(\s*)Place\((\d+)\)\s+(.*)$/.exec(line);
      if (found === null) {
        this.notes.push(...(line.trim() === "" ? [] : [line.trim()]));
        continue;
      }
      const number = Number(found[2]);
      const isHost = found[1] === "";
      this.places.push({ number, what: found[3], host: isHost ? undefined : host });
      host = isHost ? number : host;
    }
  }
}
