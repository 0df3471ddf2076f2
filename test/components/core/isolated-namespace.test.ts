import { describe, expect, it } from "vitest";
import { IsolatedNamespace, type IsolatedNamespaceArgs } from "../../../components/core/isolated-namespace";
import { dependenciesOf } from "../../harness/dependencies";
import { deploy, resolved } from "../../harness/deploy";
import { specOf } from "../serving/fixture";

const POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy";

async function deployed(overrides: Partial<IsolatedNamespaceArgs> = {}, preview = false) {
  const made: IsolatedNamespace[] = [];
  const known: (readonly [string, string[]])[] = [];
  const deployment = await deploy(
    async () => {
      const isolated = new IsolatedNamespace("space", {
        namespace: "model-a",
        quota: { pods: "3" },
        allowances: [
          { name: "gateway", reason: "Requests", pods: {}, from: [{ namespace: "gateway" }], ports: [{ port: 8000 }] },
        ],
        ...overrides,
      });
      made.push(isolated);
      known.push([await resolved(isolated.namespace), await dependenciesOf(isolated.namespace)]);
    },
    { preview },
  );
  const [[namespace, dependencies] = ["", []]] = known;
  return { deployment, namespace, dependencies };
}

describe("IsolatedNamespace", () => {
  it("hands out its name only with the policies, quota and limits in force: nothing runs unguarded", async () => {
    const { namespace, dependencies } = await deployed();
    expect(namespace).toBe("model-a");
    expect(dependencies).toEqual(
      expect.arrayContaining([
        "space-namespace",
        "space-default-deny",
        "space-allow-dns",
        "space-allow-gateway",
        "space-quota",
        "space-limits",
      ]),
    );
  });

  it("says on each policy why it is there", async () => {
    const { deployment } = await deployed();
    const reasons = deployment.ofType(POLICY).map(({ name, inputs }) => [name, Object(inputs.metadata).annotations]);
    expect(Object.fromEntries(reasons)).toMatchObject({
      "space-default-deny": { "kubernetes.io/description": expect.stringContaining("Nothing goes in or out") },
      "space-allow-gateway": { "kubernetes.io/description": "Requests" },
    });
  });

  it("knows its name in a preview, before anything exists", async () => {
    expect((await deployed({}, true)).namespace).toBe("model-a");
  });

  it("resolves names through CoreDNS and through a cache on the node", async () => {
    const { deployment } = await deployed();
    const pods = (label: string) => ({
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
      podSelector: { matchLabels: { "k8s-app": label } },
    });
    expect(specOf(deployment.resource(POLICY, "space-allow-dns"))).toEqual({
      podSelector: {},
      policyTypes: ["Egress"],
      egress: [
        {
          to: [pods("kube-dns"), pods("node-local-dns"), { ipBlock: { cidr: "169.254.20.10/32" } }],
          ports: [
            { port: 53, protocol: "UDP" },
            { port: 53, protocol: "TCP" },
          ],
        },
      ],
    });
  });

  it("keeps a namespace that holds volumes, but not its policies: those must stay changeable", async () => {
    const { deployment } = await deployed({ keep: true });
    const options = ({ type, name }: { type: string; name: string }) => deployment.resource(type, name).options;
    expect(options({ type: "kubernetes:core/v1:Namespace", name: "space-namespace" })).toMatchObject({
      protect: true,
      retainOnDelete: true,
    });
    expect(options({ type: POLICY, name: "space-allow-gateway" }).protect).toBe(false);
  });
});
