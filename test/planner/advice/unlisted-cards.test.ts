import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cards, type GpuCard, gpuModels, onPremNode } from "../../../catalog/shapes";
import { engineNames } from "../../../engines";
import { unlistedCards } from "../../../planner/advice/unlisted-cards";
import { cardVerdict, servingCards } from "../../../planner/hardware/verdict";
import { planDeployment } from "../../../planner/plan";
import { atNight } from "../../harness/property-runs";
import { environmentOf, gpuOf, modelOf, poolOf } from "../fixtures";

const ofAmd = cards.filter(({ gpu }) => gpuModels.find(({ model }) => model === gpu)?.vendor === "amd");

function supportOf({ gpu }: GpuCard) {
  const support = gpuModels.find(({ model }) => model === gpu)?.support;
  if (support === undefined) {
    throw new Error(`${gpu} says nothing of AMD`);
  }
  return support;
}

const machine = (card: string) =>
  onPremNode({ card, gpuCount: 1, vcpus: 16, memoryGiB: 64, localNvmeGB: 1000, networkGbps: 1 });
const ollama = modelOf("llama-3.2-1b-instruct", {
  engine: "ollama",
  engineVersion: "0.32.15",
  source: { kind: "ollama", tag: "llama3.2:1b" },
  concurrency: 1,
});

function planOn(...names: string[]) {
  const pools = names.map((card) =>
    poolOf("VM.GPU.A10.1", 1, { name: card, shape: machine(card), minNodes: 1, dedicatedTo: [] }),
  );
  return planDeployment(
    environmentOf(
      pools,
      names.map((card) => ({ ...ollama, name: `on-${card}`, pools: [card] })),
    ),
  );
}

describe("cards of AMD in plans", () => {
  it("give each pool's models the override of its own card, and no other", () => {
    const { models } = planOn("rx-6700-xt", "radeon-pro-w7900", "rx-6900-xt");
    expect(Object.fromEntries(models.map(({ pool, hsaOverride }) => [pool, hsaOverride]))).toEqual({
      "rx-6700-xt": "10.3.0",
      "radeon-pro-w7900": undefined,
      "rx-6900-xt": undefined,
    });
  });

  it("serve with exactly the engines that their row names", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ofAmd), fc.constantFrom("vllm" as const, "ollama" as const), (card, engine) => {
        const model = engine === "ollama" ? ollama : modelOf("llama-3.2-1b-instruct", { concurrency: 1 });
        const { refusals } = cardVerdict(model, gpuOf(machine(card.name)));
        expect(refusals.length === 0, `${engine} on ${card.name}`).toBe(supportOf(card).engines.includes(engine));
      }),
      { numRuns: atNight(60) },
    );
  });

  it("are named in a refusal where they serve, and never where they would be refused too", () => {
    const vllm = modelOf("llama-3.2-1b-instruct", { concurrency: 1 });
    const [refusal] = cardVerdict(vllm, gpuOf(machine("mi50-32gb"))).refusals;
    expect(refusal?.remedy).toContain("take a pool with other cards (vllm serves on rx-7900-xtx, radeon-pro-w7900,");
    expect(refusal?.remedy).not.toContain("ollama");
    for (const name of servingCards([vllm], "amd")) {
      expect(refusal?.remedy).toContain(name);
      expect(cardVerdict(vllm, gpuOf(machine(name))).refusals, name).toEqual([]);
    }
  });

  it("that can run as a sibling at most say so when the sibling is refused too", () => {
    const vllm = modelOf("llama-3.2-1b-instruct", { concurrency: 1 });
    expect(cardVerdict(vllm, gpuOf(machine("rx-6700-xt"))).refusals[0]).toMatchObject({
      reason: expect.stringContaining(
        "AMD Radeon RX 6700 XT is gfx1031, which can run as gfx1030 at most (HSA_OVERRIDE_GFX_VERSION=10.3.0)",
      ),
      remedy: expect.stringContaining("write models.llama-3-2-1b-instruct.engine: ollama, or take a pool"),
    });
  });
});

describe("servingCards", () => {
  it("names a card for machines of one's own exactly where all engines have an image for it", () => {
    fc.assert(
      fc.property(
        fc.subarray([...engineNames], { minLength: 1 }),
        fc.constantFrom("amd", "nvidia"),
        (names, vendor) => {
          const all = servingCards(
            names.map((engine) => ({ engine })),
            vendor,
          );
          const each = names.map((engine) => servingCards([{ engine }], vendor));
          expect(all).toEqual(
            cards.map(({ name }) => name).filter((name) => each.every((list) => list.includes(name))),
          );
        },
      ),
    );
  });
});

describe("advice on unlisted cards", () => {
  it("is given for every card that AMD does not list, with what makes it run, and for no other", () => {
    for (const card of ofAmd.filter((each) => supportOf(each).engines.includes("ollama"))) {
      const advice = unlistedCards({ plan: planOn(card.name) });
      expect(advice.length, card.name).toBe(supportOf(card).rocm === "supported" ? 0 : 1);
    }
  });

  it("names the override, the sibling and the cards that AMD lists", () => {
    const [advice] = unlistedCards({ plan: planOn("rx-6700-xt") });
    expect(advice).toMatchObject({ severity: "advisory", rule: "unlisted-card", subject: "pools.rx-6700-xt" });
    expect(advice?.message).toContain("under HSA_OVERRIDE_GFX_VERSION=10.3.0");
    expect(advice?.message).toContain("gfx1031 runs code made for gfx1030");
    expect(advice?.message).toContain("see on-rx-6700-xt answer");
    expect(advice?.message).toMatch(/which serve the same: .*radeon-pro-w6800/);
    expect(advice?.message).not.toContain("rx-6900-xt,");
    expect(unlistedCards({ plan: planOn("rx-6900-xt") })[0]?.message).toContain(
      "it is gfx1030, as AMD Radeon PRO W6800 is, which AMD lists",
    );
  });
});
