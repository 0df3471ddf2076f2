/** Sources of weights in notations of other platforms: what takes their place. */
import { sourceForms, sourcePattern, splitSource } from "../../engines/sources";
import type { Path, ProblemDraft } from "./core/problems";
import { valueAt } from "./core/problems";
import { SOURCE_ALLOWED } from "./core/sections/models";
import { OWN_WEIGHTS_PAGE } from "./own-weights-page";

interface Notation {
  readonly pattern: RegExp;
  readonly fix: (...parts: string[]) => string;
}

const COPY = "copy the files to a bucket (s3://bucket/prefix) or a volume (pvc://claim/path), and name that";

/** The first match counts. */
const NOTATIONS: readonly Notation[] = [
  {
    // Google serves S3's API with HMAC keys (Cloud Storage, "Simple migration from Amazon S3", read 2026-12-01).
    pattern: /^gc?s:\/\/([^/]+)\/*(.*)$/,
    fix: (bucket = "", prefix = "") =>
      `add storage.buckets.${bucket}: {url: https://storage.googleapis.com, region: auto, secretKey: …} with an HMAC key, and write s3://${bucket}/${prefix || "my-model"}`,
  },
  {
    pattern:
      /^(?:https?:\/\/)?(?:huggingface\.co|hf\.co)\/([^/?#]+\/[^/?#]+)(?:\/(?:tree|blob|resolve)\/([^/?#]+).*)?\/?$/,
    fix: (repository = "", revision = "") => `write hf://${repository}${revision === "" ? "" : `@${revision}`}`,
  },
  {
    pattern: /^ngc:\/\/(.+)$/,
    fix: (model = "") =>
      `run ngc registry model download-version ${model}, copy its folder to a bucket (s3://bucket/prefix) or a volume (pvc://claim/path), and name that`,
  },
  {
    // Virtual-hosted URLs of Amazon S3, and those by path.
    pattern: /^https:\/\/([a-z0-9.-]+)\.(s3[.-][a-z0-9.-]*amazonaws\.com(?:\.cn)?)\/+(.+?)\/*$/,
    fix: (bucket = "", host = "", prefix = "") =>
      `add storage.buckets.${bucket}: {url: https://${host}, region: …, secretKey: …}, and write s3://${bucket}/${prefix}`,
  },
  { pattern: /^https?:\/\//, fix: () => COPY },
  { pattern: /^(?:s3[an]|minio):\/\/(.+)$/i, fix: (place = "") => `write s3://${place}` },
  { pattern: /^(?:docker|image):\/\/(.+)$/, fix: (reference = "") => `write oci://${reference}` },
  { pattern: /^(?:host-?path|folder):\/{2,}(.+)$/i, fix: (path = "") => `write file:///${path}` },
  {
    pattern: /^\.{1,2}\/(.+)$/,
    fix: (path = "") =>
      `write the folder's whole path on the node, such as file:///srv/${path}, or copy it to a bucket`,
  },
  { pattern: /^(\/.+)$/, fix: (path = "") => `write file://${path}, a folder of the node, or pvc://claim/path` },
  { pattern: /^([\w.-]+\/[\w.-]+)$/, fix: (repository = "") => `write hf://${repository}` },
  { pattern: /^[a-z][a-z0-9+.-]*:\/\//i, fix: () => COPY },
];

/** A known scheme with something else after it, or written in another way: the fix stays with that scheme. */
const SCHEMES: Readonly<Record<string, (rest: string) => string>> = {
  hf: () => "write for example hf://Qwen/Qwen2.5-7B-Instruct",
  s3: () => "write for example s3://corp-models/llama/v3, without spaces, empty parts and ..",
  pvc: () => "write for example pvc://weights/llama/v3: the name of a claim, and a folder in it",
  file: (rest) =>
    /^\/?[\w.-]+(\/[\w.-]+)*\/*$/.test(rest) && !/(^|\/)\.{1,2}(\/|$)/.test(rest)
      ? `write file:///${rest.replace(/^\//, "")}, with three slashes`
      : "write for example file:///srv/models/llama, from the root of the node",
  oci: (rest) => {
    const [host = "", ...repository] = rest.split("/");
    if (!host.includes(".")) {
      return "write the registry's host too: oci://<host>/<repository>:<tag>";
    }
    return repository.length > 0 && repository.every((part) => /^[a-z0-9._-]+$/.test(part))
      ? `add a tag: oci://${rest}:<tag>, which npm run pin completes by its digest`
      : "write oci://<host>/<repository>:<tag>, the repository in lower case";
  },
};

function sameScheme(value: string): string | undefined {
  const [, scheme = "", rest = ""] = /^\s*([a-z0-9]+):\/{0,2}(.*?)\s*$/i.exec(value) ?? [];
  const known = scheme.toLowerCase();
  if (!Object.hasOwn(SCHEMES, known)) {
    return undefined;
  }
  // Claims, buckets and registries are in lower case; folders in them may not be.
  const inLowerCase = rest.replace(/^[^/]+/, (name) => name.toLowerCase());
  const corrected = [rest, inLowerCase]
    .map((name) => `${known}://${name}`)
    .find((source) => sourcePattern.test(source));
  return corrected === undefined ? SCHEMES[known]?.(rest) : `write ${corrected}`;
}

export function sourceMistake(path: Path, input: unknown): ProblemDraft | undefined {
  const value = valueAt(input, path);
  // Adapters come from fewer places.
  if (path[0] !== "models" || path.at(-1) !== "source" || path.includes("adapters") || typeof value !== "string") {
    return undefined;
  }
  const fix = sameScheme(value);
  if (fix !== undefined || splitSource(value)) {
    return fix === undefined
      ? undefined
      : { path, value, allowed: SOURCE_ALLOWED, fix: `${fix} (${OWN_WEIGHTS_PAGE})` };
  }
  for (const { pattern, fix } of NOTATIONS) {
    const [found, ...parts] = pattern.exec(value) ?? [];
    if (found !== undefined) {
      return { path, value, allowed: sourceForms, fix: `${fix(...parts)} (${OWN_WEIGHTS_PAGE})` };
    }
  }
  return undefined;
}
