import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(__dirname, "release");

/** The stand-ins of a release of k3s. The binary is as large as takes a moment to fetch. */
export const RELEASE = {
  installer: readFileSync(join(FOLDER, "install.sh")),
  binary: Buffer.concat([readFileSync(join(FOLDER, "k3s")), Buffer.from(`#${" ".repeat(4 << 20)}\n`)]),
  /** Nobody unpacks it. */
  images: Buffer.from("images of k3s"),
} as const;

/** What `catalog/k3s.ts` exports, with the sums of the stand-ins: `vi.mock("…/catalog/k3s", standInCatalog)`. */
export async function standInCatalog(importOriginal: () => Promise<unknown>): Promise<object> {
  const catalog = (await importOriginal()) as typeof import("../../../../catalog/k3s");
  return {
    ...catalog,
    K3S_INSTALLER: { ...catalog.K3S_INSTALLER, sha256: sha256(RELEASE.installer) },
    k3sFor: (arch: Parameters<typeof catalog.k3sFor>[0]) => {
      const release = catalog.k3sFor(arch);
      return {
        ...release,
        binary: { ...release.binary, sha256: sha256(RELEASE.binary) },
        images: { ...release.images, sha256: sha256(RELEASE.images) },
      };
    },
  };
}

/** The same for programs that run in a copy of the repository: in its `catalog/k3s.json`. */
export function writeStandInCatalog(project: string): void {
  const file = join(project, "catalog", "k3s.json");
  const catalog = JSON.parse(readFileSync(file, "utf8"));
  catalog.installer.sha256 = sha256(RELEASE.installer);
  for (const release of Object.values<Record<"binary" | "images", { sha256: string }>>(catalog.architectures)) {
    release.binary.sha256 = sha256(RELEASE.binary);
    release.images.sha256 = sha256(RELEASE.images);
  }
  writeFileSync(file, JSON.stringify(catalog));
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
