import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Folder in the user's cache: XDG_CACHE_HOME (ignored unless absolute, as specified) or ~/.cache.
 */
export function userCache(name: string, { XDG_CACHE_HOME = "" }: NodeJS.ProcessEnv = process.env): string {
  return join(isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), ".cache"), "inference-stacks", name);
}
