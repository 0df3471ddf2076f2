import { describe, expect, it } from "vitest";
import type { TopologySpread } from "../../../components/core/hardened-pod";
import type { ModelPlan } from "../../../planner/types";
import { modelPlan, ollamaPlan, rayPlan } from "../../harness/plans";
import { deployServing } from "./fixture";

interface Spread {
  readonly affinity?: unknown;
  readonly topologySpreadConstraints: readonly TopologySpread[];
}

/** Pod specs, at any depth, with a rule that demands zones. */
function podsInZones(value: unknown): Spread[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const { topologySpreadConstraints = [] } = value as Partial<Spread>;
  const isSpread = topologySpreadConstraints.some(
    ({ topologyKey, minDomains }) => topologyKey === "topology.kubernetes.io/zone" && minDomains === 2,
  );
  return isSpread ? [value as Spread] : Object.values(value).flatMap(podsInZones);
}

async function podsOf(model: ModelPlan, zoneNames?: readonly string[]): Promise<Spread[]> {
  const apart = { nodes: 2, zones: 2, ...(zoneNames && { zoneNames }) };
  const availability = { apart } as unknown as NonNullable<ModelPlan["availability"]>;
  const { deployment } = await deployServing([{ ...model, availability }]);
  return deployment.recording.resources.flatMap(({ inputs }) => podsInZones(inputs));
}

describe("pods whose replicas are kept apart by zones", () => {
  it.each([
    ["vllm", modelPlan()],
    ["ollama", ollamaPlan()],
    ["ray", rayPlan()],
  ])("of %s name the zones of their pool, for Karpenter counts those of other pools else", async (_, model) => {
    const pods = await podsOf(model, ["us-east-1a", "us-east-1b"]);
    expect(pods.map(({ affinity }) => affinity)).toEqual([
      {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: "topology.kubernetes.io/zone", operator: "In", values: ["us-east-1a", "us-east-1b"] },
                ],
              },
            ],
          },
        },
      },
    ]);
  });

  it("name none where the zones of the pool are not known", async () => {
    expect((await podsOf(modelPlan())).map(({ affinity }) => affinity)).toEqual([undefined]);
  });
});
