import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { policies } from "../../policies/all";

const FOLDER = join(__dirname, "../../policies");

test("every rule file is one policy of the pack, of the same name", () => {
  const files = readdirSync(join(FOLDER, "rules")).map((file) => file.replace(/\.ts$/, ""));
  expect(policies.map(({ name }) => name)).toEqual(files.sort());
});

test("every policy has a table of cases", () => {
  const tables = readdirSync(join(__dirname, "rules")).map((file) => file.replace(/\.test\.ts$/, ""));
  expect(tables.sort()).toEqual(policies.map(({ name }) => name));
});

describe.each(policies.map((policy) => [policy.name, policy] as const))("%s", (name, policy) => {
  test("has the metadata that Pulumi shows", () => {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
    expect(policy.description).toMatch(/^[A-Z].*\.$/);
    expect(policy.remediationSteps).toMatch(/^[A-Z].*\.$/);
    expect(["low", "medium", "high", "critical"]).toContain(policy.severity);
    expect(["mandatory", "advisory"]).toContain(policy.enforcementLevel);
    expect(policy.tags.length).toBeGreaterThan(0);
  });

  test("judges resources or the stack, not both", () => {
    expect("validateResource" in policy).not.toBe("validateStack" in policy);
  });
});

test("the table in the README is current", () => {
  const rows = policies.map(
    (policy) =>
      `| \`${policy.name}\` | ${policy.enforcementLevel} | ${policy.severity} | ${"validateStack" in policy ? "stack" : "resource"} | ${policy.description} |`,
  );
  const table = ["| policy | level | severity | judges | what must hold |", ...rows].join("\n");
  const readme = readFileSync(join(FOLDER, "README.md"), "utf8");
  const written = readme.match(/<!-- policies -->\n\n(.*?)\n\n<!-- end -->/s)?.[1];
  // Formatters pad the cells and lengthen the ruler.
  expect(written?.replace(/\n\|[-| ]+\|\n/, "\n").replace(/ +\|/g, " |")).toBe(table);
});
