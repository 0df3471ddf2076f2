/**
 * Requests of KServe's API that pass, below `/v2/models/<name>`; the empty path is the model's inputs and outputs. All else ends at the gateway and at
 * nodes: servers let whoever reaches them load and unload models, and change how they trace, on paths beside these.
 */
export const KSERVE_ACTIONS = [
  { method: "POST", path: "/infer" },
  { method: "POST", path: "/generate" },
  { method: "POST", path: "/generate_stream" },
  { method: "GET", path: "" },
  { method: "GET", path: "/ready" },
] as const;
