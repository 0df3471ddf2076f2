import { gpusText, partWord } from "../../planner/slices";
import type { DeploymentPlan, PoolPlan, ServiceCost } from "../../planner/types";
import { poolFeatures, scheduledText } from "../pool-features";
import { barChart, type Column, dataTable, type Section, twoLines } from "./elements";
import { count, money, percent, range, share } from "./format";
import { html, type Markup, type Part } from "./markup";

/** Of the month's cost: services below it are folded. */
const MINOR_SHARE = 0.01;

const COLUMNS: readonly Column[] = [
  { title: "Pool" },
  { title: "Machine" },
  { title: "Nodes", kind: "number" },
  { title: "GPUs claimed", kind: "number" },
  { title: "$/hour per node", kind: "number" },
  { title: "$/hour", kind: "number" },
  { title: "$/month", kind: "number" },
  { title: "At maxNodes", kind: "number" },
  { title: "Share of cost" },
];

const ROLES: Readonly<Record<PoolPlan["role"], string>> = {
  system: "platform services",
  gpu: "models on GPUs",
  cpu: "models on CPUs",
};

/** What always runs, and what it costs. */
export function costSection({ pools, cost }: DeploymentPlan): Section {
  const notes = new Map(cost.items.map((item) => [item.name, item.note]));
  const isMinor = ({ monthlyUsd }: ServiceCost) => monthlyUsd < MINOR_SHARE * cost.monthlyUsd;
  const minor = cost.services.filter(isMinor);
  const budget = cost.monthlyBudgetUsd;
  const total = [
    "Total",
    undefined,
    undefined,
    undefined,
    undefined,
    money(cost.hourlyUsd),
    money(cost.monthlyUsd),
    money(cost.maxMonthlyUsd),
    budget === undefined ? undefined : `budget ${money(budget)} a month`,
  ];
  return {
    id: "cost",
    title: "Pools and cost",
    lead: `What always runs costs, nodes and what the cloud bills in addition, and the month what schedules start; the budget limits this. The largest month, with every pool at maxNodes, is ${money(cost.maxMonthlyUsd)}: nodes are added for pods that find no room, in an OKE cluster made here by its autoscaler, in an EKS one by Karpenter, elsewhere by hand.${cost.notPriced.length > 0 ? ` Not priced: ${cost.notPriced.join(", ")}.` : ""}`,
    body: html`${dataTable(
      "Node pools and services, and their cost",
      COLUMNS,
      [
        ...pools.map((pool) => row(pool, notes.get(pool.name), cost.monthlyUsd)),
        ...cost.services.filter((service) => !isMinor(service)).map((service) => serviceRow(service, cost.monthlyUsd)),
      ],
      total,
    )}${minor.length > 0 ? minorServices(minor, cost.monthlyUsd) : undefined}`,
  };
}

/** Part of the total, but folded: long rows with small amounts. */
function minorServices(minor: readonly ServiceCost[], totalMonthlyUsd: number): Markup {
  const sum = minor.reduce((all, { monthlyUsd }) => all + monthlyUsd, 0);
  return html`<details class="differences"><summary>In the total: ${minor.map(({ name }) => name).join(", ")}, each below ${share(MINOR_SHARE, 1)}, together ${money(sum)} a month</summary>${dataTable(
    "Services of less than a hundredth of the cost",
    COLUMNS,
    minor.map((service) => serviceRow(service, totalMonthlyUsd)),
  )}</details>`;
}

/** Its price, with source and date, is below its name. */
function serviceRow(service: ServiceCost, totalMonthlyUsd: number): readonly Part[] {
  const { name, count: pieces, sizeGiB, hourlyUsd, monthlyUsd, maxMonthlyUsd, note } = service;
  const part = share(monthlyUsd, totalMonthlyUsd);
  return [
    twoLines(name, note),
    sizeGiB === undefined ? undefined : `${count(sizeGiB)} GiB each`,
    count(pieces),
    "–",
    undefined,
    money(hourlyUsd),
    money(monthlyUsd),
    money(maxMonthlyUsd),
    part,
  ];
}

function row(pool: PoolPlan, note: string | undefined, totalMonthlyUsd: number): readonly Part[] {
  const part = share(pool.monthlyUsd, totalMonthlyUsd);
  return [
    twoLines(pool.name, ROLES[pool.role]),
    twoLines(pool.shape.name, machine(pool)),
    range(pool.minNodes, pool.maxNodes),
    pool.gpusTotal > 0 ? claimed(pool) : "–",
    money(pool.usdPerNodeHour),
    money(pool.hourlyUsd),
    money(pool.monthlyUsd),
    money(pool.maxMonthlyUsd),
    html`${barChart(`${part} of the monthly cost`, [{ className: "weights", label: part, start: "0%", width: percent(pool.monthlyUsd, totalMonthlyUsd) }])}<small>${[part, scheduledText(pool), note].filter((text) => text !== undefined).join(" · ")}</small>`,
  ];
}

/** What a pool's nodes have; undefined where they have processors alone. */
function machine(pool: PoolPlan): string | undefined {
  const { gpu } = pool.shape;
  const parts = [...(gpu ? [gpusText(gpu)] : []), ...poolFeatures(pool)];
  return parts.length > 0 ? parts.join(" · ") : undefined;
}

function claimed({ shape, gpusClaimed, gpusTotal }: PoolPlan): string {
  const parts = shape.gpu?.slice ? ` ${partWord(shape.gpu.slice, gpusTotal)}` : "";
  return `${count(gpusClaimed)} of ${count(gpusTotal)}${parts}`;
}
