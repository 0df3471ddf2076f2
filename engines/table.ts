import type { Engine } from "./engine";
import { ollama } from "./ollama";
import { ray } from "./ray";
import { tgi } from "./tgi";
import { triton } from "./triton";
import { vllm } from "./vllm";

/**
 * An engine is a folder here with a row in this table, and a component with a row in
 * `components/serving/servers.ts`.
 */
export const ENGINES = { vllm, ollama, triton, ray, tgi } satisfies Readonly<Record<string, Engine>>;

export type EngineName = keyof typeof ENGINES;
