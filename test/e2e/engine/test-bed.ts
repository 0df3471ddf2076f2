import * as automation from "@pulumi/pulumi/automation";
import { repositoryRoot } from "../../../catalog/root";
import type { EnvironmentRun } from "../../../cli/plan-offline";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { loadEnvironment } from "../../../stacks/config";
import { assertDeployable, createPlatform, planEnvironment } from "../../../stacks/program";
import type { EnvironmentName } from "../../stacks/run";
import { configMap, readEnvironment } from "./environment-file";
import { pulumi } from "./pulumi";
import { Surroundings } from "./surroundings";

const PROJECT = "inference-stacks";

/** An environment's program on the real engine, driven by the Automation API. */
export class TestBed {
  private constructor(
    private readonly surroundings: Surroundings,
    readonly stack: automation.Stack,
  ) {}

  /**
   * @param config values beside, or instead of, those of the environment's file, by full key.
   * @throws Error that names the command which installs a missing part.
   */
  static async start(name: EnvironmentName, config: automation.ConfigMap = {}): Promise<TestBed> {
    const file = readEnvironment(name, config);
    const surroundings = await Surroundings.start(name, file);
    try {
      const { PATH, PULUMI_HOME, ...envVars } = surroundings.env;
      // The Automation API looks for the command line on this process's own PATH.
      process.env.PATH = PATH;
      const stack = await automation.LocalWorkspace.createStack(
        { projectName: PROJECT, stackName: name, program: () => program(name) },
        { pulumiHome: PULUMI_HOME, envVars },
      );
      await stack.setAllConfig(configMap(file));
      return new TestBed(surroundings, stack);
    } catch (error) {
      await surroundings.stop();
      throw error;
    }
  }

  get plane(): ControlPlane {
    return this.surroundings.plane;
  }

  get offline(): EnvironmentRun {
    return this.surroundings.offline;
  }

  /** Folder of the file backend. */
  get backend(): string {
    return this.surroundings.backend;
  }

  /** Takes the protection off every resource, as an operator does who means to destroy. */
  async unprotect(): Promise<void> {
    const args = ["state", "unprotect", "--all", "--yes", "--stack", this.stack.name];
    const { status, output } = await pulumi(args, {
      cwd: this.stack.workspace.workDir,
      env: this.surroundings.env,
    });
    if (status !== 0) throw new Error(output);
  }

  async stop(): Promise<void> {
    await this.surroundings.stop();
  }
}

/** What stacks/index.ts does; the command line's test runs that file itself. */
export async function program(name: string): Promise<Record<string, unknown>> {
  const { environment, secrets } = loadEnvironment();
  const plan = await planEnvironment(name, environment, repositoryRoot());
  assertDeployable(plan);
  return { ...createPlatform({ environment, secrets, plan }).stackOutputs };
}
