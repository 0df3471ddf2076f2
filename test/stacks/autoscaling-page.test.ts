/** docs/autoscaling.md: each of its samples is accepted, and scales as it says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { SIGNAL_SERIES } from "../../names/recorded-series";
import { repositoryRoot } from "../../names/repository-root";
import type { ScalingPlan } from "../../planner/scaling";
import { signalsText, spikeText } from "../../report/scaling";
import { onA10, planOf, useFolder } from "../cli/run";

const folder = useFolder();
const page = readFileSync(join(repositoryRoot(), "docs/autoscaling.md"), "utf8");
const samples = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ""]) =>
  parseAllDocuments(text).map((document) => document.toJS() as Readonly<Record<string, unknown>>),
);
const models = samples.flatMap(([first]) => {
  const section = first?.["inference-stacks:models"];
  return section === undefined ? [] : Object.entries(section as Readonly<Record<string, object>>);
});

/** How the plan scales a sample, on a pool with room for it. */
async function scalingOf(name: string, model: object, minNodes = 0): Promise<ScalingPlan | undefined> {
  const pools = {
    system: { shape: "VM.Standard.A1.Flex", ocpus: 8, memoryGiB: 64 },
    gpu: { shape: "VM.GPU.A10.1", minNodes, maxNodes: 4 },
  };
  const { status, out } = await planOf(folder, onA10({}, { pools, models: { [name]: model } }), "--json");
  const { models: planned, violations } = JSON.parse(out);
  expect({
    status,
    refusals: violations.filter(({ severity }: { severity: string }) => severity === "mandatory"),
  }).toEqual({ status: 0, refusals: [] });
  return planned[0].scaling;
}

describe("the samples of the page", () => {
  it("are models of these kinds", () => {
    expect(models.map(([name, model]) => `${name} ${"scaling" in model}`)).toEqual([
      "chat false",
      "chat true",
      "night true",
      "office true",
      "drafts true",
    ]);
  });

  it.each(models)(
    "%s is accepted, and scales between its two numbers",
    async (name, model) => {
      const { replicas, scaling = {} } = model as {
        replicas: { min: number; max: number };
        scaling?: Partial<ScalingPlan> & { on?: string[]; targets?: Record<string, number> };
      };
      const planned = await scalingOf(name, model);
      expect(planned).toMatchObject({ ...replicas, by: scaling.by ?? "keda" });
      if (scaling.targets) {
        const targets = Object.fromEntries(planned?.signals.map(({ on, target }) => [on, target]) ?? []);
        expect(targets).toEqual(scaling.targets);
      }
      if (scaling.idleSeconds !== undefined) {
        expect(planned?.idleSeconds).toBe(scaling.idleSeconds);
      }
      if (scaling.schedule) {
        expect(planned?.schedule).toEqual(scaling.schedule);
      }
    },
    60_000,
  );

  it("show the first as the plan shows it", async () => {
    const [name = "", model = {}] = models[0] ?? [];
    const planned = await scalingOf(name, model, 1);
    expect(page).toContain(
      planned && `${signalsText(planned)} · spike to served ${spikeText(planned.spikeToServed)}\n`,
    );
  }, 60_000);

  it("name every series that an adapter has to serve", () => {
    const rule = /seriesQuery: '\{__name__=~"([^"]+)"/.exec(page)?.[1]?.split("|");
    expect(new Set(rule)).toEqual(new Set(Object.values(SIGNAL_SERIES)));
  });
});
