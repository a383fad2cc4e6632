// Places in programs that a terminal names are links: lines of stack traces, `at Foo.main (Foo.x10:12)`, and of messages,
// `src/Foo.x10:12:5: error: ...`.

import { stat } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

const PLACE = /((?:[A-Za-z]:)?[^\s:()'"<>]*\.x10):(\d+)(?::(\d+))?/g;

interface SourceLink extends vscode.TerminalLink {
  file: string;
  position: vscode.Position;
}

/** Where programs of this session ran, the latest first: their stack traces name files by their last names. */
const folders: string[] = [];

/** A program of this folder runs. */
export function runsIn(folder: string): void {
  folders.splice(0, folders.length, folder, ...folders.filter((other) => other !== folder).slice(0, 9));
}

export class SourceLinks implements vscode.TerminalLinkProvider<SourceLink> {
  provideTerminalLinks({ line }: vscode.TerminalLinkContext): SourceLink[] {
    return [...line.matchAll(PLACE)].map((found) => ({
      startIndex: found.index,
      length: found[0].length,
      tooltip: "Open in the editor",
      file: found[1],
      position: new vscode.Position(fromZero(found[2]), fromZero(found[3] ?? "1")),
    }));
  }

  async handleTerminalLink({ file, position }: SourceLink): Promise<void> {
    const uri = await locate(file);
    if (uri === undefined) {
      void vscode.window.showInformationMessage(`${file} is not in this workspace.`);
      return;
    }
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(position, position) });
  }
}

/** A line or a column as the editor counts; 0, which no place has, is the first. */
function fromZero(number: string): number {
  return Math.max(0, Number(number) - 1);
}

/** The file of this name: as it is, in a folder that a program ran in or that is open, else wherever the workspace has it. */
async function locate(file: string): Promise<vscode.Uri | undefined> {
  const open = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const candidates = path.isAbsolute(file) ? [file] : [...folders, ...open].map((folder) => path.join(folder, file));
  for (const candidate of candidates) {
    if (await isFile(candidate)) {
      return vscode.Uri.file(candidate);
    }
  }
  const [elsewhere] = await vscode.workspace.findFiles(`**/${path.basename(file)}`, undefined, 1);
  return elsewhere;
}

async function isFile(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
