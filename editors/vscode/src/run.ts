// Runs programs in a terminal, where their output streams, input reaches them and Ctrl-C ends all places. What can be run is a
// task too: `apg: run`, `apg: build`, `apg: check`.

import * as path from "node:path";
import * as vscode from "vscode";

import { PlacesView } from "./places";
import { findProgram } from "./programs";
import { RunTerminal } from "./terminal";

/** A task of ours in `tasks.json`. */
interface Definition extends vscode.TaskDefinition {
  command: "run" | "build" | "check";
  file?: string;
  places?: number;
  accels?: string;
  release?: boolean;
  args?: string[];
}

export class Programs implements vscode.TaskProvider, vscode.Disposable {
  private readonly registration: vscode.Disposable;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly places: PlacesView,
  ) {
    this.registration = vscode.tasks.registerTaskProvider("apg", this);
  }

  dispose(): void {
    this.registration.dispose();
  }

  /** Runs the program of a document (a URI from a code lens, or the active editor). */
  async run(uri?: string, places?: number): Promise<void> {
    const document = await documentOf(uri);
    if (document === undefined || (await findApg(this.context)) === undefined) {
      return;
    }
    await document.save();
    const settings = vscode.workspace.getConfiguration("apg", document.uri);
    const definition: Definition = {
      type: "apg",
      command: "run",
      file: document.uri.fsPath,
      places: places ?? settings.get<number>("run.places", 1),
    };
    const folder = vscode.workspace.getWorkspaceFolder(document.uri);
    const task = await this.task(definition, folder, path.basename(document.uri.fsPath));
    if (task !== undefined) {
      await vscode.tasks.executeTask(task);
    }
  }

  /** Asks for the number of places first. */
  async runWithPlaces(uri?: string): Promise<void> {
    const answer = await vscode.window.showInputBox({
      prompt: "Number of host places",
      value: "4",
      validateInput: (text) => (/^[1-9][0-9]*$/.test(text) ? undefined : "a number from 1 up"),
    });
    if (answer !== undefined) {
      await this.run(uri, Number(answer));
    }
  }

  async provideTasks(): Promise<vscode.Task[]> {
    const folder = vscode.workspace.workspaceFolders?.[0];
    const commands: Definition["command"][] = ["run", "build", "check"];
    const tasks = await Promise.all(
      commands.map((command) => this.task({ type: "apg", command, file: "${file}" }, folder, command)),
    );
    return tasks.filter((task) => task !== undefined);
  }

  async resolveTask(task: vscode.Task): Promise<vscode.Task | undefined> {
    const folder = typeof task.scope === "object" ? task.scope : undefined;
    return this.task(task.definition as Definition, folder, task.name);
  }

  private async task(
    definition: Definition,
    folder: vscode.WorkspaceFolder | undefined,
    name: string,
  ): Promise<vscode.Task | undefined> {
    const command = await findProgram(this.context, "apg", "apg.command.path");
    if (command === undefined) {
      return undefined;
    }
    const execution =
      definition.command === "run"
        ? new vscode.CustomExecution(async (resolved) => this.terminal(command, resolved as Definition))
        : new vscode.ProcessExecution(command, argumentsOf(definition));
    const task = new vscode.Task(
      definition,
      folder ?? vscode.TaskScope.Workspace,
      name,
      "apg",
      execution,
      definition.command === "run" ? [] : ["$apg"],
    );
    task.group = definition.command === "build" ? vscode.TaskGroup.Build : undefined;
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true, panel: vscode.TaskPanelKind.Dedicated };
    return task;
  }

  private async terminal(command: string, definition: Definition): Promise<vscode.Pseudoterminal> {
    const file = definition.file ?? vscode.window.activeTextEditor?.document.uri.fsPath ?? "";
    const name = path.basename(file);
    const places = definition.places ?? vscode.workspace.getConfiguration("apg").get<number>("run.places", 1);
    const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file));
    const cwd = folder?.uri.fsPath ?? path.dirname(file);
    await this.places.start(name, places);
    const args = argumentsOf({ ...definition, file, places });
    return new RunTerminal({ command, args, cwd, places }, (event) => this.places.take(name, event));
  }
}

/** The arguments of `apg`. */
function argumentsOf(definition: Definition): string[] {
  const { command, file = "${file}" } = definition;
  const settings = vscode.workspace.getConfiguration("apg", file.startsWith("$") ? undefined : vscode.Uri.file(file));
  const args: string[] = [command, file];
  if (command === "run") {
    const accels = definition.accels ?? settings.get<string>("run.accels", "");
    args.push("--places", String(definition.places ?? 1), ...(accels === "" ? [] : ["--accels", accels]));
  }
  if (command === "check") {
    args.push("--message-format", "github");
  }
  if (command !== "check" && definition.release === true) {
    args.push("--release");
  }
  for (const folder of settings.get<string[]>("sourcePath", [])) {
    args.push("--source-path", folder);
  }
  const programArguments = definition.args ?? settings.get<string[]>("run.arguments", []);
  if (command === "run" && programArguments.length > 0) {
    args.push("--", ...programArguments);
  }
  return args;
}

/** Asks for a diagnostic code and prints its page. */
export async function explain(context: vscode.ExtensionContext): Promise<void> {
  const code = await vscode.window.showInputBox({ prompt: "Diagnostic code, e.g. cuda/missing-clocked-async" });
  const command = code === undefined ? undefined : await findApg(context);
  if (code === undefined || command === undefined) {
    return;
  }
  const execution = new vscode.ProcessExecution(command, ["explain", code]);
  const task = new vscode.Task({ type: "process" }, vscode.TaskScope.Workspace, "explain", "apg", execution);
  await vscode.tasks.executeTask(task);
}

/** The document of a URI, or of the active editor. */
export async function documentOf(uri: string | undefined): Promise<vscode.TextDocument | undefined> {
  if (uri !== undefined) {
    return vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  }
  return vscode.window.activeTextEditor?.document;
}

/** The command `apg`; without one, says what to do. */
export async function findApg(context: vscode.ExtensionContext): Promise<string | undefined> {
  const command = await findProgram(context, "apg", "apg.command.path");
  if (command === undefined) {
    void vscode.window.showErrorMessage(
      "apg was not found. Install it with `cargo install --path build-backend` in a clone of apg, or set apg.command.path.",
    );
  }
  return command;
}
