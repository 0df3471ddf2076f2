import * as kubernetes from "@pulumi/kubernetes";
import { describe, expect, it } from "vitest";
import { Controller, type ControllerArgs } from "../../../components/core/controller";
import { PlatformComponent } from "../../../components/core/platform-component";
import { type Deployment, deploy } from "../../harness/deploy";

const RELEASE = "kubernetes:helm.sh/v3:Release";

class Owner extends PlatformComponent {
  constructor(args: ControllerArgs) {
    super("test:Owner", "owner");
    new Controller(this.child("lws"), args, this.childOptions());
    this.registerOutputs({});
  }
}

const LWS: ControllerArgs = {
  namespace: "lws-system",
  contents: () => ({ charts: [{ chart: "lws", release: "lws", values: { replicaCount: 2 } }] }),
};

const deployed = (changes: Partial<ControllerArgs> = {}) => deploy(() => void new Owner({ ...LWS, ...changes }));

const needsOf = (deployment: Deployment, release: string) =>
  deployment.resource(RELEASE, release).dependsOn.map((urn) => urn.split("::").at(-1));

describe("Controller", () => {
  it("installs a chart of the catalogue in a closed namespace of its own", async () => {
    const deployment = await deployed();
    const { inputs } = deployment.resource(RELEASE, "owner-lws");
    expect(deployment.ofType("kubernetes:core/v1:Namespace").map(({ name }) => name)).toEqual([
      "owner-lws-namespace-namespace",
    ]);
    expect(inputs).toMatchObject({
      name: "lws",
      namespace: "lws-system",
      values: { replicaCount: 2 },
      skipCrds: false,
    });
  });

  it("installs CRDs first, what the chart needs in its namespace, and waits for what must run before it", async () => {
    const earlier: kubernetes.core.v1.ConfigMap[] = [];
    const deployment = await deploy(() => {
      earlier.push(new kubernetes.core.v1.ConfigMap("earlier", {}));
      new Owner({
        ...LWS,
        crds: { chart: "prometheus-operator-crds", release: "crds" },
        after: earlier,
        contents: (namespace) => ({
          ...LWS.contents(namespace),
          needs: [new kubernetes.core.v1.Secret("needed", { metadata: { namespace } })],
        }),
      });
    });
    expect(needsOf(deployment, "owner-lws")).toEqual(expect.arrayContaining(["earlier", "needed", "owner-lws-crds"]));
    expect(needsOf(deployment, "owner-lws-crds")).not.toContain("earlier");
    const secret = deployment.resource("kubernetes:core/v1:Secret", "needed");
    expect(secret.inputs).toMatchObject({ metadata: { namespace: "lws-system" } });
  });

  it("keeps a namespace that holds volumes", async () => {
    const kept = (await deployed({ keep: true })).resource(
      "kubernetes:core/v1:Namespace",
      "owner-lws-namespace-namespace",
    );
    expect(kept.options).toMatchObject({ protect: true, retainOnDelete: true });
  });

  it("keeps former names that its caller gives beside those of its types", async () => {
    const seen: unknown[] = [];
    await deploy(() => {
      new Controller(
        "lws",
        { ...LWS, formerTypes: ["inference:serving:Lws"] },
        {
          aliases: [{ name: "leader-worker-set" }],
          transformations: [({ name, opts }) => void (name === "lws" && seen.push(opts.aliases))],
        },
      );
    });
    expect(seen).toContainEqual([{ name: "leader-worker-set" }, { type: "inference:serving:Lws" }]);
  });
});
