import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../../names/repository-root";
import { laptop, planOf, useFolder } from "../cli/run";

const page = readFileSync(join(repositoryRoot(), "docs/tenants.md"), "utf8");
const fragments = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ""]) => text);

describe("docs/tenants.md", () => {
  const folder = useFolder();

  it("suggests what can be deployed, and the plan names the tenants", async () => {
    expect(fragments.length).toBeGreaterThan(0);
    const gateway = (parse(fragments[0] ?? "") as Record<string, object>)["inference-stacks:gateway"];
    const { status, out } = await planOf(
      folder,
      { ...laptop, models: { assistant: laptop.models.chat }, gateway },
      "--json",
    );
    expect(status).toBe(0);
    expect((JSON.parse(out) as { tenants: unknown }).tenants).toEqual([
      { name: "web-app", priority: "paid" },
      { name: "batch", models: ["assistant"], requestsPerMinute: 600, priority: "paid" },
    ]);
  });
});
