import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ControlPlane } from "../../../rehearsal/cluster/control-plane";
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

/** What the engine means to do when this program runs where another version left `recorded`. */
export async function replay(plane: ControlPlane, recorded: RecordedState): Promise<readonly PlannedStep[]> {
  const { version, environment } = recorded;
  const folder = join(plane.folder, `${version}-${environment}`);
  const backend = join(folder, "backend");
  mkdirSync(backend, { recursive: true });
  const env = { KUBECONFIG: plane.kubeconfig };
  const [kubernetes, random] = await Promise.all([
    startProvider(plane, "kubernetes", env),
    startProvider(plane, "random"),
  ]);
  const variables = {
    ...engineVariables({ home: join(folder, "home"), backend, ports: { kubernetes, random } }),
    ...env,
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
