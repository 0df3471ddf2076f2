/**
 * Supported settings per Triton release (catalog/engine-releases/triton.json) and its TensorRT-LLM.
 */
import { isWithin, releaseHas, spanOf, spanText } from "../../catalog/engine-releases";
import releases from "../../catalog/engine-releases/triton.json";

const [OLDEST_READ = ""] = releases.releases;

/** Flag missing in older releases. */
export const GRPC_THREADS = "grpc-infer-thread-count";
/**
 * Its fixed value in older releases (REGISTER_GRPC_INFER_THREAD_COUNT in src/grpc/grpc_server.cc of
 * 2.56.0, which is 25.03).
 */
export const FIXED_GRPC_THREADS = 2;

/**
 * First release with TensorRT-LLM 1.2.1, the version of llmapi.ts: image tables in
 * docs/introduction/compatibility.md of 2.71.0, read 2026-11-27.
 */
const CHECKPOINTS = { since: "26.04" };

export function tritonHas(argument: string, version: string): boolean {
  return releaseHas(releases.arguments, argument, version);
}

export function tritonVersionProblems(version: string): string[] {
  return isWithin({ since: OLDEST_READ }, version)
    ? []
    : [`options of Triton ${version} were not read: take ${OLDEST_READ} or newer`];
}

/** Requests of a model that its release lacks, with replacements. */
export function tritonReleaseGaps(
  version: string,
  { isRepository, grpcThreads }: { readonly isRepository: boolean; readonly grpcThreads: number },
): string[] {
  return [
    ...(isRepository || isWithin(CHECKPOINTS, version)
      ? []
      : [
          `checkpoints need Triton ${spanText(CHECKPOINTS)}: the form of older releases of TensorRT-LLM was not read. To fix it: write engineVersion: "${CHECKPOINTS.since}" or newer, or remove it`,
        ]),
    ...(grpcThreads === FIXED_GRPC_THREADS || tritonHas(GRPC_THREADS, version)
      ? []
      : [
          `triton.grpcThreads needs Triton ${spanText(spanOf(releases.arguments, GRPC_THREADS) ?? {})}: older releases have ${FIXED_GRPC_THREADS} such threads. To fix it: remove grpcThreads, or write a newer engineVersion`,
        ]),
  ];
}
