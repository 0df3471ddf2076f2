/** The Makefile is thin: each target is one command, which exists, and tells what it would do. */
import { describe, expect, it } from "vitest";
import { scripts } from "../package.json";
import { makefile, targets } from "./makefile";

/** Lines of a target's recipe: what it says of itself, and what it runs. */
function recipe(target: string): { readonly told: readonly string[]; readonly run: readonly string[] } {
  const [, text = ""] = new RegExp(`^${target}:[^\n]*\n((?:\t[^\n]*\n)*)`, "m").exec(makefile) ?? [];
  const lines = text.split("\n").filter((line) => line !== "");
  return {
    told: lines.filter((line) => line.startsWith("\t@# ")),
    run: lines.filter((line) => !line.startsWith("\t@# ")).map((line) => line.trim()),
  };
}

describe("the Makefile", () => {
  it("has the targets that are promised", () => {
    expect(targets).toEqual(expect.arrayContaining(["install", "destroy", "plan", "status", "smoke", "bundle", "try"]));
  });

  it.each(targets)("%s is one command that tells what it is for", (target) => {
    const { told, run } = recipe(target);
    expect(told.length).toBeGreaterThan(0);
    expect(run).toEqual([expect.stringMatching(/^(npm run -s|pulumi) /)]);
  });

  const npmScripts = targets.flatMap((target) => /^npm run -s (\w+)/.exec(recipe(target).run[0] ?? "")?.[1] ?? []);
  it.each(npmScripts)("npm run %s is there", (script) => {
    expect(Object.keys(scripts)).toContain(script);
  });

  it("keeps the rest of a cluster's section where it writes one key of it", () => {
    expect(makefile).not.toMatch(/^\t[^@#]*--config-path/m);
  });
});
