import { join } from "node:path";
import { build, type Metafile } from "esbuild";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../../../names/repository-root";

/** Packages that a file loads at once: not what it loads when it needs it, nor types. */
async function packagesOf(file: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: repositoryRoot(),
    entryPoints: [join(repositoryRoot(), file)],
    bundle: true,
    platform: "node",
    packages: "external",
    write: false,
    metafile: true,
  });
  return [...new Set(reachable(metafile, file).flatMap((input) => packagesIn(metafile, input)))].sort();
}

function reachable({ inputs }: Metafile, entry: string): string[] {
  const found = new Set([entry]);
  for (const input of found) {
    for (const { path, kind, external } of inputs[input]?.imports ?? []) {
      if (kind !== "dynamic-import" && !external) {
        found.add(path);
      }
    }
  }
  return [...found];
}

function packagesIn({ inputs }: Metafile, input: string): string[] {
  return (inputs[input]?.imports ?? []).flatMap(({ path, kind, external }) =>
    external && kind !== "dynamic-import" && !path.startsWith("node:") ? [path] : [],
  );
}

describe("a config is checked without Pulumi", () => {
  it("by the schema, the rules and the pure half of every add-on", async () => {
    const packages = await packagesOf("stacks/config/validate.ts");
    expect(packages).toContain("zod");
    expect(packages.filter((name) => name.startsWith("@pulumi/"))).toEqual([]);
  });

  it("which is loaded only by the other half", async () => {
    expect(await packagesOf("stacks/addons/beta9/build.ts")).toContain("@pulumi/kubernetes");
  });
});
