import type * as automation from "@pulumi/pulumi/automation";
import { filesBelow } from "../engine/secret-search";
import type { Machine } from "./machine/machine";

/** Milliseconds: each script runs for longer, and whoever looks more often holds up what it looks at. */
const SAMPLING = 200;

/** What an operation of the engine tells while it runs. */
export type EngineListeners = Required<Pick<automation.UpOptions, "onEvent" | "onOutput" | "onError">>;

/** Somebody who sees all that an operation of the engine tells, and all that a machine shows meanwhile to its root. */
export class Onlooker {
  /** Events and text. */
  private told = "";
  /** Each command line and environment that was seen on the machine once. */
  private readonly processes = new Set<string>();
  /** By path, each content that was seen of a file. */
  private readonly files = new Map<string, Set<string>>();

  /** @param folders on the operator's machine: what the engine keeps there. */
  constructor(
    private readonly machine: Machine,
    private readonly folders: readonly string[],
  ) {}

  /** Looks on while something runs. */
  async during<T>(run: (listeners: EngineListeners) => Promise<T>): Promise<T> {
    const add = (text: string): void => {
      this.told += text;
    };
    const sampling = setInterval(() => this.look(), SAMPLING);
    try {
      return await run({
        onEvent: (event) => {
          // Traces of Pulumi's SDK, which hold outputs in clear: the engine shows and keeps them with --debug alone (docs/edge.md).
          // The SDK's type leaves that severity out.
          if (String(event.diagnosticEvent?.severity) !== "debug") {
            add(`${JSON.stringify(event)}\n`);
          }
        },
        onOutput: add,
        onError: add,
      });
    } finally {
      clearInterval(sampling);
      this.look();
    }
  }

  /** All that was seen until now, and the engine's files as they are, by place. */
  get seen(): Map<string, string> {
    return new Map([
      ["the engine's output", this.told],
      ["processes", [...this.processes].join("\n")],
      ...[...this.machine.logs()].map(([name, text]): [string, string] => [`log ${name}`, text]),
      ...[...this.files].map(([path, contents]): [string, string] => [path, [...contents].join("\n")]),
      ...this.folders.flatMap((folder) => [...filesBelow(folder)]),
    ]);
  }

  private look(): void {
    for (const process of this.machine.processList().split("\n")) {
      this.processes.add(process);
    }
    for (const [path, content] of this.machine.contents()) {
      const contents = this.files.get(path) ?? new Set();
      this.files.set(path, contents.add(content));
    }
  }
}
