// Which lines of generated code belong to which lines of the source: the server says it.

/** `[line, source]`: from this line on the text comes from that line of the source; -1 is nowhere. */
export type Lines = [number, number][];

/** So many lines are seen at once, more or less. */
const NEAR = 30;

export class LineMap {
  /** For each generated line the source's, from 0; -1 where there is none. */
  private readonly sources: number[];

  constructor(lines: Lines, count: number) {
    this.sources = new Array<number>(count).fill(-1);
    lines.forEach(([start, source], nth) => this.sources.fill(source, start, lines[nth + 1]?.[0] ?? count));
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

  /** The source line of a generated line, or of one a little behind it: what is between is shared by all programs. */
  source(line: number): number | undefined {
    return this.sources.slice(line, line + NEAR).find((source) => source >= 0);
  }

  /** All generated lines of a source line. */
  all(line: number): number[] {
    return this.sources.flatMap((source, at) => (source === line ? [at] : []));
  }
}
