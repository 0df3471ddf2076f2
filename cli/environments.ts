import { readdirSync } from "node:fs";
import { join } from "node:path";
import { nearest } from "../catalog/nearest";
import { projectRoot } from "../names/project-root";

/** Every `Pulumi.<name>.yaml` next to Pulumi.yaml with a valid stack name, sorted. */
export function environmentNames(root = projectRoot()): string[] {
  return readdirSync(root)
    .flatMap((file) => /^Pulumi\.([\w.-]{1,100})\.yaml$/.exec(file)?.[1] ?? [])
    .sort();
}

/** The file, or a message listing environments. */
export function environmentFile(name: string): { readonly file: string } | { readonly problem: string } {
  const names = environmentNames();
  if (names.includes(name)) {
    return { file: join(projectRoot(), `Pulumi.${name}.yaml`) };
  }
  if (/\.ya?ml$/.test(name)) {
    return { problem: `there is no environment "${name}"; a file is read with --config ${name}` };
  }
  const guess = nearest(name, names);
  return {
    problem: `there is no environment "${name}"${guess ? `; did you mean "${guess}"?` : ""}\nenvironments: ${names.join(", ")}\nA new one is a file Pulumi.<name>.yaml.`,
  };
}
