/** Which engine a container image runs, and what becomes of the image. */
import { isPinned, parseImage } from "../../catalog/image-reference";
import { type EngineName, engineOf } from "../../engines";
import type { ModelDraft } from "./draft";
import type { Path } from "./path";
import { serveAs } from "./served-name";

/** What an image says of its engine. */
export interface ServerImage {
  /** As the file has it. */
  readonly reference: string;
  readonly engine: EngineName;
  /** Release that its name states. */
  readonly version?: string;
  /** It is published by the engine's own project. */
  readonly isOfficial: boolean;
  /** It starts a server of its own around the engine. */
  readonly server?: string;
  /** Weights that its name has. */
  readonly weights?: string;
  /** Name that its server answers to, where no flag gives one. */
  readonly servedName?: string;
}

/** By what the name of an image ends with, without registry and tag. */
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

/** Images whose program is not the engine's, and what it is called. */
const SERVERS: readonly (readonly [RegExp, string])[] = [
  [/^nvcr\.io\/nim\//, "NVIDIA NIM"],
  [/huggingfaceserver/, "KServe's server for Hugging Face models"],
];

/** Builds whose tags count the releases of another project than the engine. */
const OWN_NUMBERS = /lmcache|llm-d-|(^|\/)modh\/|opendatahub/;

/** NVIDIA NIM: one image for each model. */
const NIM = /^nvcr\.io\/nim\/([\w.-]+\/([\w.-]+))$/;

/** @returns undefined where the image is none of an engine that is served here. */
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

/** The engine's release in a tag: behind the engine's name, or at its beginning where the project counts no other. */
function releaseNamed(engine: EngineName, name: string, tag: string): string | undefined {
  const form = engine === "triton" ? "\\d\\d\\.\\d\\d" : "\\d+\\.\\d+\\.\\d+(?:\\.(?:post)?\\d+)?";
  const [, behind] = new RegExp(`${engine}[-_:]?v?(${form})(?![\\d.])`).exec(`${name}:${tag}`) ?? [];
  // As recipes of OCI write 0.8.3: vllmv083.
  const [, minor, patch] = new RegExp(`${engine}v0(\\d)(\\d)(?!\\d)`).exec(tag) ?? [];
  if (minor !== undefined && patch !== undefined) {
    return `0.${minor}.${patch}`;
  }
  const [, first] = new RegExp(`^v?(${form})(?=$|[-_+])`).exec(tag) ?? [];
  return behind ?? (OWN_NUMBERS.test(name) ? undefined : first);
}

/** The image of a server whose engine something else says where its name does not. */
export function imageOf(reference: string, engine: EngineName): ServerImage {
  return serverImage(reference) ?? { reference, engine, isOfficial: false };
}

/** Notes the image of a model's server; what becomes of it depends on the release that it behaves as. */
export function applyImage(model: ModelDraft, image: ServerImage, at: readonly Path[]): void {
  model.engine = image.engine;
  model.image = { image, at };
  serveAs(model, image.servedName, at[0] ?? model.at);
}

/**
 * Puts the image, or the engine's release, into the model's settings, and notes what becomes of it.
 *
 * @param stated release that own images behave as, where their tag has none.
 */
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

/** Notes that an image, which was mapped, is not in the environment after all. */
export function loseImage({ ledger, image, at }: ModelDraft, why: string): void {
  image?.at.forEach((place) => void ledger.retract("models.*.image", at, why, place));
}

/** Why an image of the user's own is not in the environment; undefined where it is. */
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

/** Docker Hub's own images are written without it. */
export function withRegistry(reference: string): string {
  const [host = "", ...rest] = reference.split("/");
  return rest.length > 0 && /[.:]|^localhost$/.test(host) ? reference : `docker.io/${reference}`;
}
