/** The bills of materials that CI publishes name every package that users run. With --omit dev npm 11.19.1 leaves out yaml, which others share. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Sbom {
  readonly bomFormat: string;
  readonly components: readonly { readonly name: string; readonly group?: string; readonly version: string }[];
}

const manifest = (folder: string) =>
  JSON.parse(readFileSync(join(repositoryRoot(), folder, "package.json"), "utf8")) as Manifest;

it.each([
  [".", "sbom"],
  ["services/model-control", "sbom:model-control"],
])(
  "of %s",
  (folder, script) => {
    const [npm, ...words] = manifest(".").scripts?.[script]?.split(" ") ?? [];
    expect(npm).toBe("npm");
    const output = execFileSync("npm", words, { cwd: repositoryRoot(), encoding: "utf8", maxBuffer: 2 ** 26 });
    const { bomFormat, components } = JSON.parse(output) as Sbom;
    expect(bomFormat).toBe("CycloneDX");
    const named = new Set(components.map(({ name, group }) => (group ? `${group}/${name}` : name)));
    const { dependencies = {} } = manifest(folder);
    expect(Object.keys(dependencies).length).toBeGreaterThan(3);
    expect(Object.keys(dependencies).filter((name) => !named.has(name))).toEqual([]);
  },
  60_000,
);
