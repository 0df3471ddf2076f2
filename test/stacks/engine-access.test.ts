import { expect, it } from "vitest";
import { z } from "zod";
import { parsePolicy, rulesOf, weakestPod } from "../harness/network-policies";
import { metadataOf } from "./kubernetes";
import { changedRun } from "./run";

const controller = z.object({
  metadata: z.object({ namespace: z.string() }),
  spec: z.object({ template: z.object({ metadata: z.object({ labels: z.record(z.string(), z.string()) }) }) }),
});

/** vLLM's development API asks for no key: the network alone keeps it closed. */
it("an engine that may sleep is reached by the gateway's proxies, the model control API and Prometheus alone", async () => {
  const napper = { model: "qwen3-8b", contextTokens: 8192, concurrency: 2, vllm: { sleepMode: true } };
  const { deployment } = await changedRun("edge-nvidia", {
    models: { napper },
    modelControl: { enabled: true, image: "ghcr.io/acme/inference-model-control:1.0.0" },
  });
  const engine = deployment
    .ofType("kubernetes:apps/v1:Deployment")
    .find((found) => metadataOf(found).name === "model-napper");
  const { metadata, spec } = controller.parse(engine?.inputs);
  const { namespace } = metadata;
  const { labels } = spec.template.metadata;
  const policies = deployment
    .ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy")
    .map(({ inputs }) => parsePolicy(inputs))
    .filter(({ metadata }) => metadata.namespace === namespace)
    .filter(({ spec }) => Object.entries(spec.podSelector.matchLabels).every(([key, value]) => labels[key] === value));
  // One of them closes what no other opens.
  expect(policies.filter(({ spec }) => spec.policyTypes.includes("Ingress")).length).toBeGreaterThan(1);
  const opened = policies.flatMap(({ spec }) =>
    rulesOf(spec, "Ingress").flatMap(({ peers, ports }) =>
      peers.map((peer) => ({ from: weakestPod(peer, namespace), ports: ports?.map(({ port }) => port) })),
    ),
  );
  expect(opened).toEqual([
    {
      from: {
        namespace: "inference-gateway",
        labels: {
          "gateway.envoyproxy.io/owning-gateway-name": "inference",
          "gateway.envoyproxy.io/owning-gateway-namespace": "inference-gateway",
        },
      },
      ports: [8000],
    },
    {
      from: {
        namespace: "model-control",
        labels: { "app.kubernetes.io/name": "model-control", "app.kubernetes.io/instance": "model-control" },
      },
      ports: [8000],
    },
    { from: { namespace: "observability", labels: { "app.kubernetes.io/name": "prometheus" } }, ports: [8000] },
  ]);
});
