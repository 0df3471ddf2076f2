import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Metafile } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { sourceFiles } from "./imports";

test("only stacks/config/load.ts reads Pulumi's config: everything else gets its values handed in", () => {
  const reads =
    /\bpulumi\.Config\b|\bruntime\.(allConfig|getConfig)\b|import \{[^}]*\bConfig\b[^}]*\} from "@pulumi\/pulumi"/;
  const readers = sourceFiles().filter((file) => reads.test(readFileSync(join(repositoryRoot(), file), "utf8")));
  expect(readers).toEqual(["stacks/config/load.ts"]);
});

test("names that the program chose are not read back from the cluster, which answers nothing in a first preview (components/core/known.ts)", () => {
  const files = sourceFiles().filter((file) => /^(components|stacks)\/(?!.*\/scripts\/)/.test(file));
  const readsBack = files.filter((file) =>
    /(?<!object)[\w)\]]\.metadata\.name\b|name(: \w+)? \} = [\w.]+\.metadata\b/i.test(
      readFileSync(join(repositoryRoot(), file), "utf8"),
    ),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(readsBack).toEqual([]);
});

test("a namespace binds its accounts to cluster roles itself, which caps its admins", () => {
  const binds = /new [\w.]+\.ClusterRoleBinding\(/;
  const binders = sourceFiles().filter((file) => binds.test(readFileSync(join(repositoryRoot(), file), "utf8")));
  // The other one is in a controller's namespace.
  expect(binders).toEqual(["components/cluster/network-policy-engine.ts", "components/core/people.ts"]);
});

describe("commands about the catalogue start without Pulumi's SDK, which takes longer to load than they to answer", () => {
  let inputs: Metafile["inputs"];
  beforeAll(async () => {
    const { metafile } = await build({
      absWorkingDir: repositoryRoot(),
      entryPoints: ["cli/model.ts", "cli/list.ts", "cli/pin.ts", "cli/smoke.ts", "cli/plan.ts"],
      outdir: "unused",
      bundle: true,
      write: false,
      platform: "node",
      packages: "external",
      metafile: true,
      logLevel: "silent",
    });
    inputs = metafile.inputs;
  });

  /** Files from a command to the first import of Pulumi that happens when it starts; undefined without one. */
  function wayToPulumi(entry: string): readonly string[] | undefined {
    const seen = new Set([entry]);
    const open = [[entry]];
    for (let way = open.shift(); way; way = open.shift()) {
      const found = inputs[way.at(-1) ?? ""]?.imports.filter(({ kind }) => kind !== "dynamic-import") ?? [];
      for (const { path, external } of found) {
        if (external && path.startsWith("@pulumi/")) {
          return [...way, path];
        }
        if (external || seen.has(path)) {
          continue;
        }
        seen.add(path);
        open.push([...way, path]);
      }
    }
    return undefined;
  }

  test.each(["cli/model.ts", "cli/list.ts", "cli/pin.ts", "cli/smoke.ts"])("%s", (entry) => {
    expect(wayToPulumi(entry)).toBeUndefined();
  });

  test("cli/plan.ts, which runs the program, is found to need it", () => {
    expect(wayToPulumi("cli/plan.ts")?.at(-1)).toBe("@pulumi/pulumi");
  });
});
