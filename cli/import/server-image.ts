/** Which engine a container image runs. */
import type { EngineName } from "../../engines";
import type { ModelDraft } from "./draft";
import type { Path } from "./path";

/** What an image says of its engine. */
export interface ServerImage {
  readonly engine: EngineName;
  /** Release, of images that the engine's own project publishes. */
  readonly version?: string;
  /** It is published by the engine's own project. */
  readonly isOfficial: boolean;
  /** Weights that its name has. */
  readonly weights?: string;
}

/** By what the name of an image ends with, without registry and tag. */
const OFFICIAL: readonly (readonly [RegExp, EngineName])[] = [
  [/(^|\/)vllm\/vllm-openai(-rocm|-cpu)?$/, "vllm"],
  [/(^|\/)ollama\/ollama$/, "ollama"],
  [/(^|\/)text-generation-inference$/, "tgi"],
  [/(^|\/)tritonserver$/, "triton"],
];

const BUILDS: readonly (readonly [RegExp, EngineName])[] = [
  [/vllm|llm-d-(cuda|rocm|cpu)|huggingfaceserver/, "vllm"],
  [/ollama/, "ollama"],
  [/text-generation-inference|(^|\/)tgi/, "tgi"],
  [/triton/, "triton"],
];

/** NVIDIA NIM: one image for each model. */
const NIM = /^nvcr\.io\/nim\/[\w.-]+\/([\w.-]+)$/;

/** @returns undefined where the image is none of an engine that is served here. */
export function serverImage(image: string): ServerImage | undefined {
  const [name = "", tag = ""] = splitImage(image);
  const [, weights] = NIM.exec(name) ?? [];
  if (weights !== undefined) {
    return { engine: "vllm", isOfficial: false, weights };
  }
  const official = OFFICIAL.find(([pattern]) => pattern.test(name))?.[1];
  const engine = official ?? BUILDS.find(([pattern]) => pattern.test(`${name}:${tag}`))?.[1];
  if (engine === undefined) {
    return undefined;
  }
  const [, version] = (engine === "triton" ? /^(\d\d\.\d\d)/ : /^v?(\d+\.\d+\.\d+)(?=$|-)/).exec(tag) ?? [];
  return { engine, isOfficial: official !== undefined, ...(official && version !== undefined && { version }) };
}

/** Name and tag of an image; digests are left out. */
function splitImage(image: string): [string, string] {
  const bare = image.replace(/@sha256:[0-9a-f]+$/, "");
  const colon = bare.lastIndexOf(":");
  return colon > bare.lastIndexOf("/") ? [bare.slice(0, colon), bare.slice(colon + 1)] : [bare, ""];
}

/** Why an image of the user's own is not in the environment. One row for all formats. */
export const OWN_IMAGE_REASON = "the platform runs the engine's published image: what this build adds is lost";

/**
 * Puts the engine's version into the draft, and notes what becomes of the image.
 *
 * @param at where the image, or its tag, stands.
 */
export function applyImage(model: ModelDraft, image: ServerImage, at: readonly Path[]): void {
  const { ledger } = model;
  model.engine = image.engine;
  for (const place of at) {
    if (!image.isOfficial) {
      ledger.lost(place, OWN_IMAGE_REASON);
    } else if (image.version === undefined) {
      ledger.changed(
        place,
        "a tag that moves: the environment takes the release that the platform pins",
        "models.*.engineVersion",
      );
    } else {
      model.settings.engineVersion = image.version;
      model.places.set("engineVersion", place);
      ledger.mapped(place, "models.*.engineVersion");
    }
  }
}
