// The view of places: the hosts and accelerators that a run has, here and on remote machines, and, while a program runs, what
// each does.

import * as vscode from "vscode";

import type { RunEvent } from "./events";
import { mayRun } from "./programs";
import { askPlaces, FindApg, Place, Remote, Remotes } from "./remotes";

type Node = Place | Remote | string;

export class PlacesView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private places: Place[] = [];
  private notes: string[] = [];
  /** Lines that came from each host place of the program that runs or ran last. */
  private lines = new Map<number, number>();
  private state = "";
  private running = false;
  /** The remote machine on which it runs. */
  private remote: string | undefined;
  private asked: Promise<void> | undefined;
  /** What remote machines that were opened have answered, by their names. */
  private readonly ofRemotes = new Map<string, Promise<Node[]>>();
  private readonly view: vscode.TreeView<Node>;
  private readonly settings: vscode.Disposable;

  constructor(
    private readonly findApg: FindApg,
    private readonly remotes: Remotes,
  ) {
    this.view = vscode.window.createTreeView("apg.places", { treeDataProvider: this });
    const files = vscode.workspace.createFileSystemWatcher("**/apg.toml");
    const again = (): void => this.refresh();
    this.settings = vscode.Disposable.from(
      files,
      files.onDidChange(again),
      files.onDidCreate(again),
      files.onDidDelete(again),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("apg.run") || change.affectsConfiguration("apg.command.path")) {
          this.refresh();
        }
      }),
    );
  }

  /** Asks for the places anew. */
  refresh(): void {
    this.asked = undefined;
    this.ofRemotes.clear();
    this.changed.fire();
  }

  /** A program starts at so many places, here or on a remote machine. */
  async start(name: string, places: number, remote: string | undefined): Promise<void> {
    this.remote = remote;
    if (remote === undefined) {
      this.asked = this.ask(places);
      await this.asked;
    }
    this.lines = new Map();
    this.running = true;
    this.tell(`${name}: building`);
  }

  /** Something happens in the program. */
  take(name: string, event: RunEvent): void {
    if (event.event === "remote") {
      // What it has now, if that is shown: the program may have taken some of it.
      if (event.state === "running") {
        this.ofRemotes.delete(event.remote);
      }
      const stage = event.stage === undefined || event.stage === "" ? event.state : event.stage;
      this.tell(`${name} on ${event.remote}: ${stage}`);
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
    if (isRemote(node)) {
      const known = this.ofRemotes.get(node.name) ?? this.askRemote(node.name);
      this.ofRemotes.set(node.name, known);
      return (await known).filter((it) => typeof it === "string" || (!isRemote(it) && it.host === undefined));
    }
    if (node?.remote !== undefined) {
      const known = (await this.ofRemotes.get(node.remote)) ?? [];
      return known.filter((it) => typeof it !== "string" && !isRemote(it) && it.host === node.number);
    }
    this.asked ??= this.ask(undefined);
    await this.asked;
    if (node !== undefined) {
      return this.places.filter((place) => place.host === node.number);
    }
    const remotes = await this.remotes.list().catch((error: unknown) => String(error));
    const hosts = this.places.filter((place) => place.host === undefined);
    return [...hosts, ...this.notes, ...(typeof remotes === "string" ? [remotes] : remotes)];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (typeof node === "string") {
      const item = new vscode.TreeItem(node);
      item.iconPath = new vscode.ThemeIcon("info");
      return item;
    }
    const { Collapsed, None, Expanded } = vscode.TreeItemCollapsibleState;
    if (isRemote(node)) {
      const item = new vscode.TreeItem(node.name, Collapsed);
      item.id = `on ${node.name}`;
      item.contextValue = "apg.remote";
      item.iconPath = new vscode.ThemeIcon("remote");
      item.description = node.host;
      item.tooltip = `${node.host}: open to connect with it and see its places`;
      return item;
    }
    const hasChildren = node.host === undefined && (node.remote !== undefined || this.places.some((place) => place.host === node.number));
    const item = new vscode.TreeItem(`Place(${node.number})`, hasChildren ? Expanded : None);
    const isOfRun = node.remote === this.remote;
    item.id = `${node.remote ?? ""} ${node.number}`;
    item.iconPath = new vscode.ThemeIcon(
      node.host !== undefined ? "circuit-board" : this.running && isOfRun ? "play-circle" : "server-process",
    );
    const lines = isOfRun ? this.lines.get(node.number) : undefined;
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
    const args = ["--places", String(places ?? settings.get<number>("run.places", 1))];
    if (accels !== "") {
      args.push("--accels", accels);
    }
    try {
      this.places = await askPlaces(command, args);
      const hasAccelerators = this.places.some((place) => place.host !== undefined);
      this.notes = hasAccelerators ? [] : ["no accelerators (`apg doctor` says why)"];
    } catch (error) {
      this.places = [];
      this.notes = [(error as Error).message];
    }
  }

  /** The places of a remote machine, or why they are not known. */
  private async askRemote(name: string): Promise<Node[]> {
    const command = mayRun() ? await this.findApg() : undefined;
    if (command === undefined) {
      return ["the command `apg` was not found, or the workspace is not trusted"];
    }
    try {
      return await askPlaces(command, [], name);
    } catch (error) {
      return [(error as Error).message];
    }
  }
}

function isRemote(node: Node | undefined): node is Remote {
  return typeof node === "object" && "name" in node;
}
