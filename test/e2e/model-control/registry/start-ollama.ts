import { freePorts } from "../../../../rehearsal/cluster/ports";
import { requirePart } from "../../../../rehearsal/parts/find";
import { ServerProcess } from "./server-process";

export interface Ollama {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Stops, kills and starts it again; models stay until `stop`. */
  readonly process: ServerProcess;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a real Ollama on a free loopback port with a home and a model folder of its own.
 *
 * @param env its settings, such as OLLAMA_MAX_LOADED_MODELS.
 */
export async function startOllama(env: Readonly<Record<string, string>> = {}): Promise<Ollama> {
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const process = await ServerProcess.start((folder) => ({
    command: requirePart("ollama"),
    args: ["serve"],
    env: {
      HOME: folder,
      OLLAMA_HOST: `127.0.0.1:${port}`,
      OLLAMA_MODELS: `${folder}/models`,
      // The test registry is on the loopback interface, whatever proxy this machine has.
      NO_PROXY: "*",
      ...env,
    },
    ready: async () => (await fetch(`${url}/api/version`)).ok,
  }));
  return { url, process, stop: () => process.stop() };
}
