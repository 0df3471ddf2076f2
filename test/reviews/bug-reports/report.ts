import type { DeploymentPlan } from "../../../planner/types";
import { laptop } from "../../cli/run";
import type { Deployment } from "../../harness/deploy";
import type { Sections } from "../../stacks/texts";

/** Bug reports of other projects with one failure, and what this product makes of it. */
export interface BugReport {
  /** References of the reports, `project#number`, the first one that was tried first. */
  readonly reports: string;
  /** What fails there. */
  readonly failure: string;
  readonly proofs: readonly Proof[];
}

/** What is told of one place in the file. */
export interface Told {
  readonly path: string;
  /** Of a plan; what is wrong in the file itself has none. */
  readonly rule?: string;
  /** Numbers, names and values in the message. */
  readonly says?: readonly (string | RegExp)[];
}

/** One thing that is so: exactly these refusals, at least this advice, this part of a plan or of rendered resources. */
export type Proof =
  | { readonly environment: Sections; readonly refused: readonly Told[] }
  | { readonly environment: Sections; readonly advised: readonly Told[]; readonly notAdvised?: readonly string[] }
  | { readonly environment: Sections; readonly planned: (plan: DeploymentPlan) => unknown; readonly is: unknown }
  | { readonly rendered: (platform: Deployment) => unknown; readonly is: unknown }
  | { readonly asked: () => unknown; readonly is: unknown }
  /** No plan and no resource shows it: the test of this title does. */
  | { readonly heldBy: string; readonly titled: string };

/** A commit as users write it. */
export const COMMIT = "0123456789abcdef0123456789abcdef01234567";

const SYSTEM = { role: "system", node: { vcpus: 16, memoryGiB: 64 } };
const L40S = { card: "l40s", gpuCount: 1, vcpus: 32, memoryGiB: 256, localNvmeGB: 2000, networkGbps: 25 };
const EIGHT_H200 = { card: "h200", gpuCount: 8, vcpus: 192, memoryGiB: 2400, localNvmeGB: 20_000, networkGbps: 100 };

/** An environment on machines of one's own: a pool for the platform, and one with an L40S a node, but what a report has. */
export function onNodes(models: Sections, node: Sections = {}, pool: Sections = {}, sections: Sections = {}): Sections {
  return {
    ...laptop,
    pools: { sys: SYSTEM, gpu: { node: { ...L40S, ...node }, ...pool } },
    models,
    ...sections,
  };
}

/** One model on nodes like that. */
export function onL40s(model: Sections, node: Sections = {}, pool: Sections = {}): Sections {
  return onNodes({ m: model }, node, pool);
}

/** One model on a node with eight H200. */
export function onH200(model: Sections, node: Sections = {}): Sections {
  return onNodes({ m: model }, { ...EIGHT_H200, ...node });
}
