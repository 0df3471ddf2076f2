/** Engines that people ask for by name, and that are served nowhere. */

export interface RetiredEngine {
  /** As people write it. */
  readonly label: string;
  readonly why: string;
  /** What to do in its place. */
  readonly instead: string;
}

/** By the name that people would write under `models.<name>.engine`. Why they are no rows of the table of engines: decision 0015. */
export const RETIRED: Readonly<Record<string, RetiredEngine>> = {
  torchserve: {
    label: "TorchServe",
    // pytorch/serve: archived 2025-08-07; its README plans no updates, bug fixes, new features or security patches.
    why: "nobody maintains it, and its archives bring code of their own: holes in it stay open",
    instead:
      "serve a model that generates text with vLLM, and any other as a Python or ONNX model with Triton or Ray Serve",
  },
};
