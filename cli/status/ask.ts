import type { ClusterConfig } from "../../stacks/config";
import { ClusterApi, LIMITS, type Limits, Refused } from "../cluster/cluster-api";
import { NotAsked } from "../cluster/failure";
import { cleaned } from "../cluster/foreign-text";
import { type ClusterContext, clusterContext, type KubeconfigSource } from "../cluster/kubeconfig";
import { makerOfUnnamed } from "../cluster/named";
import type { Expected } from "./expected";
import { applicationOf, gatherStatus, logOf } from "./gather";
import { gitopsOf } from "./gitops";
import { judge, podsInTrouble } from "./judge";
import type { ModelStatus, StatusReport } from "./result";
import { orphanedVolumes } from "./volumes";

/** Shown result; the command adds duration and verdict. */
export type Asked = Pick<
  StatusReport,
  "cluster" | "failure" | "address" | "chatPage" | "gitops" | "models" | "groups" | "platform" | "volumes"
>;

/** Cluster and credentials. */
export interface Asking {
  readonly cluster: Pick<ClusterConfig, "provision" | "kubeContext">;
  /** From the command line; overrides the environment's `kubeContext`. */
  readonly source: KubeconfigSource;
  readonly env: NodeJS.ProcessEnv;
  /** Aborts all open requests. @default never */
  readonly signal?: AbortSignal;
  /** @default LIMITS */
  readonly limits?: Limits;
  /** Fetches last log lines of pods in trouble, through their kubelets. @default true */
  readonly logs?: boolean;
}

/**
 * State of an environment in a cluster. Texts are cleaned, because names and messages are
 * untrusted.
 *
 * @param onProgress receives each answer.
 */
export async function askStatus(
  expected: Expected,
  { cluster, source, env, signal, limits = LIMITS, logs: wantsLogs = true }: Asking,
  onProgress: (what: string) => void,
): Promise<Asked> {
  const { address, chatPage, application } = expected;
  let found: ClusterContext | undefined;
  let api: ClusterApi | undefined;
  try {
    const maker = makerOfUnnamed(cluster, source);
    if (maker !== undefined) {
      throw new NotAsked(`${maker}, and no option says which one of your kubeconfig it is`, NAME_IT);
    }
    const context = source.context ?? cluster.kubeContext;
    found = clusterContext({ ...source, ...(context !== undefined && { context }) }, env);
    onProgress(new URL(found.address.server).host);
    api = await ClusterApi.open(found, limits, signal);
    const facts = await gatherStatus(api, expected, onProgress);
    const namespaces = [
      ...expected.platform,
      ...expected.models.flatMap(({ workloads }) => workloads.map((w) => w.namespace)),
    ];
    const gitops = application === null ? null : gitopsOf(application, await applicationOf(api, application));
    const volumes = await orphanedVolumes(api, namespaces);
    const { models, groups, platform } = judge(expected, facts, Date.now());
    const logs: ModelStatus["log"][] = [];
    for (const model of expected.models) {
      logs.push(wantsLogs ? await logOf(api, podsInTrouble(model, facts)) : null);
    }
    const shown = models.map((model, i) => ({ ...model, log: logs[i] ?? null }));
    return presentable({
      cluster: of(found),
      failure: null,
      address,
      chatPage,
      gitops,
      models: shown,
      groups,
      platform,
      volumes,
    });
  } catch (error) {
    if (!(error instanceof NotAsked || error instanceof Refused)) {
      throw error;
    }
    const remedies = error instanceof NotAsked ? error.remedies : NO_RIGHTS;
    const failure = { message: error.message, remedies: [...remedies] };
    return presentable({
      cluster: found ? of(found) : null,
      failure,
      address,
      chatPage,
      gitops: null,
      models: [],
      groups: [],
      platform: [],
      volumes: null,
    });
  } finally {
    api?.close();
  }
}

const NAME_IT = [
  "pulumi stack output kubeconfig --show-secrets > FILE writes that of a cluster that a stack made; then --kubeconfig FILE",
  "or --kube-context NAME, or cluster.kubeContext in the environment",
];

const NO_RIGHTS = [
  "the role that you have there: people.viewers of the environment may read all of this (docs/people.md)",
];

function of({ context, address }: ClusterContext): NonNullable<Asked["cluster"]> {
  return { context, server: address.server };
}

/** Cleans all texts but our calls, which must be copied exactly. */
function presentable(asked: Asked): Asked {
  const clean = (key: string, value: unknown): unknown =>
    typeof value === "string" && key !== "curl" ? cleaned(value) : value;
  return JSON.parse(JSON.stringify(asked), clean) as Asked;
}
