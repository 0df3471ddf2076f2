import { join } from "node:path";
import { repositoryRoot } from "../../../../names/repository-root";
import { shippedText } from "../../../../names/shipped-file";

const FOLDER = "components/cluster/oke/cloud-init";

/**
 * A boot task for cloud-init. `userData` writes the files of all parts, then runs their commands in
 * order.
 */
export interface BootPart {
  readonly files: readonly BootFile[];
  /**
   * Programs with arguments. Later commands run even if one fails, so they check for themselves.
   */
  readonly commands: readonly (readonly string[])[];
}

/** A file for cloud-init's `write_files`. */
export interface BootFile {
  readonly path: string;
  /** In octal: "0644". */
  readonly permissions: string;
  readonly owner: "root:root";
  readonly content: string;
}

/** A file owned by root and readable by all, unless `permissions` differ. */
export function bootFile(path: string, content: string, permissions = "0644"): BootFile {
  return { path, permissions, owner: "root:root", content };
}

/**
 * A script of `cloud-init/` without comments and empty lines: machine metadata is limited to 32,000
 * bytes (Oracle's LaunchInstanceDetails, read 2026-11-23). Not compressed: another compressor
 * version would change the bytes, and so replace nodes.
 */
export function bootScript(name: string): BootFile {
  const [interpreter = "", ...lines] = bootText(name).trimEnd().split("\n");
  const told = lines.filter((line) => !/^\s*(#|$)/.test(line));
  const origin = `# From inference-stacks, components/cluster/oke/cloud-init/${name}, where its comments are.`;
  return bootFile(`/usr/local/sbin/${name}`, `${[interpreter, origin, ...told].join("\n")}\n`, "0700");
}

export function bootText(name: string): string {
  return shippedText(`${FOLDER}/${name}`);
}

export function bootFilePath(name: string): string {
  return join(repositoryRoot(), FOLDER, name);
}
