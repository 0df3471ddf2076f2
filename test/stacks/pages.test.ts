/** docs/environments tells the truth: what each page names is what its plan has, and what it suggests can be deployed. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { tenantsOf } from "../../planner/tenants";
import { usd } from "../../report/style";
import { planOf, useFolder } from "../cli/run";
import { isDeployable, planText, refusalsOf } from "./planned";
import { environments, programRun } from "./run";
import { environmentText, merged, type Sections, shippedSections, suggestedSections, together } from "./texts";

const folder = useFolder();
const page = (name: string) => readFileSync(join(repositoryRoot(), "docs", "environments", `${name}.md`), "utf8");

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
    const base = shippedSections(name);
    const withIt = (fragment: Sections) => environmentText(merged(base, fragment) as Sections);
    const found = suggestedSections("environments", `${name}.md`);
    expect(found.length).toBeGreaterThan(0);
    for (const fragment of found) {
      const { plan } = await planText(withIt(fragment));
      expect([fragment, refusalsOf(plan)]).toEqual([fragment, []]);
    }
    for (const group of await together(found, (each) => isDeployable(withIt(each)))) {
      const { status, err } = await planOf(folder, withIt(group));
      expect([group, status, err]).toEqual([group, 0, ""]);
    }
  });
});
