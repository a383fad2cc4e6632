// What a document is compiled to (CUDA, host C++, the intermediate form), as a read-only document beside it.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

const SCHEME = "apg-generated";

/** What can be shown. */
export type Kind = "cuda" | "cpp" | "mir";

/** The ending gives the colours. */
const ENDINGS: Record<Kind, string> = { cuda: "cu", cpp: "cpp", mir: "mir" };

export class GeneratedCode implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registrations: vscode.Disposable[];
  readonly onDidChange = this.changed.event;

  constructor(private readonly client: () => LanguageClient | undefined) {
    this.registrations = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidSaveTextDocument((document) => {
        if (document.languageId === "x10") {
          (Object.keys(ENDINGS) as Kind[]).forEach((kind) => this.changed.fire(virtualUri(document.uri, kind)));
        }
      }),
    ];
  }

  /** Opens it beside the active editor. */
  async show(kind: Kind, uri?: string): Promise<void> {
    const source = uri === undefined ? vscode.window.activeTextEditor?.document.uri : vscode.Uri.parse(uri);
    if (source === undefined) {
      return;
    }
    const target = virtualUri(source, kind);
    this.changed.fire(target);
    const document = await vscode.workspace.openTextDocument(target);
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preview: true,
    });
    // The kernel is what was asked for; before it stands what all kernels share.
    const kernel = document.getText().indexOf("__global__");
    if (kernel >= 0) {
      const at = document.positionAt(kernel);
      editor.selection = new vscode.Selection(at, at);
      editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.AtTop);
    }
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const client = this.client();
    if (client === undefined) {
      return "// The language server is not running.\n";
    }
    const parameters = { textDocument: { uri: uri.query }, kind: uri.fragment };
    const answer = await client.sendRequest<{ text: string }>("apg/generatedCode", parameters, token);
    return answer.text;
  }

  dispose(): void {
    this.changed.dispose();
    this.registrations.forEach((registration) => registration.dispose());
  }
}

/** `apg-generated:/folder/name.x10.cu?file:///folder/name.x10#cuda` */
function virtualUri(source: vscode.Uri, kind: Kind): vscode.Uri {
  const path = `${source.path}.${ENDINGS[kind]}`;
  return vscode.Uri.from({ scheme: SCHEME, path, query: source.toString(true), fragment: kind });
}
