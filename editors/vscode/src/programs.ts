// Where `apg` and `apg-lsp` are.

import { access, constants } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

/** The program's path: the setting's, else the bundled one, else the first on the PATH; undefined if there is none. */
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
  const folders = [context.asAbsolutePath("server"), ...(process.env.PATH ?? "").split(path.delimiter)];
  for (const folder of folders) {
    const candidate = path.join(folder, file);
    if (folder !== "" && (await isProgram(candidate))) {
      return candidate;
    }
  }
  return undefined;
}

/** Whether a command of this name can be started. */
export async function isOnPath(name: string): Promise<boolean> {
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    if (folder !== "" && (await isProgram(path.join(folder, name)))) {
      return true;
    }
  }
  return false;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
