/** Files of every format become environments that plan, with an account of every value. */
import { describe, expect, it } from "vitest";
import type { Imported } from "../../../cli/import/import-files";
import { reportJson, reportText } from "../../../cli/import/report-text";
import { fixtureFiles, importFixtures } from "./imported";

const GROUPS: readonly (readonly string[])[] = [
  ...fixtureFiles().map((file) => [file]),
  ["oci-recipe/rdma-pool.json", "oci-recipe/rdma-inference.json"],
  ["oci-recipe/a10-pool.json", "oci-recipe/multinode-bm-a10.json"],
  ["oci-recipe/a10-pool.json", "oci-recipe/shared-pool-inference.json"],
];

const done = new Map<string, Promise<Imported>>();

/** Each group is imported once. */
function imported(files: readonly string[]): Promise<Imported> {
  const key = files.join();
  const known = done.get(key) ?? importFixtures(files);
  done.set(key, known);
  return known;
}

/** Models of the plan beside what the original runs. */
function models({ settled }: Imported) {
  const decision = settled?.decision;
  if (settled === undefined || decision?.kind !== "planned") {
    throw new Error(`not planned: ${JSON.stringify(decision)}`);
  }
  return settled.models.map(({ key, draft }) => ({
    key,
    draft,
    plan: decision.plan.models.find(({ name }) => name === key),
    refusals: decision.refusals,
  }));
}

describe.each(GROUPS.map((files) => ({ files, name: files.join(" and ") })))("$name", ({ files }) => {
  it("plans without an edit, like the original, or with the reason in the report", async () => {
    const result = await imported(files);
    for (const { key, draft, plan, refusals } of models(result)) {
      expect(refusals, key).toEqual([]);
      const said = (to: string) => result.entries.some((entry) => entry.kind === "changed" && entry.to === to);
      const { tensorParallel, pipelineParallel } = draft.original;
      if (plan?.gpuModel !== undefined && draft.engine === "vllm") {
        expect(plan.tensorParallel === (tensorParallel ?? 1) || said("models.*.vllm.tensorParallel"), key).toBe(true);
        expect(plan.pipelineParallel === (pipelineParallel ?? 1) || said("models.*.vllm.pipelineParallel"), key).toBe(
          true,
        );
      }
      const { prefill = 0, decode = 1 } = (draft.block.prefillDecode ?? {}) as { prefill?: number; decode?: number };
      const replicas = draft.replicas.min * (prefill + decode);
      expect(plan?.minReplicas === replicas || said("models.*.replicas.min"), key).toBe(true);
    }
  });

  it("accounts for every value by name, and reads every field that its table maps", async () => {
    const { entries } = await imported(files);
    expect(
      entries.filter(({ why }) => why?.startsWith("no field of") || why === "it has no effect in this file"),
    ).toEqual([]);
    expect(entries.filter(({ kind, why }) => kind !== "mapped" && (why ?? "") === "")).toEqual([]);
    expect(entries.every(({ line, path }) => path === "" || (line ?? 0) > 0)).toBe(true);
  });
});

/** Reports that were read by hand, value by value. */
describe("reports of recipes", () => {
  const recipes = GROUPS.filter((files) => files.every((file) => file.startsWith("oci-recipe/")));

  it.each(recipes.map((files) => ({ files, name: files.map((file) => file.slice(11, -5)).join("+") })))(
    "$name",
    async ({ files, name }) => {
      const result = await imported(files);
      await expect(`${reportText(result)}\n${result.settled?.text ?? ""}`).toMatchFileSnapshot(`reports/${name}.txt`);
    },
  );
});

describe("what the originals get wrong", () => {
  const wrong = async (...files: string[]) => (await imported(files)).entries.filter(({ kind }) => kind === "wrong");

  it("a volume that is smaller than the weights, with both figures", async () => {
    const [entry, ...others] = await wrong("oci-recipe/rdma-inference.json");
    expect([entry?.path, others]).toEqual(["input_object_storage[0].volume_size_in_gbs", []]);
    expect(entry?.why).toMatch(/\b500 GB .*\b812 GB/);
  });
});

describe("secrets", () => {
  it("appear in no environment and no report", async () => {
    for (const files of GROUPS) {
      const result = await imported(files);
      const all = `${result.settled?.text}${reportText(result)}${reportJson("out", result)}`;
      expect(all, files.join()).not.toMatch(/hf_example|\/p\/EXAMPLE/);
    }
  });
});
