import { describe, expect, it } from "vitest";
import { z } from "zod";
import { metadataOf } from "./kubernetes";
import { environments, programRun } from "./run";

const selector = z.object({ matchLabels: z.record(z.string(), z.string()).default({}) });
const peer = z.object({ namespaceSelector: selector.optional(), podSelector: selector.optional() });
const ports = z.array(z.object({ port: z.number(), protocol: z.string() })).optional();
const policySpec = z.object({
  podSelector: selector,
  ingress: z.array(z.object({ from: z.array(peer), ports })).default([]),
  egress: z.array(z.object({ to: z.array(peer), ports })).default([]),
});

type Selector = z.output<typeof selector>;
type Peer = z.output<typeof peer>;

const NAMESPACE_LABEL = "kubernetes.io/metadata.name";

/** Whether a pod can carry the labels of both selectors: none contradicts the other. */
function compatible(a: Selector | undefined, b: Selector | undefined): boolean {
  return Object.entries(a?.matchLabels ?? {}).every(([key, value]) => [undefined, value].includes(b?.matchLabels[key]));
}

/** Namespace of a peer that names one, or the policy's own; undefined for addresses and for any namespace. */
function namespaceOf({ namespaceSelector, podSelector }: Peer, own: string): string | undefined {
  if (namespaceSelector === undefined) return podSelector === undefined ? undefined : own;
  return namespaceSelector.matchLabels[NAMESPACE_LABEL];
}

/** A connection needs both ends: what one namespace lets out, the other must let in. */
describe.each(environments)("connections of %s", (environment) => {
  it("are let in where they are let out to", async () => {
    const { deployment } = await programRun(environment);
    const policies = deployment.ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy").map((resource) => ({
      ...metadataOf(resource),
      ...policySpec.parse(resource.inputs.spec),
    }));
    const ours = new Set(policies.map(({ namespace }) => namespace));
    const connections = policies.flatMap(({ name, namespace = "", podSelector, egress }) =>
      egress.flatMap(({ to, ports: wanted = [{ port: 0, protocol: "any" }] }) =>
        to.flatMap((end) => {
          const target = namespaceOf(end, namespace);
          if (target === undefined || !ours.has(target)) return [];
          return wanted.map(({ port, protocol }) => ({ name, namespace, podSelector, target, end, port, protocol }));
        }),
      ),
    );
    const refused = connections.filter(({ namespace, podSelector, target, end, port, protocol }) => {
      const admits = policies
        .filter((p) => p.namespace === target && compatible(p.podSelector, end.podSelector))
        .flatMap((p) => p.ingress)
        .some(
          (rule) =>
            (rule.ports ?? [{ port, protocol }]).some((p) => p.port === port && p.protocol === protocol) &&
            (rule.from.length === 0 ||
              rule.from.some(
                (source) => namespaceOf(source, target) === namespace && compatible(source.podSelector, podSelector),
              )),
        );
      return !admits;
    });
    expect(connections.length).toBeGreaterThan(10);
    expect(refused.map((c) => `${c.namespace}/${c.name} to ${c.target}:${c.port}`)).toEqual([]);
  });
});
