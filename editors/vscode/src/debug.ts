// Debugging: builds the program and hands it to a native debugger, which knows X10 lines from `#line`.

import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";

import { findOnPath, mayRun } from "./programs";
import { pathInTree } from "./remotes";
import { findApg, sourcePathOptions } from "./run";

/** A launch configuration of ours. */
interface Launch extends vscode.DebugConfiguration {
  program?: string;
  places?: number;
  accels?: string;
  args?: string[];
  /** Stops in kernels too. */
  kernels?: boolean;
  /** The remote machine, with a debugger there. */
  on?: string;
}

/** A debugger that can be used, by the extension that brings it. */
interface Candidate {
  extension: string;
  configure: (run: Program) => vscode.DebugConfiguration;
}

// The collector stops threads by a signal, which is nothing to stop for.
const LLDB = { preRunCommands: ["process handle --stop false --notify false --pass true SIGPWR"] };
const GDB = { MIMode: "gdb", setupCommands: [{ text: "handle SIGPWR nostop noprint pass" }] };

/** The debuggers of host code, best first. */
const OF_HOSTS: Candidate[] = [
  {
    extension: "vadimcn.vscode-lldb",
    configure: (run) => ({ ...basis(run, "lldb"), ...LLDB, env: run.env }),
  },
  {
    extension: "llvm-vs-code-extensions.lldb-dap",
    configure: (run) => ({
      ...basis(run, "lldb-dap"),
      ...LLDB,
      env: Object.entries(run.env).map(([name, value]) => `${name}=${value}`),
    }),
  },
  {
    extension: "ms-vscode.cpptools",
    configure: (run) => ({ ...basis(run, "cppdbg"), ...GDB, environment: listed(run.env) }),
  },
];

/** The debuggers of host code and kernels, best first. */
function ofKernels(cudaGdb: string): Candidate[] {
  return [
    {
      extension: "nvidia.nsight-vscode-edition",
      configure: (run) => ({ ...basis(run, "cuda-gdb"), debuggerPath: cudaGdb, environment: listed(run.env) }),
    },
    {
      extension: "ms-vscode.cpptools",
      configure: (run) => ({
        ...basis(run, "cppdbg"),
        ...GDB,
        miDebuggerPath: cudaGdb,
        environment: listed(run.env),
      }),
    },
  ];
}

interface Program {
  name: string;
  program: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

function listed(variables: Record<string, string>): { name: string; value: string }[] {
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

/** Where cuda-gdb is: on the PATH, or where the CUDA toolkit puts itself. */
function findCudaGdb(): Promise<string | undefined> {
  return findOnPath("cuda-gdb", ["/usr/local/cuda/bin"]);
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

  async provideDebugConfigurations(): Promise<vscode.DebugConfiguration[]> {
    const common = { type: "apg", request: "launch", program: "${file}" };
    const kernels = { ...common, name: "Debug this program and its kernels (cuda-gdb)", kernels: true };
    return [
      { ...common, name: "Debug this program" },
      { ...common, name: "Debug this program at 2 places", places: 2 },
      ...((await findCudaGdb()) === undefined ? [] : [kernels]),
    ];
  }

  resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): vscode.DebugConfiguration {
    // Without launch.json, what is asked for is the active editor's program.
    return configuration.type === undefined || configuration.type === ""
      ? { ...configuration, type: "apg", request: "launch", name: "Debug this program", program: "${file}" }
      : configuration;
  }

  /** Builds, and becomes the configuration of the debugger that is there. */
  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    launch: Launch,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const command = mayRun() ? await findApg(this.context) : undefined;
    if (command === undefined || launch.program === undefined) {
      return undefined;
    }
    if (launch.on !== undefined) {
      await debugInTerminal(command, folder, launch, launch.kernels === true ? "cuda-gdb" : "gdb");
      return undefined;
    }
    const cudaGdb = launch.kernels === true ? await findCudaGdb() : undefined;
    if (launch.kernels === true && cudaGdb === undefined) {
      void vscode.window.showErrorMessage(
        "cuda-gdb is not on the PATH: it comes with the CUDA toolkit. Without `kernels` in the configuration host code is debugged.",
      );
      return undefined;
    }
    const candidates = cudaGdb === undefined ? OF_HOSTS : ofKernels(cudaGdb);
    const found = candidates.find(({ extension }) => vscode.extensions.getExtension(extension) !== undefined);
    if (found === undefined) {
      await debugInTerminal(command, folder, launch, cudaGdb === undefined ? "gdb" : "cuda-gdb");
      return undefined;
    }
    const settings = vscode.workspace.getConfiguration("apg", vscode.Uri.file(launch.program));
    const program = await this.build(command, launch.program, sourcePathOptions(launch.program, settings));
    if (program === undefined) {
      return undefined;
    }
    const accels = launch.accels ?? settings.get<string>("run.accels", "");
    return found.configure({
      name: launch.name,
      program,
      args: launch.args ?? settings.get<string[]>("run.arguments", []),
      cwd: folder?.uri.fsPath ?? path.dirname(launch.program),
      env: {
        X10_NPLACES: String(launch.places ?? 1),
        ...(accels === "" ? {} : { X10RT_ACCELS: accels.toUpperCase() }),
        ...(cudaGdb === undefined ? {} : { APG_DEVICE_DEBUG: "1" }),
      },
    });
  }

  private async build(command: string, file: string, options: string[]): Promise<string | undefined> {
    const directory = this.context.storageUri?.fsPath ?? this.context.globalStorageUri.fsPath;
    const program = path.join(directory, path.parse(file).name);
    const args = ["build", "--debug", file, "-o", program, ...options];
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
  debuggerName: "gdb" | "cuda-gdb",
): Promise<void> {
  if (launch.on === undefined && debuggerName === "gdb" && (await findOnPath("gdb")) === undefined) {
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
  const shellArgs = ["run", `--debugger=${debuggerName}`, file, "--places", String(launch.places ?? 1)];
  shellArgs.push(...(accels === "" ? [] : ["--accels", accels]));
  shellArgs.push(...(launch.on === undefined ? [] : ["--on", launch.on]));
  shellArgs.push(...sourcePathOptions(file, settings));
  shellArgs.push(...(programArguments.length === 0 ? [] : ["--", ...programArguments]));
  const cwd = folder?.uri.fsPath ?? path.dirname(file);
  const terminal = vscode.window.createTerminal({
    name: `${debuggerName}: ${path.basename(file)}${launch.on === undefined ? "" : ` on ${launch.on}`}`,
    shellPath: command,
    shellArgs,
    cwd,
    iconPath: new vscode.ThemeIcon("debug-alt"),
  });
  terminal.show();
  // What is written before gdb reads waits for it.
  terminal.sendText("set confirm off");
  const lines = vscode.debug.breakpoints.flatMap((breakpoint) =>
    breakpoint instanceof vscode.SourceBreakpoint && breakpoint.enabled && /\.(x10|c)$/.test(breakpoint.location.uri.path)
      ? [{ file: breakpoint.location.uri.fsPath, line: breakpoint.location.range.start.line + 1, condition: breakpoint.condition }]
      : [],
  );
  lines.forEach(({ file, line, condition }) => {
    // On another machine the folder above is another one.
    const name = launch.on === undefined ? file : pathInTree(file, cwd);
    terminal.sendText(`break ${name}:${line}${condition === undefined ? "" : ` if ${condition}`}`);
  });
  // Without a breakpoint it stops where the user says before `run`.
  if (lines.length > 0) {
    terminal.sendText("run");
  }
}
