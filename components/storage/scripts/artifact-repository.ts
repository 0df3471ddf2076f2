/** A model in a registry, as the sync Job reads it: an artifact of files, or an image with the model in it. */
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { chosenOf, type Layer, layersOf, parsedManifest } from "./artifact-layers.ts";
import type { Repository, RepositoryFile } from "./hugging-face.ts";
import { type ArchivedFile, LayerArchive } from "./layer-archive.ts";
import { refuseUnsafePaths } from "./model-files.ts";
import type { OciRegistry } from "./oci-registry.ts";
import { resumed } from "./resume.ts";
import { FinalError } from "./retry.ts";

/** Where images have their models (KServe's documentation of OCI storage, read 2026-11-30). */
const IMAGE_FOLDER = "models/";
const CONFIG = "config.json";
/** Of a text that is kept in memory, such as an index of weights. */
const MOST_TEXT_BYTES = 64 * 2 ** 20;

const WHITEOUT = ".wh.";
const OPAQUE = ".wh..wh..opq";

interface Content {
  readonly kind: ArchivedFile["kind"];
  readonly size: number;
  readonly sha256: string;
  /** The content, where it was kept. */
  readonly index?: Buffer | undefined;
  readonly read: (path: string) => AsyncGenerator<Uint8Array>;
}

type Tree = ReadonlyMap<string, Content>;

export class ArtifactRepository implements Repository {
  /** `oci://host/repository` */
  readonly repository: string;
  private readonly registry: OciRegistry;
  private layers: readonly Layer[] = [];
  private tree: Tree = new Map();
  private isCompressed = false;

  constructor(registry: OciRegistry) {
    this.registry = registry;
    this.repository = registry.name;
  }

  /** @param revision tag, or digest. @returns its current digest. */
  async commit(revision: string): Promise<string> {
    const { digest, text } = await this.registry.manifest(revision);
    const name = `${this.repository}@${digest}`;
    const manifest = parsedManifest(name, text);
    const chosen = chosenOf(name, manifest);
    this.layers = layersOf(
      name,
      chosen === undefined ? manifest : parsedManifest(name, (await this.registry.manifest(chosen)).text),
    );
    return digest;
  }

  get filesAtOnce(): number | undefined {
    return this.isCompressed ? 1 : undefined;
  }

  /** In the order in which their layers have them. */
  async files(): Promise<RepositoryFile[]> {
    const tree = new Map<string, Content>();
    for (const layer of this.layers) {
      await this.add(layer, tree);
    }
    this.tree = modelIn(this.repository, tree);
    return [...this.tree].map(([path, { size, sha256 }]) => ({ path, size, sha256, gitBlob: "" }));
  }

  async text(_commit: string, path: string): Promise<string> {
    const { size, sha256, index, read } = this.contentOf(path);
    if (size > MOST_TEXT_BYTES) {
      throw new FinalError(`${this.repository}, ${path}: it has ${size} bytes; allowed are ${MOST_TEXT_BYTES}`);
    }
    const bytes = index ?? (await buffer(read(path)));
    const arrived = createHash("sha256").update(bytes).digest("hex");
    if (arrived !== sha256) {
      throw new FinalError(
        `${this.repository}, ${path}: the content has the SHA-256 ${arrived}, and must have ${sha256}`,
      );
    }
    return bytes.toString("utf8");
  }

  download(_commit: string, { path }: RepositoryFile): AsyncGenerator<Uint8Array> {
    return this.contentOf(path).read(path);
  }

  private contentOf(path: string): Content {
    const content = this.tree.get(path);
    if (content === undefined) {
      throw new FinalError(`${this.repository} has no file ${JSON.stringify(path)}`);
    }
    return content;
  }

  /** What a layer changes. */
  private async add(layer: Layer, tree: Map<string, Content>): Promise<void> {
    const { registry, repository } = this;
    const { digest, size } = layer;
    if (layer.kind === "file") {
      const read = (path: string) =>
        resumed({ repository, path, size, fromByte: 0 }, (from) => registry.blob(layer, from));
      tree.set(placeOf(repository, layer.path), { kind: "file", size, sha256: digest.slice("sha256:".length), read });
      return;
    }
    const archive = new LayerArchive(registry, layer);
    const members = (await archive.members()).map((member) => ({ ...member, path: placeOf(repository, member.path) }));
    const isWhiteout = ({ path }: ArchivedFile) => layer.isChangeset && nameOf(path).startsWith(WHITEOUT);
    this.isCompressed ||= archive.isCompressed;
    // They concern layers before this one alone, wherever they are in it.
    for (const { path } of members.filter(isWhiteout)) {
      const folder = path.slice(0, path.length - nameOf(path).length);
      if (nameOf(path) === OPAQUE) {
        removeBelow(tree, folder);
      } else {
        remove(tree, `${folder}${nameOf(path).slice(WHITEOUT.length)}`);
      }
    }
    for (const member of members) {
      if (member.kind !== "folder" && !isWhiteout(member)) {
        tree.set(member.path, { ...member, read: () => archive.content(member) });
      }
    }
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A path without what means nothing. @throws FinalError for one that leaves its folder. */
function placeOf(where: string, path: string): string {
  const parts = path.split("/").filter((part, at, all) => part !== "." && (part !== "" || at < all.length - 1));
  if (parts.includes("..") || (parts[0] === "" && parts.length > 1)) {
    refuseUnsafePaths(where, [path]);
  }
  return parts.join("/");
}

function remove(tree: Map<string, Content>, path: string): void {
  tree.delete(path);
  removeBelow(tree, `${path}/`);
}

/** @param folder with a slash at its end; empty for all. */
function removeBelow(tree: Map<string, Content>, folder: string): void {
  for (const path of tree.keys()) {
    if (path.startsWith(folder)) {
      tree.delete(path);
    }
  }
}

/**
 * The folder with the model, as if it were all: that of the config.json next to the top, below `models` where that has one.
 * @throws FinalError when it is not clear which, or there is something else than files in it.
 */
function modelIn(where: string, tree: Tree): Tree {
  const configs = [...tree.keys()].filter((path) => nameOf(path) === CONFIG);
  const below = configs.filter((path) => path.startsWith(IMAGE_FOLDER));
  const candidates = below.length > 0 ? below : configs;
  const depth = Math.min(...candidates.map((path) => path.split("/").length));
  const [config, ...others] = candidates.filter((path) => path.split("/").length === depth);
  if (config === undefined || others.length > 0) {
    throw new FinalError(
      config === undefined
        ? `${where} has no ${CONFIG}: it must hold the files of a Hugging Face repository, in an image below /models`
        : `${where} has several models: ${[config, ...others].slice(0, 10).join(", ")}. Push each to a repository of its own`,
    );
  }
  const folder = config.slice(0, -CONFIG.length);
  const model = [...tree].flatMap(([path, content]) =>
    path.startsWith(folder) ? [[path.slice(folder.length), content] as const] : [],
  );
  const paths = new Set(model.map(([path]) => path));
  const within = [...paths].filter((path) =>
    path.split("/").some((_, at, parts) => at > 0 && paths.has(parts.slice(0, at).join("/"))),
  );
  if (within.length > 0) {
    throw new FinalError(`${where} has files below a file: ${within.slice(0, 10).join(", ")}`);
  }
  const noFiles = model.filter(([, { kind }]) => kind !== "file").map(([path]) => path);
  if (noFiles.length > 0) {
    throw new FinalError(
      `${where} has links or devices in place of files: ${noFiles.slice(0, 10).join(", ")}. Push the files themselves (cp -rL)`,
    );
  }
  refuseUnsafePaths(where, [...paths]);
  return new Map(model);
}
