/**
 * Allowed KServe requests below `/v2/models/<name>`; the empty path is model metadata. The rest is
 * refused: servers let any client load and unload models or change tracing.
 */
export const KSERVE_ACTIONS = [
  { method: "POST", path: "/infer" },
  { method: "POST", path: "/generate" },
  { method: "POST", path: "/generate_stream" },
  { method: "GET", path: "" },
  { method: "GET", path: "/ready" },
] as const;
