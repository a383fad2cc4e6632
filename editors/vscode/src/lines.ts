// Which lines of generated code belong to which lines of the source: `#line` directives say it.

export class LineMap {
  /** For each generated line the source's, from 0; -1 where there is none. */
  private readonly sources: number[] = [];

  constructor(text: string, source: string) {
    let file = "";
    let line = -1;
    for (const content of text.split("\n")) {
      const directive = /^\s*#line (\d+)(?: "((?:[^"\\]|\\.)*)")?/.exec(content);
      if (directive !== null) {
        file = directive[2] === undefined ? file : directive[2].replace(/\\(.)/g, "$1");
        line = Number(directive[1]) - 1;
        this.sources.push(-1);
      } else {
        // What a directive starts goes on until the next one; what follows it is made for the same line.
        this.sources.push(line >= 0 && sameFile(file, source) ? line : -1);
      }
    }
  }

  /** The first generated line of a source line, or of the nearest one before it that has any. */
  generated(line: number): number | undefined {
    let best: number | undefined;
    this.sources.forEach((source, at) => {
      if (source >= 0 && source <= line && (best === undefined || source > this.sources[best])) {
        best = at;
      }
    });
    return best;
  }

  /** The source line of a generated line, or of the nearest one behind it that has any. */
  source(line: number): number | undefined {
    return this.sources.slice(line).find((source) => source >= 0);
  }

  /** All generated lines of a source line. */
  all(line: number): number[] {
    return this.sources.flatMap((source, at) => (source === line ? [at] : []));
  }
}

/** Directives may name a file by less than its whole path. */
function sameFile(named: string, source: string): boolean {
  return named === source || source.endsWith(`/${named}`) || named.endsWith(`/${source.split("/").pop() ?? ""}`);
}
