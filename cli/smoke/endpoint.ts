import { z } from "zod";
import { type HttpClient, NoAnswer } from "./http";
import { expectJson, parseJson } from "./json";

/** What answers at `--url`. */
export interface Endpoint {
  readonly kind: "ollama" | "openai";
  /** `Ollama 0.6.5`, `OpenAI API`. */
  readonly label: string;
  /** Names of the models that it serves. */
  readonly models: readonly string[];
}

const VERSION = z.object({ version: z.string() });
const MODELS = z.object({ data: z.array(z.object({ id: z.string() })).nullable() });

/** Finds out what answers. @throws StepFailure @throws NoAnswer */
export async function discover(client: HttpClient, signal: AbortSignal): Promise<Endpoint> {
  const lookAt = "--url, which must be the address of an OpenAI API or of Ollama, with or without /v1";
  const answer = await client.request("GET", "/v1/models", signal);
  const { data } = expectJson(answer, { what: "GET /v1/models lists models", schema: MODELS, lookAt });
  const models = (data ?? []).map(({ id }) => id);
  const version = await ollamaVersion(client, signal);
  return version === undefined
    ? { kind: "openai", label: "OpenAI API", models }
    : { kind: "ollama", label: `Ollama ${version}`, models };
}

/** Undefined for what is not Ollama: a gateway may refuse the path, or even cut the connection. */
async function ollamaVersion(client: HttpClient, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { status, text } = await client.request("GET", "/api/version", signal);
    const version = VERSION.safeParse(parseJson(text));
    // vLLM has /version, not this path.
    return status === 200 && version.success ? version.data.version : undefined;
  } catch (error) {
    if (error instanceof NoAnswer) {
      return undefined;
    }
    throw error;
  }
}
