// A run as the events of `apg run --message-format json`, one JSON object a line.

/** What is wrong with the program, as `apg check` says it. */
export interface DiagnosticEvent {
  event: "diagnostic";
  file: string;
  line: number;
  column: number;
  severity: string;
  code: string;
  message: string;
  notes: string[];
}

/** How a run on a remote machine goes. */
export interface RemoteEvent {
  event: "remote";
  remote: string;
  state: "connecting" | "installing" | "sending" | "running" | "building" | "reconnecting" | "reconnected";
  /** The job's name, once it runs. */
  job?: string;
  /** What the build does there; empty when it is done. */
  stage?: string;
  /** Why the connection is lost. */
  why?: string;
  files?: number;
}

export type RunEvent =
  | DiagnosticEvent
  | { event: "started"; process: number }
  | RemoteEvent
  | { event: "output"; stream: "stdout" | "stderr"; place?: number; text: string }
  /** `isSynthetic`: the command has ended without saying how the program has, which may run on elsewhere. */
  | { event: "exit"; status: number; isSynthetic?: boolean };

/** Cuts what comes into lines, and reads each as an event; a line that is none is the command's own and is kept as text. */
export class EventReader {
  private rest = "";

  constructor(
    private readonly onEvent: (event: RunEvent) => void,
    private readonly onText: (line: string) => void,
  ) {}

  push(text: string): void {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() ?? "";
    lines.forEach((line) => this.line(line));
  }

  end(): void {
    if (this.rest !== "") {
      this.line(this.rest);
      this.rest = "";
    }
  }

  private line(line: string): void {
    let event: RunEvent | undefined;
    try {
      event = JSON.parse(line) as RunEvent;
    } catch {
      // Not an event.
    }
    if (event?.event === undefined) {
      this.onText(line);
    } else {
      this.onEvent(event);
    }
  }
}
