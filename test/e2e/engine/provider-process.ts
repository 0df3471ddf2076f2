import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import type { Program } from "../../../rehearsal/cluster/lifeline";

const FOLDER = join(__dirname, "providers");

/** Arguments of Node for a provider's TypeScript file. */
export function providerArguments(file: string): readonly string[] {
  return ["--import", pathToFileURL(createRequire(__filename).resolve("tsx")).href, file];
}

/** The port that the engine reaches a provider at, which prints it once it serves. */
export function providerPort(provider: Program): Promise<number> {
  return provider.ready(async () => {
    const port = /^(\d+)$/m.exec(provider.output())?.[1];
    return port === undefined ? undefined : Number(port);
  });
}

/**
 * Starts one of the providers in engine/providers as a process of its own.
 *
 * @returns the port that the engine reaches it at.
 */
export function startProvider(
  plane: Pick<ControlPlane, "run">,
  name: "aws" | "command" | "kubernetes" | "local-command" | "oci" | "random" | "tls",
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  return providerPort(plane.run(process.execPath, providerArguments(join(FOLDER, `${name}.ts`)), env));
}
