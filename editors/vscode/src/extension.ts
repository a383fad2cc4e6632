// The VS Code client of apg: it starts `apg-lsp`, and runs programs with `apg`. Everything else is the server's.

import { ChildProcess, spawn } from "node:child_process";
import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, State } from "vscode-languageclient/node";

import { Debugger } from "./debug";
import { GeneratedCode } from "./generated";
import { PlacesView } from "./places";
import { findProgram } from "./programs";
import { explain, Programs } from "./run";
import { Status } from "./status";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const status = new Status();
  const generated = new GeneratedCode(() => client);
  const places = new PlacesView(() => findProgram(context, "apg", "apg.command.path"));
  const programs = new Programs(context, places);
  context.subscriptions.push(
    status,
    generated,
    places,
    programs,
    new Debugger(context).register(),
    vscode.commands.registerCommand("apg.run", (uri?: unknown) => programs.run(uriOf(uri))),
    vscode.commands.registerCommand("apg.runWithPlaces", (uri?: unknown) => programs.runWithPlaces(uriOf(uri))),
    vscode.commands.registerCommand("apg.showCuda", (uri?: unknown) => generated.show("cuda", uriOf(uri))),
    vscode.commands.registerCommand("apg.showHostCode", (uri?: unknown) => generated.show("cpp", uriOf(uri))),
    vscode.commands.registerCommand("apg.showMir", (uri?: unknown) => generated.show("mir", uriOf(uri))),
    vscode.commands.registerCommand("apg.refreshPlaces", () => places.refresh()),
    vscode.commands.registerCommand("apg.newProgram", newProgram),
    vscode.commands.registerCommand("apg.explain", () => explain(context)),
    vscode.commands.registerCommand("apg.restart", async () => {
      await client?.stop();
      await start(context, status);
    }),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("apg.server")) {
        await vscode.commands.executeCommand("apg.restart");
      }
    }),
  );
  await start(context, status);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** A code lens gives a URI as text, a menu as an object, a key or the palette nothing. */
function uriOf(argument: unknown): string | undefined {
  if (argument instanceof vscode.Uri) {
    return argument.toString();
  }
  return typeof argument === "string" ? argument : undefined;
}

async function start(context: vscode.ExtensionContext, status: Status): Promise<void> {
  const command = await findProgram(context, "apg-lsp", "apg.server.path");
  if (command === undefined) {
    client = undefined;
    status.set("absent", "apg-lsp was not found");
    // Not awaited: the editor goes on while the message stands.
    void sayAbsent();
    return;
  }
  let server: ChildProcess | undefined;
  const settings = vscode.workspace.getConfiguration("apg");
  const options: LanguageClientOptions = {
    // A new program is analysed before it is saved.
    documentSelector: ["file", "untitled"].map((scheme) => ({ language: "x10", scheme })),
    initializationOptions: {
      sourcePath: settings.get<string[]>("sourcePath", []),
      memoryLimit: settings.get<number>("server.memoryLimit", 2048),
    },
    synchronize: {
      configurationSection: "apg",
      fileEvents: vscode.workspace.createFileSystemWatcher("**/*.x10"),
    },
  };
  const spawnServer = async (): Promise<ChildProcess> => {
    server = spawn(command, [], { stdio: "pipe" });
    return server;
  };
  client = new LanguageClient("apg", "apg", spawnServer, options);
  client.onDidChangeState(({ newState }) => {
    const name = path.basename(command);
    if (newState === State.Running) {
      const version = client?.initializeResult?.serverInfo?.version;
      status.set("running", version === undefined ? name : `${name} ${version}`, server?.pid);
    } else {
      status.set(newState === State.Starting ? "starting" : "stopped", name);
    }
  });
  await client.start();
}

async function sayAbsent(): Promise<void> {
  const [how, settings, again] = ["How to Install", "Open Settings", "Try Again"];
  const text = "apg-lsp was not found, so X10 files get colours only.";
  const answer = await vscode.window.showErrorMessage(text, how, settings, again);
  if (answer === how) {
    await vscode.commands.executeCommand("workbench.action.openWalkthrough", "apg.apg#apg.start", false);
  } else if (answer === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "apg.server.path");
  } else if (answer === again) {
    await vscode.commands.executeCommand("apg.restart");
  }
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
