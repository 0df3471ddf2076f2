import { describe, expect, it } from "vitest";
import { Connections, connect, podsIn } from "../../../components/core/connections";
import { IsolatedNamespace, type IsolatedNamespaceArgs } from "../../../components/core/isolated-namespace";
import { PlatformComponent } from "../../../components/core/platform-component";
import { dependenciesOf } from "../../harness/dependencies";
import { deploy, resolved } from "../../harness/deploy";
import { specOf } from "../serving/fixture";

const POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy";

/** What knows the connections, as the platform does. */
class Space extends PlatformComponent {
  constructor() {
    const requests = connect({
      name: "gateway-to-model-a",
      reason: "Requests",
      from: podsIn("gateway"),
      to: { namespace: "model-a", podLabels: { app: "server" } },
      ports: [8000],
    });
    super("test:Space", "space", {}, { connections: new Connections([requests]) });
    this.registerOutputs({});
  }
}

async function deployed(overrides: Partial<IsolatedNamespaceArgs> = {}, preview = false) {
  const made: IsolatedNamespace[] = [];
  const known: (readonly [string, string[]])[] = [];
  const deployment = await deploy(
    async () => {
      const isolated = new IsolatedNamespace(
        "space-ns",
        { namespace: "model-a", quota: { pods: "3" }, ...overrides },
        { parent: new Space() },
      );
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
        "space-ns-namespace",
        "space-ns-default-deny",
        "space-ns-allow-server",
        "space-ns-quota",
        "space-ns-limits",
      ]),
    );
  });

  it("opens for the connections that its ancestors know, and says so on the policies", async () => {
    const { deployment } = await deployed();
    const annotations = deployment
      .ofType(POLICY)
      .map(({ name, inputs }) => [name, Object(inputs.metadata).annotations]);
    expect(Object.fromEntries(annotations)).toEqual({
      "space-ns-default-deny": {
        "kubernetes.io/description": expect.stringContaining("Nothing goes in or out"),
        "inference-stacks.io/connections": "out dns: All pods resolve names",
      },
      "space-ns-allow-server": {
        "kubernetes.io/description": expect.any(String),
        "inference-stacks.io/connections": "in gateway-to-model-a: Requests",
      },
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
    expect(specOf(deployment.resource(POLICY, "space-ns-default-deny"))).toEqual({
      podSelector: {},
      policyTypes: ["Ingress", "Egress"],
      egress: [
        {
          to: [
            pods("kube-dns"),
            pods("node-local-dns"),
            { ipBlock: { cidr: "169.254.20.10/32" } },
            { ipBlock: { cidr: "169.254.25.10/32" } },
          ],
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
    expect(options({ type: "kubernetes:core/v1:Namespace", name: "space-ns-namespace" })).toMatchObject({
      protect: true,
      retainOnDelete: true,
    });
    expect(options({ type: POLICY, name: "space-ns-allow-server" }).protect).toBe(false);
  });
});
