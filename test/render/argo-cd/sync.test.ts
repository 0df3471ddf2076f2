/** Argo CD's waves on an environment that has every kind of waiting, and on the same one with its order spoilt. */
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { onA10, useFolder } from "../../cli/run";
import { contentOf, objectsIn, type ReadObject, renderOf } from "../run";
import { configured } from "./customizations";
import { LATER_HEALTH } from "./later-health";
import { sync } from "./sync";

const folder = useFolder();
const environment = onA10(
  {},
  {
    models: {
      chat: { model: "qwen2.5-7b-instruct", concurrency: 2 },
      writer: { model: "qwen2.5-0.5b-instruct", engine: "ollama", contextTokens: 4096, concurrency: 2 },
    },
    gateway: { hostname: "models.example.org", tls: { kind: "acme", email: "platform@example.org" } },
    modelControl: {
      enabled: true,
      hostname: "control.example.org",
      image: "ghcr.io/example/inference-model-control:1.0.0",
      warmModels: ["qwen2.5:0.5b"],
    },
  },
);

let objects: readonly ReadObject[] = [];
beforeAll(async () => {
  const { status, err } = await renderOf(folder, environment, "--out", join(folder, "all"));
  expect([status, err]).toEqual([0, ""]);
  objects = objectsIn(contentOf(join(folder, "all")));
}, 60_000);

/** The objects, with the waves of one kind and name moved, or its annotation changed. */
function spoilt(kind: string, name: string, change: { wave?: number; annotations?: Record<string, string> }) {
  const objectNames = objects.map((object) => `${object.kind} ${object.programName}`);
  expect(objectNames).toContain(`${kind} ${name}`);
  return objects.map((object) => {
    if (object.kind !== kind || object.programName !== name) {
      return object;
    }
    const { annotations } = object.metadata;
    const key = "argocd.argoproj.io/sync-wave";
    const wave = String(Number(annotations[key]) + (change.wave ?? 0));
    return {
      ...object,
      metadata: { ...object.metadata, annotations: { ...annotations, ...change.annotations, [key]: wave } },
    };
  });
}

describe("a sync", () => {
  it("gets through", () => {
    const kinds = new Set(objects.map(({ kind, programName }) => `${kind} ${programName}`));
    const waiting = ["Certificate gateway-model-control", "Job sync-chat", "Job warm-models"];
    for (const name of waiting) {
      expect(kinds).toContain(name);
    }
    expect(sync(objects)).toEqual([]);
  });

  it("gets through Argo CD after 3.5 with the health checks of docs/gitops.md, and never ends without", () => {
    const waits = sync(objects, [], LATER_HEALTH).join("\n");
    expect(waits).toMatch(/ClientTrafficPolicy .* waits for "Gateway inference-gateway\/inference exists"/);
    expect(sync(objects, [], configured(LATER_HEALTH))).toEqual([]);
  });

  it.each([
    {
      what: "the certificate comes before the Gateway that its challenge needs",
      kind: "Certificate",
      name: "gateway-server",
      change: { wave: -1 },
      says: /Certificate inference-gateway\/gateway-server waits for "Gateway inference-gateway\/inference is healthy"/,
    },
    {
      what: "the Gateway's listener has no certificate until the challenge is done",
      kind: "Certificate",
      name: "gateway-model-control",
      change: { annotations: { "cert-manager.io/issue-temporary-certificate": "false" } },
      says: /Gateway inference-gateway\/inference fails without "Secret inference-gateway\/gateway-tls-model-control is filled"/,
    },
    {
      what: "an issuer comes with the certificate that it signs with",
      kind: "ClusterIssuer",
      name: "model-store-ca",
      change: { wave: -1 },
      says: /ClusterIssuer \/model-store-ca fails without "Secret cert-manager\/model-store-ca is filled"/,
    },
    {
      what: "a certificate comes before its issuer",
      kind: "Certificate",
      name: "minio",
      change: { wave: -2 },
      says: /Certificate model-store\/minio waits for "ClusterIssuer \/model-store-ca is healthy"/,
    },
    {
      what: "pods fetch what a later Job brings",
      kind: "Job",
      name: "sync-chat",
      change: { wave: 2 },
      says: /Deployment model-chat\/model-chat waits for "the store holds chat", which takes Job model-store\/sync-chat/,
    },
    {
      what: "a Job calls a server of a later wave",
      kind: "StatefulSet",
      name: "minio",
      change: { wave: 1 },
      says: /PersistentVolumeClaim model-store\/minio-data waits for "StatefulSet model-store\/minio exists"/,
    },
    {
      what: "a chart's CRDs are not there yet",
      kind: "Application",
      name: "test-cert-manager",
      change: { wave: 4 },
      says: /wave \d+: .* "kinds of cert-manager\.io are served", which takes Application argocd\/test-cert-manager/,
    },
    {
      what: "a mounted ConfigMap is late",
      kind: "ConfigMap",
      name: "model-loader",
      change: { wave: 9 },
      says: /waits for "ConfigMap model-writer\/model-loader exists"/,
    },
  ])("stands still when $what", ({ kind, name, change, says }) => {
    expect(sync(spoilt(kind, name, change)).join("\n")).toMatch(says);
  });
});
