// What a document is compiled to (CUDA, host C++, the intermediate form), as a read-only document beside it: kept up to date
// while someone types, scrolled with the source, and with the lines marked that belong to the cursor's.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { LineMap, Lines } from "./lines";
import { documentOf } from "./run";

const SCHEME = "apg-generated";
/** Typing settles before code is generated again. */
const SETTLED = 300;
/** An editor that was scrolled here does not scroll the other one in turn; its events come late when the machine is busy. */
const ECHO = 800;
/** An editor that opens moves by itself so long. */
const OPENING = 700;

/** What can be shown. */
export type Kind = "cuda" | "ptx" | "resources" | "c" | "cpp" | "mir" | "transfers" | "communication";

/** The ending gives the colours. */
const ENDINGS: Record<Kind, string> = {
  cuda: "cu",
  ptx: "ptx",
  resources: "txt",
  c: "c",
  cpp: "cpp",
  mir: "mir",
  transfers: "transfers.txt",
  communication: "communication.txt",
};
const KINDS = Object.keys(ENDINGS) as Kind[];

/** What the server answers: the code, and which of its lines belong to which of the source; or why there is none. */
interface Answer {
  text: string;
  lines: Lines;
  isCode: boolean;
}

export class GeneratedCode implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registrations: vscode.Disposable[];
  /** The last code of each document that is shown. */
  private readonly shown = new Map<string, Answer>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
  });
  /** Those of code that is shown on below a note. */
  private readonly stale = new Map<string, Lines>();
  private quiet = 0;
  private scrolled: { editor: vscode.TextEditor; until: number } | undefined;
  readonly onDidChange = this.changed.event;

  constructor(private readonly client: () => LanguageClient | undefined) {
    this.registrations = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        this.generateSoon(document);
        this.markAgain(document);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.shown.delete(uri.toString())),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor, visibleRanges }) => {
        if (visibleRanges.length > 0) {
          this.scroll(textEditor, visibleRanges[0].start.line);
        }
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
        this.markLines(textEditor, selections[0].active.line);
      }),
    ];
  }

  /** Opens the code of the host beside the active editor. */
  async showHostCode(uri?: string): Promise<void> {
    const document = await documentOf(uri);
    await this.show(document?.languageId === "c" ? "c" : "cpp", uri);
  }

  /** Opens it beside the active editor. */
  async show(kind: Kind, uri?: string): Promise<void> {
    const source = uri === undefined ? vscode.window.activeTextEditor?.document.uri : vscode.Uri.parse(uri);
    if (source === undefined) {
      return;
    }
    const sourceEditor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === source.toString());
    const target = virtualUri(source, kind);
    this.changed.fire(target);
    const document = await vscode.workspace.openTextDocument(target);
    const line = sourceEditor === undefined ? undefined : this.map(document).generated(sourceEditor.selection.active.line);
    // The kernel is what was asked for; before it stands what all kernels share.
    const kernel = document.getText().search(/__global__|\.entry/);
    const at = kernel >= 0 && (line === undefined || line < document.positionAt(kernel).line) ? document.positionAt(kernel) : undefined;
    const selection = at ?? new vscode.Position(line ?? 0, 0);
    // Where it opens is said here: it does not scroll the source.
    this.quiet = Date.now() + OPENING;
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preview: true,
      preserveFocus: true,
      selection: new vscode.Range(selection, selection),
    });
    editor.revealRange(new vscode.Range(selection, selection), vscode.TextEditorRevealType.InCenter);
    if (sourceEditor !== undefined) {
      this.markLines(sourceEditor, sourceEditor.selection.active.line);
    }
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const client = this.client();
    if (client === undefined) {
      return "// The language server is not running.\n";
    }
    const parameters = { textDocument: { uri: uri.query }, kind: uri.fragment };
    const answer = await client.sendRequest<Answer>("apg/generatedCode", parameters, token);
    const key = uri.toString();
    const before = this.shown.get(key);
    if (!answer.isCode && before !== undefined) {
      // While someone types, most texts are no programs: the last one stays in sight.
      const note = "// Of the last text without errors.";
      const lines: Lines = [[0, -1], ...before.lines.map(([line, of]): [number, number] => [line + 1, of])];
      this.stale.set(key, lines);
      return `${note}\n${before.text}`;
    }
    this.stale.delete(key);
    if (answer.isCode) {
      this.shown.set(key, answer);
    }
    return answer.text;
  }

  dispose(): void {
    this.timers.forEach((timer) => clearTimeout(timer));
    this.changed.dispose();
    this.mark.dispose();
    this.registrations.forEach((registration) => registration.dispose());
  }

  /** Generates what is seen of a document again, once no more is typed. */
  private generateSoon(document: vscode.TextDocument): void {
    if ((document.languageId !== "x10" && document.languageId !== "c") || document.uri.scheme === SCHEME) {
      return;
    }
    const key = document.uri.toString();
    clearTimeout(this.timers.get(key));
    const generate = (): void => {
      this.timers.delete(key);
      const seen = new Set(vscode.window.visibleTextEditors.map((editor) => editor.document.uri.toString()));
      KINDS.map((kind) => virtualUri(document.uri, kind))
        .filter((uri) => seen.has(uri.toString()))
        .forEach((uri) => this.changed.fire(uri));
    };
    this.timers.set(key, setTimeout(generate, SETTLED));
  }

  /** The editors that show the other side of one, with the lines that belong together. */
  private others(editor: vscode.TextEditor): { other: vscode.TextEditor; map: LineMap }[] {
    const { uri } = editor.document;
    const isGenerated = uri.scheme === SCHEME;
    return vscode.window.visibleTextEditors.flatMap((other) => {
      const generated = isGenerated ? editor.document : other.document;
      const source = isGenerated ? other.document : editor.document;
      const belong = generated.uri.scheme === SCHEME && generated.uri.query === source.uri.toString(true);
      return belong ? [{ other, map: this.map(generated) }] : [];
    });
  }

  private map(generated: vscode.TextDocument): LineMap {
    const key = generated.uri.toString();
    return new LineMap(this.stale.get(key) ?? this.shown.get(key)?.lines ?? [], generated.lineCount);
  }

  private scroll(editor: vscode.TextEditor, line: number): void {
    const now = Date.now();
    if (now < this.quiet || (this.scrolled?.editor === editor && now < this.scrolled.until)) {
      return;
    }
    const toSource = editor.document.uri.scheme === SCHEME;
    for (const { other, map } of this.others(editor)) {
      const target = toSource ? map.source(line) : map.generated(line);
      if (target !== undefined) {
        this.reveal(other, target);
      }
    }
  }

  private reveal(editor: vscode.TextEditor, line: number): void {
    this.scrolled = { editor, until: Date.now() + ECHO };
    editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.AtTop);
  }

  /** Marks in code that was generated again what belongs to the cursor of its source. */
  private markAgain(generated: vscode.TextDocument): void {
    if (generated.uri.scheme !== SCHEME) {
      return;
    }
    vscode.window.visibleTextEditors
      .filter(({ document }) => document.uri.toString(true) === generated.uri.query)
      .forEach((editor) => this.markLines(editor, editor.selection.active.line));
  }

  private markLines(editor: vscode.TextEditor, line: number): void {
    const fromGenerated = editor.document.uri.scheme === SCHEME;
    for (const { other, map } of this.others(editor)) {
      const source = fromGenerated ? map.source(line) : line;
      const lines = source === undefined ? [] : fromGenerated ? [source] : map.all(source);
      other.setDecorations(this.mark, lines.map((at) => new vscode.Range(at, 0, at, 0)));
    }
  }
}

/** `apg-generated:/folder/name.x10.cu?file:///folder/name.x10#cuda` */
function virtualUri(source: vscode.Uri, kind: Kind): vscode.Uri {
  const path = `${source.path}.${ENDINGS[kind]}`;
  return vscode.Uri.from({ scheme: SCHEME, path, query: source.toString(true), fragment: kind });
}
