import { z } from "zod";
import { parseJson } from "../../names/json-text";
import { type Answer, type HttpClient, NoAnswer } from "./http";
import { expectJson } from "./json";
import { StepFailure } from "./result";

export interface Endpoint {
  readonly kind: "ollama" | "openai" | "node";
  /** `Ollama 0.6.5`, `OpenAI API`, `Inference node`. */
  readonly label: string;
  /** Empty for nodes, which do not report them. */
  readonly models: readonly string[];
  /** Path of chats. */
  readonly chatPath: string;
}

const CHAT_PATH = "/v1/chat/completions";

const VERSION = z.object({ version: z.string() });
const MODELS = z.object({ data: z.array(z.object({ id: z.string() })).nullable() });

/** Health of a node, or of a server group by one of its nodes (docs/nodes.md). */
const NODE_HEALTH = z.strictObject({ status: z.enum(["ok", "degraded", "unhealthy"]) });
type NodeHealth = z.infer<typeof NODE_HEALTH>["status"];

const LOOK_AT_NODE: Readonly<Record<Exclude<NodeHealth, "ok">, string>> = {
  degraded: "the engine: it loads its model still, or is broken; its log",
  unhealthy: "whether any node is ready (npm run status), and whether its engine runs",
};

/** Detects what answers. @throws StepFailure @throws NoAnswer */
export async function discover(client: HttpClient, signal: AbortSignal): Promise<Endpoint> {
  const health = await nodeHealth(client, signal);
  if (health === "ok") {
    return { kind: "node", label: "Inference node", models: [], chatPath: "/infer" };
  }
  if (health !== undefined) {
    throw new StepFailure({
      expected: "GET /health of an inference node or server group says ok",
      got: health,
      lookAt: LOOK_AT_NODE[health],
    });
  }
  const lookAt = "--url, which must be the address of an OpenAI API or of Ollama, with or without /v1";
  const answer = await client.request("GET", "/v1/models", signal);
  const { data } = expectJson(answer, {
    what: "GET /v1/models lists models",
    schema: MODELS,
    lookAt,
    advice: client.advice,
  });
  const models = (data ?? []).map(({ id }) => id);
  const version = await ollamaVersion(client, signal);
  return version === undefined
    ? { kind: "openai", label: "OpenAI API", models, chatPath: CHAT_PATH }
    : { kind: "ollama", label: `Ollama ${version}`, models, chatPath: CHAT_PATH };
}

/** Undefined for others, with another `/health` or none. */
async function nodeHealth(client: HttpClient, signal: AbortSignal): Promise<NodeHealth | undefined> {
  const answer = await tried(client, "/health", signal);
  const health = NODE_HEALTH.safeParse(parseJson(answer?.text ?? ""));
  return health.success ? health.data.status : undefined;
}

/** Undefined for others. */
async function ollamaVersion(client: HttpClient, signal: AbortSignal): Promise<string | undefined> {
  const answer = await tried(client, "/api/version", signal);
  const version = VERSION.safeParse(parseJson(answer?.text ?? ""));
  // vLLM has /version, not this path.
  return answer?.status === 200 && version.success ? version.data.version : undefined;
}

/** An optional path: gateways may refuse it or cut the connection. */
async function tried(client: HttpClient, path: string, signal: AbortSignal): Promise<Answer | undefined> {
  try {
    return await client.request("GET", path, signal);
  } catch (error) {
    if (error instanceof NoAnswer) {
      return undefined;
    }
    throw error;
  }
}
