import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { k3sFiles } from "../../../components/cluster/k3s/k3s-config";
import { ADMISSION_CONFIG, AUDIT_LOG } from "../../../components/cluster/k3s/paths";
import type { KubernetesObject } from "../../../kubernetes/object";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { settings } from "../../components/cluster/k3s/fixture";
import { k3sServerArgs } from "./k3s-server-args";

const folder = mkdtempSync(join(tmpdir(), "hardening-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function files() {
  const written = k3sFiles(settings({ namespaces: ["gpu-software", "observability"] }));
  return Promise.all(
    written.map(async ({ path, content }) => ({
      path,
      content: await new Promise<string>((done) => pulumi.output(content).apply(done)),
    })),
  );
}

const namespace = (name: string, labels: Record<string, string> = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels },
});

const privilegedPod = (name: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "probe", namespace: name },
  spec: {
    hostNetwork: true,
    automountServiceAccountToken: false,
    containers: [{ name: "probe", image: "example.com/probe:1", securityContext: { privileged: true } }],
  },
});

describe("a real API server with the settings of a hardened k3s", () => {
  let controlPlane: ControlPlane | undefined;
  const client = () => {
    if (controlPlane === undefined) {
      throw new Error("the control plane did not start");
    }
    return controlPlane.client;
  };

  beforeAll(async () => {
    const serverArgs = k3sServerArgs(await files(), join(folder, "k3s"));
    controlPlane = await ControlPlane.start({ controllers: ["serviceaccount-controller"], serverArgs });
    for (const each of [namespace("gpu-software"), namespace("plain"), namespace("observability")]) {
      await client().apply(each);
    }
    const accounts = ["gpu-software", "plain", "observability", "kube-system"];
    await Promise.all(
      accounts.map((name) =>
        client().apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: name } }),
      ),
    );
  });
  afterAll(() => controlPlane?.stop());

  it.each(["plain", "observability"])(
    "refuses a privileged pod in %s, which has no labels of Pod Security",
    async (name) => {
      await expect(client().apply(privilegedPod(name), { dryRun: true })).rejects.toThrow(
        /violates PodSecurity "restricted:latest".*host namespaces.*privileged/,
      );
    },
  );

  it.each(["gpu-software", "kube-system"])("takes one in %s, which is exempt", async (name) => {
    expect((await client().apply(privilegedPod(name), { dryRun: true })).warnings).toEqual([]);
  });

  it("writes down who made a Secret, and nothing of its content", async () => {
    const secret = "c2VjcmV0LW9mLXRoZS1hdWRpdC10ZXN0";
    await client().apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "audited", namespace: "plain" },
      data: { key: secret },
    });
    await client().apply({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "audited", namespace: "plain" },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
    });
    const log = readFileSync(join(folder, "k3s", AUDIT_LOG), "utf8");
    const entries = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { level: string; objectRef?: { resource?: string; name?: string } });
    const of = (resource: string) =>
      entries.filter(({ objectRef }) => objectRef?.resource === resource && objectRef.name === "audited");
    expect(of("secrets").map(({ level }) => level)).toEqual(["Metadata"]);
    expect(of("roles").map(({ level }) => level)).toEqual(["Request"]);
    expect(log).not.toContain(secret);
    expect(entries.filter(({ objectRef }) => objectRef?.resource === "leases")).toEqual([]);
  });
});

describe("the trap of the guide", () => {
  it("is real: EventRateLimit without limits keeps the API server from starting", async () => {
    const without = (await files()).map(({ path, content }) => {
      if (path !== ADMISSION_CONFIG) {
        return { path, content };
      }
      const config = parse(content) as { plugins: { name: string }[] };
      const plugins = config.plugins.filter(({ name }) => name !== "EventRateLimit");
      expect(plugins).toHaveLength(config.plugins.length - 1);
      return { path, content: stringify({ ...config, plugins }) };
    });
    const serverArgs = k3sServerArgs(without, join(folder, "trap"));
    await expect(ControlPlane.start({ serverArgs })).rejects.toThrow(
      /kube-apiserver ended with 1[\s\S]*EventRateLimit/,
    );
  });
});
