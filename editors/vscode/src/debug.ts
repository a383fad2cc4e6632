// Debugging: builds the program and hands it to a native debugger, which knows X10 lines from `#line`.

import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";

import { isOnPath } from "./programs";
import { findApg } from "./run";

/** A launch configuration of ours. */
interface Launch extends vscode.DebugConfiguration {
  program?: string;
  places?: number;
  accels?: string;
  args?: string[];
}

/** The debuggers that can be used, by the extension that brings them, best first. */
const DEBUGGERS: { extension: string; configure: (run: Program) => vscode.DebugConfiguration }[] = [
  {
    extension: "vadimcn.vscode-lldb",
    configure: (run) => ({ ...basis(run, "lldb"), env: run.env }),
  },
  {
    extension: "llvm-vs-code-extensions.lldb-dap",
    configure: (run) => ({ ...basis(run, "lldb-dap"), env: Object.entries(run.env).map(([name, value]) => `${name}=${value}`) }),
  },
  {
    extension: "ms-vscode.cpptools",
    configure: (run) => ({
      ...basis(run, "cppdbg"),
      MIMode: "gdb",
      environment: Object.entries(run.env).map(([name, value]) => ({ name, value })),
    }),
  },
];

interface Program {
  name: string;
  program: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

function basis(run: Program, type: string): vscode.DebugConfiguration {
  return { type, request: "launch", name: run.name, program: run.program, args: run.args, cwd: run.cwd };
}

export class Debugger implements vscode.DebugConfigurationProvider {
  constructor(private readonly context: vscode.ExtensionContext) {}

  register(): vscode.Disposable {
    const { Initial, Dynamic } = vscode.DebugConfigurationProviderTriggerKind;
    return vscode.Disposable.from(
      vscode.debug.registerDebugConfigurationProvider("apg", this, Initial),
      vscode.debug.registerDebugConfigurationProvider("apg", this, Dynamic),
    );
  }

  provideDebugConfigurations(): vscode.DebugConfiguration[] {
    const common = { type: "apg", request: "launch", program: "${file}" };
    return [
      { ...common, name: "Debug this X10 program" },
      { ...common, name: "Debug this X10 program at 2 places", places: 2 },
    ];
  }

  resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): vscode.DebugConfiguration {
    // Without launch.json, what is asked for is the active editor's program.
    return configuration.type === undefined || configuration.type === ""
      ? { ...configuration, type: "apg", request: "launch", name: "Debug this X10 program", program: "${file}" }
      : configuration;
  }

  /** Builds, and becomes the configuration of the debugger that is there. */
  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    launch: Launch,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const command = await findApg(this.context);
    if (command === undefined || launch.program === undefined) {
      return undefined;
    }
    const found = DEBUGGERS.find(({ extension }) => vscode.extensions.getExtension(extension) !== undefined);
    if (found === undefined) {
      await debugInTerminal(command, folder, launch);
      return undefined;
    }
    const settings = vscode.workspace.getConfiguration("apg", vscode.Uri.file(launch.program));
    const program = await this.build(command, launch.program, settings.get<string[]>("sourcePath", []));
    if (program === undefined) {
      return undefined;
    }
    const accels = launch.accels ?? settings.get<string>("run.accels", "");
    return found.configure({
      name: launch.name,
      program,
      args: launch.args ?? settings.get<string[]>("run.arguments", []),
      cwd: folder?.uri.fsPath ?? path.dirname(launch.program),
      env: { X10_NPLACES: String(launch.places ?? 1), ...(accels === "" ? {} : { X10RT_ACCELS: accels.toUpperCase() }) },
    });
  }

  private async build(command: string, file: string, sourcePath: string[]): Promise<string | undefined> {
    const directory = this.context.storageUri?.fsPath ?? this.context.globalStorageUri.fsPath;
    const program = path.join(directory, path.basename(file, ".x10"));
    const args = ["build", file, "-o", program, ...sourcePath.flatMap((source) => ["--source-path", source])];
    try {
      await mkdir(directory, { recursive: true });
      await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: `apg: building ${path.basename(file)}` },
        () => promisify(execFile)(command, args),
      );
      return program;
    } catch (error) {
      const said = (error as { stderr?: string }).stderr ?? String(error);
      void vscode.window.showErrorMessage(`${path.basename(file)} cannot be built: ${said.split("\n")[0]}`);
      return undefined;
    }
  }
}

/** gdb in a terminal, stopped where the editor's breakpoints are: `apg run --debugger` tells it of X10's values. */
async function debugInTerminal(
  command: string,
  folder: vscode.WorkspaceFolder | undefined,
  launch: Launch,
): Promise<void> {
  if (!(await isOnPath("gdb"))) {
    const install = "Show CodeLLDB";
    const text =
      "No debugger for native programs is installed: install gdb, or one of the extensions CodeLLDB, LLDB DAP and C/C++ (Microsoft).";
    if ((await vscode.window.showErrorMessage(text, install)) === install) {
      await vscode.commands.executeCommand("workbench.extensions.search", "@id:vadimcn.vscode-lldb");
    }
    return;
  }
  const file = launch.program ?? "";
  const settings = vscode.workspace.getConfiguration("apg", vscode.Uri.file(file));
  const accels = launch.accels ?? settings.get<string>("run.accels", "");
  const programArguments = launch.args ?? settings.get<string[]>("run.arguments", []);
  const shellArgs = ["run", "--debugger", file, "--places", String(launch.places ?? 1)];
  shellArgs.push(...(accels === "" ? [] : ["--accels", accels]));
  shellArgs.push(...settings.get<string[]>("sourcePath", []).flatMap((source) => ["--source-path", source]));
  shellArgs.push(...(programArguments.length === 0 ? [] : ["--", ...programArguments]));
  const terminal = vscode.window.createTerminal({
    name: `gdb: ${path.basename(file)}`,
    shellPath: command,
    shellArgs,
    cwd: folder?.uri.fsPath ?? path.dirname(file),
    iconPath: new vscode.ThemeIcon("debug-alt"),
  });
  terminal.show();
  // What is written before gdb reads waits for it.
  terminal.sendText("set confirm off");
  const lines = vscode.debug.breakpoints.flatMap((breakpoint) =>
    breakpoint instanceof vscode.SourceBreakpoint && breakpoint.enabled && breakpoint.location.uri.path.endsWith(".x10")
      ? [{ file: breakpoint.location.uri.fsPath, line: breakpoint.location.range.start.line + 1, condition: breakpoint.condition }]
      : [],
  );
  lines.forEach(({ file, line, condition }) => {
    terminal.sendText(`break ${file}:${line}${condition === undefined ? "" : ` if ${condition}`}`);
  });
  // Without a breakpoint it stops where the user says before `run`.
  if (lines.length > 0) {
    terminal.sendText("run");
  }
}
