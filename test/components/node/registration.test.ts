import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { nodeConnections } from "../../../components/node/connections";
import type { RegistrarPlan } from "../../../planner/inference-nodes";
import { allOf, NODE_PROXY, NODE_REGISTRATION } from "../../../planner/sidecars";
import type { ModelPlan } from "../../../planner/types";
import { byName, INTERNET, NETWORKS } from "../../harness/connections";
import { container, deployServing, literals } from "../serving/fixture";
import { deployNode, engineContainer, NODE_KINDS, type NodeKindName, nodeModel, templatesOf } from "./node-pods";

const CONFIG_HASH = "inference-stacks.io/config-hash";
const SECRET = "kubernetes:core/v1:Secret";
const CONFIG_MAP = "kubernetes:core/v1:ConfigMap";

const REGISTRAR: RegistrarPlan = { url: "https://registrar.example.com/api/", renewSeconds: 20 };
const WITH_KEY: RegistrarPlan = { ...REGISTRAR, secretKey: "registrarApiKey" };
const WITH_AUTHORITIES: RegistrarPlan = { ...REGISTRAR, authorities: { file: "office.pem", text: "-----PEM-----" } };

function registered(registrar: RegistrarPlan): Partial<ModelPlan> {
  return { node: { group: "inference-cluster", registrar }, sidecars: allOf([NODE_PROXY, NODE_REGISTRATION]) };
}

async function deployed(kind: NodeKindName, registrar: RegistrarPlan, key = "sk-registrar") {
  const { deployment } = await deployServing([nodeModel(kind, registered(registrar))], {
    apiKeys: { registrarApiKey: pulumi.secret(key), otherApiKey: pulumi.secret("sk-other") },
  });
  const pods = deployment.recording.resources.flatMap(templatesOf);
  const nodes = pods.filter(({ spec }) => spec.initContainers?.some(({ name }) => name === "registration"));
  const [node] = nodes;
  if (node === undefined || nodes.length > 1) {
    throw new Error(`${kind}: ${nodes.length} kinds of pods register`);
  }
  const named = (type: string, name: string) =>
    deployment.ofType(type).filter(({ inputs }) => (inputs.metadata as { name: string }).name === name);
  return { node, sidecar: container(node.spec, "registration"), named };
}

describe.each(NODE_KINDS)("a node of %s with a registrar", (kind) => {
  it("registers itself beside its Envoy, and says nothing of the pod's readiness or life", async () => {
    const { node, sidecar } = await deployed(kind, REGISTRAR);
    expect(node.spec.initContainers?.slice(0, 2).map(({ name }) => name)).toEqual(["node", "registration"]);
    expect(sidecar).toMatchObject({ restartPolicy: "Always", command: ["node", "/scripts/registration.ts"] });
    for (const probe of ["readinessProbe", "livenessProbe", "startupProbe"]) {
      expect(sidecar).not.toHaveProperty(probe);
    }
    expect(sidecar.ports).toEqual([{ name: "registration", containerPort: 9082 }]);
    expect(sidecar.resources.limits).toEqual({ cpu: "50m", memory: "128Mi", "ephemeral-storage": "64Mi" });
    expect(node.spec.containers.map(({ name }) => name)).toEqual([engineContainer(kind)]);
    const volumes = node.spec.volumes.map(({ name }) => name);
    expect(new Set(volumes).size).toBe(volumes.length);
  });

  it("tells the registrar what it is, where, and how to ask for it", async () => {
    const { sidecar } = await deployed(kind, REGISTRAR);
    const { servedName, engine } = nodeModel(kind);
    expect(JSON.parse(literals(sidecar).REGISTRATION ?? "")).toEqual({
      registrar: "https://registrar.example.com/api",
      group: "inference-cluster",
      model: servedName,
      engine,
      renewSeconds: 20,
      port: 9080,
      health: "/health",
      infer: "/infer",
      metricsPort: 9082,
    });
    expect(sidecar.env.filter(({ valueFrom }) => valueFrom !== undefined)).toEqual([
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
    ]);
  });
});

describe("a node with a registrar", () => {
  const kind = "vLLM on one node";

  it("leaves when its pod begins to end, before its engine is told: hooks run first", async () => {
    const { sidecar } = await deployed(kind, REGISTRAR);
    expect(sidecar.lifecycle).toEqual({ preStop: { exec: { command: ["/bin/sh", "-c", "kill -USR2 1"] } } });
  });

  it("reads the key of its group's registrar from a file, and never from a variable", async () => {
    const { node, sidecar, named } = await deployed(kind, WITH_KEY);
    expect(JSON.parse(literals(sidecar).REGISTRATION ?? "")).toMatchObject({ keyFile: "/etc/registrar-key/key" });
    expect(named(SECRET, "registrar-key").map(({ inputs }) => inputs)).toEqual([
      expect.objectContaining({
        metadata: expect.objectContaining({ namespace: "model-llama-8b" }),
        stringData: { key: "sk-registrar" },
      }),
    ]);
    expect(sidecar.volumeMounts).toContainEqual({
      name: "registrar-key",
      mountPath: "/etc/registrar-key",
      readOnly: true,
    });
    expect(node.spec.volumes).toContainEqual({ name: "registrar-key", secret: { secretName: "registrar-key" } });
    expect(JSON.stringify(node)).not.toContain("sk-registrar");
  });

  it("trusts the authorities that the plan names, and no others", async () => {
    const { node, sidecar, named } = await deployed(kind, WITH_AUTHORITIES);
    expect(JSON.parse(literals(sidecar).REGISTRATION ?? "")).toMatchObject({
      authoritiesFile: "/etc/registrar-ca/ca.crt",
    });
    expect(named(CONFIG_MAP, "registrar-ca").map(({ inputs }) => inputs.data)).toEqual([{ "ca.crt": "-----PEM-----" }]);
    expect(sidecar.volumeMounts).toContainEqual({
      name: "registrar-ca",
      mountPath: "/etc/registrar-ca",
      readOnly: true,
    });
    expect(node.spec.volumes).toContainEqual({ name: "registrar-ca", configMap: { name: "registrar-ca" } });
  });

  it("rolls for other authorities, but loads its weights no second time for another key", async () => {
    const hash = async (registrar: RegistrarPlan, key?: string) =>
      (await deployed(kind, registrar, key)).node.metadata.annotations;
    const before = await hash(WITH_AUTHORITIES);
    const other = await hash({ ...REGISTRAR, authorities: { file: "office.pem", text: "-----OTHER-----" } });
    expect(other[CONFIG_HASH]).not.toBe(before[CONFIG_HASH]);
    expect(await hash(WITH_KEY, "sk-1")).toEqual(await hash(WITH_KEY, "sk-2"));
  });

  it("has its own script in a volume of its own, beside those of an engine that has some", async () => {
    const { node, named } = await deployed("Ollama", REGISTRAR);
    expect(node.spec.volumes).toEqual(
      expect.arrayContaining([
        { name: "scripts", configMap: { name: "model-loader" } },
        { name: "node-registration", configMap: { name: "node-registration" } },
      ]),
    );
    const [scripts] = named(CONFIG_MAP, "node-registration");
    expect(Object.keys(scripts?.inputs.data as object)).toEqual(["membership.ts", "registrar.ts", "registration.ts"]);
  });

  it("is refused without the key that it asks for", async () => {
    const model = nodeModel(kind, registered(WITH_KEY));
    await expect(deployServing([model], { apiKeys: {} })).rejects.toThrow(
      "nodes.inference-cluster: the secret registrarApiKey is not set",
    );
  });

  it("is all that registers: a group without a registrar has no such container", async () => {
    const { node } = await deployNode(kind);
    expect(node.spec.initContainers?.map(({ name }) => name)).not.toContain("registration");
  });
});

describe("nodeConnections", () => {
  const pods = (name: string, group?: string) => ({
    namespace: `model-${name}`,
    podLabels: { "app.kubernetes.io/instance": `model-${name}` },
    ...(group && { node: { group } }),
  });
  const of = (registrar: RegistrarPlan | undefined, ...nodes: ReturnType<typeof pods>[]) =>
    byName(nodeConnections([{ name: "cluster", model: "chat", ...(registrar && { registrar }) }], nodes, NETWORKS));

  it("let the nodes of a group, a canary's too, out to its registrar alone, at its port", () => {
    const all = [pods("chat", "cluster"), pods("chat-canary", "cluster"), pods("finder"), pods("other", "else")];
    expect(of({ ...REGISTRAR, networks: ["192.168.1.20/32"] }, ...all)).toEqual({
      "node-cluster-to-registrar": {
        from: all.slice(0, 2).map(({ namespace, podLabels }) => ({ namespace, podLabels })),
        to: [{ cidr: "192.168.1.20/32" }],
        ports: [{ port: 443 }],
      },
    });
  });

  it("go to its address, or to whatever is no private network where only its name is known", () => {
    const to = (url: string) => Object.values(of({ ...REGISTRAR, url }, pods("chat", "cluster")))[0];
    expect(to("http://192.168.1.9:8500")).toMatchObject({ to: [{ cidr: "192.168.1.9/32" }], ports: [{ port: 8500 }] });
    expect(to("http://registrar.example.com")).toMatchObject({ to: [INTERNET], ports: [{ port: 80 }] });
  });

  it("are none without a registrar, or without pods: a group of somebody else's server", () => {
    expect(of(undefined, pods("chat", "cluster"))).toEqual({});
    expect(of(REGISTRAR)).toEqual({});
  });
});
