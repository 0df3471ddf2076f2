import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Cluster and credentials. */
export interface KubectlAccess {
  /** Content or path, as for Pulumi's provider. @default kubectl's own files */
  readonly kubeconfig?: string;
  /** @default the current one */
  readonly context?: string;
}

/** Enough for a list of names, or kubectl's message about a rejected definition. */
const MOST_BYTES = 16 * 2 ** 20;
const GIVES_UP_AFTER_MS = 120_000;

export const NO_KUBECTL = "kubectl is not on the PATH";

/** Has kubectl's message. */
export class KubectlError extends Error {}

/**
 * @param input for its standard input.
 * @returns its output.
 * @throws KubectlError
 */
export async function kubectl(access: KubectlAccess, args: readonly string[], input = ""): Promise<string> {
  const { kubeconfig, context } = access;
  const ofContext = context === undefined ? [] : ["--context", context];
  if (kubeconfig === undefined || isPath(kubeconfig)) {
    return run([...ofContext, ...args], input, kubeconfig);
  }
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-"));
  try {
    const file = join(folder, "kubeconfig");
    writeFileSync(file, kubeconfig, { mode: 0o600 });
    return await run([...ofContext, ...args], input, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One line that is no JSON. The provider defaults to KUBECONFIG, which may name several files. */
function isPath(kubeconfig: string): boolean {
  return !/[\n{]/.test(kubeconfig);
}

/** @param kubeconfig path or paths. @default kubectl's own files */
function run(args: readonly string[], input: string, kubeconfig: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }) };
    const options = { env, maxBuffer: MOST_BYTES, timeout: GIVES_UP_AFTER_MS };
    const child = execFile("kubectl", args, options, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout);
      } else if ((error as NodeJS.ErrnoException).code === "ENOENT") {
        reject(new KubectlError(NO_KUBECTL));
      } else {
        reject(new KubectlError(stderr.trim() || error.message));
      }
    });
    // It may end before reading everything; its message has the reason.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
