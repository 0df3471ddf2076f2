import { ApiError, call, selector } from "./api.ts";
import type { Fate } from "./rounds.ts";
import type { GateSettings } from "./settings.ts";

interface NodeObject {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly { readonly key: string }[] };
  readonly status?: {
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Result of a node's last trial, stored in the annotation. */
export interface TrialRecord {
  readonly state: Fate["state"];
  readonly reason: string;
  readonly with?: string;
  /** ISO time. */
  readonly at: string;
}

export interface PoolNode {
  readonly name: string;
  readonly uncertified: boolean;
  readonly unusable: string | undefined;
  readonly record: TrialRecord | undefined;
}

type Pool = Pick<GateSettings, "nodeSelector" | "resources" | "taint" | "annotation">;

/** Attempts to store a result under concurrent changes. */
const WRITES = 10;

export async function poolNodes(pool: Pool): Promise<PoolNode[]> {
  const { body } = await call("GET", `/api/v1/nodes?labelSelector=${selector(pool.nodeSelector)}`);
  return (body as { readonly items: readonly NodeObject[] }).items
    .map((node) => ({
      name: node.metadata.name,
      uncertified: (node.spec?.taints ?? []).some(({ key }) => key === pool.taint),
      unusable: whyUnusable(node, pool),
      record: recordOf(node, pool),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function whyUnusable({ spec, status }: NodeObject, { resources }: Pool): string | undefined {
  if (!status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True")) {
    return "it is not ready";
  }
  if (spec?.unschedulable) {
    return "it is cordoned";
  }
  const lacking = Object.entries(resources).find(([name, count]) => Number(status.allocatable?.[name] ?? 0) < count);
  return lacking && `it offers ${status.allocatable?.[lacking[0]] ?? 0} ${lacking[0]}, not ${lacking[1]}`;
}

function recordOf({ metadata }: NodeObject, { annotation }: Pool): TrialRecord | undefined {
  try {
    return JSON.parse(metadata.annotations?.[annotation] ?? "") as TrialRecord;
  } catch {
    return undefined;
  }
}

/**
 * Stores a trial's result and removes the taint of a certified node, in one patch, which is retried
 * on concurrent changes and preserves them.
 *
 * @throws ApiError if the account lacks permission.
 */
export async function writeDown(name: string, { state, ...fate }: Fate, pool: Pool): Promise<void> {
  const record: TrialRecord = { state, ...fate, at: new Date().toISOString() };
  for (let attempt = 1; ; attempt++) {
    const { status: found, body } = await call("GET", `/api/v1/nodes/${name}`, undefined, [404]);
    if (found === 404) {
      return;
    }
    const { metadata, spec } = body as NodeObject;
    const taints = spec?.taints ?? [];
    const at = taints.findIndex(({ key }) => key === pool.taint);
    const taint = `/spec/taints/${at}`;
    const lift = state === "certified" && at >= 0;
    const patch = [
      ...(lift
        ? [
            { op: "test", path: taint, value: taints[at] },
            { op: "remove", path: taint },
          ]
        : []),
      ...(metadata.annotations ? [] : [{ op: "add", path: "/metadata/annotations", value: {} }]),
      { op: "add", path: `/metadata/annotations/${pool.annotation.replace("/", "~1")}`, value: JSON.stringify(record) },
    ];
    const answer = await call("PATCH", `/api/v1/nodes/${name}`, patch, [404, 409, 422]);
    // 422: the taints changed, or the gate's policy refuses it, which is final.
    const moved = answer.status === 409 || (answer.status === 422 && !isPolicys(answer.body));
    if (!moved) {
      if (answer.status === 422) {
        throw new ApiError(`node ${name}`, answer);
      }
      return;
    }
    if (attempt === WRITES) {
      throw new ApiError(`node ${name} changes faster than its trial can be written down`, answer);
    }
  }
}

function isPolicys(body: unknown): boolean {
  return JSON.stringify(body).includes("ValidatingAdmissionPolicy");
}
