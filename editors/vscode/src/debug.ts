// Debugging: builds the program and hands it to a native debugger, which knows X10 lines from `#line`.

import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";

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
      const install = "Show CodeLLDB";
      const text = "No debugger for native programs is installed. CodeLLDB, LLDB DAP and Microsoft's C/C++ extension can be used.";
      if ((await vscode.window.showErrorMessage(text, install)) === install) {
        await vscode.commands.executeCommand("workbench.extensions.search", "@id:vadimcn.vscode-lldb");
      }
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
