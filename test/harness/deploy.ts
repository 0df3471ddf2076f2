import * as pulumi from "@pulumi/pulumi";
import { type OfflineOptions, type RecordedResource, type Recording, runOffline } from "../../offline/run";

export type { RecordedResource, Recording } from "../../offline/run";

/** What a test asks of a recording, with an error that lists what there is. */
export class Deployment {
  constructor(readonly recording: Recording) {}

  /** The one resource of this type and name. */
  resource(type: string, name: string): RecordedResource {
    const found = this.recording.resources.filter((r) => r.type === type && r.name === name);
    const [only] = found;
    if (!only || found.length > 1) {
      const names = this.ofType(type).map((r) => r.name);
      throw new Error(`no ${type} named "${name}"; there are: ${names.join(", ") || "none of this type"}`);
    }
    return only;
  }

  ofType(type: string): RecordedResource[] {
    return this.recording.resources.filter((r) => r.type === type);
  }

  /** Custom resources (CRDs) of a kind, for example `HTTPRoute`. */
  ofKind(kind: string): RecordedResource[] {
    return this.recording.resources.filter((r) => r.inputs.kind === kind);
  }

  /** `<type> <name>`, one line each, sorted by tree: for readable snapshots. */
  tree(): string {
    const children = new Map<string | undefined, RecordedResource[]>();
    for (const r of this.recording.resources) {
      children.set(r.parent, [...(children.get(r.parent) ?? []), r]);
    }
    const lines: string[] = [];
    const walk = (parent: string | undefined, depth: number): void => {
      const sorted = [...(children.get(parent) ?? [])].sort((a, b) =>
        `${a.type}${a.name}` < `${b.type}${b.name}` ? -1 : 1,
      );
      for (const r of sorted) {
        lines.push(`${"  ".repeat(depth)}${r.type} ${r.name}`);
        walk(r.urn, depth + 1);
      }
    };
    walk(undefined, 0);
    return lines.join("\n");
  }
}

/**
 * Runs `program` against mocks until every registration is done, and guards against the ways in which
 * a mock test passes without having tested anything: unresolved inputs (bounded drain), duplicate names,
 * left-over config, and a program that registers nothing.
 */
export async function deploy(program: () => unknown, options: Partial<OfflineOptions> = {}): Promise<Deployment> {
  const recording = await runOffline(program, {
    project: "inference-stacks",
    stack: "test",
    drainTimeoutMs: 10_000,
    ...options,
  });
  if (recording.resources.length < 2) {
    throw new Error("the program under test registered no resource");
  }
  checkTree(recording.resources);
  return new Deployment(recording);
}

/** The value of an output: await it, then assert. Never assert inside an `apply` that nobody awaits. */
export function resolved<T>(output: pulumi.Input<T>): Promise<T> {
  return new Promise((resolve) => {
    pulumi.output(output).apply((value) => resolve(value as T));
  });
}

/** House rule: a component's children carry its name as prefix; what is of another type, and the only one of it, may be named alike. */
function checkTree(resources: readonly RecordedResource[]): void {
  const byUrn = new Map(resources.map((r) => [r.urn, r]));
  for (const r of resources) {
    const parent = r.parent === undefined ? undefined : byUrn.get(r.parent);
    if (parent?.type.startsWith("inference:") && r.name !== parent.name && !r.name.startsWith(`${parent.name}-`)) {
      throw new Error(`${r.type} "${r.name}" does not carry the prefix of its component "${parent.name}"`);
    }
  }
}
