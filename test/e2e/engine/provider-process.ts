import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";

const FOLDER = join(__dirname, "providers");

/**
 * Starts one of the providers in engine/providers as a process of its own.
 *
 * @returns the port that the engine reaches it at.
 */
export async function startProvider(
  plane: ControlPlane,
  name: "kubernetes" | "random",
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const tsx = pathToFileURL(createRequire(__filename).resolve("tsx")).href;
  const program = plane.run(process.execPath, ["--import", tsx, join(FOLDER, `${name}.ts`)], env);
  return program.ready(async () => {
    const port = /^(\d+)$/m.exec(program.output())?.[1];
    return port === undefined ? undefined : Number(port);
  });
}
