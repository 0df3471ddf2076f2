import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { ServerProcess } from "./registry/server-process";
import type { ApiBundle } from "./start-api";

/** The relay as its image runs it, in a process of its own. */
export interface RelayProcess {
  readonly url: string;
  readonly adminUrl: string;
  readonly port: number;
  readonly process: ServerProcess;
}

/** @param settings all but the addresses that it listens on. */
export async function startRelayProcess(
  bundle: Pick<ApiBundle, "relayFile">,
  settings: Readonly<Record<string, unknown>>,
): Promise<RelayProcess> {
  const [port = 0, adminPort = 0] = await freePorts(2);
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  const process = await ServerProcess.start((folder) => {
    const config = join(folder, "relay.json");
    writeFileSync(config, JSON.stringify({ listen: { host: "127.0.0.1", port, adminPort }, ...settings }));
    return {
      command: globalThis.process.execPath,
      args: [bundle.relayFile],
      env: { MODEL_RELAY_CONFIG: config, HOME: folder },
      ready: async () => (await fetch(`${adminUrl}/readyz`)).ok,
    };
  });
  return { url: `http://127.0.0.1:${port}`, adminUrl, port, process };
}
