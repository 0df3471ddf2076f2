import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { createStack } from "../engine/automation-stack";
import { engineVariables } from "../engine/engine-variables";
import { parseEnvironment } from "../engine/environment-file";
import { startProvider } from "../engine/provider-process";
import type { RecordedState } from "./recorded-state";

/** What the engine means to do with a resource that exists. */
export interface PlannedStep {
  readonly operation: string;
  /** Type token, e.g. `kubernetes:apps/v1:StatefulSet`. */
  readonly type: string;
  readonly name: string;
}

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

  /** What the engine means to do when this program runs where another version left `recorded`. */
  async replay(recorded: RecordedState): Promise<readonly PlannedStep[]> {
    const { version, environment } = recorded;
    const folder = join(this.plane.folder, `${version}-${environment}`);
    const backend = join(folder, "backend");
    mkdirSync(backend, { recursive: true });
    const variables = {
      ...engineVariables({ home: join(folder, "home"), backend, ports: this.ports }),
      KUBECONFIG: this.plane.kubeconfig,
    };
    const stack = await createStack(environment, parseEnvironment(recorded.file, environment), variables);
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
