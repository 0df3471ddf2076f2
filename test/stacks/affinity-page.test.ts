import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../../names/repository-root";
import { laptop, planOf, useFolder } from "../cli/run";

const page = readFileSync(join(repositoryRoot(), "docs/affinity.md"), "utf8");
const fragments = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = ""]) => text);

describe("docs/affinity.md", () => {
  const folder = useFolder();

  it("suggests what can be deployed, and the plan says where it is pointless", async () => {
    expect(fragments).toHaveLength(2);
    for (const fragment of fragments) {
      const gateway = (parse(fragment) as Record<string, object>)["inference-stacks:gateway"];
      const { status, out } = await planOf(folder, { ...laptop, gateway }, "--json");
      const { violations } = JSON.parse(out) as { violations: readonly { policy: string; severity: string }[] };
      expect(status).toBe(0);
      expect(violations).toContainEqual(expect.objectContaining({ policy: "session-affinity", severity: "advisory" }));
    }
  });
});
