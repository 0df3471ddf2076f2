import { type Cell, table } from "../report/style";
import type { Presence } from "./make";
import type { BundleNeeds } from "./needs";
import { signatureChecks } from "./signatures";

const right = (text: string): Cell => ({ text, align: "right" });

/** `1.2 GB`, `193 MB`, `37 KB`. */
export function sizeText(bytes: number | undefined): string {
  if (bytes === undefined) {
    return "?";
  }
  const [unit, by] = bytes >= 1e9 ? ["GB", 1e9] : bytes >= 1e6 ? ["MB", 1e6] : ["KB", 1e3];
  return `${(bytes / Number(by)).toLocaleString("en-US", { maximumFractionDigits: bytes >= 1e9 ? 1 : 0 })} ${unit}`;
}

/** `sha256:0123456789ab…` */
function short(digest: string): string {
  return `${digest.slice(0, 19)}…`;
}

/** Instructions to verify image signatures before use. */
export function signaturesText(images: readonly { readonly reference: string; readonly digest?: string }[]): string {
  const commands = signatureChecks(images);
  return [
    `Signatures: the publishers of ${commands.length} of ${images.length} images document how to check theirs with cosign, on this computer (docs/signatures.md)`,
    ...commands.map((command) => `  ${command}`),
  ].join("\n");
}

/**
 * List of an environment's components.
 *
 * @param present presence in a folder.
 * @default not shown
 */
export function needsText(needs: BundleNeeds, present?: ReadonlyMap<string, Presence>): string {
  const { k3s, images, charts, models, platforms, environment } = needs;
  const state = (name: string): string[] => (present ? [present.get(name) ?? ""] : []);
  const head = (...cells: (string | Cell)[]) => [...(present ? [""] : []), ...cells];
  const sections = [
    `inference-stacks · ${environment} · all that it takes from the internet, for ${platforms.join(" and ")}`,
    ...(k3s
      ? [
          `k3s ${k3s.version}`,
          table([
            head("file", right("size"), "digest", "license"),
            ...k3s.files.map(({ name, bytes, sha256, license }) => [
              ...state(name),
              name,
              right(sizeText(bytes)),
              short(`sha256:${sha256}`),
              license,
            ]),
          ]),
        ]
      : ["k3s: none, the cluster is there already"]),
    `Images (${images.length})`,
    table([
      head("image", right("size"), "digest", "license"),
      ...images.map(({ reference, compressedGB, digest, license }) => [
        ...state(reference),
        reference.replace(/@sha256:.*/, ""),
        right(compressedGB === undefined ? "?" : `~${sizeText(compressedGB * 1e9)}`),
        digest === undefined ? "of its tag" : short(digest),
        license,
      ]),
    ]),
    signaturesText(images),
    `Charts (${charts.length})`,
    table([
      head("chart", "version", "repository", "license"),
      ...charts.map(({ name, version, repository, license }) => [...state(name), name, version, repository, license]),
    ]),
    `Models (${models.length})`,
    ...(models.length > 0
      ? [
          table([
            head("repository", "revision", right("size"), "license", "used by"),
            ...models.map(({ repository, revision, gigabytes, license, gated, usedBy }) => [
              ...state(`${repository}@${revision}`),
              repository,
              revision,
              right(sizeText(gigabytes * 1e9)),
              `${license}${gated ? ", needs a token" : ""}`,
              usedBy.join(", "),
            ]),
          ]),
        ]
      : []),
  ];
  return `${sections.map((section) => section.trimEnd()).join("\n\n")}\n`;
}
