import { engineOf } from "../../engines";
import type { BackendKind } from "../../services/model-control/src/backends/backend";
import { type OutsideAddress, serverAt } from "../core/outside";
import type { OutsidePublished } from "../gateway/published";

export interface OutsideWorker {
  readonly name: string;
  readonly backend: BackendKind;
  /** Engine address without path. */
  readonly address: OutsideAddress;
  /** Total memory of its models, GiB. */
  readonly memoryGiB: number;
  /** Total disk of its models, GiB. @default unlimited */
  readonly diskGiB?: number;
  /** Names that the gateway routes to it. The relay serves models fetched at run time. */
  readonly models: readonly string[];
}

/** Publication at the gateway; undefined if the engine lacks OpenAI's API. */
export function publishedWorker({ name, backend, address, models }: OutsideWorker): OutsidePublished | undefined {
  if (engineOf(backend).ports.openai === undefined) {
    return undefined;
  }
  const { host, port } = serverAt(address);
  return {
    name,
    names: models,
    pathNames: "any",
    // Chat, completions and embeddings share one API: the engine knows which a model supports.
    task: "chat",
    ownedBy: backend,
    upstream: { host, port, path: "/v1" },
    outside: { address },
  };
}
