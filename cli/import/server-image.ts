import { isPinned, parseImage } from "../../catalog/image-reference";
import { type EngineName, engineOf } from "../../engines";
import type { ModelDraft } from "./draft";
import type { Path } from "./path";
import { serveAs } from "./served-name";

export interface ServerImage {
  readonly reference: string;
  readonly engine: EngineName;
  readonly version?: string;
  /** Published by the engine's project. */
  readonly isOfficial: boolean;
  /** Wraps the engine in another server. */
  readonly server?: string;
  readonly weights?: string;
  /** Served name without a flag. */
  readonly servedName?: string;
}

/** By the end of the image's name, without registry and tag. */
const OFFICIAL: readonly (readonly [RegExp, EngineName])[] = [
  [/(^|\/)vllm\/vllm-openai(-rocm|-cpu)?$/, "vllm"],
  [/(^|\/)ollama\/ollama$/, "ollama"],
  [/(^|\/)text-generation-inference$/, "tgi"],
  [/(^|\/)tritonserver$/, "triton"],
];

const BUILDS: readonly (readonly [RegExp, EngineName])[] = [
  [/vllm|llm-d-(cuda|rocm|cpu|xpu)|huggingfaceserver/, "vllm"],
  [/ollama/, "ollama"],
  [/text-generation-inference|(^|\/)tgi/, "tgi"],
  [/triton/, "triton"],
];

/** Images with another program than the engine's. */
const SERVERS: readonly (readonly [RegExp, string])[] = [
  [/^nvcr\.io\/nim\//, "NVIDIA NIM"],
  [/huggingfaceserver/, "KServe's server for Hugging Face models"],
];

/** Tags that count another project's releases. */
const OWN_NUMBERS = /lmcache|llm-d-|(^|\/)modh\/|opendatahub/;

/** One image per model. */
const NIM = /^nvcr\.io\/nim\/([\w.-]+\/([\w.-]+))$/;

/** @returns undefined for an engine that is not supported. */
export function serverImage(reference: string): ServerImage | undefined {
  const { repository: name, tag = "" } = parseImage(reference);
  const official = OFFICIAL.find(([pattern]) => pattern.test(name))?.[1];
  const [, servedName, weights] = NIM.exec(name) ?? [];
  const build = weights === undefined ? BUILDS.find(([pattern]) => pattern.test(`${name}:${tag}`))?.[1] : "vllm";
  const engine = official ?? build;
  if (engine === undefined) {
    return undefined;
  }
  const server = SERVERS.find(([pattern]) => pattern.test(name))?.[1];
  const version = server === undefined ? releaseNamed(engine, name, tag) : undefined;
  return {
    reference,
    engine,
    isOfficial: official !== undefined,
    ...(version !== undefined && { version }),
    ...(server !== undefined && { server }),
    ...(weights !== undefined && { weights }),
    ...(servedName !== undefined && { servedName }),
  };
}

/** After the engine's name, or first if the project counts no other. */
function releaseNamed(engine: EngineName, name: string, tag: string): string | undefined {
  const form = engine === "triton" ? "\\d\\d\\.\\d\\d" : "\\d+\\.\\d+\\.\\d+(?:\\.(?:post)?\\d+)?";
  const [, behind] = new RegExp(`${engine}[-_:]?v?(${form})(?![\\d.])`).exec(`${name}:${tag}`) ?? [];
  // OCI's recipes write 0.8.3 as vllmv083.
  const [, minor, patch] = new RegExp(`${engine}v0(\\d)(\\d)(?!\\d)`).exec(tag) ?? [];
  if (minor !== undefined && patch !== undefined) {
    return `0.${minor}.${patch}`;
  }
  const [, first] = new RegExp(`^v?(${form})(?=$|[-_+])`).exec(tag) ?? [];
  return behind ?? (OWN_NUMBERS.test(name) ? undefined : first);
}

export function imageOf(reference: string, engine: EngineName): ServerImage {
  return serverImage(reference) ?? { reference, engine, isOfficial: false };
}

/** The outcome depends on the release. */
export function applyImage(model: ModelDraft, image: ServerImage, at: readonly Path[]): void {
  model.engine = image.engine;
  model.image = { image, at };
  serveAs(model, image.servedName, at[0] ?? model.at);
}

/** @param stated release of custom images without a version tag. */
export function settleImage(model: ModelDraft, stated: string | undefined): void {
  const { ledger, settings, places, image: noted } = model;
  if (noted === undefined) {
    return;
  }
  const { image, at } = noted;
  const [first] = at;
  const version = image.isOfficial ? image.version : (image.version ?? stated);
  const lost = image.isOfficial ? undefined : lostReason(image, version);
  for (const place of at) {
    if (lost !== undefined) {
      ledger.lost(place, lost);
    } else if (version === undefined) {
      ledger.changed(
        place,
        "its tag names no release: the environment takes the one that the platform pins",
        "models.*.engineVersion",
      );
    } else {
      ledger.mapped(place, image.isOfficial ? "models.*.engineVersion" : "models.*.image");
    }
  }
  if (lost === undefined && version !== undefined && first !== undefined) {
    settings.engineVersion = version;
    places.set("engineVersion", first);
    if (!image.isOfficial) {
      settings.image = withRegistry(image.reference);
      places.set("image", first);
    }
  }
}

/** The mapped image is not in the environment. */
export function loseImage({ ledger, image, at }: ModelDraft, why: string): void {
  image?.at.forEach((place) => void ledger.retract("models.*.image", at, why, place));
}

/** Undefined if it is. */
function lostReason({ reference, engine, server }: ServerImage, version: string | undefined): string | undefined {
  const { label, options } = engineOf(engine);
  const instead = `the published image of ${label} takes its place`;
  if (server !== undefined) {
    return `${server} starts a program of its own, and the platform starts ${label}: ${instead}`;
  }
  if (!reference.includes("/")) {
    return `it names no registry that nodes can pull it from: ${instead}`;
  }
  if (!isPinned(withRegistry(reference))) {
    return `its tag moves, and models.*.image takes one that does not, or a digest: ${instead}`;
  }
  if (version === undefined) {
    return `its name does not say which release of ${label} it behaves as: ${instead}, unless --engine-version states one`;
  }
  const known = options.releases?.releases ?? [version];
  return known.includes(version)
    ? undefined
    : `${label} ${version} is none of the releases ${known[0]} to ${known[known.length - 1]} that are known here: ${instead}, unless --engine-version states one`;
}

/** Docker Hub's images omit the registry. */
export function withRegistry(reference: string): string {
  const [host = "", ...rest] = reference.split("/");
  return rest.length > 0 && /[.:]|^localhost$/.test(host) ? reference : `docker.io/${reference}`;
}
