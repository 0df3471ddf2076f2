import { beforeAll, describe, expect, it } from "vitest";
import { chartValueProblems } from "../../../catalog/chart-values";
import { argoCdConnections } from "../../../components/argo-cd/connections";
import { HEALTH_CHECKS } from "../../../components/argo-cd/health";
import { ignoredDifferences } from "../../../components/argo-cd/ignored-differences";
import { argoCdValues } from "../../../components/argo-cd/values";
import { byName, NETWORKS } from "../../harness/connections";
import { rightEnvironment, told } from "../../stacks/config/samples";
import { planText, refusalsOf } from "../../stacks/planned";
import { type ProgramRun, sharedRun } from "../../stacks/run";
import { changedText } from "../../stacks/texts";

const SECRET = "kubernetes:core/v1:Secret";
const gitops = {
  engine: "argo-cd",
  acknowledgeClusterAdmin: true,
  repository: "https://git.example.com/platform/gitops.git",
  path: "clusters/edge-nvidia",
};

describe("Argo CD", () => {
  let run: ProgramRun;
  beforeAll(async () => {
    run = await sharedRun("edge-nvidia", { gitops, gitopsToken: { secure: "v1:never-read" } });
  });

  it("is the release that is tested and safe, not the chart's own", () => {
    const release = run.deployment.resource("kubernetes:helm.sh/v3:Release", "platform-gitops-controller");
    expect(release.inputs).toMatchObject({
      name: "argocd",
      chart: "argo-cd",
      version: "10.1.1",
      namespace: "argocd",
      values: { global: { image: { repository: "quay.io/argoproj/argocd", tag: "v3.6.1" } } },
    });
  });

  it("reads Secrets that the program made, and its release holds none", () => {
    const secrets = run.deployment.ofType(SECRET).filter(({ urn }) => urn.includes("inference:argo-cd:ArgoCd"));
    const keys = secrets.map(({ inputs }) => [Object(inputs.metadata).name, Object.keys(Object(inputs.stringData))]);
    expect(Object.fromEntries(keys)).toEqual({
      "argocd-secret": ["admin.password", "server.secretkey"],
      "argocd-initial-admin-secret": ["password"],
      "argocd-redis": ["auth"],
      "argocd-repo-server-mtls": ["client-ca.crt", "client.crt", "client.key"],
      "argocd-repository": ["password", "type", "url", "username"],
    });
    expect(secrets.every(({ secretInputs }) => secretInputs.includes("stringData"))).toBe(true);
    const release = run.deployment.resource("kubernetes:helm.sh/v3:Release", "platform-gitops-controller");
    expect(release.secretInputs).toEqual([]);
    const repository = run.deployment.resource(SECRET, "platform-gitops-repository");
    expect(repository.inputs.metadata).toMatchObject({
      labels: { "argocd.argoproj.io/secret-type": "repository", "app.kubernetes.io/part-of": "argocd" },
    });
  });

  it("follows the folder, with what other managers set left alone", () => {
    const root = run.deployment.resource("kubernetes:argoproj.io/v1alpha1:Application", "platform-gitops-root");
    expect(root.inputs).toMatchObject({
      metadata: {
        name: "inference-edge-nvidia-root",
        namespace: "argocd",
        finalizers: ["resources-finalizer.argocd.argoproj.io/foreground"],
      },
      spec: {
        project: "inference-edge-nvidia-root",
        source: { repoURL: gitops.repository, targetRevision: "main", path: gitops.path },
        syncPolicy: { syncOptions: expect.arrayContaining(["RespectIgnoreDifferences=true", "ServerSideApply=true"]) },
        ignoreDifferences: expect.arrayContaining([
          { group: "", kind: "ConfigMap", name: "weights-manifest", namespace: "model-chat", jsonPointers: ["/data"] },
        ]),
      },
    });
  });

  it("keeps the names that it has in Argo CD where the section has one", async () => {
    const { deployment } = await sharedRun("edge-nvidia", { gitops: { ...gitops, name: "former" } });
    const names = ["AppProject", "Application"].flatMap((kind) =>
      deployment.ofKind(kind).map(({ inputs }) => `${kind} ${Object(inputs.metadata).name}`),
    );
    expect(names.toSorted()).toEqual([
      "AppProject inference-former",
      "AppProject inference-former-root",
      "Application inference-former-root",
    ]);
  });

  it("leaves the numbers alone that model control sets", async () => {
    const { deployment } = await sharedRun("dev", { gitops: { ...gitops, path: "clusters/dev" } });
    const root = deployment.resource("kubernetes:argoproj.io/v1alpha1:Application", "platform-gitops-root");
    expect(Object(root.inputs.spec).ignoreDifferences).toContainEqual({
      group: "apps",
      kind: "StatefulSet",
      name: "model-assistant",
      namespace: "model-assistant",
      jsonPointers: ["/spec/replicas"],
    });
  });
});

describe("the values of Argo CD's chart", () => {
  it.each(["production", "development"] as const)("are known to it (%s)", (stage) => {
    expect(chartValueProblems("argo-cd", argoCdValues({ stage, source: gitops }))).toEqual([]);
  });

  it("let nobody in without a password, and give its page no shell and no rights over the cluster", () => {
    const values = argoCdValues({ stage: "production", source: gitops });
    expect(values).toMatchObject({
      configs: {
        cm: { "exec.enabled": false, "jsonnet.enable": false, "users.anonymous.enabled": false },
        params: { "server.insecure": false, "server.disable.auth": false },
        rbac: { "policy.default": "" },
        secret: { createSecret: false },
      },
      server: { replicas: 2, clusterRoleRules: { enabled: true }, ingress: { enabled: false } },
      repoServer: { automountServiceAccountToken: false },
    });
    const { rules } = Object(Object(values.server).clusterRoleRules) as {
      rules: { apiGroups: string[]; resources: string[] }[];
    };
    expect(rules.flatMap(({ apiGroups, resources }) => [...apiGroups, ...resources])).not.toContain("*");
  });

  it("have the repository server refuse clients without a certificate, whose key it does not have itself", () => {
    const { repoServer, controller, server } = argoCdValues({ stage: "production", source: gitops });
    const mounted = (pod: unknown) => {
      const { volumes, volumeMounts } = Object(pod) as {
        volumes: { name: string; secret: { items: { path: string }[] } }[];
        volumeMounts: { name: string; mountPath: string }[];
      };
      return volumes.map(({ name, secret: { items } }) => [
        volumeMounts.find((mount) => mount.name === name)?.mountPath,
        items.map(({ path }) => path),
      ]);
    };
    const folder = "/app/config/reposerver/mtls";
    expect(mounted(repoServer)).toEqual([[folder, ["client-ca.crt"]]]);
    expect(mounted(controller)).toEqual([[folder, ["client.crt", "client.key"]]]);
    expect(mounted(server)).toEqual(mounted(controller));
  });

  it("trust the repository's server by the authority that is given, under its name without the port", () => {
    const source = { repository: "https://git.example.com:8443/gitops.git", caCerts: "PEM" };
    const { configs } = argoCdValues({ stage: "production", source });
    expect(configs).toMatchObject({ tls: { certificates: { "git.example.com": "PEM" } } });
    expect(argoCdValues({ stage: "production", source: gitops }).configs).not.toHaveProperty("tls");
  });

  it("have a health check of each kind that Argo CD has none of", () => {
    const kinds = Object.keys(HEALTH_CHECKS).map((key) => key.replace("resource.customizations.health.", ""));
    expect(kinds.toSorted()).toEqual([
      "aigateway.envoyproxy.io_AIGatewayRoute",
      "argoproj.io_Application",
      "leaderworkerset.x-k8s.io_LeaderWorkerSet",
      "ray.io_RayService",
      "resource.customizations",
    ]);
  });
});

it("Argo CD's repository server reaches the repository at its port, and charts", () => {
  const all = byName(
    argoCdConnections({ url: "https://git.example.com:8443/x.git", networks: ["192.168.1.40/32"] }, NETWORKS),
  );
  expect(all["argocd-repo-server-to-repository"]).toMatchObject({
    to: [{ cidr: "192.168.1.40/32" }],
    ports: [{ port: 8443 }],
  });
  expect(Object.keys(all)).toContain("argocd-repo-server-to-charts");
});

it("ignored fields are JSON pointers, of objects that have some", () => {
  const object = { apiVersion: "apps/v1", kind: "Deployment", name: "x", namespace: "s" };
  expect(
    ignoredDifferences([
      { ...object, ignored: ["spec.replicas"] },
      { ...object, ignored: [] },
    ]),
  ).toEqual([{ group: "apps", kind: "Deployment", name: "x", namespace: "s", jsonPointers: ["/spec/replicas"] }]);
});

describe("the section gitops", () => {
  it.each([
    ["repository", "https://name:password@git.example.com/x.git"],
    ["repository", "http://git.example.com/x.git"],
    ["path", "../elsewhere"],
    ["path", "/absolute"],
    ["revision", "--upload-pack"],
    ["caCerts", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"],
    ["name", "Edge"],
    ["repository", "https://169.254.169.254/gitops.git"],
    ["repository", "https://gitea.gitea.svc.cluster.local/gitops.git"],
    ["repository", "https://git.example.com"],
    ["repository", "https://github.com/acme/gitops/tree/main/clusters"],
    ["repository", "https://gitlab.com/acme/gitops/-/tree/main"],
  ])("refuses %s %s", (field, value) => {
    expect(told({ ...rightEnvironment, gitops: { ...gitops, [field]: value } }, `gitops.${field}`)).toHaveLength(1);
  });

  it("says what a page of a repository means", () => {
    const page = { ...gitops, repository: "https://github.com/acme/gitops/tree/main/clusters/a" };
    const [problem] = told({ ...rightEnvironment, gitops: page }, "gitops.repository");
    expect(JSON.stringify(problem)).toContain(
      "repository: https://github.com/acme/gitops, revision: main, path: clusters/a",
    );
  });

  it("is refused without consent to cluster-admin", async () => {
    const run = await sharedRun("edge-nvidia", { gitops: { ...gitops, acknowledgeClusterAdmin: false } });
    expect(run.plan.problems).toContainEqual(
      expect.objectContaining({ severity: "mandatory", rule: "gitops-cluster-admin" }),
    );
  });

  it("is refused with a name that labels of Applications have no room for", async () => {
    const rulesOf = async (name: string, section: object) => {
      const { plan } = await planText(changedText("edge-nvidia", { gitops: section }), undefined, name);
      return refusalsOf(plan).map(({ rule }) => rule);
    };
    expect(await rulesOf("a".repeat(49), gitops)).toEqual(["gitops-name"]);
    expect(await rulesOf("a".repeat(48), gitops)).toEqual([]);
    expect(await rulesOf("a".repeat(49), { ...gitops, name: "berlin" })).toEqual([]);
  });

  it("is right as documented, and takes networks of servers in CIDR form alone", () => {
    expect(told({ ...rightEnvironment, gitops }, "gitops")).toEqual([]);
    for (const network of ["git.example.com", "169.254.0.0/16", "0.0.0.0/0"]) {
      const own = { ...gitops, networks: [network] };
      expect(told({ ...rightEnvironment, gitops: own }, "gitops"), network).toHaveLength(1);
    }
  });
});
