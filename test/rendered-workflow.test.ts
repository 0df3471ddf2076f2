/** The workflow that proposes what environments render to; its script runs in test/e2e/rendered-pull-request.test.ts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../names/repository-root";

describe("the workflow", () => {
  const text = readFileSync(join(repositoryRoot(), ".github", "workflows", "rendered.yaml"), "utf8");
  const { jobs, on, permissions } = parse(text);
  interface Job {
    readonly permissions?: object;
    readonly environment?: string;
    readonly steps: readonly { readonly run?: string; readonly env?: object; readonly uses?: string }[];
  }
  const { current, render, propose } = jobs as Readonly<Record<"current" | "render" | "propose", Job>>;

  it("runs on every change of main that may change what is rendered", () => {
    expect(on.push).toEqual({ branches: ["main"], "paths-ignore": ["docs/**", "test/**", "*.md"] });
  });

  it("renders with packages where no token writes, and proposes where no package runs", () => {
    expect([permissions, render.permissions, render.environment]).toEqual([{ contents: "read" }, undefined, undefined]);
    expect(propose.permissions).toEqual({ contents: "write", "pull-requests": "write" });
    expect(JSON.stringify(render)).not.toMatch(/secrets\.|github\.token/);
    const commands = [...current.steps, ...propose.steps].flatMap(({ run }) => run ?? []);
    expect(commands.filter((command) => /npm|npx|node/.test(command))).toEqual([]);
    const trusted = propose.steps.filter(({ env: variables }) => JSON.stringify(variables ?? {}).includes("token"));
    expect(trusted.map(({ run }) => run)).toEqual([
      '.github/rendered-pull-request.sh .gitops "$FOLDER" "$BASE" "$RUNNER_TEMP/rendered/text.md"',
    ]);
    const actions = [...current.steps, ...render.steps, ...propose.steps].flatMap(
      ({ uses = "" }) => /^[\w.-]+\/[\w.-]+/.exec(uses) ?? [],
    );
    expect(actions.filter((name) => !name.startsWith("actions/"))).toEqual([]);
  });
});
