// Runs programs in a terminal, where their output streams, input reaches them and Ctrl-C ends all places.

import * as path from "node:path";
import * as vscode from "vscode";

import { findProgram } from "./programs";

/** Runs the program of a document (a URI from a code lens, or the active editor). */
export async function runProgram(context: vscode.ExtensionContext, uri?: string): Promise<void> {
  const places = vscode.workspace.getConfiguration("apg").get<number>("run.places", 1);
  await run(context, uri, places);
}

/** Asks for the number of places first. */
export async function runWithPlaces(context: vscode.ExtensionContext, uri?: string): Promise<void> {
  const answer = await vscode.window.showInputBox({
    prompt: "Number of host places",
    value: "4",
    validateInput: (text) => (/^[1-9][0-9]*$/.test(text) ? undefined : "a number from 1 up"),
  });
  if (answer !== undefined) {
    await run(context, uri, Number(answer));
  }
}

/** Asks for a diagnostic code and prints its page. */
export async function explain(context: vscode.ExtensionContext): Promise<void> {
  const code = await vscode.window.showInputBox({ prompt: "Diagnostic code, e.g. cuda/missing-clocked-async" });
  const command = code === undefined ? undefined : await findApg(context);
  if (code !== undefined && command !== undefined) {
    execute(command, ["explain", code], undefined);
  }
}

async function run(context: vscode.ExtensionContext, uri: string | undefined, places: number): Promise<void> {
  const document = uri === undefined ? vscode.window.activeTextEditor?.document : await open(uri);
  const command = await findApg(context);
  if (document === undefined || command === undefined) {
    return;
  }
  await document.save();
  const settings = vscode.workspace.getConfiguration("apg", document.uri);
  const args = ["run", document.uri.fsPath, "--places", String(places)];
  const accels = settings.get<string>("run.accels", "");
  if (accels !== "") {
    args.push("--accels", accels);
  }
  for (const folder of settings.get<string[]>("sourcePath", [])) {
    args.push("--source-path", folder);
  }
  const programArguments = settings.get<string[]>("run.arguments", []);
  if (programArguments.length > 0) {
    args.push("--", ...programArguments);
  }
  execute(command, args, document.uri);
}

/** A task's terminal shows the exit status, stays open, and is used again by the next run. */
function execute(command: string, args: string[], resource: vscode.Uri | undefined): void {
  const folder = resource === undefined ? undefined : vscode.workspace.getWorkspaceFolder(resource);
  const cwd = folder?.uri.fsPath ?? (resource === undefined ? undefined : path.dirname(resource.fsPath));
  const task = new vscode.Task(
    { type: "process", command, args },
    folder ?? vscode.TaskScope.Workspace,
    `apg ${args[0]}`,
    "apg",
    new vscode.ProcessExecution(command, args, cwd === undefined ? {} : { cwd }),
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true, panel: vscode.TaskPanelKind.Dedicated };
  void vscode.tasks.executeTask(task);
}

async function open(uri: string): Promise<vscode.TextDocument> {
  return vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
}

async function findApg(context: vscode.ExtensionContext): Promise<string | undefined> {
  const command = await findProgram(context, "apg", "apg.command.path");
  if (command === undefined) {
    void vscode.window.showErrorMessage(
      "apg was not found. Install it with `cargo install --path build-backend` in a clone of apg, or set apg.command.path.",
    );
  }
  return command;
}
