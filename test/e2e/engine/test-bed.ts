import type * as automation from "@pulumi/pulumi/automation";
import type { EnvironmentRun } from "../../../offline/environment";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import type { EnvironmentName } from "../../stacks/run";
import type { Machine } from "../edge/machine/machine";
import { createStack } from "./automation-stack";
import { readEnvironment } from "./environment-file";
import type { CloudStore } from "./providers/cloud/store";
import { pulumi } from "./pulumi";
import { type CloudBehaviour, Surroundings } from "./surroundings";

export interface TestBedOptions extends CloudBehaviour {
  /**
   * When the engine writes the state: after each step, as it does for users, also compressed, or at the end of an operation. Written
   * after each of hundreds of steps, it takes half of an operation's CPU seconds; only what kills the engine, or measures it, reads it
   * before the end.
   *
   * @default "end"
   */
  readonly checkpoints?: keyof typeof CHECKPOINTS;
}

/** Variables of the engine. */
const CHECKPOINTS = {
  step: {},
  "compressed step": { PULUMI_DIY_BACKEND_ZSTD: "true" },
  end: { PULUMI_SKIP_CHECKPOINTS: "true" },
} as const;

/** An environment's program on the real engine, driven by the Automation API. */
export class TestBed {
  private constructor(
    private readonly surroundings: Surroundings,
    readonly stack: automation.Stack,
  ) {}

  /**
   * @param config values beside, or instead of, those of the environment's file, by full key.
   * @param options of the engine, and of the cloud where the program makes its cluster.
   * @throws Error that names the command which installs a missing part.
   */
  static async start(
    name: EnvironmentName,
    config: automation.ConfigMap = {},
    { checkpoints = "end", ...behaviour }: TestBedOptions = {},
  ): Promise<TestBed> {
    const file = readEnvironment(name, config);
    const surroundings = await Surroundings.start(name, file, behaviour);
    try {
      return new TestBed(
        surroundings,
        await createStack(name, surroundings.file, {
          ...surroundings.env,
          ...CHECKPOINTS[checkpoints],
        }),
      );
    } catch (error) {
      await surroundings.stop();
      throw error;
    }
  }

  get plane(): ControlPlane {
    return this.surroundings.plane;
  }

  /** Variables that an operator sets for what the engine runs from now on, providers included. */
  async setVariables(variables: Readonly<Record<string, string>>): Promise<void> {
    const { PATH: _, PULUMI_HOME: __, ...env } = await this.surroundings.envWith(variables);
    Object.assign(this.stack.workspace.envVars, env);
  }

  get offline(): EnvironmentRun {
    return this.surroundings.offline;
  }

  /** What there is in the cloud. */
  get cloud(): CloudStore {
    return this.surroundings.cloud;
  }

  /** The machine that the program installs over SSH. */
  get machine(): Machine {
    return this.surroundings.machine;
  }

  /** Folder of the file backend. */
  get backend(): string {
    return this.surroundings.backend;
  }

  /** Takes the protection off every resource, and the cloud's own, as an operator does who means to destroy. */
  async unprotect(): Promise<void> {
    await this.commandLine(["state", "unprotect", "--all", "--yes"]);
    for (const resource of this.cloud.all().filter(({ inputs }) => inputs.deletionProtection === true)) {
      this.cloud.put({ ...resource, inputs: { ...resource.inputs, deletionProtection: false } });
    }
  }

  async outputs(): Promise<automation.OutputMap> {
    return this.stack.workspace.stackOutputs(this.stack.name);
  }

  /** The state as the backend keeps it, secrets encrypted: the Automation API's own export shows them. */
  async exportEncrypted(): Promise<automation.Deployment> {
    return JSON.parse(await this.commandLine(["stack", "export"])) as automation.Deployment;
  }

  private async commandLine(args: readonly string[]): Promise<string> {
    const { status, output } = await pulumi([...args, "--stack", this.stack.name], {
      cwd: this.stack.workspace.workDir,
      env: this.surroundings.env,
    });
    if (status !== 0) {
      throw new Error(output);
    }
    return output;
  }

  async stop(): Promise<void> {
    await this.surroundings.stop();
  }
}
