// The VS Code client of apg: it starts `apg-lsp`, and runs programs with `apg`. Everything else is the server's.

import * as vscode from "vscode";

import { Debugger } from "./debug";
import { GeneratedCode } from "./generated";
import { SourceLinks } from "./links";
import { PlacesView } from "./places";
import { findProgram } from "./programs";
import { Remotes } from "./remotes";
import { documentOf, explain, Programs } from "./run";
import { Server } from "./server";
import { menu, Status } from "./status";

let server: Server | undefined;
/** No name of a remote machine: this one. */
const HERE = "";

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const status = new Status();
  const started = new Server(context, status);
  server = started;
  const generated = new GeneratedCode(() => started.client);
  const findCommand = (): Promise<string | undefined> => findProgram(context, "apg", "apg.command.path");
  const remotes = new Remotes(() => started.client, findCommand);
  const places = new PlacesView(findCommand, remotes);
  /** What a lens, the view of places or nothing names. */
  const remoteOf = async (uri: unknown, remote: unknown): Promise<string | undefined> =>
    typeof remote === "string" ? remote : (nameOf(uri) ?? (await remotes.choose()));
  const programs = new Programs(context, places);
  const command = (name: string, action: (...given: unknown[]) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(name, action);
  context.subscriptions.push(
    status,
    started,
    generated,
    places,
    programs,
    new Debugger(context).register(),
    vscode.window.registerTerminalLinkProvider(new SourceLinks()),
    command("apg.run", (uri) => programs.run(uriOf(uri))),
    command("apg.runAtCpu", (uri) => programs.run(uriOf(uri), { accels: "none" })),
    command("apg.runOnGpu", (uri, parallel) => programs.runOnGpu(uriOf(uri), parallel)),
    command("apg.runWithPlaces", (uri) => programs.runWithPlaces(uriOf(uri))),
    command("apg.runOn", async (uri, remote) => programs.runOn(uriOf(uri), await remoteOf(uri, remote))),
    command("apg.debugOn", async (uri, remote) => debug(uriOf(uri), await remoteOf(uri, remote))),
    command("apg.addRemote", async () => {
      if (await remotes.add()) {
        places.refresh();
      }
    }),
    command("apg.doctorOn", (remote) => remotes.tell("doctor", nameOf(remote))),
    command("apg.jobsOn", (remote) => remotes.tell("jobs", nameOf(remote))),
    command("apg.stop", () => programs.stop()),
    command("apg.debug", (uri) => debug(uriOf(uri), HERE)),
    command("apg.showCuda", (uri) => generated.show("cuda", uriOf(uri))),
    command("apg.showPtx", (uri) => generated.show("ptx", uriOf(uri))),
    command("apg.showResources", (uri) => generated.show("resources", uriOf(uri))),
    command("apg.showHostCode", (uri) => generated.showHostCode(uriOf(uri))),
    command("apg.showTransfers", (uri) => generated.show("transfers", uriOf(uri))),
    command("apg.showCommunication", (uri) => generated.show("communication", uriOf(uri))),
    command("apg.showMir", (uri) => generated.show("mir", uriOf(uri))),
    command("apg.showReferences", showReferences),
    command("apg.refreshPlaces", () => places.refresh()),
    command("apg.newProgram", newProgram),
    command("apg.explain", () => explain(context)),
    command("apg.menu", menu),
    command("apg.showLog", () => started.showLog()),
    command("apg.openSettings", () => vscode.commands.executeCommand("workbench.action.openSettings", "@ext:apg.apg")),
    command("apg.openWalkthrough", () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", "apg.apg#apg.start", false),
    ),
    command("apg.restart", () => started.restart()),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (["apg.server", "apg.lens", "apg.kernelResources"].some((section) => change.affectsConfiguration(section))) {
        await started.restart();
      }
    }),
    // Settings of the workspace count from now on.
    vscode.workspace.onDidGrantWorkspaceTrust(() => started.restart()),
  );
  await started.restart();
  // The server lists remote machines from now on.
  places.refresh();
  // Not awaited: the answer may never come.
  void programs.offerKeptJobs();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** A code lens gives a URI as text, a menu as an object, a key or the palette nothing. */
function uriOf(argument: unknown): string | undefined {
  if (argument instanceof vscode.Uri) {
    return argument.toString();
  }
  return typeof argument === "string" ? argument : undefined;
}

/** The remote machine of an item of the view of places. */
function nameOf(argument: unknown): string | undefined {
  const name: unknown = typeof argument === "object" && argument !== null ? (argument as { name?: unknown }).name : undefined;
  return typeof name === "string" ? name : undefined;
}

/** Debugs the program of a document, without a launch configuration; not without the name of a machine. */
async function debug(uri: string | undefined, remote: string | undefined): Promise<void> {
  const document = remote === undefined ? undefined : await documentOf(uri);
  if (document !== undefined) {
    const folder = vscode.workspace.getWorkspaceFolder(document.uri);
    const launch = { type: "apg", request: "launch", name: "Debug this program", program: document.uri.fsPath };
    await vscode.debug.startDebugging(folder, remote === HERE ? launch : { ...launch, on: remote });
  }
}

/** What a lens that counts references gives: shown where the editor shows references. */
async function showReferences(uri: unknown, position: unknown, locations: unknown): Promise<void> {
  type At = { line: number; character: number };
  type Found = { uri: string; range: { start: At; end: At } };
  const at = ({ line, character }: At): vscode.Position => new vscode.Position(line, character);
  const found = (locations as Found[]).map(
    ({ uri, range }) => new vscode.Location(vscode.Uri.parse(uri), new vscode.Range(at(range.start), at(range.end))),
  );
  const target = vscode.Uri.parse(uri as string);
  await vscode.commands.executeCommand("editor.action.showReferences", target, at(position as At), found);
}

/** Opens a new document with a program of places. */
async function newProgram(): Promise<void> {
  const content = [
    "public class Hello {",
    "    public static def main(args:Rail[String]) {",
    "        finish for (p in Place.places()) at (p) async {",
    '            Console.OUT.println("hello from " + here);',
    "        }",
    "    }",
    "}",
    "",
  ].join("\n");
  const document = await vscode.workspace.openTextDocument({ language: "x10", content });
  await vscode.window.showTextDocument(document);
}
