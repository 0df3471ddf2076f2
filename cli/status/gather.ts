import { z } from "zod";
import { ARGO_CD_NAMESPACE } from "../../names/namespaces";
import { AUTOSCALER_NAME } from "../../names/services";
import { workloadPath } from "../../rehearsal/workloads";
import { type ClusterApi, Refused } from "../cluster/cluster-api";
import { NotAsked } from "../cluster/failure";
import type { Expected } from "./expected";
import {
  type ApplicationFact,
  applicationFact,
  eventFact,
  type PodFact,
  podFact,
  type ScaledObjectFact,
  type StatusFacts,
  scaledObjectFact,
  workloadFact,
} from "./facts";
import { loggedContainer } from "./reasons";
import type { ModelStatus } from "./result";

/** Of a log. */
const LOG_LINES = 8;

/** Concurrent namespaces: each costs a handful of requests. */
const AT_ONCE = 8;

/**
 * Reads everything to judge, by namespace, so that rights to one domain's models suffice for their
 * status.
 *
 * @throws NotAsked when the cluster is unreachable or answers nonsense. @throws Refused without the
 * right to read pods.
 */
export async function gatherStatus(
  api: ClusterApi,
  { models, platform }: Expected,
  onProgress: (what: string) => void,
): Promise<StatusFacts> {
  const workloads = models.flatMap((model) => model.workloads);
  const namespaces = [...new Set([...workloads.map(({ namespace }) => namespace), ...platform])];
  const pods: PodFact[] = [];
  const events: StatusFacts["events"][number][] = [];
  const replicas = new Map<string, number | undefined>();
  await inTurns(namespaces, async (namespace) => {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}`;
    const [found, told] = await Promise.all([
      listed(api, `${path}/pods`, podFact),
      listed(api, `${path}/events`, eventFact),
    ]);
    pods.push(...found);
    events.push(...told);
    onProgress(namespace);
  });
  await inTurns(workloads, async (workload) => {
    const path = workloadPath(workload);
    const { status, body } = await api.get(path);
    if (status === 200) {
      replicas.set(`${workload.namespace}/${workload.name}`, formed(workloadFact, body, path).spec.replicas);
    } else if (status !== 404) {
      throw new Refused(`GET ${workload.kind} ${workload.namespace}/${workload.name}`, status, "");
    }
  });
  const scaled = models.filter(({ scaling }) => scaling?.by === "keda").flatMap((model) => model.workloads);
  const scaledObjects = new Map<string, ScaledObjectFact>();
  await inTurns(scaled, async ({ namespace }) => {
    const path = `/apis/keda.sh/v1alpha1/namespaces/${encodeURIComponent(namespace)}/scaledobjects/${AUTOSCALER_NAME}`;
    const { status, body } = await api.get(path);
    if (status === 200) {
      scaledObjects.set(namespace, formed(scaledObjectFact, body, path));
    }
  });
  return { pods, events, replicas, scaledObjects };
}

/** Null if missing or forbidden. */
export async function applicationOf(api: ClusterApi, name: string): Promise<ApplicationFact | null> {
  const path = `/apis/argoproj.io/v1alpha1/namespaces/${ARGO_CD_NAMESPACE}/applications/${encodeURIComponent(name)}`;
  const { status, body } = await api.get(path);
  return status === 200 ? formed(applicationFact, body, path) : null;
}

/** Of the most informative container. Null if missing or forbidden. */
export async function logOf(api: ClusterApi, pods: readonly PodFact[]): Promise<ModelStatus["log"]> {
  for (const pod of pods) {
    const container = loggedContainer(pod);
    if (container === undefined) {
      continue;
    }
    const { namespace, name } = pod.metadata;
    const query = new URLSearchParams({
      container: container.name,
      tailLines: String(LOG_LINES),
      limitBytes: "16384",
      previous: String(container.previous),
    });
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log`;
    const { status, text } = await api.getText(`${path}?${query}`);
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    if (status === 200 && lines.length > 0) {
      return { pod: name, container: container.name, previous: container.previous, lines: lines.slice(-LOG_LINES) };
    }
  }
  return null;
}

async function listed<T>(api: ClusterApi, path: string, item: z.ZodType<T>): Promise<T[]> {
  return formed(z.array(item), await api.list(path), path);
}

/** @throws NotAsked for invalid answers. */
function formed<T>(schema: z.ZodType<T>, answer: unknown, path: string): T {
  const { success, data } = schema.safeParse(answer);
  if (!success) {
    throw new NotAsked(`the API server's answer to GET ${path} is not of the expected form`, [
      "whether the address in the kubeconfig is right, and no proxy in between changes answers",
    ]);
  }
  return data;
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += AT_ONCE) {
    await Promise.all(items.slice(start, start + AT_ONCE).map(work));
  }
}
