/** Engines that users may request but none serves. */

export interface RetiredEngine {
  /** Display name. */
  readonly label: string;
  readonly why: string;
  /** Replacement. */
  readonly instead: string;
}

/**
 * By the name in `models.<name>.engine`. Decision 0015 explains why they are not in the engine
 * table.
 */
export const RETIRED: Readonly<Record<string, RetiredEngine>> = {
  torchserve: {
    label: "TorchServe",
    // pytorch/serve: archived 2025-08-07; its README plans no updates, bug fixes, new features or
    // security patches.
    why: "it is not maintained, and its archives contain code: vulnerabilities stay open",
    instead:
      "serve a model that generates text with vLLM, and any other as a Python or ONNX model with Triton or Ray Serve",
  },
};
