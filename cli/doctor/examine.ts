import type { ClusterConfig } from "../../stacks/config";
import { ClusterApi } from "../cluster/cluster-api";
import { NotAsked } from "../cluster/failure";
import { cleaned } from "../cluster/foreign-text";
import { type ClusterContext, clusterContext, type KubeconfigSource } from "../cluster/kubeconfig";
import { makerOfUnnamed } from "../cluster/named";
import { CLUSTER_CHECKS } from "./checks";
import { WANTED_RIGHTS } from "./checks/rights";
import type { Asked, ClusterFacts } from "./facts";
import { gatherFacts } from "./gather";
import type { Needs } from "./needs";
import type { CredentialSources } from "./oci-credentials";
import type { CheckResult, DoctorReport } from "./result";
import { toolChecks } from "./tools";

/** Shown result; the command adds its duration. */
export type Examination = Pick<DoctorReport, "cluster" | "checks">;

/** With raw texts. */
interface Findings {
  readonly cluster: DoctorReport["cluster"];
  readonly checks: readonly CheckResult[];
}

const REACHABLE = { check: "api-server", title: "API server", needed: "answers, and knows who asks" };

/**
 * Checks an environment's cluster and the deploying machine.
 *
 * @param source cluster of the command line, before the environment's `kubeContext`.
 * @param onProgress receives each answer.
 */
export async function examine(
  needs: Needs,
  source: KubeconfigSource,
  sources: CredentialSources,
  onProgress: (what: string) => void,
): Promise<Examination> {
  const tools = await toolChecks(needs.cluster, sources);
  const { cluster, checks } = await clusterPart(needs, source, sources.env, onProgress);
  return { cluster, checks: [...planPart(needs), ...tools, ...checks].map(presentable) };
}

/** The cluster is fine, but `pulumi up` would stop. */
function planPart({ environment, refusals }: Needs): CheckResult[] {
  return refusals === 0
    ? []
    : [
        {
          check: "plan",
          title: "Plan",
          status: "warning",
          found: `refused, for ${refusals} ${refusals === 1 ? "reason" : "reasons"}: what has no place is not counted below`,
          needed: "one that may be deployed",
          remedies: [`npm run plan -- ${environment} gives the reasons and fixes`],
        },
      ];
}

async function clusterPart(
  needs: Needs,
  source: KubeconfigSource,
  env: NodeJS.ProcessEnv,
  onProgress: (what: string) => void,
): Promise<Findings> {
  const { kubeContext } = needs.cluster;
  const waiting = waitsFor(needs.cluster, source);
  if (waiting !== undefined) {
    return { cluster: null, checks: notAskedBecause(needs, "waits for the cluster", waiting) };
  }
  const context = source.context ?? kubeContext;
  let found: ClusterContext | undefined;
  let api: ClusterApi | undefined;
  try {
    found = clusterContext({ ...source, ...(context !== undefined && { context }) }, env);
    onProgress(new URL(found.address.server).host);
    api = await ClusterApi.open(found);
    const facts = await gatherFacts(api, found, WANTED_RIGHTS, onProgress);
    const reached: CheckResult = {
      ...REACHABLE,
      status: "passed",
      found: `${found.address.server} answers`,
      remedies: [],
    };
    return { cluster: shown(found), checks: [reached, ...CLUSTER_CHECKS.flatMap((check) => check(facts, needs))] };
  } catch (error) {
    if (!(error instanceof NotAsked)) {
      throw error;
    }
    const unreached: CheckResult = {
      ...REACHABLE,
      status: "failed",
      found: error.message,
      remedies: [...error.remedies],
    };
    return {
      cluster: found === undefined ? null : shown(found),
      checks: notAskedBecause(needs, "the API server could not be asked", unreached),
    };
  } finally {
    api?.close();
  }
}

function shown({ context, address }: ClusterContext): DoctorReport["cluster"] {
  return { context: cleaned(context), server: cleaned(address.server) };
}

/** Why it is not asked yet: the current context would be another cluster's. */
function waitsFor(config: ClusterConfig, source: KubeconfigSource): CheckResult | undefined {
  const maker = makerOfUnnamed(config, source);
  return maker === undefined
    ? undefined
    : {
        ...REACHABLE,
        status: "not asked",
        found: `${maker}: the checks below wait for it`,
        remedies: ["once it exists, run doctor again with --kubeconfig FILE or --kube-context NAME (docs/doctor.md)"],
      };
}

/** Every cluster check by name, as not asked. */
function notAskedBecause(needs: Needs, reason: string, first: CheckResult): CheckResult[] {
  const nothing = { known: false, reason, forbidden: false } as const satisfies Asked<never>;
  const facts: ClusterFacts = {
    context: "",
    server: "",
    version: nothing,
    nodes: nothing,
    daemonSets: nothing,
    deployments: nothing,
    statefulSets: nothing,
    dnsPods: nothing,
    devicePods: nothing,
    storageClasses: nothing,
    runtimeClasses: nothing,
    apiServices: nothing,
    gatewayConfigs: nothing,
    gatewayClasses: nothing,
    definitions: nothing,
    ownNamespaces: nothing,
    rights: nothing,
  };
  const others = CLUSTER_CHECKS.flatMap((check) => check(facts, needs));
  return [
    first,
    ...others.map((other): CheckResult => ({ ...other, status: "not asked", found: reason, remedies: [] })),
  ];
}

function presentable({ check, title, status, found, needed, remedies }: CheckResult): DoctorReport["checks"][number] {
  return {
    check,
    title: cleaned(title),
    status,
    found: cleaned(found),
    needed: cleaned(needed),
    remedies: remedies.map(cleaned),
  };
}
