import { verdictText } from "../../planner/memory/verdict-text";
import { partName } from "../../planner/slices";
import type { DeploymentPlan, MemoryPerGpu, ModelPlan, UnplacedModel } from "../../planner/types";
import { barChart, type Section } from "./elements";
import { count, gib, parallelism, percent, share } from "./format";
import { html, type Markup } from "./markup";
import { keyChip, type ModelKey } from "./model-keys";

/** Use of the tightest GPU or host, against the engine's limit. */
export function memorySection(
  { models, unplaced }: Pick<DeploymentPlan, "models" | "unplaced">,
  keys: ReadonlyMap<string, ModelKey>,
): Section {
  return {
    id: "memory",
    title: "Memory",
    lead: "On the tightest GPU of one replica, or on its host for a model without GPUs. A full bar is the limit that the engine may use.",
    body: html`<div class="memory">${unplaced.map(nearestMemory)}${models.map((m) => modelMemory(m, keys.get(m.name)))}</div>`,
  };
}

function modelMemory(model: ModelPlan, key: ModelKey | undefined): Markup {
  const { totalGiB, limitGiB } = model.memoryPerGpu;
  const card = model.gpuModel ?? "GPU";
  const part = model.gpuSlice ? `its ${partName(model.gpuSlice)} of an ${card}` : `each ${card}`;
  const where = model.gpusPerNode > 0 ? part : "the host";
  return html`
<article>
<h3>${keyChip(key)}${model.name}</h3>
<p class="sum"><b>${gib(totalGiB)}</b> of ${gib(limitGiB)} · ${share(totalGiB, limitGiB)} on ${where}</p>
${memoryBar(model, model.memoryPerGpu)}
<p class="sum">${verdictText(model.verdict)}</p>
${model.notes.length > 0 ? html`<ul class="notes">${model.notes.map((note) => html`<li>${note}</li>`)}</ul>` : undefined}
</article>`;
}

/** A model without a place, on the pool where it lacks least. */
function nearestMemory(model: UnplacedModel): Markup {
  const { nearest } = model;
  const where = nearest
    ? html`nearest: ${parallelism(nearest)} on ${nearest.shape}`
    : "no layout obeys the engine's rules";
  return html`
<article>
<h3>${model.name} <span class="bad">not placed</span></h3>
<p class="sum">${where}</p>
${nearest && html`${memoryBar(model, nearest.memoryPerGpu)}<p class="sum">${verdictText(nearest.verdict)}</p>`}
</article>`;
}

/** The parts of the memory as a bar, and as a list below it. */
function memoryBar(
  { name, concurrency, contextTokens }: Pick<ModelPlan, "name" | "concurrency" | "contextTokens">,
  { weightsGiB, kvCacheGiB, overheadGiB, totalGiB, limitGiB }: MemoryPerGpu,
): Markup {
  const segments = [
    { className: "weights", label: "Weights", amount: weightsGiB },
    {
      className: "kv",
      label: "KV cache",
      amount: kvCacheGiB,
      detail: `${count(concurrency)} × ${count(contextTokens)} tokens`,
    },
    { className: "overhead", label: "Overhead", amount: overheadGiB },
  ];
  const scale = Math.max(limitGiB, totalGiB);
  const left = limitGiB - totalGiB;
  const rest = left < 0 ? { label: "Over the limit", amount: -left } : { label: "Free", amount: left };
  let start = 0;
  const parts = segments.map(({ className, label, amount }) => {
    const part = {
      className,
      label: `${label}: ${gib(amount)}`,
      start: percent(start, scale),
      width: percent(amount, scale),
    };
    start += amount;
    return part;
  });
  if (left < 0) {
    const beyond = { start: percent(limitGiB, scale), width: percent(-left, scale) };
    parts.push({ className: "over", label: `${rest.label}: ${gib(rest.amount)}`, ...beyond });
  }
  const spoken = [...segments, rest].map((s) => `${s.label} ${gib(s.amount)}`).join(", ");
  return html`${barChart(`${name}: ${spoken}; limit ${gib(limitGiB)}`, parts)}
<dl class="split">${segments.map((s) => html`<div><dt class="${s.className}">${s.label}</dt><dd>${gib(s.amount)}${s.detail && html` <small>${s.detail}</small>`}</dd></div>`)}<div><dt class="${left < 0 ? "over" : "unused"}">${rest.label}</dt><dd>${gib(rest.amount)}</dd></div></dl>`;
}
