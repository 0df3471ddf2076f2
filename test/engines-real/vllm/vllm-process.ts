import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Program } from "../../../rehearsal/cluster/lifeline";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { requirePart } from "../../../rehearsal/parts/find";
import { type Changes, ContainerFolder } from "../../e2e/model-store/container-folder";
import type { RenderedContainer } from "../../e2e/model-store/platform";
import type { GroupPod } from "../../harness/group-pods";

/** How the part starts what its image has as `vllm`. */
const COMMAND: readonly string[] = ["-m", "vllm.entrypoints.cli.main"];

/** Importing PyTorch and compiling take a minute of two idle cores; beside other work more than five were seen. */
const START_SECONDS = 900;

/** What differs from the container: nothing else does. */
export interface Replaced extends Changes {
  /** Of its API, on loopback; the rendered one in a pod. */
  readonly port?: number;
  /** Where it runs. @default this machine's network */
  readonly pod?: GroupPod;
  /** Whole arguments by what they replace: those that name a port, or a folder. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** A folder of this machine whose content its volume has, by the path of the mount. */
  readonly volumes?: Readonly<Record<string, string>>;
}

/** A rendered vLLM container as a process of this machine. */
export class VllmProcess {
  readonly url: string;
  /** Its HOME, which only its own processes have. */
  readonly home: string;
  private readonly program: Program;

  constructor(container: RenderedContainer, replaced: Replaced) {
    const parent = mkdtempSync(join(tmpdir(), "inference-stacks-engines-"));
    const folder = new ContainerFolder(container, parent, replaced);
    for (const [path, content] of Object.entries(replaced.volumes ?? {})) {
      cpSync(content, folder.here(path), { recursive: true });
    }
    const at = folder.command.indexOf("vllm");
    if (at === -1) {
      throw new Error(`the container runs ${folder.command[0]}`);
    }
    // In a group something else becomes vLLM.
    const [before, words] = [folder.command.slice(0, at), folder.command.slice(at + 1)];
    const { port, pod } = replaced;
    const others: Readonly<Record<string, string>> = {
      ...(pod === undefined && { "--host=0.0.0.0": "--host=127.0.0.1", "--port=8000": `--port=${port}` }),
      ...replaced.arguments,
    };
    const missing = Object.keys(others).filter((word) => !words.includes(word));
    if (missing.length > 0) {
      throw new Error(`nothing renders ${missing.join(", ")}; there are ${words.join(" ")}`);
    }
    const args = words.map((word) => expanded(others[word] ?? word, folder.env));
    this.home = folder.env.HOME ?? "";
    this.url = pod === undefined ? `http://127.0.0.1:${port}` : `http://${pod.address}:8000`;
    const command = [...before, requirePart("vllm-python"), ...COMMAND, ...args];
    const [program = "", ...rest] = pod?.inside(command) ?? command;
    this.program = new Program(program, rest, join(parent, "log"), {
      env: folder.env,
      cwd: parent,
      folder: parent,
    });
  }

  /** Waits until a path answers 200. @returns every status that it had until then; 0: nobody listened. */
  async until(path: string): Promise<number[]> {
    const statuses: number[] = [];
    await this.program.ready(async () => {
      const status = await this.status(path);
      statuses.push(status);
      return status === 200 ? true : undefined;
    }, START_SECONDS);
    return statuses;
  }

  /** 0: nobody listens. */
  async status(path: string, init?: RequestInit): Promise<number> {
    const answer = await fetch(`${this.url}${path}`, { ...init, signal: AbortSignal.timeout(5000) }).catch(
      () => undefined,
    );
    await answer?.body?.cancel();
    return answer?.status ?? 0;
  }

  /** @param init of the request, besides its method and body. */
  post(path: string, body: object, init: Pick<RequestInit, "signal"> = {}): Promise<Response> {
    const headers = { "Content-Type": "application/json" };
    return fetch(`${this.url}${path}`, { ...init, method: "POST", headers, body: JSON.stringify(body) });
  }

  async text(path: string): Promise<string> {
    return (await fetch(`${this.url}${path}`)).text();
  }

  output(): string {
    return this.program.output();
  }

  /** How it ended; undefined while it runs. */
  get ending(): string | undefined {
    return this.program.ending;
  }

  /** Waits until it has ended by itself. @returns how. */
  ended(seconds: number): Promise<string> {
    return waitFor("vLLM to end by itself", async () => this.program.ending, seconds);
  }

  /** What the kubelet does when the pod leaves. */
  terminate(): Promise<void> {
    return this.program.terminate();
  }

  /** As a node that loses power. */
  stop(): Promise<void> {
    return this.program.stop();
  }
}

/** As Kubernetes puts a container's variables into its arguments. */
function expanded(word: string, env: Readonly<Record<string, string>>): string {
  return word.replace(/\$\((\w+)\)/g, (reference, name: string) => env[name] ?? reference);
}
