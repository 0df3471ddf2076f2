/** docs/environments tells the truth: what each page names is what its plan has, and what it suggests can be deployed. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../../names/repository-root";
import { tenantsOf } from "../../planner/tenants";
import { usd } from "../../report/style";
import { environmentText, planOf, useFolder } from "../cli/run";
import { environments, programRun } from "./run";

type Json = Record<string, unknown>;

const folder = useFolder();
const read = (...path: string[]) => readFileSync(join(repositoryRoot(), ...path), "utf8");
const page = (name: string) => read("docs", "environments", `${name}.md`);

/** Fragments below `config:` that a page suggests. */
function fragments(name: string): string[] {
  return [...page(name).matchAll(/^```yaml\n(inference-stacks:.*?)^```$/gms)].map(([, text = ""]) => text);
}

function merged(base: unknown, change: unknown): unknown {
  if (!isObject(base) || !isObject(change)) {
    return change;
  }
  const changed = Object.entries(change).map(([key, value]) => [key, merged(base[key], value)]);
  return { ...base, ...Object.fromEntries(changed) };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function withoutNamespace(config: unknown): Json {
  const entries = Object.entries(Object(config)).filter(([key]) => key.startsWith("inference-stacks:"));
  return Object.fromEntries(entries.map(([key, value]) => [key.replace("inference-stacks:", ""), value]));
}

describe.each(environments)("docs/environments/%s.md", (name) => {
  it("names the models, machines, consumers and cost of the plan", async () => {
    const text = page(name);
    const { environment, plan } = await programRun(name);
    for (const [key, { model }] of Object.entries(environment.models)) {
      expect(text).toContain(`\`${key}\`: ${model}`);
    }
    for (const pool of plan.pools) {
      expect(text).toContain(`\`${pool.name}\``);
      expect(text).toContain(pool.shape.name);
    }
    for (const { name: consumer } of tenantsOf(environment.gateway.consumers)) {
      expect(text).toContain(`\`${consumer}\``);
    }
    expect(text).toContain(`Cost: ${usd(plan.cost.monthlyUsd)} USD/month`);
    if (plan.cost.monthlyBudgetUsd !== undefined) {
      expect(text).toContain(`of a budget of ${usd(plan.cost.monthlyBudgetUsd)}`);
    }
    if (environment.cluster.storageClass !== undefined) {
      expect(text).toContain(`\`${environment.cluster.storageClass}\``);
    }
  });

  it("names the ephemeral storage that the pods on a GPU node request", async () => {
    const { plan } = await programRun(name);
    for (const pool of plan.pools.filter((p) => p.role === "gpu")) {
      const here = plan.models.filter((m) => m.pool === pool.name);
      const requested = here.map((m) => m.resources.ephemeralStorageGiB * m.minReplicas * m.nodesPerReplica);
      const perNode = requested.reduce((sum, gib) => sum + gib, 0) / pool.minNodes;
      expect(page(name)).toContain(`${perNode.toLocaleString("en-US")} GiB`);
    }
  });

  it("suggests changes that can be deployed", async () => {
    const found = fragments(name);
    expect(found.length).toBeGreaterThan(0);
    const { config }: { config: unknown } = parse(read(`Pulumi.${name}.yaml`));
    for (const fragment of found) {
      const environment = merged(withoutNamespace(config), withoutNamespace(parse(fragment)));
      const { status, err } = await planOf(folder, environmentText(Object(environment)));
      expect([fragment, status, err]).toEqual([fragment, 0, ""]);
    }
  });
});
