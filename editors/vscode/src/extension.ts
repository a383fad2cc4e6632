// The VS Code client of apg: it starts `apg-lsp`, and runs programs with `apg`. Everything else is the server's.

import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions, State } from "vscode-languageclient/node";

import { findProgram } from "./programs";
import { GeneratedCode } from "./generated";
import { explain, runProgram, runWithPlaces } from "./run";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const status = vscode.languages.createLanguageStatusItem("apg", { language: "x10" });
  status.name = "apg";
  const generated = new GeneratedCode(() => client);
  context.subscriptions.push(
    status,
    generated,
    vscode.commands.registerCommand("apg.run", (uri?: string) => runProgram(context, uri)),
    vscode.commands.registerCommand("apg.runWithPlaces", (uri?: string) => runWithPlaces(context, uri)),
    vscode.commands.registerCommand("apg.showCuda", (uri?: string) => generated.show("cuda", uri)),
    vscode.commands.registerCommand("apg.showHostCode", (uri?: string) => generated.show("cpp", uri)),
    vscode.commands.registerCommand("apg.showMir", (uri?: string) => generated.show("mir", uri)),
    vscode.commands.registerCommand("apg.explain", () => explain(context)),
    vscode.commands.registerCommand("apg.restart", async () => {
      await client?.stop();
      await start(context, status);
    }),
  );
  await start(context, status);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function start(context: vscode.ExtensionContext, status: vscode.LanguageStatusItem): Promise<void> {
  const command = await findProgram(context, "apg-lsp", "apg.server.path");
  if (command === undefined) {
    status.text = "apg: no server";
    status.severity = vscode.LanguageStatusSeverity.Error;
    status.detail = "apg-lsp was not found";
    const settings = "Open Settings";
    const text =
      "apg-lsp was not found, so X10 files get colours only. Install it with `cargo install --path lsp-server` " +
      "in a clone of apg, or set apg.server.path.";
    if ((await vscode.window.showErrorMessage(text, settings)) === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "apg.server.path");
    }
    return;
  }
  const server: ServerOptions = { command, args: [] };
  const options: LanguageClientOptions = {
    documentSelector: [{ language: "x10", scheme: "file" }],
    initializationOptions: { sourcePath: vscode.workspace.getConfiguration("apg").get<string[]>("sourcePath", []) },
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.x10") },
  };
  client = new LanguageClient("apg", "apg", server, options);
  client.onDidChangeState(({ newState }) => {
    const running = newState === State.Running;
    status.text = running ? "apg" : newState === State.Starting ? "apg: starting" : "apg: stopped";
    status.severity = running ? vscode.LanguageStatusSeverity.Information : vscode.LanguageStatusSeverity.Warning;
    status.detail = path.basename(command);
    status.command = { title: "Restart", command: "apg.restart" };
  });
  await client.start();
}
