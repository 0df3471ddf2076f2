import type { Engine } from "./engine";
import { ollama } from "./ollama";
import { ray } from "./ray";
import { tgi } from "./tgi";
import { triton } from "./triton";
import { vllm } from "./vllm";

/**
 * An engine is a folder here with a row in this table, and a component with a row in
 * `components/serving/standard-servers.ts`. The package has none of these rows: users choose.
 */
export const STANDARD_ENGINES = { vllm, ollama, triton, ray, tgi } satisfies Readonly<Record<string, Engine>>;
