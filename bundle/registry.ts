import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import type { Registry } from "../charts/registry";
import { messageOf } from "../names/message-of";

/** Registry client and its installation. */
export const CRANE = {
  name: "crane",
  install: "go install github.com/google/go-containerregistry/cmd/crane@v0.22.1, or a package of that name",
} as const;

/** Above any index or manifest. */
const LARGEST_MANIFEST = 16 * 2 ** 20;

/**
 * Registries through crane, which supports credentials of Docker's configuration (`docker login`,
 * `crane auth login`) and all registries' protocols.
 *
 * @param program path of crane.
 */
export function craneRegistry(program: string): Registry {
  return {
    manifest: async (reference) => {
      try {
        const { stdout } = await promisify(execFile)(program, ["manifest", reference], {
          encoding: "buffer",
          maxBuffer: LARGEST_MANIFEST,
        });
        return stdout;
      } catch (error) {
        throw new Error(`${reference}: ${saidBy(error)}`);
      }
    },
    blob: (repository, digest) => blobOf(program, `${repository}@${digest}`),
  };
}

async function* blobOf(program: string, reference: string): AsyncGenerator<Uint8Array> {
  const child = spawn(program, ["blob", reference], { stdio: ["ignore", "pipe", "pipe"] });
  const said: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => said.push(chunk));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  try {
    yield* child.stdout as AsyncIterable<Uint8Array>;
    const status = await ended;
    if (status !== 0) {
      throw new Error(`${reference}: ${lastLine(Buffer.concat(said).toString("utf8"))}`);
    }
  } finally {
    child.kill();
  }
}

function saidBy(error: unknown): string {
  const { stderr } = Object(error) as { readonly stderr?: Buffer | string };
  const text = stderr === undefined ? "" : String(stderr);
  return text.trim() === "" ? messageOf(error) : lastLine(text);
}

/** crane prints its reason last, after a timestamp. */
function lastLine(text: string): string {
  const line = text.trim().split("\n").at(-1) ?? "";
  return line.replace(/^(\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d )?(Error: )?/, "") || "crane ended without a word";
}
