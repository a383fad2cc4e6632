// Where `apg` and `apg-lsp` are.

import { access, constants, stat } from "node:fs/promises";
import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

/**
 * The program's path: the setting's, else the bundled one, else that beside the server's setting, else the first on the PATH, else
 * where cargo installs, which is not on the PATH of every desktop; undefined if there is none.
 */
export async function findProgram(
  context: vscode.ExtensionContext,
  name: string,
  setting: string,
): Promise<string | undefined> {
  const configured = vscode.workspace.getConfiguration().get<string>(setting, "");
  if (configured !== "") {
    return (await isProgram(configured)) ? configured : undefined;
  }
  const file = process.platform === "win32" ? `${name}.exe` : name;
  const server = vscode.workspace.getConfiguration().get<string>("apg.server.path", "");
  const folders = [
    context.asAbsolutePath("server"),
    server === "" ? "" : path.dirname(server),
    ...(process.env.PATH ?? "").split(path.delimiter),
    path.join(homedir(), ".cargo", "bin"),
  ];
  for (const folder of folders) {
    const candidate = path.join(folder, file);
    // A relative folder would be looked for wherever the editor was started, which may be the workspace.
    if (path.isAbsolute(folder) && (await isProgram(candidate))) {
      return candidate;
    }
  }
  return undefined;
}

/** A command of this name that can be started: the first on the PATH, else in these folders. */
export async function findOnPath(name: string, further: string[] = []): Promise<string | undefined> {
  for (const folder of [...(process.env.PATH ?? "").split(path.delimiter), ...further]) {
    if (path.isAbsolute(folder) && (await isProgram(path.join(folder, name)))) {
      return path.join(folder, name);
    }
  }
  return undefined;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    // A folder passes too.
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** Whether what a workspace holds may be run; says why not. */
export function mayRun(): boolean {
  if (!vscode.workspace.isTrusted) {
    const manage = "Manage Workspace Trust";
    void vscode.window
      .showWarningMessage("Programs of this workspace are not run, built or debugged, since you do not trust it.", manage)
      .then((answer) => (answer === manage ? vscode.commands.executeCommand("workbench.trust.manage") : undefined));
  }
  return vscode.workspace.isTrusted;
}

/** Says that a program of ours is not there, what follows from that, and what to do. */
export async function sayAbsent(name: string, setting: string, consequence: string, retry?: string): Promise<void> {
  const [how, settings, again] = ["How to Install", "Open Settings", "Try Again"];
  const configured = vscode.workspace.getConfiguration().get<string>(setting, "");
  const where = configured === "" ? "" : ` at ${configured} (${setting})`;
  const text = `${name} was not found${where}, so ${consequence}.`;
  const answer = await vscode.window.showErrorMessage(text, how, settings, ...(retry === undefined ? [] : [again]));
  if (answer === how) {
    await vscode.commands.executeCommand("apg.openWalkthrough");
  } else if (answer === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", setting);
  } else if (answer === again && retry !== undefined) {
    await vscode.commands.executeCommand(retry);
  }
}
