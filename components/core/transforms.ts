/** Patches of single resources that the environment asks for: JSON Patch (RFC 6902) on what the program is about to declare. */
import type * as pulumi from "@pulumi/pulumi";
import { isPlain, type Plain } from "../../kubernetes/plain";

export interface Patch {
  readonly op: "add" | "replace" | "remove";
  /** JSON Pointer (RFC 6901). */
  readonly path: string;
  readonly value?: unknown;
}

/** Patches of one resource, by its kind and its name in the program. */
export interface TransformRequest {
  readonly kind: string;
  readonly resource: string;
  readonly patches: readonly Patch[];
}

/** A request, or one of its patches, that cannot be had. */
export interface TransformFault {
  readonly request: number;
  /** @default the request as a whole */
  readonly patch?: number;
  readonly reason: string;
}

/** Applies each request to its resource, and keeps what could not be done. In one place, so that all that follows sees the result. */
export class Transforms {
  private readonly met = new Set<number>();
  private readonly failed: TransformFault[] = [];

  constructor(private readonly requests: readonly TransformRequest[]) {}

  /** To come before what changes images, labels and charts: that holds for what is patched too. */
  readonly transformation: pulumi.ResourceTransformation = ({ type, name, props, opts }) => {
    let changed: unknown = props;
    for (const [request, { kind, resource, patches }] of this.requests.entries()) {
      if (resource !== name || kind !== type.split(":").at(-1) || !type.startsWith("kubernetes:")) {
        continue;
      }
      this.met.add(request);
      for (const [patch, each] of patches.entries()) {
        const result = patched(changed, each);
        if ("reason" in result) {
          this.failed.push({ request, patch, reason: result.reason });
        } else {
          changed = result.value;
        }
      }
    }
    return changed === props ? undefined : { props: changed as Plain, opts };
  };

  /** What could not be done of all that was asked for, once everything is declared. */
  get faults(): readonly TransformFault[] {
    const unmet = this.requests.flatMap((_, request) =>
      this.met.has(request) ? [] : [{ request, reason: "no such resource is declared" }],
    );
    return [...unmet, ...this.failed].sort((a, b) => a.request - b.request);
  }
}

type Result = { readonly value: unknown } | { readonly reason: string };

/** A copy of plain data with one patch applied, or why it cannot be. */
export function patched(root: unknown, { op, path, value }: Patch): Result {
  const segments = path
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  return change(root, segments, op, value, "");
}

function change(
  at: unknown,
  [key = "", ...rest]: readonly string[],
  op: Patch["op"],
  value: unknown,
  seen: string,
): Result {
  const here = seen === "" ? "the resource" : seen;
  if (Array.isArray(at)) {
    return changeList(at, [key, ...rest], op, value, seen);
  }
  if (!isPlain(at)) {
    return {
      reason:
        at === undefined ? `there is no ${here}` : `${here} is no mapping or list that is known before deployment`,
    };
  }
  const exists = Object.hasOwn(at, key) && at[key] !== undefined;
  if (rest.length > 0) {
    const below = change(exists ? at[key] : undefined, rest, op, value, `${seen}/${key}`);
    return "reason" in below ? below : { value: { ...at, [key]: below.value } };
  }
  if (op !== "add" && !exists) {
    return { reason: `there is no ${seen}/${key}` };
  }
  const { [key]: _, ...others } = at;
  return { value: op === "remove" ? others : { ...at, [key]: value } };
}

function changeList(
  list: readonly unknown[],
  [key = "", ...rest]: readonly string[],
  op: Patch["op"],
  value: unknown,
  seen: string,
): Result {
  const isEnd = key === "-" && op === "add" && rest.length === 0;
  const index = isEnd ? list.length : /^(0|[1-9]\d{0,4})$/.test(key) ? Number(key) : Number.NaN;
  const most = op === "add" && rest.length === 0 ? list.length : list.length - 1;
  if (!(index <= most)) {
    return { reason: `${seen} has ${list.length} items, and none at ${key}` };
  }
  if (rest.length > 0) {
    const below = change(list[index], rest, op, value, `${seen}/${key}`);
    return "reason" in below ? below : { value: list.with(index, below.value) };
  }
  const removed = op === "add" ? 0 : 1;
  return { value: list.toSpliced(index, removed, ...(op === "remove" ? [] : [value])) };
}
