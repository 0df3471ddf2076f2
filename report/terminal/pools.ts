import { gpusText, partWord } from "../../planner/slices";
import type { DeploymentPlan, PoolPlan } from "../../planner/types";
import type { ClusterFact } from "../cluster";
import { nodeCommands } from "../node-commands";
import { poolFeatures, scheduledText } from "../pool-features";
import { type Cell, count, type Style, table, usd, WIDTH, wrap } from "../style";

const HEADER = ["Pools", "machine", "nodes", "GPUs claimed", "$/hour", "$/month", "at most"];

/** Cost, machine, and why a month differs from 730 hours of the minimum. */
export function pools(
  { pools: plans, models, cost }: Pick<DeploymentPlan, "pools" | "models" | "cost">,
  cluster: Pick<ClusterFact, "provision" | "kind">,
  s: Style,
): string {
  const notes = new Map(cost.items.map((item) => [item.name, item.note]));
  const rows = plans.flatMap((p): (string | Cell)[][] => [
    [
      { text: p.name, paint: s.bold },
      p.shape.name,
      p.minNodes === p.maxNodes ? String(p.minNodes) : `${p.minNodes}–${p.maxNodes}`,
      p.gpusTotal > 0 ? `${p.gpusClaimed} of ${p.gpusTotal}${partsOf(p)}` : "–",
      { text: usd(p.hourlyUsd), align: "right" },
      { text: usd(p.monthlyUsd), align: "right" },
      { text: usd(p.maxMonthlyUsd), align: "right" },
    ],
    // A command stays on one line, to be copied.
    ...[
      ...wrap(describe(p, notes.get(p.name)), WIDTH, "  "),
      ...needs(nodeCommands(p, { pools: plans, models }, cluster)),
    ].map((text) => [{ text, paint: s.dim, spans: true }]),
  ]);
  return table([HEADER.map((text) => ({ text, paint: s.dim })), ...rows]);
}

function needs(commands: readonly string[]): string[] {
  return commands.map((command) => `  each node needs: ${command}`);
}

function partsOf({ shape, gpusTotal }: PoolPlan): string {
  return shape.gpu?.slice ? ` ${partWord(shape.gpu.slice, gpusTotal)}` : "";
}

function describe(pool: PoolPlan, note: string | undefined): string {
  const { shape } = pool;
  const { gpu, cpu, memoryGiB } = shape;
  return [
    gpu ? gpusText(gpu) : `${count(cpu.vcpus)} CPUs, ${count(memoryGiB)} GiB, ${cpu.arch}`,
    ...poolFeatures(pool),
    scheduledText(pool),
    note,
  ]
    .filter((part) => part !== undefined)
    .join(" · ");
}
