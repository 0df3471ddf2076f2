import type { Worker } from "./context";
import type { Readiness } from "./fleet";
import { isAway, type Sighting } from "./survey";

/**
 * What a model needs before it can answer, from sightings of workers. Pure.
 * @param name in the API's spelling.
 */
export function readinessOf(sightings: readonly Sighting[], name: string): Readiness {
  const there = sightings.filter((one) => one.record.phase === "running" && !isAway(one) && one.problem === undefined);
  const has = (sighting: Sighting, loaded?: true) => {
    const model = sighting.worker.backend.nameOf(name);
    return sighting.inventory.models.some((held) => held.name === model && (loaded === undefined || held.loaded));
  };
  const ready = there.filter((one) => has(one, true));
  if (ready.length > 0) {
    return { state: "ready", workers: ready.map(nameOf) };
  }
  if (there.some((one) => has(one))) {
    return { state: "on_disk" };
  }
  const pulls = (one: Sighting) => one.inventory.pulls.get(one.worker.backend.nameOf(name))?.running === true;
  if (there.some(pulls)) {
    return { state: "pulling" };
  }
  const canPull = (one: Sighting) => one.worker.backend.can.pull;
  const serves = (one: Sighting) => has(one) || isToldOf(one.worker, name);
  // Workers with the model first; pulls it if there are none.
  const starting = sightings.find((one) => serves(one) && (one.rest === "waking" || one.record.phase === "starting"));
  if (starting !== undefined) {
    return { state: "starting", worker: nameOf(starting) };
  }
  const asleep = sightings.find((one) => serves(one) && isAsleep(one));
  if (asleep !== undefined) {
    return { state: "asleep", worker: nameOf(asleep) };
  }
  if (there.some(canPull)) {
    return { state: "absent" };
  }
  const sleeper = sightings.find((one) => canPull(one) && isAsleep(one));
  if (sleeper !== undefined) {
    return { state: "asleep", worker: nameOf(sleeper) };
  }
  const able = sightings.filter((one) => serves(one) || canPull(one));
  const sick = able.find(({ problem }) => problem !== undefined);
  if (sick !== undefined) {
    return { state: "unreachable", worker: nameOf(sick) };
  }
  const stopped = able.find(serves) ?? able[0];
  return stopped === undefined ? { state: "absent" } : { state: "stopped", worker: nameOf(stopped) };
}

function nameOf({ worker }: Sighting): string {
  return worker.spec.name;
}

function isAsleep({ rest }: Sighting): boolean {
  return rest === "asleep";
}

/** Engines with fixed models have them even when asleep and never observed. */
function isToldOf({ spec, backend }: Worker, name: string): boolean {
  return spec.models?.some((model) => backend.nameOf(model) === backend.nameOf(name)) ?? false;
}
