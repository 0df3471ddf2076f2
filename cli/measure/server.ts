import { z } from "zod";
import type { EngineName } from "../../engines";
import { parseJson } from "../../names/json-text";
import { shortText } from "../../stacks/calibration/schema";
import { cleaned } from "../cluster/foreign-text";
import { discover } from "../smoke/endpoint";
import { type HttpClient, NoAnswer } from "../smoke/http";
import { MeasureFailure } from "./failure";

export interface Server {
  readonly models: readonly string[];
  readonly engine?: EngineName;
  readonly version?: string;
}

const VERSION = z.object({ version: shortText });

/** @throws StepFailure for other servers. @throws NoAnswer */
export async function serverAt(http: HttpClient, signal: AbortSignal): Promise<Server> {
  const { kind, label, models } = await discover(http, signal);
  if (kind === "node") {
    throw new MeasureFailure(
      "this is an inference node or a server group, which hides the engine's tokens",
      "--url: the engine's own address (kubectl port-forward to its pod)",
    );
  }
  if (kind === "ollama") {
    const version = shortText.safeParse(label.replace(/^Ollama /, "")).data;
    return { models, engine: "ollama", ...(version !== undefined && { version }) };
  }
  // Of the engines with this API only vLLM reports its version, at its own path.
  const version = await versionAt(http, "/version", signal);
  return { models, ...(version !== undefined && { engine: "vllm" as const, version }) };
}

/** Undefined where unavailable: gateways do not route there. */
async function versionAt(http: HttpClient, path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { status, text } = await http.request("GET", path, signal);
    const parsed = VERSION.safeParse(parseJson(text));
    return status === 200 && parsed.success ? parsed.data.version : undefined;
  } catch (error) {
    if (error instanceof NoAnswer) {
      return undefined;
    }
    throw error;
  }
}

/** @throws MeasureFailure where ambiguous. */
export function servedModel({ models }: Server, named: string | undefined): string {
  // Ollama lists tags; without one, the newest is meant.
  const found = models.find((model) => model === named || model === `${named}:latest`);
  if (named !== undefined) {
    if (found === undefined && models.length > 0) {
      throw new MeasureFailure(`it does not serve "${named}"`, `--model: one of ${listed(models)}`);
    }
    return found ?? named;
  }
  const [only, ...others] = models;
  if (only === undefined) {
    throw new MeasureFailure("it names no model that it serves", "--model NAME");
  }
  if (others.length > 0) {
    throw new MeasureFailure(`it serves ${models.length} models`, `--model: one of ${listed(models)}`);
  }
  return only;
}

const MOST_LISTED = 20;

function listed(models: readonly string[]): string {
  const more = models.length - MOST_LISTED;
  return `${models.slice(0, MOST_LISTED).map(cleaned).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
