import type { ModelPlan, PoolPlan } from "../../planner/types";
import type { RecordedResource } from "../offline/run";
import { isDeployable, type PlanResult } from "./result";
import { bar, type Cell, duration, type Style, style, table, usd } from "./style";

export interface TerminalOptions {
  readonly color: boolean;
  /** Print every resource below its component. */
  readonly tree: boolean;
}

/** The plan as a person reads it. */
export function terminalReport(result: PlanResult, options: TerminalOptions): string {
  const s = style(options.color);
  const { plan } = result;
  const sections = [
    `${s.bold(`inference-stacks · ${plan.environment}`)} · plan in ${result.seconds.toFixed(1)} s\n`,
    models(plan.models, s),
    reasons(plan.models, s),
    pools(plan.pools, plan.cost.items, s),
    totals(result, s),
    violations(result, s),
    options.tree ? tree(result.resources) : "",
    next(result, s),
  ];
  return `${sections.filter((section) => section !== "").join("\n")}`;
}

function models(plans: readonly ModelPlan[], s: Style): string {
  const header = ["Models", "engine", "placed on", "GPUs", "memory per GPU", "", "replicas", "start-up", "$/month"];
  const rows = plans.map((m): (string | Cell)[] => {
    const { totalGiB, limitGiB } = m.memoryPerGpu;
    const fraction = totalGiB / limitGiB;
    return [
      { text: m.name, paint: s.bold },
      m.engine === "vllm" ? "vLLM" : "Ollama",
      `${m.shape}${m.gpuModel ? ` · ${m.gpuModel}` : ""}`,
      gpus(m),
      { text: `${totalGiB.toFixed(1)} of ${limitGiB.toFixed(1)} GiB`, align: "right" },
      { text: bar(fraction), paint: fraction > 0.95 ? s.warn : s.good },
      m.minReplicas === m.maxReplicas ? String(m.minReplicas) : `${m.minReplicas}–${m.maxReplicas}`,
      `≤ ${duration(m.startupBudgetSeconds)}`,
      { text: usd(m.monthlyUsd), align: "right" },
    ];
  });
  return table([header.map((text) => ({ text, paint: s.dim })), ...rows]);
}

function gpus(m: ModelPlan): string {
  if (m.gpusPerNode === 0) {
    return "CPU";
  }
  if (m.tensorParallel * m.pipelineParallel === 1) {
    return "1";
  }
  const stages = m.pipelineParallel > 1 ? ` × PP ${m.pipelineParallel}` : "";
  const nodes = m.nodesPerReplica > 1 ? ` on ${m.nodesPerReplica} nodes` : "";
  return `TP ${m.tensorParallel}${stages}${nodes}`;
}

/** Why each model fits, in one line, and what the five-step rule would have said. */
function reasons(plans: readonly ModelPlan[], s: Style): string {
  return plans
    .flatMap((m) => {
      const { weightsGiB, kvCacheGiB, overheadGiB } = m.memoryPerGpu;
      const where = m.gpusPerNode === 0 ? "host memory" : "each GPU";
      const lines = [
        `${m.name}: on ${where} weights ${weightsGiB.toFixed(1)} + KV cache ${kvCacheGiB.toFixed(1)} (${m.concurrency} × ${m.contextTokens} tokens) + overhead ${overheadGiB.toFixed(1)} GiB; ` +
          `volume ${m.modelStorageGiB} GiB for ${m.weightsGB.toFixed(1)} GB of weights`,
      ];
      if (m.sizing) {
        lines.push(
          `  five-step rule: ${m.sizing.ruleMemoryGB.toFixed(0)} GB, ${m.sizing.ruleNodes} node(s); planned: ${m.sizing.exactNodes}. ${m.sizing.difference}`,
        );
      }
      return lines;
    })
    .map((line) => `${s.dim(line)}\n`)
    .join("");
}

function pools(plans: readonly PoolPlan[], items: readonly { name: string; note?: string }[], s: Style): string {
  const header = ["Pools", "shape", "nodes", "GPUs claimed", "$/hour", "$/month", ""];
  const rows = plans.map((p): (string | Cell)[] => [
    { text: p.name, paint: s.bold },
    p.shape.name,
    p.minNodes === p.maxNodes ? String(p.minNodes) : `${p.minNodes}–${p.maxNodes}`,
    p.gpusTotal > 0 ? `${p.gpusClaimed} of ${p.gpusTotal}` : "–",
    { text: usd(p.hourlyUsd), align: "right" },
    { text: usd(p.monthlyUsd), align: "right" },
    { text: items.find((i) => i.name === p.name)?.note ?? "", paint: s.dim },
  ]);
  return table([header.map((text) => ({ text, paint: s.dim })), ...rows]);
}

function totals({ plan, policies, resources, violations: found }: PlanResult, s: Style): string {
  const { cost, storage } = plan;
  const budget = cost.monthlyBudgetUsd === undefined ? "" : ` of a budget of ${usd(cost.monthlyBudgetUsd)}`;
  const store =
    storage.models.length > 0
      ? `${storage.sizeGiB} GiB in bucket "${storage.bucket}" for ${storage.models.join(", ")}`
      : "no model goes through the store";
  const components = resources.filter((r) => r.type.startsWith("inference:")).length;
  const advisory = found.filter((v) => v.severity === "advisory").length;
  const verdict = `${policies.passed} passed · ${policies.failed} failed${advisory > 0 ? ` · ${advisory} advisory` : ""}`;
  return table([
    [{ text: "Cost", paint: s.bold }, `${usd(cost.hourlyUsd)} USD/hour, ${usd(cost.monthlyUsd)} USD/month${budget}`],
    [{ text: "Storage", paint: s.bold }, store],
    [
      { text: "Policies", paint: s.bold },
      { text: verdict, paint: policies.failed > 0 ? s.bad : s.good },
    ],
    [{ text: "Resources", paint: s.bold }, `${resources.length} in ${components} components (--tree)`],
  ]);
}

function violations({ violations: found }: PlanResult, s: Style): string {
  return found
    .map((v) => {
      const mark = v.severity === "mandatory" ? s.bad("✗") : s.warn("!");
      return `${mark} ${s.bold(v.policy)} ${shortResource(v.resource)}\n  ${v.message}\n`;
    })
    .join("");
}

/** Last two parts of a URN: type and name. */
function shortResource(resource: string): string {
  const parts = resource.split("::");
  return parts.length < 4 ? resource : `${parts[2]?.split("$").pop()} ${parts[3]}`;
}

function tree(resources: readonly RecordedResource[]): string {
  const children = new Map<string | undefined, RecordedResource[]>();
  for (const r of resources) {
    const siblings = children.get(r.parent);
    if (siblings) {
      siblings.push(r);
    } else {
      children.set(r.parent, [r]);
    }
  }
  const lines: string[] = [];
  const walk = (parent: string | undefined, indent: string): void => {
    const siblings = children.get(parent) ?? [];
    siblings.forEach((r, i) => {
      const last = i === siblings.length - 1;
      lines.push(`${indent}${parent === undefined ? "" : last ? "└─ " : "├─ "}${r.name} (${r.type})\n`);
      walk(r.urn, parent === undefined ? "" : `${indent}${last ? "   " : "│  "}`);
    });
  };
  walk(undefined, "");
  return lines.join("");
}

function next(result: PlanResult, s: Style): string {
  return isDeployable(result)
    ? `Next: pulumi up -s ${result.plan.environment}\n`
    : `${s.bad("Not deployable.")} Fix what is marked ✗ and plan again.\n`;
}
