// Remote machines: those that `apg.toml` names, as the server lists them, and what the user does with them. Nothing connects
// with a machine before the user asks for something there.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as path from "node:path";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { mayRun } from "./programs";

/** A remote machine by its name in `apg.toml`. */
export interface Remote {
  name: string;
  /** `[user@]host[:port]`. */
  host: string;
}

/** A host place, or an accelerator of one. */
export interface Place {
  number: number;
  /** "host, 2 threads", or what the accelerator is. */
  what: string;
  /** The number of an accelerator's host. */
  host: number | undefined;
  /** The remote machine that has it; undefined for this machine. */
  remote: string | undefined;
}

/** Finds the `apg` command; undefined when there is none. */
export type FindApg = () => Promise<string | undefined>;

/** A first answer of a machine includes a connection, and a copy of apg. */
const TIMEOUT = 90_000;

/** A line of `apg places --message-format json`. */
interface HostPlace {
  place: number;
  host: string | null;
  threads: number;
  accelerators: { place: number; device: number; name: string; memory: number; capability: string }[];
}

/** Asks `apg` for places; a failure has what it said. */
export async function askPlaces(command: string, args: string[], remote?: string): Promise<Place[]> {
  const on = remote === undefined ? [] : ["--on", remote];
  const options = { timeout: TIMEOUT, cwd: folderOf(contextUri())?.fsPath };
  try {
    const line = ["places", "--message-format", "json", ...args, ...on];
    const { stdout } = await promisify(execFile)(command, line, options);
    return stdout.split("\n").flatMap((text) => (text === "" ? [] : read(JSON.parse(text) as HostPlace, remote)));
  } catch (error) {
    throw new Error(lastWords(error));
  }
}

function read({ place, host, threads, accelerators }: HostPlace, remote: string | undefined): Place[] {
  const what = `host${host === null ? "" : ` ${host}`}, ${threads} threads`;
  const gibibytes = (bytes: number): string => (bytes / 2 ** 30).toFixed(0);
  return [
    { number: place, what, host: undefined, remote },
    ...accelerators.map((it) => ({
      number: it.place,
      what: `CUDA${it.device}: ${it.name}, ${gibibytes(it.memory)} GiB, compute capability ${it.capability}`,
      host: place,
      remote,
    })),
  ];
}

/** What a command that failed has said at last. */
function lastWords(error: unknown): string {
  const said = (error as { stderr?: string }).stderr ?? "";
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  const errors = lines.filter((line) => line.startsWith("error: "));
  return errors[0]?.slice("error: ".length) ?? lines.pop() ?? (error instanceof Error ? error.message : String(error));
}

/** The document or folder whose `apg.toml` counts. */
function contextUri(): vscode.Uri | undefined {
  const active = vscode.window.activeTextEditor?.document;
  if (active?.languageId === "x10" && active.uri.scheme === "file") {
    return active.uri;
  }
  return vscode.workspace.workspaceFolders?.[0]?.uri;
}

function folderOf(uri: vscode.Uri | undefined): vscode.Uri | undefined {
  return uri === undefined ? undefined : (vscode.workspace.getWorkspaceFolder(uri)?.uri ?? vscode.Uri.joinPath(uri, ".."));
}

export class Remotes {
  constructor(
    private readonly client: () => LanguageClient | undefined,
    private readonly findApg: FindApg,
  ) {}

  /** The machines, or what is wrong with `apg.toml`. */
  async list(): Promise<Remote[] | string> {
    const client = this.client();
    const uri = contextUri();
    if (client?.isRunning() !== true || uri === undefined) {
      return [];
    }
    const textDocument = { uri: uri.toString() };
    const answer = await client.sendRequest<{ remotes: Remote[]; error: string | null }>("apg/remotes", { textDocument });
    return answer.error ?? answer.remotes;
  }

  /** Asks for a new machine, writes it into `apg.toml` and shows that. True if there is one now. */
  async add(): Promise<boolean> {
    const client = this.client();
    const uri = contextUri();
    if (client?.isRunning() !== true || uri === undefined) {
      void vscode.window.showErrorMessage("Open a folder or an X10 file first: remote machines are named in its apg.toml.");
      return false;
    }
    const host = await vscode.window.showInputBox({ prompt: "Remote machine, as for ssh: [user@]host[:port]" });
    if (host === undefined || host === "") {
      return false;
    }
    const value = host.replace(/^.*@/, "").replace(/[^A-Za-z0-9].*$/, "");
    const name = await vscode.window.showInputBox({ prompt: "Its name here", value });
    if (name === undefined) {
      return false;
    }
    const machine = { textDocument: { uri: uri.toString() }, name, host };
    const { file, error } = await client.sendRequest<{ file: string | null; error: string | null }>("apg/addRemote", machine);
    if (file === null) {
      void vscode.window.showErrorMessage(error ?? "The machine was not added.");
      return false;
    }
    await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: true });
    return true;
  }

  /** Shows what `apg` says of a machine, such as `doctor` or `jobs`, in a terminal. */
  async tell(verb: "doctor" | "jobs", remote: string | undefined): Promise<void> {
    const chosen = remote ?? (await this.choose());
    const command = chosen === undefined || !mayRun() ? undefined : await this.findApg();
    if (chosen === undefined || command === undefined) {
      return;
    }
    const execution = new vscode.ProcessExecution(command, [verb, "--on", chosen], { cwd: folderOf(contextUri())?.fsPath });
    const task = new vscode.Task({ type: "process" }, vscode.TaskScope.Workspace, `${verb} on ${chosen}`, "apg", execution);
    await vscode.tasks.executeTask(task);
  }

  /** Asks for a machine: one of `apg.toml`, or another one. */
  async choose(): Promise<string | undefined> {
    const listed = await this.list();
    const known = typeof listed === "string" ? [] : listed;
    const other = "Another machine...";
    const items = [...known.map(({ name, host }) => ({ label: name, description: host })), { label: other }];
    const picked = known.length === 0 ? { label: other } : await vscode.window.showQuickPick(items);
    if (picked?.label !== other) {
      return picked?.label;
    }
    const prompt = "Remote machine: [user@]host[:port], or a name of [remote.NAME] in apg.toml";
    const typed = await vscode.window.showInputBox({ prompt });
    return typed === "" ? undefined : typed;
  }
}

/** A path of the workspace as it is the same on a remote machine. */
export function pathInTree(file: string, folder: string): string {
  const below = path.relative(folder, file);
  return below.startsWith("..") ? path.basename(file) : below;
}
