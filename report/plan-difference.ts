/** The difference of two plans, in lines for a reviewer. Pure. */
import { counted } from "../names/counted";
import type { PlanDigest } from "./plan-digest";

type Model = PlanDigest["models"][number];
type Pool = PlanDigest["pools"][number];

/** Lines that begin with `- `, as Markdown and terminals have lists; none where nothing differs. */
export function planDifference(before: PlanDigest | undefined, after: PlanDigest): string[] {
  return [
    ...costLines(before?.cost, after.cost),
    ...machineLines(before?.pools ?? [], after.pools),
    ...itemLines("Pool", before?.pools ?? [], after.pools, poolText),
    ...itemLines("Model", before?.models ?? [], after.models, modelText),
  ].map((line) => `- ${line}`);
}

type Cost = PlanDigest["cost"];

function costLines(before: Cost | undefined, after: Cost): string[] {
  if (before === undefined) {
    return [`Cost: ${usd(after.monthlyUsd)} USD/month, at most ${usd(after.maxMonthlyUsd)}`];
  }
  const change = after.monthlyUsd - before.monthlyUsd;
  const most = change === 0 && after.maxMonthlyUsd === before.maxMonthlyUsd;
  const sign = change < 0 ? "−" : "+";
  return most
    ? []
    : [
        `Cost: ${usd(before.monthlyUsd)} → ${usd(after.monthlyUsd)} USD/month (${sign}${usd(Math.abs(change))}), at most ${usd(before.maxMonthlyUsd)} → ${usd(after.maxMonthlyUsd)}`,
      ];
}

function usd(amount: number): string {
  return amount.toFixed(2);
}

function machineLines(before: readonly Pool[], after: readonly Pool[]): string[] {
  const [was, is] = [machines(before), machines(after)];
  return was === is ? [] : [`Machines that always run: ${was} → ${is}`];
}

function machines(pools: readonly Pool[]): number {
  return pools.reduce((sum, { minNodes }) => sum + minNodes, 0);
}

function itemLines<Item extends { readonly name: string }>(
  noun: string,
  before: readonly Item[],
  after: readonly Item[],
  text: (item: Item) => string,
): string[] {
  const old = new Map(before.map((item) => [item.name, item]));
  const names = new Set(after.map(({ name }) => name));
  return [
    ...after.flatMap((item) => {
      const was = old.get(item.name);
      if (was === undefined) {
        return [`${noun} \`${item.name}\` added: ${text(item)}`];
      }
      const changes = changedKeys(was, item);
      return changes.length === 0 ? [] : [`${noun} \`${item.name}\`: ${changes.join(", ")}`];
    }),
    ...before.filter(({ name }) => !names.has(name)).map(({ name }) => `${noun} \`${name}\` removed`),
  ];
}

function changedKeys<Item extends object>(before: Item, after: Item): string[] {
  const [was, is] = [before, after].map((item) => item as Readonly<Record<string, string | number | undefined>>);
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys]
    .filter((key) => was?.[key] !== is?.[key])
    .map((key) => `${key} ${was?.[key] ?? "none"} → ${is?.[key] ?? "none"}`);
}

function poolText({ shape, minNodes, maxNodes }: Pool): string {
  return `${minNodes === maxNodes ? minNodes : `${minNodes} to ${maxNodes}`} × ${shape}`;
}

function modelText({ engine, pool, minReplicas, maxReplicas }: Model): string {
  const replicas =
    minReplicas === maxReplicas ? counted(minReplicas, "replica") : `${minReplicas} to ${maxReplicas} replicas`;
  return `${engine} on ${pool}, ${replicas}`;
}
