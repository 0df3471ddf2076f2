import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { z } from "zod";
import { freePorts } from "../../../rehearsal/cluster/ports";
import type { Deployment } from "../../harness/deploy";
import { metadataOf } from "../../stacks/kubernetes";
import { ServerProcess } from "./registry/server-process";

const STAND_IN = join(__dirname, "vllm-stand-in.mjs");

const container = z.object({
  command: z.tuple([z.literal("vllm"), z.literal("serve")]),
  args: z.array(z.string()),
  env: z.array(z.object({ name: z.string(), value: z.string().optional() }).loose()),
});
const deploymentSpec = z.object({ template: z.object({ spec: z.object({ containers: z.tuple([container]) }) }) });

/** How a pod of vLLM is started. */
export interface VllmCommand {
  readonly command: readonly string[];
  readonly args: readonly string[];
  /** What has its value written out. */
  readonly env: Readonly<Record<string, string>>;
}

/** The container of a model's Deployment. */
export function renderedVllm(deployment: Deployment, model: string): VllmCommand {
  const found = deployment
    .ofType("kubernetes:apps/v1:Deployment")
    .find((resource) => metadataOf(resource).name === `model-${model}`);
  const [{ command, args, env }] = deploymentSpec.parse(found?.inputs.spec).template.spec.containers;
  const values = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  return { command, args, env: Object.fromEntries(values) };
}

/** What stands in for vLLM, started by that command; only its port is replaced. */
export class VllmStandIn {
  private constructor(
    readonly url: string,
    private readonly process: ServerProcess,
  ) {}

  static async start({ command: [program = "", ...words], args, env }: VllmCommand): Promise<VllmStandIn> {
    const [port = 0] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const server = await ServerProcess.start((folder) => {
      const file = join(folder, program);
      writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${STAND_IN}" "$@"\n`);
      chmodSync(file, 0o755);
      return {
        command: program,
        args: [...words, ...args.map((each) => each.replace(/^--port=.*/, `--port=${port}`))],
        env: { ...env, PATH: `${folder}${delimiter}${process.env.PATH}` },
        ready: async () => (await fetch(`${url}/health`)).ok,
      };
    });
    return new VllmStandIn(url, server);
  }

  /** `METHOD path?query` of all that it was asked for, but reads. */
  async orders(): Promise<readonly string[]> {
    const asked = z.array(z.string()).parse(await (await fetch(`${this.url}/asked`)).json());
    return asked.filter((each) => !each.startsWith("GET "));
  }

  /** Undefined where there is no such route. */
  async isSleeping(): Promise<boolean | undefined> {
    const answer = await fetch(`${this.url}/is_sleeping`);
    return answer.ok ? z.object({ is_sleeping: z.boolean() }).parse(await answer.json()).is_sleeping : undefined;
  }

  /** Status of a chat, once it is answered. */
  async chat(): Promise<number> {
    const { status } = await fetch(`${this.url}/v1/chat/completions`, { method: "POST", body: "{}" });
    return status;
  }

  async stop(): Promise<void> {
    await this.process.stop();
  }
}
