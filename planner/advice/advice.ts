import type { Replanning } from "../fixes/setting";
import type { CapacityProblem } from "../types";
import { availability } from "./availability";
import { cheaperMachine } from "./cheaper-machine";
import { hostMemory } from "./host-memory";
import { hostNetwork } from "./host-network";
import { idleNodes } from "./idle-nodes";
import { singleStore } from "./single-store";
import { spareReplicas } from "./spare-replicas";
import { topology } from "./topology";
import { ungatedFabric } from "./ungated-fabric";
import { unknownCards } from "./unknown-cards";
import { unlistedCards } from "./unlisted-cards";
import { unpricedMachines } from "./unpriced-machines";

/** Advice never forbids a deployment. Models that may not start come first. */
const PIECES: readonly ((context: Replanning) => CapacityProblem[])[] = [
  unknownCards,
  unlistedCards,
  idleNodes,
  spareReplicas,
  cheaperMachine,
  hostMemory,
  hostNetwork,
  topology,
  ungatedFabric,
  unpricedMachines,
  availability,
  singleStore,
];

/** Only for accepted plans: a refused one has more urgent problems. */
export function adviseOn(context: Replanning): CapacityProblem[] {
  return context.plan.problems.some((p) => p.severity === "mandatory")
    ? []
    : PIECES.flatMap((advise) => advise(context));
}
