/** Scaling on a real kube-apiserver, with no more rights than the scaler asks for. */
import { KubeConfig } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { EngineRefusal, EngineUnavailable } from "../../../services/model-control/src/errors";
import { KubernetesScaler } from "../../../services/model-control/src/fleet/kubernetes-scaler";
import type { ScaleTarget } from "../../../services/model-control/src/fleet/workers";

const signal = new AbortController().signal;
const USER = "model-control";
const NAMESPACE = "ollama";
const STATEFUL_SET: ScaleTarget = { namespace: NAMESPACE, kind: "StatefulSet", name: "ollama" };
const DEPLOYMENT: ScaleTarget = { namespace: NAMESPACE, kind: "Deployment", name: "vllm" };

describe("scaling on a real API server", () => {
  let plane: ControlPlane;
  let scaler: KubernetesScaler;

  beforeAll(async () => {
    plane = await ControlPlane.start();
    for (const object of objects()) {
      await plane.client.apply(object);
    }
    scaler = new KubernetesScaler(restricted(plane.kubeconfig));
  });
  afterAll(() => plane?.stop());

  it.each([STATEFUL_SET, DEPLOYMENT])("reads and changes the replicas of a $kind, and nothing else", async (target) => {
    expect(await scaler.replicas(target, signal)).toBe(2);
    await scaler.scale(target, 0, signal);
    expect(await scaler.replicas(target, signal)).toBe(0);
    await scaler.scale(target, 3, signal);
    const path = `/apis/apps/v1/namespaces/${NAMESPACE}/${target.kind.toLowerCase()}s/${target.name}`;
    const { body } = await plane.client.request("GET", path);
    expect(body).toMatchObject({ spec: { replicas: 3, template: { spec: { containers: [{ image: "engine" }] } } } });
  });

  it("says what the cluster refuses: what is not there, and what it has no right to", async () => {
    const other = { ...STATEFUL_SET, name: "postgres" };
    await expect(scaler.replicas(other, signal)).rejects.toThrow(EngineRefusal);
    await expect(scaler.scale(other, 0, signal)).rejects.toThrow(
      /^Kubernetes did not scale to 0 StatefulSet ollama\/postgres: 403 .*"postgres" is forbidden/,
    );
    const admin = new KubeConfig();
    admin.loadFromFile(plane.kubeconfig);
    await expect(new KubernetesScaler(admin).replicas(other, signal)).rejects.toThrow(/: 404 .*"postgres" not found/);
  });

  it("says that the cluster is away, and listens to its caller", async () => {
    await plane.killApiServer();
    await expect(scaler.replicas(STATEFUL_SET, signal)).rejects.toThrow(EngineUnavailable);
    await expect(scaler.scale(STATEFUL_SET, 1, AbortSignal.abort(new Error("cancelled")))).rejects.toThrow("cancelled");
  });
});

/** The administrator's kubeconfig, in the name of a user with the rights of the API's own role. */
function restricted(kubeconfig: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const user = config.getCurrentUser();
  config.loadFromOptions({
    clusters: config.clusters,
    contexts: config.contexts,
    currentContext: config.currentContext,
    users: [{ ...user, impersonateUser: USER }],
  });
  return config;
}

function objects() {
  const labels = { app: "engine" };
  const metadata = (name: string) => ({ name, namespace: NAMESPACE });
  const spec = {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "engine", image: "engine" }] } },
  };
  const rule = (resource: string, name: string) => ({
    apiGroups: ["apps"],
    resources: [`${resource}/scale`],
    resourceNames: [name],
    verbs: ["get", "patch"],
  });
  const rbac = "rbac.authorization.k8s.io";
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } },
    {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: metadata("ollama"),
      spec: { ...spec, serviceName: "ollama" },
    },
    { apiVersion: "apps/v1", kind: "Deployment", metadata: metadata("vllm"), spec },
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata: metadata("scale"),
      rules: [rule("statefulsets", "ollama"), rule("deployments", "vllm")],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: metadata("scale"),
      roleRef: { apiGroup: rbac, kind: "Role", name: "scale" },
      subjects: [{ apiGroup: rbac, kind: "User", name: USER }],
    },
  ];
}
