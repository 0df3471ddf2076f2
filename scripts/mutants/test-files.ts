import { execFileSync } from "node:child_process";
import { join, relative } from "node:path";
import type { Copy } from "./copy";

/** Tests of a copy that `npm run unit` runs, by path from its root. */
export function testFiles({ root, environment }: Copy): string[] {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const text = execFileSync(process.execPath, [vitest, "list", "--filesOnly", "--json"], {
    cwd: root,
    env: { ...process.env, ...environment },
    encoding: "utf8",
  });
  return (JSON.parse(text) as { readonly file: string }[]).map(({ file }) => relative(root, file)).sort();
}
