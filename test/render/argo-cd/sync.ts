import { groupOf } from "../../../kubernetes/object";
import { type ReadObject, waveOf } from "../run";
import { exists, healthy, served } from "./facts";
import { CRD_CHARTS, HEALTH, type Health, type Rules } from "./health";

interface Task {
  readonly object: ReadObject;
  readonly name: string;
  readonly wave: number;
  readonly health: Required<Health>;
}

/**
 * Syncs rendered objects as Argo CD does (`gitops-engine/pkg/sync/sync_context.go`): applies the lowest wave, waits until
 * all of it is healthy, goes on with the next one; an object that is refused or Degraded ends the attempt.
 *
 * @param given facts that hold before the first sync.
 * @param rules when an object is healthy, by its kind.
 * @returns why it stops, one line per object that holds it up; nothing when it gets through.
 */
export function sync(objects: readonly ReadObject[], given: readonly string[] = [], rules: Rules = HEALTH): string[] {
  const tasks = objects.map((object) => taskOf(object, objects, rules));
  const facts = new Set(given);
  const bringer = (fact: string): string => {
    const found = tasks.find(({ health }) => [...health.applied, ...health.healthy].includes(fact));
    return found ? `${found.name} of wave ${found.wave}` : "nothing that is rendered";
  };
  const missing = (needs: readonly string[]) =>
    needs.filter((need) => !facts.has(need)).map((need) => `"${need}", which takes ${bringer(need)}`);
  for (const wave of [...new Set(tasks.map((task) => task.wave))].sort((a, b) => a - b)) {
    const members = tasks.filter((task) => task.wave === wave);
    add(
      facts,
      members.flatMap(({ health }) => health.applied),
    );
    const refused = members.flatMap(({ name, health }) =>
      missing(health.atOnce).map((need) => `wave ${wave}: ${name} fails without ${need}`),
    );
    if (refused.length > 0) {
      return refused;
    }
    const waiting = new Set(members);
    for (let before = -1; before !== waiting.size; ) {
      before = waiting.size;
      for (const task of waiting) {
        if (missing(task.health.inTime).length === 0) {
          waiting.delete(task);
          add(facts, task.health.healthy);
        }
      }
    }
    if (waiting.size > 0) {
      return [...waiting].flatMap(({ name, health }) =>
        missing(health.inTime).map((need) => `wave ${wave}: ${name} waits for ${need}`),
      );
    }
  }
  return [];
}

function taskOf(object: ReadObject, all: readonly ReadObject[], rules: Rules): Task {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  const { atOnce = [], inTime = [], applied = [], healthy: done = [] } = rules[kind]?.(object, all) ?? {};
  const group = groupOf(apiVersion);
  return {
    object,
    name: `${kind} ${namespace ?? ""}/${name}`,
    wave: waveOf(object),
    health: {
      atOnce: [
        ...atOnce,
        ...(namespace === undefined || kind === "Application" || kind === "AppProject"
          ? []
          : [exists("Namespace", namespace)]),
        ...(CRD_CHARTS.some(([of]) => of === group) ? [served(group)] : []),
      ],
      inTime,
      applied: [...applied, exists(kind, name, namespace)],
      healthy: [...done, healthy(kind, name, namespace)],
    },
  };
}

function add(facts: Set<string>, more: readonly string[]): void {
  for (const fact of more) {
    facts.add(fact);
  }
}
