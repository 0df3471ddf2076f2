import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { K3S_CONFIG } from "../../../components/cluster/k3s/paths";

/** A file that the program writes on a machine. */
interface WrittenFile {
  readonly path: string;
  readonly content: string;
}

/** Every file that a run of an environment writes on its machine; none where it makes no cluster of one. */
export function filesOfHost(
  resources: readonly { readonly type: string; readonly inputs: Readonly<Record<string, unknown>> }[],
): WrittenFile[] {
  return resources
    .filter(({ type, inputs }) => type === "command:remote:Command" && typeof inputs.stdin === "string")
    .flatMap(({ inputs }) => String(inputs.stdin).split("\n"))
    .flatMap((line) => {
      const [, path, content] = /^file \d+ (\S+) (\S*)$/.exec(line) ?? [];
      return path === undefined ? [] : [{ path, content: Buffer.from(content ?? "", "base64").toString("utf8") }];
    });
}

/** What k3s would tell its API server, with the files in a folder of the test instead of the machine's. */
export function k3sServerArgs(files: readonly WrittenFile[], folder: string): string[] {
  for (const { path, content } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const config = files.find(({ path }) => path === K3S_CONFIG);
  if (config === undefined) {
    throw new Error(`no ${K3S_CONFIG} among ${files.map(({ path }) => path).join(", ")}`);
  }
  const args: string[] = parse(config.content)["kube-apiserver-arg"];
  return args.map((arg) => `--${arg.replace(/=\//, `=${folder}/`)}`);
}
