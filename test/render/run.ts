import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { main } from "../../cli/render";
import { repositoryRoot } from "../../names/repository-root";
import { type CommandResult, environmentIn, runPiped } from "../cli/run";
import { frozen } from "../harness/frozen";

/** `npm run render -- …argv`. */
export function render(...argv: string[]): Promise<CommandResult> {
  return runPiped(main, argv);
}

/** Renders an environment that the repository ships. */
export function renderShipped(name: string, out: string): Promise<CommandResult> {
  const file = fileToRender(name);
  return render(name, ...(file === undefined ? [] : ["--config", file]), "--out", out);
}

/** What the command said, the files that it wrote, and the objects in them: YAML takes long to read. */
export interface ShippedRendering extends CommandResult {
  readonly files: ReadonlyMap<string, string>;
  readonly objects: readonly ReadObject[];
}

const renderings = new Map<string, Promise<ShippedRendering>>();

/** Renders an environment that the repository ships once for all tests of a run. One at a time: await it. */
export function shippedRendering(name: string): Promise<ShippedRendering> {
  const found = renderings.get(name) ?? renderedOnce(name).then(frozen);
  renderings.set(name, found);
  return found;
}

/** The rendering of whichever worker came first. */
async function renderedOnce(name: string): Promise<ShippedRendering> {
  const kept = join(inject("runFolder"), `rendering-${name}.json`);
  if (existsSync(kept)) {
    const { files, ...result } = JSON.parse(readFileSync(kept, "utf8"));
    return { ...result, files: new Map(files) };
  }
  const out = mkdtempSync(join(tmpdir(), `${name}-`));
  try {
    const result = await renderShipped(name, out);
    const files = contentOf(out);
    const rendering = { ...result, files, objects: objectsIn(files) };
    // Renamed when it is whole: another worker must not read half of it.
    writeFileSync(`${kept}.${process.pid}`, JSON.stringify({ ...rendering, files: [...rendering.files] }));
    renameSync(`${kept}.${process.pid}`, kept);
    return rendering;
  } finally {
    rmSync(out, { recursive: true });
  }
}

/**
 * What is rendered of an environment in place of its own file. Undefined: its own. What is rendered is the same for every
 * machine: the group that opens the GPUs of edge-radeon, which a deployment reads there, is written for it.
 */
export function fileToRender(name: string): string | undefined {
  if (name !== "edge-radeon") {
    return undefined;
  }
  const file = join(mkdtempSync(join(tmpdir(), "edge-radeon-")), "edge-radeon.yaml");
  const text = readFileSync(join(repositoryRoot(), "Pulumi.edge-radeon.yaml"), "utf8");
  writeFileSync(file, text.replace("    storageClass:", "    gpuDevices: { groups: [992] }\n    storageClass:"));
  return file;
}

/** Renders an environment that stands in a file of its own. */
export function renderOf(
  folder: string,
  content: Readonly<Record<string, unknown>>,
  ...argv: string[]
): Promise<CommandResult> {
  return render("test", "--config", environmentIn(folder, content), ...argv);
}

/** Text of each file below a folder, by path, sorted. */
export function contentOf(folder: string): ReadonlyMap<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

const objectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
    finalizers: z.array(z.string()).optional(),
  }),
});

/** A rendered object, read back from its file. */
export interface ReadObject extends z.output<typeof objectSchema> {
  readonly path: string;
  /** Its name in the program: names of rendered Jobs end with a digest of what they run. */
  readonly programName: string;
}

function readObject(path: string, text: string): ReadObject {
  const object = objectSchema.parse(parse(text));
  const { name } = object.metadata;
  return { ...object, path, programName: object.kind === "Job" ? name.replace(/-[0-9a-f]{8}$/, "") : name };
}

/** The objects in a rendered folder, in the order of application: by wave. */
export function objectsIn(content: ReadonlyMap<string, string>): ReadObject[] {
  return [...content]
    .filter(([path]) => /^[^/]+\/\d+-.+\.yaml$/.test(path))
    .map(([path, text]) => readObject(path, text))
    .sort((a, b) => waveOf(a) - waveOf(b));
}

export function waveOf({ metadata }: ReadObject): number {
  return Number(metadata.annotations["argocd.argoproj.io/sync-wave"]);
}

/** The one object of a kind and name. */
export function objectOf(objects: readonly ReadObject[], kind: string, name: string): ReadObject {
  const [only, ...others] = objects.filter((object) => object.kind === kind && object.programName === name);
  if (!only || others.length > 0) {
    throw new Error(`expected one ${kind} "${name}", there are ${others.length + (only ? 1 : 0)}`);
  }
  return only;
}
