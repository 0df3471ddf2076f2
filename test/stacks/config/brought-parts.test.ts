/** Keys of what users bring, each with a value that it cannot have: other tests hold the rules between them. */
import { describe, expect, it } from "vitest";
import { problemsWith, rightEnvironment } from "./samples";

const chat = (changes: object) => ({ models: { chat: { model: "qwen2.5-7b-instruct", ...changes } } });
const probes = (changes: object) => chat({ pod: { probes: changes } });
const gateway = (changes: object) => ({ gateway: { ...rightEnvironment.gateway, ...changes } });
const operator = (changes: object) => ({
  observability: {
    prometheus: "present",
    operator: { namespace: "monitoring", labels: { release: "corp" }, ...changes },
  },
});

describe("values of keys that users bring", () => {
  it.each([
    ["models.chat.image.reference", chat({ engineVersion: "0.33.0", image: { reference: "vllm:latest" } })],
    ["models.chat.image.rocm", chat({ engineVersion: "0.33.0", image: { reference: "r.example.com/v:1", rocm: "7" } })],
    ["models.chat.pod.cpu", chat({ pod: { cpu: 0 } })],
    ["models.chat.pod.labels.team", chat({ pod: { labels: { team: "a b" } } })],
    ["models.chat.pod.probes.startupSeconds", probes({ startupSeconds: 30 })],
    ...["readiness", "liveness"].flatMap((probe) =>
      [
        ["periodSeconds", 1],
        ["timeoutSeconds", 90],
        ["failures", 0],
      ].map(
        ([key, value]) =>
          [`models.chat.pod.probes.${probe}.${key}`, probes({ [probe]: { [String(key)]: value } })] as const,
      ),
    ),
    [
      "models.p.external.healthPath",
      { models: { p: { engine: "external", external: { url: "https://a.example.com/v1", healthPath: "healthz" } } } },
    ],
    ["storage.nodeCacheGiB", { storage: { nodeCacheGiB: 0 } }],
    [
      "storage.buckets.theirs.region",
      { storage: { buckets: { theirs: { url: "https://s3.example.com", region: "", secretKey: "s3ApiKey" } } } },
    ],
    ["observability.operator.labels.release", operator({ labels: { release: "a b" } })],
    ["observability.operator.dashboardLabels.grafana", operator({ dashboardLabels: { grafana: "a b" } })],
    ["observability.operator.podLabels.app", operator({ podLabels: { app: "a b" } })],
    ["gateway.tls.clusterIssuer", gateway({ tls: { kind: "issuer", clusterIssuer: "Corp_Issuer" } })],
    ["gateway.controller.gatewayClass", gateway({ controller: { namespace: "eg", gatewayClass: "E G" } })],
    ["gateway.controller.controllerName", gateway({ controller: { namespace: "eg", controllerName: "internal" } })],
  ] as const)("%s is refused with what is allowed and a fix", (path, changes) => {
    const problem = problemsWith(changes).find((each) => each.path === path);
    expect(problem).toBeDefined();
    expect([problem?.allowed, problem?.fix].every((text) => (text ?? "").length > 3)).toBe(true);
  });
});
