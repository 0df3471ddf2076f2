import { describe, expect, it } from "vitest";
import { NetworkPolicyEngine } from "../../../components/cluster/network-policy-engine";
import { deploy } from "../../harness/deploy";

const engine = (preview = false) => deploy(() => void new NetworkPolicyEngine("engine"), { preview });
const AGENTS = "kubernetes:apps/v1:DaemonSet";

describe("NetworkPolicyEngine", () => {
  it.each([false, true])(
    "runs Calico's agent as Oracle has it beside its own pod network (preview: %s)",
    async (preview) => {
      const { inputs } = (await engine(preview)).resource(AGENTS, "engine-agents");
      const { spec } = (inputs.spec as { template: { spec: Record<string, unknown> } }).template;
      const [agent, ...others] = spec.containers as { env: { name: string; value?: string }[]; image: string }[];
      expect(others).toEqual([]);
      expect(agent?.image).toMatch(/^quay\.io\/calico\/node:v3\.32\.0@sha256:/);
      // docs.oracle.com, ContEng/Tasks/contengsettingupcalico, on Oracle Linux 8.
      expect(Object.fromEntries((agent?.env ?? []).map(({ name, value }) => [name, value]))).toMatchObject({
        FELIX_INTERFACEPREFIX: "oci",
        NO_DEFAULT_POOLS: "true",
        FELIX_CHAININSERTMODE: "Append",
        FELIX_IPTABLESMANGLEALLOWACTION: "Return",
        FELIX_IPTABLESBACKEND: "NFT",
        CALICO_NETWORKING_BACKEND: "none",
        CALICO_MANAGE_CNI: "false",
      });
      // It brings no plugin of its own: there is nothing of CNI on the node that it could write to.
      expect(spec).not.toHaveProperty("initContainers");
      const paths = (spec.volumes as { hostPath: { path: string } }[]).map(({ hostPath }) => hostPath.path);
      expect(paths).toEqual(["/lib/modules", "/var/run/calico", "/var/lib/calico", "/run/xtables.lock"]);
    },
  );

  it("is on every node, whatever is kept away from it", async () => {
    const { inputs } = (await engine()).resource(AGENTS, "engine-agents");
    const { spec } = (inputs.spec as { template: { spec: Record<string, unknown> } }).template;
    expect(spec).toMatchObject({
      hostNetwork: true,
      priorityClassName: "system-node-critical",
      nodeSelector: { "kubernetes.io/os": "linux" },
    });
    expect(spec.tolerations).toEqual(
      expect.arrayContaining([
        { operator: "Exists", effect: "NoSchedule" },
        { operator: "Exists", effect: "NoExecute" },
      ]),
    );
  });

  it("starts after its kinds are there, from the chart that holds them alone", async () => {
    const deployment = await engine();
    const crds = deployment.resource("kubernetes:helm.sh/v3:Release", "engine-calico-crds");
    expect(crds.inputs).toMatchObject({
      chart: "crd.projectcalico.org.v1",
      version: "v3.32.0",
      repositoryOpts: { repo: "https://docs.tigera.io/calico/charts" },
      namespace: "calico-system",
    });
    expect(deployment.resource(AGENTS, "engine-agents").dependsOn).toContain(crds.urn);
  });

  it("may read what policies are about, and write nothing that a policy or a pod says", async () => {
    const { inputs } = (await engine()).resource("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "engine-role");
    const rules = inputs.rules as { apiGroups: string[]; resources: string[]; verbs: string[] }[];
    const writes = rules.filter(({ verbs }) => verbs.some((verb) => !["get", "list", "watch"].includes(verb)));
    expect(writes.map(({ apiGroups, resources }) => [apiGroups, resources])).toEqual([
      [[""], ["nodes/status"]],
      [
        ["crd.projectcalico.org"],
        ["clusterinformations", "felixconfigurations", "bgpconfigurations", "ippools", "tiers"],
      ],
      [
        ["crd.projectcalico.org"],
        ["clusterinformations", "felixconfigurations", "bgpconfigurations", "ippools", "caliconodestatuses"],
      ],
    ]);
    expect(JSON.stringify(rules)).not.toContain('"*"');
  });
});
