import { ClusterApi, Refused } from "../cluster/cluster-api";
import { NotAsked } from "../cluster/failure";
import { cleaned } from "../cluster/foreign-text";
import { type ClusterContext, clusterContext, type KubeconfigSource } from "../cluster/kubeconfig";
import type { Expected } from "./expected";
import { gatherStatus, logOf } from "./gather";
import { judge, podsInTrouble } from "./judge";
import type { ModelStatus, StatusReport } from "./result";

/** What is shown of a run; the command adds how long it took, and whether all is well. */
export type Asked = Pick<StatusReport, "cluster" | "failure" | "address" | "models" | "platform">;

/**
 * Asks a cluster for the state of an environment. Texts of the cluster come back cleaned: names and messages in it are others'.
 *
 * @param onProgress told what was answered.
 */
export async function askStatus(
  expected: Expected,
  source: KubeconfigSource,
  env: NodeJS.ProcessEnv,
  onProgress: (what: string) => void,
): Promise<Asked> {
  const { address } = expected;
  let found: ClusterContext | undefined;
  let api: ClusterApi | undefined;
  try {
    found = clusterContext(source, env);
    onProgress(new URL(found.address.server).host);
    api = await ClusterApi.open(found);
    const facts = await gatherStatus(api, expected, onProgress);
    const { models, platform } = judge(expected, facts, Date.now());
    const logs: ModelStatus["log"][] = [];
    for (const model of expected.models) {
      logs.push(await logOf(api, podsInTrouble(model, facts)));
    }
    const shown = models.map((model, i) => ({ ...model, log: logs[i] ?? null }));
    return presentable({ cluster: of(found), failure: null, address, models: shown, platform });
  } catch (error) {
    if (!(error instanceof NotAsked || error instanceof Refused)) {
      throw error;
    }
    const remedies = error instanceof NotAsked ? error.remedies : NO_RIGHTS;
    const failure = { message: error.message, remedies: [...remedies] };
    return presentable({ cluster: found ? of(found) : null, failure, address, models: [], platform: [] });
  } finally {
    api?.close();
  }
}

const NO_RIGHTS = [
  "the role that you have there: people.viewers of the environment may read all of this (docs/people.md)",
];

function of({ context, address }: ClusterContext): NonNullable<Asked["cluster"]> {
  return { context, server: address.server };
}

/** The same with every text cleaned but ours: the calls are to be copied as they are. */
function presentable(asked: Asked): Asked {
  const clean = (key: string, value: unknown): unknown =>
    typeof value === "string" && key !== "curl" ? cleaned(value) : value;
  return JSON.parse(JSON.stringify(asked), clean) as Asked;
}
