// Starts the language server, and starts it again when it ends by itself; says what to do when there is none.

import { ChildProcess, spawn } from "node:child_process";
import * as path from "node:path";
import * as vscode from "vscode";
import {
  CloseAction,
  CloseHandlerResult,
  ErrorAction,
  ErrorHandler,
  LanguageClient,
  LanguageClientOptions,
  State,
} from "vscode-languageclient/node";

import { findProgram, sayAbsent } from "./programs";
import { Status } from "./status";

/** What code lenses may name, beside `apg.run` and `apg.showCuda`. */
const LENS_COMMANDS = [
  "apg.debug",
  "apg.runAtCpu",
  "apg.runOnGpu",
  "apg.runWithPlaces",
  "apg.runOn",
  "apg.debugOn",
  "apg.showHostCode",
  "apg.showTransfers",
  "apg.showCommunication",
];
/** The one that counts: it is in the way of those who read. */
const COUNTING_LENS = "apg.showReferences";
/** A server that ends by itself more often than this in so many milliseconds is left alone. */
const MOST_ENDS = 4;
const PERIOD = 180_000;

export class Server implements vscode.Disposable {
  client: LanguageClient | undefined;
  private readonly files = vscode.workspace.createFileSystemWatcher("**/*.x10");
  private readonly log = vscode.window.createOutputChannel("apg");
  /** One after the other: settings may change while it starts. */
  private last: Promise<void> = Promise.resolve();
  /** Restarts that have not ended. */
  private restarts = 0;
  /** The client's process. The client forgets it, so it does not end one that hangs. */
  private process: ChildProcess | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly status: Status,
  ) {}

  /** Starts it, or starts it anew. */
  restart(): Promise<void> {
    this.restarts++;
    const settled = this.last.catch(() => undefined);
    this.last = settled.then(async () => {
      await this.end();
      this.restarts--;
      await this.start();
    });
    return this.last;
  }

  async stop(): Promise<void> {
    await this.last.catch(() => undefined);
    await this.end();
  }

  /** Opens the server's log file; without one, the output channel. */
  async showLog(): Promise<void> {
    const file = this.client?.isRunning() ? await this.client.sendRequest<string | null>("apg/logFile", {}) : null;
    if (file === null) {
      this.log.show(true);
      return;
    }
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.log.dispose();
    this.files.dispose();
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch {
      // It has not started, has ended already, or hangs.
    }
    // After the client: while it starts its server again, that is another process than before.
    if (this.process?.exitCode === null && this.process.signalCode === null) {
      this.process.kill("SIGKILL");
    }
  }

  private async start(): Promise<void> {
    const command = await findProgram(this.context, "apg-lsp", "apg.server.path");
    if (command === undefined) {
      this.status.set("absent", "apg-lsp");
      // Not awaited: the editor goes on while the message stands.
      void sayAbsent("apg-lsp", "apg.server.path", "X10 files get colours only", "apg.restart");
      return;
    }
    const spawnServer = async (): Promise<ChildProcess> => {
      const server = spawn(command, logArguments(), { stdio: "pipe", env: logEnvironment() });
      this.process = server;
      await new Promise<void>((resolve, reject) => {
        server.once("spawn", resolve);
        server.once("error", reject);
      });
      return server;
    };
    const isCurrent = (): boolean => this.client === client;
    const client: LanguageClient = new LanguageClient("apg", "apg", spawnServer, this.options(isCurrent));
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (!isCurrent()) {
        return;
      }
      const name = path.basename(command);
      const version = client.initializeResult?.serverInfo?.version;
      if (newState === State.Running) {
        this.status.set("running", version === undefined ? name : `${name} ${version}`, this.process?.pid);
      } else {
        this.status.set(newState === State.Starting ? "starting" : "stopped", name);
      }
    });
    try {
      await client.start();
    } catch (error) {
      this.status.set("failed", path.basename(command));
      void this.sayFailed(`${command} does not start: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private options(isCurrent: () => boolean): LanguageClientOptions {
    const settings = vscode.workspace.getConfiguration("apg");
    return {
      // A new program is analysed before it is saved.
      // Of C files the server knows the directives; clangd or another extension does the rest.
      documentSelector: ["x10", "c"].flatMap((language) =>
        ["file", "untitled"].map((scheme) => ({ language, scheme })),
      ),
      outputChannel: this.log,
      initializationOptions: {
        sourcePath: settings.get<string[]>("sourcePath", []),
        kernelResources: vscode.workspace.isTrusted && settings.get<boolean>("kernelResources", false),
        memoryLimit: settings.get<number>("server.memoryLimit", 2048),
        commands: settings.get<boolean>("lens.references", false) ? [...LENS_COMMANDS, COUNTING_LENS] : LENS_COMMANDS,
      },
      synchronize: {
        configurationSection: "apg",
        fileEvents: this.files,
      },
      errorHandler: this.errorHandler(isCurrent),
      middleware: {
        workspace: {
          // A server that is about to end is not told; the next one asks.
          didChangeConfiguration: async (sections, next) => (this.restarts > 0 ? undefined : next(sections)),
        },
        handleWorkDoneProgress: (token, value, next) => {
          if (value.kind === "begin") {
            this.status.working(token, value.title);
          } else if (value.kind === "end") {
            this.status.working(token, undefined);
          }
          next(token, value);
        },
      },
    };
  }

  private errorHandler(isCurrent: () => boolean): ErrorHandler {
    const ends: number[] = [];
    return {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: (): CloseHandlerResult => {
        // It was ended while it started.
        if (!isCurrent()) {
          return { action: CloseAction.DoNotRestart, handled: true };
        }
        this.status.crashed();
        const now = Date.now();
        ends.push(now);
        if (ends.filter((time) => time > now - PERIOD).length <= MOST_ENDS) {
          return { action: CloseAction.Restart, handled: true };
        }
        // After the client has said that it is stopped.
        setTimeout(() => this.status.set("failed", "apg-lsp"), 100);
        void this.sayFailed("The language server of X10 ended again and again, so it is not started again.");
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  private async sayFailed(text: string): Promise<void> {
    const [log, again] = ["Show Log", "Start Again"];
    const answer = await vscode.window.showErrorMessage(text, log, again);
    if (answer === log) {
      await this.showLog();
    } else if (answer === again) {
      await this.restart();
    }
  }
}

/** The option that names the log file, if the user chose one. */
function logArguments(): string[] {
  const file = vscode.workspace.getConfiguration("apg").get<string>("server.logFile", "");
  return file === "" ? [] : ["--log-file", file];
}

/** The environment of the server, with the filter of its log. */
function logEnvironment(): NodeJS.ProcessEnv {
  const filter = vscode.workspace.getConfiguration("apg").get<string>("server.logFilter", "");
  return filter === "" ? process.env : { ...process.env, APG_LOG: filter };
}
