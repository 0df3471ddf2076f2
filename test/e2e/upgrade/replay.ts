import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type * as automation from "@pulumi/pulumi/automation";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { createStack } from "../engine/automation-stack";
import { engineVariables } from "../engine/engine-variables";
import { type EnvironmentFile, parseEnvironment } from "../engine/environment-file";
import { startProvider } from "../engine/provider-process";
import type { RecordedState } from "./recorded-state";

/** What the engine means to do with a resource that exists. */
export interface PlannedStep {
  readonly operation: string;
  /** Type token, e.g. `kubernetes:apps/v1:StatefulSet`. */
  readonly type: string;
  readonly name: string;
}

/** Makes the stack of an environment in whatever program takes it over. */
export type StackMaker = (
  name: string,
  file: EnvironmentFile,
  variables: Readonly<Record<string, string>>,
) => Promise<automation.Stack>;

/** An empty cluster, and the providers that all replays on it share: each of them is a process of 100 MB that starts in seconds. */
export class ReplayStand {
  private constructor(
    private readonly plane: ControlPlane,
    private readonly ports: Readonly<Record<string, number>>,
  ) {}

  static async start(): Promise<ReplayStand> {
    const plane = await ControlPlane.start();
    try {
      const [kubernetes, random] = await Promise.all([
        startProvider(plane, "kubernetes", { KUBECONFIG: plane.kubeconfig }),
        startProvider(plane, "random"),
      ]);
      return new ReplayStand(plane, { kubernetes, random });
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    return this.plane.stop();
  }

  /** Folder that goes with the stand. */
  get folder(): string {
    return this.plane.folder;
  }

  /**
   * What the engine means to do when a program runs where another version left `recorded`.
   *
   * @param makeStack of the program. @default this one, in this process
   */
  async replay(recorded: RecordedState, makeStack: StackMaker = createStack): Promise<readonly PlannedStep[]> {
    const { version, environment } = recorded;
    const folder = join(this.plane.folder, `${version}-${environment}`);
    const backend = join(folder, "backend");
    mkdirSync(backend, { recursive: true });
    const variables = {
      ...engineVariables({ home: join(folder, "home"), backend, ports: this.ports }),
      KUBECONFIG: this.plane.kubeconfig,
    };
    const stack = await makeStack(environment, parseEnvironment(recorded.file, environment), variables);
    await stack.importStack(recorded.deployment);
    const steps: PlannedStep[] = [];
    await stack.preview({
      onEvent: ({ resourcePreEvent }) => {
        if (resourcePreEvent === undefined) {
          return;
        }
        const { op, type, urn } = resourcePreEvent.metadata;
        steps.push({ operation: op, type, name: urn.slice(urn.lastIndexOf("::") + 2) });
      },
    });
    return steps;
  }
}
