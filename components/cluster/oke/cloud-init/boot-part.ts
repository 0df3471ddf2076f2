import { join } from "node:path";
import { repositoryRoot } from "../../../../names/repository-root";
import { shippedText } from "../../../../names/shipped-file";

const FOLDER = "components/cluster/oke/cloud-init";

/**
 * One thing that cloud-init does on a new node. `userData` writes the files of all parts first, and then runs their
 * commands, part after part: a command finds every file, and what earlier parts did.
 */
export interface BootPart {
  readonly files: readonly BootFile[];
  /** Each a program and its arguments. One that fails does not keep later ones from running: they look for themselves. */
  readonly commands: readonly (readonly string[])[];
}

/** A file as cloud-init's `write_files` takes it. */
export interface BootFile {
  readonly path: string;
  /** In octal: "0644". */
  readonly permissions: string;
  readonly owner: "root:root";
  readonly content: string;
}

/** A file that root writes and all may read, unless `permissions` say otherwise. */
export function bootFile(path: string, content: string, permissions = "0644"): BootFile {
  return { path, permissions, owner: "root:root", content };
}

/**
 * A script of `cloud-init/`, where nodes have it: without its comments and empty lines, for all metadata of a machine
 * together may have 32,000 bytes (Oracle's LaunchInstanceDetails, read 2026-11-23). Not compressed: another version of a
 * compressor would make other bytes, and other user data replaces nodes.
 */
export function bootScript(name: string): BootFile {
  const [interpreter = "", ...lines] = bootText(name).trimEnd().split("\n");
  const told = lines.filter((line) => !/^\s*(#|$)/.test(line));
  const origin = `# From inference-stacks, components/cluster/oke/cloud-init/${name}, where its comments are.`;
  return bootFile(`/usr/local/sbin/${name}`, `${[interpreter, origin, ...told].join("\n")}\n`, "0700");
}

/** Text of a file that nodes boot with. */
export function bootText(name: string): string {
  return shippedText(`${FOLDER}/${name}`);
}

/** A file that nodes boot with, in this repository. */
export function bootFilePath(name: string): string {
  return join(repositoryRoot(), FOLDER, name);
}
