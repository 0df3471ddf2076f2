/** What the AppProjects do not allow, asked of the real controller: it says so, and applies nothing of it. */
import { connect } from "node:tls";
import { describe, expect, it } from "vitest";
import { ARGO_API, argoNames, IN_CLUSTER } from "../../../components/argo-cd/names";
import type { KubernetesObject } from "../../../kubernetes/object";
import { ARGO_CD_CHARTS_NAMESPACE, ARGO_CD_NAMESPACE } from "../../../names/namespaces";
import { toYaml } from "../../../render/yaml";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { ObservedApplication } from "./application";
import { GitOpsCluster } from "./cluster";

const NAMES = argoNames("dev");

const REFUSED: readonly { readonly what: string; readonly object: KubernetesObject; readonly said: RegExp }[] = [
  {
    what: "a ClusterRole",
    object: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "everything" },
      rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
    },
    said: /rbac\.authorization\.k8s\.io:ClusterRole is not permitted in project inference-dev-root/,
  },
  {
    what: "a ClusterRoleBinding to all rights",
    object: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "added" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "ml" }],
    } as KubernetesObject,
    said: /rbac\.authorization\.k8s\.io:ClusterRoleBinding is not permitted in project inference-dev-root/,
  },
  {
    what: "a GatewayClass beside the platform's",
    object: {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "GatewayClass",
      metadata: { name: "added" },
      spec: { controllerName: "example.net/added" },
    },
    said: /gateway\.networking\.k8s\.io:GatewayClass is not permitted in project inference-dev-root/,
  },
  {
    what: "an object in a namespace that is not the platform's",
    object: configMap("kube-system"),
    said: /namespace kube-system is not permitted in project 'inference-dev-root'/,
  },
  {
    what: "an object in Argo CD's own namespace",
    object: configMap(ARGO_CD_NAMESPACE),
    said: /namespace argocd is not permitted in project 'inference-dev-root'/,
  },
  {
    what: "a Secret",
    object: { ...configMap("model-assistant"), kind: "Secret" },
    said: /:Secret is not permitted in project inference-dev-root/,
  },
  {
    what: "a NetworkPolicy",
    object: {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "open", namespace: "model-assistant" },
      spec: { podSelector: {}, ingress: [{}] },
    },
    said: /networking\.k8s\.io:NetworkPolicy is not permitted in project inference-dev-root/,
  },
];

/** With them the platform has cluster-wide roles, none of which is the folder's. */
const PEOPLE = { admins: ["ml-platform"], viewers: ["ml"], operators: [], domains: {} };

describe("Argo CD's projects", { timeout: 1_800_000 }, () => {
  const cluster = sharedBySuite(() => GitOpsCluster.start("dev", { people: PEOPLE }));
  const gitops = () => cluster().gitops;

  it("allow the rendered folder", async () => {
    await gitops().root.healthyAt(gitops().commit, 1200);
  });

  it.each(REFUSED)("refuse $what in the repository", async ({ object, said }) => {
    const { repository, root, commit, plane } = gitops();
    repository.add("cluster/99-added.yaml", toYaml(object));
    repository.push();
    await root.refresh();
    await root.until(`the refusal ${said}`, (status) => said.test(JSON.stringify(status)));
    expect(await plane.client.get(object)).toBeUndefined();
    await root.healthyAt(repository.restore(commit), 300);
  });

  it("stand behind a repository server that takes no client without Argo CD's certificate", async () => {
    const { repoPort } = gitops().argoCd;
    const alert = await new Promise<string>((resolve) => {
      const socket = connect({ port: repoPort, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2"] });
      socket.on("error", ({ message }) => resolve(message));
      socket.on("data", () => resolve("it answers"));
      socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    });
    expect(alert).toMatch(/certificate required/);
  });

  it("refuse a foreign repository as the source of the folder", async () => {
    const { root, repository } = gitops();
    const repoURL = gitops().rendering.gitops?.repository;
    await root.patch({ spec: { source: { repoURL: "https://github.com/somebody/else.git" } } });
    const { conditions } = await root.until("the refusal", (status) => status.conditions.length > 0);
    expect(JSON.stringify(conditions)).toMatch(/InvalidSpecError.*somebody\/else.*is not permitted in project/);
    await root.patch({ spec: { source: { repoURL } } });
    await root.healthyAt(repository.head, 300);
  });

  it.each([
    { what: "a chart of a foreign repository", project: NAMES.charts, repoURL: "https://charts.example.net" },
    {
      what: "a chart in the project that allows everything",
      project: "default",
      repoURL: "https://charts.jetstack.io",
    },
    { what: "a chart in the folder's own project", project: NAMES.root, repoURL: "https://charts.jetstack.io" },
  ])("refuse $what", async ({ project, repoURL }) => {
    const { plane } = gitops();
    await plane.client.create({
      apiVersion: ARGO_API,
      kind: "Application",
      metadata: { name: "added", namespace: ARGO_CD_CHARTS_NAMESPACE },
      spec: {
        project,
        source: { repoURL, chart: "cert-manager", targetRevision: "v1.21.2" },
        destination: { server: IN_CLUSTER, namespace: "cert-manager" },
        syncPolicy: { automated: {} },
      },
    });
    const added = new ObservedApplication(plane.client, ARGO_CD_CHARTS_NAMESPACE, "added");
    const { conditions, operationState } = await added.until("the refusal", (status) => status.conditions.length > 0);
    expect(JSON.stringify(conditions)).toMatch(/not (permitted|allowed)/);
    expect(operationState).toBeUndefined();
    await added.delete();
  });
});

function configMap(namespace: string): KubernetesObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "added", namespace } };
}
