/** What changes an Ollama, and spellings of it: clients get none of it past the relay, with the gateway before it or without. */
export const REFUSED_CALLS: readonly (readonly [method: string, path: string])[] = [
  ["POST", "/api/pull"],
  ["POST", "/api/push"],
  ["POST", "/api/create"],
  ["POST", "/api/copy"],
  ["DELETE", "/api/delete"],
  ["POST", "/api/blobs/sha256:0"],
  ["POST", "/api/chat/../pull"],
  ["POST", "/api/%70ull"],
];
