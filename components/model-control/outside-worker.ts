import { engineOf } from "../../engines";
import type { BackendKind } from "../../services/model-control/src/backends/backend";
import { type OutsideAddress, serverAt } from "../core/outside";
import type { OutsidePublished } from "../gateway/published";

/** An engine outside of the cluster that the API drives. */
export interface OutsideWorker {
  readonly name: string;
  readonly backend: BackendKind;
  /** The engine's address, without a path. */
  readonly address: OutsideAddress;
  /** Memory that its models may take together, GiB. */
  readonly memoryGiB: number;
  /** Disk that its models may take together, GiB. @default no bound */
  readonly diskGiB?: number;
  /** Names that clients call it by: the gateway routes these to it. What an Ollama fetches at run time, the relay answers for. */
  readonly models: readonly string[];
}

/** As the gateway publishes it; not at all where the engine does not speak OpenAI's API. */
export function publishedWorker({ name, backend, address, models }: OutsideWorker): OutsidePublished | undefined {
  if (engineOf(backend).ports.openai === undefined) {
    return undefined;
  }
  const { host, port } = serverAt(address);
  return {
    name,
    names: models,
    pathNames: "any",
    // Chat, completions and embeddings go over one API: which of them a model has, its engine knows.
    task: "chat",
    ownedBy: backend,
    upstream: { host, port, path: "/v1" },
    outside: { address },
  };
}
