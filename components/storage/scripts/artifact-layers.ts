/**
 * What the layers of an artifact are: ModelPack (CNCF model-spec, specs-go/v1/mediatype.go and docs/annotations.md), files
 * and folders as ORAS pushes them (oras-go v2, content/file), and images with the model below /models (KServe, "modelcars").
 * All read 2026-11-30.
 */
import { type Blob, DIGEST, INDEX_TYPES, MANIFEST_TYPES } from "./oci-registry.ts";
import { FinalError } from "./retry.ts";

export type Layer = Blob &
  (
    | { readonly kind: "file"; readonly path: string }
    /** `isChangeset`: its whiteouts remove what layers before it have. */
    | { readonly kind: "archive"; readonly isChangeset: boolean }
  );

interface Descriptor {
  readonly mediaType?: unknown;
  readonly digest?: unknown;
  readonly size?: unknown;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly platform?: { readonly os?: unknown; readonly architecture?: unknown };
}

export interface ArtifactManifest {
  readonly mediaType?: unknown;
  readonly config?: Descriptor;
  readonly layers?: readonly Descriptor[];
  /** Of an index. */
  readonly manifests?: readonly Descriptor[];
}

/** More than any model has. */
const MOST_LAYERS = 10_000;

const MODEL_LAYER =
  /^application\/vnd\.cncf\.model\.(?:weight|weight\.config|doc|code|(dataset))\.v1\.(?:(raw)|tar(?:\+gzip|\+zstd)?)$/;
const IMAGE_LAYER =
  /^application\/vnd\.(?:oci\.image\.layer\.v1\.tar(?:\+gzip|\+zstd)?|docker\.image\.rootfs\.diff\.tar(?:\.gzip|\.zstd)?)$/;
const IMAGE_CONFIG = /^application\/vnd\.(?:oci\.image\.config\.v1|docker\.container\.image\.v1)\+json$/;
/** Of `{}`, which artifacts have for a configuration, some with the media type of an image's. */
const EMPTY = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

const MODEL_PATH = "org.cncf.model.filepath";
const TITLE = "org.opencontainers.image.title";
const UNPACK = "io.deis.oras.content.unpack";

/** @throws FinalError for what is no JSON object. */
export function parsedManifest(name: string, text: string): ArtifactManifest {
  try {
    return Object(JSON.parse(text)) as ArtifactManifest;
  } catch {
    throw new FinalError(`${name}: the registry answers with something else than a manifest`);
  }
}

/**
 * The manifest that an index means: weights are the same on every platform.
 * @returns undefined for what is a manifest itself.
 */
export function chosenOf(name: string, { mediaType, manifests }: ArtifactManifest): string | undefined {
  if (manifests === undefined && !INDEX_TYPES.includes(String(mediaType))) {
    return undefined;
  }
  const some = (manifests ?? []).filter(({ mediaType: type }) => MANIFEST_TYPES.includes(String(type)));
  const of = (architecture: string) =>
    some.find(({ platform }) => platform?.os === "linux" && platform.architecture === architecture);
  const chosen = of("amd64") ?? of("arm64") ?? (some.length === 1 ? some[0] : undefined);
  if (chosen === undefined) {
    throw new FinalError(
      `${name} is an index of ${some.length} manifests, none for linux: name one of them by its digest`,
    );
  }
  return blobOf(name, chosen).digest;
}

/** @throws FinalError with every layer that cannot be read. */
export function layersOf(name: string, { mediaType, config, layers = [] }: ArtifactManifest): Layer[] {
  if (mediaType !== undefined && !MANIFEST_TYPES.includes(String(mediaType))) {
    throw new FinalError(
      `${name} has the media type ${JSON.stringify(mediaType)}; allowed are ${MANIFEST_TYPES.join(", ")}`,
    );
  }
  if (layers.length === 0 || layers.length > MOST_LAYERS) {
    throw new FinalError(`${name} has ${layers.length} layers; allowed are 1 to ${MOST_LAYERS}`);
  }
  const isImage = IMAGE_CONFIG.test(String(config?.mediaType)) && config?.digest !== EMPTY;
  const read = layers.map((layer) => ({ layer, is: layerOf(name, layer, isImage) }));
  const unknown = read.flatMap(({ layer, is }) => (is === "unknown" ? [JSON.stringify(layer.mediaType)] : []));
  if (unknown.length > 0) {
    throw new FinalError(
      `${name} has layers of unknown media types: ${[...new Set(unknown)].slice(0, 10).join(", ")}. Allowed: those of ModelPack ` +
        `(application/vnd.cncf.model…), files with the annotation ${TITLE} (oras push), and layers of images with the model below /models`,
    );
  }
  return read.flatMap(({ is }) => (is === "unknown" || is === "other" ? [] : [is]));
}

/** `other`: nothing that an engine reads. */
function layerOf(name: string, layer: Descriptor, isImage: boolean): Layer | "unknown" | "other" {
  const blob = blobOf(name, layer);
  const type = String(layer.mediaType);
  const { [MODEL_PATH]: modelPath, [TITLE]: title, [UNPACK]: unpack } = layer.annotations ?? {};
  const model = MODEL_LAYER.exec(type);
  if (model !== null) {
    const [, isDataset, isRaw] = model;
    if (isDataset) {
      return "other";
    }
    return isRaw ? fileOf(name, blob, modelPath ?? title) : { ...blob, kind: "archive", isChangeset: false };
  }
  if (isImage) {
    return IMAGE_LAYER.test(type) ? { ...blob, kind: "archive", isChangeset: true } : "unknown";
  }
  if (title !== undefined && unpack !== "true") {
    return fileOf(name, blob, title);
  }
  return unpack === "true" || IMAGE_LAYER.test(type) ? { ...blob, kind: "archive", isChangeset: false } : "unknown";
}

function fileOf(name: string, blob: Blob, path: unknown): Layer {
  if (typeof path !== "string") {
    throw new FinalError(
      `${name}: the layer ${blob.digest} is a file without a name: it needs the annotation ${MODEL_PATH}`,
    );
  }
  return { ...blob, kind: "file", path };
}

function blobOf(name: string, { digest, size }: Descriptor): Blob {
  if (typeof digest !== "string" || !DIGEST.test(digest)) {
    throw new FinalError(
      `${name} names the digest ${JSON.stringify(digest)}; allowed are sha256: and 64 hexadecimal digits`,
    );
  }
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) {
    throw new FinalError(`${name}: ${digest} has the size ${JSON.stringify(size)}; allowed are whole numbers of bytes`);
  }
  return { digest, size };
}
