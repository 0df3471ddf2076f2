import { z } from "zod";
import { OPERATORS } from "../../catalog/sriov";
import { type ClusterApi, Refused } from "../cluster/cluster-api";
import { NotAsked } from "../cluster/failure";
import type { ClusterContext } from "../cluster/kubeconfig";
import {
  type Asked,
  apiService,
  type ClusterFacts,
  configMap,
  devicePod,
  gatewayClass,
  named,
  node,
  pod,
  type RightFact,
  storageClass,
  workload,
} from "./facts";

/** Create and delete a kind everywhere. */
export type WantedRight = Omit<RightFact, "allowed">;

/**
 * DaemonSet labels: NVIDIA/gpu-operator v26.7.0, assets/state-container-toolkit;
 * Mellanox/network-operator, manifests/state-nv-ipam-cni.
 */
const DEVICE_PODS = `app in (${OPERATORS.toolkit},${OPERATORS.addresses})`;

const versionAnswer = z.object({ gitVersion: z.string() });

/**
 * Reads everything that checks judge.
 *
 * @param onProgress receives each answer.
 * @throws NotAsked when it is unreachable or rejects the credentials.
 */
export async function gatherFacts(
  api: ClusterApi,
  { context, address }: ClusterContext,
  rights: readonly WantedRight[],
  onProgress: (what: string) => void = () => {},
): Promise<ClusterFacts> {
  const version = await reach(api, address.server);
  const ask = async <T>(what: string, question: () => Promise<T>): Promise<Asked<T>> => {
    const answer = await asked(question);
    onProgress(what);
    return answer;
  };
  const listed = <T>(what: string, path: string, item: z.ZodType<T>, metadataOnly = false) =>
    ask(what, async () => z.array(item).parse(await api.list(path, { metadataOnly })));

  const facts = await answersTo({
    nodes: listed("nodes", "/api/v1/nodes", node),
    daemonSets: listed("DaemonSets", "/apis/apps/v1/daemonsets", workload),
    deployments: listed("Deployments", "/apis/apps/v1/deployments", workload),
    statefulSets: listed("StatefulSets", "/apis/apps/v1/statefulsets", workload),
    dnsPods: listed("DNS", "/api/v1/namespaces/kube-system/pods?labelSelector=k8s-app%3Dkube-dns", pod),
    devicePods: listed("device pods", `/api/v1/pods?labelSelector=${encodeURIComponent(DEVICE_PODS)}`, devicePod),
    storageClasses: listed("storage classes", "/apis/storage.k8s.io/v1/storageclasses", storageClass),
    runtimeClasses: listed("runtime classes", "/apis/node.k8s.io/v1/runtimeclasses", named, true),
    apiServices: listed("APIs", "/apis/apiregistration.k8s.io/v1/apiservices", apiService),
    definitions: listed("definitions", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", named, true),
    gatewayConfigs: listed(
      "gateway configurations",
      "/api/v1/configmaps?fieldSelector=metadata.name%3Denvoy-gateway-config",
      configMap,
    ),
    gatewayClasses: listed("gateway classes", "/apis/gateway.networking.k8s.io/v1/gatewayclasses", gatewayClass),
    ownNamespaces: listed(
      "namespaces",
      "/api/v1/namespaces?labelSelector=app.kubernetes.io%2Fpart-of%3Dinference-stacks",
      named,
      true,
    ),
    rights: ask("rights", () =>
      Promise.all(
        rights.map(async (right) => ({
          ...right,
          allowed: await api.may(right.verb, right.group, right.resource),
        })),
      ),
    ),
  });
  return { context, server: address.server, version, ...facts };
}

type Questions = Readonly<Record<string, Promise<unknown>>>;

/** Answers to parallel questions, by name. */
async function answersTo<Q extends Questions>(questions: Q): Promise<{ readonly [Name in keyof Q]: Awaited<Q[Name]> }> {
  const answers = Object.entries(questions).map(async ([name, answer]) => [name, await answer] as const);
  return Object.fromEntries(await Promise.all(answers)) as { [Name in keyof Q]: Awaited<Q[Name]> };
}

const FORBIDDEN = { known: false, reason: "no right to ask for it (403)", forbidden: true } as const;

/** The first question, allowed to all known users. */
async function reach(api: ClusterApi, server: string): Promise<Asked<string>> {
  const { status, body } = await api.get("/version");
  if (status === 401) {
    throw new NotAsked(`${new URL(server).host} does not accept the kubeconfig's credentials (401)`, [
      "log in anew with the cloud's command line, or make the kubeconfig anew: its token or certificate may have expired",
    ]);
  }
  if (status === 403) {
    return FORBIDDEN;
  }
  const answer = versionAnswer.safeParse(body);
  if (status !== 200 || !answer.success) {
    throw new NotAsked(`what answers at ${new URL(server).host} is no API server of Kubernetes (${status})`, [
      "whether the address in the kubeconfig is right, and no proxy or login page is in between",
    ]);
  }
  return { known: true, value: answer.data.gitVersion };
}

async function asked<T>(question: () => Promise<T>): Promise<Asked<T>> {
  try {
    return { known: true, value: await question() };
  } catch (error) {
    if (error instanceof z.ZodError) {
      return { known: false, reason: "the API server's answer is not of the expected form", forbidden: false };
    }
    if (error instanceof Refused) {
      return error.status === 403 ? FORBIDDEN : { known: false, reason: error.message, forbidden: false };
    }
    if (error instanceof NotAsked) {
      return { known: false, reason: error.message, forbidden: false };
    }
    throw error;
  }
}
