import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { rancherConnections } from "../../../components/rancher/connections";
import { shippedText } from "../../../names/shipped-file";
import { judge } from "../../../report/judge";
import { byName, NETWORKS } from "../../harness/connections";
import { allows, type NetworkPolicy, parsePolicy } from "../../harness/network-policies";
import { told } from "../../stacks/config/samples";
import { changedRun, type ProgramRun, sharedRun } from "../../stacks/run";

const caCerts = shippedText("test/fixtures/certificates/example-ca.pem");
const section = {
  acknowledgeClusterAdmin: true,
  url: "https://rancher.example.internal",
  networks: ["192.168.1.31/32"],
  caCerts,
};
const rancherToken = { secure: "v1:never-read" };

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly object[];
}

interface AgentSpec {
  readonly selector: object;
  readonly template: {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
    readonly spec: {
      readonly containers: readonly [Container];
      readonly securityContext: object;
      readonly serviceAccountName: string;
    };
  };
}

const agentOf = ({ deployment }: ProgramRun) =>
  deployment.resource("kubernetes:apps/v1:Deployment", "platform-rancher-agent");
const specOf = (run: ProgramRun) => agentOf(run).inputs.spec as AgentSpec;
const variablesOf = (run: ProgramRun) =>
  Object.fromEntries(specOf(run).template.spec.containers[0].env.map(({ name, value }) => [name, value]));
const namesOf = ({ deployment }: ProgramRun, type: string) =>
  deployment.ofType(type).map(({ inputs }) => (inputs.metadata as { name: string }).name);

describe("the agent that registers at a Rancher server", () => {
  let run: ProgramRun;
  beforeAll(async () => {
    run = await sharedRun("edge-nvidia", { rancher: section, rancherToken });
  });

  it("has the names that the server applies its own manifest by", () => {
    const { selector, template } = specOf(run);
    expect(agentOf(run).inputs.metadata).toMatchObject({ name: "cattle-cluster-agent", namespace: "cattle-system" });
    expect(selector).toEqual({ matchLabels: { app: "cattle-cluster-agent" } });
    expect(template.metadata.labels).toMatchObject({ app: "cattle-cluster-agent" });
    expect(template.spec.serviceAccountName).toBe("cattle");
    expect(template.spec.containers.map(({ name }) => name)).toEqual(["cluster-register"]);
    expect(namesOf(run, "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole")).toContain("cattle-admin");
    expect(namesOf(run, "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding")).toContain(
      "cattle-admin-binding",
    );
  });

  it("knows its server by the authority's checksum alone", () => {
    expect(variablesOf(run)).toEqual({
      CATTLE_SERVER: "https://rancher.example.internal",
      CATTLE_CA_CHECKSUM: createHash("sha256").update(`${caCerts.trim()}\n`).digest("hex"),
      CATTLE_CLUSTER: "true",
      CATTLE_K8S_MANAGED: "true",
      CATTLE_CREDENTIAL_NAME: "rancher-registration",
      STRICT_VERIFY: "true",
    });
  });

  it("trusts public authorities without caCerts", async () => {
    const { caCerts: _, ...rest } = section;
    expect(variablesOf(await changedRun("edge-nvidia", { rancher: rest, rancherToken }))).toMatchObject({
      CATTLE_CA_CHECKSUM: "",
      STRICT_VERIFY: "false",
    });
  });

  it("is root without capabilities but for a port below 1024, and cannot escalate", () => {
    const { spec } = specOf(run).template;
    expect(spec.securityContext).toEqual({ seccompProfile: { type: "RuntimeDefault" } });
    expect(spec.containers[0].securityContext).toEqual({
      runAsUser: 0,
      runAsGroup: 0,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] },
    });
  });

  it("leaves the Deployment to the server once it is there, and replaces it for another registration", () => {
    const { options } = agentOf(run);
    expect(options).toMatchObject({ ignoreChanges: ["spec"], deleteBeforeReplace: true });
  });

  it("has all rights, which the policies name, and passes every mandatory one", () => {
    const { violations, policies } = judge(run);
    expect(policies.failed).toBe(0);
    const admins = violations.filter(({ policy }) => policy === "no-cluster-admin").map(({ resource }) => resource);
    expect(admins.map(String)).toEqual(expect.arrayContaining([expect.stringContaining("platform-rancher-role")]));
  });

  it("stays with up where Argo CD applies the rest", async () => {
    const gitops = {
      engine: "argo-cd",
      acknowledgeClusterAdmin: true,
      repository: "https://git.example.com/platform/gitops.git",
      path: "clusters/edge-nvidia",
    };
    const moved = await changedRun("edge-nvidia", { rancher: section, rancherToken, gitops });
    expect(agentOf(moved).inputs.metadata).toMatchObject({ name: "cattle-cluster-agent" });
  });
});

/** What the policies of the rendered objects let through, by the rules of Kubernetes. */
describe("NetworkPolicies around the agents of others", () => {
  const SERVERS = { rancher: "192.168.1.31", portainer: "192.168.1.30" };
  const STRANGER = { address: "192.168.1.99" };
  const pods = {
    rancher: { namespace: "cattle-system", labels: { app: "cattle-cluster-agent" } },
    fleet: { namespace: "cattle-fleet-system", labels: { app: "fleet-agent" } },
    webhook: { namespace: "cattle-system", labels: { app: "rancher-webhook" } },
    portainer: {
      namespace: "portainer",
      labels: { "app.kubernetes.io/name": "portainer-agent", "app.kubernetes.io/instance": "portainer-agent" },
    },
  };
  const at = (port: number) => ({ port, protocol: "TCP" as const });
  let policies: readonly NetworkPolicy[];
  beforeAll(async () => {
    const portainer = { mode: "direct", acknowledgeClusterAdmin: true, networks: [`${SERVERS.portainer}/32`] };
    const { deployment } = await sharedRun("edge-nvidia", { rancher: section, rancherToken, portainer });
    policies = deployment
      .ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy")
      .map(({ inputs }) => parsePolicy(inputs));
  });

  it("let Portainer's server alone reach its agent", () => {
    expect(allows(policies, { address: SERVERS.portainer }, pods.portainer, at(9001))).toBe(true);
    for (const from of [STRANGER, { address: SERVERS.rancher }, pods.rancher, { address: "10.42.0.9" }]) {
      expect(allows(policies, from, pods.portainer, at(9001))).toBe(false);
    }
    expect(allows(policies, { address: SERVERS.portainer }, pods.portainer, at(80))).toBe(false);
    expect(allows(policies, pods.portainer, { address: SERVERS.portainer }, at(9443))).toBe(false);
  });

  it("let Rancher's agents reach their server at its port, and no other address than the API server's ports", () => {
    for (const agent of [pods.rancher, pods.fleet]) {
      expect(allows(policies, agent, { address: SERVERS.rancher }, at(443))).toBe(true);
      expect(allows(policies, agent, { address: SERVERS.rancher }, at(80))).toBe(false);
      expect(allows(policies, agent, { address: "203.0.113.9" }, at(80))).toBe(false);
      expect(allows(policies, { address: SERVERS.rancher }, agent, at(443))).toBe(false);
      expect(allows(policies, pods.portainer, agent, at(80))).toBe(false);
    }
  });

  it("let the API server call Rancher's webhook, without which it refuses namespaces", () => {
    expect(allows(policies, { address: "192.168.1.10" }, pods.webhook, at(9443))).toBe(true);
    expect(allows(policies, { address: "192.168.1.10" }, pods.webhook, at(80))).toBe(false);
  });
});

describe("Rancher's connections", () => {
  it("go to the server's port, also another one", () => {
    const granted = byName(rancherConnections({ url: "https://rancher.example.com:8443" }, NETWORKS));
    expect(Object.keys(granted)).toEqual([
      "rancher-agents-to-server",
      "rancher-to-kubernetes-api",
      "kubernetes-api-to-rancher-webhook",
    ]);
    expect(granted["rancher-agents-to-server"]?.ports).toEqual([{ port: 8443 }]);
  });
});

describe("the section rancher", () => {
  it("takes https:// URLs of servers outside of the cluster, and authorities", () => {
    expect(told({ rancher: section }, "rancher")).toEqual([]);
    for (const wrong of [
      { url: "http://rancher.example.internal" },
      { url: "http://rancher" },
      { url: "ftp://rancher.example.internal" },
      { url: "https://rancher.cattle-system.svc" },
      { networks: ["0.0.0.0/0"] },
      { caCerts: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n" },
    ]) {
      expect(told({ rancher: { ...section, ...wrong } }, "rancher")).toHaveLength(1);
    }
  });

  it("is refused without consent and without a token", async () => {
    const run = await changedRun("edge-nvidia", { rancher: { ...section, acknowledgeClusterAdmin: false } });
    expect(run.plan.problems.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(["rancher-cluster-admin", "rancher-token"]),
    );
  });
});
