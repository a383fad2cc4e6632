// Runs programs in a terminal, where their output streams, input reaches them and Ctrl-C ends all places. What can be run is a
// task too: `apg: run`, `apg: build`, `apg: check`.

import * as path from "node:path";
import * as vscode from "vscode";

import { runsIn } from "./links";
import { PlacesView } from "./places";
import { findProgram, mayRun, sayAbsent } from "./programs";
import { RunTerminal } from "./terminal";

/** A task of ours in `tasks.json`. */
interface Definition extends vscode.TaskDefinition {
  command: "run" | "build" | "check";
  file?: string;
  places?: number;
  accels?: string;
  /** Where parallel regions of a program in C run. */
  parallel?: string;
  release?: boolean;
  args?: string[];
  /** The remote machine of a run. */
  on?: string;
  /** The job on it that is followed, instead of a new one. */
  job?: string;
}

/** How a program is run, where that is not as the settings say. */
export interface How {
  places?: number;
  accels?: string;
  parallel?: string;
  /** The remote machine. */
  on?: string;
}

/** A job that runs on a remote machine, also while this window is reloaded. */
interface KeptJob {
  remote: string;
  job: string;
  file: string;
}

const KEPT_JOBS = "apg.jobs";

export class Programs implements vscode.TaskProvider, vscode.Disposable {
  private readonly registrations: vscode.Disposable[];
  /** The programs that run, and their files. */
  private readonly running = new Map<RunTerminal, string>();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly places: PlacesView,
  ) {
    const tell = (): unknown =>
      vscode.commands.executeCommand("setContext", "apg.running", vscode.tasks.taskExecutions.some(isRun));
    this.registrations = [
      vscode.tasks.registerTaskProvider("apg", this),
      vscode.tasks.onDidStartTask(tell),
      vscode.tasks.onDidEndTask(tell),
    ];
  }

  dispose(): void {
    this.registrations.forEach((registration) => registration.dispose());
  }

  /** Runs the program of a document (a URI from a code lens, or the active editor), anew if it runs already. */
  async run(uri?: string, how: How = {}): Promise<void> {
    if (!mayRun()) {
      return;
    }
    const document = await saved(await documentOf(uri));
    if (document === undefined || (await findApg(this.context)) === undefined) {
      return;
    }
    const file = document.uri.fsPath;
    const places = how.places ?? (await placesOfSettings(file));
    const definition: Definition = { type: "apg", command: "run", file };
    if (places !== undefined) {
      definition.places = places;
    }
    if (how.accels !== undefined) {
      definition.accels = how.accels;
    }
    if (how.parallel !== undefined) {
      definition.parallel = how.parallel;
    }
    if (how.on !== undefined) {
      definition.on = how.on;
    }
    const name = [path.basename(file)];
    if (how.on !== undefined) {
      name.push(`on ${how.on}`);
    }
    if (places !== undefined && places > 1) {
      name.push(`at ${places} places`);
    }
    if (how.accels !== undefined) {
      name.push(how.accels === "none" ? "on CPUs" : "on GPUs");
    }
    const folder = vscode.workspace.getWorkspaceFolder(document.uri);
    const task = await this.task(definition, folder, name.join(" "));
    if (task !== undefined) {
      await this.end((other) => other === file);
      await vscode.tasks.executeTask(task);
    }
  }

  /** Ends the programs that run. */
  async stop(): Promise<void> {
    await this.end(() => true);
  }

  private async end(isMeant: (file: string) => boolean): Promise<void> {
    const meant = [...this.running].filter(([, file]) => isMeant(file));
    await Promise.all(
      meant.map(async ([terminal, file]) => {
        const gone = taskEnds(file);
        await terminal.stop();
        await gone;
      }),
    );
  }

  /** Runs the program on a remote machine. */
  async runOn(uri: string | undefined, remote: string | undefined): Promise<void> {
    if (remote !== undefined) {
      await this.run(uri, { on: remote });
    }
  }

  /** Offers to follow jobs again that were followed before the window was reloaded. */
  async offerKeptJobs(): Promise<void> {
    for (const kept of this.keptJobs()) {
      const [follow, forget] = ["Attach", "Forget"];
      const answer = await vscode.window.showInformationMessage(
        `${path.basename(kept.file)} runs on ${kept.remote} as job ${kept.job}.`,
        follow,
        forget,
      );
      if (answer === follow && mayRun()) {
        const definition: Definition = { type: "apg", command: "run", file: kept.file, on: kept.remote, job: kept.job };
        const task = await this.task(definition, undefined, `${path.basename(kept.file)} on ${kept.remote}`);
        if (task !== undefined) {
          await vscode.tasks.executeTask(task);
        }
      } else if (answer === forget) {
        await this.forget(kept.job);
      }
    }
  }

  private keptJobs(): KeptJob[] {
    return this.context.workspaceState.get<KeptJob[]>(KEPT_JOBS, []);
  }

  private async forget(job: string): Promise<void> {
    await this.context.workspaceState.update(
      KEPT_JOBS,
      this.keptJobs().filter((kept) => kept.job !== job),
    );
  }

  /** Remembers a job on a remote machine until its end. */
  private async remember(kept: KeptJob): Promise<void> {
    await this.forget(kept.job);
    await this.context.workspaceState.update(KEPT_JOBS, [...this.keptJobs(), kept]);
  }

  /** Runs the program with all GPUs. What `--parallel` is then the lens of a program in C says: without it, it is looked up. */
  async runOnGpu(uri?: string, parallel?: unknown): Promise<void> {
    let given = parallel;
    const document = uri === undefined ? await documentOf(uri) : undefined;
    if (document !== undefined && isC(document.uri.fsPath)) {
      const lensesOf = "vscode.executeCodeLensProvider";
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[] | undefined>(lensesOf, document.uri);
      const lens = lenses?.find(({ command }) => command?.command === "apg.runOnGpu");
      given = lens?.command?.arguments?.[1];
    }
    const target = uri ?? document?.uri.toString();
    await this.run(target, { accels: "all", ...(typeof given === "string" ? { parallel: given } : {}) });
  }

  /** Asks for the number of places first. */
  async runWithPlaces(uri?: string): Promise<void> {
    const answer = await vscode.window.showInputBox({
      prompt: "Number of host places",
      value: "4",
      validateInput: (text) => (/^[1-9][0-9]*$/.test(text) ? undefined : "a number from 1 up"),
    });
    if (answer !== undefined) {
      await this.run(uri, { places: Number(answer) });
    }
  }

  async provideTasks(): Promise<vscode.Task[]> {
    const commands: Definition["command"][] = ["run", "build", "check"];
    const tasks = commands.map((command) => this.task({ type: "apg", command, file: "${file}" }, undefined, command));
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) =>
      this.task({ type: "apg", command: "check", file: "${workspaceFolder}" }, folder, "check all"),
    );
    return (await Promise.all([...tasks, ...folders])).filter((task) => task !== undefined);
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
    const asked = definition.places ?? (await placesOfSettings(file));
    const places = asked ?? 1;
    const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file));
    const cwd = folder?.uri.fsPath ?? path.dirname(file);
    runsIn(path.dirname(file));
    const { on: remote } = definition;
    await this.places.start(name, places, remote);
    const isAttached = remote !== undefined && definition.job !== undefined;
    const args = isAttached
      ? ["attach", definition.job ?? "", "--on", remote]
      : argumentsOf({ ...definition, file, ...(asked === undefined ? {} : { places: asked }) });
    let job = definition.job;
    const terminal = new RunTerminal({ command, args, cwd, places, remote }, (event) => {
      this.places.take(name, event);
      if (event.event === "remote" && event.job !== undefined) {
        job = event.job;
        void this.remember({ remote: event.remote, job, file });
      } else if (event.event === "exit" && event.isSynthetic !== true && job !== undefined) {
        void this.forget(job);
      }
    });
    this.running.set(terminal, file);
    terminal.onDidClose(() => this.running.delete(terminal));
    return terminal;
  }
}

function isRun({ task }: vscode.TaskExecution): boolean {
  return task.definition.type === "apg" && task.definition.command === "run";
}

/** Resolves when the task that runs a file is not active any more, or soon: the editor asks before it starts one twice. */
function taskEnds(file: string): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      listener.dispose();
      resolve();
    };
    const timer = setTimeout(done, 6_000);
    const listener = vscode.tasks.onDidEndTask(({ execution }) => {
      const ended: unknown = execution.task.definition.file;
      // In `tasks.json` it may be a variable.
      if (isRun(execution) && (ended === undefined || ended === file || String(ended).startsWith("$"))) {
        done();
      }
    });
  });
}

/** A document as a file with its present text; a new one asks for its name. */
async function saved(document: vscode.TextDocument | undefined): Promise<vscode.TextDocument | undefined> {
  if (document === undefined || !document.isUntitled) {
    return document === undefined || (await document.save()) || !document.isDirty ? document : undefined;
  }
  await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand("workbench.action.files.saveAs");
  const active = vscode.window.activeTextEditor?.document;
  return active?.isUntitled === false ? active : undefined;
}

/** The arguments of `apg`. */
function argumentsOf(definition: Definition): string[] {
  const { command, file = "${file}" } = definition;
  const settings = vscode.workspace.getConfiguration("apg", file.startsWith("$") ? undefined : vscode.Uri.file(file));
  const args: string[] = [command, file];
  if (command === "run") {
    const accels = definition.accels ?? settings.get<string>("run.accels", "");
    args.push(...(definition.places === undefined ? [] : ["--places", String(definition.places)]));
    args.push(...(accels === "" ? [] : ["--accels", accels]));
    args.push(...(definition.parallel === undefined ? [] : ["--parallel", definition.parallel]));
    // It runs on when the window is reloaded.
    args.push(...(definition.on === undefined ? [] : ["--on", definition.on, "--keep"]));
  }
  if (command === "check") {
    args.push("--message-format", "github");
  }
  if (command !== "check" && definition.release === true) {
    args.push("--release");
  }
  args.push(...sourcePathOptions(file, settings));
  if (command === "run") {
    args.push(...settings.get<string[]>("run.options", []));
  }
  const programArguments = definition.args ?? settings.get<string[]>("run.arguments", []);
  if (command === "run" && programArguments.length > 0) {
    args.push("--", ...programArguments);
  }
  return args;
}

/** Whether a file is one of a program in C. */
function isC(file: string): boolean {
  return file.endsWith(".c");
}

/** What programs in C of several places have: directives of XcalableMP, their header, or a coarray. */
const XCALABLEMP = /^[ \t]*#[ \t]*(pragma[ \t]+xmp\b|include[ \t]*[<"]xmp\.h)|_Pragma[ \t]*\([ \t]*"[ \t]*xmp\b|:\[\*\]/m;

/** The number of places that the settings say for a program; none for one in C that has no places. */
async function placesOfSettings(file: string): Promise<number | undefined> {
  const uri = vscode.Uri.file(file);
  if (isC(file)) {
    // Of a file that cannot be read the command says why.
    const text = await vscode.workspace.openTextDocument(uri).then((document) => document.getText(), () => "");
    if (!XCALABLEMP.test(text)) {
      return undefined;
    }
  }
  return vscode.workspace.getConfiguration("apg", uri).get<number>("run.places", 1);
}

/** The folders with further packages, which programs in X10 have. */
export function sourcePathOptions(file: string, settings: vscode.WorkspaceConfiguration): string[] {
  const folders = isC(file) ? [] : settings.get<string[]>("sourcePath", []);
  return folders.flatMap((folder) => ["--source-path", folder]);
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
    // Not awaited: what asked for it goes on.
    void sayAbsent("apg", "apg.command.path", "no program can be built");
  }
  return command;
}
