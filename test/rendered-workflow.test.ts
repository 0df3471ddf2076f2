/** The workflow that proposes what environments render to; its script runs in test/e2e/rendered-pull-request.test.ts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../names/repository-root";

describe("the workflow", () => {
  const text = readFileSync(join(repositoryRoot(), ".github", "workflows", "rendered.yaml"), "utf8");
  const { jobs, on } = parse(text);
  const { permissions, steps } = jobs.propose as {
    readonly permissions: object;
    readonly steps: readonly { readonly run?: string; readonly env?: object; readonly uses?: string }[];
  };

  it("runs on every change of main that may change what is rendered", () => {
    expect(on.push).toEqual({ branches: ["main"], "paths-ignore": ["docs/**", "test/**", "*.md"] });
  });

  it("may push and propose, and gives its token to one step that runs no package", () => {
    expect(permissions).toEqual({ contents: "write", "pull-requests": "write" });
    const trusted = steps.filter(({ env: variables }) => JSON.stringify(variables ?? {}).includes("token"));
    expect(trusted.map(({ run }) => run)).toEqual([
      '.github/rendered-pull-request.sh .gitops "$FOLDER" "$BASE" "$RUNNER_TEMP/text.md"',
    ]);
    expect(
      steps
        .flatMap(({ uses = "" }) => /^[\w.-]+\/[\w.-]+/.exec(uses) ?? [])
        .every((name) => name.startsWith("actions/")),
    ).toBe(true);
  });
});
