import { z } from "zod";

/** Name of the file in a bundle that says all that is in it. It is written last: where it is, the bundle is complete. */
export const BUNDLE_FILE = "bundle.json";

/** The same list as `sha256sum -c` reads it: for machines that have neither this program nor Node. */
export const SUMS_FILE = "SHA256SUMS";

/** Folders of a bundle. */
export const BUNDLE_FOLDERS = { k3s: "k3s", images: "images", charts: "charts", models: "models" } as const;

const text = z.string().min(1);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const bytes = z.int().nonnegative();

/** Below the folder, with `/`. */
const path = z
  .string()
  .regex(/^[^/\\\p{Cc}]+(\/[^/\\\p{Cc}]+)*$/u)
  .refine((value) => !value.split("/").includes(".."));

const file = z.object({ path, bytes, sha256 });

/** What somebody may do with it, as far as anybody says so; "unknown" where nobody does. */
const license = text;

export const bundleFile = z.object({
  /** Of this file: a program that knows another one refuses it. */
  format: z.literal(1),
  /** The environment that it was made for. Another may use it too, where it holds all that that needs. */
  environment: text,
  /** RFC 3339. */
  made: z.iso.datetime(),
  /** `linux/amd64`. */
  platforms: z.array(text).min(1).readonly(),
  /** Release, and its files. Absent where the machines have k3s already. */
  k3s: z
    .object({
      version: text,
      parts: z.array(z.object({ path, source: text })).readonly(),
      license,
    })
    .optional(),
  images: z
    .array(
      z.object({
        /** As pods name it. */
        reference: text,
        path,
        /** By which its registry has it: of the index, where there is one. */
        digest: text,
        license,
      }),
    )
    .readonly(),
  charts: z.array(z.object({ name: text, version: text, path, source: text, license })).readonly(),
  models: z
    .array(
      z.object({
        /** `organization/name` of Hugging Face. */
        repository: text,
        /** As the environment names it: a branch, a tag or a commit. */
        revision: text,
        commit: z.string().regex(/^[0-9a-f]{40}$/),
        /** Folder below `models`. */
        folder: z.string().regex(/^[^/\\\p{Cc}]+$/u),
        manifestSha256: sha256,
        bytes,
        license,
      }),
    )
    .readonly(),
  /** Every file of the folder but this one and `SHA256SUMS`, by path. */
  files: z.array(file).readonly(),
});

export type BundleFile = z.output<typeof bundleFile>;
export type BundledFile = z.output<typeof file>;
export type BundledModel = BundleFile["models"][number];

/** Text of the file. */
export function bundleText(bundle: BundleFile): string {
  return `${JSON.stringify(bundle, undefined, 1)}\n`;
}

/** The sums as `sha256sum` writes them. */
export function sumsText(files: readonly BundledFile[]): string {
  return files.map((each) => `${each.sha256}  ${each.path}\n`).join("");
}

/** What keeps a text from being such a file; undefined when it is one. */
export function parseBundle(content: string): BundleFile | { readonly problem: string } {
  try {
    const json: unknown = JSON.parse(content);
    const parsed = bundleFile.safeParse(json);
    if (parsed.success) {
      return parsed.data;
    }
    const { format } = Object(json) as { readonly format?: unknown };
    if (format !== 1) {
      return { problem: `it has the format ${JSON.stringify(format)}, and this program reads format 1` };
    }
    const [issue] = parsed.error.issues;
    return { problem: `${issue?.path.join(".")}: ${issue?.message}` };
  } catch {
    return { problem: "it is no JSON" };
  }
}
