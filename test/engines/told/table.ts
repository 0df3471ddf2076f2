import type { EngineName } from "../../../engines";
import type { Reader } from "./contract";
import { ollamaReader } from "./ollama";
import { rayReader } from "./ray";
import { tgiReader } from "./tgi";
import { tritonReader } from "./triton";
import { vllmReader } from "./vllm";

/** Every engine's reader: an engine without one does not compile. */
export const READERS: Readonly<Record<EngineName, Reader>> = {
  ollama: ollamaReader,
  triton: tritonReader,
  ray: rayReader,
  tgi: tgiReader,
  vllm: vllmReader,
};
