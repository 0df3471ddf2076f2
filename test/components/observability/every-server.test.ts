import { describe, expect, it } from "vitest";
import { answeringPods, EXPORTED_LABELS, exportedLabel } from "../../../components/observability/rules/models";
import { SERVERS } from "../../../components/serving/servers";
import { MODEL_LABEL, ROLE_LABEL } from "../../../names/labels";
import type { ModelPlan } from "../../../planner/types";
import { groupPlan, modelPlan, ollamaPlan, rayPlan } from "../../harness/plans";
import { deployServing } from "../serving/fixture";

type Labels = Readonly<Record<string, string>>;

/** A plan for each row of the table of servers. */
const PLANS: readonly (readonly [string, ModelPlan, Counted])[] = [
  ["ollama", ollamaPlan(), "by its controllers"],
  ["triton", modelPlan({ engine: "triton", engineVersion: "26.07", task: "completion" }), "by its controllers"],
  ["tgi", modelPlan({ engine: "tgi", engineVersion: "3.3.7" }), "by its controllers"],
  ["vllm", modelPlan(), "by its controllers"],
  ["vllm, split", modelPlan({ engineSettings: { prefillDecode: { prefill: 1, decode: 2 } } }), "by its controllers"],
  ["vllm, across nodes", groupPlan(), "by the set that the group controller makes"],
  ["ray", rayPlan(), "by the plan"],
];

type Counted = "by its controllers" | "by the set that the group controller makes" | "by the plan";

interface Template {
  readonly metadata: { readonly labels: Labels };
}

/** Pod templates of whatever runs a model's pods. */
function templates(inputs: unknown): Template[] {
  if (typeof inputs !== "object" || inputs === null) {
    return [];
  }
  return Object.entries(inputs).flatMap(([key, value]) =>
    /template$/i.test(key) && (value as Partial<Template>).metadata ? [value as Template] : templates(value),
  );
}

/** What the rules' selector says of a pod: label, operator, text. */
function isCounted(labels: Labels): boolean {
  const exported = new Map(Object.entries(labels).map(([label, value]) => [exportedLabel(label), value]));
  return [...answeringPods.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)].every(([, label = "", operator, text = ""]) => {
    const value = exported.get(label) ?? "";
    return operator === "=~"
      ? new RegExp(`^(?:${text})$`).test(value)
      : operator === "="
        ? value === text
        : value !== text;
  });
}

const KINDS: Readonly<Record<Counted, readonly string[]>> = {
  "by its controllers": ["kubernetes:apps/v1:Deployment", "kubernetes:apps/v1:StatefulSet"],
  "by the set that the group controller makes": ["kubernetes:leaderworkerset.x-k8s.io/v1:LeaderWorkerSet"],
  "by the plan": ["kubernetes:ray.io/v1:RayService"],
};

describe("replicas of every kind of server", () => {
  it("has a plan here", () => {
    const rows = Object.values(SERVERS).flatMap(({ variants = [], acrossNodes }) =>
      [1, ...variants, acrossNodes ?? []].flat(),
    );
    expect(PLANS).toHaveLength(rows.length);
  });

  it.each(PLANS)("%s: are wanted, and counted where they answer", async (_, plan, counted) => {
    const { deployment, serving } = await deployServing([plan]);
    const namespaced = deployment.recording.resources.filter(({ inputs }) => {
      const { namespace } = (inputs.metadata ?? {}) as { readonly namespace?: string };
      return namespace === `model-${plan.name}`;
    });
    const workloads = namespaced.filter(({ type }) => Object.values(KINDS).flat().includes(type));
    const isServer = ({ inputs }: (typeof workloads)[number]) =>
      (inputs.metadata as { readonly name: string }).name.startsWith("model-");
    const running = workloads.filter(isServer);
    const beside = workloads.filter((workload) => !isServer(workload));
    expect(beside.flatMap(({ inputs }) => templates(inputs)).some(({ metadata }) => isCounted(metadata.labels))).toBe(
      false,
    );
    expect(new Set(running.map(({ type }) => KINDS[counted].includes(type)))).toEqual(new Set([true]));
    for (const { inputs } of counted === "by its controllers" ? running : []) {
      expect((inputs.metadata as { readonly labels: Labels }).labels[MODEL_LABEL]).toBe(plan.name);
    }
    const answering = serving.endpoints[0]?.podLabels ?? {};
    const answers = (labels: Labels) => Object.entries(answering).every(([label, value]) => labels[label] === value);
    const pods = running.flatMap(({ inputs }) => templates(inputs)).map(({ metadata }) => metadata.labels);
    expect(pods.filter(answers).every(isCounted)).toBe(true);
    expect(pods.filter(answers)).not.toEqual([]);
    expect(pods.filter((labels) => labels[ROLE_LABEL] === "head").some(isCounted)).toBe(false);
  });

  it("have their labels exported", () => {
    const pods = EXPORTED_LABELS.find((entry) => entry.startsWith("pods=")) ?? "";
    expect([MODEL_LABEL, ROLE_LABEL].every((label) => pods.includes(label))).toBe(true);
  });
});
