import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { imageArchive } from "../catalog/oci-image";
import { ChartRepositories } from "../charts/find";
import type { ChartPins } from "../charts/obtain";
import type { Registry } from "../charts/registry";
import { adapterChoice, modelFiles } from "../components/storage/scripts/choices.ts";
import { httpFile } from "../downloads/http";
import { measure, save } from "../downloads/save";
import { messageOf } from "../names/message-of";
import { visible } from "../names/visible";
import {
  BUNDLE_FILE,
  BUNDLE_FOLDERS,
  type BundledFile,
  type BundleFile,
  bundleText,
  parseBundle,
  SUMS_FILE,
  sumsText,
} from "../stacks/bundle/bundle-file";
import { chartFile, chartInFolder } from "./chart";
import { archivedImage, type Folders, fetchImage, type ImageInFolder, imageFile } from "./image";
import { fetchModel, type Hub, isModelThere, type ModelInFolder } from "./model";
import { type BundleNeeds, type NeededFile, type NeededImage, type NeededModel, UNKNOWN } from "./needs";

/** Temporary blobs of incomplete images. */
const WORK_FOLDER = ".parts";
/** Contents of a bundle being rebuilt. */
const BEFORE = join(WORK_FOLDER, BUNDLE_FILE);

/** Downloads at once. */
const AT_ONCE = 4;

/** Incomplete bundle; the message has all reasons. Downloads are kept. */
export class BundleIncompleteError extends Error {
  constructor(readonly reasons: readonly string[]) {
    super(reasons.join("\n"));
  }
}

/** The folder must not be written; the message has reason and fix. */
export class BundleFolderError extends Error {}

export interface Progress {
  readonly done: number;
  readonly parts: number;
  /** Downloaded in this run. */
  readonly bytes: number;
}

export interface BundleTools {
  readonly registry: Registry;
  readonly hub: Hub;
  readonly chartPins: ChartPins;
  /** Reports present and downloading components. */
  readonly onPart?: (line: string) => void;
  readonly onProgress?: (progress: Progress) => void;
  /** @default the current time */
  readonly now?: () => Date;
}

export type Presence = "present" | "to fetch";

/** @throws BundleFolderError unless the folder is empty or a complete or partial bundle. */
export function assertBundleFolder(root: string): void {
  if (!existsSync(root)) {
    return;
  }
  if (!statSync(root).isDirectory()) {
    throw new BundleFolderError(`${root} is no folder: name an empty or new one`);
  }
  const ours = [BUNDLE_FILE, SUMS_FILE, WORK_FOLDER, ...Object.values(BUNDLE_FOLDERS)];
  const foreign = readdirSync(root).filter((entry) => !ours.includes(entry));
  if (foreign.length > 0) {
    const some = foreign.slice(0, 5).join(", ");
    throw new BundleFolderError(
      `${root} holds what is no part of a bundle: ${some}${foreign.length > 5 ? ", …" : ""}. Name an empty or new folder`,
    );
  }
}

/** Presence by component. Checks names and sizes; building the bundle verifies content. */
export function presence(needs: BundleNeeds, root: string): ReadonlyMap<string, Presence> {
  const found = new Map<string, Presence>();
  const put = (name: string, isThere: boolean) => found.set(name, isThere ? "present" : "to fetch");
  for (const { name } of needs.k3s?.files ?? []) {
    put(name, existsSync(join(root, k3sPath(name))));
  }
  for (const { reference } of needs.images) {
    put(
      reference,
      archivedImage(join(root, imageFile(reference)), { reference, platforms: needs.platforms }) !== undefined,
    );
  }
  for (const needed of needs.charts) {
    put(needed.name, existsSync(join(root, chartFile(needed))));
  }
  for (const { repository, revision } of needs.models) {
    put(`${repository}@${revision}`, isModelThere({ repository, revision }, root));
  }
  return found;
}

/**
 * Downloads everything an environment needs, verifies it, and writes `bundle.json` last. Reuses
 * verified files and removes stale ones.
 *
 * @throws BundleFolderError, or BundleIncompleteError with all missing components.
 */
export async function makeBundle(needs: BundleNeeds, root: string, tools: BundleTools): Promise<BundleFile> {
  assertBundleFolder(root);
  const before = bundleBefore(root) ?? readBundle(join(root, BEFORE));
  const folders = { root, blobs: join(root, WORK_FOLDER) };
  mkdirSync(folders.blobs, { recursive: true });
  if (existsSync(join(root, BUNDLE_FILE))) {
    // The file marks a complete bundle. Its entries may become stale.
    renameSync(join(root, BUNDLE_FILE), join(root, BEFORE));
  }
  const counter = new Counter(partsOf(needs), tools);
  const fetched = await fetchAll(needs, folders, tools, counter);
  const content = bundleFileOf(needs, fetched, (tools.now ?? (() => new Date()))());
  removeStale(root, before, content);
  rmSync(folders.blobs, { recursive: true, force: true });
  writeFileSync(join(root, SUMS_FILE), sumsText(content.files));
  const file = join(root, BUNDLE_FILE);
  writeFileSync(`${file}.part`, bundleText(content));
  renameSync(`${file}.part`, file);
  return content;
}

/**
 * Verifies every file of a bundle.
 * @returns problems, one sentence each.
 */
export async function verifyBundle(
  root: string,
  { files }: BundleFile,
  onProgress: (progress: Progress) => void = () => {},
): Promise<string[]> {
  const problems: string[] = [];
  let bytes = 0;
  for (const [done, file] of files.entries()) {
    const path = join(root, file.path);
    if (!existsSync(path)) {
      problems.push(`${file.path} is missing`);
      continue;
    }
    const found = await measure(path);
    bytes += found.bytes;
    onProgress({ done, parts: files.length, bytes });
    if (found.sha256 !== file.sha256) {
      problems.push(`${file.path} has the SHA-256 ${found.sha256}, and must have ${file.sha256}`);
    }
  }
  return problems;
}

/** Bundle of a folder; undefined if absent or unreadable. */
export function bundleBefore(root: string): BundleFile | undefined {
  return readBundle(join(root, BUNDLE_FILE));
}

function readBundle(path: string): BundleFile | undefined {
  try {
    const parsed = parseBundle(readFileSync(path, "utf8"));
    return "problem" in parsed ? undefined : parsed;
  } catch {
    return undefined;
  }
}

interface Fetched {
  readonly k3s: readonly BundledFile[];
  readonly images: ReadonlyMap<string, ImageInFolder>;
  readonly charts: ReadonlyMap<string, BundledFile>;
  readonly models: ReadonlyMap<NeededModel, ModelInFolder>;
}

type Work = () => Promise<void>;

async function fetchAll(needs: BundleNeeds, folders: Folders, tools: BundleTools, counter: Counter): Promise<Fetched> {
  const k3s: BundledFile[] = [];
  const images = new Map<string, ImageInFolder>();
  const charts = new Map<string, BundledFile>();
  const models = new Map<NeededModel, ModelInFolder>();
  const { root } = folders;
  const repositories = new ChartRepositories(tools.registry);
  const onBytes = (bytes: number) => counter.add(bytes);
  // Smallest first, to find mistakes before long downloads.
  const works: [string, Work][] = [
    ...needs.charts.map((needed): [string, Work] => [
      `chart ${needed.name} ${needed.version}`,
      async () =>
        void charts.set(needed.name, await chartInFolder(repositories, needed, root, tools.chartPins, onBytes)),
    ]),
    ...(needs.k3s?.files ?? []).map((file): [string, Work] => [
      `k3s, ${file.name}`,
      async () => void k3s.push(await k3sInFolder(file, root, onBytes)),
    ]),
    ...needs.images.map((needed): [string, Work] => [
      needed.reference,
      async () =>
        void images.set(needed.reference, await imageInFolder(tools.registry, needed, needs, folders, onBytes)),
    ]),
    ...needs.models.map((needed): [string, Work] => [
      `${needed.repository}@${needed.revision}`,
      async () => {
        const { repository, revision } = needed;
        models.set(
          needed,
          await fetchModel({ repository, revision, choose: choiceOf(needed) }, root, tools.hub, onBytes),
        );
      },
    ]),
  ];
  const reasons: string[] = [];
  const queue = [...works];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [name, work] = next;
      try {
        await work();
        counter.finish(name);
      } catch (error) {
        const reason = visible(messageOf(error));
        reasons.push(reason.includes(name) ? reason : `${name}: ${reason}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (reasons.length > 0) {
    throw new BundleIncompleteError(reasons.sort());
  }
  return { k3s, images, charts, models };
}

class Counter {
  private done = 0;
  private bytes = 0;

  constructor(
    private readonly parts: number,
    private readonly tools: BundleTools,
  ) {}

  add(bytes: number): void {
    this.bytes += bytes;
    this.tell();
  }

  finish(name: string): void {
    this.done += 1;
    this.tools.onPart?.(name);
    this.tell();
  }

  private tell(): void {
    this.tools.onProgress?.({ done: this.done, parts: this.parts, bytes: this.bytes });
  }
}

function partsOf({ k3s, images, charts, models }: BundleNeeds): number {
  return (k3s?.files.length ?? 0) + images.length + charts.length + models.length;
}

function k3sPath(name: string): string {
  return `${BUNDLE_FOLDERS.k3s}/${name}`;
}

/** Its images have some 200 MB. */
const MOST_K3S_BYTES = 2 * 2 ** 30;

async function k3sInFolder(
  { name, url, bytes, sha256 }: NeededFile,
  root: string,
  onBytes: (bytes: number) => void,
): Promise<BundledFile> {
  const path = k3sPath(name);
  const file = join(root, path);
  const present = existsSync(file) ? await measure(file) : undefined;
  if (present?.sha256 === sha256) {
    return { path, ...present };
  }
  const expected = { sha256, atMostBytes: MOST_K3S_BYTES, ...(bytes !== undefined && { bytes }) };
  return { path, ...(await save(`k3s, ${name}`, file, httpFile(url), expected, { resumes: true, onBytes })) };
}

async function imageInFolder(
  registry: Registry,
  { reference }: NeededImage,
  { platforms }: BundleNeeds,
  folders: Folders,
  onBytes: (bytes: number) => void,
): Promise<ImageInFolder> {
  const file = imageFile(reference);
  const present = archivedImage(join(folders.root, file), { reference, platforms });
  if (present !== undefined) {
    return { file, ...present, ...(await measure(join(folders.root, file))) };
  }
  // One folder per image: concurrent images share layers, and each deletes its own.
  const own = { ...folders, blobs: join(folders.blobs, imageArchive(reference)) };
  const made = await fetchImage(registry, { reference, platforms }, own, onBytes);
  rmSync(own.blobs, { recursive: true });
  return made;
}

function choiceOf({ choice }: NeededModel) {
  return choice.kind === "model" ? modelFiles(choice) : adapterChoice(choice.path, choice.limits);
}

function bundleFileOf(needs: BundleNeeds, fetched: Fetched, made: Date): BundleFile {
  const { k3s, images, charts, models } = fetched;
  const get = <K, V>(map: ReadonlyMap<K, V>, key: K): V => {
    const value = map.get(key);
    if (value === undefined) {
      throw new Error("a part of the bundle was neither fetched nor refused");
    }
    return value;
  };
  const ofImages = needs.images.map((needed) => ({ needed, image: get(images, needed.reference) }));
  const ofModels = needs.models.map((needed) => ({ needed, model: get(models, needed) }));
  const files: BundledFile[] = [
    ...k3s,
    ...ofImages.map(({ image: { file, bytes, sha256 } }) => ({ path: file, bytes, sha256 })),
    ...charts.values(),
    ...ofModels.flatMap(({ model }) => model.files),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    format: 1,
    environment: needs.environment,
    made: made.toISOString(),
    platforms: needs.platforms,
    ...(needs.k3s && {
      k3s: {
        version: needs.k3s.version,
        parts: needs.k3s.files.map(({ name, url }) => ({ path: k3sPath(name), source: url })),
        license: needs.k3s.files[0]?.license ?? UNKNOWN,
      },
    }),
    images: ofImages.map(({ needed, image: { file, digest, license } }) => ({
      reference: needed.reference,
      path: file,
      digest,
      license: needed.license === UNKNOWN ? (license ?? UNKNOWN) : needed.license,
    })),
    charts: needs.charts.map(({ name, version, repository, license }) => ({
      name,
      version,
      path: chartFile({ name, version }),
      source: repository,
      license,
    })),
    models: ofModels.map(({ needed, model: { repository, revision, commit, folder, manifestSha256, files: own } }) => ({
      repository,
      revision,
      commit,
      folder,
      manifestSha256,
      bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
      license: needed.license,
    })),
    files,
  };
}

/** k3s imports all archives in the folder, so removes those of earlier bundles. */
function removeStale(root: string, before: BundleFile | undefined, now: BundleFile): void {
  const kept = new Set(now.files.map(({ path }) => path));
  for (const { path } of before?.files ?? []) {
    if (!kept.has(path)) {
      rmSync(join(root, path), { force: true });
      for (let folder = dirname(path); folder !== "." && isEmpty(join(root, folder)); folder = dirname(folder)) {
        rmSync(join(root, folder), { recursive: true });
      }
    }
  }
}

function isEmpty(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length === 0;
}
